// Applies every rule to every op of every_op.mlir and checks that what it emits verifies and has the promised types.
#include <map>
#include <set>

#include "catch2/catch.hpp"
#include "ir/builder.h"
#include "ir/rules/test_support.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace nacre::ir;

namespace {

OwningOpRef<ModuleOp> everyOp(TestContext& test) {
  auto file = llvm::MemoryBuffer::getFile("ir/rules/every_op.mlir");
  REQUIRE(file);
  OwningOpRef<ModuleOp> module = test.parse((*file)->getBuffer());
  INFO(test.diagnostics);
  REQUIRE(module);
  return module;
}

SmallVector<Operation*> nacreOps(ModuleOp module) {
  SmallVector<Operation*> ops;
  module.walk([&](Operation* op) {
    if (isa<NacreDialect>(op->getDialect())) ops.push_back(op);
  });
  return ops;
}

std::string where(Operation* op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return op->getName().getStringRef().str() + " in @" + function.getName().str();
}

bool hasTangent(Type type) { return isFloat(cast<RankedTensorType>(type).getElementType()); }

// Every choice of the given operands except none.
std::vector<std::vector<bool>> subsets(const std::vector<bool>& allowed) {
  std::vector<std::vector<bool>> all;
  for (unsigned bits = 1; bits < 1u << allowed.size(); ++bits) {
    std::vector<bool> mask;
    bool ok = true;
    for (size_t i = 0; i < allowed.size(); ++i) {
      mask.push_back(bits >> i & 1);
      ok &= !mask[i] || allowed[i];
    }
    if (ok) all.push_back(mask);
  }
  return all;
}

// Ops without the rule, each for a reason: the list is the whole of what is missing.
const std::set<std::string> kStructural = {"nacre.call", "nacre.fusion", "nacre.yield", "nacre.launch"};

// Operands (by number) in which an op is linear together.
const std::map<std::string, std::vector<std::vector<int>>> kLinear = {
    {"nacre.negate", {{0}}},
    {"nacre.add", {{0, 1}, {0}, {1}}},
    {"nacre.subtract", {{0, 1}, {0}, {1}}},
    {"nacre.multiply", {{0}, {1}}},
    {"nacre.divide", {{0}}},
    {"nacre.select", {{1, 2}, {1}, {2}}},
    {"nacre.convert", {{0}}},
    {"nacre.broadcast_in_dim", {{0}}},
    {"nacre.reshape", {{0}}},
    {"nacre.transpose", {{0}}},
    {"nacre.reverse", {{0}}},
    {"nacre.slice", {{0}}},
    {"nacre.pad", {{0, 1}, {0}, {1}}},
    {"nacre.concatenate", {{0, 1, 2}, {0, 2}, {1}}},
    {"nacre.dynamic_slice", {{0}}},
    {"nacre.dynamic_update_slice", {{0, 1}, {0}, {1}}},
    {"nacre.gather", {{0}}},
    {"nacre.scatter", {{0, 2}, {0}, {2}}},
    {"nacre.dot_general", {{0}, {1}}},
    {"nacre.optimization_barrier", {{0}}},
};

std::vector<std::vector<int>> linearIn(Operation* op) {
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (reduce.getKind() != CombineKind::Add) return {};
    if (op->getNumOperands() == 2) return {{0, 1}, {0}, {1}};
    return {{0}};
  }
  auto found = kLinear.find(op->getName().getStringRef().str());
  return found == kLinear.end() ? std::vector<std::vector<int>>() : found->second;
}

}  // namespace

TEST_CASE("every op is in every_op.mlir, and its text reads back as itself") {
  TestContext test;
  OwningOpRef<ModuleOp> module = everyOp(test);
  std::set<std::string> seen;
  for (Operation* op : nacreOps(*module)) seen.insert(op->getName().getStringRef().str());
  for (RegisteredOperationName name : test.context.getRegisteredOperationsByDialect("nacre"))
    CHECK(seen.count(name.getStringRef().str()) == 1);
  std::string text = TestContext::print(*module);
  OwningOpRef<ModuleOp> again = test.parse(text);
  INFO(test.diagnostics);
  REQUIRE(again);
  CHECK(TestContext::print(*again) == text);
}

TEST_CASE("docs/ops.md marks exactly the ops of the dialect as existing") {
  TestContext test;
  std::set<std::string> documented, defined;
  auto file = llvm::MemoryBuffer::getFile("docs/ops.md");
  REQUIRE(file);
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (StringRef line : lines)
    if (line.consume_front("| `") && line.ends_with("| now |")) documented.insert(line.split('`').first.str());
  for (RegisteredOperationName name : test.context.getRegisteredOperationsByDialect("nacre"))
    defined.insert(name.stripDialect().str());
  CHECK(documented == defined);
}

