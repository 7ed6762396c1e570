// Ops whose result comes from one operand or another depending on the index, or from a place that data decides.
#include "codegen/schedule/emission.h"

using namespace mlir;

namespace nacre::schedule {

Value Emitter::choose(ArrayRef<Condition> conditions, int64_t lanes, llvm::function_ref<Value()> inside,
                      llvm::function_ref<Value()> outside) {
  ir::Builder b(ops, loc);
  Value scalarCondition, laneCondition;
  for (const Condition& c : conditions) {
    auto [low, high] = space.range(c.expr);
    if (low >= c.upper || high < c.lower || c.lower >= c.upper) return outside();
    bool withLanes = dependsOnSymbols(space.simplify(c.expr));
    int64_t width = withLanes ? lanes : 0;
    Value& all = withLanes ? laneCondition : scalarCondition;
    auto require = [&](ir::ComparisonDirection direction, Value x, int64_t bound) {
      Value holds = b.compare(direction, x, b.constantLike(x, bound));
      all = all ? b.make<ir::AndOp>(all, holds) : holds;
    };
    if (low >= c.lower && high < c.upper && c.multiple == 1) continue;
    Value x = indexTile(c.expr, width);
    if (low < c.lower) require(ir::ComparisonDirection::GE, x, c.lower);
    if (high >= c.upper) require(ir::ComparisonDirection::LT, x, c.upper);
    if (c.multiple > 1) {
      Value distance = b.sub(x, b.constantLike(x, c.lower));
      require(ir::ComparisonDirection::EQ, b.make<ir::RemOp>(distance, b.constantLike(x, c.multiple)), 0);
    }
  }
  auto assumed = [&]() -> Value {
    for (const Condition& c : conditions) space.pushAssumption(c.expr, c.lower, c.upper);
    Value v = inside();
    for (size_t i = 0; i < conditions.size(); ++i) space.popAssumption();
    return v;
  };
  auto whereLanes = [&]() -> Value {
    if (!laneCondition) return assumed();
    masks.push_back(laneCondition);
    maskIds.push_back(nextMaskId++);
    pushScope();
    Value in = assumed();
    popScope();
    maskIds.pop_back();
    masks.pop_back();
    Value out = outside();
    return b.select(laneCondition, in, out);
  };
  if (!scalarCondition) return whereLanes();
  Value condition = tile::ToBoolOp::create(ops, loc, ops.getI1Type(), scalarCondition);
  return ifElse(condition, whereLanes, outside);
}

Value Emitter::emitPad(ir::PadOp op, const Position& at) {
  SmallVector<Condition> conditions;
  Index index;
  for (auto [i, size] : llvm::enumerate(ir::shapeOf(op.getOperand()))) {
    int64_t step = op.getInteriorPadding()[i] + 1;
    AffineExpr distance = at.index[i] - op.getEdgePaddingLow()[i];
    conditions.push_back({distance, 0, size ? (size - 1) * step + 1 : 0, step});
    index.push_back(distance.floorDiv(step));
  }
  return choose(
      conditions, at.lanes,
      [&] {
        return emit(op.getOperand(), {index, at.lanes});
      },
      [&] {
        return emit(op.getPaddingValue(), {{}, at.lanes});
      });
}

Value Emitter::emitConcatenate(ir::ConcatenateOp op, const Position& at) {
  int64_t d = op.getDimension();
  // Operands that the position can meet; the last of them needs no test.
  auto [low, high] = space.range(at.index[d]);
  SmallVector<std::pair<Value, int64_t>> parts;
  int64_t offset = 0;
  for (Value input : op.getInputs()) {
    int64_t size = ir::shapeOf(input)[d];
    if (size > 0 && low < offset + size && high >= offset) parts.push_back({input, offset});
    offset += size;
  }
  if (parts.empty()) return constantTile(computeElement(ir::elementOf(op.getResult())), at.lanes, 0);
  std::function<Value(size_t)> from = [&](size_t k) -> Value {
    auto [input, start] = parts[k];
    Index index = at.index;
    index[d] = at.index[d] - start;
    auto inside = [&, input = input]() { return emit(input, {index, at.lanes}); };
    if (k + 1 == parts.size()) {
      // Lanes that belong to earlier operands must not be read here.
      int64_t size = ir::shapeOf(input)[d];
      Type element = computeElement(ir::elementOf(input));
      return choose(Condition{index[d], 0, size, 1}, at.lanes, inside,
                    [&] { return constantTile(element, at.lanes, 0); });
    }
    return choose(Condition{index[d], 0, ir::shapeOf(input)[d], 1}, at.lanes, inside, [&] {
      // A scalar index that is not here is in a later operand.
      bool known = !dependsOnSymbols(space.simplify(at.index[d]));
      if (known) space.pushAssumption(at.index[d], parts[k + 1].second, offset);
      Value later = from(k + 1);
      if (known) space.popAssumption();
      return later;
    });
  };
  return from(0);
}

Value Emitter::emitDynamicSlice(ir::DynamicSliceOp op, const Position& at) {
  Index index;
  for (auto [i, start] : llvm::enumerate(op.getStartIndices())) {
    int64_t most = ir::shapeOf(op.getOperand())[i] - op.getSliceSizes()[i];
    AffineExpr first = most == 0 ? constant(0) : clampedStart(emit(start, {}), most);
    index.push_back(first + at.index[i]);
  }
  return emit(op.getOperand(), {index, at.lanes});
}

Value Emitter::emitDynamicUpdateSlice(ir::DynamicUpdateSliceOp op, const Position& at) {
  SmallVector<Condition> conditions;
  Index index;
  for (auto [i, start] : llvm::enumerate(op.getStartIndices())) {
    int64_t size = ir::shapeOf(op.getUpdate())[i], most = ir::shapeOf(op.getOperand())[i] - size;
    AffineExpr first = most == 0 ? constant(0) : clampedStart(emit(start, {}), most);
    index.push_back(at.index[i] - first);
    conditions.push_back({index.back(), 0, size, 1});
  }
  return choose(
      conditions, at.lanes,
      [&] {
        return emit(op.getUpdate(), {index, at.lanes});
      },
      [&] { return emit(op.getOperand(), at); });
}

Value Emitter::emitGather(ir::GatherOp op, const Position& at) {
  ArrayRef<int64_t> shape = ir::shapeOf(op.getOperand());
  // Result dimensions: those in offset_dims walk through the window, the others through start_indices.
  Index batch, window;
  for (auto [i, e] : llvm::enumerate(at.index))
    (llvm::is_contained(op.getOffsetDims(), static_cast<int64_t>(i)) ? window : batch).push_back(e);
  int64_t startRank = ir::rankOf(op.getStartIndices()), vectorDim = op.getIndexVectorDim();
  auto startAt = [&](int64_t component) {
    Index index;
    size_t next = 0;
    for (int64_t d = 0; d < startRank; ++d) index.push_back(d == vectorDim ? constant(component) : batch[next++]);
    return index;
  };
  Index index(shape.size(), constant(0));
  Index startIndex = startAt(0);
  for (auto [d, s] : llvm::zip(op.getOperandBatchingDims(), op.getStartIndicesBatchingDims())) index[d] = startIndex[s];
  for (auto [component, d] : llvm::enumerate(op.getStartIndexMap())) {
    int64_t most = shape[d] - op.getSliceSizes()[d];
    if (most == 0) continue;
    Position where{startAt(component), at.lanes};
    simplify(where);
    index[d] = clampedStart(emit(op.getStartIndices(), where), most);
  }
  size_t next = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t dim = d;
    if (llvm::is_contained(op.getCollapsedSliceDims(), dim) || llvm::is_contained(op.getOperandBatchingDims(), dim))
      continue;
    index[d] = index[d] + window[next++];
  }
  return emit(op.getOperand(), {index, at.lanes});
}

}  // namespace nacre::schedule
