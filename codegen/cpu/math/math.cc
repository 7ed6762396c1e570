#include "codegen/cpu/math/math.h"

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

}  // namespace

Value emit(Emit& e, Function f, ValueRange v) {
  bool isF32 = Emit::widthOf(v[0].getType()) == 32;
  switch (f) {
    case Function::sqrt: return e.sqrt(v[0]);
    case Function::rsqrt: return e.fdiv(e.constant(v[0], 1), e.sqrt(v[0]));
    case Function::logistic: {
      Value z = emit(e, Function::exp, e.fneg(e.fabs(v[0])));
      Value one = e.constant(v[0], 1);
      return e.fdiv(e.select(e.fcmp(FCmpPredicate::olt, v[0], 0.0), z, one), e.fadd(one, z));
    }
    case Function::erfInv: return v[0];
    default: return e.libm(std::string(libmName(f)) + (isF32 ? "f" : ""), v);
  }
}

}  // namespace nacre::cpu::math
