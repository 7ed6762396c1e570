// The common end of transpose and vjp.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// `g` is linear in its arguments from `firstLinear` on as far as its results from `kept` on go. These results are
// replaced by cotangents of those arguments, these arguments by cotangents of the results that are `seeded` (one flag
// for each result from `kept` on), and the linear ops by their transposes.
mlir::LogicalResult reverseInPlace(mlir::func::FuncOp g, unsigned firstLinear, unsigned kept,
                                   llvm::ArrayRef<bool> seeded);

}  // namespace nacre::passes
