// The NumPy-like layer: broadcasting, promotion, NumPy's names and meanings (as jax.numpy has them).
//
// Broadcasting is NumPy's. Promotion is JAX's with 64-bit types enabled: bool < u8 < u32, s32 < s64 < bf16 < f32 < f64,
// C++ numbers are weak (they take the other operand's dtype within their kind). Functions of floating-point results
// turn integers into float32, int64 into float64. Axes may be negative. Errors: ShapeError and DTypeError that name the
// function, the operands and the calling line.
#pragma once
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "nacre/array.h"

namespace nacre {

// Axes of a reduction: none given means all of them.
using AxesArg = std::optional<std::vector<int64_t>>;

struct ReduceOptions {
  AxesArg axis;
  bool keepdims = false;
  ReduceOptions() = default;
  ReduceOptions(int axis) : axis({axis}) {}  // NOLINT: implicit
  ReduceOptions(int axis, bool keepdims) : axis({axis}), keepdims(keepdims) {}
  ReduceOptions(std::initializer_list<int64_t> axes, bool keepdims = false) : axis(axes), keepdims(keepdims) {}
  static ReduceOptions all(bool keepdims) {
    ReduceOptions o;
    o.keepdims = keepdims;
    return o;
  }
};

// --- dtypes ---
// The dtype of the result of an operation on both.
DType promote_types(DType a, DType b);
DType result_type(const std::vector<Array>& arrays);
Array astype(const Operand& x, DType dtype);

// --- creation (float32 and int32 unless said otherwise) ---
Array zeros(const Shape& shape, DType dtype = f32, std::source_location at = std::source_location::current());
Array ones(const Shape& shape, DType dtype = f32, std::source_location at = std::source_location::current());
Array full(const Shape& shape, const Operand& value, std::optional<DType> dtype = std::nullopt);
Array zeros_like(const Operand& x);
Array ones_like(const Operand& x);
Array full_like(const Operand& x, const Operand& value);
Array arange(int64_t stop, std::source_location at = std::source_location::current());
Array arange(int64_t start, int64_t stop, int64_t step = 1, std::source_location at = std::source_location::current());
Array linspace(double start, double stop, int64_t num, std::source_location at = std::source_location::current());
Array eye(int64_t n, std::optional<int64_t> m = std::nullopt, int64_t k = 0, DType dtype = f32,
          std::source_location at = std::source_location::current());
// Lower / upper triangle of the last two axes: elements above (below) diagonal k become 0.
Array tril(const Operand& x, int64_t k = 0);
Array triu(const Operand& x, int64_t k = 0);

// --- elementwise, one operand; integers become float32 where the result is floating point ---
Array abs(const Operand& x);
Array negative(const Operand& x);
Array sign(const Operand& x);
Array square(const Operand& x);
Array reciprocal(const Operand& x);
Array exp(const Operand& x);
Array exp2(const Operand& x);
Array expm1(const Operand& x);
Array log(const Operand& x);
Array log2(const Operand& x);
Array log10(const Operand& x);
Array log1p(const Operand& x);
Array sqrt(const Operand& x);
Array rsqrt(const Operand& x);
Array cbrt(const Operand& x);
Array sin(const Operand& x);
Array cos(const Operand& x);
Array tan(const Operand& x);
Array arcsin(const Operand& x);
Array arccos(const Operand& x);
Array arctan(const Operand& x);
Array sinh(const Operand& x);
Array cosh(const Operand& x);
Array tanh(const Operand& x);
Array arcsinh(const Operand& x);
Array arccosh(const Operand& x);
Array arctanh(const Operand& x);
Array erf(const Operand& x);
Array erfc(const Operand& x);
Array erf_inv(const Operand& x);
Array floor(const Operand& x);
Array ceil(const Operand& x);
Array trunc(const Operand& x);
Array round(const Operand& x);  // ties to even
Array isnan(const Operand& x);
Array isinf(const Operand& x);
Array isfinite(const Operand& x);
Array logical_not(const Operand& x);
Array invert(const Operand& x);
Array nan_to_num(const Operand& x, double nan = 0.0);
Array stop_gradient(const Operand& x);

// --- elementwise, two operands ---
Array add(const Operand& x, const Operand& y);
Array subtract(const Operand& x, const Operand& y);
Array multiply(const Operand& x, const Operand& y);
Array divide(const Operand& x, const Operand& y);        // true division: integers give float32
Array floor_divide(const Operand& x, const Operand& y);  // towards minus infinity
Array remainder(const Operand& x, const Operand& y);     // sign of the divisor, as NumPy's %
Array fmod(const Operand& x, const Operand& y);          // sign of the dividend, as C's
Array power(const Operand& x, const Operand& y);
Array arctan2(const Operand& y, const Operand& x);
Array hypot(const Operand& x, const Operand& y);
Array maximum(const Operand& x, const Operand& y);
Array minimum(const Operand& x, const Operand& y);
Array logaddexp(const Operand& x, const Operand& y);
Array equal(const Operand& x, const Operand& y);
Array not_equal(const Operand& x, const Operand& y);
Array less(const Operand& x, const Operand& y);
Array less_equal(const Operand& x, const Operand& y);
Array greater(const Operand& x, const Operand& y);
Array greater_equal(const Operand& x, const Operand& y);
Array logical_and(const Operand& x, const Operand& y);
Array logical_or(const Operand& x, const Operand& y);
Array logical_xor(const Operand& x, const Operand& y);
Array bitwise_and(const Operand& x, const Operand& y);
Array bitwise_or(const Operand& x, const Operand& y);
Array bitwise_xor(const Operand& x, const Operand& y);
Array left_shift(const Operand& x, const Operand& y);
Array right_shift(const Operand& x, const Operand& y);  // arithmetic for signed, logical for unsigned
Array where(const Operand& condition, const Operand& x, const Operand& y);
Array clip(const Operand& x, const Operand& low, const Operand& high);

inline Array operator+(const Operand& x, const Operand& y) { return add(x, y); }
inline Array operator-(const Operand& x, const Operand& y) { return subtract(x, y); }
inline Array operator*(const Operand& x, const Operand& y) { return multiply(x, y); }
inline Array operator/(const Operand& x, const Operand& y) { return divide(x, y); }
inline Array operator%(const Operand& x, const Operand& y) { return remainder(x, y); }
inline Array operator-(const Operand& x) { return negative(x); }
inline Array operator==(const Operand& x, const Operand& y) { return equal(x, y); }
inline Array operator!=(const Operand& x, const Operand& y) { return not_equal(x, y); }
inline Array operator<(const Operand& x, const Operand& y) { return less(x, y); }
inline Array operator<=(const Operand& x, const Operand& y) { return less_equal(x, y); }
inline Array operator>(const Operand& x, const Operand& y) { return greater(x, y); }
inline Array operator>=(const Operand& x, const Operand& y) { return greater_equal(x, y); }
inline Array operator&(const Operand& x, const Operand& y) { return bitwise_and(x, y); }
inline Array operator|(const Operand& x, const Operand& y) { return bitwise_or(x, y); }
inline Array operator^(const Operand& x, const Operand& y) { return bitwise_xor(x, y); }
inline Array operator~(const Operand& x) { return invert(x); }
inline Array operator<<(const Operand& x, const Operand& y) { return left_shift(x, y); }
inline Array operator>>(const Operand& x, const Operand& y) { return right_shift(x, y); }

// --- shapes ---
// One dimension may be -1: what is left.
Array reshape(const Operand& x, const Shape& shape);
Array ravel(const Operand& x);
// Without axes: all reversed.
Array transpose(const Operand& x, const std::vector<int64_t>& axes = {});
Array swapaxes(const Operand& x, int64_t a, int64_t b);
Array moveaxis(const Operand& x, int64_t source, int64_t destination);
Array expand_dims(const Operand& x, int64_t axis);
Array squeeze(const Operand& x, AxesArg axis = std::nullopt);
Array broadcast_to(const Operand& x, const Shape& shape);
Shape broadcast_shapes(const Shape& a, const Shape& b);
Array concatenate(const std::vector<Array>& arrays, int64_t axis = 0,
                  std::source_location at = std::source_location::current());
Array stack(const std::vector<Array>& arrays, int64_t axis = 0,
            std::source_location at = std::source_location::current());
// n equal parts along an axis.
std::vector<Array> split(const Operand& x, int64_t n, int64_t axis = 0);
template <int64_t n>
std::array<Array, n> split(const Operand& x, int64_t axis = 0) {
  std::vector<Array> parts = split(x, n, axis);
  std::array<Array, n> out;
  std::move(parts.begin(), parts.end(), out.begin());
  return out;
}
Array flip(const Operand& x, AxesArg axis = std::nullopt);
Array roll(const Operand& x, int64_t shift, int64_t axis);
Array tile(const Operand& x, const std::vector<int64_t>& repetitions);
Array repeat(const Operand& x, int64_t repeats, int64_t axis);
// Constant padding; one pair (before, after) per axis.
Array pad(const Operand& x, const std::vector<std::pair<int64_t, int64_t>>& widths, const Operand& value = 0);

// --- reductions; sums and products of bool are int32, of uint8 are uint32; mean of integers is float32; NaN carries
// through min and max ---
Array sum(const Operand& x, const ReduceOptions& options = {});
Array prod(const Operand& x, const ReduceOptions& options = {});
Array mean(const Operand& x, const ReduceOptions& options = {});
Array var(const Operand& x, const ReduceOptions& options = {}, int64_t ddof = 0);
Array std_(const Operand& x, const ReduceOptions& options = {}, int64_t ddof = 0);
Array max(const Operand& x, const ReduceOptions& options = {});
Array min(const Operand& x, const ReduceOptions& options = {});
Array all(const Operand& x, const ReduceOptions& options = {});
Array any(const Operand& x, const ReduceOptions& options = {});
// Without an axis: of the flattened array. int32.
Array argmax(const Operand& x, std::optional<int64_t> axis = std::nullopt, bool keepdims = false);
Array argmin(const Operand& x, std::optional<int64_t> axis = std::nullopt, bool keepdims = false);
Array logsumexp(const Operand& x, const ReduceOptions& options = {});
Array allclose(const Operand& x, const Operand& y, double rtol = 1e-5, double atol = 1e-8);

// --- products ---
Array matmul(const Operand& x, const Operand& y);
Array dot(const Operand& x, const Operand& y);
Array vdot(const Operand& x, const Operand& y);
Array inner(const Operand& x, const Operand& y);
Array outer(const Operand& x, const Operand& y);
// The last `axes` of x with the first of y.
Array tensordot(const Operand& x, const Operand& y, int64_t axes = 2);
// One or two operands: "bij,bjk->bik", "ii->i", "ij->", with "..." and implicit output.
Array einsum(std::string_view subscripts, const Operand& x);
Array einsum(std::string_view subscripts, const Operand& x, const Operand& y);
Array trace(const Operand& x);

// --- indexing ---
// Elements or slices at integer indices along an axis (flattened without one). Negative indices count from the end; out
// of bounds ones give NaN (floats) or the least value (integers), as jnp.take's default mode "fill".
Array take(const Operand& x, const Operand& indices, std::optional<int64_t> axis = std::nullopt);
Array take_along_axis(const Operand& x, const Operand& indices, int64_t axis);

}  // namespace nacre
