// NACRE_TREE(T, field, …): inside the body of a class that reflection cannot see (private members, base classes),
// lists the fields that make it a tree, those of bases included. The rest of the object is not part of the tree: it is
// copied where a tree is rebuilt from another one. Needs assignable fields, and a default constructor where a tree is
// built from a definition alone.
#pragma once
#include <string_view>
#include <tuple>
#include <type_traits>

#define NACRE_PARENTHESES ()
#define NACRE_EXPAND(...) NACRE_EXPAND_3(NACRE_EXPAND_3(NACRE_EXPAND_3(NACRE_EXPAND_3(__VA_ARGS__))))
#define NACRE_EXPAND_3(...) NACRE_EXPAND_2(NACRE_EXPAND_2(NACRE_EXPAND_2(NACRE_EXPAND_2(__VA_ARGS__))))
#define NACRE_EXPAND_2(...) NACRE_EXPAND_1(NACRE_EXPAND_1(NACRE_EXPAND_1(NACRE_EXPAND_1(__VA_ARGS__))))
#define NACRE_EXPAND_1(...) __VA_ARGS__
#define NACRE_MEMBERS(v, f, ...) v.f __VA_OPT__(, NACRE_MEMBERS_AGAIN NACRE_PARENTHESES(v, __VA_ARGS__))
#define NACRE_MEMBERS_AGAIN() NACRE_MEMBERS

#define NACRE_TREE(T, ...)                                                                                        \
  friend constexpr auto nacre_tree_fields(T& v) { return std::tie(NACRE_EXPAND(NACRE_MEMBERS(v, __VA_ARGS__))); } \
  friend constexpr auto nacre_tree_fields(const T& v) {                                                           \
    return std::tie(NACRE_EXPAND(NACRE_MEMBERS(v, __VA_ARGS__)));                                                 \
  }                                                                                                               \
  friend constexpr ::nacre::tree::detail::ListedNames<T> nacre_tree_names(const T*) { return {#__VA_ARGS__}; }    \
  static_assert(true, "")

namespace nacre::tree::detail {

// The text "a, b, c", of class T.
template <class T>
struct ListedNames {
  std::string_view text;
};

// Not true of a class derived from one with NACRE_TREE: its own fields would be lost without a word.
template <class T>
concept HasListedFields = requires(const T* p) {
  requires std::is_same_v<decltype(nacre_tree_names(p)), ListedNames<T>>;
};

// The i-th name of "a, b, c".
constexpr std::string_view listed_name(std::string_view names, std::size_t i) {
  while (i--) names.remove_prefix(names.find(',') + 1);
  names = names.substr(0, names.find(','));
  while (names.starts_with(' ')) names.remove_prefix(1);
  while (names.ends_with(' ')) names.remove_suffix(1);
  return names;
}

}  // namespace nacre::tree::detail
