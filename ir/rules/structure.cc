// optimization_barrier, call, fusion, launch.
#include "ir/rules/common.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace nacre::ir::detail;

namespace nacre::ir {

// --- optimization_barrier ---

LogicalResult OptimizationBarrierOp::verify() {
  if (getInputs().getTypes() == getOutputs().getTypes()) return success();
  return emitError() << "nacre.optimization_barrier: operands have types (" << getInputs().getTypes()
                     << ") but results (" << getOutputs().getTypes() << "); it is the identity, so they must be equal";
}

namespace {

// A barrier over those values that are not null; the others stay null.
SmallVector<Value> barrier(Builder& b, ArrayRef<Value> values) {
  SmallVector<Value> present = llvm::filter_to_vector(values, [](Value v) { return static_cast<bool>(v); });
  auto made = OptimizationBarrierOp::create(b.ops, b.loc, ValueRange(present).getTypes(), present);
  SmallVector<Value> results;
  auto next = made.getOutputs().begin();
  for (Value v : values) results.push_back(v ? Value(*next++) : nullptr);
  return results;
}

// The function that `symbol` names, with the types of the op's operands and results.
FailureOr<FunctionOpInterface> calledFunction(Operation* op, StringRef name, FlatSymbolRefAttr symbol,
                                              SymbolTableCollection& tables) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(tables.lookupNearestSymbolFrom(op, symbol));
  if (!function)
    return op->emitError() << name << ": " << symbol
                           << " is not a function of this module; define it or correct the name";
  if (TypeRange(function.getArgumentTypes()) != op->getOperandTypes() ||
      TypeRange(function.getResultTypes()) != op->getResultTypes())
    return op->emitError() << name << ": " << symbol << " has type (" << function.getArgumentTypes() << ") -> ("
                           << function.getResultTypes() << ") but is used as (" << op->getOperandTypes() << ") -> ("
                           << op->getResultTypes() << "); both must agree";
  return function;
}

}  // namespace

LogicalResult OptimizationBarrierOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results = barrier(b, tangents);
  return success();
}

LogicalResult OptimizationBarrierOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                                               SmallVectorImpl<Value>& results) {
  SmallVector<Value> wanted;
  for (auto [operand, cotangent] : llvm::zip_equal(operands, cotangents))
    wanted.push_back(operand ? nullptr : cotangent);
  results = barrier(b, wanted);
  return success();
}

LogicalResult OptimizationBarrierOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool> mapped,
                                           SmallVectorImpl<Value>& results) {
  results.clear();
  for (auto [value, isMapped] : llvm::zip_equal(barrier(b, operands), mapped))
    results.push_back(asMapped(b, value, isMapped, size));
  return success();
}

// --- call, launch ---

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection& tables) {
  return calledFunction(*this, "nacre.call", getCalleeAttr(), tables);
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection& tables) {
  FailureOr<FunctionOpInterface> kernel = calledFunction(*this, "nacre.launch", getKernelAttr(), tables);
  if (failed(kernel)) return failure();
  if ((*kernel)->hasAttrOfType<StringAttr>(kKernelAttr)) return success();
  return emitError() << "nacre.launch: " << getKernelAttr() << " is not a kernel; only functions with the attribute "
                     << kKernelAttr << " can be launched (nacre.call calls others)";
}

// --- fusion ---

LogicalResult FusionOp::verify() {
  constexpr std::array<StringLiteral, 7> kinds = {"pointwise",    "transpose",   "row",    "column",
                                                  "split_reduce", "contraction", "indexed"};
  if (!llvm::is_contained(kinds, getKind()))
    return emitError() << "nacre.fusion: unknown kind \"" << getKind() << "\"; the kinds are "
                       << llvm::join(kinds, ", ");
  Block& body = getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes())
    return emitError() << "nacre.fusion: the body takes (" << body.getArgumentTypes() << ") but the operands are ("
                       << getInputs().getTypes() << "); each operand is one argument of the same type";
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield) return emitError() << "nacre.fusion: the body must end with nacre.yield";
  if (yield.getValues().getTypes() != getOutputs().getTypes())
    return emitError() << "nacre.fusion: the body yields (" << yield.getValues().getTypes() << ") but the results are ("
                       << getOutputs().getTypes() << "); they must agree";
  for (Operation& op : body)
    if (isa<FusionOp, LaunchOp, CallOp>(op))
      return op.emitError() << op.getName() << ": not allowed inside a nacre.fusion, which becomes one kernel";
  return success();
}

}  // namespace nacre::ir
