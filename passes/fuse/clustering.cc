#include "passes/fuse/clustering.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacre::ir;

namespace nacre::fusion {

namespace {

constexpr int kRounds = 4;
constexpr size_t kSiblingWindow = 6;      // readers of a value compared with one another
constexpr int64_t kSmallestShared = 256;  // elements; siblings that share less are left apart

Cluster singleton(const Node& node, int number) {
  Cluster cluster;
  cluster.members = {number};
  int64_t n = node.op->getNumResults() ? elementsOf(node.op->getResult(0)) : 0;
  switch (node.opClass) {
    case OpClass::map:
    case OpClass::elementwise:
      cluster.kind = Kind::pointwise;
      cluster.domain = {n};
      break;
    case OpClass::reduce: {
      ReductionDomain domain;
      reductionDomain(node.op, domain);
      if (domain.inner == 1) {
        cluster.kind = Kind::row;
        cluster.domain = {domain.outer, domain.reduced};
      } else {
        cluster.kind = Kind::column;
        cluster.domain = {domain.outer, domain.reduced, domain.inner};
      }
      break;
    }
    case OpClass::dot:
      cluster.kind = Kind::contraction;
      cluster.domain = {n};
      break;
    case OpClass::update: cluster.kind = Kind::indexed; break;
    case OpClass::fence:
    case OpClass::unknown: break;
  }
  return cluster;
}

}  // namespace

Clustering::Clustering(const Program& program, bool fusion)
    : program_(program), graph_(program.nodes.size()), inPrologue_(program.nodes.size(), false) {
  for (int i = 0; i < static_cast<int>(program.nodes.size()); ++i) {
    clusters_.push_back(singleton(program.nodes[i], i));
    for (int user : program.nodes[i].users) graph_.addEdge(i, user);
  }
  if (!fusion) return;
  for (int round = 0; round < kRounds; ++round) {
    bool changed = mergeSingleConsumers();
    changed |= mergeManyConsumers();
    if (!changed) break;
  }
  mergeSiblings();
  for (int round = 0; round < kRounds; ++round)
    if (!mergePrologues()) break;
}

bool Clustering::tryMerge(int a, int b, bool prologue) {
  a = graph_.find(a), b = graph_.find(b);
  if (a == b) return false;
  if (graph_.rank(a) > graph_.rank(b)) std::swap(a, b);
  Fit merged = fit(clusters_[a], clusters_[b]);
  if (merged.whyNot || merged.prologue != prologue || !graph_.merge(a, b)) return false;
  if (merged.prologue)
    for (int node : clusters_[a].members) inPrologue_[node] = true;
  std::vector<int> members;
  std::merge(clusters_[a].members.begin(), clusters_[a].members.end(), clusters_[b].members.begin(),
             clusters_[b].members.end(), std::back_inserter(members));
  clusters_[a].members.clear();
  clusters_[b].members.clear();
  clusters_[graph_.find(a)] = {merged.kind, merged.domain, std::move(members)};
  return true;
}

bool Clustering::mergeSingleConsumers() {
  bool changed = false;
  for (int node = 0; node < static_cast<int>(program_.nodes.size()); ++node) {
    const Node& producer = program_.nodes[node];
    if (producer.escapes || producer.users.empty()) continue;
    int consumer = graph_.find(producer.users.front());
    if (llvm::all_of(producer.users, [&](int user) { return graph_.find(user) == consumer; }))
      changed |= tryMerge(node, consumer, false);
  }
  return changed;
}

bool Clustering::mergeManyConsumers() {
  bool changed = false;
  for (int node = 0; node < static_cast<int>(program_.nodes.size()); ++node)
    for (int user : program_.nodes[node].users) changed |= tryMerge(node, user, false);
  return changed;
}

bool Clustering::mergeSiblings() {
  llvm::MapVector<Value, SmallVector<int, 4>> readers;
  for (int node = 0; node < static_cast<int>(program_.nodes.size()); ++node)
    for (const Leaf& leaf : program_.nodes[node].leaves)
      if (leaf.path == Path::same && elementsOf(leaf.value) >= kSmallestShared) readers[leaf.value].push_back(node);
  bool changed = false;
  for (auto& entry : readers) {
    Value value = entry.first;
    SmallVector<int, 4>& nodes = entry.second;
    llvm::erase_if(nodes, [&](int node) {
      const Cluster& cluster = clusters_[graph_.find(node)];
      int64_t n = 1;
      for (int64_t size : cluster.domain) n *= size;
      bool loops = cluster.kind == Kind::pointwise || cluster.kind == Kind::row || cluster.kind == Kind::column;
      return !loops || n != elementsOf(value) || inPrologue_[node];
    });
    for (size_t i = 1; i < nodes.size(); ++i)
      for (size_t j = i; j > 0 && i - j < kSiblingWindow; --j) changed |= tryMerge(nodes[j - 1], nodes[i], false);
  }
  return changed;
}

bool Clustering::mergePrologues() {
  bool changed = false;
  for (int node = static_cast<int>(program_.nodes.size()) - 1; node >= 0; --node)
    if (!program_.nodes[node].users.empty()) changed |= tryMerge(node, program_.nodes[node].users.front(), true);
  return changed;
}

std::string Clustering::whyNot(int producer, int consumer) const {
  Fit merged = fit(clusters_[producer], clusters_[consumer]);
  if (merged.whyNot) return merged.whyNot;
  return "one kernel would have to wait for another between them, or they are far apart";
}

}  // namespace nacre::fusion
