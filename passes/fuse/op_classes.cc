#include "passes/fuse/op_classes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacre::ir;

namespace nacre::fusion {

namespace {

int64_t bitsOf(Type element) { return element.getIntOrFloatBitWidth(); }

}  // namespace

bool isSplat(Operation* op) {
  auto constant = dyn_cast<ConstantOp>(op);
  if (!constant) return false;
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  return dense && dense.getNumElements() > 0 && dense.isSplat();
}

bool isView(Operation* op) {
  if (isa<ReshapeOp>(op)) return true;
  if (auto bitcast = dyn_cast<BitcastConvertOp>(op)) return classOf(bitcast) == OpClass::fence;
  return false;
}

OpClass classOf(Operation* op) {
  if (isa<ConstantOp>(op)) return isSplat(op) ? OpClass::map : OpClass::fence;
  if (auto bitcast = dyn_cast<BitcastConvertOp>(op)) {
    auto from = cast<RankedTensorType>(bitcast.getOperand().getType()).getElementType();
    auto to = cast<RankedTensorType>(bitcast.getType()).getElementType();
    return bitsOf(from) == bitsOf(to) ? OpClass::elementwise : OpClass::fence;
  }
  if (op->hasTrait<Elementwise>()) return OpClass::elementwise;
  if (isa<IotaOp, BroadcastInDimOp, ReshapeOp, TransposeOp, ReverseOp, SliceOp, PadOp, ConcatenateOp, DynamicSliceOp,
          GatherOp>(op))
    return OpClass::map;
  if (isa<ReduceOp, ArgReduceOp>(op)) return OpClass::reduce;
  if (isa<DotGeneralOp>(op)) return OpClass::dot;
  if (isa<ScatterOp, DynamicUpdateSliceOp>(op)) return OpClass::update;
  if (isa<OptimizationBarrierOp>(op)) return OpClass::fence;
  return OpClass::unknown;
}

bool isCheap(Operation* op) {
  if (classOf(op) == OpClass::map) return true;
  if (isa<DivOp>(op)) return isa<FloatType>(cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  return isa<AddOp, SubOp, MulOp, NegOp, AbsOp, MaxOp, MinOp, CompareOp, SelectOp, ConvertOp, ClampOp, AndOp, OrOp,
             XorOp, NotOp, ShiftLeftOp, ShiftRightArithmeticOp, ShiftRightLogicalOp, FloorOp, CeilOp,
             RoundNearestEvenOp, SignOp, IsFiniteOp, BitcastConvertOp>(op);
}

int64_t elementsOf(Value v) { return cast<RankedTensorType>(v.getType()).getNumElements(); }

int64_t bytesOf(Value v) {
  auto type = cast<RankedTensorType>(v.getType());
  return type.getNumElements() * std::max<int64_t>(1, bitsOf(type.getElementType()) / 8);
}

bool reductionDomain(Operation* op, ReductionDomain& domain) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  SmallVector<bool> reduced(shape.size(), false);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    for (int64_t d : reduce.getDimensions()) reduced[d] = true;
  } else {
    reduced[cast<ArgReduceOp>(op).getDimension()] = true;
  }
  domain = {};
  enum { before, inside, after } state = before;
  for (auto [size, isReduced] : llvm::zip(shape, reduced)) {
    if (size == 1) continue;
    if (isReduced) {
      if (state == after) return false;
      state = inside;
      domain.reduced *= size;
    } else if (state == before) {
      domain.outer *= size;
    } else {
      state = after;
      domain.inner *= size;
    }
  }
  return true;
}

}  // namespace nacre::fusion
