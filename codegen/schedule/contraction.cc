// Products: panels of both operands are packed into scratch, whatever their layout and prologue, multiplied by
// tile.contract, and the epilogue is computed from the block of the result. Small and thin products, and those of
// integers, are plain loops over the depth with lanes along whichever side is contiguous.
#include <numeric>

#include "codegen/schedule/iteration.h"
#include "codegen/schedule/stages.h"
#include "llvm/Support/FormatVariadic.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// One operand of the product, seen as [batch, free, depth].
struct Side {
  Value value;
  SmallVector<int64_t> batching, contracting, freeSizes;
  int64_t free = 1;
  bool depthContiguous = false, freeContiguous = false;

  Index at(const IndexSpace& space, ArrayRef<AffineExpr> batch, AffineExpr freeAt, ArrayRef<AffineExpr> depth) const {
    Index frees = space.delinearize(freeAt, freeSizes), index;
    size_t next = 0;
    for (int64_t d = 0; d < ir::rankOf(value); ++d) {
      auto b = llvm::find(batching, d), c = llvm::find(contracting, d);
      index.push_back(b != batching.end()      ? batch[b - batching.begin()]
                      : c != contracting.end() ? depth[c - contracting.begin()]
                                               : frees[next++]);
    }
    return index;
  }
};

class ContractionEmitter {
 public:
  ContractionEmitter(Kernel& kernel, ir::DotGeneralOp dot) : kernel(kernel), e(kernel.e), dot(dot) {
    lhs = side(dot.getLhs(), dot.getLhsBatchingDimensions(), dot.getLhsContractingDimensions());
    rhs = side(dot.getRhs(), dot.getRhsBatchingDimensions(), dot.getRhsContractingDimensions());
    for (int64_t d : dot.getLhsBatchingDimensions()) batchSizes.push_back(ir::shapeOf(dot.getLhs())[d]);
    for (int64_t d : dot.getLhsContractingDimensions()) depthSizes.push_back(ir::shapeOf(dot.getLhs())[d]);
    batch = product(batchSizes);
    depth = product(depthSizes);
    m = lhs.free;
    n = rhs.free;
    element = Emitter::computeElement(ir::elementOf(dot.getResult()));
    findLayout(lhs);
    findLayout(rhs);
  }

  void run() {
    bool isFloat = isa<FloatType>(element);
    if (isFloat && m >= 4 && n >= 8 && m * n * depth >= 8192)
      packed();
    else
      plain();
  }

 private:
  Side side(Value value, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting) {
    Side s;
    s.value = value;
    s.batching.assign(batching.begin(), batching.end());
    s.contracting.assign(contracting.begin(), contracting.end());
    for (int64_t d = 0; d < ir::rankOf(value); ++d)
      if (!llvm::is_contained(batching, d) && !llvm::is_contained(contracting, d))
        s.freeSizes.push_back(ir::shapeOf(value)[d]);
    s.free = product(s.freeSizes);
    return s;
  }

  // Which way its largest input runs in memory.
  void findLayout(Side& s) {
    IndexSpace space(kernel.source.getContext());
    AffineExpr freeDim = space.addDim({0, s.free}), depthDim = space.addDim({0, depth});
    SmallVector<AffineExpr> batchDims;
    for (int64_t size : batchSizes) batchDims.push_back(space.addDim({0, size}));
    Accesses accesses;
    collectAccesses(space, s.value, s.at(space, batchDims, freeDim, space.delinearize(depthDim, depthSizes)), accesses);
    int64_t largest = -1;
    for (const Access& a : accesses.loads) {
      if (numElements(a.leaf) <= largest) continue;
      largest = numElements(a.leaf);
      LinearForm form = space.linear(a.linear);
      s.freeContiguous = form.coefficient(freeDim) == 1;
      s.depthContiguous = form.coefficient(depthDim) == 1;
    }
  }

  // --- Plain loops. ---

