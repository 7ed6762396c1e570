// Loads, stores and what moves lanes about: every kind of address map, masks, element types, transposes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>

#include "codegen/cpu/loop_report.h"
#include "codegen/cpu/test_kernel.h"

using namespace nacre::cpu;
using namespace nacre::cpu::test;

namespace {

std::vector<float> ramp(size_t n) {
  std::vector<float> v(n);
  std::iota(v.begin(), v.end(), 0.0f);
  return v;
}

// Loads one tile of 16 with the given map and stores it to 16 elements.
std::vector<float> loadWith(const std::string& map, const std::string& rest = "", const std::string& before = "") {
  Kernel k(
      before +
      R"(tile.func @k(%p: index, %x: !tile.buffer<10x30xf32>, %m: !tile.buffer<16xi1>, %out: !tile.buffer<16xf32>) grid 1 inputs 2 "pointwise" {
  %i = arith.constant 2 : index
  %five = arith.constant 5 : index
  %mask = tile.load %m, affine_map<(l) -> (l)>() : !tile.buffer<16xi1> -> tensor<16xi1>
  %t = tile.load %x, affine_map<)" +
      map + ">(%i) " + rest + R"( : !tile.buffer<10x30xf32> -> tensor<16xf32>
  tile.store %t, %out, affine_map<(l) -> (l)>() : tensor<16xf32> -> !tile.buffer<16xf32>
  tile.return
})");
  std::vector<uint8_t> mask(16);
  for (size_t i = 0; i < 16; ++i) mask[i] = i % 3 == 0;
  Bytes x(ramp(300)), m(mask), out(64);
  k.run({&x, &m, &out});
  return out.as<float>();
}

std::vector<float> expected(const std::function<float(int)>& f) {
  std::vector<float> v;
  for (int l = 0; l < 16; ++l) v.push_back(f(l));
  return v;
}

}  // namespace

TEST_CASE("address maps") {
  CHECK(loadWith("(i, l) -> (i, l + 3)") == expected([](int l) { return 63 + l; }));
  CHECK(loadWith("(i, l) -> (i, 7)") == expected([](int l) { return 67; }));
  CHECK(loadWith("(i, l) -> (i, 20 - l)") == expected([](int l) { return 80 - l; }));
  CHECK(loadWith("(i, l) -> (i + 1, l * 2 - 30 + 30)") == expected([](int l) { return 90 + 2 * l; }));
  CHECK(loadWith("(i, l) -> (i + l floordiv 4, l mod 4)") == expected([](int l) { return 60 + l / 4 * 30 + l % 4; }));
  CHECK(loadWith("(i, l) -> ((i * 30 + l) floordiv 30, (i * 30 + l) mod 30)") ==
        expected([](int l) { return 60 + l; }));
  CHECK(loadWith("(i, l) -> (i, (l * 7) mod 16)") == expected([](int l) { return 60 + l * 7 % 16; }));
}

TEST_CASE("lanes past `valid` or with a false mask become zero") {
  for (const char* map : {"(i, l) -> (i, l)", "(i, l) -> (i, l * 1)"})
    CHECK(loadWith(map, "valid %five") == expected([](int l) { return l < 5 ? 60 + l : 0; }));
  CHECK(loadWith("(i, l) -> (i, 15 - l)", "valid %five") == expected([](int l) { return l < 5 ? 75 - l : 0; }));
  CHECK(loadWith("(i, l) -> (i, l * 2 - l + l)", "valid %five") ==
        expected([](int l) { return l < 5 ? 60 + 2 * l : 0; }));
  CHECK(loadWith("(i, l) -> (i, 1)", "valid %five") == expected([](int l) { return l < 5 ? 61 : 0; }));
  CHECK(loadWith("(i, l) -> (i, l)", "mask %mask : tensor<16xi1>") ==
        expected([](int l) { return l % 3 == 0 ? 60 + l : 0; }));
  CHECK(loadWith("(i, l) -> (i, l)", "valid %five mask %mask : tensor<16xi1>") ==
        expected([](int l) { return l < 5 && l % 3 == 0 ? 60 + l : 0; }));
}

