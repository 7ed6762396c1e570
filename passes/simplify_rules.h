// The rewrites of simplify, by family. Each gets an op, with a builder in front of it, and returns the value that takes
// the place of its only result, or null. Rewrites look at producers only, so one forward walk reaches the end; each
// makes the program smaller, or cheaper by a fixed order, so none can run forever.
#pragma once
#include <optional>

#include "ir/builder.h"

namespace nacre::passes {

// Moves, types and choices (simplify_moves.cc).
mlir::Value simplifyMove(mlir::Operation* op, ir::Builder& b);
// Identities of arithmetic and logic (simplify_arithmetic.cc).
mlir::Value simplifyArithmetic(mlir::Operation* op, ir::Builder& b);
// Ops all of whose operands are constants: splats, or at most kMaxFolded elements (simplify_fold.cc).
mlir::Value foldConstants(mlir::Operation* op, ir::Builder& b);
inline constexpr int64_t kMaxFolded = 64;

// The value of a constant; null for anything else.
mlir::DenseElementsAttr constantOf(mlir::Value v);
// The repeated element (FloatAttr or IntegerAttr) of a splat constant, or null.
mlir::TypedAttr splatOf(mlir::Value v);
// Is `v` a splat of exactly this number? Zeros of floats are told apart by `negative`.
bool isSplat(mlir::Value v, double number, bool negative = false);
mlir::Value splatConstant(ir::Builder& b, mlir::RankedTensorType type, mlir::Attribute element);

}  // namespace nacre::passes
