// Plain aggregates seen as lists of named fields, without a macro. The number of fields is found by trying how many
// initialisers the braces of T take, the fields by structured bindings, and each name is read out of the compiler's
// own spelling of a template argument that is the field's address.
// Not seen, and refused with a sentence: base classes, C arrays, reference members, more than 64 fields.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// What is named in unevaluated contexts only is declared and never defined.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

namespace nacre::tree::detail {

// Converts to any type but T itself; named in unevaluated contexts only.
template <class T>
struct AnyField {
  template <class F>
  requires(!std::is_same_v<F, T>) operator F() const;
};

template <class T>
struct AnyBase {
  template <class B>
  requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>) operator B() const;
};

template <class T, std::size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
  return requires { T{(void(i), AnyField<T>{})...}; };
}

// The last n of the first run of accepted counts. The run may start late: a member that cannot be made from nothing
// needs an initialiser.
template <class T, std::size_t limit, std::size_t n = 0, bool found = false>
constexpr std::size_t count_initialisers() {
  if constexpr (n > limit + 1) {
    return found ? limit + 1 : 0;
  } else if constexpr (takes<T>(std::make_index_sequence<n>{})) {
    return count_initialisers<T, limit, n + 1, true>();
  } else if constexpr (found) {
    return n - 1;
  } else {
    return count_initialisers<T, limit, n + 1, false>();
  }
}

// Braces around two values swallow a whole C array, after which fewer initialisers are left than after any other
// member.
template <class T, std::size_t... i, std::size_t... rest>
constexpr bool is_c_array_at(std::index_sequence<i...>, std::index_sequence<rest...>) {
  using Any = AnyField<T>;
  if constexpr (requires { T{(void(i), Any{})..., {Any{}, Any{}}}; }) {
    return !requires { T{(void(i), Any{})..., {Any{}, Any{}}, (void(rest), Any{})...}; };
  } else {
    return false;
  }
}

template <class T, std::size_t n, std::size_t... i>
constexpr bool has_c_array(std::index_sequence<i...>) {
  return (is_c_array_at<T>(std::make_index_sequence<i>{}, std::make_index_sequence<n - i - 1>{}) || ...);
}

template <class T>
constexpr bool has_base() {
  return requires { T{AnyBase<T>{}}; };
}

template <class... Declared, class... F>
constexpr auto tie_fields(F&... f) {
  static_assert((!std::is_reference_v<Declared> && ...),
                "Nacre trees cannot hold reference members: store the value, or list the fields with NACRE_TREE.");
  return std::tie(f...);
}

}  // namespace nacre::tree::detail

#include "nacre/detail/fields_ladder.h"

namespace nacre::tree::detail {

template <class T>
constexpr std::size_t checked_field_count() {
  constexpr std::size_t n = count_initialisers<T, kMaxFields>();
  constexpr bool base = has_base<T>();
  constexpr bool c_array = !base && n <= kMaxFields && has_c_array<T, n>(std::make_index_sequence<n>{});
  static_assert(
      !base,
      "Nacre trees cannot see through base classes: make the base a member, or list the fields with NACRE_TREE.");
  static_assert(!c_array, "Nacre trees cannot hold C arrays: use std::array<T, n> instead of T[n].");
  static_assert(n <= kMaxFields,
                "Nacre trees take structs of at most 64 fields: group some of them in a struct of their own.");
  return base || c_array || n > kMaxFields ? 0 : n;  // a refused type continues as an empty one: one error, not a page
}

template <class T>
inline constexpr std::size_t kFieldCount = checked_field_count<T>();

// References to the fields of an aggregate, in order.
template <class T>
constexpr auto fields_of(T& v) {
  return bind_fields<kFieldCount<std::remove_cv_t<T>>>(v);
}

// Never defined: only addresses inside it are named.
template <class T>
struct Holder {
  T value;
};
template <class T>
extern Holder<T> holder;

template <class T>
struct FieldAddress {
  T* p;
};

template <auto address>
consteval std::string_view spelled() {
  return __PRETTY_FUNCTION__;
}

template <class T, std::size_t i>
consteval std::string_view field_name() {
  constexpr auto fields = fields_of(holder<T>.value);
  using F = std::remove_reference_t<std::tuple_element_t<i, std::remove_const_t<decltype(fields)>>>;
  // clang: "... [address = FieldAddress<X>{&holder<T>.value.name}]"
  // gcc:   "... [with auto address = FieldAddress<X>{(& holder<T>.T::value.T::name)}; std::string_view = ...]"
  std::string_view s = spelled<FieldAddress<F>{&std::get<i>(fields)}>();
  s = s.substr(0, s.find_last_of('}'));
  while (!s.empty() && (s.back() == ')' || s.back() == '}')) s.remove_suffix(1);
  return s.substr(s.find_last_of(".:>") + 1);
}
// All of the type's spelling: "ns::Linear<3>".
template <class T>
consteval std::string_view full_type_name() {
  std::string_view s = __PRETTY_FUNCTION__;  // "... [T = X]", and in gcc "... [with T = X; std::string_view = ...]"
  s = s.substr(s.find("T = ") + 4);
  return s.substr(0, std::min(s.find("; std::string_view = "), s.size() - 1));
}

// Without namespaces and template arguments: "Linear". A closure's own spelling is of no use to a reader.
template <class T>
consteval std::string_view type_name() {
  std::string_view s = full_type_name<T>();
  if (s.find("lambda") != s.npos && s.back() != '>') return "lambda";
  std::size_t begin = 0, end = s.size(), depth = 0;
  for (std::size_t k = 0; k < s.size(); ++k) {  // the name starts after the last "::" outside all brackets
    char c = s[k];
    if (c == '<' && depth == 0) end = k;
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (depth == 0 && c == ':' && k + 1 < s.size() && s[k + 1] == ':') begin = k + 2, end = s.size(), ++k;
  }
  s = s.substr(begin, end - begin);
  return s.empty() ? std::string_view("lambda") : s;
}

}  // namespace nacre::tree::detail

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
