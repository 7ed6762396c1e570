#include "tools/run/array_text.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "mlir/IR/MLIRContext.h"
#include "tools/run/host_tensor.h"

using namespace nacre;
using namespace nacre::tools;

namespace {

template <class T>
std::string text(DType dtype, std::vector<int64_t> shape, std::vector<T> elements) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  io::HostTensor tensor{dtype, shape, {}};
  auto bytes = std::as_bytes(std::span(elements));
  tensor.data.assign(bytes.begin(), bytes.end());
  return arrayText(toHostValue(tensor, context));
}

}  // namespace

TEST_CASE("arrays print as nested brackets") {
  CHECK(text<float>(DType::f32, {2, 2}, {1, 2.5f, -0.0f, 1e20f}) == "[[1, 2.5],\n [-0, 1e+20]]");
  CHECK(text<int32_t>(DType::s32, {3}, {1, -2, 3}) == "[1, -2, 3]");
  CHECK(text<uint8_t>(DType::u8, {2}, {0, 255}) == "[0, 255]");
  CHECK(text<double>(DType::f64, {}, {0.5}) == "0.5");
  CHECK(text<float>(DType::f32, {2}, {std::nanf(""), -std::numeric_limits<float>::infinity()}) == "[nan, -inf]");
  CHECK(text<uint16_t>(DType::bf16, {1}, {0x3fc0}) == "[1.5]");
}

TEST_CASE("truth values are 0 or 1 whatever the file held") {
  CHECK(text<uint8_t>(DType::pred, {3}, {0, 1, 7}) == "[False, True, True]");
}

TEST_CASE("empty arrays print their brackets") {
  CHECK(text<float>(DType::f32, {0}, {}) == "[]");
  CHECK(text<float>(DType::f32, {2, 0}, {}) == "[[],\n []]");
}

TEST_CASE("long arrays are shortened in the middle") {
  std::vector<int32_t> numbers(2000);
  for (int i = 0; i < 2000; ++i) numbers[i] = i;
  CHECK(text<int32_t>(DType::s32, {2000}, numbers) == "[0, 1, 2, ..., 1997, 1998, 1999]");
  CHECK(text<int32_t>(DType::s32, {1000, 2}, numbers) ==
        "[[0, 1],\n [2, 3],\n [4, 5],\n ...,\n [1994, 1995],\n [1996, 1997],\n [1998, 1999]]");
}