TEST_CASE("nothing outside the buffer is read where the mask says so") {
  // The last page of the buffer is followed by nothing we own; a wild index faults.
  Kernel k(
      R"(tile.func @k(%p: index, %x: !tile.buffer<16xf32>, %out: !tile.buffer<16xf32>) grid 1 inputs 1 "pointwise" {
  %far = arith.constant 1099511627776 : index
  %none = arith.constant 0 : index
  %v = tile.load %x, affine_map<(i, l) -> (i + l)>(%far) valid %none : !tile.buffer<16xf32> -> tensor<16xf32>
  %w = tile.load %x, affine_map<(i, l) -> (i)>(%far) valid %none : !tile.buffer<16xf32> -> tensor<16xf32>
  %no = nacre.constant dense<false> : tensor<i1>
  %s = tile.load %x, affine_map<(i) -> (i)>(%far) mask %no : tensor<i1> : !tile.buffer<16xf32> -> tensor<f32>
  tile.store %s, %out, affine_map<(i) -> (i)>(%far) mask %no : tensor<i1> : tensor<f32> -> !tile.buffer<16xf32>
  tile.store %v, %out, affine_map<(i, l) -> (i + l)>(%far) valid %none : tensor<16xf32> -> !tile.buffer<16xf32>
  %r = nacre.add %v, %w : tensor<16xf32>
  tile.store %r, %out, affine_map<(l) -> (l)>() : tensor<16xf32> -> !tile.buffer<16xf32>
  tile.return
})");
  Bytes x(ramp(16)), out(64);
  k.run({&x, &out});
  CHECK(out.as<float>() == std::vector<float>(16, 0));
}

TEST_CASE("stores: strided, reversed, masked, streaming, scalar") {
  Kernel k(
      R"(tile.func @k(%p: index, %x: !tile.buffer<16xf32>, %a: !tile.buffer<32xf32>, %b: !tile.buffer<16xf32>, %c: !tile.buffer<16xf32>, %d: !tile.buffer<16xf32>, %e: !tile.buffer<1xf32>) grid 1 inputs 1 "pointwise" {
  %three = arith.constant 3 : index
  %t = tile.load %x, affine_map<(l) -> (l)>() : !tile.buffer<16xf32> -> tensor<16xf32>
  tile.store %t, %a, affine_map<(l) -> (l * 2)>() : tensor<16xf32> -> !tile.buffer<32xf32>
  tile.store %t, %b, affine_map<(l) -> (15 - l)>() : tensor<16xf32> -> !tile.buffer<16xf32>
  tile.store %t, %c, affine_map<(l) -> (l)>() valid %three : tensor<16xf32> -> !tile.buffer<16xf32>
  tile.store %t, %d, affine_map<(l) -> (l)>() {streaming = true} : tensor<16xf32> -> !tile.buffer<16xf32>
  %s = tile.reduce max %t : tensor<16xf32> -> tensor<f32>
  tile.store %s, %e, affine_map<() -> (0)>() : tensor<f32> -> !tile.buffer<1xf32>
  tile.return
})");
  Bytes x(ramp(16)), a(std::vector<float>(32, -1)), b(64), c(std::vector<float>(16, -1)), d(64), e(4);
  k.run({&x, &a, &b, &c, &d, &e});
  std::vector<float> reversed = ramp(16);
  std::reverse(reversed.begin(), reversed.end());
  CHECK(b.as<float>() == reversed);
  CHECK(d.as<float>() == ramp(16));
  CHECK(e.as<float>() == std::vector<float>{15});
  for (int i = 0; i < 32; ++i) CHECK(a.as<float>()[i] == (i % 2 ? -1 : i / 2));
  for (int i = 0; i < 16; ++i) CHECK(c.as<float>()[i] == (i < 3 ? i : -1));
}

