// dot_general.
#include "ir/rules/common.h"

using namespace mlir;
using namespace nacre::ir::detail;

namespace nacre::ir {

namespace {
constexpr StringLiteral kDot = "nacre.dot_general";

// Attributes of nacre.dot_general; the preferred type is apart.
struct DotDims {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
};

DotDims dimsOf(DotGeneralOp op) {
  return {SmallVector<int64_t>(op.getLhsBatchingDimensions()), SmallVector<int64_t>(op.getRhsBatchingDimensions()),
          SmallVector<int64_t>(op.getLhsContractingDimensions()),
          SmallVector<int64_t>(op.getRhsContractingDimensions())};
}

// The preferred type is written down only where it is not the operands' own.
Value dot(Builder& b, Value lhs, Value rhs, const DotDims& d, Type result) {
  TypeAttr preferred = result == elementOf(lhs) ? TypeAttr() : TypeAttr::get(result);
  return b.make<DotGeneralOp>(lhs, rhs, d.lhsBatching, d.rhsBatching, d.lhsContracting, d.rhsContracting, preferred);
}
}  // namespace

LogicalResult DotGeneralOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type>& types) {
  RankedTensorType lhs = typeOf(adaptor.getLhs()), rhs = typeOf(adaptor.getRhs());
  Dims lhsBatching = adaptor.getLhsBatchingDimensions(), rhsBatching = adaptor.getRhsBatchingDimensions(),
       lhsContracting = adaptor.getLhsContractingDimensions(), rhsContracting = adaptor.getRhsContractingDimensions();
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(location, kDot, ": lhs has element type ", lhs.getElementType(), " but rhs has ",
                             rhs.getElementType(), "; convert one to the other first");
  SmallVector<int64_t> lhsUsed(lhsBatching), rhsUsed(rhsBatching);
  lhsUsed.append(lhsContracting.begin(), lhsContracting.end());
  rhsUsed.append(rhsContracting.begin(), rhsContracting.end());
  if (failed(checkDims(location, kDot, "batching and contracting dimensions of lhs", lhsUsed, lhs.getRank())) ||
      failed(checkDims(location, kDot, "batching and contracting dimensions of rhs", rhsUsed, rhs.getRank())))
    return failure();
  if (lhsBatching.size() != rhsBatching.size() || lhsContracting.size() != rhsContracting.size())
    return emitOptionalError(location, kDot, ": batching = ", text(lhsBatching), " x ", text(rhsBatching),
                             ", contracting = ", text(lhsContracting), " x ", text(rhsContracting),
                             "; each list must have as many entries for lhs as for rhs");
  for (auto [l, r] : llvm::zip_equal(lhsUsed, rhsUsed))
    if (lhs.getDimSize(l) != rhs.getDimSize(r))
      return emitOptionalError(location, kDot, ": lhs has shape ", text(lhs.getShape()), " and rhs ",
                               text(rhs.getShape()), "; dimension ", l, " of lhs (", lhs.getDimSize(l),
                               ") meets dimension ", r, " of rhs (", rhs.getDimSize(r), ") and must have its size");
  Type result = lhs.getElementType();
  if (std::optional<Type> preferred = adaptor.getPreferredElementType()) {
    if (!preferred->isIntOrFloat() || preferred->isInteger(1) || isFloat(*preferred) != isFloat(result))
      return emitOptionalError(location, kDot, ": preferred = ", *preferred, ", but the operands have element type ",
                               result,
                               "; ask for a floating-point type of floating-point operands, an integer type of "
                               "integer ones");
    result = *preferred;
  }
  SmallVector<int64_t> sizes = sizesAt(lhs.getShape(), lhsBatching);
  sizes.append(sizesAt(lhs.getShape(), otherDims(lhs.getRank(), lhsUsed)));
  sizes.append(sizesAt(rhs.getShape(), otherDims(rhs.getRank(), rhsUsed)));
  types.push_back(withElement(withShape(lhs, sizes), result));
  return success();
}

LogicalResult DotGeneralOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  Type type = elementOf(getResult());
  Value byLhs = tangents[0] ? dot(b, tangents[0], getRhs(), dimsOf(*this), type) : nullptr;
  Value byRhs = tangents[1] ? dot(b, getLhs(), tangents[1], dimsOf(*this), type) : nullptr;
  results.assign({b.addOrNull(byLhs, byRhs)});
  return success();
}

