// reduce, arg_reduce.
#include "ir/rules/common.h"

using namespace mlir;
using namespace nacre::ir::detail;

namespace nacre::ir {

// --- reduce ---

LogicalResult ReduceOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type>& types) {
  constexpr StringLiteral name = "nacre.reduce";
  CombineKind kind = adaptor.getKind();
  if (kind == CombineKind::Set)
    return emitOptionalError(location, name, ": kind set combines nothing; it is for nacre.scatter only");
  if (adaptor.getInputs().empty()) return emitOptionalError(location, name, ": needs at least one operand");
  Dims dims = adaptor.getDimensions(), shape = shapeOf(adaptor.getInputs()[0]);
  if (failed(checkDims(location, name, "dims", dims, shape.size()))) return failure();
  bool bits = kind == CombineKind::And || kind == CombineKind::Or || kind == CombineKind::Xor;
  for (auto [i, input] : llvm::enumerate(adaptor.getInputs())) {
    if (bits && isFloat(elementOf(input)))
      return emitOptionalError(location, name, ": kind ", stringifyCombineKind(kind), " combines bits, but operand ", i,
                               " has element type ", elementOf(input), "; compare or convert it first");
    if (shapeOf(input) != shape)
      return emitOptionalError(location, name, ": operand ", i, " has shape ", text(shapeOf(input)),
                               " but operand 0 has ", text(shape), "; reduce them apart or make the shapes equal");
    types.push_back(withShape(typeOf(input), sizesAt(shape, otherDims(shape.size(), dims))));
  }
  return success();
}

namespace {

int64_t reducedCount(Dims shape, Dims dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= shape[d];
  return count;
}

// Mean of the tangents at all places that hold the extreme value.
Value extremeTangent(Builder& b, Value input, Value extreme, Value tangent, Dims dims) {
  Dims shape = shapeOf(input);
  Value there =
      b.compare(ComparisonDirection::EQ, input, b.broadcastInDim(extreme, shape, otherDims(shape.size(), dims)));
  Value count = b.reduce(CombineKind::Add, b.convert(there, elementOf(input)), dims);
  Value sum = b.reduce(CombineKind::Add, b.select(there, tangent, b.zerosLike(tangent)), dims);
  return b.div(sum, count);
}

// The product's derivative without division, so that zeros are no exception: values and tangents, with the reduced
// elements as last dimension, are multiplied in pairs, halving it until one is left.
Value productTangent(Builder& b, Value input, Value tangent, Dims dims) {
  Dims shape = shapeOf(input);
  SmallVector<int64_t> order = otherDims(shape.size(), dims), sizes = sizesAt(shape, order);
  SmallVector<int64_t> result(sizes);
  order.append(dims.begin(), dims.end());
  sizes.push_back(reducedCount(shape, dims));
  Value x = b.reshape(b.transpose(input, order), sizes), t = b.reshape(b.transpose(tangent, order), sizes);
  int64_t last = sizes.size() - 1;
  SmallVector<int64_t> none(sizes.size(), 0);
  while (sizes[last] > 1) {
    int64_t half = llvm::divideCeil(sizes[last], 2);
    if (sizes[last] % 2 != 0) {
      SmallVector<int64_t> high(none);
      high[last] = 1;
      auto scalar = RankedTensorType::get({}, elementOf(x));
      x = b.pad(x, b.constant(scalar, 1), none, high, none);
      t = b.pad(t, b.zeros(scalar), none, high, none);
    }
    SmallVector<int64_t> middle(none), firstEnd(sizes), end(sizes);
    middle[last] = firstEnd[last] = half;
    end[last] = 2 * half;
    Value x0 = b.slice(x, none, firstEnd), x1 = b.slice(x, middle, end);
    Value t0 = b.slice(t, none, firstEnd), t1 = b.slice(t, middle, end);
    x = b.mul(x0, x1);
    t = b.add(b.mul(t0, x1), b.mul(x0, t1));
    sizes[last] = half;
  }
  return b.reshape(t, result);
}

}  // namespace

LogicalResult ReduceOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Dims dims = getDimensions();
  results.assign(tangents.size(), nullptr);
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    // The reduction of nothing is a constant.
    if (!tangents[i] || reducedCount(shapeOf(input), dims) == 0) continue;
    switch (getKind()) {
      case CombineKind::Add: results[i] = b.reduce(CombineKind::Add, tangents[i], dims); break;
      case CombineKind::Min:
      case CombineKind::Max: results[i] = extremeTangent(b, input, getOutputs()[i], tangents[i], dims); break;
      case CombineKind::Mul: results[i] = productTangent(b, input, tangents[i], dims); break;
      default: return emitError() << "nacre.reduce: kind " << stringifyCombineKind(getKind()) << " has no derivative";
    }
  }
  return success();
}

