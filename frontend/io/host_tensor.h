// A dense array in host memory, in C order: what files hold and devices are fed from.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/dtype.h"

namespace nacre::io {

struct HostTensor {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;  // product(shape) * size_of(dtype) bytes, little endian

  bool operator==(const HostTensor&) const = default;
};

using NamedTensors = std::map<std::string, HostTensor>;

// The most dimensions a file may name; NumPy's own limit.
inline constexpr std::size_t kMaxRank = 64;

// Bytes of such an array; nothing when a dimension is negative or the size does not fit an int64_t.
std::optional<uint64_t> byte_size(DType dtype, const std::vector<int64_t>& shape);

// "float32[2, 3]".
std::string describe(const HostTensor& t);

// Throws Error, naming `what`, when data.size() is not what dtype and shape say.
void check_size(const HostTensor& t, const std::string& what);

}  // namespace nacre::io
