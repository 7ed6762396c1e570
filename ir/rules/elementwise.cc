// Rules that all elementwise ops share, and shape inference of those whose result type differs from the operands'.
#include "ir/builder.h"

using namespace mlir;

namespace nacre::ir {

LogicalResult detail::batchElementwise(Operation* op, Builder& b, int64_t size, ArrayRef<Value> operands,
                                       ArrayRef<bool> mapped, SmallVectorImpl<Value>& results) {
  if (!op->hasTrait<Elementwise>()) return op->emitOpError("has no batching rule");
  SmallVector<Value> batched;
  for (auto [operand, isMapped] : llvm::zip_equal(operands, mapped))
    batched.push_back(isMapped ? operand : b.broadcastLeading(operand, size));
  OperationState state(b.loc, op->getName());
  state.addOperands(batched);
  for (Type type : op->getResultTypes()) state.addTypes(withLeading(cast<RankedTensorType>(type), size));
  state.addAttributes(op->getAttrs());
  Operation* made = b.ops.create(state);
  results.assign(made->result_begin(), made->result_end());
  return success();
}

FailureOr<IterationSpace> detail::elementwiseSpace(Operation* op) {
  if (!op->hasTrait<Elementwise>()) return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  IterationSpace space;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    space.factors.push_back({"d" + std::to_string(i), size, FactorKind::parallel});
  AffineMap identity = AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext());
  space.operandMaps.assign(op->getNumOperands(), identity);
  space.resultMaps.assign(op->getNumResults(), identity);
  return space;
}

namespace {
RankedTensorType predLike(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return withElement(tensor, IntegerType::get(type.getContext(), 1));
}
}  // namespace

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext*, std::optional<Location>, Adaptor adaptor,
                                           SmallVectorImpl<Type>& types) {
  types.push_back(predLike(adaptor.getOperand().getType()));
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type>& types) {
  if (adaptor.getLhs().getType() != adaptor.getRhs().getType())
    return emitOptionalError(location, "nacre.compare: operands have types ", adaptor.getLhs().getType(), " and ",
                             adaptor.getRhs().getType(), "; convert or broadcast one to the other first");
  types.push_back(predLike(adaptor.getLhs().getType()));
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type>& types) {
  Type onTrue = adaptor.getOnTrue().getType(), onFalse = adaptor.getOnFalse().getType();
  if (onTrue != onFalse)
    return emitOptionalError(location, "nacre.select: the two choices have types ", onTrue, " and ", onFalse,
                             "; convert or broadcast one to the other first");
  if (shapeOf(adaptor.getPred()) != cast<RankedTensorType>(onTrue).getShape())
    return emitOptionalError(location, "nacre.select: pred has type ", adaptor.getPred().getType(),
                             " but the choices have type ", onTrue, "; broadcast pred to their shape first");
  types.push_back(onTrue);
  return success();
}

LogicalResult Threefry2x32Op::inferReturnTypes(MLIRContext*, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type>& types) {
  Type type = adaptor.getKey0().getType();
  for (Value v : adaptor.getOperands())
    if (v.getType() != type)
      return emitOptionalError(location, "nacre.threefry2x32: operands have types ", type, " and ", v.getType(),
                               "; broadcast keys and counters to one shape first");
  types.assign(2, type);
  return success();
}

}  // namespace nacre::ir
