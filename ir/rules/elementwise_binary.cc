// Derivatives of elementwise ops of two and three operands.
#include "ir/builder.h"

using namespace mlir;

namespace nacre::ir {

namespace {

Value mulOrNull(Builder& b, Value tangent, Value factor) { return tangent ? b.mul(tangent, factor) : Value(); }
Value negOrNull(Builder& b, Value v) { return v ? b.neg(v) : Value(); }

// 1 where only `chosen` is the extreme value, 1/2 where both operands are, 0 elsewhere: JAX's convention for ties.
Value shareOfExtreme(Builder& b, Value chosen, Value other, Value extreme) {
  Value one = b.constantLike(chosen, 1), zero = b.zerosLike(chosen), half = b.constantLike(chosen, 0.5);
  Value isChosen = b.compare(ComparisonDirection::EQ, chosen, extreme);
  Value isTie = b.compare(ComparisonDirection::EQ, other, extreme);
  return b.select(isChosen, b.select(isTie, half, one), zero);
}

template <class Op>
LogicalResult extremeJvp(Op op, Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Value sum;
  if (tangents[0]) sum = b.mul(tangents[0], shareOfExtreme(b, op.getLhs(), op.getRhs(), op.getResult()));
  if (tangents[1])
    sum = b.addOrNull(sum, b.mul(tangents[1], shareOfExtreme(b, op.getRhs(), op.getLhs(), op.getResult())));
  results.push_back(sum);
  return success();
}

}  // namespace

LogicalResult AddOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.push_back(b.addOrNull(tangents[0], tangents[1]));
  return success();
}

LogicalResult AddOp::transpose(Builder&, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                               SmallVectorImpl<Value>& results) {
  for (Value operand : operands) results.push_back(operand ? Value() : cotangents[0]);
  return success();
}

LogicalResult SubOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  if (tangents[0] && tangents[1])
    results.push_back(b.sub(tangents[0], tangents[1]));
  else
    results.push_back(tangents[0] ? tangents[0] : negOrNull(b, tangents[1]));
  return success();
}

LogicalResult SubOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                               SmallVectorImpl<Value>& results) {
  results.push_back(operands[0] ? Value() : cotangents[0]);
  results.push_back(operands[1] ? Value() : b.neg(cotangents[0]));
  return success();
}

LogicalResult MulOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.push_back(b.addOrNull(mulOrNull(b, tangents[0], getRhs()), mulOrNull(b, tangents[1], getLhs())));
  return success();
}

LogicalResult MulOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                               SmallVectorImpl<Value>& results) {
  if (!operands[0] && !operands[1]) return emitOpError("cannot be transposed: it is linear in one operand at a time");
  results.push_back(operands[0] ? Value() : b.mul(cotangents[0], operands[1]));
  results.push_back(operands[1] ? Value() : b.mul(cotangents[0], operands[0]));
  return success();
}

LogicalResult DivOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Value byNumerator = tangents[0] ? b.div(tangents[0], getRhs()) : Value();
  Value byDenominator = tangents[1] ? b.mul(tangents[1], b.neg(b.div(getResult(), getRhs()))) : Value();
  results.push_back(b.addOrNull(byNumerator, byDenominator));
  return success();
}

LogicalResult DivOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                               SmallVectorImpl<Value>& results) {
  if (!operands[1]) return emitOpError("cannot be transposed: it is not linear in the denominator");
  results.push_back(operands[0] ? Value() : b.div(cotangents[0], operands[1]));
  results.push_back(Value());
  return success();
}

LogicalResult RemOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Value byDivisor;
  if (tangents[1]) {
    Value quotient = b.div(getLhs(), getRhs());
    Value truncated = b.mul(b.make<SignOp>(quotient), b.make<FloorOp>(b.make<AbsOp>(quotient)));
    byDivisor = b.mul(tangents[1], b.neg(truncated));
  }
  results.push_back(b.addOrNull(tangents[0], byDivisor));
  return success();
}

LogicalResult PowOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Value x = getLhs(), y = getRhs(), sum;
  Value zero = b.zerosLike(x), one = b.constantLike(x, 1);
  if (tangents[0]) {
    // y x^(y-1), and 0 for y = 0 also where x = 0.
    Value constant = b.compare(ComparisonDirection::EQ, y, zero);
    Value power = b.make<PowOp>(x, b.select(constant, one, b.sub(y, one)));
    sum = b.mul(tangents[0], b.select(constant, zero, b.mul(y, power)));
  }
  if (tangents[1]) {
    // x^y log x, and 0 where x = 0.
    Value logX = b.make<LogOp>(b.select(b.compare(ComparisonDirection::EQ, x, zero), one, x));
    sum = b.addOrNull(sum, b.mul(tangents[1], b.mul(logX, getResult())));
  }
  results.push_back(sum);
  return success();
}

LogicalResult Atan2Op::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Value y = getLhs(), x = getRhs(), squares = b.add(b.mul(x, x), b.mul(y, y));
  results.push_back(
      b.addOrNull(mulOrNull(b, tangents[0], b.div(x, squares)), mulOrNull(b, tangents[1], b.div(b.neg(y), squares))));
  return success();
}

LogicalResult MaxOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  return extremeJvp(*this, b, tangents, results);
}

LogicalResult MinOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  return extremeJvp(*this, b, tangents, results);
}

LogicalResult ClampOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Value low = getMin(), x = getOperand(), high = getMax(), zero = b.zerosLike(x), sum;
  // Where low > high the result is high.
  Value below =
      b.make<AndOp>(b.compare(ComparisonDirection::GT, low, x), b.compare(ComparisonDirection::LT, low, high));
  Value above = b.compare(ComparisonDirection::LT, high, b.make<MaxOp>(x, low));
  if (tangents[0]) sum = b.select(below, tangents[0], zero);
  if (tangents[1]) {
    Value inside =
        b.make<AndOp>(b.compare(ComparisonDirection::GT, x, low), b.compare(ComparisonDirection::LT, x, high));
    sum = b.addOrNull(sum, b.select(inside, tangents[1], zero));
  }
  if (tangents[2]) sum = b.addOrNull(sum, b.select(above, tangents[2], zero));
  results.push_back(sum);
  return success();
}

LogicalResult SelectOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Value zero = b.zerosLike(getResult());
  results.push_back(b.select(getPred(), tangents[1] ? tangents[1] : zero, tangents[2] ? tangents[2] : zero));
  return success();
}

LogicalResult SelectOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                                  SmallVectorImpl<Value>& results) {
  Value ct = cotangents[0], zero = b.zerosLike(ct);
  results.push_back(Value());
  results.push_back(operands[1] ? Value() : b.select(operands[0], ct, zero));
  results.push_back(operands[2] ? Value() : b.select(operands[0], zero, ct));
  return success();
}

}  // namespace nacre::ir
