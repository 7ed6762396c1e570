#include "codegen/cpu/lowering.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nacre::cpu {

using namespace mlir;

Value Lowering::affineValue(AffineExpr expr, ValueRange dims, ValueRange symbols) {
  if (auto c = dyn_cast<AffineConstantExpr>(expr)) return e.index(c.getValue());
  if (auto d = dyn_cast<AffineDimExpr>(expr)) return dims[d.getPosition()];
  if (auto s = dyn_cast<AffineSymbolExpr>(expr)) return symbols[s.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value x = affineValue(binary.getLHS(), dims, symbols);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (constant && expr.getKind() == AffineExprKind::Add) return e.add(x, constant.getValue());
  if (constant && expr.getKind() == AffineExprKind::Mul) return e.mul(x, constant.getValue());
  Value y = affineValue(binary.getRHS(), dims, symbols);
  if (Emit::lanesOf(x.getType()) != Emit::lanesOf(y.getType()))
    Emit::lanesOf(x.getType()) ? y = e.splatLike(y, x.getType()) : x = e.splatLike(x, y.getType());
  // Division rounds towards minus infinity; divisors are positive.
  auto floorDiv = [&](Value n, Value d) {
    Value isNegative = e.icmp(ICmpPredicate::slt, n, int64_t(0));
    // Both numerators are non-negative, which makes the division by a constant cheap: -1 - n is ~n.
    Value q = e.udiv(e.select(isNegative, e.not_(n), n), d);
    return e.select(isNegative, e.not_(q), q);
  };
  switch (expr.getKind()) {
    case AffineExprKind::Add: return e.add(x, y);
    case AffineExprKind::Mul: return e.mul(x, y);
    case AffineExprKind::FloorDiv: return floorDiv(x, y);
    case AffineExprKind::Mod: return e.sub(x, e.mul(floorDiv(x, y), y));
    default: return e.sub(e.integer(x, 0), floorDiv(e.sub(e.integer(x, 0), x), y));  // ceildiv
  }
}

namespace {

ICmpPredicate predicateOf(arith::CmpIPredicate p) {
  switch (p) {
    case arith::CmpIPredicate::eq: return ICmpPredicate::eq;
    case arith::CmpIPredicate::ne: return ICmpPredicate::ne;
    case arith::CmpIPredicate::slt: return ICmpPredicate::slt;
    case arith::CmpIPredicate::sle: return ICmpPredicate::sle;
    case arith::CmpIPredicate::sgt: return ICmpPredicate::sgt;
    case arith::CmpIPredicate::sge: return ICmpPredicate::sge;
    case arith::CmpIPredicate::ult: return ICmpPredicate::ult;
    case arith::CmpIPredicate::ule: return ICmpPredicate::ule;
    case arith::CmpIPredicate::ugt: return ICmpPredicate::ugt;
    case arith::CmpIPredicate::uge: return ICmpPredicate::uge;
  }
  return ICmpPredicate::eq;
}

}  // namespace

LogicalResult Lowering::lowerIndexOp(Operation* op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex()) return failure();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<IntegerAttr>(constant.getValue());
    if (!value) return failure();
    set(constant, e.integer(lower(constant.getType()), value.getValue().getSExtValue()));
    return success();
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<Value> operands = get(apply.getMapOperands());
    AffineMap map = apply.getAffineMap();
    set(apply, affineValue(map.getResult(0), ValueRange(operands).take_front(map.getNumDims()),
                           ValueRange(operands).drop_front(map.getNumDims())));
    return success();
  }
  auto extremum = [&](AffineMap map, ValueRange mapOperands, bool isMin) {
    SmallVector<Value> operands = get(mapOperands);
    Value best;
    for (AffineExpr r : map.getResults()) {
      Value v = affineValue(r, ValueRange(operands).take_front(map.getNumDims()),
                            ValueRange(operands).drop_front(map.getNumDims()));
      best = !best ? v : isMin ? e.smin(best, v) : e.smax(best, v);
    }
    set(op->getResult(0), best);
    return success();
  };
  if (auto min = dyn_cast<affine::AffineMinOp>(op)) return extremum(min.getMap(), min.getOperands(), true);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op)) return extremum(max.getMap(), max.getOperands(), false);

  for (Value v : op->getOperands())
    if (!v.getType().isIntOrIndex()) return failure();
  SmallVector<Value> v = get(op->getOperands());
  Value result = llvm::TypeSwitch<Operation*, Value>(op)
                     .Case([&](arith::AddIOp) { return e.add(v[0], v[1]); })
                     .Case([&](arith::SubIOp) { return e.sub(v[0], v[1]); })
                     .Case([&](arith::MulIOp) { return e.mul(v[0], v[1]); })
                     .Case([&](arith::DivSIOp) { return e.sdiv(v[0], v[1]); })
                     .Case([&](arith::DivUIOp) { return e.udiv(v[0], v[1]); })
                     .Case([&](arith::RemSIOp) { return e.srem(v[0], v[1]); })
                     .Case([&](arith::RemUIOp) { return e.urem(v[0], v[1]); })
                     .Case([&](arith::MinSIOp) { return e.smin(v[0], v[1]); })
                     .Case([&](arith::MaxSIOp) { return e.smax(v[0], v[1]); })
                     .Case([&](arith::MinUIOp) { return e.umin(v[0], v[1]); })
                     .Case([&](arith::MaxUIOp) { return e.umax(v[0], v[1]); })
                     .Case([&](arith::AndIOp) { return e.and_(v[0], v[1]); })
                     .Case([&](arith::OrIOp) { return e.or_(v[0], v[1]); })
                     .Case([&](arith::XOrIOp) { return e.xor_(v[0], v[1]); })
                     .Case([&](arith::SelectOp) { return e.select(v[0], v[1], v[2]); })
                     .Case([&](arith::CmpIOp cmp) { return e.icmp(predicateOf(cmp.getPredicate()), v[0], v[1]); })
                     .Case([&](arith::IndexCastOp cast) { return e.intCast(v[0], lower(cast.getType()), true); })
                     .Case([&](arith::IndexCastUIOp cast) { return e.intCast(v[0], lower(cast.getType()), false); })
                     .Case([&](arith::ExtUIOp cast) { return e.intCast(v[0], lower(cast.getType()), false); })
                     .Case([&](arith::ExtSIOp cast) { return e.intCast(v[0], lower(cast.getType()), true); })
                     .Case([&](arith::TruncIOp cast) { return e.intCast(v[0], lower(cast.getType()), false); })
                     .Default([](Operation*) { return Value(); });
  if (!result) return failure();
  set(op->getResult(0), result);
  return success();
}

}  // namespace nacre::cpu
