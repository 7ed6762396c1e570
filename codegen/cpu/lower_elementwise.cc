#include "codegen/cpu/lowering.h"
#include "codegen/cpu/math/math.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nacre::cpu {

using namespace mlir;

namespace {

Type elementOfTile(Value tile) { return cast<RankedTensorType>(tile.getType()).getElementType(); }

// A divisor that is one number in every lane, neither 0 nor -1: LLVM turns the division into a multiplication.
bool isSafeDivisor(Value tile) {
  if (auto splat = tile.getDefiningOp<tile::SplatOp>()) tile = splat.getScalar();
  DenseElementsAttr value;
  if (auto constant = tile.getDefiningOp<ir::ConstantOp>()) value = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!value || !value.isSplat() || !isa<IntegerType>(value.getElementType())) return false;
  APInt v = value.getSplatValue<APInt>();
  return !v.isZero() && !(v.isAllOnes() && !isUnsigned(value.getElementType()));
}

FCmpPredicate floatPredicate(ir::ComparisonDirection d) {
  switch (d) {
    case ir::ComparisonDirection::EQ: return FCmpPredicate::oeq;
    case ir::ComparisonDirection::NE: return FCmpPredicate::une;
    case ir::ComparisonDirection::GE: return FCmpPredicate::oge;
    case ir::ComparisonDirection::GT: return FCmpPredicate::ogt;
    case ir::ComparisonDirection::LE: return FCmpPredicate::ole;
    case ir::ComparisonDirection::LT: return FCmpPredicate::olt;
  }
  return FCmpPredicate::oeq;
}

ICmpPredicate integerPredicate(ir::ComparisonDirection d, bool isSigned) {
  switch (d) {
    case ir::ComparisonDirection::EQ: return ICmpPredicate::eq;
    case ir::ComparisonDirection::NE: return ICmpPredicate::ne;
    case ir::ComparisonDirection::GE: return isSigned ? ICmpPredicate::sge : ICmpPredicate::uge;
    case ir::ComparisonDirection::GT: return isSigned ? ICmpPredicate::sgt : ICmpPredicate::ugt;
    case ir::ComparisonDirection::LE: return isSigned ? ICmpPredicate::sle : ICmpPredicate::ule;
    case ir::ComparisonDirection::LT: return isSigned ? ICmpPredicate::slt : ICmpPredicate::ult;
  }
  return ICmpPredicate::eq;
}

// 1 for a positive, -1 for a negative value; zeros and NaN stay.
Value signOf(Emit& e, Value x) {
  Value keep = e.fcmp(FCmpPredicate::ueq, x, 0.0);
  return e.select(keep, x, e.copysign(e.constant(x, 1), x));
}

// Half of the value's neighbours are ties: trunc(|x| + the largest number below 1/2) with the sign of x.
Value roundAwayFromZero(Emit& e, Value x) {
  double half = Emit::widthOf(x.getType()) == 32 ? 0x1.fffffep-2 : 0x1.fffffffffffffp-2;
  Value rounded = e.trunc(e.fadd(e.fabs(x), half));
  return e.copysign(rounded, x);
}

}  // namespace

Value Lowering::constantTile(ir::ConstantOp op) {
  auto attr = cast<DenseElementsAttr>(op.getValue());
  Type type = lower(op.getType()), element = Emit::elementOf(type);
  auto bitsOf = [&](Attribute a) {
    if (auto f = dyn_cast<FloatAttr>(a)) return f.getValue().bitcastToAPInt();
    return cast<IntegerAttr>(a).getValue();
  };
  if (attr.isSplat() || !Emit::lanesOf(type)) {
    APInt bits = bitsOf(*attr.value_begin<Attribute>());
    if (isa<FloatType>(element)) return e.floatBits(type, bits.getZExtValue());
    return e.integer(type, bits.getSExtValue());
  }
  auto bitsType = cast<VectorType>(e.bitsTypeOf(type));
  SmallVector<APInt> values = llvm::map_to_vector(attr.getValues<Attribute>(), bitsOf);
  Value bits = llvmir::ConstantOp::create(builder_, e.loc, bitsType, DenseElementsAttr::get(bitsType, values));
  return e.bitcast(bits, element);
}

