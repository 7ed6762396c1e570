// IR text from outside: bounded, parsed, verified, and refused with file, line and column. Every tool reads text here.
#pragma once
#include <string>

#include "ir/text/text_limits.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacre::ir {

// Parses and verifies a module. The context must have the dialects loaded that the text may use. `name` stands for the
// file in errors and locations. On failure `error` has one line a problem, "name:line:column: what", and nothing is
// printed; on success it is empty.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> parseModule(llvm::StringRef text, llvm::StringRef name,
                                                               mlir::MLIRContext& context, std::string& error,
                                                               const TextLimits& limits = {});

// The same for a file; "-" is standard input. A file that cannot be read is "path: why".
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> parseModuleFile(llvm::StringRef path, mlir::MLIRContext& context,
                                                                   std::string& error, const TextLimits& limits = {});

}  // namespace nacre::ir
