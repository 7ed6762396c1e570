// gather, scatter.
#include "ir/rules/common.h"
#include "ir/rules/indexing.h"

using namespace mlir;
using namespace nacre::ir::detail;

namespace nacre::ir {

// --- Emission ---

Value detail::gather(Builder& b, Value operand, Value indices, const GatherDims& d) {
  return b.make<GatherOp>(operand, indices, d.offsetDims, d.collapsedSliceDims, d.operandBatchingDims,
                          d.startIndicesBatchingDims, d.startIndexMap, d.indexVectorDim, d.sliceSizes, d.sorted);
}

Value detail::scatter(Builder& b, CombineKind kind, Value operand, Value indices, Value updates, const ScatterDims& d) {
  return b.make<ScatterOp>(kind, operand, indices, updates, d.updateWindowDims, d.insertedWindowDims,
                           d.inputBatchingDims, d.scatterIndicesBatchingDims, d.scatterDimsToOperandDims,
                           d.indexVectorDim, d.sorted, d.unique);
}

namespace {

GatherDims dimsOf(GatherOp op) {
  return {DimList(op.getOffsetDims()),          DimList(op.getCollapsedSliceDims()),
          DimList(op.getOperandBatchingDims()), DimList(op.getStartIndicesBatchingDims()),
          DimList(op.getStartIndexMap()),       static_cast<int64_t>(op.getIndexVectorDim()),
          DimList(op.getSliceSizes()),          op.getIndicesAreSorted()};
}

ScatterDims dimsOf(ScatterOp op) {
  return {DimList(op.getUpdateWindowDims()),
          DimList(op.getInsertedWindowDims()),
          DimList(op.getInputBatchingDims()),
          DimList(op.getScatterIndicesBatchingDims()),
          DimList(op.getScatterDimsToOperandDims()),
          static_cast<int64_t>(op.getIndexVectorDim()),
          op.getIndicesAreSorted(),
          op.getUniqueIndices()};
}

// --- Indices ---

// Signed indices in which `bounds` are representable.
Value widened(Builder& b, Value indices, Dims bounds) {
  auto element = cast<IntegerType>(elementOf(indices));
  bool narrow = element.getWidth() < 32 || element.isSignlessInteger(32);
  bool fits = llvm::all_of(bounds, [](int64_t v) { return llvm::isInt<32>(v); });
  return b.convert(indices, narrow && fits ? b.ops.getI32Type() : b.ops.getI64Type());
}

// A constant with the type of `indices` that holds values[k] for component k.
Value perComponent(Builder& b, Value indices, int64_t indexVectorDim, Dims values) {
  RankedTensorType type = typeOf(indices);
  if (values.empty() || llvm::all_equal(values)) return b.constant(type, values.empty() ? 0 : values[0]);
  auto element = cast<IntegerType>(type.getElementType());
  SmallVector<APInt> words;
  for (int64_t v : values) words.emplace_back(element.getWidth(), v, /*isSigned=*/true);
  auto row = RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  Value constant = ConstantOp::create(b.ops, b.loc, row, DenseElementsAttr::get(row, words));
  return b.broadcastInDim(constant, type.getShape(), {indexVectorDim});
}

}  // namespace

Value detail::clampIndices(Builder& b, Value indices, int64_t indexVectorDim, Dims low, Dims high) {
  DimList bounds(low);
  bounds.append(high.begin(), high.end());
  Value wide = widened(b, indices, bounds);
  return b.make<ClampOp>(perComponent(b, wide, indexVectorDim, low), wide, perComponent(b, wide, indexVectorDim, high));
}

// --- Checks that gather and scatter share; names differ ---

namespace {

struct Names {
  StringLiteral op, window, collapsed, operandBatching, indicesBatching, indexMap;
};
constexpr Names kGather{
    "nacre.gather",   "offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
    "start_index_map"};
constexpr Names kScatter{"nacre.scatter",
                         "update_window_dims",
                         "inserted_window_dims",
                         "input_batching_dims",
                         "scatter_indices_batching_dims",
                         "scatter_dims_to_operand_dims"};

// Everything but the window's sizes: how the dimensions of operand, indices and windows fit together.
LogicalResult checkDimensionNumbers(std::optional<Location> location, const Names& n, Dims operand, Dims indices,
                                    Dims window, Dims collapsed, Dims operandBatching, Dims indicesBatching,
                                    Dims indexMap, int64_t indexVectorDim) {
  int64_t rank = operand.size(), indicesRank = indices.size();
  if (static_cast<int64_t>(window.size() + collapsed.size() + operandBatching.size()) != rank)
    return emitOptionalError(location, n.op, ": ", n.window, " = ", text(window), ", ", n.collapsed, " = ",
                             text(collapsed), " and ", n.operandBatching, " = ", text(operandBatching),
                             " must together have as many entries as the operand of shape ", text(operand),
                             " has dimensions (", rank, ")");
  if (indexVectorDim < 0 || indexVectorDim > indicesRank)
    return emitOptionalError(location, n.op, ": index_vector_dim = ", indexVectorDim, ", but the indices have shape ",
                             text(indices), "; it must be from 0 to ", indicesRank);
  int64_t components = indexVectorDim < indicesRank ? indices[indexVectorDim] : 1;
  if (static_cast<int64_t>(indexMap.size()) != components)
    return emitOptionalError(location, n.op, ": ", n.indexMap, " = ", text(indexMap), " has ", indexMap.size(),
                             " entries, but index vectors of indices of shape ", text(indices), " have ", components,
                             "; give one operand dimension per component");
  DimList removed(collapsed), addressed(indexMap);
  removed.append(operandBatching.begin(), operandBatching.end());
  addressed.append(operandBatching.begin(), operandBatching.end());
  std::string both = (n.collapsed + " and " + n.operandBatching).str(),
              mapped = (n.indexMap + " and " + n.operandBatching).str();
  if (failed(checkDims(location, n.op, n.collapsed, collapsed, rank, /*sorted=*/true)) ||
      failed(checkDims(location, n.op, n.operandBatching, operandBatching, rank, /*sorted=*/true)) ||
      failed(checkDims(location, n.op, both, removed, rank)) ||
      failed(checkDims(location, n.op, n.indexMap, indexMap, rank)) ||
      failed(checkDims(location, n.op, mapped, addressed, rank)) ||
      failed(checkDims(location, n.op, n.indicesBatching, indicesBatching, indicesRank)))
    return failure();
  if (operandBatching.size() != indicesBatching.size())
    return emitOptionalError(location, n.op, ": ", n.operandBatching, " = ", text(operandBatching), " and ",
                             n.indicesBatching, " = ", text(indicesBatching), " must have the same number of entries");
  if (llvm::is_contained(indicesBatching, indexVectorDim))
    return emitOptionalError(location, n.op, ": ", n.indicesBatching, " = ", text(indicesBatching),
                             " must not hold index_vector_dim = ", indexVectorDim);
  for (auto [o, i] : llvm::zip_equal(operandBatching, indicesBatching))
    if (operand[o] != indices[i])
      return emitOptionalError(location, n.op, ": batching dimension ", o, " of the operand of shape ", text(operand),
                               " and ", i, " of the indices of shape ", text(indices), " must have the same size");
  return success();
}

// The indices' sizes without the index vector: the shape of the loop over windows.
DimList loopSizes(Dims indices, int64_t indexVectorDim) {
  DimList sizes(indices);
  if (indexVectorDim < static_cast<int64_t>(indices.size())) sizes.erase(sizes.begin() + indexVectorDim);
  return sizes;
}

// Sizes of a result or of updates: `window` at `windowDims`, `loop` in order at the other places.
DimList mergeSizes(Dims windowDims, Dims window, Dims loop) {
  DimList sizes;
  auto w = window.begin(), l = loop.begin();
  for (size_t d = 0; d < window.size() + loop.size(); ++d)
    sizes.push_back(llvm::is_contained(windowDims, d) ? *w++ : *l++);
  return sizes;
}

}  // namespace

// --- gather ---

LogicalResult GatherOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type>& types) {
  StringRef name = kGather.op;
  Dims operand = shapeOf(adaptor.getOperand()), indices = shapeOf(adaptor.getStartIndices()),
       sizes = adaptor.getSliceSizes(), offset = adaptor.getOffsetDims();
  auto indexVectorDim = static_cast<int64_t>(adaptor.getIndexVectorDim());
  if (failed(checkDimensionNumbers(location, kGather, operand, indices, offset, adaptor.getCollapsedSliceDims(),
                                   adaptor.getOperandBatchingDims(), adaptor.getStartIndicesBatchingDims(),
                                   adaptor.getStartIndexMap(), indexVectorDim)) ||
      failed(checkCount(location, name, "slice_sizes", sizes, operand.size())))
    return failure();
  for (auto [d, size] : llvm::enumerate(sizes))
    if (size < 0 || size > operand[d])
      return emitOptionalError(location, name, ": operand has shape ", text(operand),
                               " but slice_sizes = ", text(sizes), "; dimension ", d,
                               " of the window must be from 0 to ", operand[d]);
  for (Dims dropped : {adaptor.getCollapsedSliceDims(), adaptor.getOperandBatchingDims()})
    for (int64_t d : dropped)
      if (sizes[d] > 1)
        return emitOptionalError(location, name, ": slice_sizes = ", text(sizes), " has ", sizes[d], " at dimension ",
                                 d, ", which is collapsed or batching; its size must be 1");
  DimList loop = loopSizes(indices, indexVectorDim);
  DimList window =
      sizesAt(sizes, otherDims(operand.size(), adaptor.getCollapsedSliceDims(), adaptor.getOperandBatchingDims()));
  if (failed(checkDims(location, name, "offset_dims", offset, window.size() + loop.size(), /*sorted=*/true)))
    return failure();
  types.push_back(withShape(typeOf(adaptor.getOperand()), mergeSizes(offset, window, loop)));
  return success();
}

