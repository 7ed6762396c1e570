// Taking a tree apart and putting it together again.
#pragma once
#include <bit>
#include <string>
#include <utility>

#include "nacre/detail/tree_node.h"

namespace nacre::tree::detail {

// Shows each array of the tree to `leaf`, in order, and the bytes of everything else to `bytes`.
template <class T, class Leaf, class Bytes>
void visit(const T& v, Leaf& leaf, Bytes& bytes) {
  constexpr Kind kind = kKind<T>;
  auto count = [&](uint64_t n) { bytes(&n, sizeof n); };
  if constexpr (kind == Kind::array) {
    leaf(v);
  } else if constexpr (std::is_same_v<T, std::string>) {
    count(v.size());
    bytes(v.data(), v.size());
  } else if constexpr (kind == Kind::value) {
    bytes(&v, sizeof v);
  } else if constexpr (kind == Kind::fields || kind == Kind::tuple) {
    auto children = children_of(v);
    std::apply([&](const auto&... child) { (visit(child, leaf, bytes), ...); }, children);
  } else if constexpr (kind == Kind::optional) {
    char present = v.has_value();
    bytes(&present, 1);
    if (v) visit(*v, leaf, bytes);
  } else if constexpr (kind == Kind::map) {
    count(v.size());
    for (const auto& [key, value] : v) {
      visit(key, leaf, bytes);
      visit(value, leaf, bytes);
    }
  } else {
    if constexpr (kind == Kind::list) count(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) visit<typename T::value_type>(v[i], leaf, bytes);
  }
}

class Encoder {
 public:
  Encoder(const Node& node, TreeDef& def) : def_(def) {
    def.node_ = &node;
    def.values_.clear();  // keeps its memory for the next call
    def.num_leaves_ = 0;
  }
  template <class T, class Leaf>
  void encode(const T& v, Leaf&& leaf) {
    auto counted = [&](const auto& a) { ++def_.num_leaves_, leaf(a); };
    auto bytes = [&](const void* p, std::size_t n) { def_.values_.append(static_cast<const char*>(p), n); };
    visit(v, counted, bytes);
  }

 private:
  TreeDef& def_;
};

// A tree of the same structure and static values as `v`, with next(array) in the place of each array.
template <class T, class Next>
Plain<T> rebuild(const T& v, Next& next) {
  using P = Plain<T>;
  constexpr Kind kind = kKind<T>;
  if constexpr (kind == Kind::array) {
    return next(v);
  } else if constexpr (kind == Kind::value || kIsEmpty<T>) {
    return v;
  } else if constexpr (HasListedFields<T>) {
    T out = v;
    auto from = nacre_tree_fields(v);
    auto to = nacre_tree_fields(out);
    [&]<std::size_t... i>(std::index_sequence<i...>) { ((std::get<i>(to) = rebuild(std::get<i>(from), next)), ...); }
    (std::make_index_sequence<kChildren<T>>{});
    return out;
  } else if constexpr (kind == Kind::fields || kind == Kind::tuple) {
    auto children = children_of(v);
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return P{rebuild(std::get<i>(children), next)...};  // braces keep the order
    }
    (std::make_index_sequence<kChildren<T>>{});
  } else if constexpr (kind == Kind::fixed_list) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) { return P{{rebuild(v[i], next)...}}; }
    (std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (kind == Kind::list) {
    P out;
    out.reserve(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) out.push_back(rebuild<typename T::value_type>(v[i], next));
    return out;
  } else if constexpr (kind == Kind::map) {
    P out;
    for (const auto& [key, value] : v) out.emplace_hint(out.end(), key, rebuild(value, next));
    return out;
  } else {
    return v ? P(std::in_place, rebuild(*v, next)) : P();
  }
}

// The same from the bytes of a definition that `T` itself has written.
class Decoder {
 public:
  explicit Decoder(const TreeDef& def) : at_(def.encoded_values().data()) {}

  template <class T, class Next>
  T build(Next& next) {
    constexpr Kind kind = kKind<T>;
    if constexpr (kind == Kind::array) {
      return next();
    } else if constexpr (std::is_same_v<T, std::string>) {
      std::string s(number<uint64_t>(), '\0');
      take(s.data(), s.size());
      return s;
    } else if constexpr (kind == Kind::value) {
      return number<T>();
    } else if constexpr (kIsEmpty<T>) {
      return empty<T>();
    } else if constexpr (HasListedFields<T>) {
      static_assert(std::is_default_constructible_v<T>,
                    "A class with NACRE_TREE needs a default constructor to be built from a tree definition.");
      T out{};
      std::apply([&](auto&... field) { ((field = build<std::remove_reference_t<decltype(field)>>(next)), ...); },
                 nacre_tree_fields(out));
      return out;
    } else if constexpr (kind == Kind::fields || kind == Kind::tuple) {
      return [&]<std::size_t... i>(std::index_sequence<i...>) { return T{build<ChildOf<T, i>>(next)...}; }
      (std::make_index_sequence<kChildren<T>>{});
    } else if constexpr (kind == Kind::fixed_list) {
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return T{{(void(i), build<typename T::value_type>(next))...}};
      }
      (std::make_index_sequence<std::tuple_size_v<T>>{});
    } else if constexpr (kind == Kind::list) {
      T out;
      uint64_t n = number<uint64_t>();
      out.reserve(n);
      while (n--) out.push_back(build<typename T::value_type>(next));
      return out;
    } else if constexpr (kind == Kind::map) {
      T out;
      for (uint64_t n = number<uint64_t>(); n--;) {
        auto key = build<typename T::key_type>(next);
        out.emplace_hint(out.end(), std::move(key), build<typename T::mapped_type>(next));
      }
      return out;
    } else {
      return number<char>() ? T(std::in_place, build<typename T::value_type>(next)) : T();
    }
  }

 private:
  void take(void* p, std::size_t n) {
    if (n) std::memcpy(p, at_, n);
    at_ += n;
  }
  template <class T>
  T number() {
    T v;
    take(&v, sizeof v);
    return v;
  }
  template <class T>
  static T empty() {
    if constexpr (std::is_default_constructible_v<T>) {
      return T{};
    } else {
      static_assert(std::is_trivially_copyable_v<T>,
                    "An empty class needs a default constructor to be built from a tree definition.");
      return std::bit_cast<T>(std::byte{});
    }
  }

  const char* at_;
};

}  // namespace nacre::tree::detail
