// Compiled code against one table of tests/golden/ and against the interpreter, within what docs/ops.md states.
// NACRE_GOLDEN names the table. Bazel's shards share its cases.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "ir/nacre.h"
#include "ir/reference/interpreter.h"
#include "ir/text/safe_parse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/ops/golden_case.h"
#include "tests/ops/tolerance.h"
#include "tools/run/run_compiled.h"

using namespace nacre;
using namespace nacre::tests;

namespace {

size_t numberFrom(const char* variable, size_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

// What is wrong with the compiled results; empty if nothing.
std::string check(const GoldenCase& c, const std::vector<ir::HostValue>& compiled,
                  const std::vector<ir::HostValue>& interpreted, const DocumentedTolerances& documented) {
  if (compiled.size() != c.outputs.size()) return c.name() + ": wrong number of results\n";
  std::string report;
  for (size_t i = 0; i < compiled.size(); ++i) {
    ir::Tolerance tolerance = documented.of(c.op, compiled[i].element());
    std::string result = c.name() + " result " + std::to_string(i);
    const auto& [golden, magnitude] = c.outputs[i];
    report += ir::compareValues(compiled[i], golden, tolerance, result + " (want: table)", magnitude).report;
    report +=
        ir::compareValues(compiled[i], interpreted[i], tolerance, result + " (want: interpreter)", magnitude).report;
  }
  return report;
}

std::string runCase(const GoldenCase& c, mlir::MLIRContext& context, const DocumentedTolerances& documented) {
  std::string error;
  auto module = ir::parseModule(c.mlir, c.name(), context, error);
  if (failed(module)) return error + "\n" + c.mlir;
  auto interpreted = ir::interpret((*module)->lookupSymbol<mlir::func::FuncOp>("main"), c.inputs);
  if (failed(interpreted)) return c.name() + ": the interpreter failed\n";
  auto compiled = tools::runCompiled(**module, c.inputs);
  if (!compiled.ok()) return c.name() + ": " + std::string(compiled.status().message()) + "\n" + c.mlir;
  return check(c, *compiled, *interpreted, documented);
}

}  // namespace

TEST_CASE("compiled code gives the golden values") {
  if (const char* status = std::getenv("TEST_SHARD_STATUS_FILE")) std::ofstream{status};
  const char* path = std::getenv("NACRE_GOLDEN");
  REQUIRE(path != nullptr);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<ir::NacreDialect, mlir::func::FuncDialect>();
  DocumentedTolerances documented("docs/ops.md");
  auto cases = loadGoldenCases(path, context);
  REQUIRE(!cases.empty());
  const size_t shards = numberFrom("TEST_TOTAL_SHARDS", 1), shard = numberFrom("TEST_SHARD_INDEX", 0);
  // For looking at one op: NACRE_ONLY=nacre.add.
  const char* only = std::getenv("NACRE_ONLY");
  for (size_t i = shard; i < cases.size(); i += shards) {
    if (only && cases[i].op != only) continue;
    std::string report = runCase(cases[i], context, documented);
    if (!report.empty()) FAIL_CHECK("\n" + report);
  }
}
