// Reductions along contiguous rows, with everything around them: a program takes some rows; for each row the reductions
// run in dependent stages over the row, then the outputs of full size are computed in a last pass. Expensive values
// that several passes need are kept in scratch. Rows shorter than a vector go across lanes, one row a lane.
#include <map>
#include <set>

#include "codegen/schedule/iteration.h"
#include "codegen/schedule/stages.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

constexpr int64_t kMaxScratchElements = 16384;

struct Domain {
  int64_t rows, columns;
};

Domain domainOf(Kernel& kernel) {
  if (auto given = kernel.domain(2)) return {(*given)[0], (*given)[1]};
  if (auto given = kernel.domain(3)) return {(*given)[0], (*given)[1]};
  for (Operation& op : kernel.source.front())
    if (isReduction(&op)) return {numElements(op.getResult(0)), Emitter::reducedExtent(&op)};
  return {1, numElements(kernel.results[0])};
}

// Inputs that an output of full size may overwrite: read only in the row that is being written, and outside reductions
// only at the very element.
SmallVector<int64_t> inPlacePairs(Kernel& kernel, Domain domain) {
  IndexSpace space(kernel.source.getContext());
  AffineExpr row = space.addDim({0, domain.rows}), column = space.addDim({0, domain.columns});
  unsigned columnDim = 1;
  AffineExpr position = space.simplify(row * domain.columns + column);
  Accesses accesses;
  for (Value v : kernel.results) {
    AffineExpr at = numElements(v) == domain.rows * domain.columns ? position : row;
    collectAccesses(space, v, space.delinearize(at, ir::shapeOf(v)), accesses);
  }
  SmallVector<int64_t> pairs;
  for (auto [o, result] : llvm::enumerate(kernel.results)) {
    if (numElements(result) != domain.rows * domain.columns) continue;
    for (BlockArgument input : kernel.source.getArguments()) {
      if (ir::elementOf(input) != ir::elementOf(result) || numElements(input) != numElements(result)) continue;
      bool read = false, safe = true;
      for (const Access& a : accesses.loads) {
        if (a.leaf != input) continue;
        read = true;
        if (a.linear == position) continue;
        auto [low, high] = space.range(a.linear - row * domain.columns);
        safe &= low >= 0 && high < domain.columns && !dependsOnDim(a.linear, columnDim);
      }
      if (read && safe) pairs.append({static_cast<int64_t>(o), static_cast<int64_t>(input.getArgNumber())});
    }
  }
  return pairs;
}

class RowEmitter {
 public:
  RowEmitter(Kernel& kernel, Domain domain)
      : kernel(kernel), e(kernel.e), rows(domain.rows), columns(domain.columns), stages(kernel, rows * columns) {}

  void run() {
    const int64_t machine = kernel.lanes();
    if (columns < machine && rows >= 2 * machine) {
      kernel.choice = "one row a lane";
      return acrossRows(machine);
    }
    kernel.choice = "lanes along the row";
    Chunks chunks =
        chunksOf(rows, std::max<int64_t>(1, programTarget(rows * columns) / std::max<int64_t>(1, columns)), 1);
    kernel.setGrid(chunks.count());
    Value lower = e.indexValue(kernel.program * chunks.chunk);
    Value upper = e.indexValue(kernel.program * chunks.chunk + chunks.chunk);
    if (chunks.rest) upper = atMost(upper, rows);
    e.loop(lower, upper, 1, {0, rows}, {}, [&](AffineExpr row, ValueRange) {
      emitRow(row);
      return SmallVector<Value>();
    });
  }

 private:
  Value atMost(Value value, int64_t bound) {
    auto map = AffineMap::get(1, 0, {e.ops.getAffineDimExpr(0), e.constant(bound)}, e.ops.getContext());
    return affine::AffineMinOp::create(e.ops, e.loc, map, ValueRange{value});
  }

  bool isFull(Value v) const { return numElements(v) == rows * columns; }

