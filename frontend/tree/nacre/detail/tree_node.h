// Which kind of tree node a C++ type is, and the constant that describes it at run time.
#pragma once
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nacre/detail/reflect.h"
#include "nacre/detail/tree_macro.h"
#include "nacre/tree_def.h"

namespace nacre {
class Array;
}

namespace nacre::tree::detail {

template <class T, template <class...> class Template>
inline constexpr bool kIs = false;
template <class... A, template <class...> class Template>
inline constexpr bool kIs<Template<A...>, Template> = true;

template <class T>
inline constexpr bool kIsStdArray = false;
template <class T, std::size_t n>
inline constexpr bool kIsStdArray<std::array<T, n>> = true;

template <class T>
inline constexpr bool kIsPointer =
    std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T> || std::is_function_v<T>;

template <class T>
inline constexpr bool kIsKey = std::is_integral_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;

// Tuples of references, as std::tie makes them, count as tuples of what they refer to.
template <class T>
struct PlainOf {
  using type = T;
};
template <class T>
using Plain = typename PlainOf<std::remove_cvref_t<T>>::type;
template <class... T>
struct PlainOf<std::tuple<T...>> {
  using type = std::tuple<Plain<T>...>;
};
template <class A, class B>
struct PlainOf<std::pair<A, B>> {
  using type = std::pair<Plain<A>, Plain<B>>;
};

// Each refused type gets one sentence.
template <class T>
consteval bool check_supported() {
  constexpr bool aggregate = std::is_aggregate_v<T> && !std::is_union_v<T>;
  static_assert(!std::is_array_v<T>, "Nacre trees cannot hold C arrays: use std::array<T, n> instead of T[n].");
  static_assert(
      !kIsPointer<T>,
      "Nacre trees cannot hold pointers or references to functions: hold the value, a std::string, or a closure "
      "without captures.");
  static_assert(!std::is_same_v<T, long double>, "Nacre trees cannot hold long double as a static value: use double.");
  static_assert(
      std::is_array_v<T> || kIsPointer<T> || std::is_arithmetic_v<T> || aggregate || std::is_empty_v<T>,
      "This type is neither a tree nor a static value. Trees are Array, plain structs, std::tuple, pair, array, "
      "vector, map and optional; static values are numbers, enums, std::string and structs of them, and "
      "closures without captures. For other classes list the fields with NACRE_TREE(T, fields...).");
  return true;
}

template <class T>
consteval Kind kind_of() {
  if constexpr (std::is_same_v<T, Array>) {
    return Kind::array;
  } else if constexpr (HasListedFields<T>) {
    return Kind::fields;
  } else if constexpr (kIs<T, std::tuple> || kIs<T, std::pair>) {
    return Kind::tuple;
  } else if constexpr (kIsStdArray<T>) {
    return Kind::fixed_list;
  } else if constexpr (kIs<T, std::vector>) {
    return Kind::list;
  } else if constexpr (kIs<T, std::map>) {
    static_assert(kIsKey<typename T::key_type>,
                  "The keys of a std::map in a Nacre tree are std::string, integers or enums.");
    return Kind::map;
  } else if constexpr (kIs<T, std::optional>) {
    return Kind::optional;
  } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, std::string>) {
    return Kind::value;
  } else if constexpr (check_supported<T>() && std::is_arithmetic_v<T>) {
    return Kind::value;
  } else {
    return Kind::fields;
  }
}

template <class T>
inline constexpr Kind kKind = kind_of<T>();

// A class without any data, such as a closure without captures: there is nothing to list.
template <class T>
inline constexpr bool kIsEmpty = std::is_empty_v<T> && !HasListedFields<T>;

// References to the children of a struct or tuple.
template <class T>
constexpr auto children_of(T& v) {
  using U = std::remove_const_t<T>;
  if constexpr (HasListedFields<U>) {
    return nacre_tree_fields(v);
  } else if constexpr (kIs<U, std::tuple> || kIs<U, std::pair>) {
    return std::apply([](auto&... e) { return std::tie(e...); }, v);
  } else if constexpr (kIsEmpty<U> || !std::is_aggregate_v<U>) {
    return std::tuple<>();
  } else {
    return fields_of(v);
  }
}

