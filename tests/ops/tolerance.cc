#include "tests/ops/tolerance.h"

#include "llvm/ADT/StringSwitch.h"

namespace nacre::tests {

ir::Tolerance interpreterTolerance(llvm::StringRef op) {
  return llvm::StringSwitch<ir::Tolerance>(op)
      .Cases({"nacre.exponential", "nacre.exponential_minus_one",
              "nacre.log",         "nacre.log_plus_one",
              "nacre.sine",        "nacre.cosine",
              "nacre.tan",         "nacre.asin",
              "nacre.acos",        "nacre.atan",
              "nacre.sinh",        "nacre.cosh",
              "nacre.tanh",        "nacre.asinh",
              "nacre.acosh",       "nacre.atanh",
              "nacre.logistic",    "nacre.erf",
              "nacre.erfc",        "nacre.erf_inv",
              "nacre.rsqrt",       "nacre.cbrt",
              "nacre.power",       "nacre.atan2"},
             {1, 0})
      .Cases({"nacre.reduce", "nacre.dot_general"}, {1, 0.001})
      .Default({});
}

}  // namespace nacre::tests
