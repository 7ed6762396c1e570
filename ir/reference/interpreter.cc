#include "ir/reference/interpreter.h"

#include "ir/nacre.h"
#include "ir/reference/interpreter_impl.h"
#include "ir/reference/op_table.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace nacre::ir {

namespace {

constexpr int kMaxDepth = 64;

bool isTerminator(StringRef opName) {
  return opName == func::ReturnOp::getOperationName() || opName == YieldOp::getOperationName();
}

// The results of an op, zero; failure if one is not an array the interpreter can hold.
FailureOr<std::vector<HostValue>> resultsOf(Operation* op) {
  std::vector<HostValue> results;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !byteSize(tensor))
      return op->emitOpError() << "has the result type " << type << ", which the interpreter cannot hold";
    results.push_back(zeros(tensor));
  }
  return results;
}

}  // namespace

const OpTable& OpTable::get() {
  static const OpTable table = [] {
    OpTable t;
    for (auto add :
         {addFloatFunctions, addArithmetic, addBitOps, addComparisons, addConversions, addRandom, addCreation, addMoves,
          addDynamicSlices, addGatherScatter, addReductions, addContractions, addStructure})
      add(t);
    return t;
  }();
  return table;
}

bool isInterpreted(StringRef opName) { return isTerminator(opName) || OpTable::get().find(opName); }

FailureOr<std::vector<HostValue>> Interpreter::runBlock(Block& block, ArrayRef<const HostValue*> args) {
  llvm::DenseMap<Value, const HostValue*> values;
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), args)) values[argument] = value;
  // Owns what the ops of this block produce; the inner vectors never move their elements.
  std::vector<std::vector<HostValue>> produced;
  for (Operation& op : block) {
    SmallVector<const HostValue*> operands;
    for (Value operand : op.getOperands()) {
      const HostValue* value = values.lookup(operand);
      if (!value) return op.emitOpError("uses a value from outside its region, which the interpreter does not follow");
      operands.push_back(value);
    }
    if (isTerminator(op.getName().getStringRef())) {
      std::vector<HostValue> results;
      for (const HostValue* value : operands) results.push_back(*value);
      return results;
    }
    const OpFunction* meaning = OpTable::get().find(op.getName().getStringRef());
    if (!meaning) return op.emitOpError("has no meaning in the reference interpreter");
    auto results = resultsOf(&op);
    if (failed(results)) return failure();
    OpCall call{&op, operands, *results, *this};
    if (failed((*meaning)(call))) return failure();
    produced.push_back(std::move(*results));
    for (auto [result, value] : llvm::zip_equal(op.getResults(), produced.back())) values[result] = &value;
  }
  return block.getParentOp()->emitOpError("has a block without a terminator");
}

FailureOr<std::vector<HostValue>> Interpreter::runSymbol(Operation* from, FlatSymbolRefAttr symbol,
                                                         ArrayRef<const HostValue*> args) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(from, symbol);
  if (!callee || callee.isExternal())
    return from->emitOpError() << "refers to " << symbol << ", which is not a function with a body";
  if (!callee.getBody().hasOneBlock()) return from->emitOpError() << symbol << " has more than one block";
  if (callee.getNumArguments() != args.size())
    return from->emitOpError() << "passes " << args.size() << " values to " << symbol << ", which takes "
                               << callee.getNumArguments();
  if (depth == kMaxDepth) return from->emitOpError() << "nests calls more than " << kMaxDepth << " deep at " << symbol;
  ++depth;
  auto results = runBlock(callee.getBody().front(), args);
  --depth;
  return results;
}

FailureOr<std::vector<HostValue>> interpret(func::FuncOp f, ArrayRef<HostValue> args) {
  if (f.isExternal() || !f.getBody().hasOneBlock()) return f.emitOpError("must have a body of one block");
  if (f.getNumArguments() != args.size())
    return f.emitOpError() << "takes " << f.getNumArguments() << " arguments, got " << args.size();
  SmallVector<const HostValue*> pointers;
  for (auto [i, type, arg] : llvm::enumerate(f.getArgumentTypes(), args)) {
    if (arg.type != type) return f.emitOpError() << "argument " << i << " has type " << type << ", got " << arg.type;
    std::optional<int64_t> bytes = byteSize(arg.type);
    if (!bytes || *bytes != static_cast<int64_t>(arg.data.size()))
      return f.emitOpError() << "argument " << i << " of type " << type << " got " << arg.data.size() << " bytes";
    pointers.push_back(&arg);
  }
  return Interpreter().runBlock(f.getBody().front(), pointers);
}

}  // namespace nacre::ir
