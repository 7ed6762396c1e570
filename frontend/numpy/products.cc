// Products of the NumPy-like layer: all of them are one dot_general.
#include <algorithm>
#include <map>

#include "frontend/core/weak.h"
#include "frontend/numpy/promote.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre {

using detail::blame;
using detail::run_op1;
using Inputs = std::span<const Array>;
using Axes = std::vector<int64_t>;

namespace {

Array contract(const Array& x, const Array& y, const Axes& x_axes, const Axes& y_axes) {
  return lax::dot_general(x, y, {x_axes, y_axes, {}, {}});
}

void check_inner(const Array& x, const Array& y, int64_t x_axis, int64_t y_axis) {
  if (x.dim(x_axis) != y.dim(y_axis))
    throw ShapeError(blame() + "operands are " + describe(x) + " and " + describe(y) + ": axis " +
                     std::to_string(x_axis) + " of the first (" + std::to_string(x.dim(x_axis)) + ") and axis " +
                     std::to_string(y_axis) + " of the second (" + std::to_string(y.dim(y_axis)) +
                     ") are summed over and must be equal; transpose or reshape one of them");
}

template <class F>
Array product(const char* name, const Operand& x, const Operand& y, F f) {
  return run_op1(name, x.at, "", {x.array, y.array}, [&](Inputs in) {
    std::vector<Array> both = detail::promoted(in);
    return f(both[0], both[1]);
  });
}

Array vectors_or_matrices(const Array& x, const Array& y) {
  if (x.ndim() == 0 || y.ndim() == 0)
    throw ShapeError(blame() + "operands are " + describe(x) + " and " + describe(y) +
                     "; scalars are not matrices, use * instead");
  const int64_t y_axis = y.ndim() == 1 ? 0 : y.ndim() - 2;
  check_inner(x, y, x.ndim() - 1, y_axis);
  if (y.ndim() <= 2) return contract(x, y, {x.ndim() - 1}, {y_axis});
  if (x.ndim() == 1) {
    // [k] . [..., k, n]
    return contract(y, x, {y_axis}, {0});
  }
  if (x.ndim() == 2) {
    // [m, k] . [..., k, n] -> [m, ..., n] -> [..., m, n]
    Array out = contract(x, y, {1}, {y_axis});
    return moveaxis(out, 0, -2);
  }
  // Leading axes are batches, broadcast together.
  Shape x_batch(x.shape().begin(), x.shape().end() - 2), y_batch(y.shape().begin(), y.shape().end() - 2);
  if (x_batch != y_batch) {
    Shape batch = broadcast_shapes(x_batch, y_batch);
    Shape xs = batch, ys = batch;
    xs.insert(xs.end(), x.shape().end() - 2, x.shape().end());
    ys.insert(ys.end(), y.shape().end() - 2, y.shape().end());
    return vectors_or_matrices(detail::broadcast_one(x, xs), detail::broadcast_one(y, ys));
  }
  Axes batch;
  for (int64_t i = 0; i + 2 < x.ndim(); ++i) batch.push_back(i);
  return lax::dot_general(x, y, {{x.ndim() - 1}, {y.ndim() - 2}, batch, batch});
}

}  // namespace

Array matmul(const Operand& x, const Operand& y) { return product("matmul", x, y, vectors_or_matrices); }

Array dot(const Operand& x, const Operand& y) {
  return product("dot", x, y, [](const Array& a, const Array& b) {
    if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b);
    const int64_t b_axis = b.ndim() == 1 ? 0 : b.ndim() - 2;
    check_inner(a, b, a.ndim() - 1, b_axis);
    return contract(a, b, {a.ndim() - 1}, {b_axis});
  });
}

Array vdot(const Operand& x, const Operand& y) {
  return product("vdot", x, y, [](const Array& a, const Array& b) {
    Array p = ravel(a), q = ravel(b);
    check_inner(p, q, 0, 0);
    return contract(p, q, {0}, {0});
  });
}

Array inner(const Operand& x, const Operand& y) {
  return product("inner", x, y, [](const Array& a, const Array& b) {
    if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b);
    check_inner(a, b, a.ndim() - 1, b.ndim() - 1);
    return contract(a, b, {a.ndim() - 1}, {b.ndim() - 1});
  });
}

Array outer(const Operand& x, const Operand& y) {
  return product("outer", x, y, [](const Array& a, const Array& b) {
    return multiply(expand_dims(ravel(a), 1), expand_dims(ravel(b), 0));
  });
}

Array tensordot(const Operand& x, const Operand& y, int64_t axes) {
  return run_op1("tensordot", x.at, detail::statics(axes), {x.array, y.array}, [&](Inputs in) {
    std::vector<Array> both = detail::promoted(in);
    if (axes < 0 || axes > both[0].ndim() || axes > both[1].ndim())
      throw ShapeError(blame() + std::to_string(axes) + " axes are more than " + describe(both[0]) + " or " +
                       describe(both[1]) + " has");
    Axes x_axes, y_axes;
    for (int64_t i = 0; i < axes; ++i) {
      x_axes.push_back(both[0].ndim() - axes + i);
      y_axes.push_back(i);
      check_inner(both[0], both[1], x_axes.back(), i);
    }
    return contract(both[0], both[1], x_axes, y_axes);
  });
}

Array trace(const Operand& x) {
  return run_op1("trace", x.at, "", {x.array}, [&](Inputs in) {
    const Array& a = in[0];
    if (a.ndim() != 2) throw ShapeError(blame() + "wants a matrix, not " + describe(a));
    Array row = lax::broadcasted_iota(DType::s32, a.shape(), 0),
          column = lax::broadcasted_iota(DType::s32, a.shape(), 1);
    return sum(where(lax::eq(row, column), a, detail::constant_like(a, 0)));
  });
}

}  // namespace nacre
