// The contraction kernel against three loops, and the vectors in its inner loop.
#include <catch2/catch.hpp>
#include <random>

#include "codegen/cpu/loop_report.h"
#include "codegen/cpu/test_kernel.h"

using namespace nacre::cpu;
using namespace nacre::cpu::test;

namespace {

std::string buffer(std::initializer_list<int64_t> dims, const std::string& type) {
  std::string s = "!tile.buffer<";
  for (int64_t d : dims) s += std::to_string(d) + "x";
  return s + type + ">";
}

std::string text(const std::string& in, const std::string& out, int64_t mp, int64_t mr, int64_t np, int64_t nr,
                 int64_t k, int64_t depth, bool accumulate) {
  std::string a = buffer({mp, k, mr}, in), b = buffer({np, k, nr}, in), c = buffer({mp * mr, np * nr}, out);
  return "tile.func @contract(%p: index, %a: " + a + ", %b: " + b + ", %c: " + c +
         ") grid 1 inputs 2 \"contraction\" {\n  %k = arith.constant " + std::to_string(depth) +
         " : index\n  tile.contract %a, %b -> %c depth %k accumulate " + (accumulate ? "true" : "false") + " : " + a +
         ", " + b + " -> " + c + "\n  tile.return\n}\n";
}

// Small integers, so that every sum is exact in every type.
template <class In, class Out>
void check(const std::string& in, const std::string& out, int64_t mp, int64_t mr, int64_t np, int64_t nr, int64_t k,
           int64_t depth, bool accumulate) {
  CAPTURE(in, mp, mr, np, nr, k, depth, accumulate);
  std::mt19937 random(7);
  std::uniform_int_distribution<int> small(-4, 4);
  auto encode = [](int v) -> In {
    if constexpr (std::is_same_v<In, uint16_t>) {
      float f = float(v);
      uint32_t bits;
      std::memcpy(&bits, &f, 4);
      return In(bits >> 16);
    } else {
      return In(v);
    }
  };
  std::vector<int> av(mp * k * mr), bv(np * k * nr);
  std::vector<In> a, b;
  for (int& v : av) a.push_back(encode(v = small(random)));
  for (int& v : bv) b.push_back(encode(v = small(random)));
  std::vector<Out> c(mp * mr * np * nr, Out(3)), expected(c.size());
  for (int64_t i = 0; i < mp * mr; ++i)
    for (int64_t j = 0; j < np * nr; ++j) {
      Out sum = accumulate ? Out(3) : Out(0);
      for (int64_t l = 0; l < depth; ++l)
        sum += Out(av[(i / mr * k + l) * mr + i % mr]) * Out(bv[(j / nr * k + l) * nr + j % nr]);
      expected[i * np * nr + j] = sum;
    }
  Kernel kernel(text(in, out, mp, mr, np, nr, k, depth, accumulate));
  Bytes ba(a), bb(b), bc(c);
  kernel.run({&ba, &bb, &bc});
  CHECK(bc.as<Out>() == expected);
  CHECK(bc.intact());
}

}  // namespace

TEST_CASE("products of packed panels") {
  struct Size {
    int64_t mp, mr, np, nr, k, depth;
  };
  for (Size s : {Size{1, 12, 1, 32, 1, 1}, Size{2, 12, 3, 32, 19, 17}, Size{1, 12, 1, 32, 64, 0},
                 Size{3, 6, 2, 16, 8, 8}, Size{2, 4, 2, 8, 33, 33}, Size{1, 1, 1, 1, 5, 5}, Size{1, 3, 1, 20, 7, 6}})
    for (bool accumulate : {false, true}) {
      check<float, float>("f32", "f32", s.mp, s.mr, s.np, s.nr, s.k, s.depth, accumulate);
      check<double, double>("f64", "f64", s.mp, s.mr, s.np, s.nr, s.k, s.depth, accumulate);
      check<uint16_t, float>("bf16", "f32", s.mp, s.mr, s.np, s.nr, s.k, s.depth, accumulate);
    }
}

TEST_CASE("the innermost loops of a contraction load vectors and broadcast scalars") {
  Kernel kernel(text("f32", "f32", 2, 12, 2, 32, 64, 64, true));
  auto loops = inspectLoops(kernel.ir());
  REQUIRE(loops.ok());
  REQUIRE(!loops->empty());
  for (const InnermostLoop& loop : *loops) {
    INFO(describe(loop));
    CHECK(loop.kernel == "contract");
    CHECK(loop.vectorised());
  }
  CHECK(loops->front().vectorLoads >= 2);
}
