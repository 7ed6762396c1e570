// slice, pad, concatenate.
#include "ir/rules/common.h"

using namespace mlir;
using namespace nacre::ir::detail;

namespace nacre::ir {

// --- slice ---

LogicalResult SliceOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type>& types) {
  constexpr StringLiteral name = "nacre.slice";
  Dims shape = shapeOf(adaptor.getOperand()), start = adaptor.getStartIndices(), limit = adaptor.getLimitIndices(),
       strides = adaptor.getStrides();
  int64_t rank = shape.size();
  if (failed(checkCount(location, name, "start", start, rank)) ||
      failed(checkCount(location, name, "limit", limit, rank)) ||
      failed(checkCount(location, name, "strides", strides, rank)))
    return failure();
  SmallVector<int64_t> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    if (start[d] < 0 || start[d] > limit[d] || limit[d] > shape[d])
      return emitOptionalError(location, name, ": operand has shape ", text(shape), " but dimension ", d,
                               " is cut from ", start[d], " to ", limit[d], "; need 0 <= start <= limit <= ", shape[d]);
    if (strides[d] < 1)
      return emitOptionalError(location, name, ": strides = ", text(strides), " has ", strides[d],
                               "; strides are at least 1 (nacre.reverse turns a dimension round)");
    sizes.push_back(llvm::divideCeil(limit[d] - start[d], strides[d]));
  }
  types.push_back(withShape(typeOf(adaptor.getOperand()), sizes));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && llvm::all_of(getStartIndices(), [](int64_t s) { return s == 0; }) &&
      llvm::all_of(getStrides(), [](int64_t s) { return s == 1; }))
    return getOperand();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand()))
    return splat.resizeSplat(typeOf(getResult()));
  return {};
}

LogicalResult SliceOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.assign({b.slice(tangents[0], getStartIndices(), getLimitIndices(), getStrides())});
  return success();
}

// Zeros where the slice skipped elements.
LogicalResult SliceOp::transpose(Builder& b, ArrayRef<Value>, ArrayRef<Value> cotangents,
                                 SmallVectorImpl<Value>& results) {
  SmallVector<int64_t> high, interior;
  for (auto [dim, size, start, stride] :
       llvm::zip_equal(shapeOf(getOperand()), shapeOf(getResult()), getStartIndices(), getStrides())) {
    high.push_back(dim - start - (size == 0 ? 0 : (size - 1) * stride + 1));
    interior.push_back(stride - 1);
  }
  Value zero = b.zeros(withShape(typeOf(getResult()), {}));
  results.assign({b.pad(cotangents[0], zero, getStartIndices(), high, interior)});
  return success();
}

LogicalResult SliceOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool>,
                             SmallVectorImpl<Value>& results) {
  results.assign({b.slice(operands[0], withFront(0, getStartIndices()), withFront(size, getLimitIndices()),
                          withFront(1, getStrides()))});
  return success();
}

FailureOr<IterationSpace> SliceOp::iterationSpace() {
  IterationSpace space = spaceOfResult(getResult());
  SmallVector<AffineExpr> indices;
  for (auto [d, start, stride] : llvm::enumerate(getStartIndices(), getStrides()))
    indices.push_back(getAffineDimExpr(d, getContext()) * stride + start);
  addOperandMap(space, getContext(), indices);
  return space;
}

// --- pad ---

LogicalResult PadOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type>& types) {
  constexpr StringLiteral name = "nacre.pad";
  RankedTensorType type = typeOf(adaptor.getOperand()), scalar = typeOf(adaptor.getPaddingValue());
  Dims shape = type.getShape(), low = adaptor.getEdgePaddingLow(), high = adaptor.getEdgePaddingHigh(),
       interior = adaptor.getInteriorPadding();
  int64_t rank = shape.size();
  if (scalar.getRank() != 0 || scalar.getElementType() != type.getElementType())
    return emitOptionalError(location, name, ": padding_value has type ", scalar, " but the operand has type ", type,
                             "; the padding value must be a scalar of the same element type");
  if (failed(checkCount(location, name, "low", low, rank)) || failed(checkCount(location, name, "high", high, rank)) ||
      failed(checkCount(location, name, "interior", interior, rank)))
    return failure();
  SmallVector<int64_t> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    if (interior[d] < 0)
      return emitOptionalError(location, name, ": interior = ", text(interior),
                               " must not be negative; nacre.slice with strides removes elements");
    sizes.push_back(low[d] + high[d] + shape[d] + std::max<int64_t>(shape[d] - 1, 0) * interior[d]);
    if (sizes[d] < 0)
      return emitOptionalError(location, name, ": operand has shape ", text(shape), ", and low = ", text(low),
                               ", high = ", text(high), " leave dimension ", d, " with size ", sizes[d],
                               "; remove fewer elements");
  }
  types.push_back(withShape(type, sizes));
  return success();
}

LogicalResult PadOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.assign(
      {b.pad(orZeros(b, tangents[0], getOperand().getType()), orZeros(b, tangents[1], getPaddingValue().getType()),
             getEdgePaddingLow(), getEdgePaddingHigh(), getInteriorPadding())});
  return success();
}

