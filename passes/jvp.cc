#include "passes/jvp.h"

#include "ir/builder.h"
#include "passes/function_util.h"
#include "passes/provenance.h"

using namespace mlir;

namespace nacre::passes {

namespace {

// Emits after `op` what its tangents need, and records the tangents of its results.
LogicalResult pushTangents(Operation* op, DenseMap<Value, Value>& tangents) {
  if (op->hasTrait<ir::NotDifferentiable>() || llvm::none_of(op->getResultTypes(), isFloatTensor)) return success();
  SmallVector<Value> incoming;
  for (Value operand : op->getOperands()) incoming.push_back(tangents.lookup(operand));
  if (llvm::none_of(incoming, [](Value t) { return t != nullptr; })) return success();
  auto rule = dyn_cast<ir::RuleInterface>(op);
  if (!rule) return op->emitOpError("has no jvp rule");

  OpBuilder after(op->getContext());
  after.setInsertionPointAfter(op);
  ir::Builder b(after, made(kTangent, op->getLoc()));
  SmallVector<Value> outgoing;
  if (failed(rule.jvp(b, incoming, outgoing))) return failure();
  if (outgoing.size() != op->getNumResults())
    return op->emitOpError("has a jvp rule that gives ")
           << outgoing.size() << " tangents for " << op->getNumResults() << " results; this is a bug of Nacre";
  for (auto [result, tangent] : llvm::zip_equal(op->getResults(), outgoing)) {
    if (!tangent || !isFloatTensor(result.getType())) continue;
    if (tangent.getType() != result.getType())
      return op->emitOpError("has a jvp rule that gives a tangent of type ")
             << tangent.getType() << " for a result of type " << result.getType() << "; this is a bug of Nacre";
    tangents[result] = tangent;
  }
  return success();
}

LogicalResult addTangents(func::FuncOp g, ArrayRef<bool> active) {
  Block& body = g.front();
  SmallVector<Operation*> ops;
  for (Operation& op : body.without_terminator()) ops.push_back(&op);

  DenseMap<Value, Value> tangents;
  for (auto [i, isActive] : llvm::enumerate(active)) {
    if (!isActive) continue;
    BlockArgument arg = g.getArgument(i);
    tangents[arg] = appendArgument(g, arg.getType(), made(kTangent, arg.getLoc()), prefixedKeyPath(g, i, "tangent "));
  }
  for (Operation* op : ops)
    if (failed(pushTangents(op, tangents))) return failure();

  Operation* exit = body.getTerminator();
  OpBuilder atEnd(exit);
  SmallVector<Value> results(exit->getOperands());
  for (Value result : exit->getOperands()) {
    if (!isFloatTensor(result.getType())) continue;
    Value tangent = tangents.lookup(result);
    results.push_back(tangent ? tangent : ir::Builder(atEnd, made(kTangent, exit->getLoc())).zerosLike(result));
  }
  setResults(g, results);
  return success();
}

}  // namespace

FailureOr<func::FuncOp> jvp(func::FuncOp f, ArrayRef<bool> active, StringRef name) {
  if (failed(checkFloatFlags(f, active, f.getArgumentTypes(), "argument", "active"))) return failure();
  FailureOr<func::FuncOp> g = cloneInlined(f, name);
  if (failed(g)) return failure();
  if (succeeded(addTangents(*g, active))) return g;
  g->erase();
  return failure();
}

}  // namespace nacre::passes
