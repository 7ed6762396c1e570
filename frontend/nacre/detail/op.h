// How every operation of the frontend is run: appended to the trace, or compiled once as a small program.
#pragma once
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "nacre/array.h"

namespace nacre::detail {

// A reference to a callable that outlives the call.
template <class Signature>
class FunctionRef;
template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F&& f)  // NOLINT: implicit
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, A... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<A>(args)...);
        }) {}
  R operator()(A... args) const { return call_(object_, std::forward<A>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, A...);
};

using Arrays = std::vector<Array>;
using Body = FunctionRef<Arrays(std::span<const Array>)>;

// The static parameters of an operation as cache key bytes.
inline void append_static(std::string& key, std::string_view s) { key.append(s).push_back('\0'); }
template <class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void append_static(std::string& key, T value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
void append_static(std::string& key, const std::vector<T>& values) {
  append_static(key, values.size());
  for (const T& v : values) append_static(key, v);
}
template <class T>
void append_static(std::string& key, const std::optional<T>& value) {
  append_static(key, value.has_value());
  if (value) append_static(key, *value);
}
template <class... T>
std::string statics(const T&... values) {
  std::string key;
  (append_static(key, values), ...);
  return key;
}

// Runs an operation. While tracing, `body` runs on the inputs and appends to the current trace. Otherwise the inputs
// must be concrete: `body` is traced once per (name, statics, dtypes and shapes), compiled, and kept. `name` and `at`
// are what error messages and IR locations say, unless an outer operation is running: then its own count.
Arrays run_op(const char* name, std::source_location at, const std::string& statics, std::span<const Array> inputs,
              Body body);

// The same for one result.
template <class F>
Array run_op1(const char* name, std::source_location at, const std::string& statics,
              std::initializer_list<Array> inputs, F&& body) {
  auto one = [&](std::span<const Array> in) { return Arrays{body(in)}; };
  return run_op(name, at, statics, std::span<const Array>(inputs.begin(), inputs.size()), one)[0];
}

// "jnp-style name (file:line): " of the outermost operation now running, the beginning of each error message.
std::string blame();

}  // namespace nacre::detail
