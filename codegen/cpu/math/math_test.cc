// Every function against the C library in a wider type, over all exponents and dense samples; the bounds are those of
// docs/ops.md.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "codegen/cpu/test_kernel.h"

using namespace nacre::cpu::test;

namespace {

using Reference = std::function<long double(long double, long double)>;

struct Case {
  const char* op;
  Reference exact;
  double bound32, bound64;
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool binary = false;
};

long double logistic(long double x) { return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x)); }

// Newton's iteration on erfl or erfcl from a rough start.
long double erfInverse(long double x) {
  if (std::isnan(x) || fabsl(x) > 1) return NAN;
  if (fabsl(x) == 1) return x * INFINITY;
  if (x == 0) return x;
  long double a = fabsl(x), l = log1pl(-a * a), h = 2 / (M_PIl * 0.147L) + l / 2;
  long double y = sqrtl(-l / 0.147L / (sqrtl(h * h - l / 0.147L) + h));
  for (int i = 0; i < 6; ++i) {
    long double error = a > 0.5L ? (1 - a) - erfcl(y) : erfl(y) - a;
    long double step = error / (2 / sqrtl(M_PIl) * expl(-y * y));
    y -= step / (1 + y * step);
  }
  return copysignl(y, x);
}

#define NACRE_UNARY(f) [](long double x, long double) { return f(x); }

const Case kCases[] = {
    {"exponential", NACRE_UNARY(expl), 1, 2},
    {"exponential_minus_one", NACRE_UNARY(expm1l), 1, 2},
    {"log", NACRE_UNARY(logl), 1.5, 2},
    {"log_plus_one", NACRE_UNARY(log1pl), 1, 2},
    {"sine", NACRE_UNARY(sinl), 1, 2},
    {"cosine", NACRE_UNARY(cosl), 1, 2},
    {"tan", NACRE_UNARY(tanl), 1, 4},
    {"asin", NACRE_UNARY(asinl), 1, 4},
    {"acos", NACRE_UNARY(acosl), 1, 4},
    {"atan", NACRE_UNARY(atanl), 1, 4},
    {"sinh", NACRE_UNARY(sinhl), 1, 4},
    {"cosh", NACRE_UNARY(coshl), 1, 4},
    {"tanh", NACRE_UNARY(tanhl), 2.5, 4},
    {"asinh", NACRE_UNARY(asinhl), 1, 4},
    {"acosh", NACRE_UNARY(acoshl), 1, 4},
    {"atanh", NACRE_UNARY(atanhl), 1, 4},
    {"logistic", NACRE_UNARY(logistic), 2, 2},
    {"erf", NACRE_UNARY(erfl), 2, 4},
    {"erfc", NACRE_UNARY(erfcl), 1, 8},
    {"erf_inv", NACRE_UNARY(erfInverse), 4, 8},
    {"sqrt", NACRE_UNARY(sqrtl), 0.5, 0.5},
    {"rsqrt", [](long double x, long double) { return 1 / sqrtl(x); }, 1.5, 1.5},
    {"cbrt", NACRE_UNARY(cbrtl), 1, 2},
    {"power", [](long double x, long double y) { return powl(x, y); }, 1, 2, -INFINITY, INFINITY, true},
    {"atan2", [](long double y, long double x) { return atan2l(y, x); }, 1, 4, -INFINITY, INFINITY, true},
};

// All exponents with a few mantissas each, dense uniform values around 0, integers and halves, special values.
template <class T>
std::vector<T> samples(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> v;
  using Limits = std::numeric_limits<T>;
  auto both = [&](T x) {
    v.push_back(x);
    v.push_back(-x);
  };
  for (T x : {T(0), T(1), T(0.5), T(2), Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(),
              Limits::denorm_min(), Limits::epsilon(), std::nextafter(T(1), T(2)), std::nextafter(T(1), T(0))})
    both(x);
  std::uniform_real_distribution<double> mantissa(1, 2);
  int perExponent = sizeof(T) == 4 ? 40 : 5;
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; ++e)
    for (int i = 0; i < perExponent; ++i) both(std::ldexp(T(mantissa(random)), e));
  for (double width : {1.0, 4.0, 20.0, 120.0, 1000.0}) {
    std::uniform_real_distribution<double> uniform(-width, width);
    for (int i = 0; i < 4000; ++i) v.push_back(T(uniform(random)));
  }
  for (int i = 0; i < 200; ++i) both(T(i) / 2);
  // Near multiples of pi/2, where range reduction cancels.
  for (int i = 1; i < 4000; i += 7) {
    T x = T(i * 1.57079632679489661923);
    for (T y : {x, std::nextafter(x, T(0)), std::nextafter(x, Limits::infinity())}) both(y);
  }
  return v;
}

