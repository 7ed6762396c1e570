#include "passes/provenance.h"

#include <catch2/catch.hpp>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace nacre::passes {

TEST_CASE("a location keeps its line and tells what was done to the op") {
  MLIRContext context;
  Location line = FileLineColLoc::get(&context, "src/model.cc", 12, 5);
  Location reversed = made(kTranspose, made(kTangent, line));
  CHECK(describe(reversed) == "model.cc:12 tangent transpose");
  CHECK(sourceOf(reversed)->getLine() == 12);
  CHECK(describe(line) == "model.cc:12");
}

TEST_CASE("an inlined op has the line of the callee first") {
  MLIRContext context;
  Location callee = FileLineColLoc::get(&context, "layer.cc", 3, 1), call = FileLineColLoc::get(&context, "m.cc", 9, 1);
  CHECK(describe(made(kBatched, CallSiteLoc::get(callee, call))) == "layer.cc:3 batched");
}

TEST_CASE("no line is a question mark") {
  MLIRContext context;
  CHECK(!sourceOf(UnknownLoc::get(&context)));
  CHECK(describe(made(kBatched, UnknownLoc::get(&context))) == "? batched");
}

}  // namespace nacre::passes
