// Derivatives of every op against finite differences, reverse mode against forward mode, to second order.
#include <catch2/catch.hpp>

#include "passes/jvp.h"
#include "passes/linearize.h"
#include "passes/simplify.h"
#include "passes/transpose.h"
#include "passes/vjp.h"
#include "tests/transforms/harness.h"

using namespace mlir;
using namespace nacre::passes;

namespace nacre::testing {

namespace {

Values joined(const Values& a, const Values& b) {
  Values all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

Values tail(const Values& values, size_t from) { return Values(values.begin() + from, values.end()); }

void requireClose(const Values& actual, const Values& expected, double tolerance) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    INFO("result " << i);
    REQUIRE(actual[i].type == expected[i].type);
    std::vector<double> a = numbers(actual[i]), b = numbers(expected[i]);
    for (size_t k = 0; k < a.size(); ++k) {
      INFO("element " << k << ": " << a[k] << " but expected " << b[k]);
      REQUIRE((a[k] == b[k] || std::abs(a[k] - b[k]) <= tolerance * (1 + std::abs(b[k]))));
    }
  }
}

// Checks `f` at `x`, then its reverse mode as a function of its own, `order` times.
void checkDerivatives(const Case& c, func::FuncOp f, const Values& x, int order, std::mt19937& random) {
  INFO("function " << f.getName().str());
  SmallVector<bool> active = flags(realFlags(f.getArgumentTypes())), seeded = flags(realFlags(f.getResultTypes()));
  Values direction = randomDirection(x, random);

  FailureOr<func::FuncOp> forward = jvp(f, active, "forward");
  REQUIRE(succeeded(forward));
  Values primal = evaluate(f, x), both = evaluate(*forward, joined(x, direction));
  requireClose(Values(both.begin(), both.begin() + primal.size()), primal, 0);
  Values tangents = tail(both, primal.size());
  if (c.smooth) {
    // Error of the central difference: step^2 times a third derivative, and the rounding of f64 over the step.
    constexpr double kStep = 1e-5;
    Values up = realOnes(evaluate(f, moved(x, direction, kStep)));
    Values down = realOnes(evaluate(f, moved(x, direction, -kStep)));
    Values slope = up;
    for (size_t i = 0; i < up.size(); ++i) {
      std::vector<double> high = numbers(up[i]), low = numbers(down[i]);
      auto out = slope[i].elements<double>();
      // The extreme of nothing is infinite on both sides.
      for (size_t k = 0; k < out.size(); ++k) out[k] = high[k] == low[k] ? 0 : (high[k] - low[k]) / (2 * kStep);
    }
    requireClose(tangents, slope, 2e-7);
  }

  FailureOr<func::FuncOp> reverse = vjp(f, active, seeded, "reverse");
  REQUIRE(succeeded(reverse));
  Values cotangents = randomDirection(primal, random);
  Values pulled = evaluate(*reverse, joined(x, cotangents));
  requireClose(Values(pulled.begin(), pulled.begin() + primal.size()), primal, 0);
  double magnitude, backward = dot(tail(pulled, primal.size()), direction, &magnitude);
  double tolerance = c.text.find("f32") == std::string::npos ? 1e-11 : 1e-5;
  REQUIRE(dot(cotangents, tangents) == Approx(backward).margin(tolerance * (1 + magnitude)));

  // The same through linearize and transpose, and what simplification makes of reverse mode.
  FailureOr<Linearized> split = linearize(f, active, "split");
  REQUIRE(succeeded(split));
  Values point = evaluate(split->primal, x);
  Values residuals = tail(point, primal.size());
  requireClose(evaluate(split->linear, joined(residuals, direction)), tangents, 1e-13);
  FailureOr<func::FuncOp> back = transpose(split->linear, split->residuals, "back");
  REQUIRE(succeeded(back));
  requireClose(evaluate(*back, joined(residuals, cotangents)), tail(pulled, primal.size()), 1e-13);
  func::FuncOp simple = reverse->clone();
  reverse->getOperation()->getBlock()->push_back(simple);
  simple.setName("simple");
  REQUIRE(succeeded(simplify(simple)));
  Values simplified = evaluate(simple, joined(x, cotangents));
  requireClose(simplified, pulled, 1e-13);
  simple.erase();

  if (order > 1) checkDerivatives(c, *reverse, joined(x, cotangents), order - 1, random);
}

}  // namespace

TEST_CASE("first and second derivatives of every op") {
  for (const Case& c : allCases()) {
    DYNAMIC_SECTION(c.name) {
      OwningOpRef<ModuleOp> module = parse(c);
      func::FuncOp f = function(*module);
      auto real = realFlags(f.getArgumentTypes()), out = realFlags(f.getResultTypes());
      bool differentiable = std::count(real.begin(), real.end(), true) && std::count(out.begin(), out.end(), true);
      if (!differentiable) continue;
      std::mt19937 random(7);
      Values x = randomArguments(c, f.getArgumentTypes(), random);
      checkDerivatives(c, f, x, /*order=*/2, random);
    }
  }
}

TEST_CASE("each active argument alone has the derivative it has among all") {
  for (const Case& c : allCases()) {
    OwningOpRef<ModuleOp> module = parse(c);
    func::FuncOp f = function(*module);
    SmallVector<bool> all = flags(realFlags(f.getArgumentTypes())), seeded = flags(realFlags(f.getResultTypes()));
    if (llvm::count(all, true) < 2 || llvm::count(seeded, true) == 0) continue;
    DYNAMIC_SECTION(c.name) {
      std::mt19937 random(7);
      Values x = randomArguments(c, f.getArgumentTypes(), random);
      Values primal = evaluate(f, x), input = joined(x, randomDirection(primal, random));
      FailureOr<func::FuncOp> reverse = vjp(f, all, seeded, "all");
      REQUIRE(succeeded(reverse));
      Values expected = tail(evaluate(*reverse, input), primal.size());
      size_t next = 0;
      for (size_t i = 0; i < all.size(); ++i) {
        if (!all[i]) continue;
        SmallVector<bool> one(all.size(), false);
        one[i] = true;
        FailureOr<func::FuncOp> alone = vjp(f, one, seeded, "alone");
        REQUIRE(succeeded(alone));
        requireClose(tail(evaluate(*alone, input), primal.size()), {expected[next++]}, 0);
      }
    }
  }
}

TEST_CASE("the derivative stops at stop_gradient") {
  Case c{"stop",
         "func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n  %s = nacre.stop_gradient %x : tensor<2xf64>\n"
         "  %r = nacre.multiply %s, %s : tensor<2xf64>\n  return %r : tensor<2xf64>\n}\n"};
  OwningOpRef<ModuleOp> module = parse(c);
  std::mt19937 random(1);
  Values x = randomArguments(c, function(*module).getArgumentTypes(), random);
  FailureOr<func::FuncOp> forward = jvp(function(*module), {true}, "forward");
  REQUIRE(succeeded(forward));
  CHECK(numbers(evaluate(*forward, joined(x, x))[1]) == std::vector<double>{0, 0});
}

}  // namespace nacre::testing
