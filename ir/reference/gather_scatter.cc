// Gather and scatter with the dimension numbers of the StableHLO specification (sections "gather" and "scatter").
#include <algorithm>

#include "ir/nacre.h"
#include "ir/reference/elementwise.h"
#include "ir/reference/op_table.h"

using namespace mlir;

namespace nacre::ir {

namespace {

using Dims = ArrayRef<int64_t>;

// How a position in the array of indices becomes a position in the array that is read or written.
struct IndexNumbers {
  Dims indexMap;                // component i of an index vector is for this dimension of the array
  Dims arrayBatchingDims;       // these dimensions of the array advance together with
  Dims indicesBatchingDims;     // these of the array of indices
  Dims windowDims;              // dimensions of the result (updates) that run through a window
  SmallVector<int64_t> hidden;  // dimensions of the array that no window dimension runs through, sorted
  int64_t indexVectorDim;
};

SmallVector<int64_t> sortedUnion(Dims a, Dims b) {
  SmallVector<int64_t> both(a);
  both.append(b.begin(), b.end());
  llvm::sort(both);
  return both;
}

// The index vector that the batch index points at, spread over the array's dimensions; others are 0.
Index startIndex(const IndexNumbers& n, const HostValue& indices, Dims batch, int64_t rank) {
  Index start(rank, 0);
  Index at(batch);
  bool explicitVector = n.indexVectorDim < indices.type.getRank();
  if (explicitVector) at.insert(at.begin() + n.indexVectorDim, 0);
  for (auto [component, dim] : llvm::enumerate(n.indexMap)) {
    if (explicitVector) at[n.indexVectorDim] = component;
    start[dim] = integerAt(indices, positionOf(indices.shape(), at));
  }
  return start;
}

// What the batching dimensions add.
void addBatching(const IndexNumbers& n, Dims batch, Index& index) {
  for (auto [arrayDim, indicesDim] : llvm::zip_equal(n.arrayBatchingDims, n.indicesBatchingDims))
    index[arrayDim] += batch[indicesDim < n.indexVectorDim ? indicesDim : indicesDim - 1];
}

// Splits an index of the result (updates) into the part for the indices and the part within the window; adds the
// latter to `index`.
Index batchPart(const IndexNumbers& n, Dims resultIndex) {
  Index batch;
  for (auto [dim, i] : llvm::enumerate(resultIndex))
    if (!llvm::is_contained(n.windowDims, static_cast<int64_t>(dim))) batch.push_back(i);
  return batch;
}
void addWindow(const IndexNumbers& n, Dims resultIndex, Index& index) {
  size_t next = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    if (!llvm::is_contained(n.hidden, static_cast<int64_t>(dim))) index[dim] += resultIndex[n.windowDims[next++]];
}

LogicalResult gather(OpCall& c) {
  auto op = cast<GatherOp>(c.op);
  IndexNumbers n{op.getStartIndexMap(),
                 op.getOperandBatchingDims(),
                 op.getStartIndicesBatchingDims(),
                 op.getOffsetDims(),
                 sortedUnion(op.getCollapsedSliceDims(), op.getOperandBatchingDims()),
                 static_cast<int64_t>(op.getIndexVectorDim())};
  const HostValue& operand = c.operand(0);
  forEachIndex(c.result().shape(), [&](Dims resultIndex, int64_t position) {
    Index batch = batchPart(n, resultIndex);
    Index from = startIndex(n, c.operand(1), batch, operand.type.getRank());
    for (size_t d = 0; d < from.size(); ++d)
      from[d] = std::clamp<int64_t>(from[d], 0, operand.shape()[d] - op.getSliceSizes()[d]);
    addBatching(n, batch, from);
    addWindow(n, resultIndex, from);
    copyElement(c.result(), position, operand, positionOf(operand.shape(), from));
  });
  return success();
}

// Adds element `from` of `updates` to element `to` of `result`.
void addElement(HostValue& result, int64_t to, const HostValue& updates, int64_t from) {
  withElementType<AllTypes>(result.element(), [&]<class T>() {
    using C = ComputeType<T>;
    T& x = result.elements<T>()[to];
    T y = updates.elements<T>()[from];
    if constexpr (isFloating<T>)
      x = roundTo<T>(C(x) + C(y));
    else if constexpr (std::is_same_v<T, bool>)
      x = x || y;
    else
      x = wrapTo<T>(extendedBits(x) + extendedBits(y));
  });
}

// An update element whose own position is out of bounds is dropped; others of the same window stay, as the StableHLO
// specification has it.
LogicalResult scatter(OpCall& c) {
  auto op = cast<ScatterOp>(c.op);
  IndexNumbers n{op.getScatterDimsToOperandDims(),
                 op.getInputBatchingDims(),
                 op.getScatterIndicesBatchingDims(),
                 op.getUpdateWindowDims(),
                 sortedUnion(op.getInsertedWindowDims(), op.getInputBatchingDims()),
                 static_cast<int64_t>(op.getIndexVectorDim())};
  if (op.getKind() != CombineKind::Set && op.getKind() != CombineKind::Add)
    return op.emitOpError() << "has kind " << stringifyCombineKind(op.getKind()) << ", scatter knows set and add";
  HostValue& result = c.result();
  const HostValue& updates = c.operand(2);
  result.data = c.operand(0).data;
  // One index after the other, each with its whole window: where windows overlap, the later index is written later.
  Index order, ordered;
  for (bool window : {false, true})
    for (size_t d = 0; d < updates.shape().size(); ++d)
      if (llvm::is_contained(op.getUpdateWindowDims(), static_cast<int64_t>(d)) == window) order.push_back(d);
  for (int64_t d : order) ordered.push_back(updates.shape()[d]);
  forEachIndex(ordered, [&](Dims orderedIndex, int64_t) {
    Index updateIndex(order.size());
    for (auto [d, i] : llvm::zip_equal(order, orderedIndex)) updateIndex[d] = i;
    const int64_t position = positionOf(updates.shape(), updateIndex);
    Index batch = batchPart(n, updateIndex);
    Index to = startIndex(n, c.operand(1), batch, result.type.getRank());
    addBatching(n, batch, to);
    addWindow(n, updateIndex, to);
    for (size_t d = 0; d < to.size(); ++d)
      if (to[d] < 0 || to[d] >= result.shape()[d]) return;
    if (op.getKind() == CombineKind::Set)
      copyElement(result, positionOf(result.shape(), to), updates, position);
    else
      addElement(result, positionOf(result.shape(), to), updates, position);
  });
  return success();
}

}  // namespace

void addGatherScatter(OpTable& table) {
  table.add<GatherOp>(gather);
  table.add<ScatterOp>(scatter);
}

}  // namespace nacre::ir
