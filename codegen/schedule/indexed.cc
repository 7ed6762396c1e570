// Writes at places that data decides, into an output that already holds the operand: scatter and dynamic_update_slice.
// Updates are taken in index order by every program; programs share the work only along dimensions that cannot meet.
#include <limits>
#include <numeric>

#include "codegen/schedule/iteration.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

class ScatterEmitter {
 public:
  ScatterEmitter(Kernel& kernel, ir::ScatterOp op) : kernel(kernel), e(kernel.e), op(op) {
    shape = SmallVector<int64_t>(ir::shapeOf(op.getOperand()));
    ArrayRef<int64_t> updates = ir::shapeOf(op.getUpdates());
    // Operand dimensions that a window runs along, in order.
    SmallVector<int64_t> windowed;
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
      if (!llvm::is_contained(op.getInsertedWindowDims(), d) && !llvm::is_contained(op.getInputBatchingDims(), d))
        windowed.push_back(d);
    windowDims = windowed;
    for (int64_t d = 0; d < static_cast<int64_t>(updates.size()); ++d)
      (llvm::is_contained(op.getUpdateWindowDims(), d) ? windowSizes : scatterSizes).push_back(updates[d]);
  }

  void run(bool copyOperand) {
    element = Emitter::computeElement(ir::elementOf(op.getResult()));
    const int64_t width = windowSizes.empty() ? 1 : windowSizes.back();
    const int64_t machine = kernel.lanes();
    lanes = width > 1 ? lanesFor(width, machine) : 0;
    // Windows that start at a fixed place in their last dimension can be cut there: the parts never meet.
    bool cut = lanes && !llvm::is_contained(op.getScatterDimsToOperandDims(), windowDims.back()) && !copyOperand;
    Chunks chunks{width, 1, 0};
    if (cut) chunks = chunksOf(width, std::max(machine * 4, width / 8), machine);
    kernel.setGrid(chunks.count());
    if (copyOperand) copy();
    const int64_t count = std::accumulate(scatterSizes.begin(), scatterSizes.end(), int64_t{1}, std::multiplies<>());
    forChunk(e, chunks, kernel.program, [&](AffineExpr start, int64_t length) {
      e.loop(0, count, 1, {}, [&](AffineExpr number, ValueRange) {
        scatterOne(splitIndex(e, number, scatterSizes), start, length);
        return SmallVector<Value>();
      });
    });
  }

 private:
  void copy() {
    const int64_t total = numElements(op.getResult()), vector = lanesFor(total, kernel.lanes());
    forVectors(e, e.constant(0), total, vector, 1, [&](AffineExpr p) {
      AffineExpr at = p + e.lane();
      e.store(e.emit(op.getOperand(), {kernel.at(op.getOperand(), at), vector}), kernel.outputBuffers[0], at);
    });
  }

  // One window (its part [start, start + length) of the last dimension).
  void scatterOne(ArrayRef<AffineExpr> scatterAt, AffineExpr start, int64_t length) {
    Index indicesAt;
    const int64_t vectorDim = op.getIndexVectorDim();
    size_t next = 0;
    for (int64_t d = 0; d < ir::rankOf(op.getScatterIndices()); ++d)
      indicesAt.push_back(d == vectorDim ? e.constant(0) : scatterAt[next++]);
    Index base(shape.size(), e.constant(0));
    for (auto [d, s] : llvm::zip(op.getInputBatchingDims(), op.getScatterIndicesBatchingDims())) base[d] = indicesAt[s];
    ir::Builder b(e.ops, e.loc);
    Value inside;  // the start lies in every dimension that has no window
    auto require = [&](Value condition) { inside = inside ? b.make<ir::AndOp>(inside, condition) : condition; };
    for (auto [component, d] : llvm::enumerate(op.getScatterDimsToOperandDims())) {
      Index at = indicesAt;
      if (vectorDim < ir::rankOf(op.getScatterIndices())) at[vectorDim] = e.constant(component);
      Value position = b.convert(e.emit(op.getScatterIndices(), {at, 0}), e.ops.getI64Type());
      base[d] = e.dim(tile::ToIndexOp::create(e.ops, e.loc, e.ops.getIndexType(), position),
                      {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()});
      if (llvm::is_contained(windowDims, d)) continue;
      require(b.compare(ir::ComparisonDirection::GE, position, b.constantLike(position, 0)));
      require(b.compare(ir::ComparisonDirection::LT, position, b.constantLike(position, shape[d])));
    }
    auto body = [&] { window(scatterAt, base, start, length); };
    if (inside)
      e.ifThen(tile::ToBoolOp::create(e.ops, e.loc, e.ops.getI1Type(), inside), body);
    else
      body();
  }

