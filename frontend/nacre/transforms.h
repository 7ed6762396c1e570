// Function transformations: from callable to callable, nesting in any order: jit(vmap(grad(f))).
//
// The callable is called with const lvalues of its decayed parameter types. Arguments and results are trees
// (nacre/tree.h); every array in them takes part. Values that the callable captures are constants to the transform.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "nacre/detail/callable.h"

namespace nacre {

// Tag: the callable returns a pair (value, anything), of which only the value is differentiated.
struct HasAux {};
inline constexpr HasAux has_aux{};

// Position of the mapped axis of an argument or result; std::nullopt: not mapped. One for all arrays of a tree, or
// with leaf_axes one per array in the order of tree::leaves.
struct AxisSpec {
  std::vector<std::optional<int64_t>> axes{0};
  bool per_leaf = false;
  AxisSpec() = default;
  AxisSpec(int axis) : axes{axis} {}                // NOLINT: implicit
  AxisSpec(std::nullopt_t) : axes{std::nullopt} {}  // NOLINT: implicit
};
inline AxisSpec leaf_axes(std::vector<std::optional<int64_t>> axes) {
  AxisSpec spec;
  spec.axes = std::move(axes);
  spec.per_leaf = true;
  return spec;
}

namespace detail {

struct Gradients {
  Arrays results, gradients;
};
// `active` has one flag per leaf, `paths` names them in errors; result 0 is the value.
Gradients value_and_grad(const char* name, std::span<const Array> leaves, const std::vector<bool>& active,
                         FunctionRef<std::string(size_t)> path, Body body);
struct Tangents {
  Arrays results, tangents;
};
Tangents jvp(std::span<const Array> leaves, std::span<const Array> tangents, FunctionRef<std::string(size_t)> path,
             Body body);
Arrays vmap(std::span<const Array> leaves, const std::vector<std::optional<int64_t>>& axes, const AxisSpec& out_axes,
            std::optional<int64_t> axis_size, FunctionRef<std::string(size_t)> path, Body body);
Arrays eval_shape(std::span<const Array> leaves, FunctionRef<std::string(size_t)> path, Body body);

template <bool kAux, bool kValue, class F, size_t... kArgnums>
struct Grad {
  using OriginalCallable = F;
  F f;

  template <class... Args>
  auto operator()(const Args&... args) const {
    using Tuple = BoundArguments<F, Args...>;
    static_assert(((kArgnums < sizeof...(Args)) && ...),
                  "An argument number of grad is not below the number of arguments.");
    Tuple arguments{args...};
    Flat<Tuple> flat(arguments);
    std::vector<bool> active(flat.leaves.size());
    ((std::fill(active.begin() + flat.begins[kArgnums], active.begin() + flat.begins[kArgnums + 1], true)), ...);
    FlatCall<F, Tuple> call{f, arguments};
    Gradients found = value_and_grad(
        kValue ? "value_and_grad" : "grad", flat.leaves, active, [&](size_t leaf) { return flat.path(leaf); }, call);
    // Gradients come in the order of the leaves.
    auto gradient_of = [&]<size_t i>(std::integral_constant<size_t, i>) {
      size_t before = 0;
      for (size_t leaf = 0; leaf < flat.begins[i]; ++leaf) before += active[leaf];
      return tree::unflatten_like(
          std::get<i>(arguments),
          std::span<const Array>(found.gradients).subspan(before, flat.begins[i + 1] - flat.begins[i]));
    };
    auto gradients = [&] {
      if constexpr (sizeof...(kArgnums) == 1)
        return (gradient_of(std::integral_constant<size_t, kArgnums>{}), ...);
      else
        return std::tuple{gradient_of(std::integral_constant<size_t, kArgnums>{})...};
    }();
    auto result = tree::unflatten_like(*call.result, found.results);
    if constexpr (kAux) {
      static_assert(std::tuple_size_v<decltype(result)> == 2, "With has_aux the callable returns a pair (value, aux).");
      if constexpr (kValue)
        return std::pair{std::move(result), std::move(gradients)};
      else
        return std::pair{std::move(gradients), std::get<1>(std::move(result))};
    } else {
      static_assert(std::is_same_v<decltype(result), Array>,
                    "grad wants a callable that returns one scalar Array; for (value, aux) pass nacre::has_aux.");
      if constexpr (kValue)
        return std::pair{std::move(result), std::move(gradients)};
      else
        return gradients;
    }
  }
};

}  // namespace detail

// value_and_grad(f)(args...): the pair of f's value, a floating-point scalar, and its gradient with respect to the
// first argument, as a tree like that argument. value_and_grad<0, 2>(f) gives a tuple of gradients, by argument number.
// All arrays of a differentiated argument must be of floating point. Reverse mode: linearize, then transpose.
template <size_t... kArgnums, class F>
auto value_and_grad(F f) {
  if constexpr (sizeof...(kArgnums) == 0)
    return detail::Grad<false, true, F, 0>{std::move(f)};
  else
    return detail::Grad<false, true, F, kArgnums...>{std::move(f)};
}
// The callable returns (value, aux); the result is ((value, aux), gradients).
template <size_t... kArgnums, class F>
auto value_and_grad(F f, HasAux) {
  if constexpr (sizeof...(kArgnums) == 0)
    return detail::Grad<true, true, F, 0>{std::move(f)};
  else
    return detail::Grad<true, true, F, kArgnums...>{std::move(f)};
}
// The gradient alone.
template <size_t... kArgnums, class F>
auto grad(F f) {
  if constexpr (sizeof...(kArgnums) == 0)
    return detail::Grad<false, false, F, 0>{std::move(f)};
  else
    return detail::Grad<false, false, F, kArgnums...>{std::move(f)};
}
// (gradients, aux).
template <size_t... kArgnums, class F>
auto grad(F f, HasAux) {
  if constexpr (sizeof...(kArgnums) == 0)
    return detail::Grad<true, false, F, 0>{std::move(f)};
  else
    return detail::Grad<true, false, F, kArgnums...>{std::move(f)};
}

// Forward mode: (f(primals...), the derivative of f at the primals along the tangents). Each tangent is a tree like its
// primal, of the same shapes and dtypes; integer arrays take tangents that are ignored, integer results have zeros.
template <class F, class... A, class... B>
auto jvp(const F& f, const std::tuple<A...>& primals, const std::tuple<B...>& tangents) {
  using Tuple = detail::BoundArguments<F, A...>;
  static_assert(sizeof...(A) == sizeof...(B), "jvp wants one tangent for each primal.");
  auto held = [](const auto&... a) { return Tuple{a...}; };
  Tuple arguments = std::apply(held, primals), directions = std::apply(held, tangents);
  detail::Flat<Tuple> flat(arguments), flat_directions(directions);
  for (size_t a = 0; a < sizeof...(A); ++a)
    if (!(flat.trees[a] == flat_directions.trees[a]))
      throw TreeError("jvp: argument " + std::to_string(a) + " is " + flat.trees[a].to_string() +
                      " but its tangent is " + flat_directions.trees[a].to_string());
  detail::FlatCall<F, Tuple> call{f, arguments};
  detail::Tangents found = detail::jvp(
      flat.leaves, flat_directions.leaves, [&](size_t leaf) { return flat.path(leaf); }, call);
  return std::pair{tree::unflatten_like(*call.result, found.results),
                   tree::unflatten_like(*call.result, found.tangents)};
}

namespace detail {

template <class F>
struct Vmap {
  using OriginalCallable = F;
  F f;
  std::vector<AxisSpec> in_axes;
  AxisSpec out_axes;
  std::optional<int64_t> axis_size;

