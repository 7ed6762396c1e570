// Ops that put each element elsewhere. Each is written as: where does the element at this index come from, or go to?
#include "ir/nacre.h"
#include "ir/reference/op_table.h"

using namespace mlir;

namespace nacre::ir {

namespace {

// result[index] = operand[source(index)] for each index of the result.
LogicalResult pull(OpCall& c, llvm::function_ref<void(ArrayRef<int64_t> index, Index& source)> source) {
  const HostValue& operand = c.operand();
  Index from(operand.type.getRank());
  forEachIndex(c.result().shape(), [&](ArrayRef<int64_t> index, int64_t position) {
    source(index, from);
    copyElement(c.result(), position, operand, positionOf(operand.shape(), from));
  });
  return success();
}

LogicalResult broadcastInDim(OpCall& c) {
  auto dims = cast<BroadcastInDimOp>(c.op).getBroadcastDimensions();
  return pull(c, [&](ArrayRef<int64_t> index, Index& source) {
    for (size_t d = 0; d < source.size(); ++d) source[d] = c.operand().shape()[d] == 1 ? 0 : index[dims[d]];
  });
}

LogicalResult reshape(OpCall& c) {
  c.result().data = c.operand().data;
  return success();
}

LogicalResult transpose(OpCall& c) {
  auto permutation = cast<TransposeOp>(c.op).getPermutation();
  return pull(c, [&](ArrayRef<int64_t> index, Index& source) {
    for (size_t d = 0; d < index.size(); ++d) source[permutation[d]] = index[d];
  });
}

LogicalResult reverse(OpCall& c) {
  auto dims = cast<ReverseOp>(c.op).getDimensions();
  return pull(c, [&](ArrayRef<int64_t> index, Index& source) {
    source.assign(index.begin(), index.end());
    for (int64_t d : dims) source[d] = c.operand().shape()[d] - 1 - index[d];
  });
}

LogicalResult slice(OpCall& c) {
  auto op = cast<SliceOp>(c.op);
  return pull(c, [&](ArrayRef<int64_t> index, Index& source) {
    for (size_t d = 0; d < index.size(); ++d) source[d] = op.getStartIndices()[d] + index[d] * op.getStrides()[d];
  });
}

LogicalResult pad(OpCall& c) {
  auto op = cast<PadOp>(c.op);
  HostValue& result = c.result();
  forEachIndex(result.shape(),
               [&](ArrayRef<int64_t>, int64_t position) { copyElement(result, position, c.operand(1), 0); });
  Index to(result.type.getRank());
  forEachIndex(c.operand().shape(), [&](ArrayRef<int64_t> index, int64_t position) {
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      to[d] = op.getEdgePaddingLow()[d] + index[d] * (op.getInteriorPadding()[d] + 1);
      inside &= to[d] >= 0 && to[d] < result.shape()[d];  // negative padding removes elements
    }
    if (inside) copyElement(result, positionOf(result.shape(), to), c.operand(), position);
  });
  return success();
}

LogicalResult concatenate(OpCall& c) {
  auto dim = static_cast<size_t>(cast<ConcatenateOp>(c.op).getDimension());
  int64_t offset = 0;
  for (const HostValue* operand : c.operands) {
    forEachIndex(operand->shape(), [&](ArrayRef<int64_t> index, int64_t position) {
      Index to(index);
      to[dim] += offset;
      copyElement(c.result(), positionOf(c.result().shape(), to), *operand, position);
    });
    offset += operand->shape()[dim];
  }
  return success();
}

}  // namespace

void addMoves(OpTable& table) {
  table.add<BroadcastInDimOp>(broadcastInDim);
  table.add<ReshapeOp>(reshape);
  table.add<TransposeOp>(transpose);
  table.add<ReverseOp>(reverse);
  table.add<SliceOp>(slice);
  table.add<PadOp>(pad);
  table.add<ConcatenateOp>(concatenate);
}

}  // namespace nacre::ir