  void plain() {
    // Positions of the result are flat; the last side that varies is contiguous in it.
    const bool overColumns = n > 1;
    const int64_t inner = overColumns ? n : m, outer = batch * (overColumns ? m : 1);
    const Side& laneSide = overColumns ? rhs : lhs;
    const int64_t machine = e.machineLanes(element);
    if (inner == 1 || (laneSide.depthContiguous && !laneSide.freeContiguous && depth >= machine)) {
      kernel.choice = "dot products along the depth";
      return dots();
    }
    kernel.choice = "plain loops";
    const int64_t lanes = lanesFor(inner, machine);
    const int64_t wide = inner >= 4 * lanes ? 4 : inner >= 2 * lanes ? 2 : 1;
    int64_t together = 1;  // rows that share the vectors of the other operand
    while (overColumns && together * 2 * wide <= 8 && m % (together * 2) == 0) together *= 2;

    auto emitAt = [&](AffineExpr row, ArrayRef<AffineExpr> columns) {
      SmallVector<AffineExpr> positions;
      for (int64_t r = 0; r < together; ++r)
        for (AffineExpr c : columns) positions.push_back((row * together + r) * inner + c + e.lane());
      SmallVector<Job> jobs;
      for (AffineExpr p : positions) jobs.push_back({dot, {kernel.at(dot.getResult(), p), lanes}});
      e.emitReductions(jobs);
      for (AffineExpr p : positions) storeOutputs(p, lanes);
    };
    const int64_t rows = outer / together;
    const int64_t work = std::max<int64_t>(1, together * depth);
    Chunks chunks = chunksOf(inner, std::max<int64_t>(lanes * wide, 65536 / work), lanes * wide);
    Chunks rowChunks = chunksOf(rows, std::max<int64_t>(1, 65536 / (work * chunks.chunk)), 1);
    kernel.setGrid(rowChunks.count() * chunks.count());
    SmallVector<AffineExpr> split = splitIndex(e, kernel.program, {rowChunks.count(), chunks.count()});
    forChunk(e, rowChunks, split[0], [&](AffineExpr firstRow, int64_t count) {
      e.loop(0, count, 1, {}, [&](AffineExpr r, ValueRange) {
        forChunk(e, chunks, split[1], [&](AffineExpr start, int64_t length) {
          const int64_t step = lanes * wide, whole = length / step * step;
          e.withLanes(lanes, nullptr, [&] {
            e.loop(0, whole, step, {}, [&](AffineExpr i, ValueRange) {
              SmallVector<AffineExpr> columns;
              for (int64_t u = 0; u < wide; ++u) columns.push_back(start + i + u * lanes);
              emitAt(firstRow + r, columns);
              return SmallVector<Value>();
            });
            SmallVector<AffineExpr> columns;
            for (int64_t i = whole; i + lanes <= length; i += lanes) columns.push_back(start + i);
            if (!columns.empty()) emitAt(firstRow + r, columns);
          });
          if (int64_t rest = length % lanes)
            e.withLanes(lanes, e.indexConstant(rest), [&] { emitAt(firstRow + r, {start + (length - rest)}); });
        });
        return SmallVector<Value>();
      });
    });
  }

  // One element of the result at a time, lanes along the depth.
  void dots() {
    const int64_t total = batch * m * n;
    Chunks chunks = chunksOf(total, std::max<int64_t>(1, 65536 / std::max<int64_t>(depth, 1)), 1);
    kernel.setGrid(chunks.count());
    forChunk(e, chunks, kernel.program, [&](AffineExpr start, int64_t length) {
      e.loop(0, length, 1, {}, [&](AffineExpr i, ValueRange) {
        e.emitReductions(Job{dot, {kernel.at(dot.getResult(), start + i), 0}});
        storeOutputs(start + i, 0);
        return SmallVector<Value>();
      });
    });
  }

  void storeOutputs(AffineExpr position, int64_t lanes) {
    SmallVector<Value> tiles;
    for (Value v : kernel.results) tiles.push_back(e.emit(v, {kernel.at(v, position), lanes}));
    for (auto [tile, buffer] : llvm::zip(tiles, kernel.outputBuffers)) e.store(tile, buffer, position);
  }

  // --- Packed panels. ---

  // Size of the tiles that cut `size` into equal parts of at most `most`, a multiple of `unit` if there are several.
  static int64_t tileSize(int64_t size, int64_t most, int64_t unit) {
    if (size <= most) return size;
    int64_t parts = llvm::divideCeil(size, most);
    return std::min<int64_t>(size, llvm::alignTo(llvm::divideCeil(size, parts), unit));
  }