TEST_CASE("gather takes its indices from data") {
  Kernel k(
      R"(tile.func @k(%p: index, %x: !tile.buffer<4x8xf32>, %i: !tile.buffer<16xi32>, %out: !tile.buffer<16xf32>, %one: !tile.buffer<1xf32>) grid 1 inputs 2 "indexed" {
  %t = tile.load %i, affine_map<(l) -> (l)>() : !tile.buffer<16xi32> -> tensor<16xi32>
  %j = nacre.convert %t : (tensor<16xi32>) -> tensor<16xi64>
  %l = tile.lanes : tensor<16xi64>
  %three = nacre.constant dense<3> : tensor<16xi64>
  %row = nacre.and %l, %three : tensor<16xi64>
  %four = nacre.constant dense<8> : tensor<16xi64>
  %inside = nacre.compare LT %j, %four : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi1>
  %g = tile.gather %x[%row, %j : tensor<16xi64>, tensor<16xi64>] mask %inside : tensor<16xi1> : !tile.buffer<4x8xf32> -> tensor<16xf32>
  tile.store %g, %out, affine_map<(l) -> (l)>() : tensor<16xf32> -> !tile.buffer<16xf32>
  %two = arith.constant 2 : index
  %s = tile.from_index %two : tensor<i64>
  %h = tile.gather %x[%s, %s : tensor<i64>, tensor<i64>] : !tile.buffer<4x8xf32> -> tensor<f32>
  tile.store %h, %one, affine_map<() -> (0)>() : tensor<f32> -> !tile.buffer<1xf32>
  tile.return
})");
  std::vector<int32_t> index(16);
  for (int l = 0; l < 16; ++l) index[l] = l == 5 ? 1000000 : (l * 5) % 8;
  Bytes x(ramp(32)), i(index), out(64), one(4);
  k.run({&x, &i, &out, &one});
  for (int l = 0; l < 16; ++l) CHECK(out.as<float>()[l] == (l == 5 ? 0 : l % 4 * 8 + l * 5 % 8));
  CHECK(one.as<float>() == std::vector<float>{18});
}

TEST_CASE("blocks are transposed in registers") {
  for (int n : {1, 2, 3, 4, 8, 16}) {
    std::string size = std::to_string(n), tile = "tensor<" + size + "xf32>", loads, stores, rows, columns, types;
    std::string buffer = "!tile.buffer<" + size + "x" + size + "xf32>";
    for (int i = 0; i < n; ++i) {
      std::string k = std::to_string(i), sep = i ? ", " : "", map = "affine_map<(l) -> (" + k + ", l)>()";
      loads += "  %r" + k + " = tile.load %x, " + map + " : " + buffer + " -> " + tile + "\n";
      stores += "  tile.store %c#" + k + ", %out, " + map + " : " + tile + " -> " + buffer + "\n";
      rows += sep + "%r" + k;
      types += sep + tile;
    }
    Kernel k("tile.func @k(%p: index, %x: " + buffer + ", %out: " + buffer + ") grid 1 inputs 1 \"transpose\" {\n" +
             loads + "  %c:" + size + " = tile.transpose " + rows + " : " + types + " -> " + types + "\n" + stores +
             "  tile.return\n}\n");
    Bytes x(ramp(n * n)), out(n * n * 4);
    k.run({&x, &out});
    std::vector<float> got = out.as<float>();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) CHECK(got[i * n + j] == j * n + i);
  }
}

