#include <catch2/catch.hpp>

#include "codegen/schedule/testing.h"

using namespace nacre::schedule;

static const char* const kSizes[] = {"0", "1", "2", "15", "16", "17", "1000"};
static const char* const kTypes[] = {"i1", "i32", "i64", "ui8", "ui32", "bf16", "f32", "f64"};

TEST_CASE("pointwise: every type and size") {
  for (auto n : kSizes)
    for (auto t : kTypes)
      CHECK(checkKernels(fill(R"(
func.func private @k(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nxi1>) attributes {nacre.kernel = "pointwise"} {
  %s = nacre.add %x, %y : tensor<$Nx$T>
  %c = nacre.compare GT %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %r = nacre.select %c, %s, %y : (tensor<$Nxi1>, tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nx$T>
  return %r, %c : tensor<$Nx$T>, tensor<$Nxi1>
})",
                              {{"N", n}, {"T", t}})) == "");
}

TEST_CASE("pointwise: broadcasts of rows, columns and scalars") {
  for (auto n : kSizes)
    for (auto t : {"f32", "bf16", "i32"})
      CHECK(checkKernels(fill(R"(
func.func private @k(%x: tensor<3x$Nx$T>, %row: tensor<$Nx$T>, %column: tensor<3x$T>, %s: tensor<$T>) -> tensor<3x$Nx$T> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.broadcast_in_dim %row, dims = [1] : (tensor<$Nx$T>) -> tensor<3x$Nx$T>
  %b = nacre.broadcast_in_dim %column, dims = [0] : (tensor<3x$T>) -> tensor<3x$Nx$T>
  %c = nacre.broadcast_in_dim %s, dims = [] : (tensor<$T>) -> tensor<3x$Nx$T>
  %d = nacre.add %x, %a : tensor<3x$Nx$T>
  %e = nacre.multiply %d, %b : tensor<3x$Nx$T>
  %f = nacre.subtract %e, %c : tensor<3x$Nx$T>
  return %f : tensor<3x$Nx$T>
}
func.func private @thin(%x: tensor<$Nx3x$T>, %row: tensor<3x$T>) -> tensor<$Nx3x$T> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.broadcast_in_dim %row, dims = [1] : (tensor<3x$T>) -> tensor<$Nx3x$T>
  %d = nacre.add %x, %a : tensor<$Nx3x$T>
  return %d : tensor<$Nx3x$T>
}
func.func private @scalar(%x: tensor<$T>, %y: tensor<$T>) -> tensor<$T> attributes {nacre.kernel = "pointwise"} {
  %d = nacre.add %x, %y : tensor<$T>
  return %d : tensor<$T>
})",
                              {{"N", n}, {"T", t}})) == "");
}

TEST_CASE("pointwise: moves") {
  for (auto t : {"f32", "i1", "i64", "bf16", "ui8"})
    CHECK(checkKernels(fill(R"(
func.func private @moves(%x: tensor<20x34x$T>, %y: tensor<34x20x$T>) -> tensor<9x10x$T> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.slice %x, start = [1, 3], limit = [20, 33], strides = [2, 3] : (tensor<20x34x$T>) -> tensor<10x10x$T>
  %b = nacre.reverse %a, dims = [0, 1] : (tensor<10x10x$T>) -> tensor<10x10x$T>
  %c = nacre.transpose %y, dims = [1, 0] : (tensor<34x20x$T>) -> tensor<20x34x$T>
  %d = nacre.slice %c, start = [0, 0], limit = [10, 10], strides = [1, 1] : (tensor<20x34x$T>) -> tensor<10x10x$T>
  %e = nacre.add %b, %d : tensor<10x10x$T>
  %f = nacre.reshape %e : (tensor<10x10x$T>) -> tensor<5x20x$T>
  %g = nacre.reshape %f : (tensor<5x20x$T>) -> tensor<100x$T>
  %h = nacre.slice %g, start = [5], limit = [95], strides = [1] : (tensor<100x$T>) -> tensor<90x$T>
  %i = nacre.reshape %h : (tensor<90x$T>) -> tensor<9x10x$T>
  return %i : tensor<9x10x$T>
}
func.func private @split(%x: tensor<4x8x32x$T>, %b: tensor<256x$T>) -> tensor<4x32x8x$T> attributes {nacre.kernel = "pointwise"} {
  %f = nacre.reshape %b : (tensor<256x$T>) -> tensor<8x32x$T>
  %g = nacre.broadcast_in_dim %f, dims = [1, 2] : (tensor<8x32x$T>) -> tensor<4x8x32x$T>
  %h = nacre.add %x, %g : tensor<4x8x32x$T>
  %i = nacre.transpose %h, dims = [0, 2, 1] : (tensor<4x8x32x$T>) -> tensor<4x32x8x$T>
  return %i : tensor<4x32x8x$T>
}
func.func private @pads(%x: tensor<5x7x$T>, %p: tensor<$T>) -> tensor<12x20x$T> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.pad %x, %p, low = [2, -1], high = [1, 6], interior = [1, 1] : (tensor<5x7x$T>, tensor<$T>) -> tensor<12x18x$T>
  %b = nacre.pad %a, %p, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<12x18x$T>, tensor<$T>) -> tensor<12x20x$T>
  return %b : tensor<12x20x$T>
}
func.func private @joins(%x: tensor<3x5x$T>, %y: tensor<3x30x$T>, %z: tensor<3x0x$T>, %w: tensor<2x51x$T>) -> tensor<5x51x$T> attributes {nacre.kernel = "pointwise"} {
  %n = nacre.add %x, %x : tensor<3x5x$T>
  %a = nacre.concatenate (%n, %z, %y, %x, %n, %z, %n, %x), dim = 1 : (tensor<3x5x$T>, tensor<3x0x$T>, tensor<3x30x$T>, tensor<3x5x$T>, tensor<3x5x$T>, tensor<3x0x$T>, tensor<3x5x$T>, tensor<3x5x$T>) -> tensor<3x55x$T>
  %s = nacre.slice %a, start = [0, 2], limit = [3, 53], strides = [1, 1] : (tensor<3x55x$T>) -> tensor<3x51x$T>
  %b = nacre.concatenate (%s, %w), dim = 0 : (tensor<3x51x$T>, tensor<2x51x$T>) -> tensor<5x51x$T>
  return %b : tensor<5x51x$T>
})",
                            {{"T", t}})) == "");
}

