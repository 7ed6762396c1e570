#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "frontend/core/array_impl.h"

namespace nacre {
namespace detail {

int64_t Descriptor::elements() const {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

const Descriptor* Descriptor::get(DType dtype, const Shape& shape, bool weak) {
  struct Hash {
    size_t operator()(const Descriptor& d) const {
      size_t h = static_cast<size_t>(d.dtype) * 2 + d.weak;
      for (int64_t s : d.shape) h = h * 0x9e3779b97f4a7c15u + static_cast<size_t>(s);
      return h;
    }
  };
  struct Equal {
    bool operator()(const Descriptor& a, const Descriptor& b) const {
      return a.dtype == b.dtype && a.weak == b.weak && a.shape == b.shape;
    }
  };
  static std::mutex mutex;
  static auto& table = *new std::unordered_map<Descriptor, std::unique_ptr<Descriptor>, Hash, Equal>;
  // Most look-ups of a thread repeat its last ones.
  thread_local const Descriptor* recent[8] = {};
  thread_local unsigned next = 0;
  for (const Descriptor* d : recent)
    if (d && d->dtype == dtype && d->weak == weak && d->shape == shape) return d;
  Descriptor wanted{dtype, weak, shape};
  std::lock_guard lock(mutex);
  auto& slot = table[wanted];
  if (!slot) slot = std::make_unique<Descriptor>(std::move(wanted));
  return recent[next++ % 8] = slot.get();
}

std::string to_string(const Descriptor& d) {
  std::string text = (d.weak ? "~" : "") + std::string(name_of(d.dtype)) + "[";
  for (size_t i = 0; i < d.shape.size(); ++i) text += (i ? "," : "") + std::to_string(d.shape[i]);
  return text + "]";
}

Array Access::concrete(const Descriptor* type, Buffer buffer) {
  auto* impl = new ArrayImpl;
  impl->kind = ArrayImpl::Kind::concrete;
  impl->type = type;
  impl->buffer = std::move(buffer);
  return wrap(impl);
}

Array Access::traced(const Descriptor* type, uint64_t trace, void* value) {
  auto* impl = new ArrayImpl;
  impl->kind = ArrayImpl::Kind::traced;
  impl->type = type;
  impl->trace = trace;
  impl->value = value;
  return wrap(impl);
}

Array Access::abstract(const Descriptor* type) {
  auto* impl = new ArrayImpl;
  impl->type = type;
  return wrap(impl);
}

std::string format(const std::source_location& at) {
  std::string_view file = at.file_name();
  return std::string(file) + ":" + std::to_string(at.line());
}

namespace {
[[noreturn]] void fail_donated(const ArrayImpl& impl) {
  throw ValueError("this " + to_string(*impl.type) + " array was donated to " + impl.donated_to +
                   " and no longer holds values; use what that call returned, or do not donate it");
}
}  // namespace

const Descriptor* type_of(const Array& a) {
  ArrayImpl* impl = Access::impl(a);
  if (!impl) throw ValueError("a default-constructed (null) Array has no shape and no value; assign one first");
  return impl->type;
}

void check_fits(const ArrayImpl& literal) {
  const Descriptor& type = *literal.type;
  if (type.weak && type.dtype == DType::s32 && literal.int_value != static_cast<int32_t>(literal.int_value))
    throw ValueError("the C++ number " + std::to_string(literal.int_value) +
                     " does not fit into int32, the dtype of a number that meets no array; make it an array first: "
                     "array<int64_t>({...}, {})");
}

Buffer buffer_of(const Array& a, const std::string& what) {
  const Descriptor* type = type_of(a);
  ArrayImpl& impl = *Access::impl(a);
  switch (impl.kind) {
    case ArrayImpl::Kind::concrete: return impl.buffer;
    case ArrayImpl::Kind::literal: {
      check_fits(impl);
      Buffer buffer = Buffer::allocate(static_cast<int64_t>(size_of(type->dtype)));
      write_number(type->dtype, buffer.data(), impl.float_value, impl.int_value);
      return buffer;
    }
    case ArrayImpl::Kind::traced:
      throw TraceError(what + " needs the value of a traced " + to_string(*type) +
                       " array, which is not known while the function is traced. Use where, cond or while_loop to "
                       "choose by it, or pass it as a static argument (int, float, enum)");
    case ArrayImpl::Kind::abstract:
      throw ValueError(what + " needs the value of an abstract " + to_string(*type) +
                       " array, which has only a shape and a dtype");
    case ArrayImpl::Kind::donated: fail_donated(impl);
  }
  return {};
}

double read_double(DType dtype, const std::byte* p) {
  auto read = [&](auto value) {
    std::memcpy(&value, p, sizeof value);
    return static_cast<double>(value);
  };
  switch (dtype) {
    case DType::pred:
    case DType::u8: return read(uint8_t{});
    case DType::s32: return read(int32_t{});
    case DType::s64: return read(int64_t{});
    case DType::u32: return read(uint32_t{});
    case DType::f32: return read(float{});
    case DType::f64: return read(double{});
    case DType::bf16: {
      uint16_t bits;
      std::memcpy(&bits, p, sizeof bits);
      uint32_t wide = uint32_t{bits} << 16;
      float value;
      std::memcpy(&value, &wide, sizeof value);
      return value;
    }
  }
  return 0;
}

int64_t read_int(DType dtype, const std::byte* p) {
  if (dtype != DType::s64) return static_cast<int64_t>(read_double(dtype, p));
  int64_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

void write_number(DType dtype, std::byte* p, double float_value, int64_t int_value) {
  auto write = [&](auto value) { std::memcpy(p, &value, sizeof value); };
  switch (dtype) {
    case DType::pred: return write(static_cast<uint8_t>(int_value != 0));
    case DType::u8: return write(static_cast<uint8_t>(int_value));
    case DType::s32: return write(static_cast<int32_t>(int_value));
    case DType::s64: return write(int_value);
    case DType::u32: return write(static_cast<uint32_t>(int_value));
    case DType::f32: return write(static_cast<float>(float_value));
    case DType::f64: return write(float_value);
    case DType::bf16: {
      auto value = static_cast<float>(float_value);
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      if (std::isnan(value)) return write(static_cast<uint16_t>((bits >> 16) | 0x40));
      return write(static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16));  // to nearest, ties to even
    }
  }
}

}  // namespace detail

using detail::Access;
using detail::ArrayImpl;
using detail::Descriptor;

Array::Array(const Array& other) : impl_(other.impl_) {
  if (impl_) impl_->references.fetch_add(1, std::memory_order_relaxed);
}

Array::~Array() {
  if (impl_ && impl_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete impl_;
}

bool Array::is_traced() const { return impl_ && impl_->kind == ArrayImpl::Kind::traced; }
bool Array::is_abstract() const { return impl_ && impl_->kind == ArrayImpl::Kind::abstract; }
const Shape& Array::shape() const { return detail::type_of(*this)->shape; }
DType Array::dtype() const { return detail::type_of(*this)->dtype; }
int64_t Array::size() const { return detail::type_of(*this)->elements(); }
bool Array::is_weak() const { return detail::type_of(*this)->weak; }

int64_t Array::dim(int64_t axis, std::source_location at) const {
  const Descriptor* type = detail::type_of(*this);
  auto rank = static_cast<int64_t>(type->shape.size());
  if (axis < -rank || axis >= rank)
    throw ShapeError("dim (" + detail::format(at) + "): axis " + std::to_string(axis) + " of a " +
                     detail::to_string(*type) + " array, whose axes go from " + std::to_string(-rank) + " to " +
                     std::to_string(rank - 1));
  return type->shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
}

std::span<const std::byte> Array::bytes(std::source_location at) const {
  Buffer buffer = detail::buffer_of(*this, "bytes (" + detail::format(at) + ")");
  if (impl_->kind == ArrayImpl::Kind::literal) {  // keep the bytes as long as the array
    impl_->buffer = buffer;
  }
  auto n = static_cast<size_t>(size()) * size_of(dtype());
  return {buffer.data(), n};
}

void Array::read_elements(double* out, std::source_location at) const {
  Buffer buffer = detail::buffer_of(*this, "to_vector (" + detail::format(at) + ")");
  const DType type = dtype();
  const std::byte* p = buffer.data();
  for (int64_t n = size(); n > 0; --n, p += size_of(type)) *out++ = detail::read_double(type, p);
}

void Array::read_elements(int64_t* out, std::source_location at) const {
  Buffer buffer = detail::buffer_of(*this, "to_vector (" + detail::format(at) + ")");
  const DType type = dtype();
  const std::byte* p = buffer.data();
  for (int64_t n = size(); n > 0; --n, p += size_of(type)) *out++ = detail::read_int(type, p);
}

namespace {
Buffer single(const Array& a, const std::string& what) {
  Buffer buffer = detail::buffer_of(a, what);
  if (a.size() != 1)
    throw ShapeError(what + " wants exactly one element, but the array is " + describe(a) +
                     "; index or reduce it first");
  return buffer;
}
}  // namespace

double Array::item_double(std::source_location at) const {
  return detail::read_double(dtype(), single(*this, "item (" + detail::format(at) + ")").data());
}

int64_t Array::item_int(std::source_location at) const {
  return detail::read_int(dtype(), single(*this, "item (" + detail::format(at) + ")").data());
}

bool Array::truth() const { return detail::read_double(dtype(), single(*this, "conversion to bool").data()) != 0; }

namespace {
Array literal(DType dtype, double float_value, int64_t int_value) {
  auto* impl = new ArrayImpl;
  impl->kind = ArrayImpl::Kind::literal;
  // Booleans are not weak: true + x_u8 is as in JAX.
  impl->type = Descriptor::get(dtype, {}, dtype != DType::pred);
  impl->float_value = float_value;
  impl->int_value = int_value;
  return Access::wrap(impl);
}
}  // namespace

Array Array::literal_bool(bool value) { return literal(DType::pred, value, value); }
Array Array::literal_int(int64_t value) { return literal(DType::s32, static_cast<double>(value), value); }
Array Array::literal_float(double value) {
  // What a conversion to integers of a number beyond them gives is the least one, as x86 has it.
  const bool fits = value > -0x1p63 && value < 0x1p63;
  return literal(DType::f32, value, fits ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min());
}

Array abstract(const Shape& shape, DType dtype) { return Access::abstract(Descriptor::get(dtype, shape)); }

Array array_from_bytes(std::span<const std::byte> bytes, const Shape& shape, DType dtype) {
  const Descriptor* type = Descriptor::get(dtype, shape);
  for (int64_t d : shape)
    if (d < 0) throw ShapeError("array: the shape of " + detail::to_string(*type) + " has a negative dimension");
  auto wanted = type->elements() * static_cast<int64_t>(size_of(dtype));
  if (static_cast<int64_t>(bytes.size()) != wanted)
    throw ShapeError("array: " + std::to_string(bytes.size() / size_of(dtype)) + " values for a " +
                     detail::to_string(*type) + " array, which has " + std::to_string(type->elements()));
  Buffer buffer = Buffer::allocate(wanted);
  if (wanted) std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return Access::concrete(type, std::move(buffer));
}

std::string describe(const Array& a) { return a.is_null() ? "null" : detail::to_string(*detail::type_of(a)); }

}  // namespace nacre