// f32 and f64. Null: no such op.
Value Lowering::floatOp(Operation* op, ValueRange v) {
  if (std::optional<math::Function> f = math::functionOf(op->getName().stripDialect())) return math::emit(e, *f, v);
  return llvm::TypeSwitch<Operation*, Value>(op)
      .Case([&](ir::FloorOp) { return e.floor(v[0]); })
      .Case([&](ir::CeilOp) { return e.ceil(v[0]); })
      .Case([&](ir::RoundNearestEvenOp) { return e.roundEven(v[0]); })
      .Case([&](ir::RoundNearestAfzOp) { return roundAwayFromZero(e, v[0]); })
      .Case([&](ir::AbsOp) { return e.fabs(v[0]); })
      .Case([&](ir::NegOp) { return e.fneg(v[0]); })
      .Case([&](ir::SignOp) { return signOf(e, v[0]); })
      .Case([&](ir::IsFiniteOp) {
        // |x| < inf is false for NaN.
        return e.fcmp(FCmpPredicate::olt, e.fabs(v[0]), std::numeric_limits<double>::infinity());
      })
      .Case([&](ir::AddOp) { return e.fadd(v[0], v[1]); })
      .Case([&](ir::SubOp) { return e.fsub(v[0], v[1]); })
      .Case([&](ir::MulOp) { return e.fmul(v[0], v[1]); })
      .Case([&](ir::DivOp) { return e.fdiv(v[0], v[1]); })
      .Case([&](ir::RemOp) { return e.libm(Emit::widthOf(v[0].getType()) == 32 ? "fmodf" : "fmod", v); })
      .Case([&](ir::MaxOp) { return e.maximum(v[0], v[1]); })
      .Case([&](ir::MinOp) { return e.minimum(v[0], v[1]); })
      .Case([&](ir::ClampOp) { return e.minimum(e.maximum(v[1], v[0]), v[2]); })
      .Case([&](ir::CompareOp c) { return e.fcmp(floatPredicate(c.getDirection()), v[0], v[1]); })
      .Default([](Operation*) { return Value(); });
}

Value Lowering::integerOp(Operation* op, ValueRange v, Type element) {
  bool isSigned = !isUnsigned(element);
  auto max = [&](Value x, Value y) { return isSigned ? e.smax(x, y) : e.umax(x, y); };
  auto min = [&](Value x, Value y) { return isSigned ? e.smin(x, y) : e.umin(x, y); };
  Value zero = e.integer(v[0], 0);
  return llvm::TypeSwitch<Operation*, Value>(op)
      .Case([&](ir::AbsOp) { return isSigned ? e.smax(v[0], e.sub(zero, v[0])) : v[0]; })
      .Case([&](ir::NegOp) { return e.sub(zero, v[0]); })
      .Case([&](ir::SignOp) {
        Value one = e.integer(v[0], 1);
        return isSigned ? e.smax(e.smin(v[0], one), e.integer(v[0], -1)) : e.umin(v[0], one);
      })
      .Case([&](ir::NotOp) { return e.not_(v[0]); })
      .Case([&](ir::PopcntOp) { return llvmir::CtPopOp::create(builder_, e.loc, v[0]); })
      .Case(
          [&](ir::ClzOp) { return llvmir::CountLeadingZerosOp::create(builder_, e.loc, v[0].getType(), v[0], false); })
      .Case([&](ir::AddOp) { return e.add(v[0], v[1]); })
      .Case([&](ir::SubOp) { return e.sub(v[0], v[1]); })
      .Case([&](ir::MulOp) { return e.mul(v[0], v[1]); })
      .Case([&](ir::DivOp d) { return integerDivide(e, v[0], v[1], isSigned, isSafeDivisor(d.getRhs())); })
      .Case([&](ir::RemOp r) { return integerRemainder(e, v[0], v[1], isSigned, isSafeDivisor(r.getRhs())); })
      .Case([&](ir::PowOp) { return integerPower(e, v[0], v[1], isSigned); })
      .Case([&](ir::MaxOp) { return max(v[0], v[1]); })
      .Case([&](ir::MinOp) { return min(v[0], v[1]); })
      .Case([&](ir::ClampOp) { return min(max(v[1], v[0]), v[2]); })
      .Case([&](ir::AndOp) { return e.and_(v[0], v[1]); })
      .Case([&](ir::OrOp) { return e.or_(v[0], v[1]); })
      .Case([&](ir::XorOp) { return e.xor_(v[0], v[1]); })
      .Case([&](ir::ShiftLeftOp) { return shiftBits(e, Shift::left, v[0], v[1]); })
      .Case([&](ir::ShiftRightLogicalOp) { return shiftBits(e, Shift::rightLogical, v[0], v[1]); })
      .Case([&](ir::ShiftRightArithmeticOp) { return shiftBits(e, Shift::rightArithmetic, v[0], v[1]); })
      .Case([&](ir::CompareOp c) { return e.icmp(integerPredicate(c.getDirection(), isSigned), v[0], v[1]); })
      .Default([](Operation*) { return Value(); });
}