// The cotangent times the known operand, contracted over the latter's free dimensions. The product comes with batching
// dimensions, then the free and the contracting ones of the operand asked for; they go back to their places in it.
// Where operands and result differ in type, the wider is used and the result rounded once.
LogicalResult DotGeneralOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                                      SmallVectorImpl<Value>& results) {
  results.assign(2, nullptr);
  bool left = !operands[0];
  if (left != static_cast<bool>(operands[1]))
    return emitError() << kDot << ": transposed in " << (left ? "both operands" : "no operand")
                       << "; it is linear in one at a time";
  DotDims dims = dimsOf(*this);
  Value known = left ? operands[1] : operands[0], wanted = left ? getLhs() : getRhs(), cotangent = cotangents[0];
  const auto& [wantedBatching, wantedContracting] =
      left ? std::tie(dims.lhsBatching, dims.lhsContracting) : std::tie(dims.rhsBatching, dims.rhsContracting);
  const auto& [knownBatching, knownContracting] =
      left ? std::tie(dims.rhsBatching, dims.rhsContracting) : std::tie(dims.lhsBatching, dims.lhsContracting);
  SmallVector<int64_t> wantedFree = otherDims(rankOf(wanted), wantedBatching, wantedContracting);
  SmallVector<int64_t> knownFree = otherDims(rankOf(known), knownBatching, knownContracting);
  int64_t batching = knownBatching.size();
  // Where the known operand's free dimensions are in the cotangent: after the batching ones, and after lhs's free ones.
  SmallVector<int64_t> inCotangent = iotaDims(knownFree.size(), batching + (left ? wantedFree.size() : 0));
  Type type = elementOf(wanted), wide = type;
  if (elementOf(cotangent).getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth()) wide = elementOf(cotangent);
  Value product = dot(b, b.convert(cotangent, wide), b.convert(known, wide),
                      {iotaDims(batching), knownBatching, inCotangent, knownFree}, wide);
  SmallVector<int64_t> order(rankOf(wanted));
  int64_t from = 0;
  for (int64_t d : wantedBatching) order[d] = from++;
  for (int64_t d : wantedFree) order[d] = from++;
  SmallVector<int64_t> ascending(knownContracting);
  llvm::sort(ascending);
  for (int64_t k : ascending)
    order[wantedContracting[llvm::find(knownContracting, k) - knownContracting.begin()]] = from++;
  results[left ? 0 : 1] = b.convert(b.transpose(product, order), type);
  return success();
}

// Mapped on both sides the new dimension is a batching one, else it is one more free dimension of its side, so that a
// product with shared weights stays one product.
LogicalResult DotGeneralOp::batch(Builder& b, int64_t, ArrayRef<Value> operands, ArrayRef<bool> mapped,
                                  SmallVectorImpl<Value>& results) {
  DotDims dims = dimsOf(*this);
  int64_t batching = dims.lhsBatching.size();
  int64_t lhsFree = rankOf(getLhs()) - batching - dims.lhsContracting.size();
  if (mapped[0]) dims.lhsBatching = shifted(dims.lhsBatching), dims.lhsContracting = shifted(dims.lhsContracting);
  if (mapped[1]) dims.rhsBatching = shifted(dims.rhsBatching), dims.rhsContracting = shifted(dims.rhsContracting);
  int64_t position = batching + (mapped[0] ? 0 : lhsFree);
  if (mapped[0] && mapped[1]) {
    dims.lhsBatching = withFront(0, dims.lhsBatching);
    dims.rhsBatching = withFront(0, dims.rhsBatching);
    position = 0;
  }
  results.assign({b.moveDim(dot(b, operands[0], operands[1], dims, elementOf(getResult())), position, 0)});
  return success();
}

FailureOr<IterationSpace> DotGeneralOp::iterationSpace() {
  DotDims dims = dimsOf(*this);
  Dims lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  SmallVector<int64_t> lhsFree = otherDims(lhs.size(), dims.lhsBatching, dims.lhsContracting);
  SmallVector<int64_t> rhsFree = otherDims(rhs.size(), dims.rhsBatching, dims.rhsContracting);
  IterationSpace space;
  addFactors(space, "b", sizesAt(lhs, dims.lhsBatching), FactorKind::parallel);
  addFactors(space, "m", sizesAt(lhs, lhsFree), FactorKind::parallel);
  addFactors(space, "n", sizesAt(rhs, rhsFree), FactorKind::parallel);
  addFactors(space, "k", sizesAt(lhs, dims.lhsContracting), FactorKind::reduction);
  unsigned count = space.factors.size(), resultRank = rankOf(getResult());
  unsigned b0 = 0, m0 = dims.lhsBatching.size(), n0 = m0 + lhsFree.size(), k0 = resultRank;
  auto map = [&](size_t rank, Dims batching, Dims free, unsigned freeFrom, Dims contracting) {
    SmallVector<unsigned> factor(rank);
    for (auto [i, d] : llvm::enumerate(batching)) factor[d] = b0 + i;
    for (auto [i, d] : llvm::enumerate(free)) factor[d] = freeFrom + i;
    for (auto [i, d] : llvm::enumerate(contracting)) factor[d] = k0 + i;
    return AffineMap::getMultiDimMapWithTargets(count, factor, getContext());
  };
  space.operandMaps.push_back(map(lhs.size(), dims.lhsBatching, lhsFree, m0, dims.lhsContracting));
  space.operandMaps.push_back(map(rhs.size(), dims.rhsBatching, rhsFree, n0, dims.rhsContracting));
  space.resultMaps.push_back(firstFactors(count, resultRank, getContext()));
  return space;
}

}  // namespace nacre::ir
