// The tile dialect: kernels as grids of programs over tiles. The ops are described in codegen/tile/tile.td.
#pragma once
#include "ir/nacre.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "codegen/tile/tile_dialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "codegen/tile/tile_types.h.inc"
#define GET_OP_CLASSES
#include "codegen/tile/tile_ops.h.inc"

namespace nacre::tile {

// Creates an empty kernel at the builder's insertion point: the entry block has the program number, then the buffers
// (inputs, then outputs); the insertion point of `builder` is left alone. The body still needs its tile.return.
FuncOp createFunc(mlir::OpBuilder& builder, mlir::Location loc, llvm::StringRef name,
                  llvm::ArrayRef<mlir::Type> buffers, int64_t inputs, int64_t grid, llvm::StringRef schedule,
                  llvm::ArrayRef<int64_t> inPlace = {});

// Number of lanes: 1 for a scalar tile.
int64_t lanesOf(mlir::Type tile);
bool isScalarTile(mlir::Type tile);

}  // namespace nacre::tile