LogicalResult GatherOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.assign({detail::gather(b, tangents[0], getStartIndices(), dimsOf(*this))});
  return success();
}

// Adds the cotangent of each window where the window came from. Gather clamps its indices, scatter drops what lies
// outside, so they are clamped first.
LogicalResult GatherOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                                  SmallVectorImpl<Value>& results) {
  results.assign(2, nullptr);
  GatherDims dims = dimsOf(*this);
  DimList first(dims.startIndexMap.size(), 0), last;
  for (int64_t d : dims.startIndexMap) last.push_back(shapeOf(getOperand())[d] - dims.sliceSizes[d]);
  Value clamped = clampIndices(b, operands[1], dims.indexVectorDim, first, last);
  ScatterDims back{dims.offsetDims,
                   dims.collapsedSliceDims,
                   dims.operandBatchingDims,
                   dims.startIndicesBatchingDims,
                   dims.startIndexMap,
                   dims.indexVectorDim,
                   dims.sorted,
                   false};
  results[0] = detail::scatter(b, CombineKind::Add, b.zeros(typeOf(getOperand())), clamped, cotangents[0], back);
  return success();
}

LogicalResult GatherOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool> mapped,
                              SmallVectorImpl<Value>& results) {
  GatherDims dims = dimsOf(*this);
  if (mapped[0]) {
    dims.collapsedSliceDims = shifted(dims.collapsedSliceDims);
    dims.operandBatchingDims = shifted(dims.operandBatchingDims);
    dims.startIndexMap = shifted(dims.startIndexMap);
  }
  if (mapped[1]) {
    dims.startIndicesBatchingDims = shifted(dims.startIndicesBatchingDims);
    ++dims.indexVectorDim;
  }
  dims.offsetDims = shifted(dims.offsetDims);
  if (mapped[0] && mapped[1]) {
    dims.operandBatchingDims = withFront(0, dims.operandBatchingDims);
    dims.startIndicesBatchingDims = withFront(0, dims.startIndicesBatchingDims);
    dims.sliceSizes = withFront(std::min<int64_t>(size, 1), dims.sliceSizes);
  } else if (mapped[0]) {
    // Windows span the whole batch; it becomes their first dimension.
    dims.offsetDims = withFront(0, dims.offsetDims);
    dims.sliceSizes = withFront(size, dims.sliceSizes);
  }
  results.assign({detail::gather(b, operands[0], operands[1], dims)});
  return success();
}

