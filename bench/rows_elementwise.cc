#include "bench/row.h"
#include "nacre/nacre.h"
#include "nacre/nn.h"

namespace bench {
namespace {

namespace nc = nacre;

// Each makes one pass over memory if all its ops are fused.
auto chain = [](const nc::Array& x) {
  nc::Array t = nc::tanh(x) * 1.5f;
  t = nc::exp(t + 0.25f) * x;
  t = nc::maximum(t - 0.5f, x) * 0.125f;
  return nc::nn::sigmoid(t) + x;
};
auto softmax = [](const nc::Array& x) { return nc::nn::softmax(x, -1); };
auto norm = [](const nc::Array& x) { return nc::nn::layer_norm(x.dim(-1))(x); };

template <class F>
Row row(const std::string& name, F f, int64_t rows, int64_t columns) {
  auto prepare = [f, rows, columns]() -> std::function<void()> {
    nc::Array x = nc::random::normal(nc::random::key(0), {rows, columns});
    auto compiled = nc::jit(f);
    return [x, compiled] { compiled(x); };
  };
  return {.name = name, .settings = {{"rows", rows}, {"columns", columns}}, .prepare = prepare};
}

}  // namespace

std::vector<Row> elementwise_rows() {
  return {row("chain of 10 f32 16M", chain, 4096, 4096), row("softmax f32 4096x1024", softmax, 4096, 1024),
          row("softmax f32 8192x1024", softmax, 8192, 1024), row("layernorm f32 8192x768", norm, 8192, 768)};
}

}  // namespace bench
