// How families of ops register their meaning with the interpreter. For ir/reference/ and the tile interpreter.
#pragma once
#include <functional>
#include <vector>

#include "ir/reference/host_value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/Operation.h"

namespace nacre::ir {

class Interpreter;

// One op being run: the operands' values, and the results, which have their types and zeros when the op starts.
struct OpCall {
  mlir::Operation* op;
  llvm::ArrayRef<const HostValue*> operands;
  llvm::MutableArrayRef<HostValue> results;
  Interpreter& interpreter;

  const HostValue& operand(size_t i = 0) const { return *operands[i]; }
  HostValue& result(size_t i = 0) const { return results[i]; }
};

using OpFunction = std::function<llvm::LogicalResult(OpCall&)>;

// From op name ("nacre.add") to its meaning. Terminators are not in it: they hand values to whoever runs the block.
class OpTable {
 public:
  template <class Op>
  void add(OpFunction f) {
    functions[Op::getOperationName()] = std::move(f);
  }
  // Null if there is none.
  const OpFunction* find(llvm::StringRef name) const {
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }
  // The one table, filled by the families below.
  static const OpTable& get();

 private:
  llvm::StringMap<OpFunction> functions;
};

void addFloatFunctions(OpTable&);
void addArithmetic(OpTable&);
void addBitOps(OpTable&);
void addComparisons(OpTable&);
void addConversions(OpTable&);
void addRandom(OpTable&);
void addCreation(OpTable&);
void addMoves(OpTable&);
void addDynamicSlices(OpTable&);
void addGatherScatter(OpTable&);
void addReductions(OpTable&);
void addContractions(OpTable&);
void addStructure(OpTable&);

}  // namespace nacre::ir
