#include <cstdio>
#include <string>

#include "nacre/detail/tree_node.h"
#include "nacre/error.h"
#include "nacre/tree_def.h"

namespace nacre::tree::detail {

void print_string(std::string_view bytes, std::string& out) {
  out += '"';
  for (char c : bytes) {
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 32 || c == 127) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(c));
      out += hex;
    } else {
      out += c;
    }
  }
  out += '"';
}

[[noreturn]] void fail_leaf_count(const TreeDef& def, std::size_t given) {
  throw TreeError("tree::unflatten: the tree " + def.to_string() + " has " + std::to_string(def.num_leaves()) +
                  " arrays, but " + std::to_string(given) + " were given");
}

[[noreturn]] void fail_other_type(const TreeDef& def, const Node& wanted) {
  throw TreeError("tree::unflatten: the definition is of " + def.to_string() + ", not of the type asked for, " +
                  std::string(wanted.name) + " (" + std::string(wanted.full_name) + ")");
}

void check_same(const char* operation, const TreeDef& first, const TreeDef& other, std::size_t which) {
  if (first == other) return;
  auto d = first.difference(other);
  throw TreeError(std::string(operation) + ": tree " + std::to_string(which + 1) + " differs from tree 1 at " +
                  (d->path.empty() ? "the root" : d->path) + ": tree 1 has " + d->left + ", tree " +
                  std::to_string(which + 1) + " has " + d->right +
                  "; structures and static values must be equal in all trees");
}

}  // namespace nacre::tree::detail
