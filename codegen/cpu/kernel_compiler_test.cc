// Whole kernels: memory, lanes, loops, reductions.
#include <catch2/catch.hpp>
#include <numeric>

#include "codegen/cpu/test_kernel.h"

using namespace nacre::cpu::test;

namespace {

std::vector<float> ramp(size_t n, float start = 0, float step = 1) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = start + step * float(i);
  return v;
}

}  // namespace

TEST_CASE("pointwise sum with a tail, for every number of lanes") {
  for (int64_t lanes : {0, 1, 3, 4, 8, 16, 32, 64}) {
    CAPTURE(lanes);
    Kernel k(pointwiseText({"f32", "f32"}, "f32", 37, lanes, "  %r = nacre.add %x0, %x1 : tensor<T:f32>"));
    Bytes x(ramp(37)), y(ramp(37, 5, 2)), out(37 * 4);
    k.run({&x, &y, &out});
    CHECK(out.as<float>() == ramp(37, 5, 3));
    CHECK(out.intact());
  }
}

TEST_CASE("the rows of a matrix are summed by a loop with a carried tile") {
  Kernel k(R"(
tile.func @rows(%p: index, %x: !tile.buffer<5x48xf32>, %out: !tile.buffer<5xf32>) grid 5 inputs 1 "row" {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %zero = nacre.constant dense<0.0> : tensor<16xf32>
  %sum = scf.for %j = %c0 to %c48 step %c16 iter_args(%a = %zero) -> (tensor<16xf32>) {
    %v = tile.load %x, affine_map<(i, j, l) -> (i, j + l)>(%p, %j) : !tile.buffer<5x48xf32> -> tensor<16xf32>
    %b = nacre.add %a, %v : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  }
  %s = tile.reduce add %sum : tensor<16xf32> -> tensor<f32>
  tile.store %s, %out, affine_map<(i) -> (i)>(%p) : tensor<f32> -> !tile.buffer<5xf32>
  tile.return
})");
  Bytes x(ramp(240)), out(20);
  k.run({&x, &out});
  for (int i = 0; i < 5; ++i) CHECK(out.as<float>()[i] == 48 * 48 * i + 47 * 24);
}
