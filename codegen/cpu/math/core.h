// f64 building blocks with a relative error of about 2^-36 to 2^-50: what f32 functions need so that the one rounding
// to f32 decides the error. Arguments and results stay in f64; values come from f32, so products and squares do not
// overflow, and denormals of f32 are normal numbers here.
#pragma once
#include "codegen/cpu/emit.h"

namespace nacre::cpu::math {

// e^x for x clamped to +-700, which rounds to 0 or infinity in f32.
Value expCore(Emit& e, Value x);
// e^x - 1, accurate near 0.
Value expm1Core(Emit& e, Value x);
// Natural logarithm; -inf at 0, NaN below.
Value logCore(Emit& e, Value x);
Value log1pCore(Emit& e, Value x);
// Angle of (y, x), all quadrants, zeros and infinities.
Value atan2Core(Emit& e, Value y, Value x);

// An angle x of f32 (as f32) as a quadrant number (i64) and a rest in f64, |rest| <= pi/4.
struct Reduced {
  Value quadrant, rest;
};
Reduced reduceAngle(Emit& e, Value x);
// Polynomials for |r| <= pi/4.
Value sinCore(Emit& e, Value r);
Value cosCore(Emit& e, Value r);

// The nearest integer to x as f64 and as i64, |x| < 2^51.
struct Rounded {
  Value value, integer;
};
Rounded roundToInteger(Emit& e, Value x);

// f(f64(x)) as f32.
template <class F>
Value throughF64(Emit& e, Value x, F f) {
  return e.fptrunc(f(e.fpext(x, e.b.getF64Type())), Emit::elementOf(x));
}
// For odd functions: x where x is zero, which keeps -0.
inline Value keepZero(Emit& e, Value x, Value result) {
  return e.select(e.fcmp(FCmpPredicate::oeq, x, 0.0), x, result);
}

// --- f32, fast ---
Value expF32(Emit& e, Value x);
// For |x| <= 80: without the care for denormal results.
Value expBoundedF32(Emit& e, Value x);
// e^x - 1 for |x| <= 80, accurate near 0.
Value expm1BoundedF32(Emit& e, Value x);
Value logF32(Emit& e, Value x);
Value tanhF32(Emit& e, Value x);
Value logisticF32(Emit& e, Value x);
Value erfF32(Emit& e, Value x);
// --- f32, by f64 ---
Value erfcF32(Emit& e, Value x);
Value erfInvF32(Emit& e, Value x);
Value powF32(Emit& e, Value x, Value y);
// --- f64, by the C library's erf and erfc ---
Value erfInvF64(Emit& e, Value x);

}  // namespace nacre::cpu::math