  template <class... Args>
  auto operator()(const Args&... args) const {
    using Tuple = BoundArguments<F, Args...>;
    Tuple arguments{args...};
    Flat<Tuple> flat(arguments);
    if (!in_axes.empty() && in_axes.size() != sizeof...(Args))
      throw ShapeError("vmap: in_axes has " + std::to_string(in_axes.size()) + " entries for " +
                       std::to_string(sizeof...(Args)) + " arguments; give one per argument, or none for all 0");
    std::vector<std::optional<int64_t>> axes;
    for (size_t a = 0; a < sizeof...(Args); ++a) {
      const size_t n = flat.begins[a + 1] - flat.begins[a];
      const AxisSpec spec = in_axes.empty() ? AxisSpec() : in_axes[a];
      if (spec.per_leaf && spec.axes.size() != n)
        throw TreeError("vmap: leaf_axes of argument " + std::to_string(a) + " has " +
                        std::to_string(spec.axes.size()) + " entries for " + std::to_string(n) + " arrays");
      for (size_t i = 0; i < n; ++i) axes.push_back(spec.axes[spec.per_leaf ? i : 0]);
    }
    FlatCall<F, Tuple> call{f, arguments};
    Arrays out = vmap(
        flat.leaves, axes, out_axes, axis_size, [&](size_t leaf) { return flat.path(leaf); }, call);
    return tree::unflatten_like(*call.result, out);
  }
};

}  // namespace detail

struct VmapOptions {
  std::vector<AxisSpec> in_axes;  // empty: axis 0 of every argument
  AxisSpec out_axes = 0;
  std::optional<int64_t> axis_size;  // needed when nothing is mapped
};
// f over an axis of its arguments: one call of the result is f on each slice, stacked, as one batched program.
// vmap(f, {0, std::nullopt}) maps the first argument's axis 0 and passes the second whole.
template <class F>
auto vmap(F f, std::vector<AxisSpec> in_axes = {}, AxisSpec out_axes = 0) {
  return detail::Vmap<F>{std::move(f), std::move(in_axes), std::move(out_axes), std::nullopt};
}
template <class F>
auto vmap(F f, VmapOptions options) {
  return detail::Vmap<F>{std::move(f), std::move(options.in_axes), std::move(options.out_axes), options.axis_size};
}

// The result of f(args...) with abstract arrays (shape and dtype only): nothing is computed. Arguments may be abstract.
template <class F, class... Args>
auto eval_shape(const F& f, const Args&... args) {
  using Tuple = detail::BoundArguments<F, Args...>;
  Tuple arguments{args...};
  detail::Flat<Tuple> flat(arguments);
  detail::FlatCall<F, Tuple> call{f, arguments};
  detail::Arrays out = detail::eval_shape(
      flat.leaves, [&](size_t leaf) { return flat.path(leaf); }, call);
  return tree::unflatten_like(*call.result, out);
}

}  // namespace nacre
