#include "nacre/io.h"

#include "frontend/io/npy.h"
#include "frontend/io/safetensors.h"

namespace nacre {

namespace {

Array to_array(const io::HostTensor& t) { return array_from_bytes(t.data, t.shape, t.dtype); }

io::HostTensor to_host(const Array& a) {
  std::span<const std::byte> bytes = a.bytes();
  return {a.dtype(), a.shape(), {bytes.begin(), bytes.end()}};
}

}  // namespace

Array load_npy(const std::string& path) { return to_array(io::read_npy(path)); }
void save_npy(const std::string& path, const Array& a) { io::write_npy(path, to_host(a)); }

std::pair<NamedArrays, Metadata> load_safetensors(const std::string& path) {
  io::SafeTensors file = io::read_safetensors(path);
  NamedArrays arrays;
  for (const auto& [name, tensor] : file.tensors) arrays.emplace(name, to_array(tensor));
  return {std::move(arrays), std::move(file.metadata)};
}

void save_safetensors(const std::string& path, const NamedArrays& arrays, const Metadata& metadata) {
  io::NamedTensors tensors;
  for (const auto& [name, array] : arrays) tensors.emplace(name, to_host(array));
  io::write_safetensors(path, tensors, metadata);
}

std::vector<Array> detail::matched_arrays(const std::string& path, const NamedArrays& stored,
                                          const std::vector<std::pair<std::string, Array>>& wanted) {
  std::string trouble;
  std::vector<Array> leaves;
  NamedArrays rest = stored;
  for (const auto& [name, like] : wanted) {
    auto found = rest.find(name);
    if (found == rest.end()) {
      trouble += "\n  " + name + ": missing, wanted " + describe(like);
      continue;
    }
    const Array& a = found->second;
    if (a.shape() != like.shape() || a.dtype() != like.dtype())
      trouble += "\n  " + name + ": the file has " + describe(a) + ", wanted " + describe(like);
    leaves.push_back(a);
    rest.erase(found);
  }
  for (const auto& [name, a] : rest) trouble += "\n  " + name + ": in the file (" + describe(a) + ") but not wanted";
  if (!trouble.empty()) throw FileError(path, 0, "does not hold the arrays of this program:" + trouble);
  return leaves;
}

}  // namespace nacre
