// Reverse mode: forward mode, split by dataflow into primal and linear ops, the linear ones walked backwards.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// Adds a function beside `f`, named `name` (or `name_N` where that is taken):
//   (args..., a cotangent for each seeded result...) -> (results..., a cotangent for each active arg...)
// `active` has one flag an argument, `seeded` one a result; active arguments and seeded results must be of floating
// point. Results that are not seeded have zero cotangents. Cotangents that are structurally zero cost no op until they
// are a result. Errors as in jvp.h and transpose.h; `f` is unchanged in any case.
mlir::FailureOr<mlir::func::FuncOp> vjp(mlir::func::FuncOp f, llvm::ArrayRef<bool> active, llvm::ArrayRef<bool> seeded,
                                        llvm::StringRef name);

}  // namespace nacre::passes
