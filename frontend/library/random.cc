#include "nacre/random.h"

#include <cmath>

#include "frontend/core/weak.h"
#include "frontend/numpy/promote.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre::random {

using detail::blame;
using detail::constant_like;
using detail::run_op1;
using detail::statics;
using Inputs = std::span<const Array>;

namespace {

// The two words of a key, as scalars.
std::pair<Array, Array> words(const Array& key) {
  if (key.shape() != Shape{2} || key.dtype() != DType::u32)
    throw ShapeError(blame() + "wants a key (uint32[2], from random::key or split), not " + describe(key) +
                     (key.ndim() == 2 ? "; take one of several with vmap, or split<n>" : ""));
  return {lax::reshape(lax::slice(key, {0}, {1}), {}), lax::reshape(lax::slice(key, {1}, {2}), {})};
}

// Threefry of the key at the counters 0, 1, 2, ... (64 bits, high and low word) in the given shape.
std::pair<Array, Array> blocks(const Array& key, const Shape& shape) {
  auto [k0, k1] = words(key);
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  if (n > int64_t{1} << 32) throw ShapeError(blame() + "more than 2^32 numbers of one key; split it first");
  Array low = lax::reshape(lax::iota(DType::u32, n), shape);
  Array high = constant_like(low, 0);
  return lax::threefry2x32(lax::broadcast_in_dim(k0, shape, {}), lax::broadcast_in_dim(k1, shape, {}), high, low);
}

Array word(const Array& key, const Shape& shape) {
  auto [a, b] = blocks(key, shape);
  return lax::bitwise_xor(a, b);
}

Array shifted_right(const Array& x, double by) { return lax::shift_right_logical(x, constant_like(x, by)); }

// Floats in [0, 1): random mantissa bits under the exponent of 1, minus 1.
Array unit_floats(const Array& key, const Shape& shape, DType dtype) {
  if (dtype == DType::f64) {
    auto [high, low] = blocks(key, shape);
    Array wide = lax::convert_element_type(high, DType::s64);
    Array bits =
        lax::bitwise_or(lax::shift_left(wide, constant_like(wide, 32)), lax::convert_element_type(low, DType::s64));
    Array one = constant_like(bits, static_cast<double>(int64_t{0x3ff} << 52));
    Array mantissa = lax::bitwise_or(shifted_right(bits, 12), one);
    Array floats = lax::bitcast_convert_type(mantissa, DType::f64);
    return lax::sub(floats, constant_like(floats, 1));
  }
  Array bits = word(key, shape);
  if (dtype == DType::bf16) {
    // Seven mantissa bits from the low byte; as f32 the value is exact.
    Array byte = lax::bitwise_and(bits, constant_like(bits, 0xff));
    Array mantissa = lax::bitwise_or(shifted_right(byte, 1), constant_like(byte, 0x3f80));
    Array floats = lax::bitcast_convert_type(lax::shift_left(mantissa, constant_like(mantissa, 16)), DType::f32);
    return lax::convert_element_type(lax::sub(floats, constant_like(floats, 1)), DType::bf16);
  }
  Array mantissa = lax::bitwise_or(shifted_right(bits, 9), constant_like(bits, 0x3f800000));
  Array floats = lax::bitcast_convert_type(mantissa, DType::f32);
  return lax::sub(floats, constant_like(floats, 1));
}

Array uniform_between(const Array& key, const Shape& shape, DType dtype, const Array& low, const Array& high) {
  if (!is_floating(dtype))
    throw DTypeError(blame() + "gives floating-point numbers, not " + std::string(name_of(dtype)));
  Array floats = unit_floats(key, shape, dtype);
  Array from = detail::broadcast_one(detail::with_dtype(low, dtype), shape);
  Array to = detail::broadcast_one(detail::with_dtype(high, dtype), shape);
  return lax::max(from, lax::add(lax::mul(floats, lax::sub(to, from)), from));
}

// An integer bound in `dtype`, clamped to what it can hold.
Array bound(const Array& value, DType dtype, const Shape& shape) {
  Array v = detail::settled(value);
  if (!is_integer(v.dtype())) throw DTypeError(blame() + "bounds must be integers, not " + describe(value));
  Array wide = lax::convert_element_type(v, DType::s64);
  const double least = dtype == DType::s32 ? -2147483648.0 : 0.0;
  const double most = dtype == DType::s32 ? 2147483647.0 : dtype == DType::u32 ? 4294967295.0 : 255.0;
  Array clamped = lax::clamp(constant_like(wide, least), wide, constant_like(wide, most));
  return detail::broadcast_one(lax::convert_element_type(clamped, dtype), shape);
}

}  // namespace

Array key(uint64_t seed, std::source_location at) {
  const uint32_t words[] = {static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)};
  (void)at;
  return array(std::span<const uint32_t>(words), {2});
}