// --- scatter ---

LogicalResult ScatterOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type>& types) {
  StringRef name = kScatter.op;
  CombineKind kind = adaptor.getKind();
  if (kind != CombineKind::Set && kind != CombineKind::Add)
    return emitOptionalError(location, name, ": kind ", stringifyCombineKind(kind),
                             " is not supported; use set or add");
  RankedTensorType type = typeOf(adaptor.getOperand()), updates = typeOf(adaptor.getUpdates());
  if (type.getElementType() != updates.getElementType())
    return emitOptionalError(location, name, ": updates have element type ", updates.getElementType(),
                             " but the operand has ", type.getElementType(), "; convert one to the other first");
  Dims operand = type.getShape(), indices = shapeOf(adaptor.getScatterIndices()),
       windowDims = adaptor.getUpdateWindowDims();
  auto indexVectorDim = static_cast<int64_t>(adaptor.getIndexVectorDim());
  if (failed(checkDimensionNumbers(location, kScatter, operand, indices, windowDims, adaptor.getInsertedWindowDims(),
                                   adaptor.getInputBatchingDims(), adaptor.getScatterIndicesBatchingDims(),
                                   adaptor.getScatterDimsToOperandDims(), indexVectorDim)))
    return failure();
  DimList loop = loopSizes(indices, indexVectorDim);
  if (updates.getRank() != static_cast<int64_t>(loop.size() + windowDims.size()))
    return emitOptionalError(location, name, ": updates have shape ", text(updates.getShape()),
                             ", but indices of shape ", text(indices), " and update_window_dims = ", text(windowDims),
                             " ask for ", loop.size() + windowDims.size(), " dimensions");
  if (failed(checkDims(location, name, "update_window_dims", windowDims, updates.getRank(), /*sorted=*/true)))
    return failure();
  if (DimList found = sizesAt(updates.getShape(), otherDims(updates.getRank(), windowDims)); found != loop)
    return emitOptionalError(location, name, ": updates of shape ", text(updates.getShape()), " have sizes ",
                             text(found), " outside update_window_dims = ", text(windowDims), ", but indices of shape ",
                             text(indices), " ask for ", text(loop));
  DimList kept = otherDims(operand.size(), adaptor.getInsertedWindowDims(), adaptor.getInputBatchingDims());
  for (auto [w, d] : llvm::zip_equal(windowDims, kept))
    if (updates.getDimSize(w) > operand[d])
      return emitOptionalError(location, name, ": updates have shape ", text(updates.getShape()),
                               " but the operand has ", text(operand), "; dimension ", w,
                               " of the updates must not exceed dimension ", d, " of the operand");
  types.push_back(type);
  return success();
}

