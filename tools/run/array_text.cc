#include "tools/run/array_text.h"

#include <cmath>
#include <cstdio>

namespace nacre::tools {

namespace {

std::string numberText(double x) {
  char text[32];
  // Shorter than what tells all floats apart: this is for reading.
  std::snprintf(text, sizeof text, "%.8g", x);
  return std::isnan(x) ? "nan" : text;
}

std::string elementText(const ir::HostValue& v, int64_t position) {
  return ir::withElementType<ir::AllTypes>(v.element(), [&]<class T>() -> std::string {
    T x = v.elements<T>()[position];
    if constexpr (std::is_same_v<T, bool>) return x ? "True" : "False";
    if constexpr (ir::isFloating<T>)
      return numberText(x);
    else
      return std::to_string(x);
  });
}

struct Printer {
  const ir::HostValue& value;
  bool shortened;
  int64_t edge;
  std::string text;

  // `count` elements from `position` on belong to the part with these leading dimensions fixed.
  void print(size_t dim, int64_t position, int64_t count) {
    if (dim == value.shape().size()) {
      text += elementText(value, position);
      return;
    }
    const int64_t size = value.shape()[dim], inner = size == 0 ? 0 : count / size;
    const bool last = dim + 1 == value.shape().size();
    const std::string separator = last ? ", " : ",\n" + std::string(dim + 1, ' ');
    text += "[";
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) text += separator;
      if (shortened && size > 2 * edge && i == edge) {
        text += "..." + separator;
        i = size - edge;
      }
      print(dim + 1, position + i * inner, inner);
    }
    text += "]";
  }
};

}  // namespace

std::string arrayText(const ir::HostValue& value, int64_t threshold, int64_t edge) {
  const int64_t count = value.type.getNumElements();
  Printer printer{value, count > threshold, edge, ""};
  printer.print(0, 0, count);
  return printer.text;
}

}  // namespace nacre::tools
