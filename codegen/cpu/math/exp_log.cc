#include <limits>

#include "codegen/cpu/math/core.h"

namespace nacre::cpu::math {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kLog2E = 0x1.71547652b82fep+0;
static constexpr double kLn2High = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;

// Adding 1.5 * 2^52 leaves the integer in the low bits of the sum.
Rounded roundToInteger(Emit& e, Value x) {
  Value shifted = e.fadd(x, 0x1.8p52);
  return {e.fsub(shifted, 0x1.8p52), e.sub(e.toBits(shifted), int64_t(0x4338000000000000))};
}

namespace {

struct ExpParts {
  Value power;  // 2^n
  Value rest;   // e^r - 1
};

// x = n ln 2 + r. e^r - 1 = r + r^2 q(r), q by Remez' algorithm on |r| <= ln(2)/2; error 2^-51.
ExpParts expParts(Emit& e, Value x) {
  Rounded n = roundToInteger(e, e.fmul(x, kLog2E));
  Value r = e.fma(n.value, -kLn2High, x);
  r = e.fma(n.value, -kLn2Low, r);
  Value q = e.polynomialEstrin(
      r, {0x1.ffffffffffed0p-2, 0x1.5555555550711p-3, 0x1.55555555894c3p-5, 0x1.11111125d7c5ap-7, 0x1.6c16c0c7f2181p-10,
          0x1.a0198cd1a9155p-13, 0x1.a01b7b7698851p-16, 0x1.72e9b570fd66bp-19, 0x1.2709abc5b00fcp-22});
  Value power = e.bitcast(e.shl(e.add(n.integer, 1023), 52), Emit::elementOf(x));
  return {power, e.fma(e.fmul(r, r), q, r)};
}

// NaN passes through both.
Value clamp(Emit& e, Value x, double low, double high) {
  return e.fastMin(e.constant(x, high), e.fastMax(e.constant(x, low), x));
}

}  // namespace

Value expCore(Emit& e, Value x) {
  ExpParts p = expParts(e, clamp(e, x, -700, 700));
  return e.fma(p.power, p.rest, p.power);
}

Value expm1Core(Emit& e, Value x) {
  ExpParts p = expParts(e, clamp(e, x, -700, 700));
  return e.fma(p.power, p.rest, e.fsub(p.power, 1));
}

// x = 2^n m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m - 1) / (m + 1).
Value logCore(Emit& e, Value x) {
  Type f64 = Emit::elementOf(x);
  Value bits = e.toBits(x);
  Value n = e.ashr(e.sub(bits, int64_t(0x3fe6a09e667f3bcd)), 52);
  Value f = e.fsub(e.bitcast(e.sub(bits, e.shl(n, 52)), f64), 1);
  Value s = e.fdiv(f, e.fadd(f, 2)), z = e.fmul(s, s);
  Value r =
      e.polynomialEstrin(z, {0x1.5555555555555p-1, 0x1.9999999999e0ep-2, 0x1.249249242a0c9p-2, 0x1.c71c725a6af28p-3,
                             0x1.745cddc2d83ffp-3, 0x1.3b20bf433fe07p-3, 0x1.0f5b0aa0d8a52p-3, 0x1.0f7300025d3b3p-3});
  Value result = e.fmul(s, e.fma(z, r, 2));
  result = e.fma(e.sitofp(n, f64), kLn2High, result);
  Value outside = e.select(e.fcmp(FCmpPredicate::oeq, x, 0.0), e.constant(x, -kInfinity),
                           e.constant(x, std::numeric_limits<double>::quiet_NaN()));
  result = e.select(e.fcmp(FCmpPredicate::ogt, x, 0.0), result, outside);
  return e.select(e.fcmp(FCmpPredicate::ueq, x, kInfinity), x, result);
}

// log(u) + (x - (u - 1)) / u with u = 1 + x rounded: the second term is what the rounding lost.
Value log1pCore(Emit& e, Value x) {
  Value u = e.fadd(x, 1), log = logCore(e, u);
  Value lost = e.fdiv(e.fsub(x, e.fsub(u, 1)), u);
  Value regular = e.and_(e.fcmp(FCmpPredicate::ogt, u, 0.0), e.fcmp(FCmpPredicate::olt, u, kInfinity));
  return e.select(regular, e.fadd(log, lost), log);
}

namespace {

// 2^n for n in [-126, 127], as the exponent bits of an f32.
Value powerOfTwoF32(Emit& e, Value n) { return e.bitcast(e.shl(e.add(n, 127), 23), e.b.getF32Type()); }

// x = n ln 2 + r. e^r - 1 for |r| <= ln(2)/2 and a little: r + r^2 q(r), q by Remez' algorithm; error 2^-28.
struct ExpF32Parts {
  Value rest, n;
};
ExpF32Parts expF32Parts(Emit& e, Value x) {
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  Value shifted = e.fma(x, kLog2E, e.constant(x, 0x1.8p23));
  Value n = e.fsub(shifted, 0x1.8p23);
  Value r = e.fma(n, -0x1.62e400p-1, x);
  r = e.fma(n, -0x1.7f7d1cp-20, r);
  Value q = e.polynomial(r, {0x1.fffffcp-2, 0x1.55549p-3, 0x1.5558fap-5, 0x1.123ba4p-7, 0x1.6a2318p-10});
  return {e.fma(e.fmul(r, r), q, r), e.sub(e.toBits(shifted), 0x4b400000)};
}

}  // namespace

Value expBoundedF32(Emit& e, Value x) {
  auto [rest, n] = expF32Parts(e, x);
  return e.fmul(e.fadd(rest, 1), powerOfTwoF32(e, n));
}

Value expm1BoundedF32(Emit& e, Value x) {
  auto [rest, n] = expF32Parts(e, x);
  Value power = powerOfTwoF32(e, n);
  return e.fma(power, rest, e.fsub(power, 1));
}

Value expF32(Emit& e, Value x) {
  auto [rest, n] = expF32Parts(e, clamp(e, x, -104.5, 89.5));
  // In two factors: the first product is exact, the second rounds once, also to a denormal or to infinity.
  Value half = e.ashr(n, 1);
  return e.fmul(e.fmul(e.fadd(rest, 1), powerOfTwoF32(e, half)), powerOfTwoF32(e, e.sub(n, half)));
}

// x = 2^n (1 + f); log(1 + f) = f - f^2/2 + f^3 p(f), p by Remez' algorithm on [sqrt(1/2) - 1, sqrt(2) - 1];
// relative error 2^-30.
Value logF32(Emit& e, Value x) {
  Type f32 = Emit::elementOf(x);
  Value tiny = e.fcmp(FCmpPredicate::olt, x, 0x1p-126);
  Value bits = e.toBits(e.select(tiny, e.fmul(x, 0x1p23), x));
  Value n = e.ashr(e.sub(bits, int64_t(0x3f3504f3)), 23);
  Value f = e.fsub(e.bitcast(e.sub(bits, e.shl(n, 23)), f32), 1);
  Value scale = e.sitofp(e.select(tiny, e.sub(n, 23), n), f32);
  Value p = e.polynomial(f, {0x1.555548p-2, -0x1.000006p-2, 0x1.99a4cap-3, -0x1.555c54p-3, 0x1.2335a2p-3,
                             -0x1.fc1e46p-4, 0x1.e7091ep-4, -0x1.de609ap-4, 0x1.144b7ap-4});
  Value f2 = e.fmul(f, f);
  Value t = e.fma(scale, 0x1.7f7d1cp-20, e.fmul(e.fmul(f, f2), p));
  t = e.fadd(e.fma(f2, -0.5, t), f);
  Value result = e.fma(scale, 0x1.62e4p-1, t);
  Value outside = e.select(e.fcmp(FCmpPredicate::oeq, x, 0.0), e.constant(x, -kInfinity),
                           e.constant(x, std::numeric_limits<double>::quiet_NaN()));
  result = e.select(e.fcmp(FCmpPredicate::ogt, x, 0.0), result, outside);
  return e.select(e.fcmp(FCmpPredicate::ueq, x, kInfinity), x, result);
}

// e^(y log|x|) in f64, then the sign and the special cases of C99 (F.10.4.4).
Value powF32(Emit& e, Value x, Value y) {
  Type f64 = e.b.getF64Type(), f32 = Emit::elementOf(x);
  Value magnitude = e.fabs(x), one = e.constant(x, 1);
  Value log = logCore(e, e.fpext(magnitude, f64));
  Value result = e.fptrunc(expCore(e, e.fmul(e.fpext(y, f64), log)), f32);
  // |x| = 1: 0 * inf is NaN, but any power of 1 is 1; NaN as y passes unless x is 1.
  Value isUnit = e.fcmp(FCmpPredicate::oeq, magnitude, 1.0);
  result = e.select(isUnit, e.select(e.isNan(y), y, one), result);
  Value isInteger = e.fcmp(FCmpPredicate::oeq, e.trunc(y), y);
  Value half = e.fmul(y, 0.5);
  Value isOdd = e.and_(isInteger, e.fcmp(FCmpPredicate::une, e.trunc(half), half));
  Value isNegative = e.icmp(ICmpPredicate::slt, e.toBits(x), int64_t(0));
  result = e.select(e.and_(isNegative, isOdd), e.fneg(result), result);
  Value finiteNegative = e.and_(e.fcmp(FCmpPredicate::olt, x, 0.0), e.fcmp(FCmpPredicate::ogt, x, -kInfinity));
  Value noRoot = e.and_(finiteNegative, e.fcmp(FCmpPredicate::one, e.trunc(y), y));
  result = e.select(noRoot, e.constant(x, std::numeric_limits<double>::quiet_NaN()), result);
  Value always = e.or_(e.fcmp(FCmpPredicate::oeq, y, 0.0), e.fcmp(FCmpPredicate::oeq, x, 1.0));
  return e.select(always, one, result);
}

}  // namespace nacre::cpu::math
