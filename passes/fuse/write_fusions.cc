#include "passes/fuse/write_fusions.h"

#include "ir/builder.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "mlir/IR/IRMapping.h"
#include "passes/fuse/fuse.h"
#include "passes/fuse/split_reduce.h"

using namespace mlir;
using namespace nacre::ir;

namespace nacre::fusion {

namespace {

StringRef nameOf(Kind kind) {
  switch (kind) {
    case Kind::pointwise: return "pointwise";
    case Kind::row: return "row";
    case Kind::column: return "column";
    case Kind::contraction: return "contraction";
    case Kind::indexed: return "indexed";
    case Kind::fence: return "memory";
  }
  return "";
}

class Writer {
 public:
  Writer(func::FuncOp f, const Program& program, const Clustering& clustering, const std::vector<bool>& recomputed)
      : f_(f), program_(program), clustering_(clustering), recomputed_(recomputed), builder_(f.getContext()) {}

  void run() {
    std::vector<int> order = clustering_.order();
    chooseOutputs(order);
    Operation* terminator = f_.front().getTerminator();
    SmallVector<Operation*> old;
    for (Operation& op : f_.front().without_terminator()) old.push_back(&op);
    builder_.setInsertionPoint(terminator);
    for (int id : order) {
      const Cluster& cluster = clustering_.cluster(id);
      if (cluster.kind == Kind::fence)
        writeFence(program_.nodes[cluster.members.front()].op);
      else if (!outputs_[id].empty())
        writeFusion(id);
    }
    for (OpOperand& operand : terminator->getOpOperands()) operand.set(inMemory(operand.get()));
    for (Operation* op : llvm::reverse(old)) op->erase();
  }

 private:
  // Is `v`, read by a kernel of cluster `id`, something in memory (rather than an op to clone into the kernel)?
  bool isLeaf(Value v, int id) const {
    Operation* def = v.getDefiningOp();
    if (!def) return true;
    int node = program_.nodeOf(def);
    if (node >= 0) return clustering_.clusterOf(node) != id && !recomputed_[node];
    return isView(def) && isLeaf(def->getOperand(0), id);
  }

  static Value throughViews(Value v, const Program& program) {
    while (Operation* def = v.getDefiningOp()) {
      if (program.nodeOf(def) >= 0) break;
      v = def->getOperand(0);
    }
    return v;
  }

  // The ops a kernel consists of, each after those it needs, in the order in which a walk from the outputs meets them:
  // so that equal kernels come out equal however the program around them is ordered.
  std::vector<Operation*> bodyOf(int id, ArrayRef<Value> outputs, llvm::function_ref<void(Value)> onLeaf) const {
    std::vector<Operation*> body;
    DenseSet<Operation*> seen;
    struct Visit {
      Operation* op;
      unsigned next = 0;  // operand
    };
    SmallVector<Visit> stack;
    for (Value output : outputs) {
      if (seen.insert(output.getDefiningOp()).second) stack.push_back({output.getDefiningOp()});
      while (!stack.empty()) {
        Visit& top = stack.back();
        if (top.next == top.op->getNumOperands()) {
          body.push_back(top.op);
          stack.pop_back();
          continue;
        }
        Value v = top.op->getOperand(top.next++);
        if (isLeaf(v, id))
          onLeaf(v);
        else if (seen.insert(v.getDefiningOp()).second)
          stack.push_back({v.getDefiningOp()});
      }
    }
    return body;
  }

  // From the end of the program to its start: which values have to be written.
  void chooseOutputs(ArrayRef<int> order) {
    DenseSet<Value> needed;
    auto need = [&](Value v) { needed.insert(throughViews(v, program_)); };
    for (Value v : f_.front().getTerminator()->getOperands()) need(v);
    for (int id : llvm::reverse(order)) {
      const Cluster& cluster = clustering_.cluster(id);
      if (cluster.kind == Kind::fence) {
        for (Value v : program_.nodes[cluster.members.front()].op->getOperands()) need(v);
        continue;
      }
      SmallVector<Value>& outputs = outputs_[id];
      for (int node : cluster.members)
        for (Value v : program_.nodes[node].op->getResults())
          if (needed.contains(v)) outputs.push_back(v);
      if (!outputs.empty()) bodyOf(id, outputs, need);
    }
  }

