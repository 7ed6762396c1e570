#include "codegen/schedule/index_expr.h"

#include <catch2/catch.hpp>

#include "llvm/Support/raw_ostream.h"

using namespace nacre::schedule;

namespace {

std::string text(mlir::AffineExpr expr) {
  std::string s;
  llvm::raw_string_ostream(s) << expr;
  return s;
}

}  // namespace

TEST_CASE("index expressions: reshapes there and back are nothing") {
  mlir::MLIRContext context;
  IndexSpace space(&context);
  auto p = space.addDim({0, 2 * 3 * 4 * 5});
  llvm::SmallVector<int64_t> shape{2, 3, 4, 5}, other{6, 20}, third{3, 40};
  CHECK(space.linearize(space.delinearize(p, shape), shape) == p);
  auto q = space.linearize(space.delinearize(p, other), other);
  CHECK(q == p);
  CHECK(space.linearize(space.delinearize(space.linearize(space.delinearize(p, shape), shape), third), third) == p);
}

TEST_CASE("index expressions: lanes stay out of divisions where vectors are aligned") {
  mlir::MLIRContext context;
  IndexSpace space(&context);
  auto lane = space.addSymbol({0, 16});
  auto row = space.addDim({0, 10}), column = space.addDim({0, 768, 16});
  auto index = space.delinearize(row * 768 + column + lane, {10, 12, 64});
  CHECK(text(index[0]) == "d0");
  CHECK(text(index[1]) == "d1 floordiv 64");
  CHECK(text(index[2]) == "d1 mod 64 + s0");
  auto flat = space.delinearize(row * 33 + 32, {2, 5, 33});
  CHECK(text(flat[0]) == "d0 floordiv 5");
  CHECK(text(flat[1]) == "d0 mod 5");
  CHECK(text(flat[2]) == "32");
}

TEST_CASE("index expressions: values survive simplification") {
  mlir::MLIRContext context;
  IndexSpace space(&context);
  auto a = space.addDim({0, 7}), b = space.addDim({0, 24, 4}), c = space.addDim({-3, 5});
  llvm::SmallVector<mlir::AffineExpr> exprs{
      (a * 24 + b).floorDiv(8), (a * 24 + b + 3) % 12, ((a * 6 + b) % 18).floorDiv(3) * 3 + (a * 6 + b) % 3,
      (c * 5 + b).floorDiv(4),  (c + b) % 4,           ((a + b).floorDiv(5) % 3) * 5 + (a + b) % 5,
      (b + 2) % 4 + a * 0,      (b * 3 + c * 2) % 6};
  for (auto expr : exprs) {
    auto simple = space.simplify(expr);
    for (int64_t x = 0; x < 7; ++x)
      for (int64_t y = 0; y < 24; y += 4)
        for (int64_t z = -3; z < 5; ++z) {
          llvm::SmallVector<mlir::AffineExpr> at{space.constant(x), space.constant(y), space.constant(z)};
          INFO(text(expr) << " became " << text(simple));
          REQUIRE(expr.replaceDims(at) == simple.replaceDims(at));
        }
  }
}

TEST_CASE("index expressions: assumptions hold until they are popped") {
  mlir::MLIRContext context;
  IndexSpace space(&context);
  auto a = space.addDim({0, 100});
  space.pushAssumption(a - 10, 0, 8);
  CHECK(text(space.simplify((a - 10).floorDiv(8))) == "0");
  CHECK(space.range(a) == std::make_pair<int64_t, int64_t>(10, 17));
  space.popAssumption();
  CHECK(space.range(a) == std::make_pair<int64_t, int64_t>(0, 99));
}