TEST_CASE("reductions of every kind and type") {
  auto run = [](const std::string& kind, const std::string& type, auto values, auto want) {
    using T = typename decltype(values)::value_type;
    std::string n = std::to_string(values.size());
    Kernel k("tile.func @k(%p: index, %x: !tile.buffer<" + n + "x" + type + ">, %out: !tile.buffer<1x" + type +
             ">) grid 1 inputs 1 \"row\" {\n  %t = tile.load %x, affine_map<(l) -> (l)>() : !tile.buffer<" + n + "x" +
             type + "> -> tensor<" + n + "x" + type + ">\n  %s = tile.reduce " + kind + " %t : tensor<" + n + "x" +
             type + "> -> tensor<" + type + ">\n  tile.store %s, %out, affine_map<() -> (0)>() : tensor<" + type +
             "> -> !tile.buffer<1x" + type + ">\n  tile.return\n}\n");
    Bytes x(values), out(sizeof(T));
    k.run({&x, &out});
    CHECK(out.as<T>()[0] == T(want));
  };
  run("add", "i32", std::vector<int32_t>{1, -2, 3, 4, 5, 6, 7, 8}, 32);
  run("mul", "i64", std::vector<int64_t>{1, -2, 3, 4}, -24);
  run("min", "i32", std::vector<int32_t>{1, -2, 3, 4}, -2);
  run("min", "ui32", std::vector<uint32_t>{1, 0xfffffffe, 3, 4}, 1);
  run("max", "ui8", std::vector<uint8_t>{1, 200, 3, 4}, 200);
  run("max", "i32", std::vector<int32_t>{1, -2, 3, 4, 9, 8}, 9);
  run("and", "i32", std::vector<int32_t>{7, 6, 14, 22}, 6);
  run("or", "i1", std::vector<uint8_t>{0, 0, 1, 0}, 1);
  run("and", "i1", std::vector<uint8_t>{1, 1, 1, 0}, 0);
  run("add", "i1", std::vector<uint8_t>{1, 1, 0, 0}, 1);
  run("xor", "i32", std::vector<int32_t>{1, 2, 4}, 7);
  run("add", "f64", std::vector<double>{0.5, 0.25, 1, 2}, 3.75);
  run("max", "f32", std::vector<float>{-1, -3, -0.5f, -2}, -0.5f);
  run("add", "bf16", std::vector<uint16_t>{0x3f80, 0x4000, 0x4040, 0x4080}, 0x4120);
}

TEST_CASE("control flow: scf.if with results, nested loops, min and max of indices") {
  Kernel k(R"(tile.func @k(%p: index, %x: !tile.buffer<8x10xf32>, %out: !tile.buffer<8xf32>) grid 8 inputs 1 "row" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %zero = nacre.constant dense<0.0> : tensor<f32>
  %end = affine.min affine_map<(p) -> (p, 5)>(%p)
  %sum = scf.for %j = %c0 to %end step %c1 iter_args(%a = %zero) -> (tensor<f32>) {
    %inner = scf.for %q = %c0 to %j step %c1 iter_args(%b = %a) -> (tensor<f32>) {
      %v = tile.load %x, affine_map<(i, j) -> (i, j)>(%p, %q) : !tile.buffer<8x10xf32> -> tensor<f32>
      %c = nacre.add %b, %v : tensor<f32>
      scf.yield %c : tensor<f32>
    }
    scf.yield %inner : tensor<f32>
  }
  %odd = arith.remui %p, %ten : index
  %low = arith.cmpi slt, %odd, %end : index
  %f = tile.from_index %p : tensor<i64>
  %pf = nacre.convert %f : (tensor<i64>) -> tensor<f32>
  %r = scf.if %low -> (tensor<f32>) {
    scf.yield %zero : tensor<f32>
  } else {
    %s = nacre.add %sum, %pf : tensor<f32>
    scf.yield %s : tensor<f32>
  }
  tile.store %r, %out, affine_map<(i) -> (i)>(%p) : tensor<f32> -> !tile.buffer<8xf32>
  tile.return
})");
  Bytes x(ramp(80)), out(32);
  k.run({&x, &out});
  for (int p = 0; p < 8; ++p) {
    float sum = 0;
    for (int j = 0; j < std::min(p, 5); ++j)
      for (int q = 0; q < j; ++q) sum += float(p * 10 + q);
    CHECK(out.as<float>()[p] == (p < std::min(p, 5) ? 0 : sum + float(p)));
  }
}

