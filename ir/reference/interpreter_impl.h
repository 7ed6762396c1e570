// What structural ops use to run functions and regions. For ir/reference/ and the tile interpreter.
#pragma once
#include "ir/reference/interpreter.h"

namespace nacre::ir {

class Interpreter {
 public:
  // Binds the arguments, runs the ops in order and returns what the terminator hands out.
  llvm::FailureOr<std::vector<HostValue>> runBlock(mlir::Block& block, llvm::ArrayRef<const HostValue*> args);
  // Runs the function that the symbol names, looked up from `from`, which is named in errors.
  llvm::FailureOr<std::vector<HostValue>> runSymbol(mlir::Operation* from, mlir::FlatSymbolRefAttr symbol,
                                                    llvm::ArrayRef<const HostValue*> args);

 private:
  int depth = 0;
};

}  // namespace nacre::ir
