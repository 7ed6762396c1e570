// Random numbers from explicit keys: the same key always gives the same numbers, on every device and thread count.
// Threefry-2x32 (Salmon et al., SC 2011) in jax.random's partitionable form: key, split, fold_in, bits, uniform and
// randint are bit-equal with JAX's (jax_threefry_partitionable, the default), normal agrees within 4 ulp.
#pragma once
#include <array>

#include "nacre/numpy.h"

namespace nacre::random {

// A key is a uint32[2] array; several are uint32[..., 2].
Array key(uint64_t seed, std::source_location at = std::source_location::current());
// The type of a key, for eval_shape.
Array abstract_key();
// n independent keys, uint32[n, 2].
Array split(const Operand& key, int64_t n = 2);
template <int64_t n>
std::array<Array, n> split(const Operand& key);
// A key that depends on `data` (an integer scalar) too.
Array fold_in(const Operand& key, const Operand& data);

// Uniform bits: uint32, or uint8.
Array bits(const Operand& key, const Shape& shape, DType dtype = u32);
// Uniform in [low, high); bf16, f32 or f64.
Array uniform(const Operand& key, const Shape& shape, DType dtype = f32, const Operand& low = 0.0f,
              const Operand& high = 1.0f);
// Uniform integers in [low, high); s32, u32 or u8.
Array randint(const Operand& key, const Shape& shape, const Operand& low, const Operand& high, DType dtype = i32);
// Standard normal: sqrt(2) erf_inv(u).
Array normal(const Operand& key, const Shape& shape, DType dtype = f32);

Array key_part(const Operand& keys, int64_t i);
template <int64_t n>
std::array<Array, n> split(const Operand& key) {
  Array keys = random::split(key, n);
  std::array<Array, n> out;
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = key_part(Operand(keys, key.at), i);
  return out;
}

}  // namespace nacre::random
