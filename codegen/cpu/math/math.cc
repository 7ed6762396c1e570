#include "codegen/cpu/math/math.h"

#include <limits>

#include "codegen/cpu/math/core.h"
#include "llvm/ADT/StringSwitch.h"

namespace nacre::cpu::math {

std::optional<Function> functionOf(llvm::StringRef mnemonic) {
  return llvm::StringSwitch<std::optional<Function>>(mnemonic)
      .Case("exponential", Function::exp)
      .Case("exponential_minus_one", Function::expm1)
      .Case("log", Function::log)
      .Case("log_plus_one", Function::log1p)
      .Case("sine", Function::sin)
      .Case("cosine", Function::cos)
      .Case("tan", Function::tan)
      .Case("asin", Function::asin)
      .Case("acos", Function::acos)
      .Case("atan", Function::atan)
      .Case("atan2", Function::atan2)
      .Case("sinh", Function::sinh)
      .Case("cosh", Function::cosh)
      .Case("tanh", Function::tanh)
      .Case("asinh", Function::asinh)
      .Case("acosh", Function::acosh)
      .Case("atanh", Function::atanh)
      .Case("logistic", Function::logistic)
      .Case("erf", Function::erf)
      .Case("erfc", Function::erfc)
      .Case("erf_inv", Function::erfInv)
      .Case("sqrt", Function::sqrt)
      .Case("rsqrt", Function::rsqrt)
      .Case("cbrt", Function::cbrt)
      .Case("power", Function::pow)
      .Default(std::nullopt);
}

namespace {

const char* libmName(Function f) {
  switch (f) {
    case Function::exp: return "exp";
    case Function::expm1: return "expm1";
    case Function::log: return "log";
    case Function::log1p: return "log1p";
    case Function::sin: return "sin";
    case Function::cos: return "cos";
    case Function::tan: return "tan";
    case Function::asin: return "asin";
    case Function::acos: return "acos";
    case Function::atan: return "atan";
    case Function::atan2: return "atan2";
    case Function::sinh: return "sinh";
    case Function::cosh: return "cosh";
    case Function::tanh: return "tanh";
    case Function::asinh: return "asinh";
    case Function::acosh: return "acosh";
    case Function::atanh: return "atanh";
    case Function::erf: return "erf";
    case Function::erfc: return "erfc";
    case Function::cbrt: return "cbrt";
    case Function::pow: return "pow";
    default: return nullptr;
  }
}

// 1 / (1 + e^-x) by the C library's exp, without overflow. The sum's rounding error is taken back.
Value logisticF64(Emit& e, Value x) {
  Value z = e.libm("exp", e.fneg(e.fabs(x))), one = e.constant(x, 1), sum = e.fadd(one, z);
  Value lost = e.fsub(z, e.fsub(sum, one));
  Value quotient = e.fdiv(e.select(e.fcmp(FCmpPredicate::olt, x, 0.0), z, one), sum);
  return e.fma(e.fneg(quotient), e.fdiv(lost, sum), quotient);
}

// The C library's cbrt (3 ulp) and a step of Newton's iteration with the residual y^3 - x computed exactly enough.
Value cbrtF64(Emit& e, Value x) {
  Value y = e.libm("cbrt", x), square = e.fmul(y, y);
  Value rest = e.fmul(e.fma(y, y, e.fneg(square)), y);
  Value residual = e.fadd(e.fma(square, y, e.fneg(x)), rest);
  Value better = e.fsub(y, e.fdiv(residual, e.fmul(square, 3)));
  // Not for zeros, infinities and NaN.
  Value regular = e.fcmp(FCmpPredicate::olt, e.fabs(e.fsub(better, y)), e.fabs(y));
  return e.select(regular, better, y);
}

// sine (shift 0) or cosine (shift 1): the quadrant chooses the polynomial and the sign.
Value sinOrCos(Emit& e, Value x, int64_t shift) {
  Reduced angle = reduceAngle(e, x);
  Value quadrant = e.add(angle.quadrant, shift);
  Value odd = e.icmp(ICmpPredicate::ne, e.and_(quadrant, 1), int64_t(0));
  Value negative = e.icmp(ICmpPredicate::ne, e.and_(quadrant, 2), int64_t(0));
  Value v = e.select(odd, cosCore(e, angle.rest), sinCore(e, angle.rest));
  v = e.fptrunc(e.select(negative, e.fneg(v), v), Emit::elementOf(x));
  // inf - inf is the NaN of an infinite angle.
  return e.select(e.fcmp(FCmpPredicate::ueq, e.fabs(x), std::numeric_limits<double>::infinity()), e.fsub(x, x), v);
}

Value tanF32(Emit& e, Value x) {
  Reduced angle = reduceAngle(e, x);
  Value odd = e.icmp(ICmpPredicate::ne, e.and_(angle.quadrant, 1), int64_t(0));
  Value sin = sinCore(e, angle.rest), cos = cosCore(e, angle.rest);
  Value v = e.fdiv(e.select(odd, e.fneg(cos), sin), e.select(odd, sin, cos));
  v = e.fptrunc(v, Emit::elementOf(x));
  return e.select(e.fcmp(FCmpPredicate::ueq, e.fabs(x), std::numeric_limits<double>::infinity()), e.fsub(x, x), v);
}

Value sinhF32(Emit& e, Value x) {
  return throughF64(e, x, [&](Value v) {
    Value t = expm1Core(e, e.fabs(v));
    // (t + t / (t + 1)) / 2, which is infinity where t is.
    return e.copysign(e.fmul(e.fadd(t, e.fdiv(t, e.fadd(t, 1))), 0.5), v);
  });
}

Value coshF32(Emit& e, Value x) {
  return throughF64(e, x, [&](Value v) {
    Value t = expCore(e, e.fabs(v));
    return e.fmul(e.fadd(t, e.fdiv(e.constant(t, 1), t)), 0.5);
  });
}

// sign(x) log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))
Value asinhF32(Emit& e, Value x) {
  return throughF64(e, x, [&](Value v) {
    Value a = e.fabs(v), square = e.fmul(a, a), one = e.constant(a, 1);
    Value t = e.fadd(a, e.fdiv(square, e.fadd(one, e.sqrt(e.fadd(one, square)))));
    Value infinite = e.fcmp(FCmpPredicate::oeq, a, std::numeric_limits<double>::infinity());
    return e.copysign(e.select(infinite, a, log1pCore(e, t)), v);
  });
}

// log1p(t + sqrt(2 t + t^2)), t = x - 1; NaN below 1.
Value acoshF32(Emit& e, Value x) {
  return throughF64(e, x, [&](Value v) {
    Value t = e.fsub(v, 1);
    Value r = log1pCore(e, e.fadd(t, e.sqrt(e.fma(t, t, e.fmul(t, 2)))));
    return e.select(e.fcmp(FCmpPredicate::olt, v, 1.0), e.constant(v, std::numeric_limits<double>::quiet_NaN()), r);
  });
}

// log1p(2 x / (1 - x)) / 2 on |x|
Value atanhF32(Emit& e, Value x) {
  return throughF64(e, x, [&](Value v) {
    Value a = e.fabs(v);
    Value t = e.fdiv(e.fmul(a, 2), e.fsub(e.constant(a, 1), a));
    return e.copysign(e.fmul(log1pCore(e, t), 0.5), v);
  });
}

// sqrt((1 - x) (1 + x)): exact factors, NaN outside [-1, 1].
Value otherLeg(Emit& e, Value v) {
  Value one = e.constant(v, 1);
  return e.sqrt(e.fmul(e.fsub(one, v), e.fadd(one, v)));
}

Value emitF32(Emit& e, Function f, ValueRange v) {
  Value x = v[0];
  auto through = [&](auto g) { return throughF64(e, x, g); };
  switch (f) {
    case Function::exp: return expF32(e, x);
    case Function::expm1: return keepZero(e, x, through([&](Value w) { return expm1Core(e, w); }));
    case Function::log: return logF32(e, x);
    case Function::log1p: return keepZero(e, x, through([&](Value w) { return log1pCore(e, w); }));
    case Function::sin: return keepZero(e, x, sinOrCos(e, x, 0));
    case Function::cos: return sinOrCos(e, x, 1);
    case Function::tan: return keepZero(e, x, tanF32(e, x));
    case Function::asin: return keepZero(e, x, through([&](Value w) { return atan2Core(e, w, otherLeg(e, w)); }));
    case Function::acos: return through([&](Value w) { return atan2Core(e, otherLeg(e, w), w); });
    case Function::atan: return keepZero(e, x, through([&](Value w) { return atan2Core(e, w, e.constant(w, 1)); }));
    case Function::atan2: {
      Type f64 = e.b.getF64Type();
      return e.fptrunc(atan2Core(e, e.fpext(x, f64), e.fpext(v[1], f64)), e.b.getF32Type());
    }
    case Function::sinh: return keepZero(e, x, sinhF32(e, x));
    case Function::cosh: return coshF32(e, x);
    case Function::tanh: return tanhF32(e, x);
    case Function::asinh: return keepZero(e, x, asinhF32(e, x));
    case Function::acosh: return acoshF32(e, x);
    case Function::atanh: return keepZero(e, x, atanhF32(e, x));
    case Function::logistic: return logisticF32(e, x);
    case Function::erf: return erfF32(e, x);
    case Function::erfc: return erfcF32(e, x);
    case Function::erfInv: return erfInvF32(e, x);
    case Function::cbrt:
      return keepZero(
          e, x, through([&](Value w) { return e.copysign(expCore(e, e.fmul(logCore(e, e.fabs(w)), 1.0 / 3)), w); }));
    case Function::pow: return powF32(e, x, v[1]);
    default: return {};
  }
}

}  // namespace

Value emit(Emit& e, Function f, ValueRange v) {
  if (f == Function::sqrt) return e.sqrt(v[0]);
  if (f == Function::rsqrt) return e.fdiv(e.constant(v[0], 1), e.sqrt(v[0]));
  if (Emit::widthOf(v[0].getType()) == 32) return emitF32(e, f, v);
  if (f == Function::logistic) return logisticF64(e, v[0]);
  if (f == Function::cbrt) return cbrtF64(e, v[0]);
  if (f == Function::erfInv) return erfInvF64(e, v[0]);
  return e.libm(libmName(f), v);
}

}  // namespace nacre::cpu::math
