// Turns fusions into kernels of the module, equal ones shared.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// What the fusion pass had to say about a launch.
inline constexpr llvm::StringLiteral kWhyAttr = "nacre.why";

// Every nacre.fusion of `f` becomes a private function of f's module with the attribute nacre.kernel = "<kind>" and a
// readable name ("row_exponential_3"), and a nacre.launch of it. Fusions with equal structure (the structural key of
// the body, the kind and the types) share one function. The attributes nacre.domain and nacre.in_place_operand of the
// fusion move to the function. Location of a launch: the fused location of the ops in it.
llvm::LogicalResult outline(mlir::func::FuncOp f);

}  // namespace nacre::passes
