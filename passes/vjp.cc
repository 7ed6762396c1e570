#include "passes/vjp.h"

#include "passes/function_util.h"
#include "passes/jvp.h"
#include "passes/reverse.h"

using namespace mlir;

namespace nacre::passes {

FailureOr<func::FuncOp> vjp(func::FuncOp f, ArrayRef<bool> active, ArrayRef<bool> seeded, StringRef name) {
  if (failed(checkFloatFlags(f, seeded, f.getResultTypes(), "result", "seeded"))) return failure();
  FailureOr<func::FuncOp> g = jvp(f, active, name);
  if (failed(g)) return failure();
  // Forward mode returns a tangent for each result of floating point.
  SmallVector<bool> seededTangents;
  for (auto [type, isSeeded] : llvm::zip_equal(f.getResultTypes(), seeded))
    if (isFloatTensor(type)) seededTangents.push_back(isSeeded);
  if (succeeded(reverseInPlace(*g, f.getNumArguments(), f.getNumResults(), seededTangents))) return g;
  g->erase();
  return failure();
}

}  // namespace nacre::passes
