// Tensors of every element type and of unusual shapes.
#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "frontend/io/host_tensor.h"

namespace nacre::io {

template <class T>
HostTensor tensor(DType dtype, std::vector<int64_t> shape, std::vector<T> values) {
  HostTensor t{dtype, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

inline NamedTensors every_kind() {
  NamedTensors all;
  for (DType t : kAllDTypes) {
    for (const std::vector<int64_t>& shape :
         std::vector<std::vector<int64_t>>{{}, {1}, {3}, {2, 3}, {0}, {2, 0, 3}, {2, 1, 2, 2}}) {
      HostTensor h{t, shape, std::vector<std::byte>(*byte_size(t, shape))};
      for (std::size_t i = 0; i < h.data.size(); ++i)
        h.data[i] = std::byte(t == DType::pred ? i % 2 : (37 * i + 1) % 256);
      all[describe(h)] = std::move(h);
    }
  }
  return all;
}

}  // namespace nacre::io
