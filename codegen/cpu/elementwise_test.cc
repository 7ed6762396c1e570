// Every elementwise op that is exact, for each element type and number of lanes, against C++ on edge values.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "codegen/cpu/test_kernel.h"

using namespace nacre::cpu::test;

namespace {

struct Bool {
  uint8_t v;
  bool operator==(const Bool&) const = default;
};
struct Bf16 {
  uint16_t bits;
};

template <class T>
struct Mlir;
template <>
struct Mlir<Bool> {
  static constexpr const char* name = "i1";
};
template <>
struct Mlir<int32_t> {
  static constexpr const char* name = "i32";
};
template <>
struct Mlir<int64_t> {
  static constexpr const char* name = "i64";
};
template <>
struct Mlir<uint8_t> {
  static constexpr const char* name = "ui8";
};
template <>
struct Mlir<uint32_t> {
  static constexpr const char* name = "ui32";
};
template <>
struct Mlir<Bf16> {
  static constexpr const char* name = "bf16";
};
template <>
struct Mlir<float> {
  static constexpr const char* name = "f32";
};
template <>
struct Mlir<double> {
  static constexpr const char* name = "f64";
};

float widen(Bf16 v) { return std::bit_cast<float>(uint32_t(v.bits) << 16); }

// Nearest even by comparing the two candidates.
Bf16 narrow(double x) {
  if (std::isnan(x)) return {0x7fc0};
  double magnitude = std::fabs(x);
  uint32_t low = 0, high = 0x7f80;  // candidates in order of value
  auto value = [](uint32_t b) { return b == 0x7f80 ? 0x1p128 : (double)std::bit_cast<float>(b << 16); };
  while (high - low > 1) {
    uint32_t mid = (low + high) / 2;
    (value(mid) <= magnitude ? low : high) = mid;
  }
  double below = magnitude - value(low), above = value(high) - magnitude;
  uint32_t chosen = std::isinf(x) || above < below || (above == below && low % 2) ? high : low;
  return {uint16_t(chosen | (std::signbit(x) ? 0x8000 : 0))};
}

template <class T>
std::vector<T> edges() {
  std::vector<T> v;
  if constexpr (std::is_same_v<T, Bool>) {
    return {{0}, {1}};
  } else if constexpr (std::is_same_v<T, Bf16>) {
    for (uint32_t b : {0u, 1u, 0x7fu, 0x80u, 0x3f80u, 0x3f81u, 0x4049u, 0x7f7fu, 0x7f80u, 0x7fc0u, 0x4300u, 0x3f00u})
      v.push_back({uint16_t(b)}), v.push_back({uint16_t(b | 0x8000)});
  } else if constexpr (std::is_floating_point_v<T>) {
    using L = std::numeric_limits<T>;
    for (T x : {T(0), T(1), T(0.5), T(1.5), T(2.5), T(3), T(0.49999997), L::max(), L::min(), L::denorm_min(),
                L::infinity(), L::quiet_NaN(), T(8388609), T(1e10), T(2147483648.0), T(255.5), T(9.3e18), T(0.1)})
      v.push_back(x), v.push_back(-x);
  } else {
    using L = std::numeric_limits<T>;
    for (int64_t x : {0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 100, -1, -2, -3, -7}) v.push_back(T(x));
    for (T x : {L::max(), L::min(), T(L::max() - 1), T(L::min() + 1), T(L::max() / 3)}) v.push_back(x);
  }
  return v;
}

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else if constexpr (std::is_same_v<T, Bf16>) {
    return same(widen(a), widen(b));
  } else {
    return a == b;
  }
}

template <class T>
double show(T v) {
  if constexpr (std::is_same_v<T, Bf16>)
    return widen(v);
  else if constexpr (std::is_same_v<T, Bool>)
    return v.v;
  else
    return double(v);
}

constexpr int64_t kLanes[] = {0, 8, 16};

template <class In, class Out>
void check(const std::string& body, const std::vector<std::vector<In>>& inputs, std::function<Out(size_t)> expected) {
  size_t n = inputs[0].size();
  for (int64_t lanes : kLanes) {
    std::vector<std::string> types(inputs.size(), Mlir<In>::name);
    Kernel k(pointwiseText(types, Mlir<Out>::name, n, lanes, body));
    std::vector<Bytes> bytes;
    for (auto& v : inputs) bytes.emplace_back(v);
    bytes.emplace_back(n * sizeof(Out));
    std::vector<Bytes*> pointers;
    for (Bytes& b : bytes) pointers.push_back(&b);
    k.run(pointers);
    CHECK(bytes.back().intact());
    std::vector<Out> got = bytes.back().as<Out>();
    for (size_t i = 0; i < n; ++i) {
      if (same(got[i], expected(i))) continue;
      INFO(body << " on lanes " << lanes << ": x = " << show(inputs[0][i])
                << (inputs.size() > 1 ? ", y = " + std::to_string(show(inputs[1][i])) : "") << ", got " << show(got[i])
                << ", expected " << show(expected(i)));
      CHECK(false);
      return;
    }
  }
}

