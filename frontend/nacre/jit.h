// jit: a callable compiled to machine code, once per signature of its arguments.
#pragma once
#include <any>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "nacre/compile_error.h"
#include "nacre/detail/callable.h"

namespace nacre {

struct JitOptions {
  // Numbers of arguments whose arrays are given up by each call: results reuse their memory. A donated array may not be
  // used afterwards (ValueError), nor be passed twice in one call.
  std::vector<int> donate;
};

namespace detail {

class JitCache;
std::shared_ptr<JitCache> make_jit_cache();

// What one traced signature compiles to.
struct JitEntry;

struct JitCall {
  std::span<const Array> leaves;
  std::span<const TreeDef> trees;
  const std::vector<bool>* donated;  // one flag a leaf
  FunctionRef<std::string(size_t)> path;
};
// Runs the compiled function; traces and compiles it first where the signature is new. `prototype` is then asked for
// the tree of the result, and kept.
std::pair<Arrays, const std::any*> run_jit(JitCache& cache, const JitCall& call, Body body,
                                           FunctionRef<std::any()> prototype);
// Text of the traced function, before (phase "trace") optimization.
std::string traced_ir(std::span<const Array> leaves, FunctionRef<std::string(size_t)> path, Body body, bool locations);
bool tracing();

template <class F>
class Jit {
 public:
  using OriginalCallable = F;

  Jit(F f, JitOptions options) : f_(std::move(f)), options_(std::move(options)), cache_(cache()) {}

  template <class... Args>
  auto operator()(const Args&... args) const {
    using Tuple = BoundArguments<F, Args...>;
    Tuple arguments{args...};
    // Inside another trace the function becomes part of it.
    if (tracing()) return std::apply([&](const auto&... a) -> Result<F, Tuple> { return f_(a...); }, arguments);
    Flat<Tuple> flat(arguments);
    std::vector<bool> donated(flat.leaves.size());
    for (int number : options_.donate) {
      if (number < 0 || static_cast<size_t>(number) >= sizeof...(Args))
        throw ValueError("jit: donate names argument " + std::to_string(number) + " of " +
                         std::to_string(sizeof...(Args)));
      for (size_t i = flat.begins[number]; i < flat.begins[number + 1]; ++i) donated[i] = true;
    }
    FlatCall<F, Tuple> call{f_, arguments};
    // The prototype keeps the tree and its statics, not the traced arrays.
    auto prototype = [&] {
      return std::any(
          std::make_shared<Result<F, Tuple>>(tree::map([](const Array&) { return Array(); }, *call.result)));
    };
    auto path = [&](size_t leaf) { return flat.path(leaf); };
    auto [out, kept] = run_jit(*cache_, {flat.leaves, flat.trees, &donated, path}, call, prototype);
    return tree::unflatten_like(**std::any_cast<std::shared_ptr<Result<F, Tuple>>>(kept), out);
  }

  // The function's IR for these arguments (which may be abstract), as traced.
  template <class... Args>
  std::string ir(const Args&... args) const {
    using Tuple = BoundArguments<F, Args...>;
    Tuple arguments{args...};
    Flat<Tuple> flat(arguments);
    FlatCall<F, Tuple> call{f_, arguments};
    return traced_ir(
        flat.leaves, [&](size_t leaf) { return flat.path(leaf); }, call, false);
  }

 private:
  // A rebuilt jit of a closure without state is the same function: it shares its compiled signatures.
  std::shared_ptr<JitCache> cache() const {
    if constexpr (std::is_empty_v<F>) {
      static auto& mutex = *new std::mutex;
      static auto& caches = *new std::vector<std::pair<std::vector<int>, std::shared_ptr<JitCache>>>;
      std::lock_guard lock(mutex);
      for (auto& [donate, cache] : caches)
        if (donate == options_.donate) return cache;
      return caches.emplace_back(options_.donate, make_jit_cache()).second;
    } else {
      return make_jit_cache();
    }
  }

  F f_;
  JitOptions options_;
  std::shared_ptr<JitCache> cache_;
};

}  // namespace detail

// jit(f)(args...) is f(args...), traced once per signature (tree structure, shapes, dtypes, weak types, static values)
// and compiled. f must be pure: side effects happen only while it is traced, and captured values are read then.
//
// Parameters declared as numbers, enums, strings or structs of such are static: part of the signature. A number passed
// where f takes an Array (or auto) is a traced weakly typed scalar. Inside another trace f is inlined.
// Errors: those of the operations in f, with their lines; CompileError.
template <class F>
auto jit(F f, JitOptions options = {}) {
  return detail::Jit<F>(std::move(f), std::move(options));
}

}  // namespace nacre