// Linear in operand and updates together; of equal positions the last update wins in the tangents as in the values.
LogicalResult ScatterOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  if (getKind() == CombineKind::Add && !tangents[2]) {
    results.assign({tangents[0]});
    return success();
  }
  results.assign({detail::scatter(b, getKind(), orZeros(b, tangents[0], getOperand().getType()), getScatterIndices(),
                                  orZeros(b, tangents[2], getUpdates().getType()), dimsOf(*this))});
  return success();
}

namespace {

// Window of the operand that `op` addresses, per operand dimension: 1 where it is inserted or batching.
DimList windowSizes(ScatterOp op) {
  DimList sizes(rankOf(op.getOperand()), 1);
  DimList kept = otherDims(sizes.size(), op.getInsertedWindowDims(), op.getInputBatchingDims());
  for (auto [d, w] : llvm::zip_equal(kept, op.getUpdateWindowDims())) sizes[d] = shapeOf(op.getUpdates())[w];
  return sizes;
}

// Reads from `source`, which has the operand's shape, what `op` would write with its updates; zero where an element of
// a window lies outside. Windows wider than one may stick out in part: those dimensions get margins of zeros as wide as
// the window; for the others whole windows are masked.
Value gatherOrZero(Builder& b, ScatterOp op, Value source, Value indices) {
  ScatterDims dims = dimsOf(op);
  DimList window = windowSizes(op), margin(window.size(), 0), low, high, offset, limit;
  bool masked = false;
  for (int64_t d : dims.scatterDimsToOperandDims) {
    int64_t size = shapeOf(source)[d];
    if (window[d] > 1) margin[d] = window[d];
    masked |= window[d] <= 1;
    low.push_back(-margin[d]);
    high.push_back(margin[d] ? size : size - window[d]);
    offset.push_back(margin[d]);
  }
  DimList none(window.size(), 0);
  Value zero = b.zeros(RankedTensorType::get({}, elementOf(source)));
  Value padded = margin == none ? source : b.pad(source, zero, margin, margin, none);
  Value clamped = clampIndices(b, indices, dims.indexVectorDim, low, high);
  Value wide = b.convert(indices, elementOf(clamped));
  Value start = clamped;
  if (margin != none) start = b.add(clamped, perComponent(b, clamped, dims.indexVectorDim, offset));
  GatherDims reads{dims.updateWindowDims,
                   dims.insertedWindowDims,
                   dims.inputBatchingDims,
                   dims.scatterIndicesBatchingDims,
                   dims.scatterDimsToOperandDims,
                   dims.indexVectorDim,
                   window,
                   false};
  Value values = detail::gather(b, padded, start, reads);
  if (!masked) return values;
  // Inside where clamping changed nothing; what margins already handle counts as inside.
  Value inside = b.compare(ComparisonDirection::EQ, wide, clamped);
  if (margin != none) {
    DimList handled = llvm::map_to_vector(offset, [](int64_t m) { return int64_t(m != 0); });
    Value hasMargin = b.compare(ComparisonDirection::NE, perComponent(b, clamped, dims.indexVectorDim, handled),
                                b.zerosLike(clamped));
    inside = b.make<OrOp>(inside, hasMargin);
  }
  if (dims.indexVectorDim < rankOf(indices)) inside = b.reduce(CombineKind::And, inside, {dims.indexVectorDim});
  Value mask = b.broadcastInDim(inside, shapeOf(values), otherDims(rankOf(values), dims.updateWindowDims));
  return b.select(mask, values, b.zerosLike(values));
}

}  // namespace

