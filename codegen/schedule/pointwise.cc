// Elementwise kernels: the dimensions of the result are merged as far as every access allows, lanes run along the last,
// programs take runs of it or of whole rows.
#include <numeric>

#include "codegen/schedule/iteration.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

struct Shape {
  SmallVector<int64_t> groups;   // merged dimensions, outermost first
  SmallVector<int64_t> inPlace;  // pairs output, input
};

Shape analyse(Kernel& kernel) {
  IndexSpace space(kernel.source.getContext());
  Value first = kernel.results[0];
  Index index;
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> dims;
  for (int64_t size : ir::shapeOf(first)) {
    index.push_back(size == 1 ? space.constant(0) : space.addDim({0, size}));
    if (size == 1) continue;
    sizes.push_back(size);
    dims.push_back(index.back());
  }
  AffineExpr position = space.linearize(index, ir::shapeOf(first));
  Accesses accesses;
  for (Value v : kernel.results) collectAccesses(space, v, space.delinearize(position, ir::shapeOf(v)), accesses);
  Shape shape;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0 && canMerge(space, accesses, dims[i - 1], dims[i], sizes[i]))
      shape.groups.back() *= sizes[i];
    else
      shape.groups.push_back(sizes[i]);
  }
  // An input may be overwritten if it is read only at the element that is being written.
  for (auto [o, result] : llvm::enumerate(kernel.results)) {
    for (BlockArgument input : kernel.source.getArguments()) {
      if (ir::elementOf(input) != ir::elementOf(result) || numElements(input) != numElements(result)) continue;
      bool read = false, same = true;
      for (const Access& a : accesses.loads)
        if (a.leaf == input) read = true, same &= a.linear == position;
      if (read && same) shape.inPlace.append({static_cast<int64_t>(o), static_cast<int64_t>(input.getArgNumber())});
    }
  }
  return shape;
}

}  // namespace

void emitPointwise(Kernel& kernel) {
  Emitter& e = kernel.e;
  Shape shape = analyse(kernel);
  kernel.func.setInPlace(shape.inPlace);
  const int64_t total = numElements(kernel.results[0]);
  const double cost = kernel.cost();
  const int64_t unroll = cost < 10 ? 4 : cost < 40 ? 2 : 1;

  // Everything at a position is read before anything is written: outputs may share memory with inputs.
  auto emitAt = [&](AffineExpr position, int64_t lanes) {
    SmallVector<Value> tiles;
    for (Value v : kernel.results) tiles.push_back(e.emit(v, {kernel.at(v, position), lanes}));
    for (auto [tile, buffer] : llvm::zip(tiles, kernel.outputBuffers)) e.store(tile, buffer, position);
  };
  if (total == 1) {
    kernel.choice = "scalar";
    kernel.setGrid(1);
    return emitAt(e.constant(0), 0);
  }
  const int64_t columns = shape.groups.back();
  const int64_t lanes = lanesFor(columns, kernel.lanes());
  auto emitRange = [&](AffineExpr start, int64_t length) {
    forVectors(e, start, length, lanes, unroll, [&](AffineExpr p) { emitAt(p + e.lane(), lanes); });
  };
  const int64_t rows = total / columns;
  kernel.choice = rows == 1 ? "flat" : "rows";
  const int64_t target = std::max<int64_t>(1, programTarget(total) / (cost > 100 ? 8 : 1));
  if (rows == 1) {
    Chunks chunks = chunksOf(columns, target, lanes * unroll);
    kernel.setGrid(chunks.count());
    return forChunk(e, chunks, kernel.program, emitRange);
  }
  ArrayRef<int64_t> outer = ArrayRef<int64_t>(shape.groups).drop_back();
  auto emitRow = [&](AffineExpr row, const Chunks& chunks, AffineExpr number) {
    SmallVector<AffineExpr> parts = splitIndex(e, row, outer);
    AffineExpr base = e.space.linearize(parts, outer) * columns;
    forChunk(e, chunks, number, [&](AffineExpr start, int64_t length) { emitRange(base + start, length); });
  };
  if (columns > 2 * target) {
    Chunks chunks = chunksOf(columns, target, lanes * unroll);
    kernel.setGrid(rows * chunks.count());
    SmallVector<AffineExpr> split = splitIndex(e, kernel.program, {rows, chunks.count()});
    return emitRow(split[0], chunks, split[1]);
  }
  Chunks perProgram = chunksOf(rows, std::max<int64_t>(1, target / columns), 1);
  kernel.setGrid(perProgram.count());
  Value lower = e.indexValue(kernel.program * perProgram.chunk);
  SmallVector<AffineExpr> bounds{kernel.program * perProgram.chunk + perProgram.chunk, e.constant(rows)};
  Value upper = e.indexValue(bounds[0]);
  if (perProgram.rest)
    upper = affine::AffineMinOp::create(
        e.ops, e.loc, AffineMap::get(1, 0, {e.ops.getAffineDimExpr(0), e.constant(rows)}, e.ops.getContext()),
        ValueRange{upper});
  e.loop(lower, upper, 1, {0, rows}, {}, [&](AffineExpr row, ValueRange) {
    emitRow(row, {columns, 1, 0}, e.constant(0));
    return SmallVector<Value>();
  });
}

}  // namespace nacre::schedule
