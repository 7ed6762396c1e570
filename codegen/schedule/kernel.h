// The kernel being emitted: the function of nacre ops, its tile.func, and the emitter between them.
#pragma once
#include <optional>
#include <string>

#include "codegen/schedule/access.h"
#include "codegen/schedule/emission.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::schedule {

struct Kernel {
  mlir::func::FuncOp source;
  const codegen::Target& target;
  tile::FuncOp func;
  Emitter& e;
  AffineExpr program;                // number of the program: its fact is [0, grid)
  SmallVector<Value> outputBuffers;  // of func
  SmallVector<Value> results;        // of source

  std::string choice;  // what the family's emitter chose, in words

  // Sets the grid; before anything is emitted.
  void setGrid(int64_t grid);
  // Index of a value of `shape` at a row-major position.
  Index at(Value value, AffineExpr position) { return e.space.delinearize(position, ir::shapeOf(value)); }
  // Elements of the widest common vector: 4-byte lanes unless every memory operand is wider.
  int64_t lanes();
  // Sum of costs of all ops, for unrolling.
  double cost();
  // The attribute nacre.domain, if it is there with that many entries.
  std::optional<SmallVector<int64_t>> domain(size_t entries);
};

int64_t numElements(Value v);

// emitTileFunc of codegen/schedule/schedule.h, telling what was chosen.
mlir::FailureOr<tile::FuncOp> emitTileFunc(mlir::func::FuncOp source, const codegen::Target& target,
                                           std::string& choice);

// One emitter for each family. Each expects a kernel whose outputs are not empty.
void emitPointwise(Kernel& kernel);
bool emitTranspose(Kernel& kernel);  // false: no blocked form fits, nothing was emitted
void emitRow(Kernel& kernel);
void emitColumn(Kernel& kernel);
void emitContraction(Kernel& kernel);
void emitIndexed(Kernel& kernel);

}  // namespace nacre::schedule
