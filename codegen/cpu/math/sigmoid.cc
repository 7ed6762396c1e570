// tanh, logistic and the error functions.
#include <limits>

#include "codegen/cpu/math/core.h"

namespace nacre::cpu::math {

// With t = e^2|x| - 1: t / (t + 2), which keeps the accuracy of t near 0.
Value tanhF32(Emit& e, Value x) {
  Value a = e.fabs(x);
  Value t = expm1BoundedF32(e, e.fmul(e.fastMin(e.constant(a, 10), a), 2));
  return e.copysign(e.fdiv(t, e.fadd(t, 2)), x);
}

// With z = e^-|x|, which does not overflow: 1 / (1 + z), or z / (1 + z) for negative x.
Value logisticF32(Emit& e, Value x) {
  Value z = expF32(e, e.fneg(e.fabs(x))), one = e.constant(x, 1);
  return e.fdiv(e.select(e.fcmp(FCmpPredicate::olt, x, 0.0), z, one), e.fadd(z, one));
}

// Below 0.92: x + x p(x^2). Beyond: 1 - e^-g(|x|), where g fits -log(erfc). Both by Remez' algorithm.
Value erfF32(Emit& e, Value x) {
  Value a = e.fabs(x);
  Value small = e.polynomial(
      e.fmul(x, x), {0x1.06eba6p-3, -0x1.8126e8p-2, 0x1.ce1ab6p-4, -0x1.b68d5ap-6, 0x1.473d34p-8, -0x1.39fb7ep-11});
  small = e.fma(x, small, x);
  Value t = e.fastMin(e.constant(a, 4), a);
  Value g = e.polynomial(t, {-0x1.68a562p-13, 0x1.212708p+0, 0x1.444988p-1, 0x1.bb6524p-4, -0x1.9b3eb8p-6,
                             0x1.10e14ep-8, -0x1.c5ffp-12, 0x1.5fbceep-16});
  Value large = e.fsub(e.constant(x, 1), expBoundedF32(e, e.fneg(g)));
  return keepZero(e, x, e.select(e.fcmp(FCmpPredicate::olt, a, 0.92), small, e.copysign(large, x)));
}

// e^-x^2 f(u) / (1 + 2x) with u = (x - 3) / (x + 3), for x >= 0; erfc(-x) = 2 - erfc(x). The transformation is that of
// M. Shepherd, J. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", 1981; f by Remez' algorithm,
// error 2^-36.
Value erfcF32(Emit& e, Value x) {
  return throughF64(e, x, [&](Value v) {
    Value a = e.fabs(v);
    a = e.fastMin(e.constant(a, 10.3), a);
    Value u = e.fdiv(e.fsub(a, 3), e.fadd(a, 3));
    Value f =
        e.polynomialEstrin(u, {0x1.40c522d7ee8c1p+0, -0x1.15c084c56a428p-3, -0x1.85a15d3b361c7p-5, 0x1.098368d7d0e26p-3,
                               -0x1.e88b713db35e3p-4, 0x1.17c9e55c9b5d1p-4, -0x1.8577f3c21b81fp-6, 0x1.4bb75fd879fc6p-9,
                               0x1.f06411f575d39p-10, -0x1.99f5c7ffc2843p-11, -0x1.f6cd71eb33a56p-14,
                               0x1.f4d1865db901ap-14, 0x1.66c27266cad48p-16, -0x1.15e3495f05370p-18});
    Value tail = e.fdiv(e.fmul(expCore(e, e.fneg(e.fmul(a, a))), f), e.fma(a, 2.0, e.constant(a, 1)));
    return e.select(e.fcmp(FCmpPredicate::olt, v, 0.0), e.fsub(e.constant(v, 2), tail), tail);
  });
}

// M. Giles, "Approximating the erfinv function", GPU Computing Gems 2, 2011: polynomials in w = -log(1 - x^2), one
// below w = 5, one in sqrt(w). 1 - x^2 is exact in f64, as is the logarithm near |x| = 1.
Value erfInvF32(Emit& e, Value x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Value wide = e.fpext(x, e.b.getF64Type());
  Value complement = e.fsub(e.constant(wide, 1), e.fmul(wide, wide));
  Value w = e.fneg(e.fptrunc(logCore(e, complement), Emit::elementOf(x)));
  Value central = e.fcmp(FCmpPredicate::olt, w, 5.0);
  Value low = e.polynomial(e.fsub(w, 2.5), {1.50140941, 0.246640727, -0.00417768164, -0.00125372503, 0.00021858087,
                                            -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08});
  Value high = e.polynomial(e.fsub(e.sqrt(w), 3), {2.83297682, 1.00167406, 0.00943887047, -0.0076224613, 0.00573950773,
                                                   -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257});
  Value result = e.fmul(e.select(central, low, high), x);
  Value isEdge = e.fcmp(FCmpPredicate::oeq, e.fabs(x), 1.0);
  return e.select(isEdge, e.copysign(e.constant(x, kInfinity), x), result);
}

// A start with a relative error of 2e-3 (S. Winitzki, "A handy approximation for the error function and its inverse",
// 2008), then three steps of Halley's iteration, on erfc beyond 1/2, where 1 - |x| is exact.
Value erfInvF64(Emit& e, Value x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kA = 0.147, kPi = 3.14159265358979323846;
  Value a = e.fabs(x), complement = e.fsub(e.constant(a, 1), a);
  Value log = e.fadd(e.libm("log1p", e.fneg(a)), e.libm("log1p", a));
  Value half = e.fma(log, 0.5, e.constant(a, 2 / (kPi * kA)));
  Value root = e.sqrt(e.fsub(e.fmul(half, half), e.fmul(log, 1 / kA)));
  // sqrt(half^2 - log/a) - half without the cancellation near 0.
  Value y = e.sqrt(e.fdiv(e.fmul(log, -1 / kA), e.fadd(root, half)));
  Value far = e.fcmp(FCmpPredicate::ogt, a, 0.5);
  for (int i = 0; i < 3; ++i) {
    Value error = e.select(far, e.fsub(complement, e.libm("erfc", y)), e.fsub(e.libm("erf", y), a));
    Value slope = e.fmul(e.libm("exp", e.fneg(e.fmul(y, y))), 1.12837916709551257390);
    Value step = e.fdiv(error, slope);
    y = e.fsub(y, e.fdiv(step, e.fma(y, step, e.constant(y, 1))));
  }
  y = e.select(e.fcmp(FCmpPredicate::oeq, a, 1.0), e.constant(y, kInfinity), y);
  return keepZero(e, x, e.copysign(y, x));
}

}  // namespace nacre::cpu::math
