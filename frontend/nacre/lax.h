// nacre::lax: one function per op of the IR, with jax.lax's names. Strict: operands must have equal shapes and dtypes
// (C++ numbers take the other operand's dtype and are broadcast); the NumPy-like layer above it broadcasts and
// promotes. Meaning of each op, with its edge cases: docs/ops.md, after the StableHLO specification. Errors:
// ShapeError, DTypeError with both operands' types and the calling line; ValueError for null arrays.
#pragma once
#include <utility>
#include <vector>

#include "nacre/array.h"

namespace nacre::lax {

using Axes = std::vector<int64_t>;

// --- One operand. Floating point in, same type out. ---
Array exp(const Operand& x);
Array expm1(const Operand& x);
Array log(const Operand& x);
Array log1p(const Operand& x);
Array sin(const Operand& x);
Array cos(const Operand& x);
Array tan(const Operand& x);
Array asin(const Operand& x);
Array acos(const Operand& x);
Array atan(const Operand& x);
Array sinh(const Operand& x);
Array cosh(const Operand& x);
Array tanh(const Operand& x);
Array asinh(const Operand& x);
Array acosh(const Operand& x);
Array atanh(const Operand& x);
Array logistic(const Operand& x);
Array erf(const Operand& x);
Array erfc(const Operand& x);
Array erf_inv(const Operand& x);
Array sqrt(const Operand& x);
Array rsqrt(const Operand& x);
Array cbrt(const Operand& x);
Array floor(const Operand& x);
Array ceil(const Operand& x);
Array round_nearest_even(const Operand& x);
Array round_nearest_afz(const Operand& x);  // away from zero on ties
// --- Any number. ---
Array abs(const Operand& x);
Array neg(const Operand& x);
Array sign(const Operand& x);
// --- Integers (bitwise_not: booleans too). ---
Array bitwise_not(const Operand& x);
Array population_count(const Operand& x);
Array clz(const Operand& x);
// --- Floating point in, booleans out. ---
Array is_finite(const Operand& x);
// --- Any type: identity with derivative zero. ---
Array stop_gradient(const Operand& x);

// --- Two operands of one type. ---
Array add(const Operand& x, const Operand& y);
Array sub(const Operand& x, const Operand& y);
Array mul(const Operand& x, const Operand& y);
Array div(const Operand& x, const Operand& y);
Array rem(const Operand& x, const Operand& y);
Array pow(const Operand& x, const Operand& y);
Array atan2(const Operand& y, const Operand& x);
Array max(const Operand& x, const Operand& y);
Array min(const Operand& x, const Operand& y);
Array bitwise_and(const Operand& x, const Operand& y);
Array bitwise_or(const Operand& x, const Operand& y);
Array bitwise_xor(const Operand& x, const Operand& y);
Array shift_left(const Operand& x, const Operand& y);
Array shift_right_arithmetic(const Operand& x, const Operand& y);
Array shift_right_logical(const Operand& x, const Operand& y);
Array eq(const Operand& x, const Operand& y);
Array ne(const Operand& x, const Operand& y);
Array lt(const Operand& x, const Operand& y);
Array le(const Operand& x, const Operand& y);
Array gt(const Operand& x, const Operand& y);
Array ge(const Operand& x, const Operand& y);
Array select(const Operand& pred, const Operand& on_true, const Operand& on_false);
Array clamp(const Operand& min, const Operand& x, const Operand& max);

// --- Types and creation. ---
Array convert_element_type(const Operand& x, DType dtype);
Array bitcast_convert_type(const Operand& x, DType dtype);
Array full(const Shape& shape, const Operand& scalar, DType dtype);
Array iota(DType dtype, int64_t size, std::source_location at = std::source_location::current());
Array broadcasted_iota(DType dtype, const Shape& shape, int64_t axis,
                       std::source_location at = std::source_location::current());

// --- Shapes. ---
Array broadcast_in_dim(const Operand& x, const Shape& shape, const Axes& broadcast_dimensions);
Array reshape(const Operand& x, const Shape& shape);
Array transpose(const Operand& x, const Axes& permutation);
Array rev(const Operand& x, const Axes& axes);
Array slice(const Operand& x, const Shape& start, const Shape& limit, const Shape& strides = {});
// Per dimension: low, high, interior. Low and high may be negative.
struct Padding {
  int64_t low = 0, high = 0, interior = 0;
};
Array pad(const Operand& x, const Operand& value, const std::vector<Padding>& padding);
Array concatenate(const std::vector<Array>& arrays, int64_t axis,
                  std::source_location at = std::source_location::current());

// --- Indexing by data. Start indices are integer scalars, one per dimension, clamped so that the window fits. ---
Array dynamic_slice(const Operand& x, const std::vector<Array>& start, const Shape& sizes);
Array dynamic_update_slice(const Operand& x, const Operand& update, const std::vector<Array>& start);
// Field order follows the StableHLO specification of gather and scatter.
struct GatherDimensionNumbers {
  Axes offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map;
  int64_t index_vector_dim = 0;
};
// Out-of-bounds start indices are clamped.
Array gather(const Operand& x, const Operand& start_indices, const GatherDimensionNumbers& dims,
             const Shape& slice_sizes, bool indices_are_sorted = false);
struct ScatterDimensionNumbers {
  Axes update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
      scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
};
// Out-of-bounds updates are dropped.
Array scatter(const Operand& x, const Operand& indices, const Operand& updates, const ScatterDimensionNumbers& dims,
              bool indices_are_sorted = false, bool unique_indices = false);
Array scatter_add(const Operand& x, const Operand& indices, const Operand& updates, const ScatterDimensionNumbers& dims,
                  bool indices_are_sorted = false, bool unique_indices = false);

// --- Reductions; the axes disappear. ---
Array reduce_sum(const Operand& x, const Axes& axes);
Array reduce_prod(const Operand& x, const Axes& axes);
Array reduce_max(const Operand& x, const Axes& axes);
Array reduce_min(const Operand& x, const Axes& axes);
Array reduce_and(const Operand& x, const Axes& axes);
Array reduce_or(const Operand& x, const Axes& axes);
Array argmax(const Operand& x, int64_t axis, DType index_dtype = i32);
Array argmin(const Operand& x, int64_t axis, DType index_dtype = i32);

// --- Products. ---
struct DotDimensionNumbers {
  Axes lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
};
// Result dimensions: batch, lhs free, rhs free. `preferred`: the result's dtype (and accumulation at least as wide).
Array dot_general(const Operand& lhs, const Operand& rhs, const DotDimensionNumbers& dims,
                  std::optional<DType> preferred = std::nullopt);

// --- Others. ---
// 20 rounds of Threefry-2x32 on the counters (x0, x1) under the key (k0, k1); u32, all of one shape.
std::pair<Array, Array> threefry2x32(const Operand& k0, const Operand& k1, const Operand& x0, const Operand& x1);
std::vector<Array> optimization_barrier(const std::vector<Array>& arrays,
                                        std::source_location at = std::source_location::current());

}  // namespace nacre::lax
