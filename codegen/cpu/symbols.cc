#include "codegen/cpu/symbols.h"

#include <cmath>
#include <cstring>

namespace nacre::cpu {

namespace {

template <class T>
void* unary(T (*f)(T)) {
  return reinterpret_cast<void*>(f);
}
template <class T>
void* binary(T (*f)(T, T)) {
  return reinterpret_cast<void*>(f);
}
template <class T>
void* ternary(T (*f)(T, T, T)) {
  return reinterpret_cast<void*>(f);
}

#define NACRE_UNARY(name) \
  {#name, unary<double>(::name)}, { #name "f", unary < float>(::name##f) }
#define NACRE_BINARY(name) \
  {#name, binary<double>(::name)}, { #name "f", binary < float>(::name##f) }

const Symbol kSymbols[] = {
    NACRE_UNARY(exp),
    NACRE_UNARY(expm1),
    NACRE_UNARY(log),
    NACRE_UNARY(log1p),
    NACRE_UNARY(sin),
    NACRE_UNARY(cos),
    NACRE_UNARY(tan),
    NACRE_UNARY(asin),
    NACRE_UNARY(acos),
    NACRE_UNARY(atan),
    NACRE_UNARY(sinh),
    NACRE_UNARY(cosh),
    NACRE_UNARY(tanh),
    NACRE_UNARY(asinh),
    NACRE_UNARY(acosh),
    NACRE_UNARY(atanh),
    NACRE_UNARY(erf),
    NACRE_UNARY(erfc),
    NACRE_UNARY(cbrt),
    // What LLVM calls on machines without the instruction.
    NACRE_UNARY(floor),
    NACRE_UNARY(ceil),
    NACRE_UNARY(trunc),
    NACRE_UNARY(round),
    NACRE_UNARY(roundeven),
    NACRE_BINARY(atan2),
    NACRE_BINARY(pow),
    NACRE_BINARY(fmod),
    {"fma", ternary<double>(::fma)},
    {"fmaf", ternary<float>(::fmaf)},
    // What LLVM makes of several calls, or of calls with certain constants.
    NACRE_UNARY(exp2),
    NACRE_UNARY(exp10),
    {"sincos", reinterpret_cast<void*>(::sincos)},
    {"sincosf", reinterpret_cast<void*>(::sincosf)},
    {"ldexp", reinterpret_cast<void*>(static_cast<double (*)(double, int)>(::ldexp))},
    {"ldexpf", reinterpret_cast<void*>(static_cast<float (*)(float, int)>(::ldexpf))},
    {"memcpy", reinterpret_cast<void*>(::memcpy)},
    {"memset", reinterpret_cast<void*>(::memset)},
    {"memmove", reinterpret_cast<void*>(::memmove)},
};

}  // namespace

llvm::ArrayRef<Symbol> kernelSymbols() { return kSymbols; }

}  // namespace nacre::cpu
