// Calls replaced by the body of the function they call, because transforms and code generation see one straight line.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// Replaces each nacre.call and func.call in `f` by a copy of the callee's body, also in the copies. Locations become
// callee at call site. Recursion, a callee with several blocks or without a body is an error that names the callee.
mlir::LogicalResult inlineCalls(mlir::func::FuncOp f);

}  // namespace nacre::passes
