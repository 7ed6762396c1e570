// Mathematical functions as LLVM dialect ops on scalars or vectors of f32 and f64.
//
// f32 is computed with our own polynomials, without branches (except for the rare slow paths of large angles); all
// finite inputs, both zeros, infinities, NaN and denormals are right. codegen/cpu/math/math_test.cc measures the
// largest errors and holds them below its bounds, which are within those of docs/ops.md. f64 calls the C library lane
// by lane (logistic, cbrt and erf_inv correct its results).
//
// General sources: J.-M. Muller, "Elementary Functions", 3rd ed., 2016; W. Cody, W. Waite, "Software Manual for the
// Elementary Functions", 1980. Polynomials without another source were fitted by us (codegen/cpu/math/fit.py).
#pragma once
#include <optional>

#include "codegen/cpu/emit.h"
#include "llvm/ADT/StringRef.h"

namespace nacre::cpu::math {

enum class Function {
  exp,
  expm1,
  log,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  logistic,
  erf,
  erfc,
  erfInv,
  sqrt,
  rsqrt,
  cbrt,
  pow
};

// By the mnemonic of the nacre op: "exponential", "log", ...
std::optional<Function> functionOf(llvm::StringRef mnemonic);

// All operands have the result's type.
Value emit(Emit& e, Function f, ValueRange operands);

}  // namespace nacre::cpu::math
