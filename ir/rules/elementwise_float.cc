// Derivatives of floating-point functions of one operand. x: operand, y: result, t: tangent of x.
#include <cmath>
#include <numbers>

#include "ir/builder.h"

using namespace mlir;

namespace nacre::ir {

// One line per function: the tangent as an expression of b, x, y and t.
#define NACRE_JVP(OpClass, expression)                                                                \
  LogicalResult OpClass::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) { \
    [[maybe_unused]] Value x = getOperand(), y = getResult(), t = tangents[0];                        \
    [[maybe_unused]] auto c = [&](double value) { return b.constantLike(x, value); };                 \
    results.push_back(expression);                                                                    \
    return success();                                                                                 \
  }

NACRE_JVP(ExpOp, b.mul(t, y))
NACRE_JVP(Expm1Op, b.mul(t, b.add(y, c(1))))
NACRE_JVP(LogOp, b.div(t, x))
NACRE_JVP(Log1pOp, b.div(t, b.add(x, c(1))))
NACRE_JVP(SinOp, b.mul(t, b.make<CosOp>(x)))
NACRE_JVP(CosOp, b.mul(t, b.neg(b.make<SinOp>(x))))
NACRE_JVP(TanOp, b.mul(t, b.add(c(1), b.mul(y, y))))
NACRE_JVP(AsinOp, b.mul(t, b.make<RsqrtOp>(b.sub(c(1), b.mul(x, x)))))
NACRE_JVP(AcosOp, b.mul(t, b.neg(b.make<RsqrtOp>(b.sub(c(1), b.mul(x, x))))))
NACRE_JVP(AtanOp, b.div(t, b.add(c(1), b.mul(x, x))))
NACRE_JVP(SinhOp, b.mul(t, b.make<CoshOp>(x)))
NACRE_JVP(CoshOp, b.mul(t, b.make<SinhOp>(x)))
// 1 - y^2 as (1 + y)(1 - y), which keeps its precision where tanh saturates.
NACRE_JVP(TanhOp, b.mul(t, b.mul(b.add(c(1), y), b.sub(c(1), y))))
NACRE_JVP(AsinhOp, b.mul(t, b.make<RsqrtOp>(b.add(b.mul(x, x), c(1)))))
NACRE_JVP(AcoshOp, b.mul(t, b.make<RsqrtOp>(b.mul(b.sub(x, c(1)), b.add(x, c(1))))))
NACRE_JVP(AtanhOp, b.div(t, b.mul(b.add(c(1), x), b.sub(c(1), x))))
NACRE_JVP(LogisticOp, b.mul(t, b.mul(y, b.sub(c(1), y))))
NACRE_JVP(ErfOp, b.mul(t, b.mul(c(2 * std::numbers::inv_sqrtpi), b.make<ExpOp>(b.neg(b.mul(x, x))))))
NACRE_JVP(ErfcOp, b.mul(t, b.mul(c(-2 * std::numbers::inv_sqrtpi), b.make<ExpOp>(b.neg(b.mul(x, x))))))
NACRE_JVP(ErfInvOp, b.mul(t, b.mul(c(0.5 / std::numbers::inv_sqrtpi), b.make<ExpOp>(b.mul(y, y)))))
NACRE_JVP(SqrtOp, b.div(t, b.add(y, y)))
NACRE_JVP(RsqrtOp, b.mul(t, b.mul(c(-0.5), b.div(y, x))))
NACRE_JVP(CbrtOp, b.div(t, b.mul(c(3), b.mul(y, y))))
NACRE_JVP(AbsOp, b.mul(t, b.make<SignOp>(x)))
NACRE_JVP(NegOp, b.neg(t))

#undef NACRE_JVP

LogicalResult NegOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                               SmallVectorImpl<Value>& results) {
  results.push_back(b.neg(cotangents[0]));
  return success();
}

}  // namespace nacre::ir
