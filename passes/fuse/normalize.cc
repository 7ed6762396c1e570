#include "passes/fuse/normalize.h"

#include <functional>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/fuse/op_classes.h"

using namespace mlir;

namespace nacre::passes {

using namespace ir;
using fusion::elementsOf;
using fusion::ReductionDomain;

namespace {

void replace(Operation* op, ValueRange values) {
  op->replaceAllUsesWith(values);
  op->erase();
}

bool isEmpty(Value v) { return elementsOf(v) == 0; }

// All results empty: constants in their place.
bool replaceEmpty(Operation* op, Builder& b) {
  if (op->getNumResults() == 0 || !llvm::all_of(op->getResults(), isEmpty) || isa<ConstantOp>(op)) return false;
  SmallVector<Value> values;
  for (Value v : op->getResults()) {
    auto type = cast<RankedTensorType>(v.getType());
    values.push_back(ConstantOp::create(b.ops, b.loc, type, DenseElementsAttr::get(type, ArrayRef<Attribute>())));
  }
  replace(op, values);
  return true;
}

// Reduces `input` over `dims`, in several steps if these are not adjacent.
Value reduceInSteps(Builder& b, CombineKind kind, Value input, ArrayRef<int64_t> dims) {
  Value v = b.reduce(kind, input, dims);
  ReductionDomain domain;
  if (v == input || fusion::reductionDomain(v.getDefiningOp(), domain)) return v;
  v.getDefiningOp()->erase();

  Type element = elementOf(input);
  bool widen = element.isBF16() && (kind == CombineKind::Add || kind == CombineKind::Mul);
  v = widen ? b.convert(input, b.ops.getF32Type()) : input;
  // From the last group of adjacent dimensions to the first; those before keep their numbers.
  SmallVector<int64_t> left(dims);
  llvm::sort(left);
  while (!left.empty()) {
    SmallVector<int64_t> group = {left.pop_back_val()};
    while (!left.empty() && left.back() == group.back() - 1) group.push_back(left.pop_back_val());
    std::reverse(group.begin(), group.end());
    v = b.reduce(kind, v, group);
  }
  return b.convert(v, element);
}

void normalizeReduce(ReduceOp op, Builder& b) {
  SmallVector<Value> results;
  for (auto [input, output] : llvm::zip(op.getInputs(), op.getOutputs())) {
    auto type = cast<RankedTensorType>(output.getType());
    if (isEmpty(output))
      results.push_back(ConstantOp::create(b.ops, b.loc, type, DenseElementsAttr::get(type, ArrayRef<Attribute>())));
    else if (isEmpty(input))
      results.push_back(identityOf(b, op.getKind(), type));
    else if (elementsOf(input) == elementsOf(output))
      results.push_back(b.reshape(input, type.getShape()));
    else if (elementsOf(output) == 1 && rankOf(input) > 1)
      results.push_back(
          b.reshape(b.reduce(op.getKind(), reshapeAtSource(b, input, {elementsOf(input)}), {0}), type.getShape()));
    else
      results.push_back(reduceInSteps(b, op.getKind(), input, op.getDimensions()));
  }
  replace(op, results);
}

void normalizeArgReduce(ArgReduceOp op, Builder& b) {
  Value input = op.getOperand();
  int64_t dim = op.getDimension();
  if (shapeOf(input)[dim] == 1) return replace(op, b.zeros(cast<RankedTensorType>(op.getType())));
  bool last = llvm::all_of(shapeOf(input).drop_front(dim + 1), [](int64_t size) { return size == 1; });
  if (last) return;
  Value moved = b.moveDim(input, dim, rankOf(input) - 1);
  replace(op, b.make<ArgReduceOp>(op.getType(), op.getKind(), moved, rankOf(input) - 1));
}

// transpose(dot(x, y)) that puts the free dimensions of y before those of x is dot(y, x).
void swapTransposedProduct(TransposeOp op, Builder& b) {
  auto dot = op.getOperand().getDefiningOp<DotGeneralOp>();
  if (!dot || !dot->hasOneUse()) return;
  int64_t batch = dot.getLhsBatchingDimensions().size();
  int64_t lhsFree = rankOf(dot.getLhs()) - batch - dot.getLhsContractingDimensions().size();
  int64_t rhsFree = rankOf(dot.getRhs()) - batch - dot.getRhsContractingDimensions().size();
  SmallVector<int64_t> swapped = iotaDims(batch);
  for (int64_t d = 0; d < rhsFree; ++d) swapped.push_back(batch + lhsFree + d);
  for (int64_t d = 0; d < lhsFree; ++d) swapped.push_back(batch + d);
  if (op.getPermutation() != ArrayRef<int64_t>(swapped)) return;
  Value other = b.make<DotGeneralOp>(op.getType(), dot.getRhs(), dot.getLhs(), dot.getRhsBatchingDimensions(),
                                     dot.getLhsBatchingDimensions(), dot.getRhsContractingDimensions(),
                                     dot.getLhsContractingDimensions(), dot.getPreferredElementTypeAttr());
  replace(op, other);
  dot->erase();
}

void normalizeConcatenate(ConcatenateOp op, Builder& b) {
  SmallVector<Value> inputs;
  for (Value v : op.getInputs())
    if (!isEmpty(v)) inputs.push_back(v);
  if (inputs.size() != op.getInputs().size() || inputs.size() == 1)
    replace(op, b.concatenate(inputs, op.getDimension()));
}

void normalize(Operation* op) {
  OpBuilder ops(op);
  Builder b(ops, op->getLoc());
  if (auto reduce = dyn_cast<ReduceOp>(op)) return normalizeReduce(reduce, b);
  if (replaceEmpty(op, b)) return;
  if (auto arg = dyn_cast<ArgReduceOp>(op)) return normalizeArgReduce(arg, b);
  if (auto transpose = dyn_cast<TransposeOp>(op)) return swapTransposedProduct(transpose, b);
  if (auto concatenate = dyn_cast<ConcatenateOp>(op)) return normalizeConcatenate(concatenate, b);
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    if (isEmpty(dot.getLhs())) replace(op, b.zeros(cast<RankedTensorType>(dot.getType())));
  } else if (auto pad = dyn_cast<PadOp>(op)) {
    if (isEmpty(pad.getOperand())) replace(op, b.broadcastInDim(pad.getPaddingValue(), shapeOf(pad.getResult()), {}));
  } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
    if (isEmpty(scatter.getUpdates())) replace(op, scatter.getOperand());
  } else if (auto update = dyn_cast<DynamicUpdateSliceOp>(op)) {
    if (isEmpty(update.getUpdate()))
      replace(op, update.getOperand());
    else if (update.getUpdate().getType() == update.getOperand().getType())
      replace(op, update.getUpdate());  // start positions are clamped to 0
  }
}

}  // namespace

