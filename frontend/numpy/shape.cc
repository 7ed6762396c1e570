// Creation and shape functions of the NumPy-like layer, written in lax.
#include <algorithm>
#include <numeric>

#include "frontend/core/weak.h"
#include "frontend/numpy/promote.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre {

using detail::blame;
using detail::checked_axis;
using detail::run_op1;
using detail::statics;
using Inputs = std::span<const Array>;

// --- creation ---

namespace {
// All elements `value`; `name` is what the user called.
Array filled(const char* name, std::source_location at, const Shape& shape, int64_t value, DType dtype) {
  return detail::run_op(name, at, statics(shape, dtype), {},
                        [&](Inputs) { return std::vector<Array>{lax::full(shape, value, dtype)}; })[0];
}
// The type of an operand of which only that is wanted, so it may be abstract.
const Array& typed(const char* name, const Operand& x) {
  if (x.array.is_null())
    throw ValueError(std::string(name) + " (" + x.at.file_name() + ":" + std::to_string(x.at.line()) +
                     "): the operand is a default-constructed (null) Array; assign it first");
  return x.array;
}
}  // namespace

Array zeros(const Shape& shape, DType dtype, std::source_location at) { return filled("zeros", at, shape, 0, dtype); }
Array ones(const Shape& shape, DType dtype, std::source_location at) { return filled("ones", at, shape, 1, dtype); }

Array full(const Shape& shape, const Operand& value, std::optional<DType> dtype) {
  return run_op1("full", value.at, statics(shape, dtype), {value.array}, [&](Inputs in) {
    Array v = detail::settled(in[0]);
    return detail::broadcast_one(detail::with_dtype(in[0], dtype.value_or(v.dtype())), shape);
  });
}

Array zeros_like(const Operand& x) {
  const Array& a = typed("zeros_like", x);
  return filled("zeros_like", x.at, a.shape(), 0, a.dtype());
}
Array ones_like(const Operand& x) {
  const Array& a = typed("ones_like", x);
  return filled("ones_like", x.at, a.shape(), 1, a.dtype());
}
Array full_like(const Operand& x, const Operand& value) {
  const Array& a = typed("full_like", x);
  return nacre::full(a.shape(), value, a.dtype());
}

Array arange(int64_t stop, std::source_location at) { return arange(0, stop, 1, at); }
Array arange(int64_t start, int64_t stop, int64_t step, std::source_location at) {
  return detail::run_op("arange", at, statics(start, stop, step), {}, [&](Inputs) {
    if (step == 0) throw ShapeError(blame() + "the step is 0");
    const int64_t span = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
    const int64_t n = span <= 0 ? 0 : (span + stride - 1) / stride;
    Array i = lax::iota(DType::s32, n);
    if (step != 1) i = lax::mul(i, detail::constant_like(i, static_cast<double>(step)));
    if (start != 0) i = lax::add(i, detail::constant_like(i, static_cast<double>(start)));
    return std::vector<Array>{i};
  })[0];
}

Array linspace(double start, double stop, int64_t num, std::source_location at) {
  return detail::run_op("linspace", at, statics(start, stop, num), {}, [&](Inputs) {
    if (num < 0) throw ShapeError(blame() + "num is negative: " + std::to_string(num));
    // start (1 - t) + stop t is exact at both ends.
    Array i = lax::iota(DType::f32, num);
    Array t = lax::div(i, detail::constant_like(i, num > 1 ? static_cast<double>(num - 1) : 1.0));
    Array rest = lax::sub(detail::constant_like(i, 1), t);
    return std::vector<Array>{
        lax::add(lax::mul(detail::constant_like(i, start), rest), lax::mul(detail::constant_like(i, stop), t))};
  })[0];
}

Array eye(int64_t n, std::optional<int64_t> m, int64_t k, DType dtype, std::source_location at) {
  const Shape shape{n, m.value_or(n)};
  return detail::run_op("eye", at, statics(shape, k, dtype), {}, [&](Inputs) {
    Array row = lax::broadcasted_iota(DType::s32, shape, 0), column = lax::broadcasted_iota(DType::s32, shape, 1);
    Array on = lax::eq(lax::add(row, detail::constant_like(row, static_cast<double>(k))), column);
    return std::vector<Array>{lax::convert_element_type(on, dtype)};
  })[0];
}

