// Fewer forms of the same thing before fusion.
#pragma once
#include "ir/builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// After it:
//  - values without elements come from constants only, and no other op reads them;
//  - a reduce has one operand, reduces at least two elements, and its dimensions (but for those of size 1) are
//  adjacent;
//    bf16 sums that take several steps go through f32 and round once; reductions to a scalar run over one dimension;
//  - arg_reduce reduces the last dimension of size above 1;
//  - no product has an empty contracting dimension; no transpose swaps lhs and rhs dimensions of a product;
//  - a dynamic_update_slice or scatter updates something, and not everything.
// Values are the same bit for bit, but for sums, whose order changes within the stated bounds.
void normalizeForFusion(mlir::func::FuncOp f);

// What a reduction over nothing gives.
mlir::Value identityOf(ir::Builder& b, ir::CombineKind kind, mlir::RankedTensorType type);

// Reshapes `v`; where it is computed element by element for this one use, its operands are reshaped instead, so that
// the reshape ends up at arrays in memory, where it costs nothing.
mlir::Value reshapeAtSource(ir::Builder& b, mlir::Value v, llvm::ArrayRef<int64_t> shape);

}  // namespace nacre::passes
