#include "passes/inline_calls.h"

#include "ir/nacre.h"
#include "mlir/IR/IRMapping.h"
#include "passes/function_util.h"

using namespace mlir;

namespace nacre::passes {

namespace {

// Text from outside can make calls grow without bound: 40 functions that each call the next one twice are 10^12 ops.
constexpr int64_t kMaxOps = 1'000'000;

// The symbol that `op` calls; null if it is no call.
FlatSymbolRefAttr calleeOf(Operation* op) {
  if (auto call = dyn_cast<ir::CallOp>(op)) return call.getCalleeAttr();
  if (auto call = dyn_cast<func::CallOp>(op)) return call.getCalleeAttr();
  return nullptr;
}

// A callee whose copy is being scanned, up to the op that stood after the call.
struct Frame {
  func::FuncOp callee;
  Operation* end;
};

LogicalResult checkSignature(Operation* call, func::FuncOp callee) {
  if (TypeRange(call->getOperandTypes()) == TypeRange(callee.getArgumentTypes()) &&
      TypeRange(call->getResultTypes()) == TypeRange(callee.getResultTypes()))
    return success();
  return call->emitOpError("of '") << callee.getName() << "' has type "
                                   << FunctionType::get(call->getContext(), call->getOperandTypes(),
                                                        call->getResultTypes())
                                   << " but the function has type " << callee.getFunctionType();
}

// Copies the callee's body before `call`; its results replace those of the call.
void inlineBody(Operation* call, Block* body, int64_t& made) {
  IRMapping map;
  map.map(body->getArguments(), call->getOperands());
  OpBuilder builder(call);
  for (Operation& op : body->without_terminator()) {
    Operation* copy = builder.clone(op, map);
    copy->setLoc(CallSiteLoc::get(op.getLoc(), call->getLoc()));
    ++made;
  }
  for (auto [result, value] : llvm::zip_equal(call->getResults(), body->getTerminator()->getOperands()))
    result.replaceAllUsesWith(map.lookup(value));
}

}  // namespace

LogicalResult inlineCalls(func::FuncOp f) {
  FailureOr<Block*> block = straightLine(f);
  if (failed(block)) return failure();
  SymbolTableCollection symbols;
  SmallVector<Frame> stack;
  int64_t made = 0;
  for (Operation* op = &(*block)->front(); op;) {
    while (!stack.empty() && stack.back().end == op) stack.pop_back();
    FlatSymbolRefAttr symbol = calleeOf(op);
    if (!symbol) {
      op = op->getNextNode();
      continue;
    }
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, symbol);
    if (!callee) return op->emitOpError("calls '") << symbol.getValue() << "', which the module does not define";
    if (callee == f || llvm::any_of(stack, [&](Frame& frame) { return frame.callee == callee; }))
      return op->emitOpError("calls '") << symbol.getValue() << "' from within itself; recursion cannot be inlined";
    FailureOr<Block*> body = straightLine(callee);
    if (failed(body) || failed(checkSignature(op, callee))) return failure();
    if (made + static_cast<int64_t>((*body)->getOperations().size()) > kMaxOps)
      return op->emitOpError("of '") << symbol.getValue() << "' would make '" << f.getName() << "' longer than "
                                     << kMaxOps << " ops";
    Operation *before = op->getPrevNode(), *after = op->getNextNode();
    inlineBody(op, *body, made);
    op->erase();
    stack.push_back({callee, after});
    op = before ? before->getNextNode() : &(*block)->front();
  }
  return success();
}

}  // namespace nacre::passes
