// Every diagnostic of the transforms, with the op, the values and the way out that it must name.
#include <catch2/catch.hpp>
#include <functional>

#include "mlir/IR/Diagnostics.h"
#include "passes/batch.h"
#include "passes/inline_calls.h"
#include "passes/jvp.h"
#include "passes/transpose.h"
#include "passes/vjp.h"
#include "tests/transforms/harness.h"

using namespace mlir;
using namespace nacre::passes;

namespace nacre::testing {

namespace {

using Apply = std::function<LogicalResult(func::FuncOp)>;

constexpr const char* kProduct =
    "func.func @f(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {\n"
    "  %y = nacre.multiply %x, %x : tensor<2xf32>\n  return %y, %i : tensor<2xf32>, tensor<2xi32>\n}\n";

// The first message with the line that it points at, "line: message"; the number of functions must not change.
std::string messageOf(const std::string& text, const Apply& apply) {
  OwningOpRef<ModuleOp> module = parse({"error", text});
  std::string message;
  ScopedDiagnosticHandler handler(&context(), [&](Diagnostic& diagnostic) {
    if (!message.empty()) return success();
    if (auto line = dyn_cast<FileLineColLoc>(diagnostic.getLocation())) message = std::to_string(line.getLine()) + ": ";
    message += diagnostic.str();
    return success();
  });
  size_t functions = llvm::range_size(module->getOps<func::FuncOp>());
  CHECK(failed(apply(function(*module))));
  CHECK(llvm::range_size(module->getOps<func::FuncOp>()) == functions);
  return message;
}

void requireMessage(const std::string& text, const Apply& apply, const std::vector<std::string>& parts) {
  std::string message = messageOf(text, apply);
  INFO(message);
  for (const std::string& part : parts) CHECK_THAT(message, Catch::Contains(part));
}

}  // namespace

TEST_CASE("differentiation by what has no derivative") {
  requireMessage(kProduct,
                 [](func::FuncOp f) {
                   return LogicalResult(jvp(f, {true, true}, "g"));
                 },
                 {"'f'", "argument 1", "active", "tensor<2xi32>", "convert"});
  requireMessage(kProduct,
                 [](func::FuncOp f) {
                   return LogicalResult(vjp(f, {true, false}, {true, true}, "g"));
                 },
                 {"result 1", "seeded", "tensor<2xi32>"});
  requireMessage(kProduct, [](func::FuncOp f) { return LogicalResult(jvp(f, {true}, "g")); },
                 {"2 arguments", "1 flags", "one flag for each argument"});
}

TEST_CASE("an op without a rule is named with its line") {
  std::string text =
      "func.func private @k(%x: tensor<2xf32>) -> tensor<2xf32> attributes {nacre.kernel = \"pointwise\"} {\n  return "
      "%x : tensor<2xf32>\n}\n"
      "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %y = nacre.launch @k(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %y : tensor<2xf32>\n}\n";
  requireMessage(text, [](func::FuncOp f) { return LogicalResult(jvp(f, {true}, "g")); },
                 {"5: ", "nacre.launch", "no jvp rule"});
  requireMessage(text, [](func::FuncOp f) { return LogicalResult(vjp(f, {true}, {true}, "g")); },
                 {"5: ", "nacre.launch", "no jvp rule"});
  requireMessage(text, [](func::FuncOp f) { return LogicalResult(transpose(f, 0, "g")); },
                 {"5: ", "nacre.launch", "no transpose rule"});
  requireMessage(text, [](func::FuncOp f) { return LogicalResult(batch(f, {0}, 3, {0}, "g")); },
                 {"5: ", "nacre.launch", "no batching rule"});
}

TEST_CASE("transposing what is not linear") {
  std::string text =
      "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = nacre.sine %x : tensor<2xf32>\n"
      "  return %y : tensor<2xf32>\n}\n";
  requireMessage(text, [](func::FuncOp f) { return LogicalResult(transpose(f, 0, "g")); },
                 {"2: ", "nacre.sine", "no transpose rule", "not linear"});
  requireMessage(text, [](func::FuncOp f) { return LogicalResult(transpose(f, 2, "g")); },
                 {"1 arguments", "from argument 2 on"});
}

TEST_CASE("axes of a batch") {
  auto batched = [](std::vector<int64_t> in, int64_t size, std::vector<int64_t> out) {
    return [=](func::FuncOp f) { return LogicalResult(batch(f, in, size, out, "g")); };
  };
  requireMessage(kProduct, batched({0}, 3, {0, 0}), {"2 arguments", "1 axes", "-1 for none"});
  requireMessage(kProduct, batched({2, -1}, 3, {0, 0}), {"axis 2", "argument 0", "rank 2"});
  requireMessage(kProduct, batched({0, -1}, 3, {0, -2}), {"axis -2", "result 1"});
  requireMessage(kProduct, batched({0, -1}, 3, {-1, -1}), {"result 0", "differs from example to example", "0 to 1"});
  requireMessage(kProduct, batched({0, -1}, -3, {0, -1}), {"-3 times"});
}

TEST_CASE("calls that cannot be inlined") {
  auto inlined = [](func::FuncOp f) { return inlineCalls(f); };
  requireMessage(
      "func.func private @g(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %y = nacre.call @h(%x) : (tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}\n"
      "func.func private @h(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %y = nacre.call @g(%x) : (tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}\n"
      "func.func @f(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %y = nacre.call @g(%x) : (tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}\n",
      inlined, {"nacre.call", "'g'", "recursion"});
  requireMessage(
      "func.func private @g(tensor<f32>) -> tensor<f32>\nfunc.func @f(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %y = nacre.call @g(%x) : (tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}\n",
      inlined, {"'g'", "no body"});
  // Each function calls the next one twice.
  std::string doubling = "func.func private @g0(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n";
  for (int i = 1; i <= 40; ++i) {
    std::string name = i == 40 ? "@f" : "private @g" + std::to_string(i), next = "@g" + std::to_string(i - 1);
    doubling += "func.func " + name + "(%x: tensor<f32>) -> tensor<f32> {\n  %y = nacre.call " + next +
                "(%x) : (tensor<f32>) -> tensor<f32>\n  %z = nacre.call " + next +
                "(%y) : (tensor<f32>) -> tensor<f32>\n  return %z : tensor<f32>\n}\n";
  }
  requireMessage(doubling, inlined, {"longer than", "ops"});
}

}  // namespace nacre::testing