namespace {
// Keeps x where row + k >= column (lower) or row + k <= column (upper).
Array triangle(const char* name, const Operand& x, int64_t k, bool lower) {
  return run_op1(name, x.at, statics(k), {x.array}, [&](Inputs in) {
    const Array& a = in[0];
    if (a.ndim() < 2) throw ShapeError(blame() + "needs at least two axes, not " + describe(a));
    Array row = lax::broadcasted_iota(DType::s32, a.shape(), a.ndim() - 2);
    Array column = lax::broadcasted_iota(DType::s32, a.shape(), a.ndim() - 1);
    Array shifted = lax::add(row, detail::constant_like(row, static_cast<double>(k)));
    return lax::select(lower ? lax::ge(shifted, column) : lax::le(shifted, column), a, detail::constant_like(a, 0));
  });
}
}  // namespace

Array tril(const Operand& x, int64_t k) { return triangle("tril", x, k, true); }
Array triu(const Operand& x, int64_t k) { return triangle("triu", x, k, false); }

// --- shapes ---

Array reshape(const Operand& x, const Shape& shape) {
  return run_op1("reshape", x.at, statics(shape), {x.array}, [&](Inputs in) {
    const Array& a = in[0];
    Shape full = shape;
    auto unknown = std::find(full.begin(), full.end(), -1);
    if (unknown != full.end()) {
      *unknown = 1;
      const int64_t known = std::accumulate(full.begin(), full.end(), int64_t{1}, std::multiplies<>());
      *unknown = known == 0 ? 0 : a.size() / known;
    }
    const int64_t wanted = std::accumulate(full.begin(), full.end(), int64_t{1}, std::multiplies<>());
    if (wanted != a.size() || std::any_of(full.begin(), full.end(), [](int64_t d) { return d < 0; })) {
      std::string text;
      for (int64_t d : shape) text += (text.empty() ? "" : ",") + std::to_string(d);
      throw ShapeError(blame() + "cannot give " + describe(a) + ", which has " + std::to_string(a.size()) +
                       " elements, the shape [" + text + "]; the products must be equal, and at most one dimension -1");
    }
    return a.shape() == full ? a : lax::reshape(a, full);
  });
}

Array ravel(const Operand& x) { return reshape(x, {-1}); }

Array transpose(const Operand& x, const std::vector<int64_t>& axes) {
  return run_op1("transpose", x.at, statics(axes), {x.array}, [&](Inputs in) {
    const int64_t rank = in[0].ndim();
    std::vector<int64_t> order;
    for (int64_t axis : axes) order.push_back(checked_axis(axis, rank));
    if (axes.empty())
      for (int64_t i = rank; i-- > 0;) order.push_back(i);
    return lax::transpose(in[0], order);
  });
}

Array swapaxes(const Operand& x, int64_t a, int64_t b) {
  return run_op1("swapaxes", x.at, statics(a, b), {x.array}, [&](Inputs in) {
    const int64_t rank = in[0].ndim();
    std::vector<int64_t> order(static_cast<size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[static_cast<size_t>(checked_axis(a, rank))], order[static_cast<size_t>(checked_axis(b, rank))]);
    return lax::transpose(in[0], order);
  });
}

Array moveaxis(const Operand& x, int64_t source, int64_t destination) {
  return run_op1("moveaxis", x.at, statics(source, destination), {x.array}, [&](Inputs in) {
    const int64_t rank = in[0].ndim(), from = checked_axis(source, rank), to = checked_axis(destination, rank);
    std::vector<int64_t> order(static_cast<size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + from);
    order.insert(order.begin() + to, from);
    return lax::transpose(in[0], order);
  });
}

Array expand_dims(const Operand& x, int64_t axis) {
  return run_op1("expand_dims", x.at, statics(axis), {x.array}, [&](Inputs in) {
    Shape shape = in[0].shape();
    shape.insert(shape.begin() + checked_axis(axis, in[0].ndim() + 1), 1);
    return lax::reshape(in[0], shape);
  });
}

