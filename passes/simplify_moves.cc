#include <numeric>

#include "llvm/ADT/TypeSwitch.h"
#include "passes/simplify_rules.h"

using namespace mlir;

namespace nacre::passes {

using ir::Builder;
using ir::rankOf;
using ir::shapeOf;
using ir::typeOf;

namespace {

Value simplifyReshape(ir::ReshapeOp op, Builder& b) {
  Value operand = op.getOperand();
  if (operand.getType() == op.getType()) return operand;
  if (auto inner = operand.getDefiningOp<ir::ReshapeOp>())
    return b.reshape(inner.getOperand(), op.getType().getShape());
  return nullptr;
}

Value simplifyTranspose(ir::TransposeOp op, Builder& b) {
  Value operand = op.getOperand();
  ArrayRef<int64_t> outer = op.getPermutation();
  if (llvm::equal(outer, ir::iotaDims(outer.size()))) return operand;
  if (auto inner = operand.getDefiningOp<ir::TransposeOp>()) {
    SmallVector<int64_t> both;
    for (int64_t d : outer) both.push_back(inner.getPermutation()[d]);
    return b.transpose(inner.getOperand(), both);
  }
  return nullptr;
}

// For a reshape that only inserts dimensions of size 1: where each operand dimension went.
std::optional<SmallVector<int64_t>> insertedOnes(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<int64_t> where;
  size_t i = 0;
  for (auto [d, size] : llvm::enumerate(to)) {
    if (i < from.size() && from[i] == size) {
      where.push_back(d);
      ++i;
    } else if (size != 1) {
      return std::nullopt;
    }
  }
  if (i < from.size()) return std::nullopt;
  return where;
}

Value simplifyBroadcast(ir::BroadcastInDimOp op, Builder& b) {
  Value operand = op.getOperand();
  ArrayRef<int64_t> dims = op.getBroadcastDimensions(), shape = op.getType().getShape();
  if (operand.getType() == op.getType() && llvm::equal(dims, ir::iotaDims(dims.size()))) return operand;
  SmallVector<int64_t> both;
  if (auto inner = operand.getDefiningOp<ir::BroadcastInDimOp>()) {
    for (int64_t d : inner.getBroadcastDimensions()) both.push_back(dims[d]);
    return b.broadcastInDim(inner.getOperand(), shape, both);
  }
  if (auto inner = operand.getDefiningOp<ir::ReshapeOp>()) {
    auto where = insertedOnes(shapeOf(inner.getOperand()), shapeOf(operand));
    if (!where) return nullptr;
    for (int64_t d : *where) both.push_back(dims[d]);
    return b.broadcastInDim(inner.getOperand(), shape, both);
  }
  return nullptr;
}

Value simplifyReverse(ir::ReverseOp op, Builder& b) {
  Value operand = op.getOperand();
  if (llvm::all_of(op.getDimensions(), [&](int64_t d) { return shapeOf(operand)[d] <= 1; })) return operand;
  auto inner = operand.getDefiningOp<ir::ReverseOp>();
  if (!inner) return nullptr;
  // A dimension reversed twice is not reversed.
  SmallVector<int64_t> once;
  for (int64_t d : op.getDimensions())
    if (!llvm::is_contained(inner.getDimensions(), d)) once.push_back(d);
  for (int64_t d : inner.getDimensions())
    if (!llvm::is_contained(op.getDimensions(), d)) once.push_back(d);
  llvm::sort(once);
  return b.make<ir::ReverseOp>(inner.getOperand(), once);
}

Value simplifySlice(ir::SliceOp op, Builder& b) {
  Value operand = op.getOperand();
  if (operand.getType() == op.getType()) return operand;  // Only the whole has the same size.
  auto inner = operand.getDefiningOp<ir::SliceOp>();
  if (!inner) return nullptr;
  SmallVector<int64_t> start, limit, strides;
  for (int64_t d = 0; d < rankOf(operand); ++d) {
    int64_t stride = inner.getStrides()[d] * op.getStrides()[d], size = op.getType().getShape()[d];
    int64_t first = inner.getStartIndices()[d] + op.getStartIndices()[d] * inner.getStrides()[d];
    if (size == 0) first = 0;
    start.push_back(first);
    limit.push_back(size == 0 ? 0 : first + (size - 1) * stride + 1);
    strides.push_back(stride);
  }
  return b.slice(inner.getOperand(), start, limit, strides);
}

Value simplifyPad(ir::PadOp op, Builder& b) {
  auto isZero = [](int64_t n) { return n == 0; };
  if (llvm::all_of(op.getEdgePaddingLow(), isZero) && llvm::all_of(op.getEdgePaddingHigh(), isZero) &&
      op.getOperand().getType() == op.getType())
    return op.getOperand();
  if (typeOf(op.getOperand()).getNumElements() == 0)
    return b.broadcastInDim(op.getPaddingValue(), op.getType().getShape(), {});
  return nullptr;
}

Value simplifyConcatenate(ir::ConcatenateOp op, Builder& b) {
  SmallVector<Value> filled;
  for (Value input : op.getInputs())
    if (shapeOf(input)[op.getDimension()] != 0) filled.push_back(input);
  if (filled.size() == op.getInputs().size() && filled.size() > 1) return nullptr;
  if (filled.empty()) return op.getInputs().front();
  return b.concatenate(filled, op.getDimension());
}

// The start of a window along one dimension after clamping, if it is constant.
std::optional<int64_t> constantStart(Value index, int64_t size, int64_t window) {
  if (size == window) return 0;
  auto value = dyn_cast_or_null<IntegerAttr>(splatOf(index));
  if (!value) return std::nullopt;
  APInt bits = value.getValue();
  bool isUnsigned = value.getType().isUnsignedInteger();
  APInt wide = isUnsigned ? bits.zext(128) : bits.sext(128);
  return std::clamp<int64_t>(wide.getSExtValue(), 0, size - window);
}

Value simplifyDynamicSlice(ir::DynamicSliceOp op, Builder& b) {
  SmallVector<int64_t> start, limit;
  for (auto [index, size, window] :
       llvm::zip_equal(op.getStartIndices(), shapeOf(op.getOperand()), op.getSliceSizes())) {
    auto first = constantStart(index, size, window);
    if (!first) return nullptr;
    start.push_back(*first);
    limit.push_back(*first + window);
  }
  return b.slice(op.getOperand(), start, limit);
}

// Sums of -0 alone are written as +0 by a reduction, which is within what reductions promise.
Value simplifyReduce(ir::ReduceOp op, Builder& b) {
  if (op.getInputs().size() != 1 || op.getDimensions().empty()) return nullptr;
  Value operand = op.getInputs()[0];
  SmallVector<int64_t> dims, kept;
  for (int64_t d = 0; d < rankOf(operand); ++d) {
    bool one = shapeOf(operand)[d] == 1, reduced = llvm::is_contained(op.getDimensions(), d);
    if (one && reduced) continue;
    if (reduced) dims.push_back(kept.size());
    kept.push_back(shapeOf(operand)[d]);
  }
  if (static_cast<int64_t>(kept.size()) < rankOf(operand))
    return b.reduce(op.getKind(), b.reshape(operand, kept), dims);
  // A sum of zeros, an extreme or conjunction of equal values.
  TypedAttr splat = splatOf(operand);
  if (!splat || typeOf(operand).getNumElements() == 0) return nullptr;
  bool idempotent = op.getKind() != ir::CombineKind::Add && op.getKind() != ir::CombineKind::Mul &&
                    op.getKind() != ir::CombineKind::Xor;
  if (idempotent || (op.getKind() == ir::CombineKind::Add && isSplat(operand, 0)) ||
      (op.getKind() == ir::CombineKind::Mul && isSplat(operand, 1)))
    return splatConstant(b, typeOf(op.getResult(0)), splat);
  return nullptr;
}

// Can every value of `from` be written in `to`?
bool isLossless(Type from, Type to) {
  auto f = dyn_cast<FloatType>(from), g = dyn_cast<FloatType>(to);
  if (f && g)  // bf16 < f32 < f64
    return f.getWidth() <= g.getWidth();
  if (f) return false;
  auto i = cast<IntegerType>(from);
  if (g) return i.getWidth() - (i.isUnsigned() || i.getWidth() == 1 ? 0 : 1) <= g.getFPMantissaWidth();
  auto j = cast<IntegerType>(to);
  if (i.getWidth() == 1) return true;
  if (i.isUnsigned()) return j.isUnsigned() ? i.getWidth() <= j.getWidth() : i.getWidth() < j.getWidth();
  return !j.isUnsigned() && i.getWidth() <= j.getWidth();
}

Value simplifyConvert(ir::ConvertOp op, Builder& b) {
  Value operand = op.getOperand();
  if (operand.getType() == op.getType()) return operand;
  auto inner = operand.getDefiningOp<ir::ConvertOp>();
  if (!inner) return nullptr;
  Type from = ir::elementOf(inner.getOperand()), middle = ir::elementOf(operand), to = op.getType().getElementType();
  if (!isLossless(from, middle)) return nullptr;
  // By way of floats integers saturate, directly they wrap.
  if (isa<IntegerType>(from) && isa<FloatType>(middle) && isa<IntegerType>(to) && !isLossless(from, to)) return nullptr;
  return b.convert(inner.getOperand(), to);
}

Value simplifySelect(ir::SelectOp op, Builder& b) {
  if (op.getOnTrue() == op.getOnFalse()) return op.getOnTrue();
  if (TypedAttr pred = splatOf(op.getPred()))
    return cast<IntegerAttr>(pred).getValue().isZero() ? op.getOnFalse() : op.getOnTrue();
  if (auto negated = op.getPred().getDefiningOp<ir::NotOp>())
    return b.select(negated.getOperand(), op.getOnFalse(), op.getOnTrue());
  if (ir::elementOf(op.getResult()).isInteger(1) && isSplat(op.getOnTrue(), 1) && isSplat(op.getOnFalse(), 0))
    return op.getPred();
  return nullptr;
}

}  // namespace

Value simplifyMove(Operation* op, Builder& b) {
  return llvm::TypeSwitch<Operation*, Value>(op)
      .Case([&](ir::ReshapeOp o) { return simplifyReshape(o, b); })
      .Case([&](ir::TransposeOp o) { return simplifyTranspose(o, b); })
      .Case([&](ir::BroadcastInDimOp o) { return simplifyBroadcast(o, b); })
      .Case([&](ir::ReverseOp o) { return simplifyReverse(o, b); })
      .Case([&](ir::SliceOp o) { return simplifySlice(o, b); })
      .Case([&](ir::PadOp o) { return simplifyPad(o, b); })
      .Case([&](ir::ConcatenateOp o) { return simplifyConcatenate(o, b); })
      .Case([&](ir::DynamicSliceOp o) { return simplifyDynamicSlice(o, b); })
      .Case(
          [&](ir::DynamicUpdateSliceOp o) { return o.getUpdate().getType() == o.getType() ? o.getUpdate() : Value(); })
      .Case([&](ir::ReduceOp o) { return simplifyReduce(o, b); })
      .Case([&](ir::ConvertOp o) { return simplifyConvert(o, b); })
      .Case([&](ir::SelectOp o) { return simplifySelect(o, b); })
      .Default(Value());
}

}  // namespace nacre::passes
