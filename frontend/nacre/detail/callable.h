// How transforms see a C++ callable: its parameter types, and the trees of arrays that go in and out.
#pragma once
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nacre/array.h"
#include "nacre/detail/op.h"
#include "nacre/tree.h"

namespace nacre::detail {

// Parameter types of a callable with exactly one, non-template call operator; `void` for others (generic lambdas).
template <class F>
struct Signature {
  using Parameters = void;
};
template <class R, class... A>
struct Signature<R (*)(A...)> {
  using Parameters = std::tuple<std::remove_cvref_t<A>...>;
};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...) const> {
  using Parameters = std::tuple<std::remove_cvref_t<A>...>;
};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...)> {
  using Parameters = std::tuple<std::remove_cvref_t<A>...>;
};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...) const noexcept> {
  using Parameters = std::tuple<std::remove_cvref_t<A>...>;
};
template <class F>
requires requires { &F::operator(); }
struct Signature<F> : Signature<decltype(&F::operator())> {};
// Transformed callables (jit, grad, vmap) keep the parameters of what they transform.
template <class F>
requires requires { typename F::OriginalCallable; }
struct Signature<F> : Signature<typename F::OriginalCallable> {};

// The type as which an argument is held: the callable's parameter type, or for generic ones the argument's own, numbers
// then being arrays.
template <class Arg>
using Held = std::conditional_t<std::is_arithmetic_v<std::remove_cvref_t<Arg>>, Array, std::remove_cvref_t<Arg>>;
template <class Parameters, class... Args>
struct Bound {
  static_assert(std::tuple_size_v<Parameters> == sizeof...(Args),
                "The number of arguments is not the number of parameters of the callable (defaults are not seen).");
  using Tuple = Parameters;
};
template <class... Args>
struct Bound<void, Args...> {
  using Tuple = std::tuple<Held<Args>...>;
};
template <class F, class... Args>
using BoundArguments = typename Bound<typename Signature<std::decay_t<F>>::Parameters, Args...>::Tuple;

// Arguments of one call: their arrays in order, and where each argument's begin.
template <class Tuple>
struct Flat {
  static constexpr size_t kCount = std::tuple_size_v<Tuple>;
  std::vector<Array> leaves;
  std::array<TreeDef, kCount> trees;
  std::array<size_t, kCount + 1> begins{};

  explicit Flat(const Tuple& arguments) {
    [&]<size_t... i>(std::index_sequence<i...>) {
      ((tree::flatten(std::get<i>(arguments), leaves, trees[i]), begins[i + 1] = leaves.size()), ...);
    }
    (std::make_index_sequence<kCount>{});
  }
  // Key path of a leaf: "arg0.layers[3].w".
  std::string path(size_t leaf) const {
    size_t a = 0;
    while (leaf >= begins[a + 1]) ++a;
    return trees[a].key_paths("arg" + std::to_string(a))[leaf - begins[a]];
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> all;
    for (size_t a = 0; a < kCount; ++a)
      for (std::string& p : trees[a].key_paths("arg" + std::to_string(a))) all.push_back(std::move(p));
    return all;
  }
};

// The arguments with other arrays in them.
template <class Tuple>
Tuple rebuilt(const Tuple& prototype, std::span<const Array> leaves) {
  size_t at = 0;
  auto next = [&](const auto& argument) {
    size_t n = tree::structure(argument).num_leaves();
    auto out = tree::unflatten_like(argument, leaves.subspan(at, n));
    at += n;
    return out;
  };
  return std::apply([&](const auto&... argument) { return Tuple{next(argument)...}; }, prototype);
}

// The result type of f on const lvalues of the arguments.
template <class F, class Tuple>
struct ResultOf;
template <class F, class... A>
struct ResultOf<F, std::tuple<A...>> {
  using Type = std::decay_t<std::invoke_result_t<const F&, const A&...>>;
};
template <class F, class Tuple>
using Result = typename ResultOf<F, Tuple>::Type;

void enter_user_code();
void leave_user_code();
// While alive, the operations of the user's callable count as outermost: they are what messages name.
struct UserCode {
  UserCode() { enter_user_code(); }
  ~UserCode() { leave_user_code(); }
};

// f as a function from arrays to arrays; keeps the last result as the prototype of its tree.
template <class F, class Tuple>
struct FlatCall {
  const F& f;
  const Tuple& arguments;
  std::optional<Result<F, Tuple>> result{};

  Arrays operator()(std::span<const Array> leaves) {
    UserCode scope;
    Tuple traced = rebuilt(arguments, leaves);
    result.emplace(std::apply([&](const auto&... a) { return f(a...); }, traced));
    return tree::leaves(*result);
  }
};

}  // namespace nacre::detail
