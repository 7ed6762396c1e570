// Ops that work element by element, and values made from the index alone.
#include "codegen/schedule/emission.h"

using namespace mlir;

namespace nacre::schedule {

Value Emitter::emitElementwise(Operation* op, Value value, const Position& at) {
  if (!op->hasTrait<ir::Elementwise>() && !isa<ir::BitcastConvertOp>(op))
    return fail(op, "cannot be computed inside another kernel");
  if (isa<ir::BitcastConvertOp>(op) && ir::rankOf(op->getOperand(0)) != ir::rankOf(op->getResult(0)))
    return fail(op, "changes the width of elements, which is a view of memory and has no place in a kernel");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) operands.push_back(emit(operand, at));
  ir::Builder b(ops, loc);
  if (auto convert = dyn_cast<ir::ConvertOp>(op)) {
    Type from = ir::elementOf(convert.getOperand()), to = ir::elementOf(convert.getResult());
    // Rounds even where the result stays a f32 tile; from bf16 nothing is lost.
    Value rounded = from == to ? operands[0] : b.convert(operands[0], to);
    if (from.isBF16() && to.isF32()) rounded = operands[0];
    return b.convert(rounded, computeElement(to));
  }
  if (isa<ir::BitcastConvertOp>(op) && ir::elementOf(op->getOperand(0)) == ir::elementOf(op->getResult(0)))
    return operands[0];
  SmallVector<Type> types;
  for (Type t : op->getResultTypes())
    types.push_back(tileType(computeElement(cast<RankedTensorType>(t).getElementType()), at.lanes));
  OperationState state(loc, op->getName(), operands, types, op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation* clone = ops.create(state);
  Value result;
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults())) {
    if (from == value)
      result = to;
    else
      remember(from, at, to);
  }
  return result;
}

Value Emitter::emitConstant(ir::ConstantOp op, const Position& at) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements) return fail(op, "has values in a form other than dense");
  Type element = ir::elementOf(op.getResult());
  auto rounded = [&](DenseElementsAttr values, RankedTensorType type) {
    return values.mapValues(computeElement(element), [&](const APFloat& x) {
      APFloat wide = x;
      bool lost;
      wide.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
      return wide.bitcastToAPInt();
    });
  };
  auto make = [&](DenseElementsAttr values, RankedTensorType type) -> Value {
    if (element.isBF16()) values = rounded(values, type);
    return ir::ConstantOp::create(ops, loc, cast<RankedTensorType>(values.getType()), values);
  };
  if (elements.isSplat()) return make(elements.resizeSplat(tileType(element, at.lanes)), tileType(element, at.lanes));
  // A table: written to scratch when the kernel starts, one element after the other.
  int64_t count = elements.getNumElements();
  if (count > 1024) return fail(op, "is too large a table for a kernel; it should be an operand");
  Value table;
  {
    OpBuilder::InsertionGuard guard(ops);
    table = scratch({count}, computeElement(element));
    ops.setInsertionPointAfterValue(table);
    int64_t i = 0;
    for (Attribute x : elements.getValues<Attribute>()) {
      Value scalar = make(DenseElementsAttr::get(tileType(element, 0), x), tileType(element, 0));
      tile::StoreOp::create(ops, loc, scalar, table, ValueRange(), Value(), Value(),
                            AffineMapAttr::get(AffineMap::get(0, 0, constant(i++))), ops.getBoolAttr(false));
    }
  }
  auto shape = SmallVector<int64_t>(ir::shapeOf(op.getResult()));
  Address address = [this, shape](ArrayRef<AffineExpr> index) { return Index{space.linearize(index, shape)}; };
  bind(op.getResult(), table, address);
  return loadAt(table, address(at.index), at.lanes);
}

Value Emitter::emitIota(ir::IotaOp op, const Position& at) {
  Type element = ir::elementOf(op.getResult());
  ir::Builder b(ops, loc);
  Value index = indexTile(at.index[op.getIotaDimension()], at.lanes);
  return b.convert(b.convert(index, element), computeElement(element));
}

}  // namespace nacre::schedule
