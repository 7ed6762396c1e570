// Functions of real numbers. f32 ones are computed in double and rounded once, which is the correctly rounded value
// but for about one argument in 10^8; f64 ones in x86's 80-bit long double; bf16 ones round the f32 value.
#include <cmath>

#include "ir/nacre.h"
#include "ir/reference/elementwise.h"

namespace nacre::ir {

namespace {

template <class T>
struct WiderOf;
template <>
struct WiderOf<float> {
  using type = double;
};
template <>
struct WiderOf<double> {
  using type = long double;
};
template <class T>
using Wider = typename WiderOf<T>::type;

// `f` on the wider type.
template <class F>
OpFunction function(F f) {
  return unary<Floats>([f]<class T>(T x) { return static_cast<T>(f(static_cast<Wider<T>>(x))); });
}
template <class F>
OpFunction function2(F f) {
  return binary<Floats>(
      [f]<class T>(T x, T y) { return static_cast<T>(f(static_cast<Wider<T>>(x), static_cast<Wider<T>>(y))); });
}

template <class T>
T logistic(T x) {
  // Neither branch overflows or loses the small result.
  if (x >= 0) return 1 / (1 + std::exp(-x));
  T e = std::exp(x);
  return e / (1 + e);
}

// Solves erf(y) = x in long double by Halley's iteration on erfc, which keeps the relative accuracy of 1 - |x|.
long double erfInv(long double x) {
  if (x == 0 || std::isnan(x)) return x;
  if (std::fabs(x) > 1) return std::numeric_limits<long double>::quiet_NaN();
  if (std::fabs(x) == 1) return std::copysign(std::numeric_limits<long double>::infinity(), x);
  const long double a = std::fabs(x), twoOverRootPi = 2 / std::sqrt(std::acos(-1.0L));
  // Winitzki's approximation is within 2e-3; three steps with cubic convergence are plenty.
  const long double l = std::log1p(-a * a), k = 2 / (0.147L * std::acos(-1.0L)) + l / 2;
  // For small |x| the difference below cancels; the first term of the series is the better start.
  long double y = a < 1e-3L ? a / twoOverRootPi : std::sqrt(std::sqrt(k * k - l / 0.147L) - k);
  for (int step = 0; step < 4; ++step) {
    const long double error = a < 0.5L ? std::erf(y) - a : (1 - a) - std::erfc(y);
    const long double newton = error / (twoOverRootPi * std::exp(-y * y));
    y -= newton / (1 + y * newton);
  }
  return std::copysign(y, x);
}

}  // namespace

void addFloatFunctions(OpTable& table) {
  table.add<ExpOp>(function([](auto x) { return std::exp(x); }));
  table.add<Expm1Op>(function([](auto x) { return std::expm1(x); }));
  table.add<LogOp>(function([](auto x) { return std::log(x); }));
  table.add<Log1pOp>(function([](auto x) { return std::log1p(x); }));
  table.add<SinOp>(function([](auto x) { return std::sin(x); }));
  table.add<CosOp>(function([](auto x) { return std::cos(x); }));
  table.add<TanOp>(function([](auto x) { return std::tan(x); }));
  table.add<AsinOp>(function([](auto x) { return std::asin(x); }));
  table.add<AcosOp>(function([](auto x) { return std::acos(x); }));
  table.add<AtanOp>(function([](auto x) { return std::atan(x); }));
  table.add<SinhOp>(function([](auto x) { return std::sinh(x); }));
  table.add<CoshOp>(function([](auto x) { return std::cosh(x); }));
  table.add<TanhOp>(function([](auto x) { return std::tanh(x); }));
  table.add<AsinhOp>(function([](auto x) { return std::asinh(x); }));
  table.add<AcoshOp>(function([](auto x) { return std::acosh(x); }));
  table.add<AtanhOp>(function([](auto x) { return std::atanh(x); }));
  table.add<LogisticOp>(function([](auto x) { return logistic(x); }));
  table.add<ErfOp>(function([](auto x) { return std::erf(x); }));
  table.add<ErfcOp>(function([](auto x) { return std::erfc(x); }));
  table.add<ErfInvOp>(function([](auto x) { return erfInv(x); }));
  table.add<RsqrtOp>(function([](auto x) { return 1 / std::sqrt(x); }));
  table.add<CbrtOp>(function([](auto x) { return std::cbrt(x); }));
  table.add<Atan2Op>(function2([](auto y, auto x) { return std::atan2(y, x); }));
  // IEEE's square root is already rounded correctly; going through long double would round twice.
  table.add<SqrtOp>(unary<Floats>([](auto x) { return std::sqrt(x); }));
}

}  // namespace nacre::ir