  void window(ArrayRef<AffineExpr> scatterAt, const Index& base, AffineExpr start, int64_t length) {
    ArrayRef<int64_t> outer = ArrayRef<int64_t>(windowSizes).drop_back(windowSizes.empty() ? 0 : 1);
    const int64_t rows = std::accumulate(outer.begin(), outer.end(), int64_t{1}, std::multiplies<>());
    e.loop(0, rows, 1, {}, [&](AffineExpr row, ValueRange) {
      SmallVector<AffineExpr> windowAt = splitIndex(e, row, outer);
      if (!lanes) {
        if (!windowSizes.empty()) windowAt.push_back(e.constant(0));
        writeElement(scatterAt, base, windowAt, 0);
      } else {
        forVectors(e, start, length, lanes, 2, [&](AffineExpr p) {
          SmallVector<AffineExpr> at = windowAt;
          at.push_back(p + e.lane());
          writeElement(scatterAt, base, at, lanes);
        });
      }
      return SmallVector<Value>();
    });
  }

  void writeElement(ArrayRef<AffineExpr> scatterAt, const Index& base, ArrayRef<AffineExpr> windowAt, int64_t width) {
    ir::Builder b(e.ops, e.loc);
    Index target = base, updateAt;
    Value laneInside, scalarInside;
    for (auto [d, offset] : llvm::zip(windowDims, windowAt)) {
      target[d] = e.space.simplify(base[d] + offset);
      if (!llvm::is_contained(op.getScatterDimsToOperandDims(), d)) continue;
      bool perLane = dependsOnSymbols(target[d]);
      Value position = e.indexTile(target[d], perLane ? width : 0);
      Value holds =
          b.make<ir::AndOp>(b.compare(ir::ComparisonDirection::GE, position, b.constantLike(position, 0)),
                            b.compare(ir::ComparisonDirection::LT, position, b.constantLike(position, shape[d])));
      Value& all = perLane ? laneInside : scalarInside;
      all = all ? b.make<ir::AndOp>(all, holds) : holds;
    }
    size_t nextWindow = 0, nextScatter = 0;
    for (int64_t d = 0; d < ir::rankOf(op.getUpdates()); ++d)
      updateAt.push_back(llvm::is_contained(op.getUpdateWindowDims(), d) ? windowAt[nextWindow++]
                                                                         : scatterAt[nextScatter++]);
    auto write = [&] {
      Value output = kernel.outputBuffers[0];
      AffineExpr linear = e.space.linearize(target, shape);
      Value update = e.emit(op.getUpdates(), {updateAt, width});
      if (op.getKind() != ir::CombineKind::Set) update = combine(e.load(output, linear, width), update);
      e.store(update, output, linear);
    };
    auto masked = [&] {
      if (laneInside)
        e.withMask(laneInside, write);
      else
        write();
    };
    if (scalarInside)
      e.ifThen(tile::ToBoolOp::create(e.ops, e.loc, e.ops.getI1Type(), scalarInside), masked);
    else
      masked();
  }

