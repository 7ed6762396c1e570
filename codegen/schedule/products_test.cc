#include <catch2/catch.hpp>

#include "codegen/schedule/testing.h"

using namespace nacre::schedule;

TEST_CASE("contraction: sizes and layouts") {
  struct Layout {
    const char *a, *b, *ca, *cb;
  };
  for (auto [a, b, ca, cb] : {Layout{"$Mx$K", "$Kx$N", "1", "0"}, Layout{"$Kx$M", "$Kx$N", "0", "0"},
                              Layout{"$Mx$K", "$Nx$K", "1", "1"}, Layout{"$Kx$M", "$Nx$K", "0", "1"}})
    for (auto m : {"1", "5", "33", "70"})
      for (auto n : {"1", "3", "16", "50"})
        for (auto k : {"1", "17", "64"})
          CHECK(checkKernels(fill(fill(R"(
func.func private @k(%a: tensor<$Axf32>, %b: tensor<$Bxf32>, %c: tensor<$Nxf32>) -> tensor<$Mx$Nxf32> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %a, %b, batching = [] x [], contracting = [$P] x [$Q] : (tensor<$Axf32>, tensor<$Bxf32>) -> tensor<$Mx$Nxf32>
  %1 = nacre.broadcast_in_dim %c, dims = [1] : (tensor<$Nxf32>) -> tensor<$Mx$Nxf32>
  %2 = nacre.add %0, %1 : tensor<$Mx$Nxf32>
  return %2 : tensor<$Mx$Nxf32>
})",
                                       {{"A", a}, {"B", b}, {"P", ca}, {"Q", cb}}),
                                  {{"M", m}, {"N", n}, {"K", k}})) == "");
}

TEST_CASE("contraction: types") {
  for (auto t : {"f32", "f64", "bf16", "i32", "i64", "ui8", "ui32"})
    CHECK(checkKernels(fill(R"(
func.func private @k(%a: tensor<20x40x$T>, %b: tensor<40x30x$T>) -> tensor<20x30x$T> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %a, %b, batching = [] x [], contracting = [1] x [0] : (tensor<20x40x$T>, tensor<40x30x$T>) -> tensor<20x30x$T>
  return %0 : tensor<20x30x$T>
})",
                            {{"T", t}})) == "");
  CHECK(checkKernels(R"(
func.func private @k(%a: tensor<20x40xbf16>, %b: tensor<40x30xbf16>) -> tensor<20x30xf32> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %a, %b, batching = [] x [], contracting = [1] x [0], preferred = f32 : (tensor<20x40xbf16>, tensor<40x30xbf16>) -> tensor<20x30xf32>
  return %0 : tensor<20x30xf32>
})") == "");
}

