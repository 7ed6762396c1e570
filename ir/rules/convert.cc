// Changes of element type.
#include "ir/builder.h"

using namespace mlir;

namespace nacre::ir {

LogicalResult ConvertOp::verify() {
  if (shapeOf(getOperand()) == shapeOf(getResult())) return success();
  return emitOpError("changes the shape from ")
         << getOperand().getType() << " to " << getResult().getType() << "; it may only change the element type";
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return getOperand().getType() == getResult().getType() ? OpFoldResult(getOperand()) : OpFoldResult();
}

LogicalResult ConvertOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Type element = elementOf(getResult());
  results.push_back(isFloat(element) ? b.convert(tangents[0], element) : Value());
  return success();
}

LogicalResult ConvertOp::transpose(Builder& b, ArrayRef<Value>, ArrayRef<Value> cotangents,
                                   SmallVectorImpl<Value>& results) {
  results.push_back(b.convert(cotangents[0], elementOf(getOperand())));
  return success();
}

LogicalResult BitcastConvertOp::verify() {
  unsigned from = elementOf(getOperand()).getIntOrFloatBitWidth(), to = elementOf(getResult()).getIntOrFloatBitWidth();
  SmallVector<int64_t> in(shapeOf(getOperand())), out(shapeOf(getResult()));
  if (from > to) in.push_back(from / to);
  if (from < to) out.push_back(to / from);
  if (in == out) return success();
  return emitOpError("from ")
         << getOperand().getType() << " to " << getResult().getType()
         << ": a narrower result needs, and a wider one consumes, a last dimension of the ratio of "
            "the widths";
}

LogicalResult BitcastConvertOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool>,
                                      SmallVectorImpl<Value>& results) {
  results.push_back(BitcastConvertOp::create(b.ops, b.loc, withLeading(typeOf(getResult()), size), operands[0]));
  return success();
}

FailureOr<IterationSpace> BitcastConvertOp::iterationSpace() {
  // Only for equal widths is it elementwise.
  if (shapeOf(getOperand()) != shapeOf(getResult())) return failure();
  IterationSpace space;
  for (auto [i, size] : llvm::enumerate(shapeOf(getResult())))
    space.factors.push_back({"d" + std::to_string(i), size, FactorKind::parallel});
  AffineMap identity = AffineMap::getMultiDimIdentityMap(rankOf(getResult()), getContext());
  space.operandMaps.push_back(identity);
  space.resultMaps.push_back(identity);
  return space;
}

}  // namespace nacre::ir