Value Lowering::predicateOp(Operation* op, ValueRange v) {
  return llvm::TypeSwitch<Operation*, Value>(op)
      .Case([&](ir::NotOp) { return e.not_(v[0]); })
      .Case<ir::AddOp, ir::OrOp, ir::MaxOp>([&](auto) { return e.or_(v[0], v[1]); })
      .Case<ir::MulOp, ir::AndOp, ir::MinOp>([&](auto) { return e.and_(v[0], v[1]); })
      .Case([&](ir::XorOp) { return e.xor_(v[0], v[1]); })
      .Case([&](ir::CompareOp c) { return e.icmp(integerPredicate(c.getDirection(), false), v[0], v[1]); })
      .Default([](Operation*) { return Value(); });
}

LogicalResult Lowering::lowerElementwise(Operation* op) {
  if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    if (!isa<DenseElementsAttr>(constant.getValue())) return op->emitOpError("has values that are not dense");
    set(constant, constantTile(constant));
    return success();
  }
  if (auto iota = dyn_cast<ir::IotaOp>(op)) {
    Type element = elementOfTile(iota), lanes = e.like(lower(iota.getType()), builder_.getI64Type());
    if (!Emit::lanesOf(lanes)) return op->emitOpError("needs lanes");
    set(iota, convertElement(e, e.iota(lanes), builder_.getI64Type(), element));
    return success();
  }
  SmallVector<Value> v = get(op->getOperands());
  if (auto random = dyn_cast<ir::Threefry2x32Op>(op)) {
    auto [y0, y1] = threefry2x32(e, v[0], v[1], v[2], v[3]);
    set(random.getY0(), y0);
    set(random.getY1(), y1);
    return success();
  }
  if (op->getNumResults() != 1 || v.empty()) return op->emitOpError("has no CPU lowering on tiles");
  Value result = op->getResult(0);
  Type type = lower(result.getType()), element = elementOfTile(op->getOperand(0));
  Value lowered;
  if (auto select = dyn_cast<ir::SelectOp>(op)) {
    lowered = e.select(v[0], v[1], v[2]);
  } else if (isa<ir::StopGradientOp>(op)) {
    lowered = v[0];
  } else if (isa<ir::ConvertOp>(op)) {
    lowered = convertElement(e, v[0], element, elementOfTile(result));
  } else if (isa<ir::BitcastConvertOp>(op)) {
    if (Emit::widthOf(type) == Emit::widthOf(v[0].getType())) lowered = e.bitcast(v[0], Emit::elementOf(type));
  } else if (isa<ir::BroadcastInDimOp, ir::ReshapeOp>(op)) {
    if (type == v[0].getType())
      lowered = v[0];
    else if (!Emit::lanesOf(v[0].getType()))
      lowered = e.splatLike(v[0], type);
  } else if (element.isInteger(1)) {
    lowered = predicateOp(op, v);
  } else if (isa<IntegerType>(element)) {
    lowered = integerOp(op, v, element);
  } else if (isa<ir::AbsOp, ir::NegOp>(op) && element.isBF16()) {
    lowered = isa<ir::AbsOp>(op) ? e.and_(v[0], 0x7fff) : e.xor_(v[0], 0x8000);
  } else if (element.isBF16()) {
    for (Value& operand : v) operand = bf16ToF32(e, operand);
    lowered = floatOp(op, v);
    if (lowered && elementOfTile(result).isBF16()) lowered = f32ToBf16(e, lowered);
  } else {
    lowered = floatOp(op, v);
  }
  if (!lowered || lowered.getType() != type) return op->emitOpError("has no CPU lowering on tiles");
  set(result, lowered);
  return success();
}

}  // namespace nacre::cpu
