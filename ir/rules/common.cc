#include "ir/rules/common.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::ir::detail {

std::string text(Dims dims) {
  return "[" + llvm::join(llvm::map_range(dims, [](int64_t d) { return std::to_string(d); }), ",") + "]";
}

LogicalResult checkDims(std::optional<Location> location, StringRef op, StringRef what, Dims dims, int64_t rank,
                        bool sorted) {
  llvm::SmallBitVector seen(rank);
  for (int64_t d : dims) {
    if (rank == 0)
      return emitOptionalError(location, op, ": ", what, " = ", text(dims), " names dimension ", d,
                               ", but a scalar has no dimensions");
    if (d < 0 || d >= rank)
      return emitOptionalError(location, op, ": ", what, " = ", text(dims), " names dimension ", d,
                               ", but there are only ", rank, " dimensions; use numbers from 0 to ", rank - 1);
    if (seen.test(d))
      return emitOptionalError(location, op, ": ", what, " = ", text(dims), " names dimension ", d,
                               " twice; list each dimension once");
    seen.set(d);
  }
  if (sorted && !llvm::is_sorted(dims))
    return emitOptionalError(location, op, ": ", what, " = ", text(dims), " must be in ascending order");
  return success();
}

LogicalResult checkCount(std::optional<Location> location, StringRef op, StringRef what, Dims list, int64_t rank) {
  if (static_cast<int64_t>(list.size()) == rank) return success();
  return emitOptionalError(location, op, ": ", what, " = ", text(list), " has ", list.size(),
                           " entries, but the operand has ", rank, " dimensions; give one entry per dimension");
}

SmallVector<int64_t> otherDims(int64_t rank, Dims a, Dims b) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(a, d) && !llvm::is_contained(b, d)) dims.push_back(d);
  return dims;
}

SmallVector<int64_t> sizesAt(Dims shape, Dims dims) {
  return llvm::map_to_vector(dims, [&](int64_t d) { return shape[d]; });
}

SmallVector<int64_t> shifted(Dims dims) {
  return llvm::map_to_vector(dims, [](int64_t d) { return d + 1; });
}

SmallVector<int64_t> withFront(int64_t front, Dims rest) {
  SmallVector<int64_t> all{front};
  all.append(rest.begin(), rest.end());
  return all;
}

Value orZeros(Builder& b, Value v, Type type) { return v ? v : b.zeros(cast<RankedTensorType>(type)); }

Value asMapped(Builder& b, Value v, bool mapped, int64_t size) { return mapped ? v : b.broadcastLeading(v, size); }

Operation* rebuild(Builder& b, Operation* op, ValueRange operands, TypeRange types) {
  OperationState state(b.loc, op->getName(), operands, types, op->getAttrs());
  return b.ops.create(state);
}

void addFactors(IterationSpace& space, StringRef prefix, Dims sizes, FactorKind kind) {
  for (auto [i, size] : llvm::enumerate(sizes)) space.factors.push_back({prefix.str() + std::to_string(i), size, kind});
}

IterationSpace spaceOfResult(Value result) {
  IterationSpace space;
  addFactors(space, "d", shapeOf(result), FactorKind::parallel);
  space.resultMaps.push_back(AffineMap::getMultiDimIdentityMap(rankOf(result), result.getContext()));
  return space;
}

AffineMap firstFactors(unsigned count, unsigned rank, MLIRContext* context) {
  return AffineMap::getMultiDimMapWithTargets(count, llvm::to_vector(llvm::seq(rank)), context);
}

void addOperandMap(IterationSpace& space, MLIRContext* context, ArrayRef<AffineExpr> indices) {
  space.operandMaps.push_back(AffineMap::get(space.factors.size(), 0, indices, context));
}

}  // namespace nacre::ir::detail
