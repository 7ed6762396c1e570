// Linear ops walked backwards: from cotangents of results to cotangents of inputs.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// Cotangents of `inputs`. `ops` are linear ops of one block in order, linear in everything that they compute from
// `inputs`; `outputs` are their values with `cotangents` (null for zero). Emits at `builder` with the transpose rules;
// a value used several times gets the sum of its cotangents, last use first. A null result is a zero cotangent. An op
// that is not linear in such a value is an error that names it and its source location.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> transposeOps(mlir::OpBuilder& builder,
                                                             llvm::ArrayRef<mlir::Operation*> ops,
                                                             mlir::ValueRange inputs, mlir::ValueRange outputs,
                                                             llvm::ArrayRef<mlir::Value> cotangents);

// Transposes a function that is linear in its arguments from `firstLinear` on:
//   (known args..., linear args...) -> results   becomes   (known args..., cotangents of results...) -> cotangents of
//   the linear args
// The new function stands beside `f` under `name` (or `name_N`).
mlir::FailureOr<mlir::func::FuncOp> transpose(mlir::func::FuncOp f, unsigned firstLinear, llvm::StringRef name);

}  // namespace nacre::passes