Array abstract_key() { return abstract({2}, u32); }

Array key_part(const Operand& keys, int64_t i) {
  return run_op1("random::split", keys.at, statics(i), {keys.array}, [&](Inputs in) {
    return lax::reshape(lax::slice(in[0], {i, 0}, {i + 1, 2}), {2});
  });
}

Array split(const Operand& key, int64_t n) {
  return run_op1("random::split", key.at, statics(n), {key.array}, [&](Inputs in) {
    if (n < 0) throw ShapeError(blame() + "cannot make " + std::to_string(n) + " keys");
    auto [a, b] = blocks(in[0], {n});
    return lax::concatenate({lax::reshape(a, {n, 1}), lax::reshape(b, {n, 1})}, 1);
  });
}

Array fold_in(const Operand& key, const Operand& data) {
  return run_op1("random::fold_in", key.at, "", {key.array, data.array}, [&](Inputs in) {
    if (in[1].ndim() != 0 || is_floating(detail::settled(in[1]).dtype()))
      throw ShapeError(blame() + "folds in an integer scalar, not " + describe(in[1]));
    auto [k0, k1] = words(in[0]);
    Array low = lax::convert_element_type(in[1], DType::u32);
    auto [a, b] = lax::threefry2x32(k0, k1, constant_like(low, 0), low);
    return lax::concatenate({lax::reshape(a, {1}), lax::reshape(b, {1})}, 0);
  });
}

Array bits(const Operand& key, const Shape& shape, DType dtype) {
  return run_op1("random::bits", key.at, statics(shape, dtype), {key.array}, [&](Inputs in) {
    if (!is_unsigned(dtype)) throw DTypeError(blame() + "gives uint32 or uint8, not " + std::string(name_of(dtype)));
    return lax::convert_element_type(word(in[0], shape), dtype);
  });
}

Array uniform(const Operand& key, const Shape& shape, DType dtype, const Operand& low, const Operand& high) {
  return run_op1("random::uniform", key.at, statics(shape, dtype), {key.array, low.array, high.array},
                 [&](Inputs in) { return uniform_between(in[0], shape, dtype, in[1], in[2]); });
}

Array randint(const Operand& key, const Shape& shape, const Operand& low, const Operand& high, DType dtype) {
  return run_op1("random::randint", key.at, statics(shape, dtype), {key.array, low.array, high.array}, [&](Inputs in) {
    if (dtype != DType::s32 && dtype != DType::u32 && dtype != DType::u8)
      throw DTypeError(blame() + "gives int32, uint32 or uint8, not " + std::string(name_of(dtype)));
    const DType word_type = dtype == DType::u8 ? DType::u8 : DType::u32;
    Array keys = random::split(in[0], 2);
    Array upper = lax::convert_element_type(word(key_part(keys, 0), shape), word_type);
    Array lower = lax::convert_element_type(word(key_part(keys, 1), shape), word_type);
    Array from = bound(in[1], dtype, shape), to = bound(in[2], dtype, shape);
    Array span = lax::convert_element_type(lax::sub(to, from), word_type), one = constant_like(span, 1);
    Array nonempty = lax::gt(to, from);
    span = lax::select(nonempty, span, one);
    // A bound just above the type's greatest value makes the range one longer; the full range wraps to 0.
    const double most = dtype == DType::s32 ? 2147483647.0 : dtype == DType::u32 ? 4294967295.0 : 255.0;
    Array limit = lax::convert_element_type(detail::settled(in[2]), DType::s64);
    Array above = detail::broadcast_one(lax::gt(limit, constant_like(limit, most)), shape);
    span = lax::select(lax::bitwise_and(above, nonempty), lax::add(span, one), span);
    // upper * 2^bits + lower modulo span, with 2^bits modulo span from its square root.
    const double root = dtype == DType::u8 ? 16 : 65536;
    Array multiplier = lax::rem(constant_like(span, root), span);
    multiplier = lax::rem(lax::mul(multiplier, multiplier), span);
    Array offset = lax::add(lax::mul(lax::rem(upper, span), multiplier), lax::rem(lower, span));
    return lax::add(from, lax::convert_element_type(lax::rem(offset, span), dtype));
  });
}

Array normal(const Operand& key, const Shape& shape, DType dtype) {
  return run_op1("random::normal", key.at, statics(shape, dtype), {key.array}, [&](Inputs in) {
    // The open interval: from the number next to -1.
    const double low = dtype == DType::f64    ? std::nextafter(-1.0, 0.0)
                       : dtype == DType::bf16 ? -1.0 + 0x1p-8
                                              : std::nextafterf(-1.0f, 0.0f);
    Array u = uniform_between(in[0], shape, dtype, Array(low), Array(1.0));
    return lax::mul(constant_like(u, std::sqrt(2.0)), lax::erf_inv(u));
  });
}

}  // namespace nacre::random