template <class T, class Out = T>
void unary(const std::string& op, std::type_identity_t<std::function<Out(T)>> f) {
  std::vector<T> x = edges<T>();
  std::string t = Mlir<T>::name, o = Mlir<Out>::name;
  std::string type = t == o && op != "convert" ? "tensor<T:" + t + ">" : "(tensor<T:" + t + ">) -> tensor<T:" + o + ">";
  check<T, Out>("  %r = nacre." + op + " %x0 : " + type, {x}, [&](size_t i) { return f(x[i]); });
}

template <class T, class Out = T>
void binary(const std::string& op, std::type_identity_t<std::function<Out(T, T)>> f) {
  std::vector<T> x, y;
  for (T a : edges<T>())
    for (T b : edges<T>()) x.push_back(a), y.push_back(b);
  std::string tile = "tensor<T:" + std::string(Mlir<T>::name) + ">";
  std::string type =
      std::is_same_v<Out, T> && op.rfind("compare", 0) ? tile : "(" + tile + ", " + tile + ") -> tensor<T:i1>";
  check<T, Out>("  %r = nacre." + op + " %x0, %x1 : " + type, {x, y}, [&](size_t i) { return f(x[i], y[i]); });
}

template <class T>
void comparisons() {
  auto as = [](auto v) {
    if constexpr (std::is_same_v<T, Bf16>)
      return widen(v);
    else if constexpr (std::is_same_v<T, Bool>)
      return v.v;
    else
      return v;
  };
  binary<T, Bool>("compare EQ", [&](T x, T y) { return Bool{as(x) == as(y)}; });
  binary<T, Bool>("compare NE", [&](T x, T y) { return Bool{as(x) != as(y)}; });
  binary<T, Bool>("compare GE", [&](T x, T y) { return Bool{as(x) >= as(y)}; });
  binary<T, Bool>("compare GT", [&](T x, T y) { return Bool{as(x) > as(y)}; });
  binary<T, Bool>("compare LE", [&](T x, T y) { return Bool{as(x) <= as(y)}; });
  binary<T, Bool>("compare LT", [&](T x, T y) { return Bool{as(x) < as(y)}; });
}

template <class T>
void integers() {
  using U = std::make_unsigned_t<T>;
  using S = std::make_signed_t<T>;
  constexpr bool isSigned = std::is_signed_v<T>;
  constexpr T min = std::numeric_limits<T>::min();
  constexpr unsigned width = 8 * sizeof(T);
  auto overflows = [](T x, T y) { return isSigned && x == min && y == T(-1); };
  binary<T>("add", [](T x, T y) { return T(U(x) + U(y)); });
  binary<T>("subtract", [](T x, T y) { return T(U(x) - U(y)); });
  binary<T>("multiply", [](T x, T y) { return T(uint64_t(x) * uint64_t(y)); });
  binary<T>("divide", [&](T x, T y) { return y == 0 ? T(-1) : overflows(x, y) ? x : T(x / y); });
  binary<T>("remainder", [&](T x, T y) { return y == 0 ? x : overflows(x, y) ? T(0) : T(x % y); });
  binary<T>("maximum", [](T x, T y) { return std::max(x, y); });
  binary<T>("minimum", [](T x, T y) { return std::min(x, y); });
  binary<T>("and", [](T x, T y) { return T(x & y); });
  binary<T>("or", [](T x, T y) { return T(x | y); });
  binary<T>("xor", [](T x, T y) { return T(x ^ y); });
  binary<T>("shift_left", [](T x, T y) { return U(y) < width ? T(uint64_t(U(x)) << U(y)) : T(0); });
  binary<T>("shift_right_logical", [](T x, T y) { return U(y) < width ? T(U(x) >> U(y)) : T(0); });
  binary<T>("shift_right_arithmetic", [](T x, T y) { return T(S(x) >> std::min<uint64_t>(U(y), width - 1)); });
  binary<T>("power", [](T x, T y) {
    if (isSigned && y < T(0)) return x == T(1) ? T(1) : x == T(-1) ? (y & 1 ? T(-1) : T(1)) : T(0);
    uint64_t r = 1, b = uint64_t(x);
    for (U e = U(y); e; e >>= 1, b *= b)
      if (e & 1) r *= b;
    return T(r);
  });
  unary<T>("abs", [](T x) { return isSigned && x < T(0) ? T(-U(x)) : x; });
  unary<T>("negate", [](T x) { return T(-U(x)); });
  unary<T>("sign", [](T x) { return T((x > T(0)) - (isSigned && x < T(0))); });
  unary<T>("not", [](T x) { return T(~x); });
  unary<T>("popcnt", [](T x) { return T(std::popcount(U(x))); });
  unary<T>("count_leading_zeros", [](T x) { return T(std::countl_zero(U(x))); });
  comparisons<T>();
}

