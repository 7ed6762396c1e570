#include "frontend/numpy/promote.h"

#include <algorithm>
#include <numeric>

#include "frontend/core/weak.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre {

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (static_cast<int>(a) > static_cast<int>(b)) std::swap(a, b);  // pred, s32, s64, u8, u32, bf16, f32, f64
  if (is_floating(b)) return b;                                    // anything below a float gives that float
  if (a == DType::pred) return b;
  if (b == DType::u8) return a;  // s32 or s64 hold all of u8
  if (b == DType::u32) return a == DType::u8 ? b : DType::s64;
  return DType::s64;  // s32 and s64
}

namespace detail {

Promotion promotion_of(std::span<const Array> arrays, bool inexact) {
  bool strong = false, weak_int = false, weak_float = false;
  DType dtype = DType::pred;
  for (const Array& a : arrays) {
    if (!a.is_weak()) {
      dtype = strong ? promote_types(dtype, a.dtype()) : a.dtype();
      strong = true;
    } else if (is_floating(a.dtype())) {
      weak_float = true;
    } else {
      weak_int = true;
    }
  }
  if (!strong) {
    if (weak_float || inexact) return {DType::f32, true};
    return {DType::s32, true};
  }
  if (is_floating(dtype)) return {dtype, false};
  if (weak_float) return {DType::f32, true};
  if (inexact) return {dtype == DType::s64 ? DType::f64 : DType::f32, false};
  if (dtype == DType::pred && weak_int) return {DType::s32, true};
  return {dtype, false};
}

std::vector<Array> promoted(std::span<const Array> arrays, bool inexact) {
  for (const Array& a : arrays)
    if (a.is_null()) throw ValueError(blame() + "an operand is a default-constructed (null) Array; assign one first");
  const Promotion to = promotion_of(arrays, inexact);
  std::vector<Array> out;
  for (const Array& a : arrays) {
    if (a.dtype() == to.dtype && a.is_weak() == to.weak)
      out.push_back(settled(a));
    else
      out.push_back(to.weak ? convert(a, to.dtype, true) : with_dtype(a, to.dtype));
  }
  return out;
}

Array broadcast_one(const Array& a, const Shape& shape) {
  if (a.shape() == shape) return a;
  const auto rank = static_cast<int64_t>(shape.size()), own = a.ndim();
  bool fits = own <= rank;
  std::vector<int64_t> dims(static_cast<size_t>(own));
  std::iota(dims.begin(), dims.end(), rank - own);
  for (int64_t i = 0; fits && i < own; ++i) fits = a.dim(i) == 1 || a.dim(i) == shape[static_cast<size_t>(dims[i])];
  if (!fits) {
    std::string wanted;
    for (int64_t d : shape) wanted += (wanted.empty() ? "" : ",") + std::to_string(d);
    throw ShapeError(blame() + "cannot broadcast " + describe(a) + " to shape [" + wanted +
                     "]: aligned at the right, each dimension must be 1 or equal");
  }
  return lax::broadcast_in_dim(a, shape, dims);
}

std::vector<Array> broadcast(std::span<const Array> arrays) {
  Shape shape;
  for (const Array& a : arrays) {
    const Shape& own = a.shape();
    if (own.size() > shape.size()) shape.insert(shape.begin(), own.size() - shape.size(), 1);
    for (size_t i = 0; i < own.size(); ++i) {
      int64_t& d = shape[shape.size() - own.size() + i];
      if (d == 1) d = own[i];
      if (own[i] == 1 || own[i] == d) continue;
      std::string all;
      for (const Array& each : arrays) all += (all.empty() ? "" : ", ") + describe(each);
      throw ShapeError(blame() + "operands do not broadcast together: " + all +
                       ". Aligned at the right, each dimension must be equal or 1; reshape or expand_dims one of them");
    }
  }
  std::vector<Array> out;
  for (const Array& a : arrays) out.push_back(broadcast_one(a, shape));
  return out;
}

int64_t checked_axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    throw ShapeError(blame() + "axis " + std::to_string(axis) + " is out of range for an array of " +
                     std::to_string(rank) + " dimensions");
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> checked_axes(const AxesArg& axes, int64_t rank) {
  std::vector<int64_t> out;
  if (!axes) {
    out.resize(static_cast<size_t>(rank));
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  for (int64_t axis : *axes) out.push_back(checked_axis(axis, rank));
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) throw ShapeError(blame() + "an axis is named twice");
  return out;
}

Array constant_like(const Array& x, double value) {
  const Array exact = with_dtype(Array(value), x.dtype());
  const ArrayImpl& literal = *Access::impl(exact);
  Array scalar = number(x.dtype(), literal.float_value, literal.int_value, x.is_weak());
  return x.ndim() == 0 ? scalar : lax::broadcast_in_dim(scalar, x.shape(), {});
}

}  // namespace detail

DType result_type(const std::vector<Array>& arrays) { return detail::promotion_of(arrays).dtype; }

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  Array both[] = {abstract(a), abstract(b)};
  Shape shape(std::max(a.size(), b.size()), 1);
  for (const Array& x : both)
    for (int64_t i = 1; i <= x.ndim(); ++i) {
      int64_t& d = shape[shape.size() - static_cast<size_t>(i)];
      const int64_t own = x.dim(-i);
      if (d == 1) d = own;
      if (own != 1 && own != d)
        throw ShapeError("broadcast_shapes: " + describe(both[0]) + " and " + describe(both[1]) +
                         " do not broadcast together");
    }
  return shape;
}

}  // namespace nacre
