// Compile time and speed of typical kernels on one thread: a gelu chain and softmax over rows of 1024 f32.
#include <cstdio>
#include <ctime>

#include "codegen/cpu/test_kernel.h"

using namespace nacre::cpu::test;

namespace {

// CPU time of this thread.
double seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

constexpr const char* kGelu = R"(
tile.func @gelu(%p: index, %x: !tile.buffer<1024x1024xf32>, %out: !tile.buffer<1024x1024xf32>) grid 1024 inputs 1 "pointwise" {
  %c0 = arith.constant 0 : index
  %step = arith.constant LANES : index
  %end = arith.constant 1024 : index
  %half = nacre.constant dense<0.5> : tensor<LANESxf32>
  %one = nacre.constant dense<1.0> : tensor<LANESxf32>
  %ka = nacre.constant dense<0.797884583> : tensor<LANESxf32>
  %kb = nacre.constant dense<4.471500e-02> : tensor<LANESxf32>
  scf.for %j = %c0 to %end step %step {
    %t = tile.load %x, affine_map<(i, j, l) -> (i, j + l)>(%p, %j) : !tile.buffer<1024x1024xf32> -> tensor<LANESxf32>
    %t2 = nacre.multiply %t, %t : tensor<LANESxf32>
    %t3 = nacre.multiply %t2, %t : tensor<LANESxf32>
    %u = nacre.multiply %t3, %kb : tensor<LANESxf32>
    %w = nacre.add %t, %u : tensor<LANESxf32>
    %z = nacre.multiply %w, %ka : tensor<LANESxf32>
    %th = nacre.tanh %z : tensor<LANESxf32>
    %q = nacre.add %th, %one : tensor<LANESxf32>
    %h = nacre.multiply %t, %half : tensor<LANESxf32>
    %g = nacre.multiply %h, %q : tensor<LANESxf32>
    tile.store %g, %out, affine_map<(i, j, l) -> (i, j + l)>(%p, %j) : tensor<LANESxf32> -> !tile.buffer<1024x1024xf32>
  }
  tile.return
})";

constexpr const char* kSoftmax = R"(
tile.func @softmax(%p: index, %x: !tile.buffer<1024x1024xf32>, %out: !tile.buffer<1024x1024xf32>) grid 1024 inputs 1 "row" {
  %c0 = arith.constant 0 : index
  %step = arith.constant LANES : index
  %end = arith.constant 1024 : index
  %low = nacre.constant dense<0xFF800000> : tensor<LANESxf32>
  %zero = nacre.constant dense<0.0> : tensor<LANESxf32>
  %one = nacre.constant dense<1.0> : tensor<f32>
  %m = scf.for %j = %c0 to %end step %step iter_args(%a = %low) -> (tensor<LANESxf32>) {
    %v = tile.load %x, affine_map<(i, j, l) -> (i, j + l)>(%p, %j) : !tile.buffer<1024x1024xf32> -> tensor<LANESxf32>
    %b = nacre.maximum %a, %v : tensor<LANESxf32>
    scf.yield %b : tensor<LANESxf32>
  }
  %ms = tile.reduce max %m : tensor<LANESxf32> -> tensor<f32>
  %mv = tile.splat %ms : tensor<f32> -> tensor<LANESxf32>
  %s = scf.for %j = %c0 to %end step %step iter_args(%a = %zero) -> (tensor<LANESxf32>) {
    %v = tile.load %x, affine_map<(i, j, l) -> (i, j + l)>(%p, %j) : !tile.buffer<1024x1024xf32> -> tensor<LANESxf32>
    %d = nacre.subtract %v, %mv : tensor<LANESxf32>
    %e = nacre.exponential %d : tensor<LANESxf32>
    tile.store %e, %out, affine_map<(i, j, l) -> (i, j + l)>(%p, %j) : tensor<LANESxf32> -> !tile.buffer<1024x1024xf32>
    %b = nacre.add %a, %e : tensor<LANESxf32>
    scf.yield %b : tensor<LANESxf32>
  }
  %ss = tile.reduce add %s : tensor<LANESxf32> -> tensor<f32>
  %inv = nacre.divide %one, %ss : tensor<f32>
  %iv = tile.splat %inv : tensor<f32> -> tensor<LANESxf32>
  scf.for %j = %c0 to %end step %step {
    %v = tile.load %out, affine_map<(i, j, l) -> (i, j + l)>(%p, %j) : !tile.buffer<1024x1024xf32> -> tensor<LANESxf32>
    %e = nacre.multiply %v, %iv : tensor<LANESxf32>
    tile.store %e, %out, affine_map<(i, j, l) -> (i, j + l)>(%p, %j) : tensor<LANESxf32> -> !tile.buffer<1024x1024xf32>
  }
  tile.return
})";

void measure(const char* name, std::string text, const std::string& lanes) {
  for (size_t p; (p = text.find("LANES")) != std::string::npos;) text.replace(p, 5, lanes);
  double compile = 1e9, best = 1e9;
  for (int i = 0; i < 10; ++i) {
    double t = seconds();
    Kernel kernel(text);
    compile = std::min(compile, seconds() - t);
  }
  Kernel kernel(text);
  Bytes x(4 << 20), out(4 << 20);
  std::memset(x.data(), 0, x.size());
  for (int i = 0; i < 100; ++i) {
    double t = seconds();
    kernel.run({&x, &out});
    best = std::min(best, seconds() - t);
  }
  const auto& t = kernel.times();
  std::printf("%-8s x%-3s %6.1f GB/s, text to code %5.1f ms: lower %.1f, optimise %.1f, codegen %.1f, link %.1f\n",
              name, lanes.c_str(), 8.0 * (1 << 20) / best / 1e9, compile * 1e3, t.lower, t.optimise, t.codegen, t.link);
}

}  // namespace

int main() {
  for (const char* lanes : {"16", "32", "64"}) {
    measure("gelu", kGelu, lanes);
    measure("softmax", kSoftmax, lanes);
  }
}
