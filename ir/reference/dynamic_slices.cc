// Windows at computed positions, moved so far that they lie inside.
#include <algorithm>

#include "ir/nacre.h"
#include "ir/reference/op_table.h"

using namespace mlir;

namespace nacre::ir {

namespace {

// The scalars as an index, clamped so that a window of this size fits.
Index clampedStart(ArrayRef<const HostValue*> scalars, ArrayRef<int64_t> shape, ArrayRef<int64_t> window) {
  Index start;
  for (auto [scalar, dim, size] : llvm::zip_equal(scalars, shape, window))
    start.push_back(std::clamp<int64_t>(integerAt(*scalar, 0), 0, dim - size));
  return start;
}

// The position in an array of this shape of the element `index` of the window.
int64_t positionInWindow(ArrayRef<int64_t> shape, ArrayRef<int64_t> start, ArrayRef<int64_t> index) {
  Index sum(index);
  for (size_t d = 0; d < sum.size(); ++d) sum[d] += start[d];
  return positionOf(shape, sum);
}

LogicalResult dynamicSlice(OpCall& c) {
  const HostValue& operand = c.operand();
  Index start = clampedStart(c.operands.drop_front(1), operand.shape(), c.result().shape());
  forEachIndex(c.result().shape(), [&](ArrayRef<int64_t> index, int64_t position) {
    copyElement(c.result(), position, operand, positionInWindow(operand.shape(), start, index));
  });
  return success();
}

LogicalResult dynamicUpdateSlice(OpCall& c) {
  const HostValue& update = c.operand(1);
  c.result().data = c.operand().data;
  Index start = clampedStart(c.operands.drop_front(2), c.result().shape(), update.shape());
  forEachIndex(update.shape(), [&](ArrayRef<int64_t> index, int64_t position) {
    copyElement(c.result(), positionInWindow(c.result().shape(), start, index), update, position);
  });
  return success();
}

}  // namespace

void addDynamicSlices(OpTable& table) {
  table.add<DynamicSliceOp>(dynamicSlice);
  table.add<DynamicUpdateSliceOp>(dynamicUpdateSlice);
}

}  // namespace nacre::ir
