// The split of forward mode into what depends on the point and what is linear in the tangents.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

struct Linearized {
  mlir::func::FuncOp primal;  // @NAME.primal: (args...) -> (results..., residuals...)
  mlir::func::FuncOp linear;  // @NAME.linear: (residuals..., tangents...) -> (a tangent for each float result...)
  int64_t residuals = 0;
};

// Adds both functions beside `f`. They come from jvp (whose contract on `active` and errors holds here too): an op is
// linear if it depends on a tangent; residuals are the primal values that linear ops use, without scalar constants,
// which are repeated. Arguments used as residuals are returned as they are.
mlir::FailureOr<Linearized> linearize(mlir::func::FuncOp f, llvm::ArrayRef<bool> active, llvm::StringRef name);

// The ops of a straight-line function that depend on one of its arguments from `firstTangent` on, in order.
llvm::SmallVector<mlir::Operation*> linearOps(mlir::func::FuncOp f, unsigned firstTangent);

}  // namespace nacre::passes
