#include "llvm/ADT/TypeSwitch.h"
#include "passes/simplify_rules.h"

using namespace mlir;

namespace nacre::passes {

using ir::Builder;

namespace {

bool isInteger(Value v) { return isa<IntegerType>(ir::elementOf(v)); }

bool isAllOnes(Value v) {
  auto splat = dyn_cast_or_null<IntegerAttr>(splatOf(v));
  return splat && splat.getValue().isAllOnes();
}

// Is no element of `v` -0? Looks through a few moves.
bool isNeverNegativeZero(Value v, int depth = 4) {
  if (auto splat = dyn_cast_or_null<FloatAttr>(splatOf(v))) return !splat.getValue().isNegZero();
  Operation* op = v.getDefiningOp();
  if (!op || depth == 0) return false;
  if (isa<ir::ExpOp, ir::AbsOp, ir::LogisticOp, ir::CoshOp, ir::ErfcOp>(op)) return true;
  if (auto convert = dyn_cast<ir::ConvertOp>(op)) return isInteger(convert.getOperand());
  if (auto mul = dyn_cast<ir::MulOp>(op)) return mul.getLhs() == mul.getRhs();
  if (auto select = dyn_cast<ir::SelectOp>(op))
    return isNeverNegativeZero(select.getOnTrue(), depth - 1) && isNeverNegativeZero(select.getOnFalse(), depth - 1);
  if (isa<ir::ReshapeOp, ir::TransposeOp, ir::BroadcastInDimOp, ir::SliceOp>(op))
    return isNeverNegativeZero(op->getOperand(0), depth - 1);
  return false;
}

// x + zero = x for every x that `v` can hold?
bool isNeutralInSum(Value zero, Value v) {
  if (isInteger(zero)) return isSplat(zero, 0);
  return isSplat(zero, 0, /*negative=*/true) || (isSplat(zero, 0) && isNeverNegativeZero(v));
}

Value simplifyAdd(ir::AddOp op, Builder& b) {
  Value x = op.getLhs(), y = op.getRhs();
  if (isNeutralInSum(y, x)) return x;
  if (isNeutralInSum(x, y)) return y;
  if (ir::elementOf(x).isInteger(1)) return nullptr;  // Booleans are neither negated nor subtracted.
  if (auto neg = y.getDefiningOp<ir::NegOp>()) return b.sub(x, neg.getOperand());
  if (auto neg = x.getDefiningOp<ir::NegOp>()) return b.sub(y, neg.getOperand());
  return nullptr;
}

Value simplifySub(ir::SubOp op, Builder& b) {
  Value x = op.getLhs(), y = op.getRhs();
  if (isSplat(y, 0)) return x;
  if (isInteger(x) && x == y) return b.zerosLike(x);
  if (auto neg = y.getDefiningOp<ir::NegOp>()) return b.add(x, neg.getOperand());
  return nullptr;
}

Value simplifyMul(ir::MulOp op, Builder& b) {
  Value x = op.getLhs(), y = op.getRhs();
  for (auto [one, other] : {std::pair(x, y), std::pair(y, x)}) {
    if (isSplat(one, 1)) return other;
    if (isInteger(one) && isSplat(one, 0)) return one;
    if (!isInteger(one) && isSplat(one, -1)) return b.neg(other);
  }
  auto negX = x.getDefiningOp<ir::NegOp>(), negY = y.getDefiningOp<ir::NegOp>();
  if (negX && negY) return b.mul(negX.getOperand(), negY.getOperand());
  return nullptr;
}

Value simplifyDiv(ir::DivOp op, Builder& b) {
  Value x = op.getLhs(), y = op.getRhs();
  if (isSplat(y, 1)) return x;
  if (isInteger(x)) return nullptr;
  if (isSplat(y, -1)) return b.neg(x);
  // The reciprocal of a power of two is exact, and then both round the same number.
  if (auto splat = dyn_cast_or_null<FloatAttr>(splatOf(y))) {
    APFloat inverse(splat.getValue().getSemantics());
    if (splat.getValue().getExactInverse(&inverse))
      return b.mul(x, splatConstant(b, ir::typeOf(y), FloatAttr::get(splat.getType(), inverse)));
  }
  return nullptr;
}

template <class Op>
Value operandOf(Value v) {
  auto op = v.getDefiningOp<Op>();
  return op ? op.getOperand() : Value();
}

template <class Op>
Value sameOperand(Op op) {
  return op.getLhs() == op.getRhs() ? op.getLhs() : Value();
}

Value simplifyAnd(ir::AndOp op) {
  for (auto [a, other] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
    if (isAllOnes(a)) return other;
    if (isSplat(a, 0)) return a;
  }
  return sameOperand(op);
}

Value simplifyOr(ir::OrOp op) {
  for (auto [a, other] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
    if (isAllOnes(a)) return a;
    if (isSplat(a, 0)) return other;
  }
  return sameOperand(op);
}

Value simplifyXor(ir::XorOp op, Builder& b) {
  if (op.getLhs() == op.getRhs()) return b.zerosLike(op.getLhs());
  if (isSplat(op.getLhs(), 0)) return op.getRhs();
  return isSplat(op.getRhs(), 0) ? op.getLhs() : Value();
}

// Shifts by nothing.
template <class Op>
Value simplifyShift(Op op) {
  return isSplat(op.getRhs(), 0) ? op.getLhs() : Value();
}

}  // namespace

Value simplifyArithmetic(Operation* op, Builder& b) {
  return llvm::TypeSwitch<Operation*, Value>(op)
      .Case([&](ir::AddOp o) { return simplifyAdd(o, b); })
      .Case([&](ir::SubOp o) { return simplifySub(o, b); })
      .Case([&](ir::MulOp o) { return simplifyMul(o, b); })
      .Case([&](ir::DivOp o) { return simplifyDiv(o, b); })
      .Case([&](ir::NegOp o) { return operandOf<ir::NegOp>(o.getOperand()); })
      .Case([&](ir::NotOp o) { return operandOf<ir::NotOp>(o.getOperand()); })
      .Case([&](ir::MaxOp o) { return sameOperand(o); })
      .Case([&](ir::MinOp o) { return sameOperand(o); })
      .Case([&](ir::AndOp o) { return simplifyAnd(o); })
      .Case([&](ir::OrOp o) { return simplifyOr(o); })
      .Case([&](ir::XorOp o) { return simplifyXor(o, b); })
      .Case([&](ir::ShiftLeftOp o) { return simplifyShift(o); })
      .Case([&](ir::ShiftRightLogicalOp o) { return simplifyShift(o); })
      .Case([&](ir::ShiftRightArithmeticOp o) { return simplifyShift(o); })
      .Default(Value());
}

}  // namespace nacre::passes
