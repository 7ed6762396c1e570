// The structure of a tree apart from its arrays: a pointer to what the compiler knows of the type, and the bytes of
// what only the value knows (static values, vector lengths, map keys, whether optionals hold something). A struct
// of arrays alone has no such bytes, so its definition costs nothing. Strings are made only when asked for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nacre {

namespace tree::detail {

enum class Kind : uint8_t { array, fields, tuple, fixed_list, list, map, optional, value };

struct Node;
struct Child {
  std::string_view name;  // of a field; empty in tuples
  const Node* node;
};

// What is known of a type. One constant per type.
struct Node {
  Kind kind;
  std::string_view name;       // as printed: "Linear"
  std::string_view full_name;  // as the compiler spells it
  const Child* children = nullptr;
  std::size_t count = 0;          // fields, tuple elements, or elements of a std::array
  const Node* element = nullptr;  // of lists, maps and optionals
  const Node* key = nullptr;      // of maps
  std::size_t size = 0;           // bytes of a value; 0 for a string, which carries its length
  void (*print)(std::string_view bytes, std::string& out) = nullptr;
};

class Encoder;

}  // namespace tree::detail

// Where two structures part.
struct TreeDifference {
  std::string path;         // key path of the outermost node that differs
  std::string left, right;  // the structures there
};

// A value that is part of the structure, as "heads" and "4".
struct TreeStatic {
  std::string path, value;
};

class TreeDef {
 public:
  TreeDef() = default;

  std::size_t num_leaves() const { return num_leaves_; }

  // Equal definitions have equal hashes within one process; so static values, lengths and map keys are in it.
  // Static floating-point numbers compare by their bits: a NaN equals itself, and 0.0 differs from -0.0.
  uint64_t hash() const;
  bool operator==(const TreeDef& other) const;

  // One key path per array, in the order of the leaves: `root.layers[3].w`, `root["name"]`, `root[0]` for a tuple.
  std::vector<std::string> key_paths(std::string_view root = "") const;
  std::vector<TreeStatic> statics(std::string_view root = "") const;
  // The first place, in the order of the leaves, where the two structures differ; nothing when they are equal.
  std::optional<TreeDifference> difference(const TreeDef& other, std::string_view root = "") const;
  // `Linear{w: *, b: *, units: 4}`, with `*` for an array.
  std::string to_string() const;

  const tree::detail::Node* node() const { return node_; }
  const std::string& encoded_values() const { return values_; }

 private:
  friend class tree::detail::Encoder;
  const tree::detail::Node* node_ = nullptr;
  std::string values_;
  std::size_t num_leaves_ = 0;
};

}  // namespace nacre

template <>
struct std::hash<nacre::TreeDef> {
  std::size_t operator()(const nacre::TreeDef& d) const { return d.hash(); }
};