LogicalResult ReduceOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                                  SmallVectorImpl<Value>& results) {
  if (getKind() != CombineKind::Add)
    return emitError() << "nacre.reduce: kind " << stringifyCombineKind(getKind())
                       << " is not linear, so it has no transpose; only add is";
  results.assign(operands.size(), nullptr);
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (!operands[i] && cotangents[i])
      results[i] = b.broadcastInDim(cotangents[i], shapeOf(input), otherDims(rankOf(input), getDimensions()));
  return success();
}

LogicalResult ReduceOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool> mapped,
                              SmallVectorImpl<Value>& results) {
  SmallVector<Value> all;
  for (auto [operand, isMapped] : llvm::zip_equal(operands, mapped))
    all.push_back(asMapped(b, operand, isMapped, size));
  auto batched = ReduceOp::create(b.ops, b.loc, getKind(), all, shifted(getDimensions()));
  results.assign(batched->result_begin(), batched->result_end());
  return success();
}

// Factors of an op that reduces `dims` of `input`, and the input's index map.
static IterationSpace reductionSpace(Value input, Dims dims, AffineMap& inputMap) {
  Dims shape = shapeOf(input);
  SmallVector<int64_t> kept = otherDims(shape.size(), dims), reduced(dims);
  llvm::sort(reduced);
  IterationSpace space;
  addFactors(space, "d", sizesAt(shape, kept), FactorKind::parallel);
  addFactors(space, "r", sizesAt(shape, reduced), FactorKind::reduction);
  SmallVector<unsigned> factorOf(shape.size());
  for (auto [factor, d] : llvm::enumerate(llvm::concat<int64_t>(kept, reduced))) factorOf[d] = factor;
  inputMap = AffineMap::getMultiDimMapWithTargets(shape.size(), factorOf, input.getContext());
  space.resultMaps.push_back(firstFactors(shape.size(), kept.size(), input.getContext()));
  return space;
}

FailureOr<IterationSpace> ReduceOp::iterationSpace() {
  AffineMap inputMap;
  IterationSpace space = reductionSpace(getInputs()[0], getDimensions(), inputMap);
  space.operandMaps.assign(getInputs().size(), inputMap);
  AffineMap resultMap = space.resultMaps[0];
  space.resultMaps.assign(getOutputs().size(), resultMap);
  return space;
}

// --- arg_reduce ---

LogicalResult ArgReduceOp::verify() {
  auto dim = static_cast<int64_t>(getDimension());
  Dims shape = shapeOf(getOperand());
  if (getKind() != CombineKind::Min && getKind() != CombineKind::Max)
    return emitError() << "nacre.arg_reduce: kind " << stringifyCombineKind(getKind()) << " is not min or max";
  if (failed(checkDims(getLoc(), "nacre.arg_reduce", "dim", {dim}, shape.size()))) return failure();
  if (shape[dim] == 0)
    return emitError() << "nacre.arg_reduce: dimension " << dim << " of the operand of shape " << text(shape)
                       << " is empty, so it has no least or greatest element; make it at least 1 long";
  SmallVector<int64_t> expected = sizesAt(shape, otherDims(shape.size(), {dim}));
  if (shapeOf(getResult()) != Dims(expected))
    return emitError() << "nacre.arg_reduce: operand has shape " << text(shape) << " and result "
                       << text(shapeOf(getResult())) << "; without dimension " << dim << " it is " << text(expected);
  auto index = cast<IntegerType>(elementOf(getResult()));
  unsigned bits = index.getWidth() - (index.isUnsigned() ? 0 : 1);
  if (bits < 64 && (shape[dim] - 1) >> bits)
    return emitError() << "nacre.arg_reduce: indices up to " << shape[dim] - 1 << " do not fit into " << index
                       << "; use a wider result type";
  return success();
}

LogicalResult ArgReduceOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool>,
                                 SmallVectorImpl<Value>& results) {
  results.assign(
      {b.make<ArgReduceOp>(withLeading(typeOf(getResult()), size), getKind(), operands[0], getDimension() + 1)});
  return success();
}

FailureOr<IterationSpace> ArgReduceOp::iterationSpace() {
  AffineMap inputMap;
  IterationSpace space = reductionSpace(getOperand(), {static_cast<int64_t>(getDimension())}, inputMap);
  space.operandMaps.push_back(inputMap);
  return space;
}

}  // namespace nacre::ir
