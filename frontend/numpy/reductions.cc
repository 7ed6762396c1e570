// Reductions of the NumPy-like layer, written in lax.
#include <cmath>

#include "frontend/core/weak.h"
#include "frontend/numpy/promote.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre {

using detail::blame;
using detail::constant_like;
using detail::run_op1;
using Inputs = std::span<const Array>;

namespace {

using Axes = std::vector<int64_t>;

// With size 1 where the axes were.
Array kept(const Array& reduced, const Shape& original, const Axes& axes) {
  Shape shape = original;
  for (int64_t axis : axes) shape[static_cast<size_t>(axis)] = 1;
  return lax::reshape(reduced, shape);
}

int64_t count(const Shape& shape, const Axes& axes) {
  int64_t n = 1;
  for (int64_t axis : axes) n *= shape[static_cast<size_t>(axis)];
  return n;
}

// f(array, axes) on the promoted operand; `more` is whatever else f depends on.
template <class F>
Array reduce(const char* name, const Operand& x, const ReduceOptions& options, bool inexact, int64_t more, F f) {
  return run_op1(name, x.at, detail::statics(options.axis, options.keepdims, more), {x.array}, [&](Inputs in) {
    Array a = detail::promoted(in, inexact)[0];
    Axes axes = detail::checked_axes(options.axis, a.ndim());
    Array out = f(a, axes);
    return options.keepdims ? kept(out, a.shape(), axes) : out;
  });
}

template <class F>
Array reduce(const char* name, const Operand& x, const ReduceOptions& options, bool inexact, F f) {
  return reduce(name, x, options, inexact, 0, f);
}

// Sums and products of booleans count in int32, those of uint8 in uint32.
Array countable(const Array& a) {
  if (a.dtype() == DType::pred) return lax::convert_element_type(a, DType::s32);
  return a.dtype() == DType::u8 ? lax::convert_element_type(a, DType::u32) : a;
}

// Means and variances of bfloat16 are computed in float32 and rounded once.
template <class F>
Array in_float32(const Array& a, F f) {
  if (a.dtype() != DType::bf16) return f(a);
  return lax::convert_element_type(f(lax::convert_element_type(a, DType::f32)), DType::bf16);
}

void check_not_empty(const Array& a, const Axes& axes) {
  if (count(a.shape(), axes) == 0)
    throw ShapeError(blame() + "nothing to reduce: " + describe(a) +
                     " is empty along the axes, and there is no identity");
}

Array mean_of(const Array& a, const Axes& axes) {
  Array total = lax::reduce_sum(a, axes);
  return lax::div(total, constant_like(total, static_cast<double>(count(a.shape(), axes))));
}

Array variance(const Array& a, const Axes& axes, int64_t ddof) {
  Array centre = detail::broadcast_one(kept(mean_of(a, axes), a.shape(), axes), a.shape());
  Array deviation = lax::sub(a, centre);
  Array total = lax::reduce_sum(lax::mul(deviation, deviation), axes);
  return lax::div(total, constant_like(total, static_cast<double>(count(a.shape(), axes) - ddof)));
}

Array arg(const char* name, const Operand& x, std::optional<int64_t> axis, bool keepdims, bool largest) {
  return run_op1(name, x.at, detail::statics(axis, keepdims), {x.array}, [&](Inputs in) {
    Array a = countable(detail::settled(in[0]));
    const Shape original = a.shape();
    if (!axis) a = lax::reshape(a, {a.size()});
    const int64_t along = axis ? detail::checked_axis(*axis, a.ndim()) : 0;
    Array out = largest ? lax::argmax(a, along) : lax::argmin(a, along);
    if (!keepdims) return out;
    Axes all(original.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    return kept(out, original, axis ? Axes{along} : all);
  });
}

}  // namespace

Array sum(const Operand& x, const ReduceOptions& options) {
  return reduce("sum", x, options, false,
                [](const Array& a, const Axes& axes) { return lax::reduce_sum(countable(a), axes); });
}
Array prod(const Operand& x, const ReduceOptions& options) {
  return reduce("prod", x, options, false,
                [](const Array& a, const Axes& axes) { return lax::reduce_prod(countable(a), axes); });
}
Array mean(const Operand& x, const ReduceOptions& options) {
  return reduce("mean", x, options, true, [](const Array& a, const Axes& axes) {
    return in_float32(a, [&](const Array& wide) { return mean_of(wide, axes); });
  });
}
Array var(const Operand& x, const ReduceOptions& options, int64_t ddof) {
  return reduce("var", x, options, true, ddof, [&](const Array& a, const Axes& axes) {
    return in_float32(a, [&](const Array& wide) { return variance(wide, axes, ddof); });
  });
}
Array std_(const Operand& x, const ReduceOptions& options, int64_t ddof) {
  return reduce("std", x, options, true, ddof, [&](const Array& a, const Axes& axes) {
    return in_float32(a, [&](const Array& wide) { return lax::sqrt(variance(wide, axes, ddof)); });
  });
}
Array max(const Operand& x, const ReduceOptions& options) {
  return reduce("max", x, options, false, [](const Array& a, const Axes& axes) {
    check_not_empty(a, axes);
    return lax::reduce_max(a, axes);
  });
}
Array min(const Operand& x, const ReduceOptions& options) {
  return reduce("min", x, options, false, [](const Array& a, const Axes& axes) {
    check_not_empty(a, axes);
    return lax::reduce_min(a, axes);
  });
}
Array all(const Operand& x, const ReduceOptions& options) {
  return reduce("all", x, options, false, [](const Array& a, const Axes& axes) {
    return lax::reduce_and(a.dtype() == DType::pred ? a : lax::ne(a, constant_like(a, 0)), axes);
  });
}
Array any(const Operand& x, const ReduceOptions& options) {
  return reduce("any", x, options, false, [](const Array& a, const Axes& axes) {
    return lax::reduce_or(a.dtype() == DType::pred ? a : lax::ne(a, constant_like(a, 0)), axes);
  });
}

Array argmax(const Operand& x, std::optional<int64_t> axis, bool keepdims) {
  return arg("argmax", x, axis, keepdims, true);
}
Array argmin(const Operand& x, std::optional<int64_t> axis, bool keepdims) {
  return arg("argmin", x, axis, keepdims, false);
}

Array logsumexp(const Operand& x, const ReduceOptions& options) {
  return reduce("logsumexp", x, options, true, [](const Array& a, const Axes& axes) {
    check_not_empty(a, axes);
    // Shifted by the maximum where that is finite; the shift has no derivative of its own.
    Array largest = lax::stop_gradient(kept(lax::reduce_max(a, axes), a.shape(), axes));
    Array shift = lax::select(lax::is_finite(largest), largest, constant_like(largest, 0));
    Array shifted = lax::exp(lax::sub(a, detail::broadcast_one(shift, a.shape())));
    Array total = lax::log(lax::reduce_sum(shifted, axes));
    return lax::add(total, lax::reshape(shift, total.shape()));
  });
}

Array allclose(const Operand& x, const Operand& y, double rtol, double atol) {
  return run_op1("allclose", x.at, detail::statics(rtol, atol), {x.array, y.array}, [&](Inputs in) {
    std::vector<Array> both = detail::broadcast(detail::promoted(in, true));
    Array bound = lax::add(constant_like(both[1], atol), lax::mul(constant_like(both[1], rtol), lax::abs(both[1])));
    Array finite = lax::bitwise_and(lax::is_finite(both[0]), lax::is_finite(both[1]));
    Array near = lax::bitwise_and(finite, lax::le(lax::abs(lax::sub(both[0], both[1])), bound));
    Array same = lax::bitwise_or(near, lax::eq(both[0], both[1]));
    Axes axes = detail::checked_axes(std::nullopt, same.ndim());
    return lax::reduce_and(same, axes);
  });
}

}  // namespace nacre
