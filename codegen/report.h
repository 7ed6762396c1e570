// A compiled program as text for people, and its cost as numbers for tests.
#pragma once
#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/plan.h"

namespace nacre::codegen {

struct KernelCost {
  std::string name, kind;
  int64_t launches = 0;
  int64_t bytesRead = 0, bytesWritten = 0;  // of one launch: every input once, every output once
  int64_t flops = 0;                        // of one launch: products count 2 an element, other ops 1
};

// Kernels launched by `main` (after outlining), the one that moves most bytes first.
std::vector<KernelCost> costsOf(mlir::func::FuncOp main);

// Bytes that all launches move together (copies of the plan are not in it).
int64_t bytesMoved(llvm::ArrayRef<KernelCost> costs);

// Kernels with their counts and costs, memory, and for each value that passes through memory between two kernels why
// they are two.
std::string report(mlir::func::FuncOp main, const Plan& plan);

}  // namespace nacre::codegen
