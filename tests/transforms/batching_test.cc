// Batching of every op, for each subset of batched arguments, against a loop over the examples.
#include <catch2/catch.hpp>

#include "passes/batch.h"
#include "tests/transforms/harness.h"

using namespace mlir;
using namespace nacre::passes;

namespace nacre::testing {

namespace {

SmallVector<int64_t> shapeWith(ArrayRef<int64_t> shape, int64_t axis, int64_t size) {
  SmallVector<int64_t> wider(shape);
  wider.insert(wider.begin() + axis, size);
  return wider;
}

// Examples stacked along a new dimension.
ir::HostValue stacked(const Values& examples, RankedTensorType type, int64_t axis) {
  int64_t size = examples.size();
  ir::HostValue all = ir::zeros(RankedTensorType::get(shapeWith(type.getShape(), axis, size), type.getElementType()));
  for (int64_t n = 0; n < size; ++n)
    ir::forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index, int64_t position) {
      ir::copyElement(all, ir::positionOf(all.shape(), shapeWith(index, axis, n)), examples[n], position);
    });
  return all;
}

void requireEqual(const ir::HostValue& actual, const ir::HostValue& expected) {
  REQUIRE(actual.type == expected.type);
  if (!isReal(actual.type)) {
    REQUIRE(actual.data == expected.data);
    return;
  }
  std::vector<double> a = numbers(actual), b = numbers(expected);
  double tolerance = actual.element().isF64() ? 1e-13 : 1e-5;
  for (size_t i = 0; i < a.size(); ++i) {
    INFO("element " << i << ": " << a[i] << " but expected " << b[i]);
    // Bits may have been read as a NaN.
    bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    REQUIRE((same || std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(b[i]))));
  }
}

// Batches the arguments that have a bit in `subset`, at random axes.
void checkBatch(const Case& c, func::FuncOp f, unsigned subset, int64_t size, std::mt19937& random) {
  INFO("batched arguments " << subset << ", size " << size);
  SmallVector<int64_t> inAxes, outAxes;
  auto axisIn = [&](Type type) {
    return static_cast<int64_t>(random() % (cast<RankedTensorType>(type).getRank() + 1));
  };
  for (auto [i, type] : llvm::enumerate(f.getArgumentTypes())) inAxes.push_back(subset >> i & 1 ? axisIn(type) : -1);
  for (Type type : f.getResultTypes()) outAxes.push_back(axisIn(type));

  Values shared = randomArguments(c, f.getArgumentTypes(), random);
  std::vector<Values> examples(size, shared);
  Values batchedArguments = shared;
  for (size_t i = 0; i < shared.size(); ++i) {
    if (inAxes[i] < 0) continue;
    Values column;
    for (Values& example : examples) column.push_back(example[i] = randomValue(c, shared[i].type, random));
    batchedArguments[i] = stacked(column, shared[i].type, inAxes[i]);
  }

  FailureOr<func::FuncOp> batched = batch(f, inAxes, size, outAxes, "batched");
  REQUIRE(succeeded(batched));
  Values actual = evaluate(*batched, batchedArguments);
  std::vector<Values> looped;
  for (const Values& example : examples) looped.push_back(evaluate(f, example));
  for (size_t j = 0; j < actual.size(); ++j) {
    INFO("result " << j);
    Values column;
    for (const Values& results : looped) column.push_back(results[j]);
    requireEqual(actual[j], stacked(column, cast<RankedTensorType>(f.getResultTypes()[j]), outAxes[j]));
  }
  batched->erase();
}

}  // namespace

TEST_CASE("batching equals a loop for every op and subset of arguments") {
  for (const Case& c : allCases()) {
    DYNAMIC_SECTION(c.name) {
      OwningOpRef<ModuleOp> module = parse(c);
      func::FuncOp f = function(*module);
      std::mt19937 random(11);
      for (unsigned subset = 0; subset < 1u << f.getNumArguments(); ++subset)
        for (int64_t size : {3, 1, 0}) checkBatch(c, f, subset, size, random);
    }
  }
}

TEST_CASE("batching twice equals two loops") {
  for (const Case& c : structuredCases()) {
    DYNAMIC_SECTION(c.name) {
      OwningOpRef<ModuleOp> module = parse(c);
      func::FuncOp f = function(*module);
      SmallVector<int64_t> in(f.getNumArguments(), 0), out(f.getNumResults(), 0);
      FailureOr<func::FuncOp> once = batch(f, in, 2, out, "once");
      REQUIRE(succeeded(once));
      std::mt19937 random(13);
      for (unsigned subset = 1; subset < 1u << f.getNumArguments(); ++subset) checkBatch(c, *once, subset, 3, random);
    }
  }
}

}  // namespace nacre::testing
