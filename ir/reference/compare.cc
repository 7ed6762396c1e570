#include "ir/reference/compare.h"

#include <bit>
#include <cmath>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre::ir {

namespace {

constexpr int kReported = 5;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;

// Numbers in the order of their values; -0 and +0 are both 0.
template <class T>
int64_t rankOfFloat(T x) {
  auto bits = std::bit_cast<BitsOf<T>>(x);
  constexpr auto sign = BitsOf<T>(BitsOf<T>{1} << (8 * sizeof(T) - 1));
  int64_t magnitude = static_cast<int64_t>(bits & ~sign);
  return bits & sign ? -magnitude : magnitude;
}

template <class T>
double distance(T a, T b) {
  int64_t x = rankOfFloat(a), y = rankOfFloat(b);
  // Opposite signs could overflow int64_t.
  return static_cast<double>(static_cast<long double>(x) - static_cast<long double>(y)) < 0
             ? static_cast<double>(static_cast<long double>(y) - x)
             : static_cast<double>(static_cast<long double>(x) - y);
}

template <class T>
double epsilon() {
  return std::is_same_v<T, BFloat16> ? 0x1p-7 : std::is_same_v<T, float> ? 0x1p-23 : 0x1p-52;
}

// Whether the two agree; `ulps` is set for numbers.
template <class T>
bool agree(T got, T want, const Tolerance& tolerance, double magnitude, double& ulps) {
  if constexpr (!isFloating<T>) {
    return got == want;
  } else {
    const double g = got, w = want;
    if (std::isnan(g) || std::isnan(w)) return std::isnan(g) && std::isnan(w);
    ulps = distance(got, want);
    if (ulps == 0 && tolerance.ulps == 0 && tolerance.scaledUlps == 0) return std::signbit(g) == std::signbit(w);
    return ulps <= tolerance.ulps || std::fabs(g - w) <= tolerance.scaledUlps * epsilon<T>() * magnitude;
  }
}

void print(llvm::raw_ostream& out, bool x) { out << (x ? "true" : "false"); }
void print(llvm::raw_ostream& out, int32_t x) { out << x; }
void print(llvm::raw_ostream& out, int64_t x) { out << x; }
void print(llvm::raw_ostream& out, uint8_t x) { out << unsigned{x}; }
void print(llvm::raw_ostream& out, uint32_t x) { out << x; }
void print(llvm::raw_ostream& out, double x, const char* digits) {
  // Like std::isnan, but with the sign, which LLVM's format would drop.
  if (std::isnan(x))
    out << "nan";
  else if (std::isinf(x))
    out << (x < 0 ? "-inf" : "inf");
  else
    out << llvm::format(digits, x);
}
void print(llvm::raw_ostream& out, BFloat16 x) { print(out, double{x}, "%.4g"); }
void print(llvm::raw_ostream& out, float x) { print(out, double{x}, "%.9g"); }
void print(llvm::raw_ostream& out, double x) { print(out, x, "%.17g"); }

Index indexAt(llvm::ArrayRef<int64_t> shape, int64_t position) {
  Index index(shape.size());
  for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

std::string nameOf(mlir::Type element) {
  if (element.isInteger(1)) return "bool";
  if (element.isBF16()) return "bfloat16";
  std::string bits = std::to_string(element.getIntOrFloatBitWidth());
  if (llvm::isa<mlir::FloatType>(element)) return "float" + bits;
  return (element.isUnsignedInteger() ? "uint" : "int") + bits;
}

std::string bracketed(llvm::ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "[";
  llvm::interleaveComma(values, out);
  out << "]";
  return text;
}

}  // namespace

double ulpDistance(float a, float b) { return distance(a, b); }
double ulpDistance(double a, double b) { return distance(a, b); }
double ulpDistance(BFloat16 a, BFloat16 b) { return distance(a, b); }

std::string describeType(mlir::RankedTensorType type) {
  return nameOf(type.getElementType()) + bracketed(type.getShape());
}

std::string describeElement(const HostValue& v, int64_t position) {
  std::string text;
  llvm::raw_string_ostream out(text);
  withElementType<AllTypes>(v.element(), [&]<class T>() { print(out, v.elements<T>()[position]); });
  return text;
}

Comparison compareValues(const HostValue& got, const HostValue& want, const Tolerance& tolerance,
                         const std::string& what, std::span<const float> magnitude) {
  Comparison c;
  if (got.type != want.type || got.data.size() != want.data.size()) {
    c.mismatches = 1;
    c.report = what + ": got " + describeType(got.type) + ", want " + describeType(want.type) + "\n";
    return c;
  }
  llvm::raw_string_ostream out(c.report);
  withElementType<AllTypes>(want.element(), [&]<class T>() {
    auto g = got.elements<T>(), w = want.elements<T>();
    for (size_t i = 0; i < w.size(); ++i) {
      double ulps = 0;
      bool ok = agree(T(g[i]), T(w[i]), tolerance, magnitude.empty() ? 0 : magnitude[i], ulps);
      c.worstUlps = std::max(c.worstUlps, ulps);
      if (ok || ++c.mismatches > kReported) continue;
      out << what << " " << describeType(want.type) << " at " << bracketed(indexAt(want.shape(), i)) << ": got "
          << describeElement(got, i) << ", want " << describeElement(want, i);
      if (isFloating<T> && ulps > 0) out << llvm::format(" (%.6g ulp)", ulps);
      out << "\n";
    }
  });
  if (c.mismatches > kReported)
    out << what << ": " << c.mismatches << " of " << want.data.size() / elementBytes(want.element())
        << " elements differ\n";
  return c;
}

}  // namespace nacre::ir
