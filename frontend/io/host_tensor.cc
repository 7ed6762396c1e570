#include "frontend/io/host_tensor.h"

#include "nacre/error.h"

namespace nacre::io {

std::optional<uint64_t> byte_size(DType dtype, const std::vector<int64_t>& shape) {
  // A zero anywhere makes the size 0, but the other dimensions must still be sane: their product is used for strides.
  int64_t bytes = static_cast<int64_t>(size_of(dtype));
  bool empty = false;
  for (int64_t d : shape) {
    if (d < 0) return std::nullopt;
    if (d == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, d, &bytes)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

std::string describe(const HostTensor& t) {
  std::string s(name_of(t.dtype));
  s += '[';
  for (std::size_t i = 0; i < t.shape.size(); ++i) (s += i ? ", " : "") += std::to_string(t.shape[i]);
  return s += ']';
}

void check_size(const HostTensor& t, const std::string& what) {
  auto expected = byte_size(t.dtype, t.shape);
  if (expected && *expected == t.data.size()) return;
  throw Error(what + ": " + describe(t) + " takes " +
              (expected ? std::to_string(*expected) + " bytes" : std::string("more bytes than there can be")) +
              ", but holds " + std::to_string(t.data.size()));
}

}  // namespace nacre::io
