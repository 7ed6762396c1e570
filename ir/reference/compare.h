// Whether two arrays agree, and a readable account of where they do not.
//
// Units in the last place count the numbers of the type between two values. Any NaN equals any NaN and nothing else.
// Where a tolerance is zero the values must be the same number with the same sign, so +0 and -0 differ.
#pragma once
#include <span>
#include <string>

#include "ir/reference/host_value.h"

namespace nacre::ir {

struct Tolerance {
  double ulps = 0;
  // For sums and products: |got - want| may also be this many units in the last place of 1, times a magnitude given for
  // each element (the sum of the absolute values of what is added).
  double scaledUlps = 0;
};

struct Comparison {
  int64_t mismatches = 0;
  double worstUlps = 0;  // over all elements that are not NaN, also those within the tolerance
  // Empty when all agree; else a line for each of the first mismatches:
  // "nacre.add float32[2, 3] at [1, 2]: got 1.5, want 1.25 (2097152 ulp)".
  std::string report;
  bool ok() const { return mismatches == 0; }
};

// Distance in units in the last place; infinity is next to the largest number. Neither may be NaN.
double ulpDistance(float a, float b);
double ulpDistance(double a, double b);
double ulpDistance(BFloat16 a, BFloat16 b);

// `what` starts each line of the report. `magnitude` is empty or has one number an element. Arrays of different type
// are one mismatch.
Comparison compareValues(const HostValue& got, const HostValue& want, const Tolerance& tolerance,
                         const std::string& what, std::span<const float> magnitude = {});

// "float32[2, 3]", with NumPy's names of the element types.
std::string describeType(mlir::RankedTensorType type);
// An element as text that tells it from every other value of its type.
std::string describeElement(const HostValue& v, int64_t position);

}  // namespace nacre::ir
