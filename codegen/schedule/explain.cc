#include "codegen/schedule/kernel.h"
#include "codegen/schedule/schedule.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

// What one thread of a current machine does in a nanosecond: bytes to and from a cache or memory, cycles.
constexpr double kBytesPerNs = 12, kCyclesPerNs = 3;

double bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return static_cast<double>(tensor.getNumElements()) *
         std::max(1u, tensor.getElementType().getIntOrFloatBitWidth() / 8);
}

struct Candidate {
  std::string family;
  double ns;
};

}  // namespace

std::string explain(func::FuncOp kernel, const codegen::Target& target) {
  double bytes = 0, cycles = 0, products = 0;
  bool reduces = false;
  for (Type t : kernel.getFunctionType().getInputs()) bytes += bytesOf(t);
  for (Type t : kernel.getFunctionType().getResults()) bytes += bytesOf(t);
  const double lanes = target.vectorBytes / 4.0;
  for (Operation& op : kernel.front().without_terminator()) {
    if (auto dot = dyn_cast<ir::DotGeneralOp>(op)) {
      products += static_cast<double>(numElements(dot.getResult())) * Emitter::reducedExtent(dot);
      continue;
    }
    double elements = static_cast<double>(numElements(op.getResult(0)));
    if (isa<ir::ReduceOp, ir::ArgReduceOp>(op)) {
      reduces = true;
      elements = static_cast<double>(numElements(op.getOperand(0)));
    }
    cycles += elements * costOf(&op) / lanes;
  }
  const double memory = bytes / kBytesPerNs, arithmetic = cycles / kCyclesPerNs;
  const double multiply = products / lanes / kCyclesPerNs;
  std::vector<Candidate> candidates;
  // Factors: packing and edges of panels; a load for each product; strided reads of a transposed input.
  if (products > 0) {
    candidates = {{"packed", memory + arithmetic + multiply * 0.6}, {"plain", memory + arithmetic + multiply * 1.5}};
  } else if (reduces) {
    candidates = {{"row", memory + arithmetic}, {"column", memory + arithmetic}};
  } else {
    candidates = {{"pointwise", std::max(memory, arithmetic)}};
    if (kernel->getAttrOfType<StringAttr>(ir::kKernelAttr).getValue() == "transpose") {
      candidates[0].ns = std::max(memory * 4, arithmetic);
      candidates.push_back({"transpose", std::max(memory * 1.3, arithmetic)});
    }
  }
  std::string choice, text;
  auto tiles = emitTileFunc(kernel, target, choice);
  const std::string family = kernel->getAttrOfType<StringAttr>(ir::kKernelAttr).getValue().str();
  if (failed(tiles)) return llvm::formatv("{0} ({1}): cannot be emitted\n", kernel.getName(), family).str();
  text = llvm::formatv("{0} ({1}): {2} programs, {3}\n", kernel.getName(), family, tiles->getGrid(), choice).str();
  tiles->erase();
  const bool packed = StringRef(choice).starts_with("packed");
  for (const Candidate& c : candidates) {
    bool chosen = products > 0                       ? (c.family == "packed") == packed
                  : reduces && candidates.size() > 1 ? (c.family == "column") == StringRef(choice).contains("kept")
                  : candidates.size() > 1            ? (c.family == "transpose") == (choice == "blocks")
                                                     : true;
    text += llvm::formatv("  {0} {1}: {2:f0} ns\n", chosen ? "->" : "  ", c.family, c.ns).str();
  }
  return text;
}

}  // namespace nacre::schedule
