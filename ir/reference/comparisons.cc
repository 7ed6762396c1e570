// Comparison, choice and clamping.
#include <cmath>

#include "ir/nacre.h"
#include "ir/reference/elementwise.h"

using namespace mlir;

namespace nacre::ir {

namespace {

template <class T>
bool holds(ComparisonDirection direction, T x, T y) {
  switch (direction) {
    case ComparisonDirection::EQ: return x == y;
    case ComparisonDirection::NE: return x != y;
    case ComparisonDirection::GE: return x >= y;
    case ComparisonDirection::GT: return x > y;
    case ComparisonDirection::LE: return x <= y;
    case ComparisonDirection::LT: return x < y;
  }
  llvm_unreachable("unknown comparison");
}

LogicalResult compare(OpCall& c) {
  auto direction = cast<CompareOp>(c.op).getDirection();
  auto out = c.result().elements<bool>();
  withElementType<AllTypes>(c.operand().element(), [&]<class T>() {
    auto x = c.operand(0).elements<T>(), y = c.operand(1).elements<T>();
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = holds<ComputeType<T>>(direction, ComputeType<T>(x[i]), ComputeType<T>(y[i]));
  });
  return success();
}

LogicalResult isFinite(OpCall& c) {
  auto out = c.result().elements<bool>();
  withElementType<Floats>(c.operand().element(), [&]<class T>() {
    auto x = c.operand().elements<T>();
    for (size_t i = 0; i < out.size(); ++i) out[i] = std::isfinite(ComputeType<T>(x[i]));
  });
  return success();
}

LogicalResult select(OpCall& c) {
  auto pred = c.operand(0).elements<bool>();
  for (size_t i = 0; i < pred.size(); ++i) copyElement(c.result(), i, c.operand(pred[i] ? 1 : 2), i);
  return success();
}

LogicalResult clamp(OpCall& c) {
  withElementType<Numbers>(c.result().element(), [&]<class T>() {
    using C = ComputeType<T>;
    auto least = c.operand(0).elements<T>(), x = c.operand(1).elements<T>(), most = c.operand(2).elements<T>();
    auto out = c.result().elements<T>();
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = roundTo<T>(smaller<C>(larger<C>(C(x[i]), C(least[i])), C(most[i])));
  });
  return success();
}

}  // namespace

void addComparisons(OpTable& table) {
  table.add<CompareOp>(compare);
  table.add<IsFiniteOp>(isFinite);
  table.add<SelectOp>(select);
  table.add<ClampOp>(clamp);
}

}  // namespace nacre::ir
