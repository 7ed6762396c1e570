#include "codegen/report.h"

#include <algorithm>

#include "ir/nacre.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/fuse/op_classes.h"
#include "passes/fuse/outline.h"

using namespace mlir;

namespace nacre::codegen {

using namespace ir;
using fusion::bytesOf;
using fusion::elementsOf;
using fusion::OpClass;

namespace {

int64_t flopsOf(Operation* op) {
  switch (fusion::classOf(op)) {
    case OpClass::elementwise: return elementsOf(op->getResult(0));
    case OpClass::reduce: return elementsOf(op->getOperand(0));
    case OpClass::dot: {
      auto dot = cast<DotGeneralOp>(op);
      int64_t k = 1;
      for (int64_t d : dot.getLhsContractingDimensions())
        k *= cast<RankedTensorType>(dot.getLhs().getType()).getDimSize(d);
      return 2 * k * elementsOf(dot.getResult());
    }
    default: return 0;
  }
}

// What a kernel reads of an input: no more than its consumers ask for through slices and gathers.
int64_t bytesRead(BlockArgument input) {
  int64_t whole = bytesOf(input), part = 0;
  for (Operation* user : input.getUsers()) {
    bool selects = isa<SliceOp, DynamicSliceOp, GatherOp>(user) && user->getOperand(0) == input;
    bool destination = isa<ScatterOp, DynamicUpdateSliceOp>(user) && user->getOperand(0) == input;
    if (destination)
      part += bytesOf(user->getOperand(isa<ScatterOp>(user) ? 2 : 1));
    else
      part += selects ? bytesOf(user->getResult(0)) : whole;
  }
  return std::min(whole, part);
}

KernelCost costOf(func::FuncOp kernel) {
  KernelCost cost;
  cost.name = kernel.getName().str();
  cost.kind = kernel->getAttrOfType<StringAttr>(kKernelAttr).str();
  for (BlockArgument input : kernel.getArguments()) cost.bytesRead += bytesRead(input);
  for (Operation& op : kernel.front().without_terminator()) cost.flops += flopsOf(&op);
  for (Value v : kernel.front().getTerminator()->getOperands()) {
    Operation* def = v.getDefiningOp();
    bool inPlace = isa_and_nonnull<ScatterOp, DynamicUpdateSliceOp>(def);
    cost.bytesWritten += bytesOf(inPlace ? def->getOperand(isa<ScatterOp>(def) ? 2 : 1) : v);
  }
  return cost;
}

std::string inMiB(int64_t bytes) { return llvm::formatv("{0:f3} MiB", static_cast<double>(bytes) / (1 << 20)); }

}  // namespace

std::vector<KernelCost> costsOf(func::FuncOp main) {
  auto module = main->getParentOfType<ModuleOp>();
  SymbolTable symbols(module);
  llvm::MapVector<StringRef, KernelCost> costs;
  for (LaunchOp launch : main.getOps<LaunchOp>()) {
    auto [it, isNew] = costs.insert({launch.getKernel(), {}});
    if (isNew) it->second = costOf(symbols.lookup<func::FuncOp>(launch.getKernel()));
    ++it->second.launches;
  }
  std::vector<KernelCost> sorted;
  for (auto& [name, cost] : costs) sorted.push_back(std::move(cost));
  std::stable_sort(sorted.begin(), sorted.end(), [](const KernelCost& a, const KernelCost& b) {
    return a.launches * (a.bytesRead + a.bytesWritten) > b.launches * (b.bytesRead + b.bytesWritten);
  });
  return sorted;
}

int64_t bytesMoved(ArrayRef<KernelCost> costs) {
  int64_t bytes = 0;
  for (const KernelCost& cost : costs) bytes += cost.launches * (cost.bytesRead + cost.bytesWritten);
  return bytes;
}

std::string report(func::FuncOp main, const Plan& plan) {
  std::vector<KernelCost> costs = costsOf(main);
  int64_t launches = 0, flops = 0, copies = 0, copied = 0;
  for (const KernelCost& cost : costs) launches += cost.launches, flops += cost.launches * cost.flops;
  for (const Command& command : plan.commands)
    if (command.kind == Command::Kind::copy) ++copies, copied += command.bytes;

  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv("{0} launches of {1} kernels, {2} copies ({3})\n", launches, costs.size(), copies,
                       inMiB(copied));
  out << "moved: " << inMiB(bytesMoved(costs)) << llvm::formatv(", {0:f3} GFLOP\n", static_cast<double>(flops) / 1e9);
  out << "arena: " << inMiB(plan.arena_bytes) << ", peak with arguments and results: " << inMiB(plan.peak_bytes())
      << "\n\n";
  out << llvm::formatv("{0,8}  {1,-13} {2,14} {3,14} {4,10}  {5}\n", "launches", "kind", "read", "written", "MFLOP",
                       "kernel");
  for (const KernelCost& cost : costs)
    out << llvm::formatv("{0,8}  {1,-13} {2,14} {3,14} {4,10}  {5}\n", cost.launches, cost.kind, inMiB(cost.bytesRead),
                         inMiB(cost.bytesWritten), llvm::formatv("{0:f3}", static_cast<double>(cost.flops) / 1e6).str(),
                         cost.name);
  out << "\nWhat each kernel holds, and why it is apart from those whose results it reads:\n";
  llvm::MapVector<std::pair<StringRef, StringRef>, int> reasons;
  for (LaunchOp launch : main.getOps<LaunchOp>())
    if (auto why = launch->getAttrOfType<StringAttr>(passes::kWhyAttr)) ++reasons[{launch.getKernel(), why.getValue()}];
  for (auto& [what, count] : reasons)
    out << "  " << what.first << (count > 1 ? llvm::formatv(" ({0} times)", count).str() : std::string()) << ": "
        << what.second << "\n";
  return text;
}

}  // namespace nacre::codegen
