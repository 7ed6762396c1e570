// dynamic_slice, dynamic_update_slice.
#include "ir/rules/indexing.h"

#include "ir/rules/common.h"

using namespace mlir;
using namespace nacre::ir::detail;

namespace nacre::ir {

namespace {

LogicalResult checkIndices(std::optional<Location> location, StringRef name, ValueRange indices, int64_t rank) {
  if (static_cast<int64_t>(indices.size()) != rank)
    return emitOptionalError(location, name, ": has ", indices.size(), " start indices, but the operand has ", rank,
                             " dimensions; give one scalar per dimension");
  for (Value index : indices)
    if (rankOf(index) != 0 || index.getType() != indices[0].getType())
      return emitOptionalError(location, name, ": start indices have types ", indices[0].getType(), " and ",
                               index.getType(), "; all must be scalars of one integer type");
  return success();
}

bool anyMapped(ArrayRef<bool> mapped) {
  return llvm::any_of(mapped, [](bool m) { return m; });
}

// [size, rank]: one row of start indices per element of the batch.
Value stackIndices(Builder& b, int64_t size, ArrayRef<Value> indices, ArrayRef<bool> mapped) {
  SmallVector<Value> columns;
  for (auto [index, isMapped] : llvm::zip_equal(indices, mapped))
    columns.push_back(b.reshape(asMapped(b, index, isMapped, size), {size, 1}));
  return b.concatenate(columns, 1);
}

// The given start indices, after one more for a leading dimension that is taken whole.
SmallVector<Value> withZeroIndex(Builder& b, ArrayRef<Value> indices) {
  RankedTensorType type = indices.empty() ? RankedTensorType::get({}, b.ops.getI32Type()) : typeOf(indices[0]);
  SmallVector<Value> all{b.zeros(type)};
  all.append(indices.begin(), indices.end());
  return all;
}

}  // namespace

// --- dynamic_slice ---

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type>& types) {
  constexpr StringLiteral name = "nacre.dynamic_slice";
  Dims shape = shapeOf(adaptor.getOperand()), sizes = adaptor.getSliceSizes();
  if (failed(checkIndices(location, name, adaptor.getStartIndices(), shape.size())) ||
      failed(checkCount(location, name, "sizes", sizes, shape.size())))
    return failure();
  for (auto [d, size] : llvm::enumerate(sizes))
    if (size < 0 || size > shape[d])
      return emitOptionalError(location, name, ": operand has shape ", text(shape), " but the window has sizes ",
                               text(sizes), "; dimension ", d, " of the window must be from 0 to ", shape[d]);
  types.push_back(withShape(typeOf(adaptor.getOperand()), sizes));
  return success();
}

LogicalResult DynamicSliceOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.assign({b.make<DynamicSliceOp>(tangents[0], getStartIndices(), getSliceSizes())});
  return success();
}

LogicalResult DynamicSliceOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                                        SmallVectorImpl<Value>& results) {
  results.assign(operands.size(), nullptr);
  results[0] =
      b.make<DynamicUpdateSliceOp>(b.zeros(typeOf(getOperand())), cotangents[0], ValueRange(operands.drop_front()));
  return success();
}

LogicalResult DynamicSliceOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool> mapped,
                                    SmallVectorImpl<Value>& results) {
  ArrayRef<Value> indices = operands.drop_front();
  Dims sizes = getSliceSizes();
  if (!anyMapped(mapped.drop_front())) {
    results.assign(
        {b.make<DynamicSliceOp>(operands[0], ValueRange(withZeroIndex(b, indices)), withFront(size, sizes))});
    return success();
  }
  // A start per element of the batch is a gather of one window each, clamped in the same way.
  GatherDims dims;
  int64_t rank = sizes.size();
  dims.offsetDims = iotaDims(rank, 1);
  dims.indexVectorDim = 1;
  if (mapped[0]) {
    dims.operandBatchingDims = {0};
    dims.startIndicesBatchingDims = {0};
    dims.startIndexMap = iotaDims(rank, 1);
    dims.sliceSizes = withFront(std::min<int64_t>(size, 1), sizes);
  } else {
    dims.startIndexMap = iotaDims(rank);
    dims.sliceSizes.assign(sizes.begin(), sizes.end());
  }
  results.assign({gather(b, operands[0], stackIndices(b, size, indices, mapped.drop_front()), dims)});
  return success();
}

