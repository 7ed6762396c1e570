#include <catch2/catch.hpp>

#include "codegen/schedule/testing.h"

using namespace nacre::schedule;

static const char* const kSizes[] = {"1", "2", "7", "15", "16", "17", "100", "1000"};

TEST_CASE("row: softmax and layer norm") {
  for (auto c : kSizes)
    for (auto r : {"1", "3", "70"})
      for (auto t : {"f32", "bf16", "f64"})
        CHECK(checkKernels(fill(R"(
func.func private @softmax(%x: tensor<$Rx$Cx$T>) -> tensor<$Rx$Cx$T> attributes {nacre.kernel = "row", nacre.domain = array<i64: $R, $C>} {
  %m = nacre.reduce max (%x), dims = [1] : (tensor<$Rx$Cx$T>) -> tensor<$Rx$T>
  %mb = nacre.broadcast_in_dim %m, dims = [0] : (tensor<$Rx$T>) -> tensor<$Rx$Cx$T>
  %d = nacre.subtract %x, %mb : tensor<$Rx$Cx$T>
  %e = nacre.exponential %d : tensor<$Rx$Cx$T>
  %s = nacre.reduce add (%e), dims = [1] : (tensor<$Rx$Cx$T>) -> tensor<$Rx$T>
  %sb = nacre.broadcast_in_dim %s, dims = [0] : (tensor<$Rx$T>) -> tensor<$Rx$Cx$T>
  %r = nacre.divide %e, %sb : tensor<$Rx$Cx$T>
  return %r : tensor<$Rx$Cx$T>
}
func.func private @norm(%x: tensor<$Rx$Cx$T>, %g: tensor<$Cx$T>) -> (tensor<$Rx$Cx$T>, tensor<$Rx$T>) attributes {nacre.kernel = "row", nacre.domain = array<i64: $R, $C>} {
  %n = nacre.constant dense<$C.0> : tensor<$Rx$T>
  %eps = nacre.constant dense<0.01> : tensor<$Rx$T>
  %s = nacre.reduce add (%x), dims = [1] : (tensor<$Rx$Cx$T>) -> tensor<$Rx$T>
  %mean = nacre.divide %s, %n : tensor<$Rx$T>
  %mb = nacre.broadcast_in_dim %mean, dims = [0] : (tensor<$Rx$T>) -> tensor<$Rx$Cx$T>
  %d = nacre.subtract %x, %mb : tensor<$Rx$Cx$T>
  %q = nacre.multiply %d, %d : tensor<$Rx$Cx$T>
  %v = nacre.reduce add (%q), dims = [1] : (tensor<$Rx$Cx$T>) -> tensor<$Rx$T>
  %v1 = nacre.divide %v, %n : tensor<$Rx$T>
  %v2 = nacre.add %v1, %eps : tensor<$Rx$T>
  %i = nacre.rsqrt %v2 : tensor<$Rx$T>
  %ib = nacre.broadcast_in_dim %i, dims = [0] : (tensor<$Rx$T>) -> tensor<$Rx$Cx$T>
  %y = nacre.multiply %d, %ib : tensor<$Rx$Cx$T>
  %gb = nacre.broadcast_in_dim %g, dims = [1] : (tensor<$Cx$T>) -> tensor<$Rx$Cx$T>
  %z = nacre.multiply %y, %gb : tensor<$Rx$Cx$T>
  return %z, %i : tensor<$Rx$Cx$T>, tensor<$Rx$T>
})",
                                {{"R", r}, {"C", c}, {"T", t}}),
                           7, std::string(t) == "bf16" ? 0.06 : 0) == "");
}

TEST_CASE("row: every kind and type") {
  for (auto c : {"1", "16", "37", "0"}) {
    for (auto t : {"i32", "i64", "ui8", "ui32", "f32", "f64", "bf16"})
      CHECK(checkKernels(fill(R"(
func.func private @k(%x: tensor<4x$Cx$T>) -> (tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>) attributes {nacre.kernel = "row", nacre.domain = array<i64: 4, $C>} {
  %a = nacre.reduce add (%x), dims = [1] : (tensor<4x$Cx$T>) -> tensor<4x$T>
  %b = nacre.reduce mul (%x), dims = [1] : (tensor<4x$Cx$T>) -> tensor<4x$T>
  %c = nacre.reduce min (%x), dims = [1] : (tensor<4x$Cx$T>) -> tensor<4x$T>
  %d = nacre.reduce max (%x), dims = [1] : (tensor<4x$Cx$T>) -> tensor<4x$T>
  return %a, %b, %c, %d : tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>
})",
                              {{"C", c}, {"T", t}})) == "");
    for (auto t : {"i1", "i32", "ui8"})
      CHECK(checkKernels(fill(R"(
func.func private @k(%x: tensor<4x$Cx$T>) -> (tensor<4x$T>, tensor<4x$T>, tensor<4x$T>) attributes {nacre.kernel = "row", nacre.domain = array<i64: 4, $C>} {
  %a = nacre.reduce and (%x), dims = [1] : (tensor<4x$Cx$T>) -> tensor<4x$T>
  %b = nacre.reduce or (%x), dims = [1] : (tensor<4x$Cx$T>) -> tensor<4x$T>
  %c = nacre.reduce xor (%x), dims = [1] : (tensor<4x$Cx$T>) -> tensor<4x$T>
  return %a, %b, %c : tensor<4x$T>, tensor<4x$T>, tensor<4x$T>
})",
                              {{"C", c}, {"T", t}})) == "");
  }
}

