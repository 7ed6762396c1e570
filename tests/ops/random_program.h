// Programs of many ops, put together at random, to find what no test of one op can: fusion, sharing, aliasing.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace nacre::tests {

struct RandomProgram {
  std::string mlir;
  std::vector<std::vector<int64_t>> arguments;  // shapes; all are f32
};

// The same seed gives the same program. Values stay in about [-10, 10] if the arguments are in [-1, 1], and no op in it
// is discontinuous, so compiled and interpreted results may be compared with a bound.
RandomProgram randomProgram(uint32_t seed, int ops);

}  // namespace nacre::tests
