// Which nodes share a kernel.
#pragma once
#include <string>
#include <vector>

#include "passes/fuse/cluster_graph.h"
#include "passes/fuse/program.h"

namespace nacre::fusion {

// Schedule families before naming: transpose and split_reduce are told apart from pointwise and row at the end.
enum class Kind { pointwise, row, column, contraction, indexed, fence };

// What a kernel iterates over. pointwise: {elements}; row: {rows, columns}; column: {outer, reduced, inner};
// contraction: {elements of the result}; indexed, fence: {}.
using Domain = llvm::SmallVector<int64_t, 3>;

struct Cluster {
  Kind kind = Kind::fence;
  Domain domain;
  std::vector<int> members;  // nodes, ascending
};

// Greedy: pairs of clusters that exchange a value are merged where one kernel can hold both, first where the value then
// never reaches memory, then where it is read less often, then siblings that read the same values, last producers that
// a consumer reads through an index map. Each merge has to keep the clusters free of cycles.
class Clustering {
 public:
  Clustering(const Program& program, bool fusion);

  int clusterOf(int node) const { return graph_.find(node); }
  const Cluster& cluster(int id) const { return clusters_[id]; }
  // Clusters in topological order.
  std::vector<int> order() const { return graph_.order(); }
  // Why two clusters that share a value are not one.
  std::string whyNot(int producer, int consumer) const;

 private:
  struct Fit {
    Kind kind = Kind::fence;
    Domain domain;
    bool prologue = false;  // the producer is evaluated where the consumer asks for it
    const char* whyNot = nullptr;
  };
  struct Edge {
    const Leaf* leaf;
    int consumer;
  };

  Fit fit(const Cluster& producer, const Cluster& consumer) const;
  Fit fitEpilogue(const Cluster& producer, const Cluster& consumer, llvm::ArrayRef<Edge> edges) const;
  Fit fitRow(const Cluster& producer, const Cluster& consumer, llvm::ArrayRef<Edge> edges) const;
  Fit fitColumn(const Cluster& producer, const Cluster& consumer, llvm::ArrayRef<Edge> edges) const;
  Fit fitPrologue(const Cluster& producer, const Cluster& consumer, llvm::ArrayRef<Edge> edges, bool cheapOnly) const;
  llvm::SmallVector<Edge, 8> edgesBetween(const Cluster& producer, const Cluster& consumer) const;
  bool onlyConsumer(const Cluster& producer, int consumerId) const;
  bool readsOnlyFrom(const Cluster& consumer, int producerId) const;
  bool tryMerge(int a, int b, bool prologue);
  bool mergeSingleConsumers();
  bool mergeManyConsumers();
  bool mergeSiblings();
  bool mergePrologues();
  int64_t elements(int node) const { return elementsOf(program_.nodes[node].op->getResult(0)); }
  int idOf(const Cluster& cluster) const { return graph_.find(cluster.members.front()); }

  const Program& program_;
  ClusterGraph graph_;
  std::vector<Cluster> clusters_;  // by representative
  std::vector<bool> inPrologue_;   // by node
};

}  // namespace nacre::fusion