  // The new value that stands for `v`, an old value in memory; reshapes become views beside the fusions.
  Value inMemory(Value v) {
    if (isa<BlockArgument>(v)) return v;
    if (Value known = written_.lookup(v)) return known;
    Operation* view = v.getDefiningOp();
    IRMapping mapping;
    mapping.map(view->getOperand(0), inMemory(view->getOperand(0)));
    return written_[v] = builder_.clone(*view, mapping)->getResult(0);
  }

  void writeFence(Operation* op) {
    IRMapping mapping;
    for (Value v : op->getOperands()) mapping.map(v, inMemory(v));
    Operation* copy = builder_.clone(*op, mapping);
    for (auto [before, after] : llvm::zip(op->getResults(), copy->getResults())) written_[before] = after;
  }

  void writeFusion(int id) {
    const Cluster& cluster = clustering_.cluster(id);
    ArrayRef<Value> outputs = outputs_[id];
    std::vector<Operation*> body = bodyOf(id, outputs, [](Value) {});
    SmallVector<Location> locations;
    for (Operation* op : body) locations.push_back(op->getLoc());
    Location loc = builder_.getFusedLoc(locations);

    // The block first, detached from the op: its arguments are found while cloning.
    Region region;
    Block* block = &region.emplaceBlock();
    SmallVector<Value> inputs;
    IRMapping mapping;
    auto input = [&](Value v) {
      inputs.push_back(inMemory(v));
      return block->addArgument(v.getType(), v.getLoc());
    };
    OpBuilder inside(f_.getContext());
    inside.setInsertionPointToEnd(block);
    int64_t inPlace = -1;
    for (Operation* op : body) {
      Operation* copy;
      bool update = classOf(op) == OpClass::update;
      for (Value v : op->getOperands())
        if (isLeaf(v, id) && !mapping.contains(v) && !(update && v == op->getOperand(0))) mapping.map(v, input(v));
      if (update) {
        // The destination is an input of its own, even where the updates read the same array.
        inPlace = static_cast<int64_t>(inputs.size());
        Value destination = input(op->getOperand(0));
        if (!mapping.contains(op->getOperand(0))) mapping.map(op->getOperand(0), destination);
        copy = inside.clone(*op, mapping);
        copy->setOperand(0, destination);
      } else {
        copy = inside.clone(*op, mapping);
      }
      copy->removeAttr(passes::kSplitAttr);
    }
    SmallVector<Value> results;
    SmallVector<Type> types;
    for (Value v : outputs) {
      results.push_back(mapping.lookup(v));
      types.push_back(v.getType());
    }
    YieldOp::create(inside, loc, results);

    if (cluster.kind == Kind::pointwise && isShapeless(body, types)) flatten(*block, inputs, types);
    auto fusion = FusionOp::create(builder_, loc, types, inputs, kindOf(id, body), whyOf(id, body));
    fusion.getBody().takeBody(region);
    if (!cluster.domain.empty())
      fusion->setAttr(passes::kDomainAttr, builder_.getDenseI64ArrayAttr(domainOf(cluster, body)));
    if (inPlace >= 0) fusion->setAttr(passes::kInPlaceAttr, builder_.getI64IntegerAttr(inPlace));
    for (auto [before, after] : llvm::zip(outputs, fusion->getResults()))
      written_[before] = ir::Builder(builder_, loc).reshape(after, cast<RankedTensorType>(before.getType()).getShape());
  }

  // Does a pointwise kernel do the same whatever the shape of its arrays?
  static bool isShapeless(ArrayRef<Operation*> body, ArrayRef<Type> outputs) {
    auto shape = cast<RankedTensorType>(outputs.front()).getShape();
    if (shape.size() < 2) return false;
    return llvm::all_of(body, [&](Operation* op) {
      if (cast<RankedTensorType>(op->getResult(0).getType()).getShape() != shape) return false;
      if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) return broadcast.getBroadcastDimensions().empty();
      return classOf(op) == OpClass::elementwise || isSplat(op);
    });
  }

