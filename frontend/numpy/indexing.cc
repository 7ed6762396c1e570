// Indexing: every index becomes one gather or scatter over the axes that integers and arrays select, after ranges.
#include "nacre/indexing.h"

#include <algorithm>
#include <limits>

#include "frontend/core/weak.h"
#include "frontend/numpy/promote.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre {

using detail::blame;
using detail::constant_like;
using detail::statics;
using Inputs = std::span<const Array>;
using Axes = std::vector<int64_t>;

namespace {

// What reading out of bounds gives: NaN, or the least value (the greatest of unsigned types), as jnp's mode "fill".
Array fill_value(DType dtype) {
  switch (dtype) {
    case DType::pred: return detail::with_dtype(Array(true), dtype);
    case DType::u8: return detail::with_dtype(Array(int64_t{255}), dtype);
    case DType::u32: return detail::with_dtype(Array(int64_t{0xffffffff}), dtype);
    case DType::s32: return detail::with_dtype(Array(int64_t{std::numeric_limits<int32_t>::min()}), dtype);
    case DType::s64: return detail::with_dtype(Array(std::numeric_limits<int64_t>::min()), dtype);
    default: return detail::with_dtype(Array(std::numeric_limits<double>::quiet_NaN()), dtype);
  }
}

// Negative indices count from the end.
Array wrapped(const Array& indices, int64_t size) {
  Array i = detail::settled(indices);
  if (i.dtype() == DType::pred)
    throw DTypeError(blame() + "boolean masks give results of unknown shape; use where(mask, x, y)");
  if (!is_integer(i.dtype())) throw DTypeError(blame() + "indices must be integers, not " + describe(i));
  if (is_unsigned(i.dtype())) return i.dtype() == DType::u8 ? lax::convert_element_type(i, DType::s32) : i;
  return lax::select(lax::lt(i, constant_like(i, 0)), lax::add(i, constant_like(i, static_cast<double>(size))), i);
}

// An index in normal form. The ranges' slice comes first; then integer arrays of one shape select along `axes`.
struct Plan {
  Shape start, limit, strides;  // of the operand
  Axes axes;                    // selected by arrays, increasing
  std::vector<Array> arrays;    // one per axis, all of shape `index_shape`
  Shape index_shape;
  Axes dropped;          // axes of static integers: of size 1 after the slice
  int64_t position = 0;  // where index_shape goes among the remaining axes
  Shape result;          // shape of x[indices]
};

Plan plan_of(const Array& x, const std::vector<Index>& indices, Inputs arrays) {
  if (static_cast<int64_t>(indices.size()) > x.ndim())
    throw ShapeError(blame() + std::to_string(indices.size()) + " indices for " + describe(x));
  Plan p;
  size_t next = 0;
  Axes advanced;  // positions of arrays in `indices`
  for (int64_t d = 0; d < x.ndim(); ++d) {
    const int64_t n = x.dim(d);
    Array::Range range;
    if (d < static_cast<int64_t>(indices.size())) {
      const auto& value = indices[static_cast<size_t>(d)].value;
      if (const auto* i = std::get_if<int64_t>(&value)) {
        if (*i < -n || *i >= n)
          throw ShapeError(blame() + "index " + std::to_string(*i) + " is out of bounds for axis " + std::to_string(d) +
                           " of " + describe(x));
        range = Array::Range(*i < 0 ? *i + n : *i, (*i < 0 ? *i + n : *i) + 1);
        p.dropped.push_back(d);
      } else if (std::holds_alternative<Array>(value)) {
        p.axes.push_back(d);
        p.arrays.push_back(wrapped(arrays[next++], n));
        advanced.push_back(d);
      } else {
        range = std::get<Array::Range>(value);
      }
    }
    const int64_t step = range.step.value_or(1);
    if (step <= 0) throw ShapeError(blame() + "steps of ranges must be positive; use flip to reverse");
    auto inside = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + n : v, 0, n); };
    p.start.push_back(inside(range.start.value_or(0)));
    p.limit.push_back(std::max(p.start.back(), inside(range.stop.value_or(n))));
    p.strides.push_back(step);
  }
  if (!p.arrays.empty()) {
    std::vector<Array> same = detail::broadcast(detail::promoted(p.arrays));
    p.arrays = same;
    p.index_shape = same[0].shape();
  }
  // Remaining axes keep their order; the arrays' dimensions stand where the first of adjacent arrays stood, else first.
  // Beside arrays, integers count as arrays.
  if (!advanced.empty()) {
    advanced.insert(advanced.end(), p.dropped.begin(), p.dropped.end());
    std::sort(advanced.begin(), advanced.end());
  }
  const bool adjacent =
      advanced.empty() || advanced.back() - advanced.front() + 1 == static_cast<int64_t>(advanced.size());
  auto is_in = [](const Axes& axes, int64_t d) { return std::find(axes.begin(), axes.end(), d) != axes.end(); };
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (!advanced.empty() && adjacent && d == advanced.front()) p.position = static_cast<int64_t>(p.result.size());
    if (is_in(p.axes, d) || is_in(p.dropped, d)) continue;
    p.result.push_back((p.limit[d] - p.start[d] + p.strides[d] - 1) / p.strides[d]);
  }
  p.result.insert(p.result.begin() + p.position, p.index_shape.begin(), p.index_shape.end());
  return p;
}

