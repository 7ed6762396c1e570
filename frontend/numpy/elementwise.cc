// Elementwise functions of the NumPy-like layer, written in lax.
#include <cmath>
#include <numbers>

#include "frontend/core/weak.h"
#include "frontend/numpy/promote.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre {

using detail::constant_like;
using Inputs = std::span<const Array>;

namespace {

using Function1 = Array (*)(const Operand&);
using Function2 = Array (*)(const Operand&, const Operand&);

// f on x; integers first become floating point where `inexact`.
template <class F>
Array unary(const char* name, const Operand& x, bool inexact, F f) {
  return detail::run_op1(name, x.at, "", {x.array},
                         [&](Inputs in) { return f(detail::promoted(in.first(1), inexact)[0]); });
}

template <class F>
Array binary(const char* name, const Operand& x, const Operand& y, bool inexact, F f) {
  return detail::run_op1(name, x.at, "", {x.array, y.array}, [&](Inputs in) {
    std::vector<Array> both = detail::broadcast(detail::promoted(in, inexact));
    return f(both[0], both[1]);
  });
}

Array as_bool(const Array& x) { return x.dtype() == DType::pred ? x : lax::ne(x, constant_like(x, 0)); }

// Integer division towards minus infinity from the truncating one.
Array floor_division(const Array& x, const Array& y) {
  Array q = lax::div(x, y);
  if (is_floating(x.dtype())) {
    // From the remainder, so that a quotient just below an integer does not round up to it.
    Array r = lax::rem(x, y);
    Array zero = constant_like(x, 0);
    Array exact = lax::div(lax::sub(x, r), y);
    Array fix = lax::bitwise_and(lax::ne(r, zero), lax::ne(lax::lt(r, zero), lax::lt(y, zero)));
    Array down = lax::select(fix, lax::sub(exact, constant_like(x, 1)), exact);
    return lax::select(lax::bitwise_and(lax::is_finite(q), lax::is_finite(x)), lax::round_nearest_even(down),
                       lax::floor(q));
  }
  if (is_unsigned(x.dtype())) return q;
  Array zero = constant_like(x, 0);
  Array inexact = lax::ne(lax::rem(x, y), zero);
  Array opposite = lax::ne(lax::sign(x), lax::sign(y));
  return lax::select(lax::bitwise_and(inexact, opposite), lax::sub(q, constant_like(q, 1)), q);
}

Array floored_remainder(const Array& x, const Array& y) {
  Array r = lax::rem(x, y);
  if (is_unsigned(x.dtype())) return r;
  Array zero = constant_like(x, 0);
  Array fix = lax::bitwise_and(lax::ne(r, zero), lax::ne(lax::lt(r, zero), lax::lt(y, zero)));
  return lax::select(fix, lax::add(r, y), r);
}

}  // namespace

Array astype(const Operand& x, DType dtype) { return lax::convert_element_type(x, dtype); }

