// Runs tile functions slowly and checks them: the oracle between schedules and lowering, for tests only.
//
// Every access is checked against its buffer, scratch starts as NaN (0xFF bytes), tiles are computed by the reference
// interpreter's element functions, so a schedule can be compared with ir/reference before any machine code exists.
#pragma once
#include <span>
#include <vector>

#include "codegen/tile/dialect.h"
#include "ir/reference/host_value.h"

namespace nacre::tile {

// Runs the programs of the grid, in reverse order if asked for. `buffers` are the memory of the arguments, inputs
// first; an output may share memory with an input where the function allows it. Failure, with a diagnostic at the op,
// for an access outside a buffer, a buffer of the wrong size, or an op that tile functions cannot hold.
llvm::LogicalResult runTiles(FuncOp func, llvm::ArrayRef<std::span<std::byte>> buffers, bool reverse = false);

// The same with fresh outputs, which start as 0xFF bytes. Types are those of the (flat) buffers.
llvm::FailureOr<std::vector<ir::HostValue>> runTiles(FuncOp func, llvm::ArrayRef<ir::HostValue> inputs,
                                                     bool reverse = false);

}  // namespace nacre::tile
