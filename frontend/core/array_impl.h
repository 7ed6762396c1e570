// What an Array points to.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "nacre/array.h"
#include "runtime/buffer.h"

namespace nacre::detail {

// Type of an array, interned: equal descriptors are the same pointer, so signatures compare by pointer.
struct Descriptor {
  DType dtype;
  bool weak;  // made of C++ numbers only: takes the dtype of what it meets
  Shape shape;

  int64_t elements() const;
  static const Descriptor* get(DType dtype, const Shape& shape, bool weak = false);
};

// "float32[3,4]", with "~" in front when weak.
std::string to_string(const Descriptor& d);

struct ArrayImpl {
  enum class Kind : uint8_t { concrete, literal, traced, abstract, donated };

  std::atomic<int32_t> references{1};
  Kind kind = Kind::abstract;
  const Descriptor* type = nullptr;
  Buffer buffer;  // concrete
  // literal: a C++ number, exact until its dtype is known
  double float_value = 0;
  int64_t int_value = 0;
  // traced
  uint64_t trace = 0;
  void* value = nullptr;  // mlir::Value
  // donated: which argument of which call took the buffer
  std::string donated_to;
};

// The door of the implementation into Array.
struct Access {
  static ArrayImpl* impl(const Array& a) { return a.impl_; }
  static Array wrap(ArrayImpl* impl) { return Array(impl); }

  static Array concrete(const Descriptor* type, Buffer buffer);
  static Array traced(const Descriptor* type, uint64_t trace, void* value);
  static Array abstract(const Descriptor* type);
};

// Throws ValueError for null and donated arrays; `a` may be of any other kind.
const Descriptor* type_of(const Array& a);
// Throws ValueError if the number is an integer that its default dtype cannot hold.
void check_fits(const ArrayImpl& literal);
// The buffer of a concrete array or literal; throws, naming `what`, for others.
Buffer buffer_of(const Array& a, const std::string& what);

// One element between memory and C++ numbers.
double read_double(DType dtype, const std::byte* p);
int64_t read_int(DType dtype, const std::byte* p);
void write_number(DType dtype, std::byte* p, double float_value, int64_t int_value);

// "file.cc:12"
std::string format(const std::source_location& at);

}  // namespace nacre::detail
