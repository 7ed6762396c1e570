// Which op lacks which rule: the holes of the matrix op x {case, jvp, transpose, batch, iterationSpace, interpret,
// compile}, against the list of those that are meant to be. A new op without a rule, and an exemption that has become
// needless, both fail by name.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "ir/builder.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/batch.h"
#include "passes/jvp.h"
#include "tests/transforms/compiled.h"

using namespace mlir;
using namespace nacre::passes;

namespace nacre::testing {

namespace {

struct Exemption {
  const char* reason;
  const char* column;
  std::vector<const char*> ops;
};

const std::vector<Exemption> kExemptions = {
    {"stands only between fusion and code generation, when transforms are over", "case", {"fusion", "yield", "launch"}},
    {"not linear in any operand: forward mode turns it into linear ops",
     "transpose",
     {"exponential", "exponential_minus_one",
      "log",         "log_plus_one",
      "sine",        "cosine",
      "tan",         "asin",
      "acos",        "atan",
      "sinh",        "cosh",
      "tanh",        "asinh",
      "acosh",       "atanh",
      "logistic",    "erf",
      "erfc",        "erf_inv",
      "sqrt",        "rsqrt",
      "cbrt",        "abs",
      "power",       "remainder",
      "atan2",       "maximum",
      "minimum",     "clamp"}},
    {"has no operands, so never a tangent nor a batched operand", "batch", {"constant", "iota"}},
    {"inlined before any transform looks at it", "iterationSpace", {"call"}},
    {"what it reads depends on data", "iterationSpace", {"dynamic_slice", "dynamic_update_slice", "gather", "scatter"}},
    {"piecewise: no single index map", "iterationSpace", {"pad", "concatenate"}},
    {"nothing may be fused through it", "iterationSpace", {"optimization_barrier"}},
};

using Hole = std::pair<std::string, std::string>;  // op, column

std::set<Hole> exempted() {
  std::set<Hole> all;
  for (const Exemption& e : kExemptions)
    for (const char* op : e.ops) all.insert({op, e.column});
  return all;
}

std::set<std::string> dialectOps() {
  std::set<std::string> names;
  for (RegisteredOperationName op : context().getRegisteredOperationsByDialect("nacre"))
    names.insert(op.stripDialect().str());
  return names;
}

// The first op of this name in @f.
Operation* find(func::FuncOp f, const std::string& name) {
  for (Operation& op : f.front())
    if (op.getName().stripDialect() == name) return &op;
  return nullptr;
}

bool hasRealOperandAndResult(Operation* op) {
  return llvm::any_of(op->getOperandTypes(), isReal) && llvm::any_of(op->getResultTypes(), isReal);
}

bool canTranspose(Operation* op, ArrayRef<Value> known) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  ir::Builder b(builder, op->getLoc());
  SmallVector<Value> cotangents, results;
  for (Value result : op->getResults()) cotangents.push_back(b.zerosLike(result));
  return succeeded(cast<ir::RuleInterface>(op).transpose(b, known, cotangents, results));
}

// Linear in all its real operands together, or in one of them.
bool isTransposable(Operation* op) {
  SmallVector<Value> known(op->getOperands());
  for (Value& v : known)
    if (isReal(v.getType())) v = nullptr;
  if (canTranspose(op, known)) return true;
  for (size_t i = 0; i < known.size(); ++i) {
    SmallVector<Value> butOne(op->getOperands());
    butOne[i] = nullptr;
    if (isReal(op->getOperand(i).getType()) && canTranspose(op, butOne)) return true;
  }
  return false;
}

bool isDerivative(StringRef column) { return column == "jvp" || column == "transpose"; }

// Columns that an op fills in one of its cases.
std::set<std::string> filled(const Case& c) {
  OwningOpRef<ModuleOp> module = parse(c);
  func::FuncOp f = function(*module);
  Operation* op = find(f, c.op());
  INFO(c.name << " does not contain its op");
  REQUIRE(op);
  std::set<std::string> columns{"case"};
  if (ir::isInterpreted(op->getName().getStringRef())) columns.insert("interpret");
  auto rules = dyn_cast<ir::RuleInterface>(op);
  if (rules && succeeded(rules.iterationSpace())) columns.insert("iterationSpace");

  SmallVector<bool> active = flags(realFlags(f.getArgumentTypes()));
  // Ops of integers alone, and those whose derivative is zero, have no tangents to ask for.
  if (hasRealOperandAndResult(op) && !op->hasTrait<ir::NotDifferentiable>()) {
    columns.insert("differentiable");
    if (succeeded(jvp(f, active, "jvp"))) columns.insert("jvp");
    // A call has no rules: it is inlined, which the jvp above has shown.
    if (!rules || isTransposable(op)) columns.insert("transpose");
  }
  std::string error;
  if (compiled(f, error)) columns.insert("compile");
  SmallVector<int64_t> in(f.getNumArguments(), 0), out(f.getNumResults(), 0);
  if (op->getNumOperands() > 0 && succeeded(batch(f, in, 2, out, "batch"))) columns.insert("batch");
  return columns;
}

}  // namespace

TEST_CASE("every op has every rule, except where the list says why not") {
  ScopedDiagnosticHandler quiet(&context(), [](Diagnostic&) { return success(); });
  std::map<std::string, std::set<std::string>> rules;
  for (const Case& c : allCases())
    for (const std::string& column : filled(c)) rules[c.op()].insert(column);

  std::set<Hole> holes, allowed = exempted();
  for (const std::string& op : dialectOps()) {
    if (!rules.contains(op)) {
      holes.insert({op, "case"});
      continue;
    }
    bool differentiable = rules[op].contains("differentiable");
    for (StringRef column : {"jvp", "transpose", "batch", "iterationSpace", "interpret", "compile"})
      if (!rules[op].contains(column.str()) && (differentiable || !isDerivative(column)))
        holes.insert({op, column.str()});
  }
  for (const auto& [op, column] : holes) {
    INFO("nacre." << op << " has no " << column << " and no exemption in this file");
    CHECK(allowed.contains({op, column}));
  }
  for (const auto& [op, column] : allowed) {
    INFO("nacre." << op << " is exempt from " << column << " without need");
    CHECK(holes.contains({op, column}));
  }
}

}  // namespace nacre::testing
