// Compiled against interpreted results of random programs, with and without fusion.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <random>

#include "ir/nacre.h"
#include "ir/reference/compare.h"
#include "ir/reference/interpreter.h"
#include "ir/text/safe_parse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/ops/random_program.h"
#include "tools/run/run_compiled.h"

using namespace nacre;
using namespace nacre::tests;

namespace {

std::vector<ir::HostValue> randomArguments(const RandomProgram& program, uint32_t seed, mlir::MLIRContext& context) {
  std::mt19937 random(seed);
  std::vector<ir::HostValue> arguments;
  for (const auto& shape : program.arguments) {
    arguments.push_back(ir::zeros(mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&context))));
    for (float& x : arguments.back().elements<float>()) x = static_cast<float>(random() >> 8) * 0x1p-23f - 1;
  }
  return arguments;
}

// Sums of up to 1,600 terms of size 10 or less, seen through functions of slope at most 1.
std::string compare(const std::vector<ir::HostValue>& got, const std::vector<ir::HostValue>& want, const char* what) {
  std::string report;
  for (size_t i = 0; i < got.size(); ++i) {
    std::vector<float> magnitude(want[i].type.getNumElements(), 1.0f);
    report +=
        ir::compareValues(got[i], want[i], {16, 2000}, std::string(what) + " result " + std::to_string(i), magnitude)
            .report;
  }
  return report;
}

std::string runSeed(uint32_t seed, mlir::MLIRContext& context) {
  RandomProgram program = randomProgram(seed, 5 + seed % 25);
  std::string error;
  auto module = ir::parseModule(program.mlir, "random", context, error);
  if (failed(module)) return error + "\n" + program.mlir;
  auto arguments = randomArguments(program, seed, context);
  auto interpreted = ir::interpret((*module)->lookupSymbol<mlir::func::FuncOp>("main"), arguments);
  if (failed(interpreted)) return "the interpreter failed\n" + program.mlir;
  std::string report;
  for (bool fusion : {true, false}) {
    CompileOptions options;
    options.fusion = fusion;
    const char* what = fusion ? "fused" : "unfused";
    auto compiled = tools::runCompiled(**module, arguments, options);
    report += compiled.ok() ? compare(*compiled, *interpreted, what)
                            : std::string(what) + ": " + std::string(compiled.status().message()) + "\n";
  }
  return report.empty() ? report : "seed " + std::to_string(seed) + "\n" + report + program.mlir;
}

}  // namespace

TEST_CASE("random programs compute what the interpreter says") {
  if (const char* status = std::getenv("TEST_SHARD_STATUS_FILE")) std::ofstream{status};
  auto number = [](const char* variable, unsigned otherwise) {
    const char* text = std::getenv(variable);
    return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
  };
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<ir::NacreDialect, mlir::func::FuncDialect>();
  // NACRE_FIRST_SEED and NACRE_SEEDS look further than the test does.
  const unsigned first = number("NACRE_FIRST_SEED", 0), count = number("NACRE_SEEDS", 60);
  const unsigned shards = number("TEST_TOTAL_SHARDS", 1), shard = number("TEST_SHARD_INDEX", 0);
  for (unsigned seed = first + shard; seed < first + count; seed += shards) {
    std::string report = runSeed(seed, context);
    if (!report.empty()) FAIL_CHECK("\n" + report);
  }
}
