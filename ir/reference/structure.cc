// Identities, and ops that run other functions or regions.
#include "ir/nacre.h"
#include "ir/reference/interpreter_impl.h"
#include "ir/reference/op_table.h"

using namespace mlir;

namespace nacre::ir {

namespace {

LogicalResult identity(OpCall& c) {
  for (auto [operand, result] : llvm::zip_equal(c.operands, c.results)) result.data = operand->data;
  return success();
}

// Moves what a function or region returned into the op's results, whose types it must have.
LogicalResult giveResults(OpCall& c, FailureOr<std::vector<HostValue>> values) {
  if (failed(values)) return failure();
  if (values->size() != c.results.size())
    return c.op->emitOpError() << "has " << c.results.size() << " results, what it ran returned " << values->size();
  for (auto [i, value, result] : llvm::enumerate(*values, c.results)) {
    if (value.type != result.type)
      return c.op->emitOpError() << "result " << i << " has type " << result.type << ", what it ran returned "
                                 << value.type;
    result = std::move(value);
  }
  return success();
}

}  // namespace

void addStructure(OpTable& table) {
  table.add<StopGradientOp>(identity);
  table.add<OptimizationBarrierOp>(identity);
  table.add<CallOp>([](OpCall& c) {
    return giveResults(c, c.interpreter.runSymbol(c.op, cast<CallOp>(c.op).getCalleeAttr(), c.operands));
  });
  table.add<LaunchOp>([](OpCall& c) {
    return giveResults(c, c.interpreter.runSymbol(c.op, cast<LaunchOp>(c.op).getKernelAttr(), c.operands));
  });
  table.add<FusionOp>([](OpCall& c) {
    return giveResults(c, c.interpreter.runBlock(cast<FusionOp>(c.op).getBody().front(), c.operands));
  });
}

}  // namespace nacre::ir
