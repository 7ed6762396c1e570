// Compiles a module and runs it on arrays of the interpreter, so that the two can be compared.
#pragma once
#include <vector>

#include "codegen/compile.h"
#include "ir/reference/host_value.h"

namespace nacre::tools {

// The module is cloned. Arguments are copied, donated ones too. Errors: the compiler's and the executor's.
absl::StatusOr<std::vector<ir::HostValue>> runCompiled(mlir::ModuleOp module, llvm::ArrayRef<ir::HostValue> arguments,
                                                       const CompileOptions& options = {});

}  // namespace nacre::tools
