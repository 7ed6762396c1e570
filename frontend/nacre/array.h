// Array: the one value type of Nacre, one pointer wide.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "nacre/error.h"
#include "runtime/dtype.h"

namespace nacre {

using Shape = std::vector<int64_t>;

inline constexpr DType bool_ = DType::pred, i32 = DType::s32, i64 = DType::s64, u8 = DType::u8, u32 = DType::u32,
                       bf16 = DType::bf16, f32 = DType::f32, f64 = DType::f64;

// Shapes, ranks or axes that do not fit an operation.
class ShapeError : public Error {
 public:
  using Error::Error;
};
// An element type that an operation does not take.
class DTypeError : public Error {
 public:
  using Error::Error;
};
// A traced value used where a number is needed (bool(x), x.item()), or outside the trace that made it.
class TraceError : public Error {
 public:
  using Error::Error;
};
// A null, abstract or donated array used as a value.
class ValueError : public Error {
 public:
  using Error::Error;
};

namespace detail {
struct ArrayImpl;
struct Access;

// C++ type -> element type.
template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<bool>() {
  return DType::pred;
}
template <>
constexpr DType dtype_of<int32_t>() {
  return DType::s32;
}
template <>
constexpr DType dtype_of<int64_t>() {
  return DType::s64;
}
template <>
constexpr DType dtype_of<uint8_t>() {
  return DType::u8;
}
template <>
constexpr DType dtype_of<uint32_t>() {
  return DType::u32;
}
template <>
constexpr DType dtype_of<float>() {
  return DType::f32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::f64;
}

template <class T>
concept Number = std::is_arithmetic_v<T>;
}  // namespace detail

// An immutable array of static shape. It is one of
//   null      default-constructed: any operation on it is an error;
//   concrete  holds a buffer on a device;
//   traced    stands for a value of a function that is being traced: operations append to the trace;
//   abstract  shape and dtype only (eval_shape, abstract), usable where a specification is asked for.
// Copies share. A C++ number becomes a weakly typed scalar: it takes the dtype of what it meets (2 * x keeps x's).
class Array {
 public:
  Array() = default;
  template <detail::Number T>
  Array(T value) : Array(scalar(value)) {}  // NOLINT: implicit on purpose
  Array(const Array& other);
  Array(Array&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Array& operator=(Array other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Array();

  bool is_null() const { return impl_ == nullptr; }
  bool is_traced() const;
  bool is_abstract() const;

  // The four below throw ValueError on a null array.
  const Shape& shape() const;
  DType dtype() const;
  int64_t ndim() const { return static_cast<int64_t>(shape().size()); }
  int64_t size() const;
  bool is_weak() const;
  // Size of a dimension; negative ones count from the end. ShapeError when out of range.
  int64_t dim(int64_t axis, std::source_location at = std::source_location::current()) const;

  // --- Values of concrete arrays. TraceError on traced ones, ValueError on null, abstract and donated ones. ---
  // The single element, converted like static_cast. ShapeError when there is not exactly one.
  template <detail::Number T = double>
  T item(std::source_location at = std::source_location::current()) const {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return static_cast<T>(item_int(at));
    return static_cast<T>(item_double(at));
  }
  // All elements in row-major order, converted like static_cast.
  template <detail::Number T>
  std::vector<T> to_vector(std::source_location at = std::source_location::current()) const {
    // Not every double is an integer: bool is what != 0 says.
    using Wide = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int64_t, double>;
    std::vector<Wide> wide(static_cast<size_t>(size()));
    read_elements(wide.data(), at);
    if constexpr (std::is_same_v<T, Wide>) return wide;
    std::vector<T> out(wide.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(wide[i]);
    return out;
  }
  // The bytes themselves, row-major, as long as this array lives.
  std::span<const std::byte> bytes(std::source_location at = std::source_location::current()) const;
  // Only for one element; elementwise comparisons of arrays are arrays.
  explicit operator bool() const { return truth(); }

  // --- Methods that mirror NumPy's; each is the function of the same name in nacre/numpy.h. ---
  Array T(std::source_location at = std::source_location::current()) const;
  Array astype(DType dtype, std::source_location at = std::source_location::current()) const;
  Array reshape(const Shape& shape, std::source_location at = std::source_location::current()) const;
  // slice({0, n}) keeps [0, n) of axis 0, slice({}, {1}) drops the first of axis 1, slice({}, {0, -1}) the last.
  struct Range {
    std::optional<int64_t> start, stop, step;
    Range() = default;
    Range(int64_t start) : start(start) {}  // NOLINT
    Range(int64_t start, int64_t stop) : start(start), stop(stop) {}
    Range(int64_t start, int64_t stop, int64_t step) : start(start), stop(stop), step(step) {}
  };
  Array slice(Range r0, Range r1 = {}, Range r2 = {}, Range r3 = {}, Range r4 = {}, Range r5 = {},
              std::source_location at = std::source_location::current()) const;

 private:
  friend struct detail::Access;
  explicit Array(detail::ArrayImpl* impl) : impl_(impl) {}
  template <detail::Number T>
  static Array scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) return literal_bool(value);
    if constexpr (std::is_integral_v<T>) return literal_int(static_cast<int64_t>(value));
    return literal_float(static_cast<double>(value));
  }
  static Array literal_bool(bool value);
  static Array literal_int(int64_t value);
  static Array literal_float(double value);
  int64_t item_int(std::source_location at) const;
  double item_double(std::source_location at) const;
  bool truth() const;
  void read_elements(int64_t* out, std::source_location at) const;
  void read_elements(double* out, std::source_location at) const;

  detail::ArrayImpl* impl_ = nullptr;
};

// An argument of an operation, with the place in the source where the call stands: default arguments of converting
// constructors are evaluated at the call.
struct Operand {
  Array array;
  std::source_location at;
  Operand(const Array& array, std::source_location at = std::source_location::current())  // NOLINT: implicit
      : array(array), at(at) {}
  Operand(Array&& array, std::source_location at = std::source_location::current())  // NOLINT: implicit
      : array(std::move(array)), at(at) {}
  template <detail::Number T>
  Operand(T value, std::source_location at = std::source_location::current())  // NOLINT: implicit
      : array(value), at(at) {}
};

// An array of shape and dtype only.
Array abstract(const Shape& shape, DType dtype = f32);

// Copies of C++ data, with their type (no weak typing). ShapeError when the number of values is not the shape's.
template <detail::Number T>
Array array(std::span<const T> values, const Shape& shape);
template <detail::Number T>
Array array(const std::vector<T>& values) {
  return array(std::span<const T>(values), Shape{static_cast<int64_t>(values.size())});
}
template <detail::Number T>
Array array(std::initializer_list<T> values) {
  return array(std::span<const T>(values.begin(), values.size()), Shape{static_cast<int64_t>(values.size())});
}
template <detail::Number T>
Array array(std::initializer_list<T> values, const Shape& shape) {
  return array(std::span<const T>(values.begin(), values.size()), shape);
}
// From raw bytes, row-major, of the dtype's layout (runtime/dtype.h).
Array array_from_bytes(std::span<const std::byte> bytes, const Shape& shape, DType dtype);

template <detail::Number T>
Array array(std::span<const T> values, const Shape& shape) {
  return array_from_bytes(std::as_bytes(values), shape, detail::dtype_of<T>());
}

// "float32[3,4]"; "null" for a null array.
std::string describe(const Array& a);

}  // namespace nacre
