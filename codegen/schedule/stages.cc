#include "codegen/schedule/stages.h"

#include <map>
#include <set>

using namespace mlir;

namespace nacre::schedule {
namespace {

// What one pass asks for: values of full size reached through elementwise ops and reshapes only, and the others.
struct Demand {
  std::set<void*> aligned, other;

  void visit(Value v, bool isAligned, int64_t fullSize) {
    isAligned &= numElements(v) == fullSize;
    if (!(isAligned ? aligned : other).insert(v.getAsOpaquePointer()).second) return;
    Operation* op = v.getDefiningOp();
    if (!op || isReduction(op)) return;
    bool passes = op->hasTrait<ir::Elementwise>() || isa<ir::ReshapeOp>(op);
    for (Value operand : op->getOperands()) visit(operand, isAligned && passes, fullSize);
  }
};

}  // namespace

bool isReduction(Operation* op) { return isa<ir::ReduceOp, ir::ArgReduceOp, ir::DotGeneralOp>(op); }

Stages::Stages(Kernel& kernel, int64_t fullSize) {
  std::map<void*, int64_t> level;  // stages that must be done before the value exists
  for (Operation& op : kernel.source.front().without_terminator()) {
    int64_t before = 0;
    for (Value v : op.getOperands()) {
      auto found = level.find(v.getAsOpaquePointer());
      if (found != level.end()) before = std::max(before, found->second);
    }
    if (isReduction(&op)) {
      if (before >= count()) {
        reductions_.resize(before + 1);
        kept_.resize(before + 1);
        rowValues_.resize(before + 1);
      }
      reductions_[before].push_back(&op);
      ++before;
    }
    for (Value v : op.getResults()) {
      level[v.getAsOpaquePointer()] = before;
      if (before > 0 && op.hasTrait<ir::Elementwise>() && numElements(v) < fullSize)
        rowValues_[before - 1].push_back(v);
    }
  }
  std::vector<Demand> passes(count() + 1);
  for (int64_t s = 0; s < count(); ++s)
    for (Operation* op : reductions_[s])
      for (Value v : op->getOperands()) passes[s].visit(v, true, fullSize);
  for (Value v : kernel.results) passes[count()].visit(v, true, fullSize);
  for (Operation& op : kernel.source.front().without_terminator()) {
    if (costOf(&op) < 4 || op.getNumResults() != 1 || isReduction(&op)) continue;
    void* key = op.getResult(0).getAsOpaquePointer();
    int64_t first = -1, uses = 0;
    bool elsewhere = false;
    for (auto [s, pass] : llvm::enumerate(passes)) {
      elsewhere |= pass.other.count(key) > 0;
      if (!pass.aligned.count(key)) continue;
      if (first < 0) first = s;
      ++uses;
    }
    if (uses > 1 && !elsewhere && first < count()) kept_[first].push_back(op.getResult(0));
  }
}

}  // namespace nacre::schedule
