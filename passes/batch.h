// Batching: a function over one example becomes a function over many.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// Adds a function beside `f`, named `name` (or `name_N` where that is taken), whose argument i has an extra dimension
// of `size` at position inAxes[i], and whose result j has one at outAxes[j]; -1 says that there is none. Inside, batch
// dimensions stand first; ops without a batched operand stay as they are. Calls are inlined.
// Errors: an axis out of range, a result that is batched but asked for at -1 (named by its index), an op without a
// batching rule (named with its source location). A result that is not batched but asked for at an axis is repeated.
mlir::FailureOr<mlir::func::FuncOp> batch(mlir::func::FuncOp f, llvm::ArrayRef<int64_t> inAxes, int64_t size,
                                          llvm::ArrayRef<int64_t> outAxes, llvm::StringRef name);

}  // namespace nacre::passes
