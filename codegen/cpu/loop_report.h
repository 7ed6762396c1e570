// Looks at the optimised LLVM IR of kernels (KernelOptions::optimisedIr, or the .ll files of a dump directory) and
// tells how each innermost loop touches memory. Tests use it to keep a schedule from falling back to scalar code
// unseen.
#pragma once
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace nacre::cpu {

struct InnermostLoop {
  std::string kernel;                     // name of the tile.func
  std::string block;                      // LLVM's name of the loop's header
  int vectorLoads = 0, vectorStores = 0;  // masked ones included
  int scalarLoads = 0, scalarStores = 0;
  int broadcastLoads = 0;  // of scalarLoads: only used to fill vectors
  int gathers = 0, scatters = 0;
  int64_t trips = -1;  // if constant

  // Every store is of a vector, and every load of a vector or for one. A loop without accesses counts as such.
  bool vectorised() const { return scalarStores == 0 && scalarLoads == broadcastLoads && scatters == 0; }
};

// Innermost loops of all functions, in order. InvalidArgument if the text is not LLVM IR.
absl::StatusOr<std::vector<InnermostLoop>> inspectLoops(const std::string& ir);

// A line for people: "k: loop %7: 2 vector loads, 1 vector store".
std::string describe(const InnermostLoop& loop);

}  // namespace nacre::cpu