template <class T>
T maximum(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

template <class T>
void floats() {
  binary<T>("add", [](T x, T y) { return x + y; });
  binary<T>("subtract", [](T x, T y) { return x - y; });
  binary<T>("multiply", [](T x, T y) { return x * y; });
  binary<T>("divide", [](T x, T y) { return x / y; });
  binary<T>("remainder", [](T x, T y) { return std::fmod(x, y); });
  binary<T>("maximum", maximum<T>);
  binary<T>("minimum", [](T x, T y) { return -maximum<T>(-x, -y); });
  unary<T>("abs", [](T x) { return std::fabs(x); });
  unary<T>("negate", [](T x) { return -x; });
  unary<T>("sign", [](T x) { return x == 0 || std::isnan(x) ? x : std::copysign(T(1), x); });
  unary<T>("floor", [](T x) { return std::floor(x); });
  unary<T>("ceil", [](T x) { return std::ceil(x); });
  unary<T>("round_nearest_even", [](T x) { return std::nearbyint(x); });
  unary<T>("round_nearest_afz", [](T x) { return std::round(x); });
  unary<T, Bool>("is_finite", [](T x) { return Bool{std::isfinite(x)}; });
  comparisons<T>();
}

// What nacre.convert means, value by value.
template <class To, class From>
To convert(From v) {
  if constexpr (std::is_same_v<From, Bf16>) {
    return convert<To>(widen(v));
  } else if constexpr (std::is_same_v<From, Bool>) {
    return convert<To>(int32_t(v.v));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool{v != 0};
  } else if constexpr (std::is_same_v<To, Bf16>) {
    return narrow(double(v));  // the edge values are exact in f64
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(v)) return 0;
    if (v <= From(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (v >= std::ldexp(From(1), std::numeric_limits<To>::digits)) return std::numeric_limits<To>::max();
    return To(v);
  } else {
    return To(v);
  }
}

template <class From, class To>
void conversion() {
  unary<From, To>("convert", convert<To, From>);
}
template <class From>
void conversions() {
  if constexpr (!std::is_same_v<From, Bool>) conversion<From, Bool>();
  if constexpr (!std::is_same_v<From, int32_t>) conversion<From, int32_t>();
  if constexpr (!std::is_same_v<From, int64_t>) conversion<From, int64_t>();
  if constexpr (!std::is_same_v<From, uint8_t>) conversion<From, uint8_t>();
  if constexpr (!std::is_same_v<From, uint32_t>) conversion<From, uint32_t>();
  if constexpr (!std::is_same_v<From, Bf16>) conversion<From, Bf16>();
  if constexpr (!std::is_same_v<From, float>) conversion<From, float>();
  if constexpr (!std::is_same_v<From, double>) conversion<From, double>();
}

}  // namespace

TEST_CASE("integer ops") {
  integers<int32_t>();
  integers<int64_t>();
  integers<uint8_t>();
  integers<uint32_t>();
}

TEST_CASE("float ops") {
  floats<float>();
  floats<double>();
}

TEST_CASE("bf16 ops compute in f32 and round once") {
  using T = Bf16;
  binary<T>("add", [](T x, T y) { return narrow(widen(x) + widen(y)); });
  binary<T>("multiply", [](T x, T y) { return narrow(widen(x) * widen(y)); });
  binary<T>("divide", [](T x, T y) { return narrow(widen(x) / widen(y)); });
  binary<T>("maximum", [](T x, T y) { return narrow(maximum(widen(x), widen(y))); });
  unary<T>("negate", [](T x) { return narrow(-widen(x)); });
  unary<T>("abs", [](T x) { return narrow(std::fabs(widen(x))); });
  comparisons<T>();
}

TEST_CASE("boolean ops") {
  binary<Bool>("add", [](Bool x, Bool y) { return Bool{uint8_t(x.v | y.v)}; });
  binary<Bool>("multiply", [](Bool x, Bool y) { return Bool{uint8_t(x.v & y.v)}; });
  binary<Bool>("maximum", [](Bool x, Bool y) { return Bool{uint8_t(x.v | y.v)}; });
  binary<Bool>("minimum", [](Bool x, Bool y) { return Bool{uint8_t(x.v & y.v)}; });
  binary<Bool>("xor", [](Bool x, Bool y) { return Bool{uint8_t(x.v ^ y.v)}; });
  unary<Bool>("not", [](Bool x) { return Bool{uint8_t(!x.v)}; });
  comparisons<Bool>();
}

TEST_CASE("conversions between all types") {
  conversions<Bool>();
  conversions<int32_t>();
  conversions<int64_t>();
  conversions<uint8_t>();
  conversions<uint32_t>();
  conversions<Bf16>();
  conversions<float>();
  conversions<double>();
}

TEST_CASE("division by a splat constant") {
  std::vector<int32_t> x = edges<int32_t>();
  for (int32_t d : {1, 3, 7, -5, 64}) {
    std::string c = "  %c = nacre.constant dense<" + std::to_string(d) + "> : tensor<T:i32>\n";
    check<int32_t, int32_t>(c + "  %r = nacre.divide %x0, %c : tensor<T:i32>", {x}, [&](size_t i) { return x[i] / d; });
    check<int32_t, int32_t>(c + "  %r = nacre.remainder %x0, %c : tensor<T:i32>", {x},
                            [&](size_t i) { return x[i] % d; });
  }
}