  void packed() {
    codegen::ContractBlock block = kernel.target.contractBlock(element);
    lanes = e.machineLanes(element);
    mr = std::min(block.mr, m);
    nr = n >= block.nr ? block.nr : n <= lanes ? lanesFor(n, lanes) : llvm::alignTo(n, lanes);
    // Tiles shrink until there are programs for several threads, as long as each keeps a megaflop or so.
    int64_t mostRows = 20 * block.mr, mostColumns = 16 * block.nr;
    auto programs = [&] { return batch * llvm::divideCeil(m, mostRows) * llvm::divideCeil(n, mostColumns); };
    while (programs() < 8) {
      int64_t rows = std::min(m, mostRows), columns = std::min(n, mostColumns);
      if (rows * columns * depth < (1 << 20)) break;
      if (columns >= rows && columns > 2 * nr)
        mostColumns = llvm::alignTo(llvm::divideCeil(columns, 2), nr);
      else if (rows > 2 * mr)
        mostRows = llvm::alignTo(llvm::divideCeil(rows, 2), mr);
      else
        break;
    }
    tileRows = tileSize(m, mostRows, mr);
    tileColumns = tileSize(n, mostColumns, nr);
    const int64_t depthBlocks = llvm::divideCeil(depth, block.kc);
    tileDepth = depthBlocks == 1 ? depth : llvm::alignTo(llvm::divideCeil(depth, depthBlocks), lanes);

    kernel.choice = llvm::formatv("packed {0}x{1}x{2}", tileRows, tileColumns, tileDepth).str();
    const int64_t rowTiles = llvm::divideCeil(m, tileRows), columnTiles = llvm::divideCeil(n, tileColumns);
    const int64_t rowPanels = llvm::divideCeil(tileRows, mr), columnPanels = llvm::divideCeil(tileColumns, nr);
    kernel.setGrid(batch * rowTiles * columnTiles);
    Value a = e.scratch({rowPanels, tileDepth, mr}, element);
    Value b = e.scratch({columnPanels, tileDepth, nr}, element);
    Value c = e.scratch({rowPanels * mr, columnPanels * nr}, element);
    SmallVector<AffineExpr> split = splitIndex(e, kernel.program, {batch, rowTiles, columnTiles});
    SmallVector<AffineExpr> batchAt = splitIndex(e, split[0], batchSizes);
    // The last tile moves back to stay inside: a few elements are computed twice, to the same value.
    AffineExpr firstRow = base(split[1], tileRows, m), firstColumn = base(split[2], tileColumns, n);

    auto multiply = [&](AffineExpr firstDepth, int64_t count, bool accumulate) {
      pack(lhs, a, batchAt, firstRow, tileRows, mr, firstDepth, count);
      pack(rhs, b, batchAt, firstColumn, tileColumns, nr, firstDepth, count);
      tile::ContractOp::create(e.ops, e.loc, a, b, c, e.indexConstant(count), accumulate);
    };
    if (depth == tileDepth) {
      multiply(e.constant(0), depth, false);
    } else {
      clear(c, rowPanels * mr, columnPanels * nr);
      Chunks chunks{tileDepth, depth / tileDepth, depth % tileDepth};
      e.loop(0, chunks.count(), 1, {}, [&](AffineExpr block, ValueRange) {
        forChunk(e, chunks, block, [&](AffineExpr start, int64_t count) { multiply(start, count, true); });
        return SmallVector<Value>();
      });
    }

    // The epilogue reads the product from the block.
    e.bind(dot.getResult(), c, [=, this](ArrayRef<AffineExpr> index) {
      size_t batches = batchSizes.size(), lhsFree = lhs.freeSizes.size();
      AffineExpr row = e.space.linearize(index.slice(batches, lhsFree), lhs.freeSizes);
      AffineExpr column = e.space.linearize(index.drop_front(batches + lhsFree), rhs.freeSizes);
      return Index{row - firstRow, column - firstColumn};
    });
    const int64_t width = lanesFor(tileColumns, kernel.lanes());
    AffineExpr origin = (split[0] * m + firstRow) * n + firstColumn;
    e.loop(0, tileRows, 1, {}, [&](AffineExpr i, ValueRange) {
      forVectors(e, e.constant(0), tileColumns, width, 2,
                 [&](AffineExpr j) { storeOutputs(origin + i * n + j + e.lane(), width); });
      return SmallVector<Value>();
    });
  }

  AffineExpr base(AffineExpr number, int64_t tile, int64_t size) {
    if (tile == size) return e.constant(0);
    AffineExpr start = number * tile;
    if (size % tile == 0) return e.dim(e.indexValue(start), {0, size - tile + 1, tile});
    auto map = AffineMap::get(1, 0, {e.ops.getAffineDimExpr(0), e.constant(size - tile)}, e.ops.getContext());
    Value clamped = affine::AffineMinOp::create(e.ops, e.loc, map, ValueRange{e.indexValue(start)});
    return e.dim(clamped, {0, size - tile + 1, std::gcd(tile, size - tile)});
  }

  void clear(Value c, int64_t rows, int64_t columns) {
    e.loop(0, rows, 1, {}, [&](AffineExpr i, ValueRange) {
      forVectors(e, e.constant(0), columns, lanesFor(columns, lanes), 4, [&](AffineExpr j) {
        e.storeAt(e.constantTile(element, lanesFor(columns, lanes), 0), c, {i, j + e.lane()});
      });
      return SmallVector<Value>();
    });
  }