// Index arrays side by side: [index_shape..., number of axes].
Array index_vectors(const Plan& p) {
  std::vector<Array> columns;
  for (const Array& a : p.arrays) {
    Shape shape = a.shape();
    shape.push_back(1);
    columns.push_back(lax::reshape(a, shape));
  }
  return lax::concatenate(columns, static_cast<int64_t>(p.index_shape.size()));
}

std::vector<Array> inputs_of(std::initializer_list<Array> first, const std::vector<Index>& indices) {
  std::vector<Array> inputs(first);
  for (const Index& i : indices)
    if (const auto* a = std::get_if<Array>(&i.value)) inputs.push_back(*a);
  return inputs;
}

std::string key_of(const std::vector<Index>& indices) {
  std::string key;
  for (const Index& i : indices) {
    key += statics(i.value.index());
    if (const auto* n = std::get_if<int64_t>(&i.value)) key += statics(*n);
    if (const auto* r = std::get_if<Array::Range>(&i.value)) key += statics(r->start, r->stop, r->step);
  }
  return key;
}

Array in_bounds(const Plan& p, const Array& x) {
  Array inside;
  for (size_t i = 0; i < p.arrays.size(); ++i) {
    const Array& a = p.arrays[i];
    Array ok = lax::bitwise_and(lax::ge(a, constant_like(a, 0)),
                                lax::lt(a, constant_like(a, static_cast<double>(x.dim(p.axes[i])))));
    inside = i == 0 ? ok : lax::bitwise_and(inside, ok);
  }
  return inside;
}

Array gathered(const Array& x, const Plan& p, IndexMode mode) {
  Array sliced = lax::slice(x, p.start, p.limit, p.strides);
  if (p.arrays.empty()) return lax::reshape(sliced, p.result);
  lax::GatherDimensionNumbers dims;
  Shape sizes = sliced.shape();
  dims.index_vector_dim = static_cast<int64_t>(p.index_shape.size());
  for (int64_t axis : p.axes) {
    dims.collapsed_slice_dims.push_back(axis);
    dims.start_index_map.push_back(axis);
    sizes[static_cast<size_t>(axis)] = 1;
  }
  for (int64_t axis : p.dropped) dims.collapsed_slice_dims.push_back(axis);
  std::sort(dims.collapsed_slice_dims.begin(), dims.collapsed_slice_dims.end());
  const auto rank = static_cast<int64_t>(p.result.size()), batch = static_cast<int64_t>(p.index_shape.size());
  for (int64_t d = 0; d < rank; ++d)
    if (d < p.position || d >= p.position + batch) dims.offset_dims.push_back(d);
  Array out = lax::gather(sliced, index_vectors(p), dims, sizes);
  if (mode == IndexMode::clip) return out;
  Axes where(static_cast<size_t>(batch));
  for (int64_t i = 0; i < batch; ++i) where[static_cast<size_t>(i)] = p.position + i;
  Array inside = lax::broadcast_in_dim(in_bounds(p, x), p.result, where);
  Array fill = lax::broadcast_in_dim(fill_value(x.dtype()), p.result, {});
  return lax::select(inside, out, fill);
}