// --- dynamic_update_slice ---

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                                     SmallVectorImpl<Type>& types) {
  constexpr StringLiteral name = "nacre.dynamic_update_slice";
  RankedTensorType type = typeOf(adaptor.getOperand()), update = typeOf(adaptor.getUpdate());
  if (failed(checkIndices(location, name, adaptor.getStartIndices(), type.getRank()))) return failure();
  if (update.getElementType() != type.getElementType())
    return emitOptionalError(location, name, ": update has element type ", update.getElementType(),
                             " but the operand has ", type.getElementType(), "; convert one to the other first");
  bool fits = update.getRank() == type.getRank();
  for (int64_t d = 0; fits && d < type.getRank(); ++d) fits = update.getDimSize(d) <= type.getDimSize(d);
  if (!fits)
    return emitOptionalError(location, name, ": update has shape ", text(update.getShape()), " but the operand has ",
                             text(type.getShape()), "; the update must have the same rank and fit inside");
  types.push_back(type);
  return success();
}

LogicalResult DynamicUpdateSliceOp::jvp(Builder& b, ArrayRef<Value> tangents, SmallVectorImpl<Value>& results) {
  results.assign({b.make<DynamicUpdateSliceOp>(orZeros(b, tangents[0], getOperand().getType()),
                                               orZeros(b, tangents[1], getUpdate().getType()), getStartIndices())});
  return success();
}

LogicalResult DynamicUpdateSliceOp::transpose(Builder& b, ArrayRef<Value> operands, ArrayRef<Value> cotangents,
                                              SmallVectorImpl<Value>& results) {
  results.assign(operands.size(), nullptr);
  ValueRange indices(operands.drop_front(2));
  if (!operands[0]) results[0] = b.make<DynamicUpdateSliceOp>(cotangents[0], b.zeros(typeOf(getUpdate())), indices);
  if (!operands[1]) results[1] = b.make<DynamicSliceOp>(cotangents[0], indices, shapeOf(getUpdate()));
  return success();
}

LogicalResult DynamicUpdateSliceOp::batch(Builder& b, int64_t size, ArrayRef<Value> operands, ArrayRef<bool> mapped,
                                          SmallVectorImpl<Value>& results) {
  ArrayRef<Value> indices = operands.drop_front(2);
  Value operand = asMapped(b, operands[0], mapped[0], size), update = asMapped(b, operands[1], mapped[1], size);
  if (!anyMapped(mapped.drop_front(2))) {
    results.assign({b.make<DynamicUpdateSliceOp>(operand, update, ValueRange(withZeroIndex(b, indices)))});
    return success();
  }
  // A start per element of the batch is a scatter of one window each; scatter drops what lies outside, so the starts
  // are clamped here.
  Dims shape = shapeOf(getOperand()), window = shapeOf(getUpdate());
  SmallVector<int64_t> last;
  for (auto [dim, width] : llvm::zip_equal(shape, window)) last.push_back(dim - width);
  Value stacked = clampIndices(b, stackIndices(b, size, indices, mapped.drop_front(2)), 1,
                               SmallVector<int64_t>(shape.size(), 0), last);
  ScatterDims dims;
  dims.updateWindowDims = iotaDims(shape.size(), 1);
  dims.inputBatchingDims = {0};
  dims.scatterIndicesBatchingDims = {0};
  dims.scatterDimsToOperandDims = iotaDims(shape.size(), 1);
  dims.indexVectorDim = 1;
  dims.sorted = dims.unique = true;
  results.assign({scatter(b, CombineKind::Set, operand, stacked, update, dims)});
  return success();
}

}  // namespace nacre::ir
