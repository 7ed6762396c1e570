// The tables of tests/golden/: programs of one function with inputs and the outputs that another system computed.
#pragma once
#include <string>
#include <vector>

#include "ir/reference/host_value.h"

namespace nacre::tests {

struct GoldenOutput {
  ir::HostValue value;
  std::vector<float> magnitude;  // of sums and products, an element each; else empty
};

struct GoldenCase {
  std::string op, dtype, what, mlir;
  std::vector<ir::HostValue> inputs;
  std::vector<GoldenOutput> outputs;

  // "nacre.convert float32 (to int32)".
  std::string name() const;
};

// Throws std::runtime_error when the file is missing or not such a table.
std::vector<GoldenCase> loadGoldenCases(const std::string& path, mlir::MLIRContext& context);

}  // namespace nacre::tests
