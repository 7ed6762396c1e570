#include "ir/reference/element_types.h"

namespace nacre::ir {

namespace {

// The neighbour in float with an odd last bit, unless the value is exact: a second rounding to fewer bits then gives
// what one rounding would have (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
float roundToOdd(long double value) {
  float nearest = static_cast<float>(value);
  if (std::isnan(value) || nearest == value || (std::bit_cast<uint32_t>(nearest) & 1)) return nearest;
  const float infinity = std::numeric_limits<float>::infinity();
  return std::nextafter(nearest, value > nearest ? infinity : -infinity);
}

}  // namespace

uint16_t bfloat16Bits(long double value) {
  uint32_t bits = std::bit_cast<uint32_t>(roundToOdd(value));
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);  // quiet, and never an infinity
  bits += 0x7fff + ((bits >> 16) & 1);
  return static_cast<uint16_t>(bits >> 16);
}

}  // namespace nacre::ir
