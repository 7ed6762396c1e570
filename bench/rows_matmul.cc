#include "bench/row.h"
#include "nacre/nacre.h"

namespace bench {

namespace nc = nacre;

std::vector<Row> matmul_rows() {
  std::vector<Row> rows;
  for (int64_t size : {512, 1024}) {
    auto prepare = [size]() -> std::function<void()> {
      auto [k1, k2] = nc::random::split<2>(nc::random::key(0));
      nc::Array a = nc::random::normal(k1, {size, size}), b = nc::random::normal(k2, {size, size});
      auto product = nc::jit([](const nc::Array& x, const nc::Array& y) { return nc::matmul(x, y); });
      return [a, b, product] { product(a, b); };
    };
    rows.push_back(
        {.name = "matmul f32 " + std::to_string(size), .settings = {{"size", size}}, .prepare = std::move(prepare)});
  }
  return rows;
}

}  // namespace bench
