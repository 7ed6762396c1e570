// Every case, its reverse mode and its batched form, compiled and run, against the interpreter.
#include <catch2/catch.hpp>
#include <cmath>

#include "passes/batch.h"
#include "passes/vjp.h"
#include "tests/transforms/compiled.h"

using namespace mlir;
using namespace nacre::passes;

namespace nacre::testing {

namespace {

void requireClose(const Values& actual, const Values& expected) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (!isReal(actual[i].type)) {
      REQUIRE(actual[i].data == expected[i].data);
      continue;
    }
    std::vector<double> a = numbers(actual[i]), b = numbers(expected[i]);
    double tolerance = actual[i].element().isF64() ? 1e-12 : 1e-5;
    for (size_t k = 0; k < a.size(); ++k) {
      INFO("result " << i << " element " << k << ": " << a[k] << " but expected " << b[k]);
      bool same = a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]));
      REQUIRE((same || std::abs(a[k] - b[k]) <= tolerance * (1 + std::abs(b[k]))));
    }
  }
}

void checkCompiled(const Case& c, func::FuncOp f, std::mt19937& random) {
  INFO("function " << f.getName().str());
  std::string error;
  std::shared_ptr<const Executable> executable = compiled(f, error);
  INFO(error);
  REQUIRE(executable);
  Values x = randomArguments(c, f.getArgumentTypes(), random);
  requireClose(run(*executable, f, x), evaluate(f, x));
}

}  // namespace

TEST_CASE("compiled cases, gradients and batches equal the interpreter") {
  for (const Case& c : allCases()) {
    DYNAMIC_SECTION(c.name) {
      OwningOpRef<ModuleOp> module = parse(c);
      func::FuncOp f = function(*module);
      std::mt19937 random(5);
      checkCompiled(c, f, random);
      SmallVector<bool> active = flags(realFlags(f.getArgumentTypes())), seeded = flags(realFlags(f.getResultTypes()));
      if (llvm::is_contained(active, true) && llvm::is_contained(seeded, true)) {
        FailureOr<func::FuncOp> reverse = vjp(f, active, seeded, "reverse");
        REQUIRE(succeeded(reverse));
        checkCompiled(c, *reverse, random);
      }
      SmallVector<int64_t> in(f.getNumArguments(), 0), out(f.getNumResults(), 0);
      FailureOr<func::FuncOp> batched = batch(f, in, 3, out, "batched");
      REQUIRE(succeeded(batched));
      checkCompiled(c, *batched, random);
    }
  }
}

}  // namespace nacre::testing
