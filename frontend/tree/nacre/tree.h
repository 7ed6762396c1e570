// Trees: plain structs as nested containers of arrays.
//
//   struct Linear { nc::Array w, b; };
//   struct Net { std::vector<Linear> layers; int heads = 4; };
//   Net scaled = nc::tree::map([](const nc::Array& a) { return 0.5f * a; }, net);
//
// Nodes of a tree: Array (a leaf); aggregates of up to 64 fields; std::tuple, pair, array, vector, map (keys: strings,
// integers, enums) and optional; classes that list their fields with NACRE_TREE(T, fields…); all of these nested.
// Everything else must be static: numbers, enums, std::string, structs of them, and closures without captures. Statics
// belong to the structure: they are kept when a tree is rebuilt, and must be equal where two trees meet.
// A null Array is a leaf like any other; a part that may be absent is a std::optional.
// Other types are refused while compiling, with a sentence that says what to write instead.
#pragma once
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "nacre/detail/tree_rebuild.h"
#include "nacre/error.h"
#include "nacre/tree_def.h"

namespace nacre::tree {

// True when values of type T may hold arrays; a type without any is static as a whole.
template <class T>
inline constexpr bool contains_arrays_v = detail::contains_arrays<detail::Plain<T>>();

namespace detail {

template <class A>
concept IsArray = std::is_same_v<A, Array>;

[[noreturn]] void fail_leaf_count(const TreeDef& def, std::size_t given);
[[noreturn]] void fail_other_type(const TreeDef& def, const Node& wanted);
// Throws TreeError when the definitions differ; `which` counts the trees given to `operation` from 0.
void check_same(const char* operation, const TreeDef& first, const TreeDef& other, std::size_t which);

}  // namespace detail

// Appends the arrays of `t` to `leaves` and describes the rest in `def`. Reusing both makes it free of allocations.
template <class T, detail::IsArray A>
void flatten(const T& t, std::vector<A>& leaves, TreeDef& def) {
  detail::Encoder(detail::NodeOf<detail::Plain<T>>::node, def).encode(t, [&](const A& a) { leaves.push_back(a); });
}

template <class T>
TreeDef structure(const T& t) {
  TreeDef def;
  detail::Encoder(detail::NodeOf<detail::Plain<T>>::node, def).encode(t, [](const auto&) {});
  return def;
}

// f(leaf) on each array, in order.
template <class F, class T>
void for_each(F&& f, const T& t) {
  auto nothing = [](const void*, std::size_t) {};
  detail::visit(t, f, nothing);
}

// A tree with the structure and statics of `prototype` and the given arrays.
// Throws TreeError when the number of arrays is not that of the prototype.
template <class T, detail::IsArray A = Array>
detail::Plain<T> unflatten_like(const T& prototype, std::span<const std::type_identity_t<A>> leaves) {
  std::size_t n = 0;
  for_each([&](const A&) { ++n; }, prototype);
  if (n != leaves.size()) detail::fail_leaf_count(structure(prototype), leaves.size());
  auto next = [at = leaves.begin()](const A&) mutable -> const A& { return *at++; };
  return detail::rebuild(prototype, next);
}

// The same from a definition. Throws TreeError when `def` is not that of a `T`, or has another number of arrays.
template <class T, detail::IsArray A = Array>
T unflatten(const TreeDef& def, std::span<const std::type_identity_t<A>> leaves) {
  const detail::Node& node = detail::NodeOf<T>::node;
  if (def.node() != &node && !(def.node() && def.node()->full_name == node.full_name))
    detail::fail_other_type(def, node);
  if (def.num_leaves() != leaves.size()) detail::fail_leaf_count(def, leaves.size());
  auto next = [at = leaves.begin()]() mutable -> const A& { return *at++; };
  return detail::Decoder(def).template build<T>(next);
}

template <class T, detail::IsArray A = Array>
std::vector<A> leaves(const T& t) {
  std::vector<A> out;
  for_each([&](const A& a) { out.push_back(a); }, t);
  return out;
}

// Each array with its key path, such as {"params.layers[3].w", array} for the root "params".
template <class T, detail::IsArray A = Array>
std::vector<std::pair<std::string, A>> leaves_with_path(const T& t, std::string_view root = "") {
  std::vector<std::pair<std::string, A>> out;
  std::vector<std::string> paths = structure(t).key_paths(root);
  for_each([&](const A& a) { out.emplace_back(std::move(paths[out.size()]), a); }, t);
  return out;
}

// The tree of f(a, b…) over corresponding arrays of the trees, with the statics of the first.
// Throws TreeError naming the first key path where structures or statics differ.
template <class F, class T, class... Rest>
detail::Plain<T> map(F&& f, const T& t, const Rest&... rest) {
  auto call = [&]<class... A>(const A&... a) {
    static_assert(std::is_convertible_v<decltype(f(a...)), std::common_type_t<A...>>,
                  "The function given to tree::map takes arrays and returns an Array.");
    return f(a...);
  };
  if constexpr (sizeof...(Rest) == 0) {
    return detail::rebuild(t, call);
  } else {
    TreeDef first = structure(t);
    std::size_t which = 0;
    auto collect = [&]<class R>(const R& r) {
      std::vector<const std::conditional_t<true, Array, R>*> pointers;
      TreeDef def;
      detail::Encoder(detail::NodeOf<detail::Plain<R>>::node, def).encode(r, [&](const auto& a) {
        pointers.push_back(&a);
      });
      detail::check_same("tree::map", first, def, ++which);
      return pointers;
    };
    std::tuple others{collect(rest)...};
    std::size_t i = 0;
    auto next = [&](const auto& a) {
      return std::apply([&](const auto&... pointers) { return call(a, *pointers[i]...); }, others);
    };
    auto counted = [&](const auto& a) {
      auto out = next(a);
      ++i;
      return out;
    };
    return detail::rebuild(t, counted);
  }
}

// The tree of f(key path, array).
template <class F, class T>
detail::Plain<T> map_with_path(F&& f, const T& t, std::string_view root = "") {
  std::vector<std::string> paths = structure(t).key_paths(root);
  std::size_t i = 0;
  auto next = [&](const auto& a) { return f(std::as_const(paths[i++]), a); };
  return detail::rebuild(t, next);
}

// f(… f(f(start, leaf 0), leaf 1) …, last leaf).
template <class F, class T, class S>
S reduce(F&& f, const T& t, S start) {
  for_each([&](const auto& a) { start = f(std::move(start), a); }, t);
  return start;
}

// True when predicate(leaf) is for every array; stops asking at the first that is not.
template <class F, class T>
bool all(F&& predicate, const T& t) {
  bool result = true;
  for_each([&](const auto& a) { result = result && static_cast<bool>(predicate(a)); }, t);
  return result;
}

}  // namespace nacre::tree