TEST_CASE("row: arg_reduce takes the first of equals and the first NaN") {
  for (auto c : {"1", "5", "16", "50", "333"})
    for (auto r : {"3", "40"})
      for (auto t : {"f32", "i32", "ui8", "bf16", "f64"})
        CHECK(checkKernels(fill(R"(
func.func private @k(%x: tensor<$Rx$Cx$T>) -> (tensor<$Rxi32>, tensor<$Rxi64>) attributes {nacre.kernel = "row", nacre.domain = array<i64: $R, $C>} {
  %a = nacre.arg_reduce max %x, dim = 1 : (tensor<$Rx$Cx$T>) -> tensor<$Rxi32>
  %b = nacre.arg_reduce min %x, dim = 1 : (tensor<$Rx$Cx$T>) -> tensor<$Rxi64>
  return %a, %b : tensor<$Rxi32>, tensor<$Rxi64>
})",
                                {{"R", r}, {"C", c}, {"T", t}})) == "");
  // The logarithm of negative inputs is NaN.
  CHECK(checkKernels(R"(
func.func private @k(%x: tensor<9x60xf32>) -> (tensor<9xi32>, tensor<9xf32>) attributes {nacre.kernel = "row", nacre.domain = array<i64: 9, 60>} {
  %l = nacre.log %x : tensor<9x60xf32>
  %a = nacre.arg_reduce max %l, dim = 1 : (tensor<9x60xf32>) -> tensor<9xi32>
  %b = nacre.reduce min (%l), dims = [1] : (tensor<9x60xf32>) -> tensor<9xf32>
  return %a, %b : tensor<9xi32>, tensor<9xf32>
})") == "");
}

TEST_CASE("row: several leading and reduced dimensions, long rows, prologues") {
  CHECK(checkKernels(R"(
func.func private @dims(%x: tensor<2x3x4x10xf32>, %b: tensor<2x1x1x10xf32>) -> (tensor<2x3xf32>, tensor<2x3x40xf32>) attributes {nacre.kernel = "row", nacre.domain = array<i64: 6, 40>} {
  %bb = nacre.broadcast_in_dim %b, dims = [0, 1, 2, 3] : (tensor<2x1x1x10xf32>) -> tensor<2x3x4x10xf32>
  %y = nacre.add %x, %bb : tensor<2x3x4x10xf32>
  %a = nacre.reduce add (%y), dims = [2, 3] : (tensor<2x3x4x10xf32>) -> tensor<2x3xf32>
  %f = nacre.reshape %y : (tensor<2x3x4x10xf32>) -> tensor<2x3x40xf32>
  %ab = nacre.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x40xf32>
  %r = nacre.multiply %f, %ab : tensor<2x3x40xf32>
  return %a, %r : tensor<2x3xf32>, tensor<2x3x40xf32>
}
func.func private @long(%x: tensor<70001xf32>) -> tensor<f32> attributes {nacre.kernel = "row", nacre.domain = array<i64: 1, 70001>} {
  %a = nacre.reduce add (%x), dims = [0] : (tensor<70001xf32>) -> tensor<f32>
  return %a : tensor<f32>
}
func.func private @parts(%x: tensor<1000xf32>) -> tensor<8xf32> attributes {nacre.kernel = "split_reduce", nacre.domain = array<i64: 8, 128>} {
  %z = nacre.constant dense<0.0> : tensor<f32>
  %p = nacre.pad %x, %z, low = [0], high = [24], interior = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<1024xf32>
  %q = nacre.reshape %p : (tensor<1024xf32>) -> tensor<8x128xf32>
  %a = nacre.reduce add (%q), dims = [1] : (tensor<8x128xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}
func.func private @transposed(%x: tensor<30x20xf32>) -> tensor<20xf32> attributes {nacre.kernel = "row", nacre.domain = array<i64: 20, 30>} {
  %t = nacre.transpose %x, dims = [1, 0] : (tensor<30x20xf32>) -> tensor<20x30xf32>
  %a = nacre.reduce max (%t), dims = [1] : (tensor<20x30xf32>) -> tensor<20xf32>
  return %a : tensor<20xf32>
})") == "");
}

TEST_CASE("column: outer, reduced and kept sizes") {
  for (auto a : {"1", "3"})
    for (auto r : {"1", "2", "5", "100"})
      for (auto c : {"2", "15", "16", "17", "200"})
        for (auto t : {"f32", "bf16", "i32"})
          CHECK(checkKernels(fill(R"(
func.func private @k(%x: tensor<$Ax$Rx$Cx$T>, %y: tensor<$Ax$Rx$Cx$T>) -> (tensor<$Ax$Cx$T>, tensor<$Ax$Cx$T>) attributes {nacre.kernel = "column", nacre.domain = array<i64: $A, $R, $C>} {
  %p = nacre.multiply %x, %y : tensor<$Ax$Rx$Cx$T>
  %a = nacre.reduce add (%p), dims = [1] : (tensor<$Ax$Rx$Cx$T>) -> tensor<$Ax$Cx$T>
  %b = nacre.reduce max (%x), dims = [1] : (tensor<$Ax$Rx$Cx$T>) -> tensor<$Ax$Cx$T>
  %s = nacre.subtract %a, %b : tensor<$Ax$Cx$T>
  return %s, %b : tensor<$Ax$Cx$T>, tensor<$Ax$Cx$T>
})",
                                  {{"A", a}, {"R", r}, {"C", c}, {"T", t}}),
                             7, std::string(t) == "bf16" ? 0.02 : 0) == "");
}