// Distance in units of the last place of the exact result, which is at least that of the smallest normal number.
template <class T>
double ulps(T got, long double exact) {
  T rounded = T(exact);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got)) {
    if (got == rounded) return 0;
    // One side overflowed: count from the largest number.
    if (std::isinf(got) && std::isfinite(rounded) && std::fabs(rounded) < std::numeric_limits<T>::max())
      return INFINITY;
    return std::signbit(got) == std::signbit(rounded) ? 1 : INFINITY;
  }
  if (std::isnan(got)) return INFINITY;
  if (got == 0 && exact == 0) return std::signbit(got) == std::signbit(rounded) ? 0 : INFINITY;
  int exponent = std::max(std::ilogb(rounded == 0 ? std::numeric_limits<T>::min() : rounded),
                          std::numeric_limits<T>::min_exponent - 1);
  long double unit = ldexpl(1, exponent - std::numeric_limits<T>::digits + 1);
  return double(fabsl((long double)got - exact) / unit);
}

template <class T>
void sweep(const Case& c, const std::string& type, double bound, int64_t lanes,
           const nacre::codegen::Target& target = nacre::codegen::Target::host()) {
  std::vector<T> x = samples<T>(1), y = samples<T>(2);
  if (c.binary) {
    // Shuffled against each other, and every special value with every other.
    std::mt19937 random(3);
    std::shuffle(y.begin() + 24, y.end(), random);
    for (int i = 0; i < 24; ++i)
      for (int j = 0; j < 24; ++j) x.push_back(x[i]), y.push_back(y[j]);
    for (double base : {0.5, 1.5, 3.0, -2.0, 10.0})
      for (int p = -30; p < 30; ++p) x.push_back(T(base)), y.push_back(T(p));
  }
  int64_t n = x.size();
  std::string operands = c.binary ? "%x0, %x1" : "%x0";
  std::vector<std::string> inputs(c.binary ? 2 : 1, type);
  Kernel k(pointwiseText(inputs, type, n, lanes,
                         "  %r = nacre." + std::string(c.op) + " " + operands + " : tensor<T:" + type + ">"),
           target);
  Bytes bx(x), by(y), out(n * sizeof(T));
  std::vector<Bytes*> buffers{&bx};
  if (c.binary) buffers.push_back(&by);
  buffers.push_back(&out);
  k.run(buffers);
  std::vector<T> got = out.as<T>();
  double worst = 0;
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    double d = ulps(got[i], c.exact(x[i], y[i]));
    if (d > worst) worst = d, at = i;
  }
  std::printf("%-24s %s x%-3d %8.3f ulp\n", c.op, type.c_str(), (int)lanes, worst);
  INFO(c.op << " " << type << " x = " << x[at] << ", y = " << y[at] << ", got " << got[at] << ", exact "
            << (double)c.exact(x[at], y[at]));
  CHECK(worst <= bound);
}

}  // namespace

TEST_CASE("f32 functions are within their bounds") {
  for (const Case& c : kCases) sweep<float>(c, "f32", c.bound32, 16);
}

TEST_CASE("f32 functions on scalars") {
  for (const Case& c : kCases) sweep<float>(c, "f32", c.bound32, 0);
}

TEST_CASE("f64 functions are within their bounds") {
  for (const Case& c : kCases) sweep<double>(c, "f64", c.bound64, 8);
}

TEST_CASE("f32 functions on other machines") {
  for (const char* cpu : {"x86-64-v3", "x86-64-v4", "x86-64"}) {
    auto target = nacre::codegen::Target::named(cpu);
    if (!target.ok()) continue;
    for (const Case& c : kCases) sweep<float>(c, "f32", c.bound32, 8, *target);
  }
}
