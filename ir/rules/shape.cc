// constant, iota, broadcast_in_dim, reshape, transpose, reverse.
#include "ir/rules/common.h"

using namespace mlir;
using namespace nacre::ir::detail;

namespace nacre::ir {

// --- constant, iota ---

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

FailureOr<IterationSpace> ConstantOp::iterationSpace() { return spaceOfResult(getResult()); }

LogicalResult IotaOp::verify() {
  auto dimension = static_cast<int64_t>(getIotaDimension());
  int64_t rank = rankOf(getResult());
  if (dimension >= 0 && dimension < rank) return success();
  return emitError() << "nacre.iota: dim = " << dimension << ", but the result " << getType() << " has " << rank
                     << " dimensions; count along one of them";
}

FailureOr<IterationSpace> IotaOp::iterationSpace() { return spaceOfResult(getResult()); }

// --- broadcast_in_dim ---

LogicalResult BroadcastInDimOp::verify() {
  Dims dims = getBroadcastDimensions(), from = shapeOf(getOperand()), to = shapeOf(getResult());
  constexpr StringLiteral name = "nacre.broadcast_in_dim";
  if (elementOf(getOperand()) != elementOf(getResult()))
    return emitError() << name << ": the element type changes from " << elementOf(getOperand()) << " to "
                       << elementOf(getResult()) << "; use nacre.convert for that";
  if (failed(checkCount(getLoc(), name, "dims", dims, from.size())) ||
      failed(checkDims(getLoc(), name, "dims", dims, to.size())))
    return failure();
  for (auto [i, d] : llvm::enumerate(dims))
    if (from[i] != 1 && from[i] != to[d])
      return emitError() << name << ": operand has shape " << text(from) << " and result " << text(to)
                         << "; operand dimension " << i << " must be 1 or " << to[d]
                         << ", the size of result dimension " << d;
  return success();
}

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  Dims dims = getBroadcastDimensions();
  if (getOperand().getType() == getType() && llvm::equal(dims, iotaDims(dims.size()))) return getOperand();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand()))
    return DenseElementsAttr::get(typeOf(getResult()), splat.getSplatValue<Attribute>());
  return {};
}

LogicalResult BroadcastInDimOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.assign({b.broadcastInDim(tangents[0], shapeOf(getResult()), getBroadcastDimensions())});
  return success();
}

// Sums over what was repeated: new dimensions and stretched ones. What is left comes in the result's order, and is put
// into the operand's before the sizes of 1 come back.
LogicalResult BroadcastInDimOp::transpose(Builder& b, ArrayRef<Value>, ArrayRef<Value> cotangents,
                                          SmallVectorImpl<Value>& results) {
  Dims dims = getBroadcastDimensions(), from = shapeOf(getOperand()), to = shapeOf(getResult());
  SmallVector<int64_t> kept;
  for (auto [i, d] : llvm::enumerate(dims))
    if (from[i] == to[d]) kept.push_back(d);
  SmallVector<int64_t> sorted(kept);
  llvm::sort(sorted);
  Value sum = b.reduce(CombineKind::Add, cotangents[0], otherDims(to.size(), kept));
  SmallVector<int64_t> order =
      llvm::map_to_vector(kept, [&](int64_t d) { return int64_t(llvm::lower_bound(sorted, d) - sorted.begin()); });
  results.assign({b.reshape(b.transpose(sum, order), from)});
  return success();
}

LogicalResult BroadcastInDimOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool>,
                                      SmallVectorImpl<Value>& results) {
  results.assign({b.broadcastInDim(operands[0], withFront(size, shapeOf(getResult())),
                                   withFrontShifted(0, getBroadcastDimensions()))});
  return success();
}

FailureOr<IterationSpace> BroadcastInDimOp::iterationSpace() {
  IterationSpace space = spaceOfResult(getResult());
  SmallVector<AffineExpr> indices;
  for (auto [size, d] : llvm::zip_equal(shapeOf(getOperand()), getBroadcastDimensions()))
    indices.push_back(size == shapeOf(getResult())[d] ? getAffineDimExpr(d, getContext())
                                                      : getAffineConstantExpr(0, getContext()));
  addOperandMap(space, getContext(), indices);
  return space;
}

// --- reshape ---

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = typeOf(getOperand()), to = typeOf(getResult());
  if (from.getElementType() != to.getElementType())
    return emitError() << "nacre.reshape: the element type changes from " << from.getElementType() << " to "
                       << to.getElementType() << "; use nacre.convert for that";
  if (from.getNumElements() != to.getNumElements())
    return emitError() << "nacre.reshape: operand has shape " << text(from.getShape()) << " (" << from.getNumElements()
                       << " elements) and result " << text(to.getShape()) << " (" << to.getNumElements()
                       << " elements); both must hold the same number of elements";
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType()) return getOperand();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand())) return dense.reshape(typeOf(getResult()));
  if (auto first = getOperand().getDefiningOp<ReshapeOp>()) {
    setOperand(first.getOperand());
    return getResult();
  }
  return {};
}

LogicalResult ReshapeOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.assign({b.reshape(tangents[0], shapeOf(getResult()))});
  return success();
}