TEST_CASE("pointwise: values made from the index, random bits and rounding") {
  CHECK(checkKernels(R"(
func.func private @iota() -> (tensor<7x33xi32>, tensor<7x33xbf16>, tensor<7x33xf32>) attributes {nacre.kernel = "pointwise"} {
  %a = nacre.iota dim = 1 : tensor<7x33xi32>
  %b = nacre.iota dim = 0 : tensor<7x33xbf16>
  %c = nacre.constant dense<2.5> : tensor<7x33xf32>
  return %a, %b, %c : tensor<7x33xi32>, tensor<7x33xbf16>, tensor<7x33xf32>
}
func.func private @table(%x: tensor<6xf32>) -> tensor<6xf32> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %b = nacre.reverse %a, dims = [0] : (tensor<6xf32>) -> tensor<6xf32>
  %c = nacre.add %b, %x : tensor<6xf32>
  return %c : tensor<6xf32>
}
func.func private @causal(%x: tensor<20x20xf32>) -> tensor<20x20xf32> attributes {nacre.kernel = "pointwise"} {
  %i = nacre.iota dim = 0 : tensor<20x20xi32>
  %j = nacre.iota dim = 1 : tensor<20x20xi32>
  %c = nacre.compare GE %i, %j : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi1>
  %n = nacre.constant dense<-1.0e9> : tensor<20x20xf32>
  %r = nacre.select %c, %x, %n : (tensor<20x20xi1>, tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
  return %r : tensor<20x20xf32>
}
func.func private @bits(%k: tensor<2xui32>) -> (tensor<100xui32>, tensor<100xui32>) attributes {nacre.kernel = "pointwise"} {
  %k0 = nacre.slice %k, start = [0], limit = [1], strides = [1] : (tensor<2xui32>) -> tensor<1xui32>
  %k1 = nacre.slice %k, start = [1], limit = [2], strides = [1] : (tensor<2xui32>) -> tensor<1xui32>
  %a = nacre.broadcast_in_dim %k0, dims = [0] : (tensor<1xui32>) -> tensor<100xui32>
  %b = nacre.broadcast_in_dim %k1, dims = [0] : (tensor<1xui32>) -> tensor<100xui32>
  %x = nacre.iota dim = 0 : tensor<100xui32>
  %y0, %y1 = nacre.threefry2x32 %a, %b, %x, %x : (tensor<100xui32>, tensor<100xui32>, tensor<100xui32>, tensor<100xui32>) -> (tensor<100xui32>, tensor<100xui32>)
  return %y1, %y0 : tensor<100xui32>, tensor<100xui32>
}
func.func private @rounded(%x: tensor<40xf32>, %y: tensor<40xbf16>) -> (tensor<40xf32>, tensor<40xi32>) attributes {nacre.kernel = "pointwise"} {
  %a = nacre.convert %x : (tensor<40xf32>) -> tensor<40xbf16>
  %b = nacre.convert %a : (tensor<40xbf16>) -> tensor<40xf32>
  %c = nacre.convert %y : (tensor<40xbf16>) -> tensor<40xi32>
  return %b, %c : tensor<40xf32>, tensor<40xi32>
})") == "");
}

TEST_CASE("pointwise: reads where data says") {
  for (auto i : {"i32", "i64", "ui8", "ui32"})
    CHECK(checkKernels(fill(R"(
func.func private @slices(%x: tensor<9x40xf32>, %i: tensor<$I>, %j: tensor<$I>) -> tensor<4x33xf32> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.dynamic_slice %x at (%i, %j), sizes = [4, 33] : (tensor<9x40xf32>, tensor<$I>, tensor<$I>) -> tensor<4x33xf32>
  return %a : tensor<4x33xf32>
}
func.func private @updated(%x: tensor<9x40xf32>, %u: tensor<3x20xf32>, %i: tensor<$I>, %j: tensor<$I>) -> tensor<9x40xf32> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.dynamic_update_slice %x, %u at (%i, %j) : (tensor<9x40xf32>, tensor<3x20xf32>, tensor<$I>, tensor<$I>) -> tensor<9x40xf32>
  %b = nacre.add %a, %a : tensor<9x40xf32>
  return %b : tensor<9x40xf32>
}
func.func private @rows(%x: tensor<6x50xbf16>, %i: tensor<5x$I>) -> tensor<5x50xf32> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.gather %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 50>} : (tensor<6x50xbf16>, tensor<5x$I>) -> tensor<5x50xbf16>
  %b = nacre.convert %a : (tensor<5x50xbf16>) -> tensor<5x50xf32>
  return %b : tensor<5x50xf32>
}
func.func private @elements(%x: tensor<6x5xf32>, %i: tensor<70x2x$I>) -> tensor<70xf32> attributes {nacre.kernel = "pointwise"} {
  %e = nacre.exponential %x : tensor<6x5xf32>
  %a = nacre.gather %e, %i {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0, 1>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 1, 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} : (tensor<6x5xf32>, tensor<70x2x$I>) -> tensor<70xf32>
  return %a : tensor<70xf32>
}
func.func private @batched(%x: tensor<3x10x4xf32>, %i: tensor<3x7x1x$I>) -> tensor<3x7x4xf32> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.gather %x, %i {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x10x4xf32>, tensor<3x7x1x$I>) -> tensor<3x7x4xf32>
  return %a : tensor<3x7x4xf32>
})",
                            {{"I", i}}),
                       12) == "");
}

