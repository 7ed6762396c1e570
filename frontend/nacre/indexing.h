// Indexing with integers, ranges and arrays, and functional updates: x.at(i).set(v) as at(x, i).set(v).
#pragma once
#include <optional>
#include <variant>
#include <vector>

#include "nacre/numpy.h"

namespace nacre {

// One position of an index, left to right: an integer (drops the axis), a range (Array::Range; {} keeps all), or an
// integer array (NumPy's advanced indexing; several arrays broadcast together).
struct Index {
  std::variant<int64_t, Array::Range, Array> value;
  Index(int i) : value(int64_t{i}) {}              // NOLINT: implicit
  Index(int64_t i) : value(i) {}                   // NOLINT: implicit
  Index(Array::Range range) : value(range) {}      // NOLINT: implicit
  Index(const Array& indices) : value(indices) {}  // NOLINT: implicit
};

// What happens to indices out of bounds (after negative ones have been counted from the end):
// `fill` reads NaN, or the least integer, and drops updates; `clip` moves them inside.
enum class IndexMode { fill, clip };

// x[indices...]. Static integers out of bounds are an error; array elements follow `mode`.
Array index(const Operand& x, const std::vector<Index>& indices, IndexMode mode = IndexMode::clip);

class IndexUpdate {
 public:
  IndexUpdate(const Operand& x, std::vector<Index> indices) : x_(x), indices_(std::move(indices)) {}
  // New arrays with the indexed elements replaced by, or combined with, the values (broadcast to their shape and cast
  // to x's dtype). Where an index occurs twice, set keeps the last in row-major order and add adds all.
  Array set(const Operand& values) const;
  Array add(const Operand& values) const;
  Array subtract(const Operand& values) const;
  // Read, apply, set: for indices that do not repeat.
  Array multiply(const Operand& values) const;
  Array divide(const Operand& values) const;
  Array get(IndexMode mode = IndexMode::clip) const;

 private:
  Operand x_;
  std::vector<Index> indices_;
};

template <class... I>
IndexUpdate at(const Operand& x, const I&... indices) {
  return IndexUpdate(x, {Index(indices)...});
}

}  // namespace nacre
