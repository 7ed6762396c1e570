// Running traced functions: compiled once, or put into the trace that surrounds them.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frontend/core/trace.h"
#include "runtime/executable.h"

namespace nacre::detail {

// Compiles the function @main of `module`. Programs that are equal apart from names and locations share an executable.
// Throws CompileError with the compiler's message.
std::shared_ptr<const Executable> compile_main(mlir::OwningOpRef<mlir::ModuleOp> module);

// Runs with the inputs' buffers. Inputs whose `donated` flag is set give theirs up and are dead afterwards; `donated`
// may be empty. `by` names the call, for the message of who uses them later.
std::vector<Array> execute(const Executable& executable, std::span<const Descriptor* const> results,
                           std::span<const Array> inputs, std::span<const bool> donated = {}, const char* by = "");

// The results of `f` at `inputs`: its body is copied into the current trace, or compiled and run when there is none.
// `weak` has one flag per result.
std::vector<Array> apply(mlir::func::FuncOp f, std::span<const Array> inputs, const std::vector<bool>& weak);

std::vector<const Descriptor*> types_of(std::span<const Array> arrays);

}  // namespace nacre::detail
