// Simplification changes no bit: every case, and the identities of arithmetic on the values where they could fail.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "ir/builder.h"
#include "mlir/IR/Verifier.h"
#include "passes/simplify.h"
#include "passes/vjp.h"
#include "tests/transforms/harness.h"

using namespace mlir;
using namespace nacre::passes;

namespace nacre::testing {

namespace {

// Equal bits; a NaN may be any NaN, and a sum over one element may lose the sign of -0.
void requireSameBits(const Values& actual, const Values& expected, bool reduces) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    REQUIRE(actual[i].type == expected[i].type);
    if (!isReal(actual[i].type)) {
      REQUIRE(actual[i].data == expected[i].data);
      continue;
    }
    std::vector<double> a = numbers(actual[i]), b = numbers(expected[i]);
    for (size_t k = 0; k < a.size(); ++k) {
      INFO("result " << i << " element " << k << ": " << a[k] << " but expected " << b[k]);
      bool same = (std::isnan(a[k]) && std::isnan(b[k])) ||
                  (a[k] == b[k] && (reduces || std::signbit(a[k]) == std::signbit(b[k])));
      REQUIRE(same);
    }
  }
}

// @f of one expression in %x and the constant %c.
std::string withConstant(const std::string& constant, const std::string& op, const std::string& operands) {
  return "func.func @f(%x: tensor<8xf64>) -> tensor<8xf64> {\n  %c = nacre.constant dense<" + constant +
         "> : tensor<8xf64>\n  %n = nacre.negate %x : tensor<8xf64>\n  %r = nacre." + op + " " + operands +
         " : tensor<8xf64>\n  return %r : tensor<8xf64>\n}\n";
}

}  // namespace

TEST_CASE("simplifying changes no bit of any case") {
  for (const Case& c : allCases()) {
    DYNAMIC_SECTION(c.name) {
      OwningOpRef<ModuleOp> module = parse(c);
      func::FuncOp f = function(*module);
      std::mt19937 random(3);
      Values x = randomArguments(c, f.getArgumentTypes(), random);
      Values expected = evaluate(f, x);
      REQUIRE(succeeded(simplify(f)));
      requireSameBits(evaluate(f, x), expected, c.op() == "reduce");
    }
  }
}

TEST_CASE("identities of arithmetic hold for signed zeros, infinities and NaN") {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double special[] = {0.0, -0.0, 1.5, -1.5, kInf, -kInf, std::nan(""), 5e-324};
  for (const char* constant : {"0.0", "-0.0", "1.0", "-1.0", "2.0", "3.0", "0.25", "5.0e-324", "1.0e308"})
    for (const char* op : {"add", "subtract", "multiply", "divide", "maximum", "minimum"})
      for (const char* operands : {"%x, %c", "%c, %x", "%n, %c", "%x, %n", "%n, %x", "%n, %n", "%c, %c", "%x, %x"}) {
        Case c{"identity", withConstant(constant, op, operands)};
        INFO(c.text);
        OwningOpRef<ModuleOp> module = parse(c);
        func::FuncOp f = function(*module);
        Values x{ir::zeros(cast<RankedTensorType>(f.getArgumentTypes()[0]))};
        std::copy(std::begin(special), std::end(special), x[0].elements<double>().begin());
        Values expected = evaluate(f, x);
        REQUIRE(succeeded(simplify(f)));
        requireSameBits(evaluate(f, x), expected, false);
      }
}

TEST_CASE("stop_gradient stays where derivatives are still to come") {
  Case c{"stop",
         "func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n  %r = nacre.stop_gradient %x : tensor<2xf64>\n"
         "  return %r : tensor<2xf64>\n}\n"};
  OwningOpRef<ModuleOp> module = parse(c);
  func::FuncOp f = function(*module);
  REQUIRE(succeeded(simplify(f, {.eraseStopGradient = false})));
  CHECK(isa<ir::StopGradientOp>(f.front().front()));
  REQUIRE(succeeded(simplify(f)));
  CHECK(isa<func::ReturnOp>(f.front().front()));
}

TEST_CASE("reverse mode and simplification take 100,000 ops") {
  Case c{"long", "func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n  return %x : tensor<2xf64>\n}\n"};
  OwningOpRef<ModuleOp> module = parse(c);
  func::FuncOp f = function(*module);
  Operation* exit = f.front().getTerminator();
  OpBuilder builder(exit);
  ir::Builder b(builder, f.getLoc());
  Value x = f.getArgument(0), y = x;
  for (int i = 0; i < 25'000; ++i) y = b.neg(b.mul(b.add(b.make<ir::SinOp>(y), x), x));
  exit->setOperand(0, y);
  FailureOr<func::FuncOp> g = vjp(f, {true}, {true}, "g");
  REQUIRE(succeeded(g));
  size_t before = g->front().getOperations().size();
  REQUIRE(succeeded(simplify(*g)));
  CHECK(succeeded(verify(*g)));
  CHECK(g->front().getOperations().size() <= before);
  CHECK(before > 100'000);
}

}  // namespace nacre::testing
