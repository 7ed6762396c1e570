#include "ir/builder.h"

#include <numeric>

using namespace mlir;

namespace nacre::ir {

RankedTensorType withShape(RankedTensorType t, Dims shape) {
  return RankedTensorType::get(shape, t.getElementType(), t.getEncoding());
}

RankedTensorType withElement(RankedTensorType t, Type element) {
  return RankedTensorType::get(t.getShape(), element, t.getEncoding());
}

RankedTensorType withLeading(RankedTensorType t, int64_t size) {
  SmallVector<int64_t> shape{size};
  shape.append(t.getShape().begin(), t.getShape().end());
  return withShape(t, shape);
}

SmallVector<int64_t> iotaDims(int64_t n, int64_t start) {
  SmallVector<int64_t> dims(n);
  std::iota(dims.begin(), dims.end(), start);
  return dims;
}

bool isFloat(Type element) { return isa<FloatType>(element); }

Value Builder::constant(RankedTensorType type, double value) {
  Type element = type.getElementType();
  Attribute scalar;
  if (auto floating = dyn_cast<FloatType>(element)) {
    APFloat exact(value);
    bool lost = false;
    exact.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    scalar = FloatAttr::get(floating, exact);
  } else {
    auto integer = cast<IntegerType>(element);
    APInt bits(64, static_cast<uint64_t>(static_cast<int64_t>(value)));
    scalar = IntegerAttr::get(integer, bits.trunc(integer.getWidth()));
  }
  return ConstantOp::create(ops, loc, type, DenseElementsAttr::get(type, scalar));
}

Value Builder::iota(RankedTensorType type, int64_t dim) { return IotaOp::create(ops, loc, type, dim); }

Value Builder::convert(Value v, Type element) {
  if (elementOf(v) == element) return v;
  return ConvertOp::create(ops, loc, withElement(typeOf(v), element), v);
}

Value Builder::reshape(Value v, Dims shape) {
  if (shapeOf(v) == shape) return v;
  return ReshapeOp::create(ops, loc, withShape(typeOf(v), shape), v);
}

Value Builder::transpose(Value v, Dims permutation) {
  if (llvm::equal(permutation, iotaDims(permutation.size()))) return v;
  return make<TransposeOp>(v, permutation);
}

Value Builder::moveDim(Value v, int64_t from, int64_t to) {
  SmallVector<int64_t> order = iotaDims(rankOf(v));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return transpose(v, order);
}

Value Builder::broadcastInDim(Value v, Dims shape, Dims dims) {
  if (shapeOf(v) == shape && llvm::equal(dims, iotaDims(dims.size()))) return v;
  return BroadcastInDimOp::create(ops, loc, withShape(typeOf(v), shape), v, dims);
}

Value Builder::broadcastLeading(Value v, int64_t size) {
  RankedTensorType type = withLeading(typeOf(v), size);
  return BroadcastInDimOp::create(ops, loc, type, v, iotaDims(rankOf(v), 1));
}

Value Builder::reduce(CombineKind kind, Value v, Dims dims) {
  if (dims.empty()) return v;
  return make<ReduceOp>(kind, ValueRange{v}, dims);
}

Value Builder::slice(Value v, Dims start, Dims limit, Dims strides) {
  SmallVector<int64_t> steps(strides);
  if (steps.empty()) steps.assign(start.size(), 1);
  return make<SliceOp>(v, start, limit, steps);
}

Value Builder::pad(Value v, Value padding, Dims low, Dims high, Dims interior) {
  return make<PadOp>(v, padding, low, high, interior);
}

Value Builder::concatenate(ArrayRef<Value> values, int64_t dim) {
  if (values.size() == 1) return values[0];
  return make<ConcatenateOp>(ValueRange(values), dim);
}

Value Builder::addOrNull(Value a, Value b) {
  if (!a) return b;
  if (!b) return a;
  return add(a, b);
}

}  // namespace nacre::ir
