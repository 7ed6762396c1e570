#include "ir/reference/interpreter.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "ir/nacre.h"
#include "ir/text/safe_parse.h"

using namespace nacre::ir;

namespace {

struct Outcome {
  std::string error;  // of parser, verifier or interpreter
  std::vector<HostValue> results;
};

mlir::MLIRContext& context() {
  static mlir::MLIRContext c(mlir::MLIRContext::Threading::DISABLED);
  c.loadDialect<NacreDialect, mlir::func::FuncDialect>();
  return c;
}

HostValue floats(std::vector<int64_t> shape, std::vector<float> x) {
  HostValue v = zeros(mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&context())));
  REQUIRE(v.data.size() == x.size() * sizeof(float));
  std::memcpy(v.data.data(), x.data(), v.data.size());
  return v;
}

std::vector<float> toVector(const HostValue& v) {
  auto x = v.elements<float>();
  return {x.begin(), x.end()};
}

Outcome run(const std::string& text, std::vector<HostValue> args) {
  Outcome out;
  auto module = parseModule(text, "t.mlir", context(), out.error);
  if (failed(module)) return out;
  mlir::ScopedDiagnosticHandler handler(&context(), [&](mlir::Diagnostic& d) {
    out.error += d.str() + "\n";
    return mlir::success();
  });
  auto results = interpret((*module)->lookupSymbol<mlir::func::FuncOp>("main"), args);
  if (succeeded(results)) out.results = std::move(*results);
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("calls run the callee, also one inside another") {
  Outcome out = run(R"(
    func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = nacre.add %x, %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func private @four_times(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %y = nacre.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %z = nacre.call @twice(%y) : (tensor<2xf32>) -> tensor<2xf32>
      return %z, %x : tensor<2xf32>, tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y, %x2 = nacre.call @four_times(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
      %z = nacre.subtract %y, %x2 : tensor<2xf32>
      return %z : tensor<2xf32>
    })",
                    {floats({2}, {1, 5})});
  CHECK(out.error == "");
  REQUIRE(out.results.size() == 1);
  CHECK(toVector(out.results[0]) == std::vector<float>{3, 15});
}

TEST_CASE("a fusion runs its body, a launch its kernel") {
  Outcome out = run(R"(
    func.func private @k(%x: tensor<3xf32>) -> tensor<f32> attributes {nacre.kernel = "row"} {
      %s = nacre.reduce add (%x), dims = [0] : (tensor<3xf32>) -> tensor<f32>
      return %s : tensor<f32>
    }
    func.func @main(%x: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
      %y = nacre.fusion "pointwise" (%x) {
      ^bb0(%a: tensor<3xf32>):
        %b = nacre.multiply %a, %a : tensor<3xf32>
        nacre.yield %b : tensor<3xf32>
      } : (tensor<3xf32>) -> tensor<3xf32>
      %s = nacre.launch @k(%y) : (tensor<3xf32>) -> tensor<f32>
      return %s, %y : tensor<f32>, tensor<3xf32>
    })",
                    {floats({3}, {1, 2, 3})});
  CHECK(out.error == "");
  REQUIRE(out.results.size() == 2);
  CHECK(toVector(out.results[0]) == std::vector<float>{14});
  CHECK(toVector(out.results[1]) == std::vector<float>{1, 4, 9});
}

TEST_CASE("a window that lies partly outside loses only the elements that do") {
  Outcome out = run(R"(
    func.func @main(%x: tensor<4xf32>, %u: tensor<1x2xf32>) -> tensor<4xf32> {
      %i = nacre.constant dense<3> : tensor<1x1xi32>
      %y = nacre.scatter set %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64>,
          input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
          scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
          : (tensor<4xf32>, tensor<1x1xi32>, tensor<1x2xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    })",
                    {floats({4}, {1, 2, 3, 4}), floats({1, 2}, {8, 9})});
  CHECK(out.error == "");
  REQUIRE(out.results.size() == 1);
  CHECK(toVector(out.results[0]) == std::vector<float>{1, 2, 3, 8});
}

TEST_CASE("arguments are checked against the function") {
  const std::string text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }";
  CHECK(has(run(text, {}).error, "takes 1 arguments, got 0"));
  CHECK(has(run(text, {floats({3}, {1, 2, 3})}).error, "argument 0 has type 'tensor<2xf32>', got 'tensor<3xf32>'"));
  HostValue cut = floats({2}, {1, 2});
  cut.data.pop_back();
  CHECK(has(run(text, {cut}).error, "argument 0 of type 'tensor<2xf32>' got 7 bytes"));
}

TEST_CASE("endless recursion is refused") {
  Outcome out = run(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %y = nacre.call @main(%x) : (tensor<f32>) -> tensor<f32>
      return %y : tensor<f32>
    })",
                    {floats({}, {1})});
  CHECK(has(out.error, "nests calls more than 64 deep at @main"));
}

TEST_CASE("a function without a body is refused") {
  CHECK(has(run("func.func private @main(tensor<f32>) -> tensor<f32>", {floats({}, {1})}).error,
            "must have a body of one block"));
  Outcome out = run(R"(func.func private @f(tensor<f32>) -> tensor<f32>
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %y = nacre.call @f(%x) : (tensor<f32>) -> tensor<f32>
      return %y : tensor<f32>
    })",
                    {floats({}, {1})});
  CHECK(has(out.error, "refers to @f, which is not a function with a body"));
}

TEST_CASE("an op of another dialect is refused by name") {
  Outcome out = run(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %y = func.call @g(%x) : (tensor<f32>) -> tensor<f32>
      return %y : tensor<f32>
    }
    func.func private @g(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> })",
                    {floats({}, {1})});
  CHECK(has(out.error, "'func.call' op has no meaning in the reference interpreter"));
}

TEST_CASE("a value too large for tests is refused") {
  Outcome out = run(R"(func.func @main() -> tensor<f32> {
      %x = nacre.iota dim = 0 : tensor<4294967296xf32>
      %y = nacre.reduce add (%x), dims = [0] : (tensor<4294967296xf32>) -> tensor<f32>
      return %y : tensor<f32>
    })",
                    {});
  CHECK(has(out.error, "which the interpreter cannot hold"));
}

TEST_CASE("numbers round to bfloat16 once") {
  CHECK(BFloat16(1.0L + 0x1p-8L).bits == 0x3f80);             // a tie goes to even
  CHECK(BFloat16(1.0L + 3 * 0x1p-8L).bits == 0x3f82);         // also upwards
  CHECK(BFloat16(1.0L + 0x1p-8L + 0x1p-40L).bits == 0x3f81);  // through float it would look like a tie
  CHECK(BFloat16(3.4e38L).bits == 0x7f80);                    // overflow
  CHECK(BFloat16(-0x1p-140L).bits == 0x8000);                 // underflow
  CHECK(std::isnan(float(BFloat16(std::numeric_limits<long double>::quiet_NaN()))));
}