Array squeeze(const Operand& x, AxesArg axis) {
  return run_op1("squeeze", x.at, statics(axis), {x.array}, [&](Inputs in) {
    const Array& a = in[0];
    Shape shape;
    std::vector<int64_t> drop;
    if (axis) drop = detail::checked_axes(axis, a.ndim());
    for (int64_t i = 0; i < a.ndim(); ++i) {
      const bool named = std::find(drop.begin(), drop.end(), i) != drop.end();
      if (named && a.dim(i) != 1)
        throw ShapeError(blame() + "axis " + std::to_string(i) + " of " + describe(a) + " has not size 1");
      if (axis ? !named : a.dim(i) != 1) shape.push_back(a.dim(i));
    }
    return lax::reshape(a, shape);
  });
}

Array broadcast_to(const Operand& x, const Shape& shape) {
  return run_op1("broadcast_to", x.at, statics(shape), {x.array},
                 [&](Inputs in) { return detail::broadcast_one(detail::settled(in[0]), shape); });
}

Array concatenate(const std::vector<Array>& arrays, int64_t axis, std::source_location at) {
  return detail::run_op("concatenate", at, statics(axis), arrays, [&](Inputs in) {
    if (in.empty()) throw ShapeError(blame() + "needs at least one array");
    std::vector<Array> all = detail::promoted(in);
    for (const Array& a : all)
      if (a.ndim() == 0) throw ShapeError(blame() + "cannot join scalars; stack them");
    return std::vector<Array>{lax::concatenate(all, checked_axis(axis, all[0].ndim()))};
  })[0];
}

Array stack(const std::vector<Array>& arrays, int64_t axis, std::source_location at) {
  return detail::run_op("stack", at, statics(axis), arrays, [&](Inputs in) {
    if (in.empty()) throw ShapeError(blame() + "needs at least one array");
    std::vector<Array> all = detail::promoted(in);
    const int64_t position = checked_axis(axis, all[0].ndim() + 1);
    for (const Array& a : all)
      if (a.shape() != in[0].shape())
        throw ShapeError(blame() + "all arrays must have one shape, but there are " + describe(in[0]) + " and " +
                         describe(a));
    for (Array& a : all) {
      Shape shape = a.shape();
      shape.insert(shape.begin() + position, 1);
      a = lax::reshape(a, shape);
    }
    return std::vector<Array>{lax::concatenate(all, position)};
  })[0];
}

std::vector<Array> split(const Operand& x, int64_t n, int64_t axis) {
  const Array one[] = {x.array};
  return detail::run_op("split", x.at, statics(n, axis), one, [&](Inputs in) {
    const Array& a = in[0];
    const int64_t along = checked_axis(axis, a.ndim()), size = a.dim(along);
    if (n <= 0 || size % n != 0)
      throw ShapeError(blame() + "cannot split axis " + std::to_string(along) + " of " + describe(a) + " into " +
                       std::to_string(n) + " equal parts");
    std::vector<Array> parts;
    Shape start(static_cast<size_t>(a.ndim()), 0), limit = a.shape();
    for (int64_t i = 0; i < n; ++i) {
      start[static_cast<size_t>(along)] = i * (size / n);
      limit[static_cast<size_t>(along)] = (i + 1) * (size / n);
      parts.push_back(lax::slice(a, start, limit));
    }
    return parts;
  });
}

Array flip(const Operand& x, AxesArg axis) {
  return run_op1("flip", x.at, statics(axis), {x.array},
                 [&](Inputs in) { return lax::rev(in[0], detail::checked_axes(axis, in[0].ndim())); });
}

Array roll(const Operand& x, int64_t shift, int64_t axis) {
  return run_op1("roll", x.at, statics(shift, axis), {x.array}, [&](Inputs in) {
    const Array& a = in[0];
    const int64_t along = checked_axis(axis, a.ndim()), size = a.dim(along);
    const int64_t by = size == 0 ? 0 : (shift % size + size) % size;
    if (by == 0) return a;
    Shape start(static_cast<size_t>(a.ndim()), 0), limit = a.shape(), middle_start = start, middle_limit = limit;
    middle_start[static_cast<size_t>(along)] = middle_limit[static_cast<size_t>(along)] = size - by;
    return lax::concatenate({lax::slice(a, middle_start, limit), lax::slice(a, start, middle_limit)}, along);
  });
}