TEST_CASE("contraction: batches, several dimensions, prologue and epilogue") {
  CHECK(checkKernels(R"(
func.func private @scores(%q: tensor<2x20x3x16xf32>, %k: tensor<2x20x3x16xf32>) -> tensor<2x3x20x20xf32> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %q, %k, batching = [0, 2] x [0, 2], contracting = [3] x [3] : (tensor<2x20x3x16xf32>, tensor<2x20x3x16xf32>) -> tensor<2x3x20x20xf32>
  %s = nacre.constant dense<0.25> : tensor<2x3x20x20xf32>
  %1 = nacre.multiply %0, %s : tensor<2x3x20x20xf32>
  %i = nacre.iota dim = 2 : tensor<2x3x20x20xi32>
  %j = nacre.iota dim = 3 : tensor<2x3x20x20xi32>
  %c = nacre.compare GE %i, %j : (tensor<2x3x20x20xi32>, tensor<2x3x20x20xi32>) -> tensor<2x3x20x20xi1>
  %n = nacre.constant dense<-1.0e9> : tensor<2x3x20x20xf32>
  %r = nacre.select %c, %1, %n : (tensor<2x3x20x20xi1>, tensor<2x3x20x20xf32>, tensor<2x3x20x20xf32>) -> tensor<2x3x20x20xf32>
  return %r : tensor<2x3x20x20xf32>
}
func.func private @weights(%x: tensor<4x15x40xf32>, %d: tensor<4x15x33xf32>) -> (tensor<40x33xf32>, tensor<1320xf32>) attributes {nacre.kernel = "contraction"} {
  %e = nacre.exponential %x : tensor<4x15x40xf32>
  %0 = nacre.dot_general %e, %d, batching = [] x [], contracting = [0, 1] x [0, 1] : (tensor<4x15x40xf32>, tensor<4x15x33xf32>) -> tensor<40x33xf32>
  %1 = nacre.reshape %0 : (tensor<40x33xf32>) -> tensor<1320xf32>
  %2 = nacre.negate %1 : tensor<1320xf32>
  return %0, %2 : tensor<40x33xf32>, tensor<1320xf32>
}
func.func private @heads(%x: tensor<2x10x32xf32>, %w: tensor<32x48xf32>) -> tensor<2x10x3x16xf32> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %x, %w, batching = [] x [], contracting = [2] x [0] : (tensor<2x10x32xf32>, tensor<32x48xf32>) -> tensor<2x10x48xf32>
  %1 = nacre.reshape %0 : (tensor<2x10x48xf32>) -> tensor<2x10x3x16xf32>
  %2 = nacre.tanh %1 : tensor<2x10x3x16xf32>
  return %2 : tensor<2x10x3x16xf32>
}
func.func private @scalar(%x: tensor<50xf32>, %y: tensor<50xf32>) -> tensor<f32> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %x, %y, batching = [] x [], contracting = [0] x [0] : (tensor<50xf32>, tensor<50xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @outer(%x: tensor<50xf32>, %y: tensor<30xf32>) -> tensor<50x30xf32> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %x, %y, batching = [] x [], contracting = [] x [] : (tensor<50xf32>, tensor<30xf32>) -> tensor<50x30xf32>
  return %0 : tensor<50x30xf32>
})") == "");
}

TEST_CASE("contraction: several tiles and blocks of depth, with remainders") {
  CHECK(checkKernels(R"(
func.func private @deep(%a: tensor<20x600xf32>, %b: tensor<600x40xf32>) -> tensor<20x40xf32> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %a, %b, batching = [] x [], contracting = [1] x [0] : (tensor<20x600xf32>, tensor<600x40xf32>) -> tensor<20x40xf32>
  return %0 : tensor<20x40xf32>
}
func.func private @wide(%a: tensor<250x33xf32>, %b: tensor<700x33xf32>) -> tensor<250x700xf32> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %a, %b, batching = [] x [], contracting = [1] x [1] : (tensor<250x33xf32>, tensor<700x33xf32>) -> tensor<250x700xf32>
  return %0 : tensor<250x700xf32>
})") == "");
}

TEST_CASE("transpose: blocks and remainders") {
  for (auto m : {"5", "16", "33", "64"})
    for (auto n : {"16", "40", "64"})
      for (auto t : {"f32", "bf16", "i1", "f64", "ui8"})
        CHECK(checkKernels(fill(R"(
func.func private @two(%x: tensor<$Mx$Nx$T>, %y: tensor<$Nx$Mx$T>) -> tensor<$Nx$Mx$T> attributes {nacre.kernel = "transpose"} {
  %0 = nacre.transpose %x, dims = [1, 0] : (tensor<$Mx$Nx$T>) -> tensor<$Nx$Mx$T>
  %1 = nacre.add %0, %y : tensor<$Nx$Mx$T>
  return %1 : tensor<$Nx$Mx$T>
}
func.func private @heads(%x: tensor<2x$Mx3x$Nx$T>) -> tensor<2x3x$Nx$Mx$T> attributes {nacre.kernel = "transpose"} {
  %0 = nacre.transpose %x, dims = [0, 2, 3, 1] : (tensor<2x$Mx3x$Nx$T>) -> tensor<2x3x$Nx$Mx$T>
  return %0 : tensor<2x3x$Nx$Mx$T>
}
func.func private @inner(%x: tensor<2x$Mx3x$Nx$T>) -> tensor<2x3x$Mx$Nx$T> attributes {nacre.kernel = "transpose"} {
  %0 = nacre.transpose %x, dims = [0, 2, 1, 3] : (tensor<2x$Mx3x$Nx$T>) -> tensor<2x3x$Mx$Nx$T>
  return %0 : tensor<2x3x$Mx$Nx$T>
})",
                                {{"M", m}, {"N", n}, {"T", t}})) == "");
}

