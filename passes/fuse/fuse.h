// Groups the ops of a function into kernels: the decision which values live in memory and which only in registers.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// What the kernel iterates over, by kind: pointwise {elements}, row {rows, columns}, column {outer, reduced, inner},
// contraction {batch, m, n, k}.
inline constexpr llvm::StringLiteral kDomainAttr = "nacre.domain";
// Of an indexed kernel: the number of the input that output 0 takes the place of.
inline constexpr llvm::StringLiteral kInPlaceAttr = "nacre.in_place_operand";

struct FuseOptions {
  // Off: every op that computes becomes a fusion of its own (index maps of its operands are still folded in).
  // Elementwise results are the same bit for bit; tests compare the two.
  bool fusion = true;
};

// Rewrites the single block of `f` so that every op that computes stands inside a `nacre.fusion`. What remains beside
// fusions are dense constants, optimization barriers and reinterpretations of memory (reshape, bitcast_convert to
// another width). The grammar of each kind is described in passes/fuse/README.md.
//
// Calls must be inlined and simplify() have run. Runs normalizeForFusion() first. Decisions depend on the structure of
// the program only, never on names, locations or the machine. Cost grows nearly linearly with the number of ops.
// Fails with a diagnostic on an op that no schedule family covers.
llvm::LogicalResult fuse(mlir::func::FuncOp f, const FuseOptions& options = {});

}  // namespace nacre::passes
