// Makes a function smaller without changing one bit of what it computes.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

struct SimplifyOptions {
  // stop_gradient is an identity once nothing will be differentiated any more. Keep it in functions that may be.
  bool eraseStopGradient = true;
};

// One forward walk over a straight-line function, in time linear in its ops: removes moves that cancel or merge, folds
// constants that are small or splats, applies identities that hold for every IEEE value (x * 1, but not x * 0 nor
// x + 0, which turns -0 into 0), shares equal ops; then removes what is unused. Nothing moves across an
// optimization_barrier. Values of exp, sin and other functions with an approximation are never computed here, so that
// they come from the same code as at run time.
mlir::LogicalResult simplify(mlir::func::FuncOp f, const SimplifyOptions& options = {});

// Only the last step: erases pure ops without uses.
void eraseDeadOps(mlir::func::FuncOp f);

}  // namespace nacre::passes