TEST_CASE("indexed: scatter and dynamic_update_slice") {
  for (auto kind : {"add", "set"})
    for (auto t : {"f32", "i32", "bf16"})
      for (auto place : {"", ", nacre.in_place_operand = 0 : i64"})
        CHECK(checkKernels(fill(R"(
func.func private @rows(%x: tensor<6x200x$T>, %i: tensor<9xi32>, %u: tensor<9x200x$T>) -> tensor<6x200x$T> attributes {nacre.kernel = "indexed"$P} {
  %0 = nacre.scatter $K %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : (tensor<6x200x$T>, tensor<9xi32>, tensor<9x200x$T>) -> tensor<6x200x$T>
  return %0 : tensor<6x200x$T>
}
func.func private @elements(%x: tensor<6x5x$T>, %i: tensor<11x2xi64>, %u: tensor<11x$T>) -> tensor<6x5x$T> attributes {nacre.kernel = "indexed"$P} {
  %0 = nacre.scatter $K %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0, 1>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 1, 0>, index_vector_dim = 1 : i64} : (tensor<6x5x$T>, tensor<11x2xi64>, tensor<11x$T>) -> tensor<6x5x$T>
  return %0 : tensor<6x5x$T>
}
func.func private @windows(%x: tensor<8x25x$T>, %i: tensor<4x2xi32>, %u: tensor<4x2x20x$T>) -> tensor<8x25x$T> attributes {nacre.kernel = "indexed"$P} {
  %0 = nacre.scatter $K %x, %i, %u {update_window_dims = array<i64: 1, 2>, inserted_window_dims = array<i64>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0, 1>, index_vector_dim = 1 : i64} : (tensor<8x25x$T>, tensor<4x2xi32>, tensor<4x2x20x$T>) -> tensor<8x25x$T>
  return %0 : tensor<8x25x$T>
}
func.func private @batched(%x: tensor<3x8x2x$T>, %i: tensor<3x5x1xi32>, %u: tensor<3x5x2x$T>) -> tensor<3x8x2x$T> attributes {nacre.kernel = "indexed"$P} {
  %0 = nacre.scatter $K %x, %i, %u {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 1>, input_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 2 : i64} : (tensor<3x8x2x$T>, tensor<3x5x1xi32>, tensor<3x5x2x$T>) -> tensor<3x8x2x$T>
  return %0 : tensor<3x8x2x$T>
}
func.func private @update(%x: tensor<7x40x$T>, %u: tensor<3x33x$T>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<7x40x$T> attributes {nacre.kernel = "indexed"$P} {
  %d = nacre.add %u, %u : tensor<3x33x$T>
  %0 = nacre.dynamic_update_slice %x, %d at (%i, %j) : (tensor<7x40x$T>, tensor<3x33x$T>, tensor<i32>, tensor<i32>) -> tensor<7x40x$T>
  return %0 : tensor<7x40x$T>
})",
                                {{"K", kind}, {"T", t}, {"P", place}}),
                           8, std::string(t) == "bf16" ? 0.05 : 0) == "");
}

TEST_CASE("emission names what it cannot do") {
  CHECK_THAT(emissionErrors(R"(
func.func private @k(%x: tensor<6xf32>, %i: tensor<9x1xi32>, %u: tensor<9xf32>) -> tensor<6xf32> attributes {nacre.kernel = "pointwise"} {
  %0 = nacre.scatter add %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : (tensor<6xf32>, tensor<9x1xi32>, tensor<9xf32>) -> tensor<6xf32>
  %1 = nacre.negate %0 : tensor<6xf32>
  return %1 : tensor<6xf32>
})"),
             Catch::Contains("nacre.scatter") && Catch::Contains("cannot be computed inside another kernel"));
  CHECK_THAT(emissionErrors(R"(
func.func private @k(%x: tensor<6xf32>) -> tensor<12xui8> attributes {nacre.kernel = "pointwise"} {
  %c = nacre.constant dense<0> : tensor<12xui8>
  return %c : tensor<12xui8>
}
func.func private @odd(%x: tensor<6xf32>) -> tensor<6xf32> attributes {nacre.kernel = "weather"} {
  %1 = nacre.negate %x : tensor<6xf32>
  return %1 : tensor<6xf32>
})"),
             Catch::Contains("unknown kind \"weather\""));
}
