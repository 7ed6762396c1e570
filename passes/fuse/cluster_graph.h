// A directed acyclic graph whose nodes can be merged while it stays acyclic, without quadratic reachability.
#pragma once
#include <cstdint>
#include <vector>

#include "llvm/ADT/SmallVector.h"

namespace nacre::fusion {

// Every node carries a rank; edges go from lower to higher ranks. Whether merging two nodes would close a cycle is
// decided by a search among the nodes whose ranks lie between theirs: forwards from the first, or, if that is given up
// after `searchLimit` nodes, backwards from the second. If that is given up too, the answer is "do not merge": both
// ends have much to do with what lies between. Afterwards only the nodes found change their ranks: they move behind the
// merged node (or before it). After Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic
// graphs", JEA 11, 2006, with the ranks kept as labels of a list, as in Dietz and Sleator's order maintenance.
class ClusterGraph {
 public:
  // Nodes 0 .. nodes - 1 ranked by their numbers; edges must go from smaller to larger numbers.
  explicit ClusterGraph(int nodes, int searchLimit = 256);

  void addEdge(int from, int to);

  // The node that stands for `node` after the merges so far.
  int find(int node) const;
  // Only comparisons of ranks mean something.
  int64_t rank(int node) const { return labels_[find(node)]; }

  // Merges the clusters of a and b unless a path of length two or more joins them. Returns whether it did.
  bool merge(int a, int b);

  // The representatives in topological order.
  std::vector<int> order() const;

 private:
  // Nodes reached from `start` forwards (backwards) with ranks strictly inside (low, high), `other` and the direct edge
  // to it left out. False: the search was given up.
  bool reach(int start, int other, bool forwards, int64_t low, int64_t high, std::vector<int>& found);
  bool touches(int node, bool forwards, int except) const;
  // Moves `nodes` (by rank) behind or before `place`.
  void moveNextTo(int place, bool behind, std::vector<int>& nodes);
  void unlink(int node);
  void linkBehind(int place, int node);
  void relabel();

  int searchLimit_;
  mutable std::vector<int> parent_;
  std::vector<int64_t> labels_;
  std::vector<int> next_, previous_;  // the list in order of rank; the last entry is its head
  // Neighbours may name nodes that have been merged since: read them through find().
  std::vector<llvm::SmallVector<int, 4>> successors_, predecessors_;
  std::vector<int> marks_;
  int mark_ = 0;
};

}  // namespace nacre::fusion
