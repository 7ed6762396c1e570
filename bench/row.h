// The work that Nacre and its peers are timed on.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Row {
  std::string name;
  // Numbers that a peer has to know of the work: shapes, or the model's configuration.
  nlohmann::json settings;
  // Prepares the inputs and returns the work: one call runs it to the end.
  std::function<std::function<void()>()> prepare;
  // Each call compiles from nothing, so nothing warms up.
  bool cold = false;
  // What Nacre's median may be at most, as a multiple of a peer's.
  struct Goal {
    std::string peer;
    double factor;
  };
  std::optional<Goal> goal;
};

std::vector<Row> char_lm_rows();      // the sample's training step, and its first call
std::vector<Row> dispatch_rows();     // calls with small arrays
std::vector<Row> elementwise_rows();  // chains, softmax, layer norm
std::vector<Row> matmul_rows();

}  // namespace bench
