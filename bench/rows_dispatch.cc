#include "bench/row.h"
#include "nacre/nacre.h"

namespace bench {
namespace {

namespace nc = nacre;

// Adds `count` arrays of 8 elements into one.
std::function<void()> add(int count) {
  std::vector<nc::Array> xs;
  for (int i = 0; i < count; ++i) xs.push_back(nc::full({8}, static_cast<float>(i)));
  auto total = nc::jit([](const std::vector<nc::Array>& arrays) {
    nc::Array sum = arrays[0] + 1.0f;
    for (size_t i = 1; i < arrays.size(); ++i) sum = sum + arrays[i];
    return sum;
  });
  return [xs, total] { total(xs); };
}

}  // namespace

std::vector<Row> dispatch_rows() {
  std::vector<Row> rows;
  for (int count : {1, 100})
    rows.push_back({.name = "jit call with " + std::to_string(count) + (count == 1 ? " array" : " arrays"),
                    .settings = {{"count", count}},
                    .prepare = [count] { return add(count); }});
  return rows;
}

}  // namespace bench
