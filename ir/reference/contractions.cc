// Sums of products. Floats accumulate in long double (where products of bf16, f32 and, but for 11 bits, f64 are exact)
// and round once, for bf16 through f32; integers wrap.
#include "ir/nacre.h"
#include "ir/reference/elementwise.h"
#include "ir/reference/op_table.h"

using namespace mlir;

namespace nacre::ir {

namespace {

using Dims = ArrayRef<int64_t>;

SmallVector<int64_t> freeDims(int64_t rank, Dims batching, Dims contracting) {
  SmallVector<int64_t> free;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(batching, d) && !llvm::is_contained(contracting, d)) free.push_back(d);
  return free;
}

// How far apart neighbours along each dimension are in row-major order.
SmallVector<int64_t> stridesOf(Dims shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d) strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

// Positions in the operand of all combinations of the dimensions' indices, in row-major order.
std::vector<int64_t> positionsAlong(Dims shape, Dims dims) {
  SmallVector<int64_t> strides = stridesOf(shape), sizes;
  for (int64_t d : dims) sizes.push_back(shape[d]);
  std::vector<int64_t> positions;
  forEachIndex(sizes, [&](Dims index, int64_t) {
    int64_t position = 0;
    for (auto [d, i] : llvm::zip_equal(dims, index)) position += strides[d] * i;
    positions.push_back(position);
  });
  return positions;
}

// The elements as numbers to sum: long double, or integers converted to the result's type and extended to 64 bits.
template <class Sum>
std::vector<Sum> summands(const HostValue& operand, Type resultElement) {
  std::vector<Sum> values;
  withElementType<Numbers>(operand.element(), [&]<class T>() {
    for (T x : operand.elements<T>()) {
      if constexpr (std::is_floating_point_v<Sum>)
        values.push_back(static_cast<Sum>(x));
      else
        values.push_back(withElementType<Integers>(
            resultElement, [&]<class R>() -> uint64_t { return extendedBits(convertElement<R>(x)); }));
    }
  });
  return values;
}

// All sums, in the order of the result: batching, lhs free, rhs free.
template <class Sum>
std::vector<Sum> contract(DotGeneralOp op, const HostValue& lhs, const HostValue& rhs, Type resultElement) {
  Dims lb = op.getLhsBatchingDimensions(), rb = op.getRhsBatchingDimensions();
  Dims lc = op.getLhsContractingDimensions(), rc = op.getRhsContractingDimensions();
  auto lhsBatch = positionsAlong(lhs.shape(), lb), rhsBatch = positionsAlong(rhs.shape(), rb);
  auto lhsFree = positionsAlong(lhs.shape(), freeDims(lhs.type.getRank(), lb, lc));
  auto rhsFree = positionsAlong(rhs.shape(), freeDims(rhs.type.getRank(), rb, rc));
  auto lhsSum = positionsAlong(lhs.shape(), lc), rhsSum = positionsAlong(rhs.shape(), rc);
  auto a = summands<Sum>(lhs, resultElement), b = summands<Sum>(rhs, resultElement);
  std::vector<Sum> sums;
  for (size_t batch = 0; batch < lhsBatch.size(); ++batch) {
    for (int64_t m : lhsFree) {
      for (int64_t n : rhsFree) {
        Sum sum = 0;
        for (size_t k = 0; k < lhsSum.size(); ++k)
          sum += a[lhsBatch[batch] + m + lhsSum[k]] * b[rhsBatch[batch] + n + rhsSum[k]];
        sums.push_back(sum);
      }
    }
  }
  return sums;
}

LogicalResult dotGeneral(OpCall& c) {
  auto op = cast<DotGeneralOp>(c.op);
  Type element = c.result().element();
  if (isa<FloatType>(element)) {
    auto sums = contract<long double>(op, c.operand(0), c.operand(1), element);
    withElementType<Floats>(element, [&]<class T>() {
      for (auto [out, sum] : llvm::zip_equal(c.result().elements<T>(), sums))
        out = roundTo<T>(static_cast<ComputeType<T>>(sum));
    });
  } else {
    auto sums = contract<uint64_t>(op, c.operand(0), c.operand(1), element);
    withElementType<Integers>(element, [&]<class T>() {
      for (auto [out, sum] : llvm::zip_equal(c.result().elements<T>(), sums)) out = wrapTo<T>(sum);
    });
  }
  return success();
}

}  // namespace

void addContractions(OpTable& table) { table.add<DotGeneralOp>(dotGeneral); }

}  // namespace nacre::ir
