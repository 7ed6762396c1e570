#include "passes/transpose.h"

#include "ir/builder.h"
#include "passes/function_util.h"
#include "passes/linearize.h"
#include "passes/provenance.h"
#include "passes/reverse.h"
#include "passes/simplify.h"

using namespace mlir;

namespace nacre::passes {

namespace {

// Cotangents seen so far, by the linear value they belong to.
class Cotangents {
 public:
  void declare(ValueRange linear) { linear_.insert(linear.begin(), linear.end()); }
  bool isLinear(Value v) const { return linear_.contains(v); }
  Value of(Value v) const { return sums_.lookup(v); }
  void add(ir::Builder& b, Value v, Value cotangent) {
    if (!cotangent || !isLinear(v)) return;
    Value& sum = sums_[v];
    sum = b.addOrNull(sum, cotangent);
  }

 private:
  DenseSet<Value> linear_;
  DenseMap<Value, Value> sums_;
};

LogicalResult pullCotangents(OpBuilder& builder, Operation* op, Cotangents& cotangents) {
  SmallVector<Value> incoming, operands, outgoing;
  for (Value result : op->getResults()) incoming.push_back(cotangents.of(result));
  if (llvm::none_of(incoming, [](Value ct) { return ct != nullptr; })) return success();
  for (Value operand : op->getOperands()) operands.push_back(cotangents.isLinear(operand) ? Value() : operand);
  auto rule = dyn_cast<ir::RuleInterface>(op);
  if (!rule) return op->emitOpError("has no transpose rule");
  ir::Builder b(builder, made(kTranspose, op->getLoc()));
  if (failed(rule.transpose(b, operands, incoming, outgoing))) return failure();
  if (outgoing.size() != op->getNumOperands())
    return op->emitOpError("has a transpose rule that gives ")
           << outgoing.size() << " cotangents for " << op->getNumOperands() << " operands; this is a bug of Nacre";
  for (auto [operand, cotangent] : llvm::zip_equal(op->getOperands(), outgoing)) {
    if (cotangent && cotangent.getType() != operand.getType())
      return op->emitOpError("has a transpose rule that gives a cotangent of type ")
             << cotangent.getType() << " for an operand of type " << operand.getType() << "; this is a bug of Nacre";
    cotangents.add(b, operand, cotangent);
  }
  return success();
}

}  // namespace

FailureOr<SmallVector<Value>> transposeOps(OpBuilder& builder, ArrayRef<Operation*> ops, ValueRange inputs,
                                           ValueRange outputs, ArrayRef<Value> cotangents) {
  Cotangents sums;
  sums.declare(inputs);
  for (Operation* op : ops) sums.declare(op->getResults());
  for (auto [output, cotangent] : llvm::zip_equal(outputs, cotangents)) {
    ir::Builder b(builder, made(kTranspose, output.getLoc()));
    sums.add(b, output, cotangent);
  }
  for (Operation* op : llvm::reverse(ops))
    if (failed(pullCotangents(builder, op, sums))) return failure();
  return SmallVector<Value>(llvm::map_range(inputs, [&](Value v) { return sums.of(v); }));
}

LogicalResult reverseInPlace(func::FuncOp g, unsigned firstLinear, unsigned kept, ArrayRef<bool> seeded) {
  Operation* exit = g.front().getTerminator();
  SmallVector<Operation*> ops = linearOps(g, firstLinear);
  SmallVector<Value> results(exit->getOperands().take_front(kept)), outputs(exit->getOperands().drop_front(kept));
  SmallVector<Value> inputs(g.getArguments().drop_front(firstLinear));
  SmallVector<Value> cotangents;
  for (auto [output, isSeeded] : llvm::zip_equal(outputs, seeded))
    cotangents.push_back(isSeeded ? appendArgument(g, output.getType(), made(kTranspose, exit->getLoc())) : Value());

  OpBuilder builder(exit);
  FailureOr<SmallVector<Value>> pulled = transposeOps(builder, ops, inputs, outputs, cotangents);
  if (failed(pulled)) return failure();
  for (auto [input, cotangent] : llvm::zip_equal(inputs, *pulled))
    results.push_back(cotangent ? cotangent : ir::Builder(builder, made(kTranspose, input.getLoc())).zerosLike(input));
  setResults(g, results);
  for (Operation* op : llvm::reverse(ops)) op->erase();
  llvm::BitVector drop(g.getNumArguments());
  drop.set(firstLinear, firstLinear + inputs.size());
  if (failed(g.eraseArguments(drop))) return failure();
  eraseDeadOps(g);
  return success();
}

FailureOr<func::FuncOp> transpose(func::FuncOp f, unsigned firstLinear, StringRef name) {
  if (firstLinear > f.getNumArguments())
    return f.emitOpError("'") << f.getName() << "' has " << f.getNumArguments()
                              << " arguments; it cannot be transposed from argument " << firstLinear << " on";
  SmallVector<bool> linear(f.getNumArguments(), false), seeded(f.getNumResults(), true);
  std::fill(linear.begin() + firstLinear, linear.end(), true);
  if (failed(checkFloatFlags(f, linear, f.getArgumentTypes(), "argument", "linear")) ||
      failed(checkFloatFlags(f, seeded, f.getResultTypes(), "result", "linear")))
    return failure();
  FailureOr<func::FuncOp> g = cloneInlined(f, name);
  if (failed(g)) return failure();
  if (succeeded(reverseInPlace(*g, firstLinear, 0, seeded))) return g;
  g->erase();
  return failure();
}

}  // namespace nacre::passes
