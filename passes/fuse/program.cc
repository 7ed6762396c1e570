#include "passes/fuse/program.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacre::ir;

namespace nacre::fusion {

namespace {

// Chains of map ops longer than this are stored, so that nests of concatenations are not cloned over and over.
constexpr int kLargestVirtual = 24;

ArrayRef<int64_t> shapeOf(Value v) { return cast<RankedTensorType>(v.getType()).getShape(); }

Path throughBroadcast(BroadcastInDimOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op.getResult());
  int64_t last = -1;
  SmallVector<bool> mapped(to.size(), false);
  for (auto [size, dim] : llvm::zip(from, op.getBroadcastDimensions())) {
    if (size == 1) continue;
    if (dim < last) return elementsOf(op.getOperand()) == elementsOf(op.getResult()) ? Path::inject : Path::expand;
    last = dim;
    mapped[dim] = true;
  }
  if (elementsOf(op.getOperand()) == elementsOf(op.getResult())) return Path::same;
  for (int64_t d = 0; d < last; ++d)
    if (!mapped[d] && to[d] != 1) return Path::expand;
  return Path::prefix;
}

Path throughTranspose(TransposeOp op) {
  int64_t last = -1;
  for (int64_t d : op.getPermutation()) {
    if (shapeOf(op.getOperand())[d] == 1) continue;
    if (d < last) return Path::inject;
    last = d;
  }
  return Path::same;
}

}  // namespace

bool movesLastDimension(Operation* op) {
  auto transpose = dyn_cast<TransposeOp>(op);
  if (!transpose) return false;
  // The last dimension of size above 1 before and after.
  ArrayRef<int64_t> shape = shapeOf(transpose.getOperand());
  int64_t before = -1, after = -1;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (shape[d] != 1) before = d;
  for (int64_t d : transpose.getPermutation())
    if (shape[d] != 1) after = d;
  return before != after;
}

Path compose(Path nearConsumer, Path nearProducer) {
  if (nearConsumer == Path::same) return nearProducer;
  if (nearProducer == Path::same) return nearConsumer;
  if (nearConsumer == nearProducer) return nearConsumer;
  return Path::expand;
}

Path pathThrough(Operation* op, int operand) {
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) return throughBroadcast(broadcast);
  if (isa<ReshapeOp>(op)) return Path::same;
  if (auto transpose = dyn_cast<TransposeOp>(op)) return throughTranspose(transpose);
  if (isa<ReverseOp, SliceOp, ConcatenateOp>(op)) return Path::inject;
  if (isa<PadOp, DynamicSliceOp>(op)) return operand == 0 ? Path::inject : Path::expand;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    if (operand == 0)
      return elementsOf(gather.getResult()) <= elementsOf(gather.getOperand()) ? Path::inject : Path::expand;
    return elementsOf(gather.getResult()) <= elementsOf(gather.getStartIndices()) ? Path::inject : Path::expand;
  }
  return Path::expand;
}

bool readsByData(Operation* op, int operand) { return operand == 0 && isa<GatherOp, DynamicSliceOp>(op); }

Program::Program(func::FuncOp f) {
  chooseNodes(f);
  int number = 0;
  for (Operation& op : f.front()) {
    auto it = numbers_.find(&op);
    if (it == numbers_.end()) continue;
    it->second = number++;
    nodes.push_back({&op, classOf(&op)});
  }
  for (Node& node : nodes) collectLeaves(node);
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i)
    for (const Leaf& leaf : nodes[i].leaves) {
      if (leaf.producer < 0) continue;
      auto& users = nodes[leaf.producer].users;
      if (users.empty() || users.back() != i) users.push_back(i);
    }
  for (Value v : f.front().getTerminator()->getOperands()) {
    while (Operation* op = v.getDefiningOp()) {
      if (int n = nodeOf(op); n >= 0) {
        nodes[n].escapes = true;
        break;
      }
      v = op->getOperand(0);  // a reshape
    }
  }
}

void Program::mustBeInMemory(Value v) {
  while (Operation* op = v.getDefiningOp()) {
    if (!isa<ReshapeOp>(op)) {
      numbers_.try_emplace(op, 0);
      return;
    }
    v = op->getOperand(0);
  }
}

void Program::chooseNodes(func::FuncOp f) {
  // Sizes of the chains of virtual ops that end in each op.
  DenseMap<Operation*, int> sizes;
  for (Operation& op : f.front()) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      for (Value v : op.getOperands()) mustBeInMemory(v);
      continue;
    }
    OpClass opClass = classOf(&op);
    if (opClass == OpClass::fence)
      for (Value v : op.getOperands()) mustBeInMemory(v);
    if (opClass == OpClass::update) mustBeInMemory(op.getOperand(0));
    if (opClass != OpClass::map) {
      numbers_.try_emplace(&op, 0);
      continue;
    }
    int size = 1;
    for (Value v : op.getOperands())
      if (Operation* def = v.getDefiningOp()) size += sizes.lookup(def);
    bool store = size > kLargestVirtual;
    // Reading by data for several consumers costs more than storing once.
    if (isa<GatherOp>(op) && !op.hasOneUse()) store = true;
    // Rows and columns want their elements contiguous; products pack what they read anyway.
    if (movesLastDimension(&op) && llvm::any_of(op.getUsers(), [](Operation* user) {
          OpClass c = classOf(user);
          return c == OpClass::reduce || c == OpClass::update;
        }))
      store = true;
    if (store)
      numbers_.try_emplace(&op, 0);
    else
      sizes[&op] = size;
  }
  // A map op that became a node late (it must be in memory) was still counted as virtual by its users; that only makes
  // their chains look longer.
}

void Program::collectLeaves(Node& node) {
  struct Visit {
    Value value;
    Path path;
    bool byData;
  };
  for (OpOperand& operand : node.op->getOpOperands()) {
    // A node that is itself a map op reads its operands through its own pattern.
    int index = operand.getOperandNumber();
    bool isMap = node.opClass == OpClass::map;
    SmallVector<Visit> pending = {
        {operand.get(), isMap ? pathThrough(node.op, index) : Path::same, isMap && readsByData(node.op, index)}};
    while (!pending.empty()) {
      Visit visit = pending.pop_back_val();
      Operation* def = visit.value.getDefiningOp();
      int producer = def ? nodeOf(def) : -1;
      if (!def || producer >= 0) {
        node.leaves.push_back({visit.value, producer, visit.path, visit.byData, index});
        continue;
      }
      for (OpOperand& inner : llvm::reverse(def->getOpOperands())) {
        int i = inner.getOperandNumber();
        pending.push_back({inner.get(), compose(visit.path, pathThrough(def, i)), visit.byData || readsByData(def, i)});
      }
    }
  }
}

}  // namespace nacre::fusion