  Value combine(Value old, Value update) {
    ir::Builder b(e.ops, e.loc);
    switch (op.getKind()) {
      case ir::CombineKind::Add: return b.add(old, update);
      case ir::CombineKind::Mul: return b.mul(old, update);
      case ir::CombineKind::Min: return b.make<ir::MinOp>(old, update);
      case ir::CombineKind::Max: return b.make<ir::MaxOp>(old, update);
      case ir::CombineKind::And: return b.make<ir::AndOp>(old, update);
      case ir::CombineKind::Or: return b.make<ir::OrOp>(old, update);
      case ir::CombineKind::Xor: return b.make<ir::XorOp>(old, update);
      case ir::CombineKind::Set: return update;
    }
    return update;
  }

  Kernel& kernel;
  Emitter& e;
  ir::ScatterOp op;
  Type element;
  SmallVector<int64_t> shape, windowSizes, scatterSizes, windowDims;
  int64_t lanes = 0;
};

// Only the window is written; programs take parts of it.
void emitUpdate(Kernel& kernel, ir::DynamicUpdateSliceOp op) {
  Emitter& e = kernel.e;
  ArrayRef<int64_t> sizes = ir::shapeOf(op.getUpdate()), shape = ir::shapeOf(op.getOperand());
  const int64_t total = numElements(op.getUpdate());
  if (total == 0) return;
  const int64_t columns = sizes.empty() ? 1 : sizes.back(), rows = total / columns;
  const int64_t lanes = columns > 1 ? lanesFor(columns, kernel.lanes()) : 0;
  ArrayRef<int64_t> outer = sizes.drop_back(sizes.empty() ? 0 : 1);
  Chunks chunks = chunksOf(columns, 32768, std::max<int64_t>(lanes, 1) * 4);
  Chunks rowChunks = chunksOf(rows, std::max<int64_t>(1, 32768 / columns), 1);
  kernel.setGrid(rowChunks.count() * chunks.count());
  Index base;
  for (auto [d, start] : llvm::enumerate(op.getStartIndices())) {
    int64_t most = shape[d] - sizes[d];
    base.push_back(most == 0 ? e.constant(0) : e.clampedStart(e.emit(start, {}), most));
  }
  SmallVector<AffineExpr> split = splitIndex(e, kernel.program, {rowChunks.count(), chunks.count()});
  auto writeAt = [&](SmallVector<AffineExpr> at) {
    Index target;
    for (auto [b, i] : llvm::zip(base, at)) target.push_back(b + i);
    Value update = e.emit(op.getUpdate(), {Index(at.begin(), at.end()), lanes});
    e.store(update, kernel.outputBuffers[0], e.space.linearize(target, shape));
  };
  forChunk(e, rowChunks, split[0], [&](AffineExpr firstRow, int64_t count) {
    e.loop(0, count, 1, {}, [&](AffineExpr r, ValueRange) {
      SmallVector<AffineExpr> at = splitIndex(e, firstRow + r, outer);
      if (!lanes) {
        if (!sizes.empty()) at.push_back(e.constant(0));
        writeAt(at);
        return SmallVector<Value>();
      }
      forChunk(e, chunks, split[1], [&](AffineExpr start, int64_t length) {
        forVectors(e, start, length, lanes, 4, [&](AffineExpr p) {
          SmallVector<AffineExpr> full = at;
          full.push_back(p + e.lane());
          writeAt(full);
        });
      });
      return SmallVector<Value>();
    });
  });
}

}  // namespace

void emitIndexed(Kernel& kernel) {
  Operation* root = kernel.results.size() == 1 ? kernel.results[0].getDefiningOp() : nullptr;
  auto inPlace = kernel.source->getAttrOfType<IntegerAttr>("nacre.in_place_operand");
  if (inPlace) kernel.func.setInPlace({0, inPlace.getInt()});
  kernel.choice = "updates in order";
  if (auto scatter = dyn_cast_or_null<ir::ScatterOp>(root)) return ScatterEmitter(kernel, scatter).run(!inPlace);
  auto update = dyn_cast_or_null<ir::DynamicUpdateSliceOp>(root);
  if (update && inPlace) return emitUpdate(kernel, update);
  emitPointwise(kernel);
}

}  // namespace nacre::schedule