TEST_CASE("jvp rules exist for all differentiable ops and give tangents of the results' types") {
  TestContext test;
  OwningOpRef<ModuleOp> module = everyOp(test);
  for (Operation* op : nacreOps(*module)) {
    if (op->hasTrait<NotDifferentiable>() || kStructural.count(op->getName().getStringRef().str())) continue;
    std::vector<bool> allowed;
    for (Type type : op->getOperandTypes()) allowed.push_back(hasTangent(type));
    for (const auto& mask : subsets(allowed)) {
      INFO(where(op));
      OpBuilder ops(op->getContext());
      ops.setInsertionPointAfter(op);
      nacre::ir::Builder b(ops, op->getLoc());
      SmallVector<Value> tangents, results;
      for (auto [operand, active] : llvm::zip_equal(op->getOperands(), mask))
        tangents.push_back(active ? b.constantLike(operand, 1) : nullptr);
      REQUIRE(succeeded(cast<RuleInterface>(op).jvp(b, tangents, results)));
      REQUIRE(results.size() == op->getNumResults());
      for (auto [result, tangent] : llvm::zip_equal(op->getResults(), results)) {
        if (tangent) CHECK(tangent.getType() == result.getType());
        if (!hasTangent(result.getType())) CHECK(!tangent);
      }
    }
  }
  CHECK(test.verifies(*module));
  CHECK(test.diagnostics == "");
}

TEST_CASE("transpose rules exist for all linear ops and give cotangents of the operands' types") {
  TestContext test;
  OwningOpRef<ModuleOp> module = everyOp(test);
  std::set<std::string> transposed;
  for (Operation* op : nacreOps(*module)) {
    if (op->getNumResults() == 0 || !hasTangent(op->getResult(0).getType())) continue;
    for (const auto& linear : linearIn(op)) {
      INFO(where(op));
      OpBuilder ops(op->getContext());
      ops.setInsertionPointAfter(op);
      nacre::ir::Builder b(ops, op->getLoc());
      SmallVector<Value> operands(op->getOperands()), cotangents, results;
      for (int i : linear) operands[i] = nullptr;
      for (Value result : op->getResults())
        cotangents.push_back(hasTangent(result.getType()) ? b.constantLike(result, 1) : nullptr);
      REQUIRE(succeeded(cast<RuleInterface>(op).transpose(b, operands, cotangents, results)));
      REQUIRE(results.size() == operands.size());
      for (auto [operand, known, cotangent] : llvm::zip_equal(op->getOperands(), operands, results)) {
        if (known) CHECK(!cotangent);
        if (cotangent) CHECK(cotangent.getType() == operand.getType());
      }
      transposed.insert(op->getName().getStringRef().str());
    }
  }
  for (const auto& [name, operands] : kLinear) CHECK(transposed.count(name) == 1);
  CHECK(test.verifies(*module));
  CHECK(test.diagnostics == "");
}

TEST_CASE("batch rules exist for all ops and put the new dimension in front of each result") {
  int64_t size = GENERATE(3, 1, 0);
  TestContext test;
  OwningOpRef<ModuleOp> module = everyOp(test);
  for (Operation* op : nacreOps(*module)) {
    if (kStructural.count(op->getName().getStringRef().str())) continue;
    for (const auto& mask : subsets(std::vector<bool>(op->getNumOperands(), true))) {
      INFO(where(op) << ", batch of " << size);
      OpBuilder ops(op->getContext());
      ops.setInsertionPointAfter(op);
      nacre::ir::Builder b(ops, op->getLoc());
      SmallVector<Value> operands, results;
      SmallVector<bool> mapped(mask.begin(), mask.end());
      for (auto [operand, isMapped] : llvm::zip_equal(op->getOperands(), mapped))
        operands.push_back(isMapped ? b.zeros(withLeading(typeOf(operand), size)) : operand);
      REQUIRE(succeeded(cast<RuleInterface>(op).batch(b, size, operands, mapped, results)));
      REQUIRE(results.size() == op->getNumResults());
      for (auto [before, after] : llvm::zip_equal(op->getResults(), results))
        CHECK(after.getType() == withLeading(typeOf(before), size));
    }
  }
  CHECK(test.verifies(*module));
  CHECK(test.diagnostics == "");
}

TEST_CASE("a product with shared weights stays one product under batching") {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(R"(
    func.func @f(%x: tensor<8x5x3xf32>, %w: tensor<3x4xf32>) -> tensor<5x4xf32> {
      %row = nacre.slice %x, start = [0, 0, 0], limit = [1, 5, 3], strides = [1, 1, 1]
          : (tensor<8x5x3xf32>) -> tensor<1x5x3xf32>
      %y = nacre.reshape %row : (tensor<1x5x3xf32>) -> tensor<5x3xf32>
      %r = nacre.dot_general %y, %w, batching = [] x [], contracting = [1] x [0]
          : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
      return %r : tensor<5x4xf32>
    })");
  REQUIRE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  auto dot = *function.getOps<DotGeneralOp>().begin();
  OpBuilder ops(dot->getContext());
  ops.setInsertionPointAfter(dot);
  nacre::ir::Builder b(ops, dot.getLoc());
  SmallVector<Value> results;
  REQUIRE(succeeded(dot.batch(b, 8, {function.getArgument(0), function.getArgument(1)}, {true, false}, results)));
  auto batched = results[0].getDefiningOp<DotGeneralOp>();
  REQUIRE(batched);
  CHECK(batched.getLhsBatchingDimensions().empty());
  CHECK(batched.getLhs() == function.getArgument(0));
  CHECK(batched.getRhs() == function.getArgument(1));
}

