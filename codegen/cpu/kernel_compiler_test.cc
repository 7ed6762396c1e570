// Whole kernels: memory, lanes, loops, reductions.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

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

TEST_CASE("several kernels share a compilation, on one thread or more, and have work and scratch") {
  std::string text;
  for (int i = 0; i < 5; ++i) {
    std::string one = pointwiseText({"f32"}, "f32", 40, 16,
                                    "  %c = nacre.constant dense<" + std::to_string(i) +
                                        ".0> : tensor<T:f32>\n  %r = nacre.add %x0, %c : tensor<T:f32>");
    text += one.replace(one.find("@k"), 2, "@k" + std::to_string(i));
  }
  Kernel k(text);
  for (int i = 0; i < 5; ++i) {
    Bytes x(ramp(40)), out(160);
    k.run({&x, &out}, i);
    CHECK(out.as<float>() == ramp(40, float(i)));
    CHECK(k.spec(i).name == "k" + std::to_string(i));
    CHECK(k.spec(i).grid == 3);
    CHECK(k.spec(i).work >= 1);
  }
}

TEST_CASE("an op without a lowering is named") {
  std::string message;
  try {
    Kernel k(pointwiseText({"f32"}, "f32", 16, 16, "  %r = nacre.reverse %x0, dims = [0] : tensor<T:f32>"));
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  INFO(message);
  CHECK(message.find("nacre.reverse") != std::string::npos);
}

TEST_CASE("unknown or unfit machines are refused") {
  auto unknown = nacre::codegen::Target::named("z80");
  REQUIRE(!unknown.ok());
  CHECK(std::string(unknown.status().message()).find("unknown CPU \"z80\"") != std::string::npos);
}

TEST_CASE("names of kernels are there for perf") {
  const char* wanted = std::getenv("NACRE_PERF_MAP");
  REQUIRE(wanted);
  Kernel k(pointwiseText({"f32"}, "f32", 16, 16, "  %r = nacre.negate %x0 : tensor<T:f32>"));
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::ifstream file(path);
  std::stringstream all;
  all << file.rdbuf();
  CHECK(all.str().find(" k.programs\n") != std::string::npos);
  std::filesystem::remove(path);
}
