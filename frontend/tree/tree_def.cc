#include "nacre/tree_def.h"

#include <algorithm>
#include <cstring>

namespace nacre {
namespace {

using tree::detail::Child;
using tree::detail::Kind;
using tree::detail::Node;

// Reads the bytes of a definition in the order in which they were written.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::size_t n) {
    std::string_view head = rest_.substr(0, n);
    rest_.remove_prefix(head.size());
    return head;
  }
  uint64_t count() {
    uint64_t n = 0;
    std::memcpy(&n, take(sizeof n).data(), sizeof n);
    return n;
  }
  bool flag() { return take(1)[0] != 0; }
  std::string_view value(const Node& node) { return take(node.size ? node.size : count()); }

 private:
  std::string_view rest_;
};

std::string printed(const Node& node, Cursor& at) {
  std::string out;
  node.print(at.value(node), out);
  return out;
}

// How many children a node has, and which; only maps read bytes between them.
uint64_t count_of(const Node& node, Cursor& at) {
  switch (node.kind) {
    case Kind::array:
    case Kind::value: return 0;
    case Kind::fields:
    case Kind::tuple:
    case Kind::fixed_list: return node.count;
    case Kind::list:
    case Kind::map: return at.count();
    case Kind::optional: return at.flag();
  }
  return 0;
}

const Node& child_of(const Node& node, uint64_t i) { return node.element ? *node.element : *node.children[i].node; }

// The step of a key path that leads to child i; reads the key of a map.
std::string step_to(const Node& node, uint64_t i, Cursor& at) {
  switch (node.kind) {
    case Kind::fields: return "." + std::string(node.children[i].name);
    case Kind::map: return "[" + printed(*node.key, at) + "]";
    case Kind::optional: return "";
    default: return "[" + std::to_string(i) + "]";
  }
}

std::string without_dot(std::string path) { return path.starts_with('.') ? path.substr(1) : path; }

void print(const Node& node, Cursor& at, std::string& out) {
  if (node.kind == Kind::array) return void(out += '*');
  if (node.kind == Kind::value) return node.print(at.value(node), out);
  uint64_t n = count_of(node, at);
  if (node.kind == Kind::optional) {
    if (n) return print(*node.element, at, out);
    return void(out += "none");
  }
  const bool named = node.kind == Kind::fields || node.kind == Kind::map;
  if (node.kind == Kind::fields) out += node.name;
  out += named ? '{' : node.kind == Kind::tuple ? '(' : '[';
  for (uint64_t i = 0; i < n; ++i) {
    if (i) out += ", ";
    if (node.kind == Kind::fields) (out += node.children[i].name) += ": ";
    if (node.kind == Kind::map) (out += printed(*node.key, at)) += ": ";
    print(child_of(node, i), at, out);
  }
  out += named ? '}' : node.kind == Kind::tuple ? ')' : ']';
}

// Calls visit(node, at, path) on each array and value; for a value, visit reads it.
template <class Visit>
void walk(const Node& node, Cursor& at, std::string& path, const Visit& visit) {
  if (node.kind == Kind::array || node.kind == Kind::value) return visit(node, at, path);
  uint64_t n = count_of(node, at);
  const std::size_t length = path.size();
  for (uint64_t i = 0; i < n; ++i) {
    path += step_to(node, i, at);
    walk(child_of(node, i), at, path, visit);
    path.resize(length);
  }
}

// Equal types, also when two shared libraries have a constant each. Closures of one spelling may still be two types.
bool same_class(const Node& a, const Node& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.count != b.count || a.size != b.size) return false;
  if (a.kind == Kind::fields || a.kind == Kind::value) {
    if (a.full_name != b.full_name || a.full_name.find("lambda") != a.full_name.npos) return false;
  }
  for (std::size_t i = 0; a.kind == Kind::fields && i < a.count; ++i)
    if (a.children[i].name != b.children[i].name) return false;
  return true;
}

