#include "codegen/schedule/schedule.h"

#include "codegen/schedule/kernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

tile::BufferType bufferFor(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tile::BufferType::get(type.getContext(), {tensor.getNumElements()}, tensor.getElementType());
}

}  // namespace

FailureOr<tile::FuncOp> emitTileFunc(func::FuncOp source, const codegen::Target& target) {
  std::string choice;
  return emitTileFunc(source, target, choice);
}

FailureOr<tile::FuncOp> emitTileFunc(func::FuncOp source, const codegen::Target& target, std::string& choice) {
  auto kind = source->getAttrOfType<StringAttr>(ir::kKernelAttr);
  if (!kind) return source.emitOpError() << "is not a kernel: it has no attribute " << ir::kKernelAttr;
  if (!llvm::hasSingleElement(source.getBody())) return source.emitOpError("is a kernel and needs a single block");
  MLIRContext* context = source.getContext();
  context->loadDialect<tile::TileDialect, scf::SCFDialect, affine::AffineDialect, arith::ArithDialect>();

  OpBuilder ops(context);
  ops.setInsertionPointAfter(source);
  Location loc = source.getLoc();
  SmallVector<Type> buffers;
  for (Type t : source.getFunctionType().getInputs()) buffers.push_back(bufferFor(t));
  for (Type t : source.getFunctionType().getResults()) buffers.push_back(bufferFor(t));
  auto func = tile::createFunc(ops, loc, (source.getName() + "_tile").str(), buffers, source.getNumArguments(), 0,
                               kind.getValue());
  Block& body = func.getBody().front();
  ops.setInsertionPointToEnd(&body);

  Emitter emitter(ops, loc, target.vectorBytes);
  Kernel kernel{source, target, func, emitter, {}, {}, {}, {}};
  for (BlockArgument argument : source.getArguments()) {
    SmallVector<int64_t> shape(ir::shapeOf(argument));
    emitter.bind(
        argument, body.getArgument(1 + argument.getArgNumber()),
        [&emitter, shape](ArrayRef<AffineExpr> index) { return Index{emitter.space.linearize(index, shape)}; });
  }
  for (int64_t i = source.getNumArguments(); i < static_cast<int64_t>(buffers.size()); ++i)
    kernel.outputBuffers.push_back(body.getArgument(1 + i));
  kernel.results = llvm::to_vector(source.front().getTerminator()->getOperands());

  bool empty = llvm::all_of(kernel.results, [](Value v) { return numElements(v) == 0; });
  StringRef family = kind.getValue();
  if (empty) {
    // No programs: nothing is to be written.
  } else if (family == "pointwise") {
    emitPointwise(kernel);
  } else if (family == "transpose") {
    if (!emitTranspose(kernel)) emitPointwise(kernel);
  } else if (family == "contraction") {
    emitContraction(kernel);
  } else if (family == "indexed") {
    emitIndexed(kernel);
  } else if (family == "row") {
    emitRow(kernel);
  } else if (family == "column") {
    emitColumn(kernel);
  } else if (family == "split_reduce") {
    (kernel.domain(3) ? emitColumn : emitRow)(kernel);
  } else {
    func.erase();
    return source.emitOpError() << "is a kernel of unknown kind \"" << family << "\"";
  }
  tile::ReturnOp::create(ops, loc);
  choice = kernel.choice;
  if (emitter.failed()) {
    func.erase();
    return failure();
  }
  return func;
}

}  // namespace nacre::schedule