LogicalResult ReshapeOp::transpose(Builder& b, ArrayRef<Value>, ArrayRef<Value> cotangents,
                                   SmallVectorImpl<Value>& results) {
  results.assign({b.reshape(cotangents[0], shapeOf(getOperand()))});
  return success();
}

LogicalResult ReshapeOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool>,
                               SmallVectorImpl<Value>& results) {
  results.assign({b.reshape(operands[0], withFront(size, shapeOf(getResult())))});
  return success();
}

// Dimensions are matched in the shortest groups of equal size, so that those that stay have plain indices; within a
// group, operand indices are digits of the row-major position.
FailureOr<IterationSpace> ReshapeOp::iterationSpace() {
  IterationSpace space = spaceOfResult(getResult());
  MLIRContext* context = getContext();
  Dims from = shapeOf(getOperand()), to = shapeOf(getResult());
  SmallVector<AffineExpr> indices(from.size(), getAffineConstantExpr(0, context));
  size_t i = 0, j = 0;
  while (typeOf(getOperand()).getNumElements() != 0 && i < from.size() && j < to.size()) {
    size_t beginFrom = i, beginTo = j;
    int64_t sizeFrom = from[i++], sizeTo = to[j++];
    while (sizeFrom != sizeTo) {
      if (sizeFrom < sizeTo)
        sizeFrom *= from[i++];
      else
        sizeTo *= to[j++];
    }
    AffineExpr position = getAffineConstantExpr(0, context);
    for (size_t d = beginTo; d < j; ++d) position = position * to[d] + getAffineDimExpr(d, context);
    int64_t stride = 1;
    for (size_t d = i; d-- > beginFrom; stride *= from[d]) {
      if (from[d] == 1) continue;
      AffineExpr digit = position.floorDiv(stride);
      indices[d] = stride * from[d] == sizeFrom ? digit : digit % from[d];
    }
  }
  addOperandMap(space, context, indices);
  return space;
}

// --- transpose ---

LogicalResult TransposeOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type>& types) {
  Dims permutation = adaptor.getPermutation();
  int64_t rank = rankOf(adaptor.getOperand());
  if (failed(checkCount(location, "nacre.transpose", "dims", permutation, rank)) ||
      failed(checkDims(location, "nacre.transpose", "dims", permutation, rank)))
    return failure();
  types.push_back(withShape(typeOf(adaptor.getOperand()), sizesAt(shapeOf(adaptor.getOperand()), permutation)));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  Dims permutation = getPermutation();
  if (llvm::equal(permutation, iotaDims(permutation.size()))) return getOperand();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand()))
    return splat.resizeSplat(typeOf(getResult()));
  if (auto first = getOperand().getDefiningOp<TransposeOp>()) {
    setPermutation(sizesAt(first.getPermutation(), permutation));
    setOperand(first.getOperand());
    return getResult();
  }
  return {};
}

LogicalResult TransposeOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.assign({b.transpose(tangents[0], getPermutation())});
  return success();
}

LogicalResult TransposeOp::transpose(Builder& b, ArrayRef<Value>, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value>& results) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [i, d] : llvm::enumerate(getPermutation())) inverse[d] = i;
  results.assign({b.transpose(cotangents[0], inverse)});
  return success();
}

LogicalResult TransposeOp::batch(Builder& b, int64_t, ArrayRef<Value> operands, ArrayRef<bool>,
                                 SmallVectorImpl<Value>& results) {
  results.assign({b.transpose(operands[0], withFrontShifted(0, getPermutation()))});
  return success();
}

FailureOr<IterationSpace> TransposeOp::iterationSpace() {
  IterationSpace space = spaceOfResult(getResult());
  SmallVector<AffineExpr> indices(getPermutation().size());
  for (auto [i, d] : llvm::enumerate(getPermutation())) indices[d] = getAffineDimExpr(i, getContext());
  addOperandMap(space, getContext(), indices);
  return space;
}

// --- reverse ---

LogicalResult ReverseOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type>& types) {
  if (failed(checkDims(location, "nacre.reverse", "dims", adaptor.getDimensions(), rankOf(adaptor.getOperand()))))
    return failure();
  types.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult ReverseOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.assign({b.make<ReverseOp>(tangents[0], getDimensions())});
  return success();
}

LogicalResult ReverseOp::transpose(Builder& b, ArrayRef<Value>, ArrayRef<Value> cotangents,
                                   SmallVectorImpl<Value>& results) {
  results.assign({b.make<ReverseOp>(cotangents[0], getDimensions())});
  return success();
}

LogicalResult ReverseOp::batch(Builder& b, int64_t, ArrayRef<Value> operands, ArrayRef<bool>,
                               SmallVectorImpl<Value>& results) {
  results.assign({b.make<ReverseOp>(operands[0], shifted(getDimensions()))});
  return success();
}

FailureOr<IterationSpace> ReverseOp::iterationSpace() {
  IterationSpace space = spaceOfResult(getResult());
  SmallVector<AffineExpr> indices;
  for (auto [d, size] : llvm::enumerate(shapeOf(getResult()))) {
    AffineExpr index = getAffineDimExpr(d, getContext());
    indices.push_back(llvm::is_contained(getDimensions(), d) ? size - 1 - index : index);
  }
  addOperandMap(space, getContext(), indices);
  return space;
}

}  // namespace nacre::ir
