#include "codegen/cpu/kernel_compiler.h"
#include "codegen/cpu/math/math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacre::cpu {

using namespace mlir;

namespace {

// Vector instructions of one op, on machine vectors of `target`.
double costOf(Operation* op, const codegen::Target& target) {
  if (auto contract = dyn_cast<tile::ContractOp>(op)) {
    RankedTensorType c = contract.getC().getType().tensorType();
    double depth = contract.getA().getType().getShape()[1];
    return double(c.getNumElements()) * depth / target.lanes(c.getElementType());
  }
  Type type;
  if (op->getNumResults()) type = op->getResult(0).getType();
  if (auto store = dyn_cast<tile::StoreOp>(op)) type = store.getTile().getType();
  auto tile = dyn_cast_or_null<RankedTensorType>(type);
  if (!tile) return 0.5;
  double vectors = std::max(1.0, double(tile.getNumElements()) / target.lanes(tile.getElementType()));
  if (math::functionOf(op->getName().stripDialect())) return vectors * (tile.getElementType().isF64() ? 40 : 20);
  if (isa<tile::GatherOp>(op)) return tile.getNumElements();
  return isa<tile::LoadOp, tile::StoreOp>(op) ? 2 * vectors : vectors;
}

double costOf(Block& block, const codegen::Target& target) {
  double sum = 0;
  for (Operation& op : block) {
    double inner = 0;
    for (Region& region : op.getRegions())
      for (Block& b : region) inner += costOf(b, target);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      sum += inner * (trips ? double(trips->getLimitedValue(1 << 30)) : 8.0);
    } else {
      sum += inner + costOf(&op, target);
    }
  }
  return sum;
}

}  // namespace

int64_t estimateWork(tile::FuncOp func, const codegen::Target& target) {
  // About two vector instructions a cycle at 3 to 4 GHz.
  constexpr double kInstructionsPerNanosecond = 6;
  double perProgram = costOf(func.getBody().front(), target) / kInstructionsPerNanosecond;
  return static_cast<int64_t>(std::min(1e18, perProgram * double(func.getGrid())));
}

}  // namespace nacre::cpu
