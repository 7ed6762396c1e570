// The interpreter against one table of tests/golden/. NACRE_GOLDEN names the table; each has a test target.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "ir/nacre.h"
#include "ir/reference/interpreter.h"
#include "ir/text/safe_parse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/ops/golden_case.h"
#include "tests/ops/tolerance.h"

using namespace nacre;
using namespace nacre::tests;

namespace {

mlir::MLIRContext& context() {
  static mlir::MLIRContext c(mlir::MLIRContext::Threading::DISABLED);
  c.loadDialect<ir::NacreDialect, mlir::func::FuncDialect>();
  return c;
}

// What is wrong with the results; empty if nothing.
std::string check(const GoldenCase& c, const std::vector<ir::HostValue>& results, const ir::Tolerance& tolerance) {
  if (results.size() != c.outputs.size()) return c.name() + ": wrong number of results\n";
  std::string report;
  for (size_t i = 0; i < results.size(); ++i)
    report += ir::compareValues(results[i], c.outputs[i].value, tolerance, c.name() + " result " + std::to_string(i),
                                c.outputs[i].magnitude)
                  .report;
  return report;
}

}  // namespace

TEST_CASE("the interpreter gives the golden values") {
  const char* path = std::getenv("NACRE_GOLDEN");
  REQUIRE(path != nullptr);
  auto cases = loadGoldenCases(path, context());
  REQUIRE(!cases.empty());
  for (const GoldenCase& c : cases) {
    std::string error;
    auto module = ir::parseModule(c.mlir, c.name(), context(), error);
    if (failed(module)) {
      FAIL_CHECK(error + "\n" + c.mlir);
      continue;
    }
    auto main = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
    auto results = ir::interpret(main, c.inputs);
    if (failed(results)) {
      FAIL_CHECK(c.name() + ": the interpreter failed\n" + c.mlir);
      continue;
    }
    std::string report = check(c, *results, interpreterTolerance(c.op));
    if (!report.empty()) FAIL_CHECK("\n" + report);
  }
}