Value identityOf(Builder& b, CombineKind kind, RankedTensorType type) {
  Type element = type.getElementType();
  bool isMin = kind == CombineKind::Min, isMax = kind == CombineKind::Max;
  Attribute scalar;
  if (auto floating = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics& semantics = floating.getFloatSemantics();
    APFloat value = isMin || isMax             ? APFloat::getInf(semantics, isMax)
                    : kind == CombineKind::Mul ? APFloat::getOne(semantics)
                                               : APFloat::getZero(semantics);
    scalar = FloatAttr::get(floating, value);
  } else {
    auto integer = cast<IntegerType>(element);
    unsigned width = integer.getWidth();
    bool isUnsigned = width == 1 || integer.isUnsigned();
    APInt value(width, 0);
    if (isMin) value = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
    if (isMax) value = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
    if (kind == CombineKind::Mul) value = APInt(width, 1);
    if (kind == CombineKind::And) value = APInt::getAllOnes(width);
    scalar = IntegerAttr::get(integer, value);
  }
  return ConstantOp::create(b.ops, b.loc, type, DenseElementsAttr::get(type, scalar));
}

Value reshapeAtSource(Builder& b, Value v, ArrayRef<int64_t> shape) {
  // The op and how deep it stands below v.
  constexpr int kDeepest = 8;
  std::function<Value(Value, int)> visit = [&](Value v, int depth) -> Value {
    Operation* op = v.getDefiningOp();
    if (!op) return b.reshape(v, shape);
    if (auto constant = dyn_cast<ConstantOp>(op); constant && fusion::isSplat(op)) {
      auto type = withShape(typeOf(v), shape);
      return ConstantOp::create(b.ops, b.loc, type, cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type));
    }
    if (auto broadcast = dyn_cast<BroadcastInDimOp>(op); broadcast && broadcast.getBroadcastDimensions().empty())
      return b.broadcastInDim(broadcast.getOperand(), shape, {});
    // Several uses in one op (x * x) count as one.
    bool oneUser = llvm::all_of(op->getUsers(), [&](Operation* user) { return user == *op->getUsers().begin(); });
    if (depth == kDeepest || !oneUser || op->getNumResults() != 1 ||
        fusion::classOf(op) != fusion::OpClass::elementwise)
      return b.reshape(v, shape);
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      auto known = llvm::find(op->getOperands(), operand) - op->getOperands().begin();
      operands.push_back(known < static_cast<int64_t>(i) ? operands[known] : visit(operand, depth + 1));
    }
    OperationState state(op->getLoc(), op->getName(), operands, withShape(typeOf(v), shape), op->getAttrs());
    return b.ops.create(state)->getResult(0);
  };
  return visit(v, 0);
}

void normalizeForFusion(func::FuncOp f) {
  for (Operation& op : llvm::make_early_inc_range(f.front().without_terminator())) normalize(&op);
}

}  // namespace nacre::passes