TEST_CASE("an output may be an input; scratch is private to the thread") {
  Kernel k(
      R"(tile.func @k(%p: index, %x: !tile.buffer<4x16xf32>, %out: !tile.buffer<4x16xf32>) grid 4 inputs 1 "row" in_place [0, 0] {
  %s = tile.scratch : !tile.buffer<16xf32>
  %t = tile.load %x, affine_map<(i, l) -> (i, l)>(%p) : !tile.buffer<4x16xf32> -> tensor<16xf32>
  tile.store %t, %s, affine_map<(l) -> (l)>() : tensor<16xf32> -> !tile.buffer<16xf32>
  %u = tile.load %s, affine_map<(l) -> (15 - l)>() : !tile.buffer<16xf32> -> tensor<16xf32>
  tile.prefetch %x, affine_map<(i) -> (i + 1000000, 0)>(%p) : !tile.buffer<4x16xf32>
  tile.store %u, %out, affine_map<(i, l) -> (i, l)>(%p) : tensor<16xf32> -> !tile.buffer<4x16xf32>
  %same = tile.same_memory %x, %out : !tile.buffer<4x16xf32>, !tile.buffer<4x16xf32>
  scf.if %same {
    %first = nacre.constant dense<-1.0> : tensor<f32>
    tile.store %first, %out, affine_map<(i) -> (i, 0)>(%p) : tensor<f32> -> !tile.buffer<4x16xf32>
  }
  tile.return
})");
  CHECK(k.spec().scratch_bytes == 64);
  Bytes x(ramp(64)), out(256);
  k.run({&x, &out});
  for (int i = 0; i < 64; ++i) CHECK(out.as<float>()[i] == i / 16 * 16 + 15 - i % 16);
  k.run({&x, &x});
  for (int i = 0; i < 64; ++i) CHECK(x.as<float>()[i] == (i % 16 ? i / 16 * 16 + 15 - i % 16 : -1));
}

TEST_CASE("random bits equal the published vectors") {
  // Random123's known answers for threefry2x32, 20 rounds.
  Kernel k(pointwiseText({"ui32", "ui32", "ui32", "ui32"}, "ui32", 3, 4, R"(
  %a, %r = nacre.threefry2x32 %x0, %x1, %x2, %x3 : (tensor<T:ui32>, tensor<T:ui32>, tensor<T:ui32>, tensor<T:ui32>) -> (tensor<T:ui32>, tensor<T:ui32>))"));
  Bytes k0(std::vector<uint32_t>{0, 0xffffffff, 0x13198a2e}), k1(std::vector<uint32_t>{0, 0xffffffff, 0x03707344}),
      x0(std::vector<uint32_t>{0, 0xffffffff, 0x243f6a88}), x1(std::vector<uint32_t>{0, 0xffffffff, 0x85a308d3}),
      out(12);
  k.run({&k0, &k1, &x0, &x1, &out});
  CHECK(out.as<uint32_t>() == std::vector<uint32_t>{0x99ba4efe, 0xbb002be7, 0x483df7a0});
}

TEST_CASE("the loop report sees scalar loops") {
  Kernel scalar(pointwiseText({"f32"}, "f32", 37, 0, "  %r = nacre.add %x0, %x0 : tensor<T:f32>"));
  Kernel vector(pointwiseText({"f32"}, "f32", 37, 16, "  %r = nacre.add %x0, %x0 : tensor<T:f32>"));
  auto s = inspectLoops(scalar.ir()), v = inspectLoops(vector.ir());
  REQUIRE(s.ok());
  REQUIRE(v.ok());
  REQUIRE(s->size() == 1);
  REQUIRE(v->size() == 1);
  CHECK(!s->front().vectorised());
  CHECK(v->front().vectorised());
  CHECK(v->front().vectorStores == 1);
  CHECK(!inspectLoops("this is not IR").ok());
}
