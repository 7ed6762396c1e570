#include "codegen/cpu/lowering.h"

namespace nacre::cpu {

using namespace mlir;

bool isUnsigned(Type element) { return element.isUnsignedInteger(); }

Value bf16ToF32(Emit& e, Value bits) {
  Value wide = e.shl(e.intCast(bits, e.intType(32), false), 16);
  return e.bitcast(wide, e.b.getF32Type());
}

// Adds half of the last kept place, minus one if that place is even, and cuts. A carry out of the mantissa increments
// the exponent, up to infinity. NaN is kept apart, since the carry could turn it into infinity or zero. (The AVX-512
// instruction for this flushes denormals.)
Value f32ToBf16(Emit& e, Value v) {
  Value bits = e.toBits(v);
  Value odd = e.and_(e.lshr(bits, 16), 1);
  Value rounded = e.lshr(e.add(bits, e.add(odd, 0x7fff)), 16);
  Value quietNan = e.or_(e.lshr(bits, 16), 0x40);
  return e.intCast(e.select(e.isNan(v), quietNan, rounded), e.intType(16), false);
}

// f64 -> f32 rounded to odd, so that a second rounding (to bf16) gives what one rounding would: if inexact, the last
// bit of the result is set. S. Boldo, G. Melquiond, "When double rounding is odd", 2005.
static Value f64ToF32Odd(Emit& e, Value v) {
  Value f = e.fptrunc(v, e.b.getF32Type());
  Value back = e.fpext(f, e.b.getF64Type());
  Value bits = e.toBits(f);
  Value away = e.fcmp(FCmpPredicate::ogt, e.fabs(back), e.fabs(v));
  Value inexact = e.fcmp(FCmpPredicate::one, back, v);
  Value even = e.icmp(ICmpPredicate::eq, e.and_(bits, 1), int64_t(0));
  Value neighbour = e.select(away, e.sub(bits, 1), e.add(bits, 1));
  return e.bitcast(e.select(e.and_(inexact, even), neighbour, bits), e.b.getF32Type());
}

// A 64-bit integer with at most 53 significant bits: those cut off are or-ed into the last kept one.
static Value sticky53(Emit& e, Value v) {
  Value cut = e.and_(v, 0x7ff);
  Value kept = e.and_(v, ~int64_t(0x7ff));
  Value rest = e.select(e.icmp(ICmpPredicate::ne, cut, int64_t(0)), e.integer(v, 0x800), e.integer(v, 0));
  Value magnitude = e.select(e.icmp(ICmpPredicate::slt, v, int64_t(0)), e.sub(e.integer(v, 0), v), v);
  Value small = e.icmp(ICmpPredicate::ult, magnitude, int64_t(1) << 53);
  return e.select(small, v, e.or_(kept, rest));
}

// Truncates; values out of range become the nearest of the range, NaN becomes 0.
static Value saturate(Emit& e, Value v, Type to, bool toUnsigned) {
  Type type = e.like(v, to);
  StringRef name = toUnsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat";
  return llvmir::CallIntrinsicOp::create(e.b, e.loc, type, e.b.getStringAttr(name), ValueRange{v}).getResults();
}

Value convertElement(Emit& e, Value v, Type from, Type to) {
  if (from == to) return v;
  Type i1 = e.b.getI1Type(), f32 = e.b.getF32Type(), f64 = e.b.getF64Type();
  if (from.isBF16()) return convertElement(e, bf16ToF32(e, v), f32, to);
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (to.isBF16()) {
    if (from.isF32()) return f32ToBf16(e, v);
    if (from.isF64()) return f32ToBf16(e, f64ToF32Odd(e, v));
    if (from.isInteger(64)) v = sticky53(e, v);
    return f32ToBf16(e, f64ToF32Odd(e, convertElement(e, v, from, f64)));
  }
  if (to == i1) return fromFloat ? e.fcmp(FCmpPredicate::une, v, 0.0) : e.icmp(ICmpPredicate::ne, v, int64_t(0));
  bool fromSigned = !isUnsigned(from) && from != i1;
  if (toFloat && fromFloat) return to.isF64() ? e.fpext(v, to) : e.fptrunc(v, to);
  if (toFloat) return fromSigned ? e.sitofp(v, to) : e.uitofp(v, to);
  Type signless = e.intType(to.getIntOrFloatBitWidth());
  if (fromFloat) return saturate(e, v, signless, isUnsigned(to));
  return e.intCast(v, signless, fromSigned);
}

}  // namespace nacre::cpu