#define NACRE_FLOAT_FUNCTION(name, op)                                       \
  Array name(const Operand& x) {                                             \
    return unary(#name, x, true, [](const Array& a) { return lax::op(a); }); \
  }
NACRE_FLOAT_FUNCTION(exp, exp)
NACRE_FLOAT_FUNCTION(expm1, expm1)
NACRE_FLOAT_FUNCTION(log, log)
NACRE_FLOAT_FUNCTION(log1p, log1p)
NACRE_FLOAT_FUNCTION(sqrt, sqrt)
NACRE_FLOAT_FUNCTION(rsqrt, rsqrt)
NACRE_FLOAT_FUNCTION(cbrt, cbrt)
NACRE_FLOAT_FUNCTION(sin, sin)
NACRE_FLOAT_FUNCTION(cos, cos)
NACRE_FLOAT_FUNCTION(tan, tan)
NACRE_FLOAT_FUNCTION(arcsin, asin)
NACRE_FLOAT_FUNCTION(arccos, acos)
NACRE_FLOAT_FUNCTION(arctan, atan)
NACRE_FLOAT_FUNCTION(sinh, sinh)
NACRE_FLOAT_FUNCTION(cosh, cosh)
NACRE_FLOAT_FUNCTION(tanh, tanh)
NACRE_FLOAT_FUNCTION(arcsinh, asinh)
NACRE_FLOAT_FUNCTION(arccosh, acosh)
NACRE_FLOAT_FUNCTION(arctanh, atanh)
NACRE_FLOAT_FUNCTION(erf, erf)
NACRE_FLOAT_FUNCTION(erfc, erfc)
NACRE_FLOAT_FUNCTION(erf_inv, erf_inv)
#undef NACRE_FLOAT_FUNCTION

Array reciprocal(const Operand& x) {
  return unary("reciprocal", x, true, [](const Array& a) { return lax::div(constant_like(a, 1), a); });
}
Array exp2(const Operand& x) {
  return unary("exp2", x, true, [](const Array& a) { return lax::pow(constant_like(a, 2), a); });
}
Array log2(const Operand& x) {
  return unary("log2", x, true,
               [](const Array& a) { return lax::div(lax::log(a), constant_like(a, std::numbers::ln2)); });
}
Array log10(const Operand& x) {
  return unary("log10", x, true,
               [](const Array& a) { return lax::div(lax::log(a), constant_like(a, std::numbers::ln10)); });
}

// Rounding leaves integers as they are.
#define NACRE_ROUNDING(name, op)                                                                      \
  Array name(const Operand& x) {                                                                      \
    return unary(#name, x, false, [](const Array& a) { return is_floating(a.dtype()) ? op(a) : a; }); \
  }
NACRE_ROUNDING(floor, lax::floor)
NACRE_ROUNDING(ceil, lax::ceil)
NACRE_ROUNDING(round, lax::round_nearest_even)
NACRE_ROUNDING(trunc,
               [](const Array& v) { return lax::select(lax::lt(v, constant_like(v, 0)), lax::ceil(v), lax::floor(v)); })
#undef NACRE_ROUNDING

Array abs(const Operand& x) {
  return unary("abs", x, false, [](const Array& a) { return a.dtype() == DType::pred ? a : lax::abs(a); });
}
Array negative(const Operand& x) {
  return unary("negative", x, false, [](const Array& a) { return lax::neg(a); });
}
Array sign(const Operand& x) {
  return unary("sign", x, false, [](const Array& a) { return lax::sign(a); });
}
Array square(const Operand& x) {
  return unary("square", x, false, [](const Array& a) { return lax::mul(a, a); });
}
Array isnan(const Operand& x) {
  return unary("isnan", x, false, [](const Array& a) { return lax::ne(a, a); });
}
Array isfinite(const Operand& x) {
  return unary("isfinite", x, false,
               [](const Array& a) { return is_floating(a.dtype()) ? lax::is_finite(a) : lax::eq(a, a); });
}
Array isinf(const Operand& x) {
  return unary("isinf", x, false, [](const Array& a) {
    if (!is_floating(a.dtype())) return lax::ne(a, a);
    return lax::eq(lax::abs(a), constant_like(a, HUGE_VAL));
  });
}
Array logical_not(const Operand& x) {
  return unary("logical_not", x, false, [](const Array& a) { return lax::bitwise_not(as_bool(a)); });
}
Array invert(const Operand& x) {
  return unary("invert", x, false, [](const Array& a) { return lax::bitwise_not(a); });
}
Array nan_to_num(const Operand& x, double nan) {
  return detail::run_op1("nan_to_num", x.at, detail::statics(nan), {x.array}, [&](Inputs in) {
    Array a = detail::promoted(in)[0];
    if (!is_floating(a.dtype())) return a;
    double largest = a.dtype() == DType::f64 ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
    if (a.dtype() == DType::bf16) largest = 0x1.fep127;
    Array number = lax::select(lax::ne(a, a), constant_like(a, nan), a);
    return lax::clamp(constant_like(a, -largest), number, constant_like(a, largest));
  });
}
Array stop_gradient(const Operand& x) { return lax::stop_gradient(x); }

#define NACRE_BINARY(name, op, inexact)                                                           \
  Array name(const Operand& x, const Operand& y) {                                                \
    return binary(#name, x, y, inexact, [](const Array& a, const Array& b) { return op(a, b); }); \
  }
NACRE_BINARY(add, lax::add, false)
NACRE_BINARY(subtract, lax::sub, false)
NACRE_BINARY(multiply, lax::mul, false)
NACRE_BINARY(divide, lax::div, true)
NACRE_BINARY(floor_divide, floor_division, false)
NACRE_BINARY(remainder, floored_remainder, false)
NACRE_BINARY(fmod, lax::rem, false)
NACRE_BINARY(power, lax::pow, false)
NACRE_BINARY(arctan2, lax::atan2, true)
NACRE_BINARY(maximum, lax::max, false)
NACRE_BINARY(minimum, lax::min, false)
NACRE_BINARY(equal, lax::eq, false)
NACRE_BINARY(not_equal, lax::ne, false)
NACRE_BINARY(less, lax::lt, false)
NACRE_BINARY(less_equal, lax::le, false)
NACRE_BINARY(greater, lax::gt, false)
NACRE_BINARY(greater_equal, lax::ge, false)
NACRE_BINARY(bitwise_and, lax::bitwise_and, false)
NACRE_BINARY(bitwise_or, lax::bitwise_or, false)
NACRE_BINARY(bitwise_xor, lax::bitwise_xor, false)
NACRE_BINARY(left_shift, lax::shift_left, false)
NACRE_BINARY(right_shift, (is_unsigned(a.dtype()) ? lax::shift_right_logical : lax::shift_right_arithmetic), false)
NACRE_BINARY(
    logical_and, [](const Array& p, const Array& q) { return lax::bitwise_and(as_bool(p), as_bool(q)); }, false)
NACRE_BINARY(
    logical_or, [](const Array& p, const Array& q) { return lax::bitwise_or(as_bool(p), as_bool(q)); }, false)
NACRE_BINARY(
    logical_xor, [](const Array& p, const Array& q) { return lax::bitwise_xor(as_bool(p), as_bool(q)); }, false)
#undef NACRE_BINARY

Array hypot(const Operand& x, const Operand& y) {
  // Scaled by the larger, so that squares neither overflow nor vanish.
  return binary("hypot", x, y, true, [](const Array& a, const Array& b) {
    Array p = lax::abs(a), q = lax::abs(b);
    Array large = lax::max(p, q), small = lax::min(p, q), one = constant_like(a, 1), zero = constant_like(a, 0);
    Array ratio = lax::div(small, lax::select(lax::eq(large, zero), one, large));
    Array length = lax::mul(large, lax::sqrt(lax::add(one, lax::mul(ratio, ratio))));
    return lax::select(lax::eq(large, constant_like(a, HUGE_VAL)), large, length);
  });
}

Array logaddexp(const Operand& x, const Operand& y) {
  return binary("logaddexp", x, y, true, [](const Array& a, const Array& b) {
    Array large = lax::max(a, b), difference = lax::sub(a, b);
    // Equal infinities have no difference.
    return lax::select(lax::ne(difference, difference), lax::add(a, b),
                       lax::add(large, lax::log1p(lax::exp(lax::neg(lax::abs(difference))))));
  });
}

Array where(const Operand& condition, const Operand& x, const Operand& y) {
  return detail::run_op1("where", condition.at, "", {condition.array, x.array, y.array}, [&](Inputs in) {
    std::vector<Array> all = detail::promoted(in.subspan(1));
    all.insert(all.begin(), as_bool(detail::settled(in[0])));
    all = detail::broadcast(all);
    return lax::select(all[0], all[1], all[2]);
  });
}

Array clip(const Operand& x, const Operand& low, const Operand& high) {
  return detail::run_op1("clip", x.at, "", {x.array, low.array, high.array}, [&](Inputs in) {
    std::vector<Array> all = detail::broadcast(detail::promoted(in));
    return lax::min(lax::max(all[0], all[1]), all[2]);
  });
}

}  // namespace nacre