TEST_CASE("pointwise: several programs, with and without a shorter last one") {
  for (auto n : {"20000", "32768", "20003"})
    CHECK(checkKernels(fill(R"(
func.func private @flat(%x: tensor<$Nxf32>) -> tensor<$Nxf32> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.multiply %x, %x : tensor<$Nxf32>
  return %a : tensor<$Nxf32>
}
func.func private @wide(%x: tensor<2x$Nxf32>, %y: tensor<$Nxf32>) -> tensor<2x$Nxf32> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.broadcast_in_dim %y, dims = [1] : (tensor<$Nxf32>) -> tensor<2x$Nxf32>
  %b = nacre.multiply %x, %a : tensor<2x$Nxf32>
  return %b : tensor<2x$Nxf32>
}
func.func private @tall(%x: tensor<$Nx2xf32>, %y: tensor<2xf32>) -> tensor<$Nx2xf32> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.broadcast_in_dim %y, dims = [1] : (tensor<2xf32>) -> tensor<$Nx2xf32>
  %b = nacre.multiply %x, %a : tensor<$Nx2xf32>
  return %b : tensor<$Nx2xf32>
})",
                            {{"N", n}})) == "");
}

TEST_CASE("pointwise: a reduction inside is computed where it is needed") {
  CHECK(checkKernels(R"(
func.func private @k(%x: tensor<5x6x20xf32>, %y: tensor<6xf32>) -> tensor<5x20xf32> attributes {nacre.kernel = "pointwise"} {
  %a = nacre.reduce max (%x), dims = [1] : (tensor<5x6x20xf32>) -> tensor<5x20xf32>
  %b = nacre.reduce add (%y), dims = [0] : (tensor<6xf32>) -> tensor<f32>
  %c = nacre.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<5x20xf32>
  %d = nacre.add %a, %c : tensor<5x20xf32>
  return %d : tensor<5x20xf32>
})") == "");
}