// x with `values`, of shape p.result, scattered in. Ranges become index arrays of their own.
Array scattered(const Array& x, const Plan& p, const Array& values, bool add) {
  lax::ScatterDimensionNumbers dims;
  // The window covers the axes that no index touches; all others get index vectors of [result dims..., axes].
  Axes indexed;
  std::vector<Array> columns;
  Shape batch = p.index_shape;
  struct Ranged {
    int64_t axis, size;
  };
  std::vector<Ranged> ranged;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    const bool array = std::find(p.axes.begin(), p.axes.end(), d) != p.axes.end();
    const bool dropped = std::find(p.dropped.begin(), p.dropped.end(), d) != p.dropped.end();
    const bool whole = p.start[d] == 0 && p.limit[d] == x.dim(d) && p.strides[d] == 1;
    if (!array && !dropped && !whole)
      ranged.push_back({d, (p.limit[d] - p.start[d] + p.strides[d] - 1) / p.strides[d]});
    if (array || dropped || !whole) indexed.push_back(d);
  }
  for (const Ranged& r : ranged) batch.push_back(r.size);
  Shape column = batch;
  column.push_back(1);
  const DType type = p.arrays.empty() ? DType::s32 : p.arrays[0].dtype();
  size_t next_array = 0, next_range = 0;
  for (int64_t d : indexed) {
    Array index;
    if (std::find(p.axes.begin(), p.axes.end(), d) != p.axes.end()) {
      Axes to(p.index_shape.size());
      for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<int64_t>(i);
      index = lax::broadcast_in_dim(p.arrays[next_array++], column, to);
    } else if (std::find(p.dropped.begin(), p.dropped.end(), d) != p.dropped.end()) {
      index = lax::full(column, static_cast<int64_t>(p.start[d]), type);
    } else {
      const auto along = static_cast<int64_t>(p.index_shape.size() + next_range++);
      Array count = lax::broadcasted_iota(type, column, along);
      index = lax::add(lax::mul(count, constant_like(count, static_cast<double>(p.strides[d]))),
                       constant_like(count, static_cast<double>(p.start[d])));
    }
    columns.push_back(index);
    dims.inserted_window_dims.push_back(d);
    dims.scatter_dims_to_operand_dims.push_back(d);
  }
  // Updates: [index_shape..., ranged..., window...].
  Axes order;
  const auto arrays_rank = static_cast<int64_t>(p.index_shape.size());
  for (int64_t i = 0; i < arrays_rank; ++i) order.push_back(p.position + i);
  Axes ranged_dims, window_dims;
  int64_t at = 0;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (at == p.position) at += arrays_rank;
    if (std::find(p.axes.begin(), p.axes.end(), d) != p.axes.end() ||
        std::find(p.dropped.begin(), p.dropped.end(), d) != p.dropped.end())
      continue;
    const bool is_ranged = std::any_of(ranged.begin(), ranged.end(), [&](const Ranged& r) { return r.axis == d; });
    (is_ranged ? ranged_dims : window_dims).push_back(at++);
  }
  order.insert(order.end(), ranged_dims.begin(), ranged_dims.end());
  order.insert(order.end(), window_dims.begin(), window_dims.end());
  Array updates = lax::transpose(values, order);
  for (size_t i = 0; i < window_dims.size(); ++i)
    dims.update_window_dims.push_back(static_cast<int64_t>(batch.size() + i));
  dims.index_vector_dim = static_cast<int64_t>(batch.size());
  Array vectors = columns.empty() ? lax::full(
                                        [&] {
                                          Shape none = batch;
                                          none.push_back(0);
                                          return none;
                                        }(),
                                        0, type)
                                  : lax::concatenate(columns, dims.index_vector_dim);
  return add ? lax::scatter_add(x, vectors, updates, dims) : lax::scatter(x, vectors, updates, dims);
}