std::string shown(const Node& node, Cursor at) {
  constexpr std::size_t kLongest = 400;
  std::string s;
  print(node, at, s);
  if (s.size() > kLongest) s = s.substr(0, kLongest) + "...";
  return s;
}

// True, with `out` filled, when the subtrees differ; otherwise both cursors have passed them.
bool differ(const Node& a, Cursor& at_a, const Node& b, Cursor& at_b, std::string& path, TreeDifference& out) {
  const Cursor start_a = at_a, start_b = at_b;
  auto report = [&] {
    out = {without_dot(path), shown(a, start_a), shown(b, start_b)};
    if (out.left == out.right) (out.left += " of type ") += a.full_name, (out.right += " of type ") += b.full_name;
    return true;
  };
  if (!same_class(a, b)) return report();
  if (a.kind == Kind::array) return false;
  if (a.kind == Kind::value) return at_a.value(a) != at_b.value(b) && report();
  uint64_t n = count_of(a, at_a);
  if (n != count_of(b, at_b)) return report();
  const std::size_t length = path.size();
  for (uint64_t i = 0; i < n; ++i) {
    std::string step = step_to(a, i, at_a);
    if (step != step_to(b, i, at_b)) return report();
    path += step;
    if (differ(child_of(a, i), at_a, child_of(b, i), at_b, path, out)) return true;
    path.resize(length);
  }
  return false;
}

uint64_t mix(uint64_t h, uint64_t x) {  // the finaliser of MurmurHash3, chained
  h = (h ^ x) * 0xff51afd7ed558ccdull;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return h ^ (h >> 33);
}

uint64_t hash_bytes(uint64_t h, std::string_view s) {
  h = mix(h, s.size());
  for (; !s.empty(); s.remove_prefix(std::min<std::size_t>(8, s.size()))) {
    uint64_t word = 0;
    std::memcpy(&word, s.data(), std::min<std::size_t>(8, s.size()));
    h = mix(h, word);
  }
  return h;
}

}  // namespace

uint64_t TreeDef::hash() const {
  // The spelling, not the address, so that copies of the constant in two shared libraries agree.
  if (!node_) return 0;
  return hash_bytes(hash_bytes(num_leaves_, node_->full_name), values_);
}

bool TreeDef::operator==(const TreeDef& other) const {
  if (num_leaves_ != other.num_leaves_ || values_ != other.values_) return false;
  return node_ == other.node_ || !difference(other);
}

std::vector<std::string> TreeDef::key_paths(std::string_view root) const {
  std::vector<std::string> paths;
  if (!node_) return paths;
  Cursor at(values_);
  std::string path(root);
  walk(*node_, at, path, [&](const Node& node, Cursor& at, const std::string& path) {
    if (node.kind == Kind::array)
      paths.push_back(without_dot(path));
    else
      at.value(node);
  });
  return paths;
}

std::vector<TreeStatic> TreeDef::statics(std::string_view root) const {
  std::vector<TreeStatic> found;
  if (!node_) return found;
  Cursor at(values_);
  std::string path(root);
  walk(*node_, at, path, [&](const Node& node, Cursor& at, const std::string& path) {
    if (node.kind == Kind::value) found.push_back({without_dot(path), printed(node, at)});
  });
  return found;
}

std::optional<TreeDifference> TreeDef::difference(const TreeDef& other, std::string_view root) const {
  if (!node_ || !other.node_) {
    if (node_ == other.node_) return std::nullopt;
    return TreeDifference{std::string(root), to_string(), other.to_string()};
  }
  Cursor at_a(values_), at_b(other.values_);
  std::string path(root);
  TreeDifference out;
  if (differ(*node_, at_a, *other.node_, at_b, path, out)) return out;
  return std::nullopt;
}

std::string TreeDef::to_string() const {
  if (!node_) return "nothing";
  Cursor at(values_);
  std::string out;
  print(*node_, at, out);
  return out;
}

}  // namespace nacre