  // Reductions and then the values of one per row that follow from them, stage by stage.
  void emitStages(AffineExpr row, int64_t lanes, bool keep) {
    for (int64_t stage = 0; stage < stages.count(); ++stage) {
      SmallVector<Job> jobs;
      for (Operation* op : stages.reductions(stage)) jobs.push_back({op, {kernel.at(op->getResult(0), row), lanes}});
      std::map<void*, std::pair<Value, Value>> kept;  // value and its scratch
      auto onStep = [&](AffineExpr column, int64_t width) {
        for (Value v : stages.kept(stage)) {
          Position at{kernel.at(v, row * columns + column), width};
          Value tile = e.recall(v, at);
          if (!tile) continue;
          auto& slot = kept[v.getAsOpaquePointer()];
          if (!slot.second)
            slot = {v, e.scratch({static_cast<int64_t>(llvm::alignTo(columns, 16))},
                                 Emitter::computeElement(ir::elementOf(v)))};
          e.store(tile, slot.second, column);
        }
      };
      // Reductions of another extent than the row's are not of one pass.
      SmallVector<Job> together;
      for (Job& job : jobs) {
        if (Emitter::reducedExtent(job.op) == columns)
          together.push_back(job);
        else
          e.emitReductions(job);
      }
      if (!together.empty()) {
        if (keep && columns <= kMaxScratchElements)
          e.emitReductions(together, onStep);
        else
          e.emitReductions(together);
      }
      for (auto& [key, slot] : kept) {
        SmallVector<int64_t> shape(ir::shapeOf(slot.first));
        e.bind(slot.first, slot.second, [this, shape, row](ArrayRef<AffineExpr> index) {
          return Index{e.space.linearize(index, shape) - row * columns};
        });
      }
      for (Value v : stages.rowValues(stage))
        if (numElements(v) == rows) e.emit(v, {kernel.at(v, row), lanes});
    }
  }

  void emitRow(AffineExpr row) {
    emitStages(row, 0, true);
    SmallVector<std::pair<Value, Value>> full;
    for (auto [v, buffer] : llvm::zip(kernel.results, kernel.outputBuffers)) {
      if (isFull(v) && columns > 1)
        full.push_back({v, buffer});
      else
        e.store(e.emit(v, {kernel.at(v, row), 0}), buffer, row);
    }
    if (full.empty()) return;
    const int64_t lanes = lanesFor(columns, kernel.lanes());
    forVectors(e, e.constant(0), columns, lanes, kernel.cost() < 20 ? 4 : 2, [&](AffineExpr column) {
      AffineExpr position = row * columns + column + e.lane();
      storeAll(full, position, lanes);
    });
  }

  void storeAll(ArrayRef<std::pair<Value, Value>> outputs, AffineExpr position, int64_t lanes) {
    SmallVector<Value> tiles;
    for (auto& [v, buffer] : outputs) tiles.push_back(e.emit(v, {kernel.at(v, position), lanes}));
    for (auto [tile, output] : llvm::zip(tiles, outputs)) e.store(tile, output.second, position);
  }

  void acrossRows(int64_t lanes) {
    Chunks chunks = chunksOf(
        rows, std::max(lanes, programTarget(rows * columns) / std::max<int64_t>(1, columns) / lanes * lanes), lanes);
    kernel.setGrid(chunks.count());
    forChunk(e, chunks, kernel.program, [&](AffineExpr start, int64_t length) {
      forVectors(e, start, length, lanes, 1, [&](AffineExpr first) {
        AffineExpr row = first + e.lane();
        emitStages(row, lanes, false);
        SmallVector<std::pair<Value, Value>> full;
        for (auto [v, buffer] : llvm::zip(kernel.results, kernel.outputBuffers)) {
          if (isFull(v) && columns > 1)
            full.push_back({v, buffer});
          else
            e.store(e.emit(v, {kernel.at(v, row), lanes}), buffer, row);
        }
        if (full.empty()) return;
        e.loop(0, columns, 1, {}, [&](AffineExpr column, ValueRange) {
          storeAll(full, row * columns + column, lanes);
          return SmallVector<Value>();
        });
      });
    });
  }

  Kernel& kernel;
  Emitter& e;
  const int64_t rows, columns;
  Stages stages;
};

}  // namespace

void emitRow(Kernel& kernel) {
  Domain domain = domainOf(kernel);
  kernel.func.setInPlace(inPlacePairs(kernel, domain));
  RowEmitter(kernel, domain).run();
}

}  // namespace nacre::schedule
