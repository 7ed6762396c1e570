// Large reductions to few elements in two steps, so that there is work for several threads.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// Marks the first step of a split reduction over rows; its kernel is of kind split_reduce.
inline constexpr llvm::StringLiteral kSplitAttr = "nacre.split";

// [outer, reduced, inner] becomes [outer, S, reduced / S, inner], reduced over its third and then its second dimension.
// S depends on the shape alone, so results do not depend on the machine or the number of threads. A length that no S
// divides is padded with the identity. bf16 sums go through f32 and round once. Runs after normalizeForFusion().
void splitReductions(mlir::func::FuncOp f);

}  // namespace nacre::passes
