#include "ir/reference/compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "mlir/IR/MLIRContext.h"

using namespace nacre::ir;

namespace {

mlir::MLIRContext& context() {
  static mlir::MLIRContext c(mlir::MLIRContext::Threading::DISABLED);
  return c;
}

template <class T>
HostValue value(mlir::Type element, std::vector<int64_t> shape, std::vector<T> elements) {
  HostValue v = zeros(mlir::RankedTensorType::get(shape, element));
  REQUIRE(v.data.size() == elements.size() * sizeof(T));
  std::memcpy(v.data.data(), elements.data(), v.data.size());
  return v;
}

HostValue floats(std::vector<float> x) {
  int64_t n = static_cast<int64_t>(x.size());
  return value(mlir::Float32Type::get(&context()), {n}, x);
}

}  // namespace

TEST_CASE("ulp distance counts representable numbers") {
  CHECK(ulpDistance(1.0f, std::nextafter(1.0f, 2.0f)) == 1);
  CHECK(ulpDistance(0.0f, -0.0f) == 0);
  CHECK(ulpDistance(-0x1p-149f, 0x1p-149f) == 2);
  CHECK(ulpDistance(1.0, 1.0 + 0x1p-50) == 4);
  CHECK(ulpDistance(std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()) == 1);
  CHECK(ulpDistance(BFloat16(1.0L), BFloat16(2.0L)) == 128);
  CHECK(ulpDistance(-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()) > 1.8e19);
}

TEST_CASE("a tolerance of zero tells the signs of zeros apart") {
  CHECK(!compareValues(floats({0.0f}), floats({-0.0f}), {}, "x").ok());
  CHECK(compareValues(floats({0.0f}), floats({-0.0f}), {1}, "x").ok());
}

TEST_CASE("NaN equals NaN only") {
  const float nan = std::nanf("");
  CHECK(compareValues(floats({nan}), floats({-nan}), {}, "x").ok());
  CHECK(!compareValues(floats({nan}), floats({1}), {1e30}, "x").ok());
  CHECK(!compareValues(floats({1}), floats({nan}), {1e30}, "x").ok());
}

TEST_CASE("the report names op, type, index, values and distance") {
  auto f32 = mlir::Float32Type::get(&context());
  auto got = value<float>(f32, {2, 2}, {1, 2, 3, std::nextafter(4.0f, 5.0f)});
  auto want = value<float>(f32, {2, 2}, {1, 2, 3, 4});
  Comparison c = compareValues(got, want, {}, "nacre.add");
  CHECK(c.report == "nacre.add float32[2, 2] at [1, 1]: got 4.00000048, want 4 (1 ulp)\n");
  CHECK(c.worstUlps == 1);
  CHECK(compareValues(got, want, {1}, "nacre.add").ok());
}

TEST_CASE("only the first mismatches are listed") {
  Comparison c = compareValues(floats(std::vector<float>(100, 1)), floats(std::vector<float>(100, 2)), {}, "x");
  CHECK(c.mismatches == 100);
  CHECK(llvm::StringRef(c.report).count('\n') == 6);
  CHECK(c.report.find("100 of 100 elements differ") != std::string::npos);
}

TEST_CASE("sums may be off by units of the magnitude") {
  const float magnitude[] = {1e6f};
  CHECK(compareValues(floats({0.5f}), floats({0.0f}), {0, 8}, "x", magnitude).ok());
  CHECK(!compareValues(floats({1.5f}), floats({0.0f}), {0, 8}, "x", magnitude).ok());
}

TEST_CASE("arrays of different type are a mismatch") {
  Comparison c = compareValues(floats({1}), floats({1, 2}), {}, "x");
  CHECK(c.report == "x: got float32[1], want float32[2]\n");
}
