#include "codegen/schedule/reduction.h"

#include <limits>

using namespace mlir;

namespace nacre::schedule {
namespace {

using ir::CombineKind;
using ir::ComparisonDirection;

// The value that changes nothing.
Value neutral(Emitter& e, CombineKind kind, Type element, int64_t lanes) {
  RankedTensorType type = e.tileType(element, lanes);
  auto make = [&](Attribute scalar) -> Value {
    return ir::ConstantOp::create(e.ops, e.loc, type, DenseElementsAttr::get(type, scalar));
  };
  if (auto f = dyn_cast<FloatType>(element)) {
    if (kind == CombineKind::Min || kind == CombineKind::Max)
      return make(FloatAttr::get(f, APFloat::getInf(f.getFloatSemantics(), kind == CombineKind::Max)));
    return e.constantTile(element, lanes, kind == CombineKind::Mul);
  }
  auto integer = cast<IntegerType>(element);
  unsigned width = integer.getWidth();
  bool isUnsigned = integer.isUnsigned() || width == 1;
  APInt bits(width, 0);
  switch (kind) {
    case CombineKind::Mul: bits = APInt(width, 1); break;
    case CombineKind::Min: bits = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width); break;
    case CombineKind::Max: bits = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width); break;
    case CombineKind::And: bits = APInt::getAllOnes(width); break;
    default: break;
  }
  return make(IntegerAttr::get(integer, bits));
}

}  // namespace

Accumulation::Accumulation(Emitter& emitter, Operation* op) : e(emitter), op(op) {
  if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
    kind = reduce.getKind();
    for (int64_t d : reduce.getDimensions()) sizes.push_back(ir::shapeOf(reduce.getInputs()[0])[d]);
    for (Value v : reduce.getOutputs()) elements.push_back(Emitter::computeElement(ir::elementOf(v)));
  } else if (auto product = dyn_cast<ir::DotGeneralOp>(op)) {
    dot = true;
    for (int64_t d : product.getLhsContractingDimensions()) sizes.push_back(ir::shapeOf(product.getLhs())[d]);
    elements.push_back(Emitter::computeElement(ir::elementOf(product.getResult())));
  } else {
    auto argReduce = cast<ir::ArgReduceOp>(op);
    arg = true;
    kind = argReduce.getKind();
    sizes.push_back(ir::shapeOf(argReduce.getOperand())[argReduce.getDimension()]);
    elements = {Emitter::computeElement(ir::elementOf(argReduce.getOperand())), ir::elementOf(argReduce.getResult())};
  }
}

bool Accumulation::needsBlocks() const { return !arg && kind == CombineKind::Add && isa<FloatType>(elements[0]); }

SmallVector<Value> Accumulation::initial(int64_t lanes) {
  SmallVector<Value> result;
  for (auto [i, element] : llvm::enumerate(elements))
    result.push_back(neutral(e, arg && i == 1 ? CombineKind::Min : kind, element, lanes));
  return result;
}

Index Accumulation::operandAt(const Position& kept, ArrayRef<AffineExpr> reduced, ArrayRef<int64_t> dimensions,
                              int64_t rank) {
  Index index;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    auto found = llvm::find(dimensions, d);
    index.push_back(found == dimensions.end() ? kept.index[next++] : reduced[found - dimensions.begin()]);
  }
  return index;
}

Value Accumulation::combineOne(Value a, Value b) {
  ir::Builder m(e.ops, e.loc);
  switch (kind) {
    case CombineKind::Add: return m.add(a, b);
    case CombineKind::Mul: return m.mul(a, b);
    case CombineKind::Min: return m.make<ir::MinOp>(a, b);
    case CombineKind::Max: return m.make<ir::MaxOp>(a, b);
    case CombineKind::And: return m.make<ir::AndOp>(a, b);
    case CombineKind::Or: return m.make<ir::OrOp>(a, b);
    case CombineKind::Xor: return m.make<ir::XorOp>(a, b);
    case CombineKind::Set: return b;
  }
  return b;
}

SmallVector<Value> Accumulation::combine(ArrayRef<Value> a, ArrayRef<Value> b) {
  if (!arg) {
    SmallVector<Value> result;
    for (auto [x, y] : llvm::zip(a, b)) result.push_back(combineOne(x, y));
    return result;
  }
  // b wins when it is better, or NaN against a number, or equal (both NaN counts) with the smaller index.
  ir::Builder m(e.ops, e.loc);
  auto better = kind == CombineKind::Max ? ComparisonDirection::GT : ComparisonDirection::LT;
  Value wins = m.compare(better, b[0], a[0]), same = m.compare(ComparisonDirection::EQ, b[0], a[0]);
  if (isa<FloatType>(elements[0])) {
    Value aNaN = m.compare(ComparisonDirection::NE, a[0], a[0]), bNaN = m.compare(ComparisonDirection::NE, b[0], b[0]);
    wins = m.make<ir::OrOp>(wins, m.make<ir::AndOp>(bNaN, m.make<ir::NotOp>(aNaN)));
    same = m.make<ir::OrOp>(same, m.make<ir::AndOp>(bNaN, aNaN));
  }
  Value earlier = m.make<ir::AndOp>(same, m.compare(ComparisonDirection::LT, b[1], a[1]));
  wins = m.make<ir::OrOp>(wins, earlier);
  return {m.select(wins, b[0], a[0]), m.select(wins, b[1], a[1])};
}

