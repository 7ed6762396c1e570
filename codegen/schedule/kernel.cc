#include "codegen/schedule/kernel.h"

using namespace mlir;

namespace nacre::schedule {

int64_t numElements(Value v) { return ir::typeOf(v).getNumElements(); }

void Kernel::setGrid(int64_t grid) {
  func.setGrid(grid);
  program = e.dim(func.getBody().getArgument(0), {0, std::max<int64_t>(grid, 1)});
}

int64_t Kernel::lanes() {
  int64_t least = 8;
  auto see = [&](Type t) {
    Type element = cast<RankedTensorType>(t).getElementType();
    least = std::min<int64_t>(least, std::max(4u, Emitter::computeElement(element).getIntOrFloatBitWidth() / 8));
  };
  for (Type t : source.getFunctionType().getInputs()) see(t);
  for (Type t : source.getFunctionType().getResults()) see(t);
  return target.vectorBytes / least;
}

double Kernel::cost() {
  double total = 0;
  for (Operation& op : source.front().without_terminator()) total += costOf(&op);
  return total;
}

std::optional<SmallVector<int64_t>> Kernel::domain(size_t entries) {
  auto attr = source->getAttrOfType<DenseI64ArrayAttr>("nacre.domain");
  if (!attr || static_cast<size_t>(attr.size()) != entries) return std::nullopt;
  return SmallVector<int64_t>(attr.asArrayRef());
}

}  // namespace nacre::schedule