LogicalResult ScatterOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                                   SmallVectorImpl<Value>& results) {
  results.assign(3, nullptr);
  Value indices = operands[1], cotangent = cotangents[0];
  RankedTensorType updates = typeOf(getUpdates());
  bool set = getKind() == CombineKind::Set;
  if (!operands[0])
    results[0] = set ? detail::scatter(b, getKind(), cotangent, indices, b.zeros(updates), dimsOf(*this)) : cotangent;
  if (operands[2] || updates.getNumElements() == 0 || typeOf(getOperand()).getNumElements() == 0) return success();
  results[2] = gatherOrZero(b, *this, cotangent, indices);
  if (!set || getUniqueIndices()) return success();
  // Only the update that stayed gets the cotangent: number all updates from 1, write the numbers, see which remain.
  int64_t count = updates.getNumElements();
  Type integer = llvm::isInt<32>(count) ? b.ops.getI32Type() : b.ops.getI64Type();
  Value position = b.iota(RankedTensorType::get({count}, integer), 0);
  Value number = b.reshape(b.add(position, b.constantLike(position, 1)), updates.getShape());
  Value written = detail::scatter(b, getKind(), b.zeros(withElement(typeOf(getOperand()), integer)), indices, number,
                                  dimsOf(*this));
  Value stayed = b.compare(ComparisonDirection::EQ, gatherOrZero(b, *this, written, indices), number);
  results[2] = b.select(stayed, results[2], b.zeros(updates));
  return success();
}

LogicalResult ScatterOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool> mapped,
                               SmallVectorImpl<Value>& results) {
  ScatterDims dims = dimsOf(*this);
  Value operand = asMapped(b, operands[0], mapped[0], size), updates = asMapped(b, operands[2], mapped[2], size);
  dims.updateWindowDims = shifted(dims.updateWindowDims);
  dims.insertedWindowDims = shifted(dims.insertedWindowDims);
  dims.inputBatchingDims = shifted(dims.inputBatchingDims);
  dims.scatterDimsToOperandDims = shifted(dims.scatterDimsToOperandDims);
  if (mapped[1]) {
    dims.inputBatchingDims = withFront(0, dims.inputBatchingDims);
    dims.scatterIndicesBatchingDims = withFrontShifted(0, dims.scatterIndicesBatchingDims);
    ++dims.indexVectorDim;
  } else {
    // The same positions for all: windows span the whole batch.
    dims.updateWindowDims = withFront(0, dims.updateWindowDims);
  }
  results.assign({detail::scatter(b, getKind(), operand, operands[1], updates, dims)});
  return success();
}

}  // namespace nacre::ir