template <class T>
using ChildrenOf = decltype(children_of(std::declval<T&>()));
template <class T>
inline constexpr std::size_t kChildren = std::tuple_size_v<ChildrenOf<T>>;
template <class T, std::size_t i>
using ChildOf = std::remove_cvref_t<std::tuple_element_t<i, ChildrenOf<T>>>;

void print_string(std::string_view bytes, std::string& out);  // quoted and escaped

template <class T>
void print_value(std::string_view bytes, std::string& out) {
  if constexpr (std::is_same_v<T, std::string>) {
    print_string(bytes, out);
  } else {
    T v;
    std::memcpy(static_cast<void*>(&v), bytes.data(), sizeof v);
    char text[64];
    auto number = [&](auto x) { out.append(text, std::to_chars(text, text + sizeof text, x).ptr); };
    if constexpr (std::is_same_v<T, bool>) {
      out += v ? "true" : "false";
    } else if constexpr (std::is_enum_v<T>) {
      (out += type_name<T>()) += '(';
      number(static_cast<long long>(v));
      out += ')';
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      number(static_cast<long long>(v));
    } else if constexpr (std::is_integral_v<T>) {
      number(static_cast<unsigned long long>(v));
    } else {
      number(v);
    }
  }
}

template <class T>
constexpr Node make_node();
// `NodeOf` breaks the circle of types that hold lists of themselves: only its address is needed.
template <class T>
struct NodeOf {
  static const Node node;
};
template <class T>
constexpr Node NodeOf<T>::node = make_node<T>();

template <class T, std::size_t i>
constexpr std::string_view child_name() {
  if constexpr (kKind<T> == Kind::tuple) {
    return "";
  } else if constexpr (HasListedFields<T>) {
    return listed_name(nacre_tree_names(static_cast<const T*>(nullptr)).text, i);
  } else {
    return field_name<T, i>();
  }
}

template <class T, class Indices = std::make_index_sequence<kChildren<T>>>
struct ChildTable;
template <class T, std::size_t... i>
struct ChildTable<T, std::index_sequence<i...>> {
  static constexpr std::array<Child, sizeof...(i)> table = {
      Child{child_name<T, i>(), &NodeOf<Plain<ChildOf<T, i>>>::node}...};
};

template <class T>
constexpr Node make_node() {
  constexpr Kind kind = kKind<T>;
  Node node{kind, type_name<T>(), full_type_name<T>()};
  if constexpr (kind == Kind::fields || kind == Kind::tuple) {
    node.count = kChildren<T>;
    if constexpr (kChildren < T >> 0) node.children = ChildTable<T>::table.data();
  } else if constexpr (kind == Kind::map) {
    node.element = &NodeOf<Plain<typename T::mapped_type>>::node;
    node.key = &NodeOf<typename T::key_type>::node;
  } else if constexpr (kind == Kind::fixed_list || kind == Kind::list || kind == Kind::optional) {
    node.element = &NodeOf<Plain<typename T::value_type>>::node;
    if constexpr (kind == Kind::fixed_list) node.count = std::tuple_size_v<T>;
  } else if constexpr (kind == Kind::value) {
    node.print = &print_value<T>;
    node.size = std::is_same_v<T, std::string> ? 0 : sizeof(T);
  }
  return node;
}

// Whether a tree of this type may hold an Array; `Seen` are the types around it.
template <class T, class... Seen>
consteval bool contains_arrays() {
  if constexpr ((std::is_same_v<T, Seen> || ...)) {
    return false;
  } else if constexpr (kKind<T> == Kind::array) {
    return true;
  } else if constexpr (kKind<T> == Kind::value) {
    return false;
  } else if constexpr (kKind<T> == Kind::map) {
    return contains_arrays<Plain<typename T::mapped_type>, T, Seen...>();
  } else if constexpr (kKind<T> == Kind::fields || kKind<T> == Kind::tuple) {
    return []<std::size_t... i>(std::index_sequence<i...>) {
      return (contains_arrays<Plain<ChildOf<T, i>>, T, Seen...>() || ...);
    }
    (std::make_index_sequence<kChildren<T>>{});
  } else {
    return contains_arrays<Plain<typename T::value_type>, T, Seen...>();
  }
}

}  // namespace nacre::tree::detail
