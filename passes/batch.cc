#include "passes/batch.h"

#include "ir/builder.h"
#include "mlir/IR/IRMapping.h"
#include "passes/function_util.h"
#include "passes/inline_calls.h"
#include "passes/provenance.h"

using namespace mlir;

namespace nacre::passes {

namespace {

RankedTensorType withDim(RankedTensorType type, int64_t axis, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, size);
  return ir::withShape(type, shape);
}

LogicalResult checkAxes(func::FuncOp f, ArrayRef<int64_t> axes, TypeRange types, StringRef what) {
  if (axes.size() != types.size())
    return f.emitOpError("'") << f.getName() << "' has " << types.size() << " " << what << "s but " << axes.size()
                              << " axes to batch; give one for each " << what << ", -1 for none";
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t rank = cast<RankedTensorType>(types[i]).getRank();
    if (axis < -1 || axis > rank)
      return f.emitOpError("'") << f.getName() << "': axis " << axis << " of " << what << " " << i
                                << " is out of range; with the batch dimension it has rank " << rank + 1;
  }
  return success();
}

// Copies `f` op by op into the block at `builder`.
class Batcher {
 public:
  Batcher(OpBuilder& builder, int64_t size) : builder_(builder), size_(size) {}

  void bind(Value original, Value value, bool mapped) {
    map_.map(original, value);
    if (mapped) mapped_.insert(original);
  }
  Value lookup(Value original) const { return map_.lookup(original); }
  bool isMapped(Value original) const { return mapped_.contains(original); }

  LogicalResult copy(Operation* op) {
    SmallVector<bool> mapped;
    SmallVector<Value> operands, results;
    for (Value operand : op->getOperands()) {
      mapped.push_back(isMapped(operand));
      operands.push_back(lookup(operand));
    }
    if (!llvm::is_contained(mapped, true)) {
      builder_.clone(*op, map_);
      return success();
    }
    auto rule = dyn_cast<ir::RuleInterface>(op);
    if (!rule) return op->emitOpError("has no batching rule");
    ir::Builder b(builder_, made(kBatched, op->getLoc()));
    if (failed(rule.batch(b, size_, operands, mapped, results))) return failure();
    if (results.size() != op->getNumResults())
      return op->emitOpError("has a batching rule that gives ")
             << results.size() << " values for " << op->getNumResults() << " results; this is a bug of Nacre";
    for (auto [original, value] : llvm::zip_equal(op->getResults(), results)) {
      Type expected = ir::withLeading(ir::typeOf(original), size_);
      if (value.getType() != expected)
        return op->emitOpError("has a batching rule that gives a result of type ")
               << value.getType() << " instead of " << expected << "; this is a bug of Nacre";
      bind(original, value, true);
    }
    return success();
  }

 private:
  OpBuilder& builder_;
  int64_t size_;
  IRMapping map_;
  DenseSet<Value> mapped_;
};

// `f` has no calls; `g` has the batched arguments and an empty block.
LogicalResult batchBody(func::FuncOp f, func::FuncOp g, ArrayRef<int64_t> inAxes, int64_t size,
                        ArrayRef<int64_t> outAxes) {
  OpBuilder builder = OpBuilder::atBlockEnd(&g.front());
  Batcher batcher(builder, size);
  for (auto [i, axis] : llvm::enumerate(inAxes)) {
    Value arg = g.getArgument(i);
    ir::Builder b(builder, made(kBatched, arg.getLoc()));
    batcher.bind(f.getArgument(i), axis > 0 ? b.moveDim(arg, axis, 0) : arg, axis >= 0);
  }
  for (Operation& op : f.front().without_terminator())
    if (failed(batcher.copy(&op))) return failure();

  Operation* exit = f.front().getTerminator();
  ir::Builder b(builder, made(kBatched, exit->getLoc()));
  SmallVector<Value> results;
  for (auto [j, axis] : llvm::enumerate(outAxes)) {
    Value original = exit->getOperand(j), value = batcher.lookup(original);
    if (batcher.isMapped(original)) {
      if (axis < 0)
        return f.emitOpError("'") << f.getName() << "': result " << j << " differs from example to example, but the "
                                  << "output axis says that it has no batch dimension; give it an axis from 0 to "
                                  << ir::rankOf(original);
      value = b.moveDim(value, 0, axis);
    } else if (axis >= 0) {
      SmallVector<int64_t> dims = ir::iotaDims(ir::rankOf(value));
      for (int64_t& dim : dims) dim += dim >= axis;
      value = b.broadcastInDim(value, withDim(ir::typeOf(value), axis, size).getShape(), dims);
    }
    results.push_back(value);
  }
  func::ReturnOp::create(builder, exit->getLoc(), results);
  setResults(g, results);
  return success();
}

// A function like `f` whose arguments have their batch dimensions, and an entry block.
func::FuncOp declareBatched(func::FuncOp f, ArrayRef<int64_t> inAxes, int64_t size) {
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (auto [i, axis] : llvm::enumerate(inAxes)) {
    auto type = cast<RankedTensorType>(f.getArgument(i).getType());
    types.push_back(axis < 0 ? type : withDim(type, axis, size));
    locations.push_back(f.getArgument(i).getLoc());
  }
  auto g = cast<func::FuncOp>(f->cloneWithoutRegions());
  g.setFunctionType(FunctionType::get(f.getContext(), types, f.getResultTypes()));
  g.getBody().emplaceBlock().addArguments(types, locations);
  return g;
}

}  // namespace

FailureOr<func::FuncOp> batch(func::FuncOp f, ArrayRef<int64_t> inAxes, int64_t size, ArrayRef<int64_t> outAxes,
                              StringRef name) {
  if (failed(straightLine(f)) || failed(checkAxes(f, inAxes, f.getArgumentTypes(), "argument")) ||
      failed(checkAxes(f, outAxes, f.getResultTypes(), "result")))
    return failure();
  if (size < 0) return f.emitOpError("'") << f.getName() << "' cannot be batched " << size << " times";
  FailureOr<func::FuncOp> inlined = cloneInlined(f, name);
  if (failed(inlined)) return failure();
  func::FuncOp g = declareBatched(*inlined, inAxes, size);
  LogicalResult batched = batchBody(*inlined, g, inAxes, size, outAxes);
  inlined->erase();
  if (failed(batched)) {
    g.erase();
    return failure();
  }
  insertBeside(f, g, name);
  return g;
}

}  // namespace nacre::passes
