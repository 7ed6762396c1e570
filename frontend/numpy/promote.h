// Promotion and broadcasting of operands. All of it runs inside a trace (the body of run_op).
#pragma once
#include <span>
#include <vector>

#include "nacre/numpy.h"

namespace nacre::detail {

struct Promotion {
  DType dtype;
  bool weak;
};
// JAX's type promotion lattice (docs: "Type promotion semantics"), with 64-bit types on. `inexact`: integers and bools
// give weak or strong float32, int64 gives float64.
Promotion promotion_of(std::span<const Array> arrays, bool inexact = false);
// All operands with one dtype.
std::vector<Array> promoted(std::span<const Array> arrays, bool inexact = false);
// All operands with one shape. ShapeError when NumPy's rules give none.
std::vector<Array> broadcast(std::span<const Array> arrays);
// Right-aligned broadcast of one array. ShapeError when its dimensions do not fit.
Array broadcast_one(const Array& a, const Shape& shape);
// Axis in [0, rank); ShapeError when out of range.
int64_t checked_axis(int64_t axis, int64_t rank);
// Sorted and unique axes in [0, rank); all when absent.
std::vector<int64_t> checked_axes(const AxesArg& axes, int64_t rank);
// A constant of x's dtype, weakness and shape, from a number that is exact in double precision.
Array constant_like(const Array& x, double value);

}  // namespace nacre::detail
