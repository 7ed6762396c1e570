// Reductions. Sums and products of bf16 and f32 accumulate in double, those of f64 in long double, and round once: the
// oracle is closer to the exact value than any order of additions in the element type would be.
#include "ir/nacre.h"
#include "ir/reference/elementwise.h"
#include "ir/reference/op_table.h"

using namespace mlir;

namespace nacre::ir {

namespace {

using Dims = ArrayRef<int64_t>;

template <class T>
using SumType =
    std::conditional_t<std::is_same_v<T, double>, long double, std::conditional_t<isFloating<T>, double, T>>;

// What the value of an empty reduction is.
template <class T>
SumType<T> identityOf(CombineKind kind) {
  using S = SumType<T>;
  constexpr bool floating = isFloating<T>;
  using Limits = std::numeric_limits<S>;
  switch (kind) {
    case CombineKind::Add:
    case CombineKind::Or:
    case CombineKind::Xor: return S(0);
    case CombineKind::Mul: return S(1);
    case CombineKind::Min: return floating ? Limits::infinity() : Limits::max();
    case CombineKind::Max: return floating ? -Limits::infinity() : Limits::lowest();
    case CombineKind::And:
      if constexpr (!floating) return wrapTo<S>(~uint64_t{0});
      break;
    case CombineKind::Set: break;
  }
  llvm_unreachable("checked by isReduction");
}

template <class S>
S combine(CombineKind kind, S x, S y) {
  if (kind == CombineKind::Min) return smaller(x, y);
  if (kind == CombineKind::Max) return larger(x, y);
  if constexpr (std::is_floating_point_v<S>) {
    return kind == CombineKind::Add ? x + y : x * y;
  } else {
    uint64_t a = extendedBits(x), b = extendedBits(y);
    switch (kind) {
      case CombineKind::Add: return std::is_same_v<S, bool> ? wrapTo<S>(a | b) : wrapTo<S>(a + b);
      case CombineKind::Mul: return wrapTo<S>(a * b);
      case CombineKind::And: return wrapTo<S>(a & b);
      case CombineKind::Or: return wrapTo<S>(a | b);
      default: return wrapTo<S>(a ^ b);
    }
  }
}

bool isReduction(CombineKind kind, Type element) {
  if (kind == CombineKind::Set) return false;
  bool bits = kind == CombineKind::And || kind == CombineKind::Or || kind == CombineKind::Xor;
  return !(bits && isa<FloatType>(element));
}

template <class T>
void reduceOne(CombineKind kind, Dims dims, const HostValue& operand, HostValue& result) {
  std::vector<char> reduced(operand.type.getRank());
  for (int64_t d : dims) reduced[d] = 1;
  // std::vector<bool> would pack its elements.
  struct Slot {
    SumType<T> value;
  };
  auto out = result.elements<T>();
  std::vector<Slot> sums(out.size(), Slot{identityOf<T>(kind)});
  auto in = operand.elements<T>();
  forEachIndex(operand.shape(), [&](Dims index, int64_t position) {
    Index kept;
    for (size_t d = 0; d < index.size(); ++d)
      if (!reduced[d]) kept.push_back(index[d]);
    auto& sum = sums[positionOf(result.shape(), kept)].value;
    sum = combine<SumType<T>>(kind, sum, static_cast<SumType<T>>(in[position]));
  });
  for (size_t i = 0; i < out.size(); ++i) {
    if constexpr (std::is_same_v<T, BFloat16>)
      out[i] = BFloat16(static_cast<float>(sums[i].value));
    else
      out[i] = static_cast<T>(sums[i].value);
  }
}

LogicalResult reduce(OpCall& c) {
  auto op = cast<ReduceOp>(c.op);
  for (auto [operand, result] : llvm::zip_equal(c.operands, c.results)) {
    if (!isReduction(op.getKind(), operand->element()))
      return op.emitOpError() << "cannot reduce " << operand->element() << " by " << stringifyCombineKind(op.getKind());
    withElementType<AllTypes>(operand->element(), [&, &operand = operand, &result = result]<class T>() {
      reduceOne<T>(op.getKind(), op.getDimensions(), *operand, result);
    });
  }
  return success();
}

// Whether y, which comes later, takes the place of x: strictly better, or the first NaN.
template <class T>
bool replaces(CombineKind kind, T x, T y) {
  if constexpr (isFloating<T>) {
    if (std::isnan(x)) return false;
    if (std::isnan(y)) return true;
  }
  return kind == CombineKind::Max ? y > x : y < x;
}

LogicalResult argReduce(OpCall& c) {
  auto op = cast<ArgReduceOp>(c.op);
  auto dim = static_cast<size_t>(op.getDimension());
  if (op.getKind() != CombineKind::Min && op.getKind() != CombineKind::Max)
    return op.emitOpError() << "has kind " << stringifyCombineKind(op.getKind()) << ", arg_reduce knows min and max";
  const HostValue& operand = c.operand();
  HostValue& result = c.result();
  if (operand.shape()[dim] == 0 && !result.data.empty())
    return op.emitOpError() << "has no element along dimension " << dim;
  withElementType<Numbers>(operand.element(), [&]<class T>() {
    using C = ComputeType<T>;
    auto in = operand.elements<T>();
    forEachIndex(result.shape(), [&](Dims index, int64_t position) {
      Index at(index);
      at.insert(at.begin() + dim, 0);
      int64_t best = 0;
      C bestValue = C(in[positionOf(operand.shape(), at)]);
      for (at[dim] = 1; at[dim] < operand.shape()[dim]; ++at[dim]) {
        C value = C(in[positionOf(operand.shape(), at)]);
        if (!replaces<C>(op.getKind(), bestValue, value)) continue;
        best = at[dim];
        bestValue = value;
      }
      withElementType<Integers>(result.element(),
                                [&]<class I>() { result.elements<I>()[position] = convertElement<I>(best); });
    });
  });
  return success();
}

}  // namespace

void addReductions(OpTable& table) {
  table.add<ReduceOp>(reduce);
  table.add<ArgReduceOp>(argReduce);
}

}  // namespace nacre::ir
