// Arrays and trees in files: NumPy's .npy, and safetensors for trees by key path. Files are written under a temporary
// name and renamed, so that what was saved before survives an interruption or a full disk. Files that are read are
// untrusted: FileError with the byte offset and the reason.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nacre/array.h"
#include "nacre/tree.h"

namespace nacre {

Array load_npy(const std::string& path);
void save_npy(const std::string& path, const Array& a);

using Metadata = std::map<std::string, std::string>;
using NamedArrays = std::map<std::string, Array>;

std::pair<NamedArrays, Metadata> load_safetensors(const std::string& path);
void save_safetensors(const std::string& path, const NamedArrays& arrays, const Metadata& metadata = {});

namespace detail {
// The arrays of `stored` in the order of `wanted` (key path, array of the expected type). Throws FileError that lists
// what is missing, superfluous, or of another shape or dtype.
std::vector<Array> matched_arrays(const std::string& path, const NamedArrays& stored,
                                  const std::vector<std::pair<std::string, Array>>& wanted);
}  // namespace detail

// A checkpoint: every array of the tree under its key path, such as "params.layers[3].w".
template <class T>
void save(const std::string& path, const T& tree, const Metadata& metadata = {}) {
  NamedArrays arrays;
  for (auto& [name, array] : tree::leaves_with_path(tree)) arrays.emplace(std::move(name), std::move(array));
  save_safetensors(path, arrays, metadata);
}

// The tree saved at `path`, with structure, shapes and dtypes of `like` (whose arrays may be abstract).
template <class T>
T load(const std::string& path, const T& like, Metadata* metadata = nullptr) {
  auto [arrays, stored_metadata] = load_safetensors(path);
  if (metadata) *metadata = std::move(stored_metadata);
  std::vector<Array> leaves = detail::matched_arrays(path, arrays, tree::leaves_with_path(like));
  return tree::unflatten_like(like, std::span<const Array>(leaves));
}

}  // namespace nacre
