// Kernels of the tile dialect to machine code in memory.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/target.h"
#include "codegen/tile/dialect.h"
#include "runtime/plan.h"

namespace nacre::cpu {

// Milliseconds of CPU time, summed over threads.
struct CompileTimes {
  double lower = 0, optimise = 0, codegen = 0, link = 0;
};

struct CompiledKernels {
  std::vector<KernelSpec> specs;  // one per function, in order
  std::shared_ptr<void> code;     // owns the machine code: keep it while an entry may be called
  CompileTimes times;
};

struct KernelOptions {
  // Kernels are shared out to this many threads.
  int threads = 2;
  // Where <kernel>.ll (optimised LLVM IR) and <kernel>.s go; empty: nowhere.
  std::string dumpDirectory;
  // Keep the optimised LLVM IR as text in `ir` below (for tests that look at loops).
  std::string* optimisedIr = nullptr;
};

// All functions are of one context; they are read, not changed. Thread-safe for different contexts.
//
// Errors: Internal if an op has no lowering (the message is the diagnostic) or LLVM refuses the module;
// InvalidArgument if the dump directory cannot be written.
absl::StatusOr<CompiledKernels> compileTileFuncs(llvm::ArrayRef<tile::FuncOp> funcs, const codegen::Target& target,
                                                 const KernelOptions& options = {});

// Estimated nanoseconds of the whole grid on one thread.
int64_t estimateWork(tile::FuncOp func, const codegen::Target& target);

}  // namespace nacre::cpu
