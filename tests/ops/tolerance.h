// How far a system may be from the golden value of an op.
#pragma once
#include "ir/reference/compare.h"

namespace nacre::tests {

// Integers, moves, + - * / and sqrt are exact. The interpreter computes functions of real numbers in a wider type and
// rounds once, so it may be 1 ulp off where the value lies next to the middle of two numbers; sums likewise.
ir::Tolerance interpreterTolerance(llvm::StringRef op);

}  // namespace nacre::tests
