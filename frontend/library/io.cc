#include "nacre/io.h"

#include "frontend/io/npy.h"
#include "frontend/io/safetensors.h"

namespace nacre {

namespace {

Array to_array(const io::HostTensor& t) { return array_from_bytes(t.data, t.shape, t.dtype); }

// `what` names the array if it has no value.
io::HostTensor to_host(const Array& a, const std::string& what) {
  if (a.is_null()) throw ValueError("save: " + what + " is a default-constructed (null) Array; assign it first");
  if (a.is_abstract()) throw ValueError("save: " + what + " is abstract (" + describe(a) + ") and has no value");
  if (a.is_traced())
    throw TraceError("save: " + what + " is a traced array (" + describe(a) +
                     "); return it from the transformed function and save the result");
  std::span<const std::byte> bytes = a.bytes();
  return {a.dtype(), a.shape(), {bytes.begin(), bytes.end()}};
}

}  // namespace

Array load_npy(const std::string& path) { return to_array(io::read_npy(path)); }
void save_npy(const std::string& path, const Array& a) { io::write_npy(path, to_host(a, path)); }

std::pair<NamedArrays, Metadata> load_safetensors(const std::string& path) {
  io::SafeTensors file = io::read_safetensors(path);
  NamedArrays arrays;
  for (const auto& [name, tensor] : file.tensors) arrays.emplace(name, to_array(tensor));
  return {std::move(arrays), std::move(file.metadata)};
}

void save_safetensors(const std::string& path, const NamedArrays& arrays, const Metadata& metadata) {
  io::NamedTensors tensors;
  for (const auto& [name, array] : arrays) tensors.emplace(name, to_host(array, path + ": " + name));
  io::write_safetensors(path, tensors, metadata);
}

std::vector<Array> detail::matched_arrays(const std::string& path, const NamedArrays& stored,
                                          const std::vector<std::pair<std::string, Array>>& wanted) {
  std::string trouble;
  std::vector<Array> leaves;
  NamedArrays rest = stored;
  for (const auto& [name, like] : wanted) {
    if (like.is_null()) {
      trouble += "\n  " + name + ": the program's tree has a null Array there, so its type is unknown";
      rest.erase(name);
      continue;
    }
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