TEST_CASE("index maps of iteration spaces stay inside their tensors and reach each result element once") {
  // Ops whose accesses depend on data, or that have none of their own.
  const std::set<std::string> without = {"nacre.bitcast_convert", "nacre.pad",    "nacre.concatenate",
                                         "nacre.dynamic_slice",   "nacre.gather", "nacre.dynamic_update_slice",
                                         "nacre.scatter",         "nacre.call",   "nacre.optimization_barrier",
                                         "nacre.fusion",          "nacre.yield",  "nacre.launch"};
  TestContext test;
  OwningOpRef<ModuleOp> module = everyOp(test);
  for (Operation* op : nacreOps(*module)) {
    std::string name = op->getName().getStringRef().str();
    INFO(where(op));
    auto rules = dyn_cast<RuleInterface>(op);
    FailureOr<IterationSpace> space = failure();
    if (rules) space = rules.iterationSpace();
    if (name == "nacre.bitcast_convert") continue;  // has one for equal widths only
    REQUIRE(succeeded(space) == !without.count(name));
    if (failed(space)) continue;
    REQUIRE(space->operandMaps.size() == op->getNumOperands());
    REQUIRE(space->resultMaps.size() == op->getNumResults());
    std::map<std::vector<int64_t>, int64_t> visits;
    int64_t reduced = 1;
    for (const Factor& f : space->factors)
      if (f.kind == FactorKind::reduction) reduced *= f.size;
    for (int64_t point = 0; point < space->points(); ++point) {
      SmallVector<Attribute> position(space->factors.size());
      int64_t rest = point;
      for (size_t f = space->factors.size(); f-- > 0; rest /= space->factors[f].size)
        position[f] = IntegerAttr::get(IndexType::get(op->getContext()), rest % space->factors[f].size);
      auto check = [&](AffineMap map, Value tensor) {
        REQUIRE(map.getNumDims() == space->factors.size());
        REQUIRE(map.getNumResults() == rankOf(tensor));
        SmallVector<Attribute> index;
        if (rankOf(tensor) != 0) REQUIRE(succeeded(map.constantFold(position, index)));
        std::vector<int64_t> values;
        for (auto [i, size] : llvm::zip_equal(index, shapeOf(tensor))) {
          values.push_back(cast<IntegerAttr>(i).getInt());
          CHECK((values.back() >= 0 && values.back() < size));
        }
        return values;
      };
      for (auto [map, operand] : llvm::zip_equal(space->operandMaps, op->getOperands())) check(map, operand);
      std::vector<int64_t> index;
      for (auto [map, result] : llvm::zip_equal(space->resultMaps, op->getResults())) index = check(map, result);
      ++visits[index];
    }
    if (space->points() == 0) continue;
    CHECK(static_cast<int64_t>(visits.size()) == typeOf(op->getResult(0)).getNumElements());
    for (const auto& [index, count] : visits) CHECK(count == reduced);
  }
}

TEST_CASE("a kind that is not linear or has no derivative is an error naming the op") {
  TestContext test;
  OwningOpRef<ModuleOp> module = everyOp(test);
  for (Operation* op : nacreOps(*module)) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce || reduce.getKind() == CombineKind::Add) continue;
    ScopedDiagnosticHandler collect(&test.context, [&](Diagnostic& d) {
      test.diagnostics = d.str();
      return success();
    });
    OpBuilder ops(op);
    nacre::ir::Builder b(ops, op->getLoc());
    SmallVector<Value> results;
    CHECK(failed(reduce.transpose(b, SmallVector<Value>{Value()}, SmallVector<Value>{op->getResult(0)}, results)));
    CHECK_THAT(test.diagnostics, Catch::Contains("nacre.reduce: kind") && Catch::Contains("is not linear"));
  }
  DotGeneralOp dot;
  module->walk([&](DotGeneralOp op) { dot = op; });
  ScopedDiagnosticHandler collect(&test.context, [&](Diagnostic& d) {
    test.diagnostics = d.str();
    return success();
  });
  OpBuilder ops(dot);
  nacre::ir::Builder b(ops, dot.getLoc());
  SmallVector<Value> results;
  CHECK(failed(dot.transpose(b, {Value(), Value()}, {dot.getResult()}, results)));
  CHECK_THAT(test.diagnostics, Catch::Contains("nacre.dot_general") && Catch::Contains("linear in one at a time"));
}
