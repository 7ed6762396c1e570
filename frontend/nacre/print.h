// Printing of arrays: nacre::print("loss {:.3f}\n", loss), with fmt's format strings.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "nacre/array.h"

namespace nacre {

// Nested brackets as NumPy prints them, numbers by `spec` ("", ".3f", ...). Long arrays are cut in the middle. Traced
// and abstract arrays print their type.
std::string to_string(const Array& a, const std::string& spec = "");

template <class... T>
void print(fmt::format_string<T...> text, T&&... values) {
  std::fputs(fmt::format(text, std::forward<T>(values)...).c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace nacre

template <>
struct fmt::formatter<nacre::Array> {
  std::string spec;
  constexpr auto parse(format_parse_context& context) {
    auto at = context.begin();
    while (at != context.end() && *at != '}') spec += *at++;
    return at;
  }
  template <class Context>
  auto format(const nacre::Array& a, Context& context) const {
    return fmt::format_to(context.out(), "{}", nacre::to_string(a, spec));
  }
};