  // Fills panels [panel, depth, width] with `count` steps of depth of the free positions [first, first + size).
  void pack(const Side& s, Value panels, ArrayRef<AffineExpr> batchAt, AffineExpr first, int64_t size, int64_t width,
            AffineExpr firstDepth, int64_t count) {
    const int64_t whole = size / width;
    auto panel = [&](AffineExpr number, int64_t present) {
      AffineExpr start = first + number * width;
      if (s.depthContiguous && !s.freeContiguous && count > 1)
        packTransposed(s, panels, batchAt, number, start, present, width, firstDepth, count);
      else
        packStraight(s, panels, batchAt, number, start, present, width, firstDepth, count);
    };
    e.loop(0, whole, 1, {}, [&](AffineExpr number, ValueRange) {
      panel(number, width);
      return SmallVector<Value>();
    });
    if (size % width) panel(e.constant(whole), size % width);
  }

  Value read(const Side& s, ArrayRef<AffineExpr> batchAt, AffineExpr free, AffineExpr depthAt, int64_t count) {
    Value v = e.emit(s.value, {s.at(e.space, batchAt, free, e.space.delinearize(depthAt, depthSizes)), count});
    return ir::Builder(e.ops, e.loc).convert(v, element);
  }

  // Lanes along the free side, which is contiguous: a copy for each step of depth.
  void packStraight(const Side& s, Value panels, ArrayRef<AffineExpr> batchAt, AffineExpr number, AffineExpr start,
                    int64_t present, int64_t width, AffineExpr firstDepth, int64_t count) {
    const int64_t unroll = count % 4 == 0 ? 4 : 1;
    e.loop(0, count, unroll, {}, [&](AffineExpr k, ValueRange) {
      for (int64_t from = 0; from < width; from += lanes) {
        const int64_t all = std::min(lanes, width - from), some = std::min(all, present - from);
        const int64_t vector = lanesFor(all, lanes);
        for (int64_t u = 0; u < unroll; ++u) {
          AffineExpr at = k + u;
          if (some > 0) {
            e.withLanes(vector, some < vector ? e.indexConstant(some) : Value(), [&] {
              Value v = read(s, batchAt, start + from + e.lane(), firstDepth + at, vector);
              e.storeAt(v, panels, {number, at, e.lane() + from});
            });
          }
          if (some < all) zeros(panels, number, at, from + std::max<int64_t>(some, 0), from + all);
        }
      }
      return SmallVector<Value>();
    });
  }

  // Columns [from, to) of one step of a panel that no element fills.
  void zeros(Value panels, AffineExpr number, AffineExpr depthAt, int64_t from, int64_t to) {
    const int64_t vector = lanesFor(to - from, lanes);
    e.withLanes(vector, to - from < vector ? e.indexConstant(to - from) : Value(), [&] {
      e.storeAt(e.constantTile(element, vector, 0), panels, {number, depthAt, e.lane() + from});
    });
  }

  // Lanes along the depth, which is contiguous: blocks go through a transposition in registers.
  void packTransposed(const Side& s, Value panels, ArrayRef<AffineExpr> batchAt, AffineExpr number, AffineExpr start,
                      int64_t present, int64_t width, AffineExpr firstDepth, int64_t count) {
    auto block = [&](AffineExpr k, int64_t steps) {
      for (int64_t from = 0; from < width; from += lanes) {
        const int64_t all = std::min(lanes, width - from);
        SmallVector<Value> rows;
        e.withLanes(lanes, steps < lanes ? e.indexConstant(steps) : Value(), [&] {
          for (int64_t r = 0; r < lanes; ++r) {
            if (from + r < present)
              rows.push_back(read(s, batchAt, start + (from + r), firstDepth + k + e.lane(), lanes));
            else
              rows.push_back(e.constantTile(element, lanes, 0));
          }
        });
        SmallVector<Type> types(lanes, rows[0].getType());
        auto columns = tile::TransposeOp::create(e.ops, e.loc, types, rows);
        e.withLanes(lanes, all < lanes ? e.indexConstant(all) : Value(), [&] {
          for (int64_t j = 0; j < steps; ++j)
            e.storeAt(columns.getColumns()[j], panels, {number, k + j, e.lane() + from});
        });
      }
    };
    e.loop(0, count / lanes * lanes, lanes, {}, [&](AffineExpr k, ValueRange) {
      block(k, lanes);
      return SmallVector<Value>();
    });
    if (int64_t rest = count % lanes) block(e.constant(count - rest), rest);
  }

  Kernel& kernel;
  Emitter& e;
  ir::DotGeneralOp dot;
  Side lhs, rhs;
  SmallVector<int64_t> batchSizes, depthSizes;
  int64_t batch, m, n, depth;
  Type element;
  int64_t lanes = 0, mr = 0, nr = 0, tileRows = 0, tileColumns = 0, tileDepth = 0;
};

}  // namespace

void emitContraction(Kernel& kernel) {
  ir::DotGeneralOp dot;
  for (Operation& op : kernel.source.front())
    if (auto d = dyn_cast<ir::DotGeneralOp>(op)) dot = d;
  if (!dot) return emitPointwise(kernel);
  ContractionEmitter(kernel, dot).run();
}

}  // namespace nacre::schedule
