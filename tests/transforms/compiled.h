// Cases through the whole compiler.
#pragma once
#include <memory>

#include "runtime/executable.h"
#include "tests/transforms/harness.h"

namespace nacre::testing {

// Compiles a copy of `f` as @main of a module of its own; null, and the reason in `error`, where that fails.
std::shared_ptr<const Executable> compiled(mlir::func::FuncOp f, std::string& error);
Values run(const Executable& executable, mlir::func::FuncOp f, const Values& arguments);

}  // namespace nacre::testing