Array tile(const Operand& x, const std::vector<int64_t>& repetitions) {
  return run_op1("tile", x.at, statics(repetitions), {x.array}, [&](Inputs in) {
    Array a = in[0];
    const size_t rank = std::max(a.shape().size(), repetitions.size());
    // [d0, d1] -> [r0, d0, r1, d1] -> [r0 d0, r1 d1]
    Shape wide, result;
    std::vector<int64_t> dims;
    for (size_t i = 0; i < rank; ++i) {
      const size_t missing_d = rank - a.shape().size(), missing_r = rank - repetitions.size();
      const int64_t d = i < missing_d ? 1 : a.shape()[i - missing_d],
                    r = i < missing_r ? 1 : repetitions[i - missing_r];
      if (r < 0) throw ShapeError(blame() + "a repetition is negative: " + std::to_string(r));
      wide.push_back(r);
      if (i >= missing_d) dims.push_back(static_cast<int64_t>(wide.size()));
      wide.push_back(d);
      result.push_back(r * d);
    }
    return lax::reshape(lax::broadcast_in_dim(a, wide, dims), result);
  });
}

Array repeat(const Operand& x, int64_t repeats, int64_t axis) {
  return run_op1("repeat", x.at, statics(repeats, axis), {x.array}, [&](Inputs in) {
    const Array& a = in[0];
    if (repeats < 0) throw ShapeError(blame() + "repeats is negative: " + std::to_string(repeats));
    const int64_t along = checked_axis(axis, a.ndim());
    Shape wide = a.shape(), result = a.shape();
    std::vector<int64_t> dims;
    for (int64_t i = 0; i < a.ndim(); ++i) dims.push_back(i + (i > along));
    wide.insert(wide.begin() + along + 1, repeats);
    result[static_cast<size_t>(along)] *= repeats;
    return lax::reshape(lax::broadcast_in_dim(a, wide, dims), result);
  });
}

Array pad(const Operand& x, const std::vector<std::pair<int64_t, int64_t>>& widths, const Operand& value) {
  std::vector<int64_t> flat;
  for (auto [before, after] : widths) flat.insert(flat.end(), {before, after});
  return run_op1("pad", x.at, statics(flat), {x.array, value.array}, [&](Inputs in) {
    Array a = detail::settled(in[0]);
    if (static_cast<int64_t>(widths.size()) != a.ndim())
      throw ShapeError(blame() + std::to_string(widths.size()) + " pairs of widths for " + describe(a) +
                       "; give one (before, after) per axis");
    std::vector<lax::Padding> padding;
    for (auto [before, after] : widths) {
      if (before < 0 || after < 0) throw ShapeError(blame() + "a width is negative; slice the array instead");
      padding.push_back({before, after, 0});
    }
    return lax::pad(a, detail::with_dtype(in[1], a.dtype()), padding);
  });
}

// --- methods of Array ---

Array Array::T(std::source_location at) const { return transpose(Operand(*this, at)); }
Array Array::astype(DType dtype, std::source_location at) const { return nacre::astype(Operand(*this, at), dtype); }
Array Array::reshape(const Shape& shape, std::source_location at) const {
  return nacre::reshape(Operand(*this, at), shape);
}

Array Array::slice(Range r0, Range r1, Range r2, Range r3, Range r4, Range r5, std::source_location at) const {
  const Range ranges[] = {r0, r1, r2, r3, r4, r5};
  std::string key;
  for (const Range& r : ranges) key += statics(r.start, r.stop, r.step);
  return run_op1("slice", at, key, {*this}, [&](Inputs in) {
    const Array& a = in[0];
    Shape start, limit, strides;
    for (int64_t i = 0; i < a.ndim(); ++i) {
      const Range r = i < 6 ? ranges[i] : Range();
      const int64_t n = a.dim(i), step = r.step.value_or(1);
      if (step <= 0) throw ShapeError(blame() + "steps must be positive; use flip to reverse");
      auto inside = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + n : v, 0, n); };
      start.push_back(inside(r.start.value_or(0)));
      limit.push_back(std::max(start.back(), inside(r.stop.value_or(n))));
      strides.push_back(step);
    }
    for (int64_t i = a.ndim(); i < 6; ++i)
      if (ranges[i].start || ranges[i].stop || ranges[i].step)
        throw ShapeError(blame() + "more ranges than axes of " + describe(a));
    return lax::slice(a, start, limit, strides);
  });
}

}  // namespace nacre
