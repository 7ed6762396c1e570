// The C++ types behind element types, and the choice among them.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "llvm/Support/ErrorHandling.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nacre::ir {

// Rounds to nearest, ties to even, once: the value need not be representable in float on the way.
uint16_t bfloat16Bits(long double value);

struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(long double value) : bits(bfloat16Bits(value)) {}
  operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

template <class T>
inline constexpr bool isFloating = std::is_floating_point_v<T> || std::is_same_v<T, BFloat16>;

// The type in which an op on T computes: bf16 ops compute in f32 and round once.
template <class T>
using ComputeType = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;

// The low bits of an integer: what arithmetic modulo 2^n leaves. For bool the lowest bit.
template <class T>
T wrapTo(uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits & 1;
  else
    return static_cast<T>(bits);
}

// The integer's bits, sign-extended to 64.
template <class T>
uint64_t extendedBits(T x) {
  return static_cast<uint64_t>(static_cast<int64_t>(x));
}

template <class T>
inline constexpr int bitWidth = std::is_same_v<T, bool> ? 1 : 8 * sizeof(T);

template <class... Ts>
struct TypeList {};
using AllTypes = TypeList<bool, int32_t, int64_t, uint8_t, uint32_t, BFloat16, float, double>;
using Numbers = TypeList<int32_t, int64_t, uint8_t, uint32_t, BFloat16, float, double>;
using Integers = TypeList<int32_t, int64_t, uint8_t, uint32_t>;
using IntegersOrBool = TypeList<bool, int32_t, int64_t, uint8_t, uint32_t>;
using Floats = TypeList<BFloat16, float, double>;

template <class T>
bool isElementType(mlir::Type element) {
  if constexpr (std::is_same_v<T, bool>) return element.isInteger(1);
  if constexpr (std::is_same_v<T, int32_t>) return element.isSignlessInteger(32);
  if constexpr (std::is_same_v<T, int64_t>) return element.isSignlessInteger(64);
  if constexpr (std::is_same_v<T, uint8_t>) return element.isUnsignedInteger(8);
  if constexpr (std::is_same_v<T, uint32_t>) return element.isUnsignedInteger(32);
  if constexpr (std::is_same_v<T, BFloat16>) return element.isBF16();
  if constexpr (std::is_same_v<T, float>) return element.isF32();
  if constexpr (std::is_same_v<T, double>) return element.isF64();
}

// Calls f.template operator()<T>() with the C++ type of the element type, which must be in the list (the verifier's
// type constraints promise it).
template <class F, class T, class... Rest>
auto withTypeOf(TypeList<T, Rest...>, mlir::Type element, F&& f) {
  if constexpr (sizeof...(Rest) > 0) {
    if (!isElementType<T>(element)) return withTypeOf(TypeList<Rest...>{}, element, f);
  } else if (!isElementType<T>(element)) {
    llvm::report_fatal_error("element type without a C++ type: the op was not verified");
  }
  return f.template operator()<T>();
}
template <class List, class F>
auto withElementType(mlir::Type element, F&& f) {
  return withTypeOf(List{}, element, f);
}

// Between element types: floats round to nearest even, once; float to integer truncates and saturates, NaN gives 0; to
// bool: x != 0; integers wrap.
template <class To, class From>
To convertElement(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (isFloating<From> && !isFloating<To>) {
    // Every float is exact in double; the bounds are powers of two, so they are too.
    const double value = x, least = static_cast<double>(std::numeric_limits<To>::min());
    const double aboveMax = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (std::isnan(value)) return 0;
    if (value >= aboveMax) return std::numeric_limits<To>::max();
    if (value <= least) return std::numeric_limits<To>::min();
    return static_cast<To>(value);
  } else if constexpr (isFloating<To>) {
    if constexpr (std::is_same_v<To, BFloat16>)
      return BFloat16(static_cast<long double>(x));  // long double holds every int64_t
    else
      return static_cast<To>(x);
  } else {
    return wrapTo<To>(extendedBits(x));
  }
}

}  // namespace nacre::ir
