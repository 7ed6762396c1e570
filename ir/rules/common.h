// Small helpers that the rule files share.
#pragma once
#include <string>

#include "ir/builder.h"

namespace nacre::ir::detail {

// "[2,3]", as messages print shapes and lists of dimensions.
std::string text(Dims dims);

// Error unless every entry of `dims` lies in [0, rank) and occurs once; with `sorted` they must also ascend. `op` and
// `what` name the op and the attribute in the message.
mlir::LogicalResult checkDims(std::optional<Location> location, llvm::StringRef op, llvm::StringRef what, Dims dims,
                              int64_t rank, bool sorted = false);
// Error unless `list`, named `what`, has one entry per dimension.
mlir::LogicalResult checkCount(std::optional<Location> location, llvm::StringRef op, llvm::StringRef what, Dims list,
                               int64_t rank);

// Dimensions 0 ... rank - 1 that are in neither list, ascending.
llvm::SmallVector<int64_t> otherDims(int64_t rank, Dims a, Dims b = {});
// Entries of `shape` at `dims`.
llvm::SmallVector<int64_t> sizesAt(Dims shape, Dims dims);

// Every dimension one higher, as after a batch dimension was put in front.
llvm::SmallVector<int64_t> shifted(Dims dims);
llvm::SmallVector<int64_t> withFront(int64_t front, Dims rest);
inline llvm::SmallVector<int64_t> withFrontShifted(int64_t front, Dims dims) { return withFront(front, shifted(dims)); }

// `v`, or zeros of `type` where it is null.
Value orZeros(Builder& b, Value v, Type type);
// `v` with the leading batch dimension, repeated if it has none yet.
Value asMapped(Builder& b, Value v, bool mapped, int64_t size);
// A second op like `op`, same attributes, on other operands.
mlir::Operation* rebuild(Builder& b, mlir::Operation* op, mlir::ValueRange operands, mlir::TypeRange types);

void addFactors(IterationSpace& space, llvm::StringRef prefix, Dims sizes, FactorKind kind);
// d0, d1, ... over the result's dimensions, which its map indexes one to one.
IterationSpace spaceOfResult(Value result);
// The map from `count` factors to the first `rank` of them.
mlir::AffineMap firstFactors(unsigned count, unsigned rank, mlir::MLIRContext* context);
void addOperandMap(IterationSpace& space, mlir::MLIRContext* context, llvm::ArrayRef<mlir::AffineExpr> indices);

}  // namespace nacre::ir::detail
