// From a kernel as nacre ops to a kernel as tiles: the choice of loops, one emitter for each family.
#pragma once
#include <string>

#include "codegen/target.h"
#include "codegen/tile/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::schedule {

// Emits `kernel` (a func.func with the attribute nacre.kernel = "<family>", see docs of the fusion pass for the grammar
// of each) as a tile.func named <kernel>_tile beside it. Buffers are the kernel's inputs, then its results, flattened
// to rank 1. Families: pointwise, transpose, row, column, split_reduce, contraction, indexed.
//
// The grid depends on shapes only, never on the number of threads. Every composition of ops that the grammar allows is
// emitted; an op that has no form inside kernels (call, scatter that is not the root) is an error that names it.
mlir::FailureOr<tile::FuncOp> emitTileFunc(mlir::func::FuncOp kernel, const codegen::Target& target);

// The schedules considered for the kernel with their estimated nanoseconds on one thread, one a line, the chosen one
// marked with an arrow.
std::string explain(mlir::func::FuncOp kernel, const codegen::Target& target);

}  // namespace nacre::schedule