// True where the result of `pad` is padding.
static Value paddingMask(Builder& b, PadOp pad) {
  Type boolean = b.ops.getI1Type();
  return b.pad(b.constant(withElement(typeOf(pad.getOperand()), boolean), 0),
               b.constant(withElement(typeOf(pad.getPaddingValue()), boolean), 1), pad.getEdgePaddingLow(),
               pad.getEdgePaddingHigh(), pad.getInteriorPadding());
}

// Operand: pads by the opposite amounts, which also puts zeros for elements that negative padding removed, then drops
// the interior. Padding value: the sum over all places that hold it.
LogicalResult PadOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                               SmallVectorImpl<Value>& results) {
  results.assign(2, nullptr);
  if (!operands[0]) {
    auto negated = [](Dims dims) { return llvm::map_to_vector(dims, [](int64_t d) { return -d; }); };
    Value zero = b.zeros(withShape(typeOf(getResult()), {}));
    SmallVector<int64_t> none(rankOf(getResult()), 0);
    Value dense = b.pad(cotangents[0], zero, negated(getEdgePaddingLow()), negated(getEdgePaddingHigh()), none);
    results[0] = b.slice(dense, none, shapeOf(dense), shifted(getInteriorPadding()));
  }
  if (!operands[1]) {
    Value kept = b.select(paddingMask(b, *this), cotangents[0], b.zerosLike(cotangents[0]));
    results[1] = b.reduce(CombineKind::Add, kept, iotaDims(rankOf(kept)));
  }
  return success();
}

LogicalResult PadOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool> mapped,
                           SmallVectorImpl<Value>& results) {
  auto padMapped = [&](Value padding) {
    return b.pad(asMapped(b, operands[0], mapped[0], size), padding, withFront(0, getEdgePaddingLow()),
                 withFront(0, getEdgePaddingHigh()), withFront(0, getInteriorPadding()));
  };
  if (!mapped[1]) {
    results.assign({padMapped(operands[1])});
    return success();
  }
  // One padding value per element of the batch: a pad takes a single one, so they are selected in afterwards.
  Value padded = padMapped(b.zeros(typeOf(getPaddingValue())));
  Value mask = b.broadcastLeading(paddingMask(b, *this), size);
  results.assign({b.select(mask, b.broadcastInDim(operands[1], shapeOf(padded), {0}), padded)});
  return success();
}

// --- concatenate ---

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                              SmallVectorImpl<Type>& types) {
  constexpr StringLiteral name = "nacre.concatenate";
  if (adaptor.getInputs().empty()) return emitOptionalError(location, name, ": needs at least one operand");
  RankedTensorType first = typeOf(adaptor.getInputs()[0]);
  auto dim = static_cast<int64_t>(adaptor.getDimension());
  if (failed(checkDims(location, name, "dim", {dim}, first.getRank()))) return failure();
  SmallVector<int64_t> sizes(first.getShape());
  for (auto [i, input] : llvm::enumerate(adaptor.getInputs().drop_front())) {
    RankedTensorType type = typeOf(input);
    if (type.getElementType() != first.getElementType())
      return emitOptionalError(location, name, ": operand ", i + 1, " has element type ", type.getElementType(),
                               " but operand 0 has ", first.getElementType(), "; convert one to the other first");
    bool agree = type.getRank() == first.getRank();
    for (int64_t d = 0; agree && d < type.getRank(); ++d) agree = d == dim || type.getDimSize(d) == first.getDimSize(d);
    if (!agree)
      return emitOptionalError(location, name, ": operand ", i + 1, " has shape ", text(type.getShape()),
                               " but operand 0 has ", text(first.getShape()), "; all dimensions except dimension ", dim,
                               " must agree");
    sizes[dim] += type.getDimSize(dim);
  }
  types.push_back(withShape(first, sizes));
  return success();
}

LogicalResult ConcatenateOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  SmallVector<Value> all;
  for (auto [input, tangent] : llvm::zip_equal(getInputs(), tangents))
    all.push_back(orZeros(b, tangent, input.getType()));
  results.assign({b.concatenate(all, getDimension())});
  return success();
}

LogicalResult ConcatenateOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                                       SmallVectorImpl<Value>& results) {
  results.assign(operands.size(), nullptr);
  SmallVector<int64_t> start(rankOf(getResult()), 0), limit(shapeOf(getResult()));
  uint64_t dim = getDimension();
  limit[dim] = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    start[dim] = limit[dim];
    limit[dim] += shapeOf(input)[dim];
    if (!operands[i]) results[i] = b.slice(cotangents[0], start, limit);
  }
  return success();
}

LogicalResult ConcatenateOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool> mapped,
                                   SmallVectorImpl<Value>& results) {
  SmallVector<Value> all;
  for (auto [operand, isMapped] : llvm::zip_equal(operands, mapped))
    all.push_back(asMapped(b, operand, isMapped, size));
  results.assign({b.concatenate(all, getDimension() + 1)});
  return success();
}

}  // namespace nacre::ir
