// The meaning of every op, slow and readable: what all other tests compare against, never a way for users to run.
//
// bf16 ops compute in f32 and round once. Functions of real numbers are computed in a wider type and rounded, so that
// they are the correctly rounded value nearly always; sums and products accumulate in a wider type and round once.
// Integers wrap, shifts out of range give 0 (or the sign), gathers clamp, scatters drop: see ir/nacre_elementwise.td
// and ir/nacre_ops.td, and the StableHLO specification where the op is there.
//
// Every phase of the IR can be run: calls, fusions and launches of kernel functions are followed.
#pragma once
#include <vector>

#include "ir/reference/host_value.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::ir {

// Runs a verified function of one block. Failure, with a diagnostic that names the op or argument, for: arguments whose
// number, type or size is not the function's; an op that has no meaning here; a callee that is missing or has no body;
// calls nested more than 64 deep; a value above 4 GiB.
llvm::FailureOr<std::vector<HostValue>> interpret(mlir::func::FuncOp f, llvm::ArrayRef<HostValue> args);

// Whether ops of this name have a meaning (terminators of functions and fusions do).
bool isInterpreted(llvm::StringRef opName);

}  // namespace nacre::ir
