// Arithmetic, rounding, sign, extremes. Integers are computed modulo 2^n in unsigned 64-bit arithmetic.
#include <cmath>

#include "ir/nacre.h"
#include "ir/reference/elementwise.h"

namespace nacre::ir {

namespace {

template <class T>
T quotient(T x, T y) {
  if constexpr (isFloating<T>) {
    return x / y;
  } else {
    if (y == 0) return wrapTo<T>(~uint64_t{0});
    if (std::is_signed_v<T> && y == T(-1)) return wrapTo<T>(-extendedBits(x));
    return x / y;
  }
}

template <class T>
T remainder(T x, T y) {
  if constexpr (isFloating<T>) {
    return std::fmod(x, y);
  } else {
    if (y == 0) return x;
    if (std::is_signed_v<T> && y == T(-1)) return 0;
    return x % y;
  }
}

template <class T>
T power(T x, T y) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  } else if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(std::pow(static_cast<long double>(x), static_cast<long double>(y)));
  } else {
    if constexpr (std::is_signed_v<T>) {
      if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
    }
    uint64_t result = 1, base = extendedBits(x);
    for (uint64_t n = extendedBits(y); n != 0; n >>= 1, base *= base) {
      if (n & 1) result *= base;
    }
    return wrapTo<T>(result);
  }
}

template <class T>
T signOf(T x) {
  if constexpr (isFloating<T>) return std::isnan(x) || x == 0 ? x : std::copysign(T(1), x);
  return x > 0 ? 1 : x == 0 ? 0 : T(-1);
}

template <class T>
T roundHalfEven(T x) {
  // x - remainder(x, 1) is exact; the sign is kept for results of zero.
  if (!std::isfinite(x)) return x;
  return std::copysign(x - std::remainder(x, T(1)), x);
}

}  // namespace

void addArithmetic(OpTable& table) {
  table.add<AddOp>(binary<AllTypes>([]<class T>(T x, T y) -> T {
    if constexpr (isFloating<T>) return x + y;
    if constexpr (std::is_same_v<T, bool>) return x || y;
    return wrapTo<T>(extendedBits(x) + extendedBits(y));
  }));
  table.add<SubOp>(binary<Numbers>([]<class T>(T x, T y) -> T {
    if constexpr (isFloating<T>) return x - y;
    return wrapTo<T>(extendedBits(x) - extendedBits(y));
  }));
  table.add<MulOp>(binary<AllTypes>([]<class T>(T x, T y) -> T {
    if constexpr (isFloating<T>) return x * y;
    return wrapTo<T>(extendedBits(x) * extendedBits(y));
  }));
  table.add<DivOp>(binary<Numbers>([](auto x, auto y) { return quotient(x, y); }));
  table.add<RemOp>(binary<Numbers>([](auto x, auto y) { return remainder(x, y); }));
  table.add<PowOp>(binary<Numbers>([](auto x, auto y) { return power(x, y); }));
  table.add<MaxOp>(binary<AllTypes>([](auto x, auto y) { return larger(x, y); }));
  table.add<MinOp>(binary<AllTypes>([](auto x, auto y) { return smaller(x, y); }));
  table.add<AbsOp>(unary<Numbers>([]<class T>(T x) -> T {
    if constexpr (isFloating<T>) return std::fabs(x);
    return std::is_signed_v<T> && x < 0 ? wrapTo<T>(-extendedBits(x)) : x;
  }));
  table.add<NegOp>(unary<Numbers>([]<class T>(T x) -> T {
    if constexpr (isFloating<T>) return -x;
    return wrapTo<T>(-extendedBits(x));
  }));
  table.add<SignOp>(unary<Numbers>([](auto x) { return signOf(x); }));
  table.add<FloorOp>(unary<Floats>([](auto x) { return std::floor(x); }));
  table.add<CeilOp>(unary<Floats>([](auto x) { return std::ceil(x); }));
  table.add<RoundNearestEvenOp>(unary<Floats>([](auto x) { return roundHalfEven(x); }));
  table.add<RoundNearestAfzOp>(unary<Floats>([](auto x) { return std::round(x); }));
}

}  // namespace nacre::ir
