// Every op of the dialect has a meaning in the interpreter and a golden table.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>
#include <sstream>

#include "ir/nacre.h"
#include "ir/reference/interpreter.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/ops/golden_case.h"

using namespace nacre;

namespace {

std::vector<std::string> dialectOps(mlir::MLIRContext& context) {
  context.loadDialect<ir::NacreDialect>();
  std::vector<std::string> names;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("nacre"))
    names.push_back(name.getStringRef().str());
  return names;
}

}  // namespace

TEST_CASE("every op of the dialect has a meaning in the interpreter") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::set<std::string> missing;
  for (const std::string& name : dialectOps(context))
    if (!ir::isInterpreted(name)) missing.insert(name);
  CHECK(missing == std::set<std::string>{});
  CHECK(!ir::isInterpreted("nacre.no_such_op"));
}

TEST_CASE("every op of the dialect is in a golden table") {
  // Ops that hold or call other ops; ir/reference/interpreter_test.cc has them.
  std::set<std::string> exempt{"nacre.call", "nacre.fusion", "nacre.launch", "nacre.yield"};
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::set<std::string> missing;
  for (const std::string& name : dialectOps(context))
    if (!exempt.count(name)) missing.insert(name);
  const char* tables = std::getenv("NACRE_GOLDEN");
  REQUIRE(tables != nullptr);
  std::istringstream paths(tables);
  for (std::string path; paths >> path;)
    for (const auto& c : tests::loadGoldenCases(path, context)) missing.erase(c.op);
  CHECK(missing == std::set<std::string>{});
}
