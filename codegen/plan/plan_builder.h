// From launches to a plan: where every array lives.
#pragma once
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/plan.h"

namespace nacre::codegen {

// What the plan has to know of a kernel besides its machine code.
struct KernelUse {
  int32_t index = 0;                          // in Plan::kernels
  std::vector<std::pair<int, int>> in_place;  // (output, input) that may share memory
  int destination = -1;                       // >= 0: output 0 has to start as a copy of this input, or be it
};

// Plans @main after outlining: nacre.launch, reshape, bitcast_convert, optimization_barrier, constants, func.return.
// Fills everything but Plan::kernels.
//
// Reshape, bitcast and barrier cost nothing: their results are other views of the same bytes. An output takes over the
// memory of an input where the kernel allows that and nobody needs the input any more. Results live in the buffer of
// a donated argument where one of the same type (else of the same size) is dead by then, or in a buffer of their own. A
// result that is an undonated argument is that argument. What remains is copied. Everything else is in the arena.
// Internal if an op or a kernel is not known.
absl::StatusOr<Plan> buildPlan(mlir::func::FuncOp main, const llvm::StringMap<KernelUse>& kernels);

// Element type of the runtime for one of the dialect's.
DType dtypeOf(mlir::Type element);

}  // namespace nacre::codegen
