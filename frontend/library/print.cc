#include "nacre/print.h"

#include <algorithm>

namespace nacre {

namespace {

constexpr int64_t kEdge = 3;     // elements shown at each end of a long axis
constexpr int64_t kLong = 1000;  // arrays above this size are cut

struct Printer {
  const Array& array;
  std::string number, out;
  bool cut;

  void element(int64_t i) {
    if (array.dtype() == DType::pred) {
      out += values[static_cast<size_t>(i)] != 0 ? "true" : "false";
    } else if (is_floating(array.dtype())) {
      out += fmt::format(fmt::runtime(number), values[static_cast<size_t>(i)]);
    } else {
      out += fmt::format(fmt::runtime(number), integers[static_cast<size_t>(i)]);
    }
  }

  void axis(size_t dim, int64_t offset, int64_t below) {
    const Shape& shape = array.shape();
    if (dim == shape.size()) return element(offset);
    const int64_t n = shape[dim], stride = n ? below / n : 0;
    out += "[";
    for (int64_t i = 0; i < n; ++i) {
      if (i) out += dim + 1 == shape.size() ? ", " : ",\n" + std::string(dim + 1, ' ');
      if (cut && n > 2 * kEdge && i == kEdge) {
        out += "...";
        i = n - kEdge - 1;
        continue;
      }
      axis(dim + 1, offset + i * stride, stride);
    }
    out += "]";
  }

  std::vector<double> values;
  std::vector<int64_t> integers;
};

}  // namespace

std::string to_string(const Array& a, const std::string& spec) {
  if (a.is_null() || a.is_traced() || a.is_abstract()) return describe(a);
  Printer printer{a, "{:" + spec + "}", "", a.size() > kLong, a.to_vector<double>(), a.to_vector<int64_t>()};
  if (spec.empty() && is_floating(a.dtype())) printer.number = a.dtype() == DType::f64 ? "{:.10g}" : "{:.6g}";
  printer.axis(0, 0, a.size());
  return printer.out;
}

}  // namespace nacre
