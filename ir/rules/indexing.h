// Gather and scatter with their dimension numbers as values, for the rules that rewrite them.
#pragma once
#include "ir/builder.h"

namespace nacre::ir::detail {

using DimList = llvm::SmallVector<int64_t>;

// Attributes of nacre.gather.
struct GatherDims {
  DimList offsetDims, collapsedSliceDims, operandBatchingDims, startIndicesBatchingDims, startIndexMap;
  int64_t indexVectorDim = 0;
  DimList sliceSizes;
  bool sorted = false;
};

// Attributes of nacre.scatter except its kind.
struct ScatterDims {
  DimList updateWindowDims, insertedWindowDims, inputBatchingDims, scatterIndicesBatchingDims, scatterDimsToOperandDims;
  int64_t indexVectorDim = 0;
  bool sorted = false, unique = false;
};

Value gather(Builder& b, Value operand, Value indices, const GatherDims& dims);
Value scatter(Builder& b, CombineKind kind, Value operand, Value indices, Value updates, const ScatterDims& dims);

// `indices` limited to [low[k], high[k]] for component k of the index vectors, which lie along `indexVectorDim` (the
// rank of `indices` if they are scalars). The result is i32 or, where bounds or the type of `indices` need it, i64.
Value clampIndices(Builder& b, Value indices, int64_t indexVectorDim, Dims low, Dims high);

}  // namespace nacre::ir::detail