  // One dimension instead of several: so kernels for a matrix and for its transpose are one.
  void flatten(Block& block, SmallVectorImpl<Value>& inputs, SmallVectorImpl<Type>& types) {
    auto flat = [](Type type) {
      auto tensor = cast<RankedTensorType>(type);
      return tensor.getRank() < 2 ? tensor : RankedTensorType::get({tensor.getNumElements()}, tensor.getElementType());
    };
    for (auto [input, argument] : llvm::zip(inputs, block.getArguments())) {
      input = ir::Builder(builder_, argument.getLoc()).reshape(input, flat(argument.getType()).getShape());
      argument.setType(flat(argument.getType()));
    }
    for (Operation& op : block.without_terminator()) {
      for (Value v : op.getResults()) v.setType(flat(v.getType()));
      if (auto constant = dyn_cast<ConstantOp>(op))
        constant.setValueAttr(
            cast<DenseElementsAttr>(constant.getValue()).resizeSplat(cast<ShapedType>(constant.getType())));
    }
    for (Type& type : types) type = flat(type);
  }

  Domain domainOf(const Cluster& cluster, ArrayRef<Operation*> body) const {
    if (cluster.kind != Kind::contraction) return cluster.domain;
    auto dot = cast<DotGeneralOp>(*llvm::find_if(body, [](Operation* op) { return isa<DotGeneralOp>(op); }));
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
    int64_t batch = 1, k = 1;
    for (int64_t d : dot.getLhsBatchingDimensions()) batch *= lhs.getDimSize(d);
    for (int64_t d : dot.getLhsContractingDimensions()) k *= lhs.getDimSize(d);
    int64_t m = lhs.getNumElements() / (batch * k);
    return {batch, m, elementsOf(dot.getRhs()) / (batch * k), k};
  }

  StringRef kindOf(int id, ArrayRef<Operation*> body) const {
    Kind kind = clustering_.cluster(id).kind;
    if (kind == Kind::row && llvm::any_of(body, [](Operation* op) { return op->hasAttr(passes::kSplitAttr); }))
      return "split_reduce";
    if (kind == Kind::pointwise) {
      int64_t largest = bytesOf(outputs_.find(id)->second.front());
      for (Operation* op : body)
        if (movesLastDimension(op) && 2 * bytesOf(op->getResult(0)) >= largest) return "transpose";
    }
    return nameOf(kind);
  }

  std::string whyOf(int id, ArrayRef<Operation*> body) const {
    int elementwise = 0, moves = 0, reductions = 0, again = 0;
    llvm::SmallSetVector<int, 8> producers;
    for (Operation* op : body) {
      OpClass c = classOf(op);
      elementwise += c == OpClass::elementwise;
      moves += c == OpClass::map;
      reductions += c == OpClass::reduce;
      int node = program_.nodeOf(op);
      again += node >= 0 && clustering_.clusterOf(node) != id;
      for (Value v : op->getOperands()) {
        if (!isLeaf(v, id)) continue;
        int producer = program_.nodeOf(throughViews(v, program_));
        if (producer >= 0) producers.insert(clustering_.clusterOf(producer));
      }
    }
    std::string why =
        llvm::formatv("{0} elementwise, {1} moved, {2} reduced, {3} recomputed", elementwise, moves, reductions, again);
    llvm::SmallSetVector<StringRef, 4> reasons;
    std::vector<std::string> kept;
    for (int producer : producers)
      kept.push_back((nameOf(clustering_.cluster(producer).kind) + ": " + clustering_.whyNot(producer, id)).str());
    for (const std::string& reason : kept)
      if (reasons.insert(reason)) why += "; apart from " + reason;
    return why;
  }

  func::FuncOp f_;
  const Program& program_;
  const Clustering& clustering_;
  const std::vector<bool>& recomputed_;
  OpBuilder builder_;
  DenseMap<int, SmallVector<Value>> outputs_;  // by cluster
  DenseMap<Value, Value> written_;             // old value in memory -> new value
};

}  // namespace

void writeFusions(func::FuncOp f, const Program& program, const Clustering& clustering,
                  const std::vector<bool>& recomputed) {
  Writer(f, program, clustering, recomputed).run();
}

}  // namespace nacre::fusion
