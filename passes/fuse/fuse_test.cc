// Fusion changes where values live, never what they are: programs are run by the interpreter before and after.
#include "passes/fuse/fuse.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

#include "ir/builder.h"
#include "ir/reference/interpreter.h"
#include "mlir/IR/Verifier.h"
#include "passes/fuse/outline.h"
#include "passes/fuse/test_programs.h"

using namespace mlir;

namespace nacre {
namespace {

using ir::HostValue;

HostValue randomValue(RankedTensorType type, std::mt19937& random) {
  HostValue v = ir::zeros(type);
  std::uniform_real_distribution<float> uniform(-0.5f, 0.5f);
  if (type.getElementType().isF32())
    for (float& x : v.elements<float>()) x = uniform(random);
  else
    for (int32_t& x : v.elements<int32_t>()) x = static_cast<int32_t>(random() % 20);
  return v;
}

std::vector<HostValue> randomArguments(func::FuncOp f) {
  std::mt19937 random(7);
  std::vector<HostValue> arguments;
  for (Type type : f.getArgumentTypes()) arguments.push_back(randomValue(cast<RankedTensorType>(type), random));
  // Second moments are not negative.
  size_t third = arguments.size() / 3;
  if (arguments.size() > 10)
    for (size_t i = 2 * third; i + 2 < arguments.size(); ++i)
      for (float& x : arguments[i].elements<float>()) x = std::abs(x);
  return arguments;
}

double largestDifference(const std::vector<HostValue>& a, const std::vector<HostValue>& b) {
  double largest = 0;
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].type == b[i].type);
    for (size_t j = 0; j < a[i].elements<float>().size(); ++j) {
      double x = a[i].elements<float>()[j], y = b[i].elements<float>()[j];
      largest = std::max(largest, std::isfinite(x - y) ? std::abs(x - y) / (1 + std::abs(x)) : 1e30);
    }
  }
  return largest;
}

// Kernels by kind, launches counted.
std::map<std::string, int> launchesByKind(ModuleOp module) {
  std::map<std::string, int> counts;
  SymbolTable symbols(module);
  auto main = symbols.lookup<func::FuncOp>("main");
  for (auto launch : main.getOps<ir::LaunchOp>()) {
    auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
    ++counts[kernel->getAttrOfType<StringAttr>(ir::kKernelAttr).str()];
  }
  return counts;
}

int kernelsOf(ModuleOp module) {
  int kernels = 0;
  for (auto f : module.getOps<func::FuncOp>()) kernels += f->hasAttr(ir::kKernelAttr);
  return kernels;
}

TEST_CASE("a training step computes the same before and after fusion") {
  MLIRContext context;
  for (bool fusion : {false, true}) {
    auto module = testing::transformerStep(context, {});
    REQUIRE(module);
    auto main = module->lookupSymbol<func::FuncOp>("main");
    std::vector<HostValue> arguments = randomArguments(main);
    auto before = ir::interpret(main, arguments);
    REQUIRE(succeeded(before));
    REQUIRE(succeeded(passes::fuse(main, {.fusion = fusion})));
    REQUIRE(succeeded(verify(*module)));
    auto fused = ir::interpret(main, arguments);
    REQUIRE(succeeded(fused));
    CHECK(largestDifference(*before, *fused) < 1e-5);
    REQUIRE(succeeded(passes::outline(main)));
    REQUIRE(succeeded(verify(*module)));
    auto outlined = ir::interpret(main, arguments);
    REQUIRE(succeeded(outlined));
    CHECK(largestDifference(*fused, *outlined) == 0);
  }
}

TEST_CASE("equal layers give equal kernels") {
  MLIRContext context;
  std::vector<int> kernels;
  for (int64_t layers : {2, 8}) {
    auto module = testing::transformerStep(context, {.layers = layers});
    auto main = module->lookupSymbol<func::FuncOp>("main");
    REQUIRE(succeeded(passes::fuse(main)));
    REQUIRE(succeeded(passes::outline(main)));
    kernels.push_back(kernelsOf(*module));
    for (auto& [kind, count] : launchesByKind(*module)) UNSCOPED_INFO(layers << " layers: " << kind << " " << count);
  }
  CHECK(kernels[0] == kernels[1]);
  CHECK(kernels[1] <= 60);
}

TEST_CASE("a program of 100,000 ops is fused in seconds") {
  MLIRContext context;
  context.loadDialect<ir::NacreDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder ops(&context);
  Type type = RankedTensorType::get({64, 64}, ops.getF32Type());
  auto main = func::FuncOp::create(module->getLoc(), "main", ops.getFunctionType({type, type}, {type}));
  module->push_back(main);
  ops.setInsertionPointToStart(main.addEntryBlock());
  ir::Builder b(ops, main.getLoc());
  // Layers with a product, a normalisation and uses of much earlier values.
  std::vector<Value> values = {main.getArgument(0)};
  Value weight = main.getArgument(1);
  for (int layer = 0; layer < 100000 / 7; ++layer) {
    Value x = values.back();
    Value y = b.make<ir::DotGeneralOp>(x, weight, ArrayRef<int64_t>{}, ArrayRef<int64_t>{}, ArrayRef<int64_t>{1},
                                       ArrayRef<int64_t>{0}, TypeAttr());
    y = b.make<ir::TanhOp>(b.add(y, x));
    Value sum = b.reduce(ir::CombineKind::Add, y, {1});
    y = b.sub(y, b.broadcastInDim(sum, {64, 64}, {0}));
    y = b.mul(y, values[values.size() / 2]);
    values.push_back(b.add(y, x));
  }
  func::ReturnOp::create(ops, main.getLoc(), values.back());
  auto start = std::chrono::steady_clock::now();
  REQUIRE(succeeded(passes::fuse(main)));
  REQUIRE(succeeded(passes::outline(main)));
  auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  WARN("fused and outlined in " << seconds << " s");
  REQUIRE(succeeded(verify(*module)));
  CHECK(kernelsOf(*module) < 20);
}

TEST_CASE("an op without a schedule family is refused by name") {
  MLIRContext context;
  context.loadDialect<ir::NacreDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder ops(&context);
  Type type = RankedTensorType::get({4}, ops.getF32Type());
  auto main = func::FuncOp::create(module->getLoc(), "main", ops.getFunctionType({type}, {type}));
  module->push_back(main);
  ops.setInsertionPointToStart(main.addEntryBlock());
  auto call = ir::CallOp::create(ops, main.getLoc(), TypeRange{type}, "main", main.getArguments());
  func::ReturnOp::create(ops, main.getLoc(), call.getOutputs());
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic& d) { return message = d.str(), success(); });
  CHECK(failed(passes::fuse(main)));
  CHECK(message.find("'nacre.call' op has no kernel") != std::string::npos);
}

}  // namespace
}  // namespace nacre
