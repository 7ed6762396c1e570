// Forward mode: a function that carries tangents along with its values.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// Adds a function beside `f`, named `name` (or `name_N` where that is taken):
//   (args..., a tangent for each active arg...) -> (results..., a tangent for each floating-point result...)
// `active` has one flag an argument; an active argument must be of floating point. Calls are inlined. A tangent that is
// structurally zero costs no op until it is a result, where it is a splat of zeros. Ops with the trait
// NotDifferentiable and integer results have zero tangents. An op without a jvp rule is an error that names the op and
// its source location; `f` is unchanged in any case.
mlir::FailureOr<mlir::func::FuncOp> jvp(mlir::func::FuncOp f, llvm::ArrayRef<bool> active, llvm::StringRef name);

}  // namespace nacre::passes