Array update(const char* name, const Operand& x, const std::vector<Index>& indices, const Operand& values, bool add) {
  std::vector<Array> inputs = inputs_of({x.array, values.array}, indices);
  return detail::run_op(name, x.at, key_of(indices), inputs, [&](Inputs in) {
    Array target = detail::settled(in[0]);
    Plan p = plan_of(target, indices, in.subspan(2));
    Array v = detail::broadcast_one(detail::with_dtype(in[1], target.dtype()), p.result);
    return std::vector<Array>{scattered(target, p, v, add)};
  })[0];
}

}  // namespace

Array index(const Operand& x, const std::vector<Index>& indices, IndexMode mode) {
  std::vector<Array> inputs = inputs_of({x.array}, indices);
  return detail::run_op("index", x.at, key_of(indices) + statics(mode), inputs, [&](Inputs in) {
    Array a = detail::settled(in[0]);
    return std::vector<Array>{gathered(a, plan_of(a, indices, in.subspan(1)), mode)};
  })[0];
}

Array IndexUpdate::set(const Operand& values) const { return update("at.set", x_, indices_, values, false); }
Array IndexUpdate::add(const Operand& values) const { return update("at.add", x_, indices_, values, true); }
Array IndexUpdate::subtract(const Operand& values) const {
  return update("at.subtract", x_, indices_, negative(values), true);
}
Array IndexUpdate::multiply(const Operand& values) const { return set(nacre::multiply(get(), values)); }
Array IndexUpdate::divide(const Operand& values) const { return set(nacre::divide(get(), values)); }
Array IndexUpdate::get(IndexMode mode) const { return index(x_, indices_, mode); }

Array take(const Operand& x, const Operand& indices, std::optional<int64_t> axis) {
  return detail::run_op1("take", x.at, statics(axis), {x.array, indices.array}, [&](Inputs in) {
    Array a = detail::settled(in[0]);
    if (!axis) a = lax::reshape(a, {a.size()});
    const int64_t along = axis ? detail::checked_axis(*axis, a.ndim()) : 0;
    std::vector<Index> full(static_cast<size_t>(along), Array::Range());
    full.push_back(in[1]);
    return gathered(a, plan_of(a, full, in.subspan(1)), IndexMode::fill);
  });
}

Array take_along_axis(const Operand& x, const Operand& indices, int64_t axis) {
  return detail::run_op1("take_along_axis", x.at, statics(axis), {x.array, indices.array}, [&](Inputs in) {
    Array a = detail::settled(in[0]), i = in[1];
    if (a.ndim() != i.ndim())
      throw ShapeError(blame() + describe(a) + " and indices " + describe(i) + " must have as many axes");
    const int64_t along = detail::checked_axis(axis, a.ndim());
    // All other axes are batches of the gather.
    Shape shape;
    for (int64_t d = 0; d < a.ndim(); ++d) {
      if (d != along && a.dim(d) != i.dim(d) && a.dim(d) != 1 && i.dim(d) != 1)
        throw ShapeError(blame() + describe(a) + " and indices " + describe(i) + " differ on axis " +
                         std::to_string(d) + "; only the axis taken along may differ");
      shape.push_back(a.dim(d) == 1 ? i.dim(d) : a.dim(d));
    }
    Shape a_shape = shape, i_shape = shape;
    a_shape[static_cast<size_t>(along)] = a.dim(along);
    i_shape[static_cast<size_t>(along)] = i.dim(along);
    a = detail::broadcast_one(a, a_shape);
    i = wrapped(detail::broadcast_one(i, i_shape), a.dim(along));
    lax::GatherDimensionNumbers dims;
    for (int64_t d = 0; d < a.ndim(); ++d)
      if (d != along) {
        dims.operand_batching_dims.push_back(d);
        dims.start_indices_batching_dims.push_back(d);
      }
    dims.collapsed_slice_dims = {along};
    dims.start_index_map = {along};
    dims.index_vector_dim = a.ndim();
    Shape vectors = i_shape;
    vectors.push_back(1);
    Array out = lax::gather(a, lax::reshape(i, vectors), dims, Shape(a_shape.size(), 1));
    Array inside = lax::bitwise_and(lax::ge(i, constant_like(i, 0)),
                                    lax::lt(i, constant_like(i, static_cast<double>(a.dim(along)))));
    return lax::select(inside, out, lax::broadcast_in_dim(fill_value(a.dtype()), out.shape(), {}));
  });
}

}  // namespace nacre
