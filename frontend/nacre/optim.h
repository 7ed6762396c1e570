// Gradient transformations, chained: each maps (gradients, state, parameters) to (updates, state). Names and meanings
// follow Optax. An optimizer is a plain value; its state is a tree of arrays with key paths, so it can be donated,
// saved and sharded like parameters.
#pragma once
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nacre/numpy.h"
#include "nacre/tree.h"

namespace nacre::optim {

// A number or a function of the step (an int32 scalar, 0 for the first update).
struct Schedule {
  std::function<Array(const Array&)> at;
  template <class T>
  requires std::is_arithmetic_v<T> Schedule(T value)
      : at([value](const Array&) { return Array(static_cast<double>(value)); }) {}  // NOLINT: implicit
  template <class F>
  requires std::is_invocable_r_v<Array, const F&, const Array&> Schedule(F f) : at(std::move(f)) {}  // NOLINT: implicit
  Array operator()(const Array& step) const { return at(step); }
};

// From 0 up to `peak` in `warmup` steps, then down along a half cosine to `end` at `total` steps (Loshchilov and
// Hutter, 2017).
Schedule warmup_cosine(double peak, int64_t warmup, int64_t total, double end = 0.0);

// Square root of the sum of squares over all arrays of a tree.
Array global_norm(const std::vector<Array>& leaves);

struct NoState {};

// Scales all gradients down together so that their global norm is at most `limit`.
struct ClipByGlobalNorm {
  float limit;
  template <class P>
  using State = NoState;

  template <class P>
  NoState init(const P&) const {
    return {};
  }
  template <class P>
  std::pair<P, NoState> update(const P& gradients, const NoState& state, const P&) const {
    Array norm = global_norm(tree::leaves(gradients));
    // 1 where nothing is to be done, also for a norm of 0.
    Array factor = limit / maximum(norm, limit);
    return {tree::map([&](const Array& g) { return astype(g * factor, g.dtype()); }, gradients), state};
  }
};
inline ClipByGlobalNorm clip_by_global_norm(float limit) { return {limit}; }

// Stochastic gradient descent, with momentum where not 0.
template <class P>
struct SgdState {
  Array step;
  P velocity;
};
struct Sgd {
  Schedule learning_rate = 0.01;
  float momentum = 0.0f;
  template <class P>
  using State = SgdState<P>;

  template <class P>
  SgdState<P> init(const P& parameters) const {
    return {zeros({}, i32), tree::map([](const Array& p) { return zeros_like(p); }, parameters)};
  }
  template <class P>
  std::pair<P, SgdState<P>> update(const P& gradients, const SgdState<P>& state, const P&) const {
    auto faster = [&](const Array& v, const Array& g) { return astype(momentum * v + g, v.dtype()); };
    P velocity = tree::map(faster, state.velocity, gradients);
    Array rate = learning_rate(state.step);
    P updates = tree::map([&](const Array& v) { return -(rate * v); }, velocity);
    return {updates, {state.step + 1, velocity}};
  }
};

// AdamW (Loshchilov and Hutter, 2019): Adam with decoupled weight decay. Moments have the parameters' dtypes.
struct AdamWOptions {
  Schedule learning_rate = 1e-3;
  float b1 = 0.9f, b2 = 0.999f, eps = 1e-8f;
  float weight_decay = 1e-4f;
};
template <class P>
struct AdamWState {
  Array step;  // int32, number of updates made
  P mu, nu;
};
struct AdamW {
  AdamWOptions options;
  template <class P>
  using State = AdamWState<P>;

  template <class P>
  AdamWState<P> init(const P& parameters) const {
    auto zero = [](const Array& p) { return zeros_like(p); };
    return {zeros({}, i32), tree::map(zero, parameters), tree::map(zero, parameters)};
  }
  template <class P>
  std::pair<P, AdamWState<P>> update(const P& gradients, const AdamWState<P>& state, const P& parameters) const {
    const AdamWOptions& o = options;
    Array step = state.step + 1, t = astype(step, f32);
    auto average = [](float b, const Array& old, const Array& now) {
      return astype(b * old + (1 - b) * now, old.dtype());
    };
    P mu = tree::map([&](const Array& m, const Array& g) { return average(o.b1, m, g); }, state.mu, gradients);
    P nu = tree::map([&](const Array& n, const Array& g) { return average(o.b2, n, square(g)); }, state.nu, gradients);
    // Bias corrections, as scalars.
    Array mu_scale = 1.0f / (1.0f - power(o.b1, t)), nu_scale = 1.0f / (1.0f - power(o.b2, t));
    Array rate = o.learning_rate(state.step);
    auto step_of = [&](const Array& m, const Array& n, const Array& p) {
      return -rate * ((m * mu_scale) / (sqrt(n * nu_scale) + o.eps) + o.weight_decay * p);
    };
    P updates = tree::map(step_of, mu, nu, parameters);
    return {updates, {step, mu, nu}};
  }
};
inline AdamW adamw(AdamWOptions options = {}) { return {std::move(options)}; }

// One transformation after the other; the state is the tuple of theirs.
template <class... T>
struct Chain {
  std::tuple<T...> parts;
  template <class P>
  using State = std::tuple<typename T::template State<P>...>;

  template <class P>
  State<P> init(const P& parameters) const {
    return std::apply([&](const auto&... part) { return State<P>{part.init(parameters)...}; }, parts);
  }
  template <class P>
  std::pair<P, State<P>> update(const P& gradients, const State<P>& state, const P& parameters) const {
    P updates = gradients;
    State<P> next = state;
    [&]<size_t... i>(std::index_sequence<i...>) {
      ((std::tie(updates, std::get<i>(next)) = std::get<i>(parts).update(updates, std::get<i>(state), parameters)),
       ...);
    }
    (std::index_sequence_for<T...>{});
    return {updates, next};
  }
};
template <class... T>
Chain<T...> chain(T... parts) {
  return {std::tuple<T...>(std::move(parts)...)};
}

template <class Optimizer, class P>
using state_of = typename Optimizer::template State<P>;

template <class P>
P apply_updates(const P& parameters, const P& updates) {
  return tree::map([](const Array& p, const Array& u) { return astype(p + u, p.dtype()); }, parameters, updates);
}

}  // namespace nacre::optim