SmallVector<Value> Accumulation::step(ArrayRef<Value> accumulators, const Position& kept, ArrayRef<AffineExpr> reduced,
                                      int64_t lanes, Value exists) {
  ir::Builder m(e.ops, e.loc);
  SmallVector<Value> none = exists ? initial(lanes) : SmallVector<Value>();
  if (auto product = dyn_cast<ir::DotGeneralOp>(op)) {
    // Result dimensions: batching, free ones of lhs, free ones of rhs.
    auto operandIndex = [&](Value operand, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting,
                            int64_t firstFree) {
      Index index;
      int64_t free = firstFree;
      for (int64_t d = 0; d < ir::rankOf(operand); ++d) {
        auto b = llvm::find(batching, d), c = llvm::find(contracting, d);
        if (b != batching.end())
          index.push_back(kept.index[b - batching.begin()]);
        else if (c != contracting.end())
          index.push_back(reduced[c - contracting.begin()]);
        else
          index.push_back(kept.index[free++]);
      }
      return index;
    };
    int64_t batches = product.getLhsBatchingDimensions().size();
    int64_t lhsFree = ir::rankOf(product.getLhs()) - batches - sizes.size();
    Value a = e.emit(product.getLhs(), {operandIndex(product.getLhs(), product.getLhsBatchingDimensions(),
                                                     product.getLhsContractingDimensions(), batches),
                                        lanes});
    Value b = e.emit(product.getRhs(), {operandIndex(product.getRhs(), product.getRhsBatchingDimensions(),
                                                     product.getRhsContractingDimensions(), batches + lhsFree),
                                        lanes});
    a = m.convert(a, elements[0]);
    b = m.convert(b, elements[0]);
    if (exists) a = m.select(exists, a, none[0]), b = m.select(exists, b, none[0]);
    if (isa<FloatType>(elements[0])) return {tile::FmaOp::create(e.ops, e.loc, a, b, accumulators[0])};
    return {m.add(accumulators[0], m.mul(a, b))};
  }
  if (arg) {
    auto argReduce = cast<ir::ArgReduceOp>(op);
    Value operand = argReduce.getOperand();
    Index index = operandAt(kept, reduced, static_cast<int64_t>(argReduce.getDimension()), ir::rankOf(operand));
    Value x = e.emit(operand, {index, lanes});
    Value position = m.convert(e.indexTile(reduced[0], lanes), elements[1]);
    if (exists) x = m.select(exists, x, none[0]), position = m.select(exists, position, none[1]);
    return combine(accumulators, {x, position});
  }
  auto reduce = cast<ir::ReduceOp>(op);
  SmallVector<Value> result;
  for (auto [i, operand] : llvm::enumerate(reduce.getInputs())) {
    Index index = operandAt(kept, reduced, reduce.getDimensions(), ir::rankOf(operand));
    Value x = e.emit(operand, {index, lanes});
    if (exists) x = m.select(exists, x, none[i]);
    result.push_back(combineOne(accumulators[i], x));
  }
  return result;
}

SmallVector<Value> Accumulation::acrossLanes(ArrayRef<Value> accumulators) {
  SmallVector<Value> result;
  auto reduceLanes = [&](CombineKind k, Value v) -> Value {
    return tile::ReduceOp::create(e.ops, e.loc, e.tileType(ir::elementOf(v), 0), k, v);
  };
  if (!arg) {
    for (Value v : accumulators) result.push_back(reduceLanes(kind, v));
    return result;
  }
  ir::Builder m(e.ops, e.loc);
  int64_t lanes = tile::lanesOf(accumulators[0].getType());
  Value best = reduceLanes(kind, accumulators[0]);
  Value all = e.splat(best, lanes);
  Value chosen = m.compare(ComparisonDirection::EQ, accumulators[0], all);
  if (isa<FloatType>(elements[0]))
    chosen = m.make<ir::OrOp>(chosen, m.compare(ComparisonDirection::NE, accumulators[0], accumulators[0]));
  Value never = neutral(e, CombineKind::Min, elements[1], lanes);
  return {best, reduceLanes(CombineKind::Min, m.select(chosen, accumulators[1], never))};
}

void Accumulation::finish(ArrayRef<Value> accumulators, const Position& kept) {
  ir::Builder m(e.ops, e.loc);
  if (arg) {
    e.remember(op->getResult(0), kept, accumulators[1]);
    return;
  }
  for (auto [result, v] : llvm::zip(op->getResults(), accumulators)) e.remember(result, kept, v);
}

}  // namespace nacre::schedule
