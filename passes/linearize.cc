#include "passes/linearize.h"

#include "ir/builder.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/IRMapping.h"
#include "passes/function_util.h"
#include "passes/jvp.h"
#include "passes/simplify.h"

using namespace mlir;

namespace nacre::passes {

SmallVector<Operation*> linearOps(func::FuncOp f, unsigned firstTangent) {
  DenseSet<Value> linear(f.getArguments().begin() + firstTangent, f.getArguments().end());
  SmallVector<Operation*> ops;
  for (Operation& op : f.front().without_terminator()) {
    if (llvm::none_of(op.getOperands(), [&](Value v) { return linear.contains(v); })) continue;
    ops.push_back(&op);
    linear.insert(op.result_begin(), op.result_end());
  }
  return ops;
}

namespace {

bool isSplatConstant(Value v) {
  auto constant = v.getDefiningOp<ir::ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

// @name.linear out of the linear ops of `g`, with the residuals as first arguments.
func::FuncOp buildLinear(func::FuncOp g, ArrayRef<Operation*> ops, ArrayRef<Value> residuals, ValueRange tangents,
                         ValueRange outputs) {
  SmallVector<Type> inputs(llvm::map_range(residuals, [](Value v) { return v.getType(); }));
  llvm::append_range(inputs, tangents.getTypes());
  func::FuncOp linear =
      func::FuncOp::create(g.getLoc(), "linear", FunctionType::get(g.getContext(), inputs, outputs.getTypes()));
  linear.setVisibility(g.getVisibility());
  Block* body = linear.addEntryBlock();
  IRMapping map;
  map.map(residuals, body->getArguments().take_front(residuals.size()));
  map.map(tangents, body->getArguments().drop_front(residuals.size()));
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  auto bring = [&](Value v) {
    if (!map.contains(v)) builder.clone(*v.getDefiningOp(), map);  // A splat constant.
    return map.lookup(v);
  };
  for (Operation* op : ops) {
    llvm::for_each(op->getOperands(), bring);
    builder.clone(*op, map);
  }
  SmallVector<Value> results(llvm::map_range(outputs, bring));
  func::ReturnOp::create(builder, g.front().getTerminator()->getLoc(), results);
  return linear;
}

}  // namespace

FailureOr<Linearized> linearize(func::FuncOp f, ArrayRef<bool> active, StringRef name) {
  FailureOr<func::FuncOp> both = jvp(f, active, (name + ".primal").str());
  if (failed(both)) return failure();
  func::FuncOp g = *both;
  unsigned arguments = f.getNumArguments(), results = f.getNumResults();
  SmallVector<Operation*> ops = linearOps(g, arguments);
  ValueRange returned = g.front().getTerminator()->getOperands();
  SmallVector<Value> primalResults(returned.take_front(results)), outputs(returned.drop_front(results));
  SmallVector<Value> tangents(g.getArguments().drop_front(arguments));

  DenseSet<Value> linear(tangents.begin(), tangents.end());
  for (Operation* op : ops) linear.insert(op->result_begin(), op->result_end());
  llvm::SetVector<Value> residuals;
  auto note = [&](Value v) {
    if (!linear.contains(v) && !isSplatConstant(v)) residuals.insert(v);
  };
  for (Operation* op : ops) llvm::for_each(op->getOperands(), note);
  llvm::for_each(outputs, note);

  func::FuncOp linearFunc = buildLinear(g, ops, residuals.getArrayRef(), tangents, outputs);
  insertBeside(g, linearFunc, (name + ".linear").str());
  llvm::append_range(primalResults, residuals);
  setResults(g, primalResults);
  for (Operation* op : llvm::reverse(ops)) op->erase();
  llvm::BitVector drop(g.getNumArguments());
  drop.set(arguments, g.getNumArguments());
  if (failed(g.eraseArguments(drop))) return failure();
  eraseDeadOps(g);
  return Linearized{g, linearFunc, static_cast<int64_t>(residuals.size())};
}

}  // namespace nacre::passes
