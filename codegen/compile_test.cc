// Whole programs through the pipeline, against the interpreter.
#include "codegen/compile.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "codegen/kernel_cache.h"
#include "ir/nacre.h"
#include "ir/reference/interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/fuse/test_programs.h"

using namespace mlir;

namespace nacre {
namespace {

using ir::HostValue;

std::vector<HostValue> run(const Executable& executable, const std::vector<HostValue>& arguments,
                           TypeRange resultTypes) {
  std::vector<Buffer> inputs, outputs(resultTypes.size());
  for (const HostValue& v : arguments) {
    inputs.push_back(Buffer::allocate(v.data.size()));
    std::memcpy(inputs.back().data(), v.data.data(), v.data.size());
  }
  absl::Status status = executable.run(inputs, outputs);
  INFO(status.ToString());
  REQUIRE(status.ok());
  std::vector<HostValue> results;
  for (auto [type, buffer] : llvm::zip(resultTypes, outputs)) {
    results.push_back(ir::zeros(cast<RankedTensorType>(type)));
    REQUIRE(buffer.bytes() == static_cast<int64_t>(results.back().data.size()));
    std::memcpy(results.back().data.data(), buffer.data(), buffer.bytes());
  }
  return results;
}

std::vector<HostValue> randomArguments(func::FuncOp main) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(0.01f, 0.5f);
  std::vector<HostValue> arguments;
  for (Type type : main.getArgumentTypes()) {
    HostValue v = ir::zeros(cast<RankedTensorType>(type));
    if (v.element().isF32())
      for (float& x : v.elements<float>()) x = uniform(random);
    else
      for (int32_t& x : v.elements<int32_t>()) x = static_cast<int32_t>(random() % 20);
    arguments.push_back(std::move(v));
  }
  return arguments;
}

double difference(const HostValue& a, const HostValue& b) {
  double largest = 0;
  for (size_t i = 0; i < a.elements<float>().size(); ++i) {
    double x = a.elements<float>()[i], y = b.elements<float>()[i];
    largest = std::max(largest, std::isfinite(x - y) ? std::abs(x - y) / (1e-2 + std::abs(x)) : 1e30);
  }
  return largest;
}

std::shared_ptr<const Executable> compiled(OwningOpRef<ModuleOp> module, bool fusion) {
  auto executable = compile(std::move(module), {.fusion = fusion});
  INFO(executable.status().ToString());
  REQUIRE(executable.ok());
  return *executable;
}

TEST_CASE("a training step gives what the interpreter gives") {
  MLIRContext context;
  for (auto shape : {testing::TransformerShape{}, {.batch = 3, .time = 5, .width = 36, .heads = 3, .vocabulary = 33}}) {
    auto module = testing::transformerStep(context, shape);
    auto main = module->lookupSymbol<func::FuncOp>("main");
    SmallVector<Type> types(main.getResultTypes());
    auto arguments = randomArguments(main);
    auto expected = ir::interpret(main, arguments);
    REQUIRE(succeeded(expected));
    for (bool fusion : {true, false}) {
      auto executable = compiled(testing::transformerStep(context, shape), fusion);
      auto results = run(*executable, arguments, types);
      for (size_t i = 0; i < results.size(); ++i) {
        INFO("result " << i << ", fusion " << fusion);
        CHECK(difference((*expected)[i], results[i]) < 2e-3);
      }
      // Fused, all new parameters and moments are written over the old ones.
      for (size_t i = 0; fusion && i + 1 < results.size(); ++i) {
        INFO("result " << i);
        CHECK(executable->plan().results[i].reuses_argument >= 0);
      }
    }
  }
}

constexpr const char kElementwise[] = R"(
func.func @main(%x: tensor<7x33xf32>, %y: tensor<33xf32>, %i: tensor<7xi32>) -> (tensor<33x7xf32>, tensor<7x33xf32>, tensor<7x66xf32>) {
  %0 = nacre.broadcast_in_dim %y, dims = [1] : (tensor<33xf32>) -> tensor<7x33xf32>
  %1 = nacre.multiply %x, %0 : tensor<7x33xf32>
  %2 = nacre.add %1, %x : tensor<7x33xf32>
  %3 = nacre.tanh %2 : tensor<7x33xf32>
  %4 = nacre.divide %3, %0 : tensor<7x33xf32>
  %5 = nacre.exponential %4 : tensor<7x33xf32>
  %6 = nacre.transpose %5, dims = [1, 0] : (tensor<7x33xf32>) -> tensor<33x7xf32>
  %7 = nacre.convert %i : (tensor<7xi32>) -> tensor<7xf32>
  %8 = nacre.broadcast_in_dim %7, dims = [1] : (tensor<7xf32>) -> tensor<33x7xf32>
  %9 = nacre.subtract %6, %8 : tensor<33x7xf32>
  %10 = nacre.sqrt %1 : tensor<7x33xf32>
  %11 = nacre.concatenate(%10, %3), dim = 1 : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x66xf32>
  func.return %9, %5, %11 : tensor<33x7xf32>, tensor<7x33xf32>, tensor<7x66xf32>
})";

TEST_CASE("elementwise results are the same bits with and without fusion") {
  MLIRContext context;
  context.loadDialect<ir::NacreDialect, func::FuncDialect>();
  auto parse = [&] { return parseSourceString<ModuleOp>(kElementwise, &context); };
  auto module = parse();
  REQUIRE(module);
  auto main = module->lookupSymbol<func::FuncOp>("main");
  SmallVector<Type> types(main.getResultTypes());
  auto arguments = randomArguments(main);
  auto fused = run(*compiled(parse(), true), arguments, types);
  auto apart = run(*compiled(parse(), false), arguments, types);
  auto expected = ir::interpret(main, arguments);
  REQUIRE(succeeded(expected));
  for (size_t i = 0; i < fused.size(); ++i) {
    CHECK(fused[i].data == apart[i].data);
    CHECK(difference((*expected)[i], fused[i]) < 1e-5);
  }
}

TEST_CASE("kernels are shared between compilations") {
  MLIRContext context;
  context.loadDialect<ir::NacreDialect, func::FuncDialect>();
  codegen::clearKernelCache();
  auto parse = [&] { return parseSourceString<ModuleOp>(kElementwise, &context); };
  auto first = compiled(parse(), true), second = compiled(parse(), true);
  REQUIRE(first->plan().kernels.size() == second->plan().kernels.size());
  for (size_t i = 0; i < first->plan().kernels.size(); ++i)
    CHECK(first->plan().kernels[i].entry == second->plan().kernels[i].entry);
}

TEST_CASE("a module without main is refused") {
  MLIRContext context;
  context.loadDialect<ir::NacreDialect, func::FuncDialect>();
  auto result = compile(ModuleOp::create(UnknownLoc::get(&context)));
  REQUIRE(!result.ok());
  CHECK(result.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(std::string(result.status().message()).find("@main") != std::string::npos);
}

TEST_CASE("the report names kernels, memory and reasons") {
  MLIRContext context;
  auto text = explain(testing::transformerStep(context, {}));
  REQUIRE(text.ok());
  for (const char* part : {"launches of", "arena:", "contraction_dot_general", "apart from row"})
    CHECK(text->find(part) != std::string::npos);
}

}  // namespace
}  // namespace nacre
