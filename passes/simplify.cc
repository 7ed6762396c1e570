#include "passes/simplify.h"

#include "mlir/IR/OperationSupport.h"
#include "passes/simplify_rules.h"

using namespace mlir;

namespace nacre::passes {

namespace {

// Equal name, attributes, operands and result types; locations do not count.
struct SameOp : DenseMapInfo<Operation*> {
  static unsigned getHashValue(const Operation* op) {
    return OperationEquivalence::computeHash(const_cast<Operation*>(op), OperationEquivalence::directHashValue,
                                             OperationEquivalence::ignoreHashValue,
                                             OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation* a, const Operation* b) {
    if (a == b) return true;
    if (a == getTombstoneKey() || a == getEmptyKey() || b == getTombstoneKey() || b == getEmptyKey()) return false;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation*>(a), const_cast<Operation*>(b),
                                                OperationEquivalence::IgnoreLocations);
  }
};

bool mayBeShared(Operation* op) {
  return !isa<ir::OptimizationBarrierOp>(op) && op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

Value rewrite(Operation* op, ir::Builder& b, const SimplifyOptions& options) {
  if (auto stop = dyn_cast<ir::StopGradientOp>(op)) return options.eraseStopGradient ? stop.getOperand() : Value();
  if (Value folded = foldConstants(op, b)) return folded;
  if (Value moved = simplifyMove(op, b)) return moved;
  return simplifyArithmetic(op, b);
}

// A reduction over no dimension is its operands; only here because it may have several results.
bool isReductionOfNothing(Operation* op) {
  auto reduce = dyn_cast<ir::ReduceOp>(op);
  return reduce && reduce.getDimensions().empty();
}

}  // namespace

void eraseDeadOps(func::FuncOp f) {
  for (Operation& op : llvm::make_early_inc_range(llvm::reverse(f.front())))
    if (isOpTriviallyDead(&op)) op.erase();
}

LogicalResult simplify(func::FuncOp f, const SimplifyOptions& options) {
  if (f.isExternal()) return success();
  if (!f.getBody().hasOneBlock()) return f.emitOpError("has several blocks; nacre functions have one");
  Block& block = f.front();
  DenseSet<Operation*, SameOp> seen;
  OpBuilder builder(f.getContext());
  for (Operation* op = &block.front(); op;) {
    Operation *before = op->getPrevNode(), *next = op->getNextNode();
    if (isReductionOfNothing(op)) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    } else if (op->getNumResults() == 1 && op->getNumRegions() == 0) {
      builder.setInsertionPoint(op);
      ir::Builder b(builder, op->getLoc());
      if (Value value = rewrite(op, b, options)) {
        // The ops that the rewrite made stand before `op` and are walked next.
        next = before ? before->getNextNode() : &block.front();
        if (next == op) next = op->getNextNode();
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
        op = next;
        continue;
      }
      if (mayBeShared(op)) {
        auto [known, isNew] = seen.insert(op);
        if (!isNew && *known != op) {
          op->replaceAllUsesWith(*known);
          op->erase();
        }
      }
    } else if (op->getNumResults() > 1 && mayBeShared(op)) {
      auto [known, isNew] = seen.insert(op);
      if (!isNew && *known != op) {
        op->replaceAllUsesWith(*known);
        op->erase();
      }
    }
    op = next;
  }
  eraseDeadOps(f);
  return success();
}

}  // namespace nacre::passes
