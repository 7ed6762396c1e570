#include "passes/fuse/recompute.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nacre::fusion {

namespace {

constexpr int kMostOps = 8;
constexpr int kMostOpsInProduct = 4;

// What computing a value again reads, and how many ops it takes.
struct Cone {
  llvm::SmallSetVector<Value, 4> leaves;
  int ops = 1;
};

class Chooser {
 public:
  Chooser(const Program& program, const Clustering& clustering)
      : program_(program), clustering_(clustering), chosen_(program.nodes.size(), false), cones_(program.nodes.size()) {
    for (int node = 0; node < static_cast<int>(program_.nodes.size()); ++node)
      for (const Leaf& leaf : program_.nodes[node].leaves)
        if (leaf.producer < 0 || clustering_.clusterOf(leaf.producer) != clustering_.clusterOf(node))
          reads_[clustering_.clusterOf(node)].insert(leaf.value);
  }

  std::vector<bool> run() {
    for (int node = 0; node < static_cast<int>(program_.nodes.size()); ++node)
      if (isWorthIt(node)) {
        chosen_[node] = true;
        Value value = program_.nodes[node].op->getResult(0);
        for (int consumer : consumersOf(node)) {
          reads_[consumer].erase(value);
          for (Value leaf : cones_[node].leaves) reads_[consumer].insert(leaf);
        }
      }
    return chosen_;
  }

 private:
  llvm::SmallSetVector<int, 4> consumersOf(int node) const {
    llvm::SmallSetVector<int, 4> consumers;
    for (int user : program_.nodes[node].users)
      if (clustering_.clusterOf(user) != clustering_.clusterOf(node)) consumers.insert(clustering_.clusterOf(user));
    return consumers;
  }

  // May every kernel outside compute it again?
  bool isAllowed(int node, const Cone& cone) const {
    Value value = program_.nodes[node].op->getResult(0);
    for (int user : program_.nodes[node].users) {
      if (clustering_.clusterOf(user) == clustering_.clusterOf(node)) continue;
      const Node& consumer = program_.nodes[user];
      if (consumer.opClass == OpClass::fence) return false;
      for (const Leaf& leaf : consumer.leaves) {
        if (leaf.value != value) continue;
        if (consumer.opClass == OpClass::update && leaf.operand == 0) return false;
        if (consumer.opClass == OpClass::dot && cone.ops > kMostOpsInProduct) return false;
        bool once = leaf.path == Path::same || leaf.path == Path::inject;
        if (!once && !cone.leaves.empty()) return false;
      }
    }
    return true;
  }

  bool isInMemory(Value value) const {
    int node = program_.nodeOf(value);
    if (node < 0) return true;
    const Node& producer = program_.nodes[node];
    return producer.escapes || producer.opClass == OpClass::fence || !consumersOf(node).empty();
  }

  bool isWorthIt(int number) {
    const Node& node = program_.nodes[number];
    if (node.opClass != OpClass::elementwise || !isCheap(node.op) || node.op->getNumResults() != 1) return false;
    Cone& cone = cones_[number];
    for (const Leaf& leaf : node.leaves) {
      if (leaf.producer >= 0 && chosen_[leaf.producer]) {
        cone.leaves.insert(cones_[leaf.producer].leaves.begin(), cones_[leaf.producer].leaves.end());
        cone.ops += cones_[leaf.producer].ops;
      } else {
        cone.leaves.insert(leaf.value);
      }
    }
    int64_t bytes = bytesOf(node.op->getResult(0));
    auto consumers = consumersOf(number);
    if (node.escapes || consumers.empty() || elementsOf(node.op->getResult(0)) == 1 || cone.ops > kMostOps)
      return false;
    if (!isAllowed(number, cone)) return false;

    int64_t stored = bytes * (1 + static_cast<int64_t>(consumers.size()));
    int64_t recomputed = 0;
    for (Value leaf : cone.leaves) {
      if (!isInMemory(leaf)) recomputed += bytesOf(leaf);
      for (int consumer : consumers)
        if (!reads_[consumer].contains(leaf)) recomputed += bytesOf(leaf);
    }
    return recomputed < stored;
  }

  const Program& program_;
  const Clustering& clustering_;
  std::vector<bool> chosen_;
  std::vector<Cone> cones_;
  DenseMap<int, DenseSet<Value>> reads_;  // by cluster: what it reads from memory
};

}  // namespace

std::vector<bool> chooseRecomputed(const Program& program, const Clustering& clustering) {
  return Chooser(program, clustering).run();
}

}  // namespace nacre::fusion
