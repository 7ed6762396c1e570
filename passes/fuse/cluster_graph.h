// A directed acyclic graph whose nodes can be merged while it stays acyclic, without quadratic reachability.
#pragma once
#include <cstdint>
#include <vector>

#include "llvm/ADT/SmallVector.h"

namespace nacre::fusion {

// Every node carries a rank; edges go from lower to higher ranks. Whether merging two nodes would close a cycle is
// decided by a search among the nodes whose ranks lie between theirs, given up (the answer is then "do not merge")
// after `searchLimit` nodes: nodes that far apart are worth little together, as their common data left the caches long
// ago. Ranks are repaired locally after a merge, in the manner of the dynamic topological orders of Pearce and Kelly,
// "A dynamic topological sort algorithm for directed acyclic graphs", JEA 11, 2006.
class ClusterGraph {
 public:
  // Nodes 0 .. nodes - 1 with ranks equal to their numbers; edges must go from smaller to larger numbers.
  explicit ClusterGraph(int nodes, int searchLimit = 256);

  void addEdge(int from, int to);

  // The node that stands for `node` after the merges so far.
  int find(int node) const;
  int rank(int node) const { return ranks_[find(node)]; }

  // Merges the clusters of a and b unless a path of length two or more joins them. Returns whether it did.
  bool merge(int a, int b);

  // The representatives in topological order.
  std::vector<int> order() const;

 private:
  // Nodes reached from `start` forwards (backwards) with ranks strictly inside (low, high); the direct edge to `other`
  // is not followed. False: the search was given up.
  bool reach(int start, int other, bool forwards, int low, int high, std::vector<int>& found, int mark) const;
  const llvm::SmallVector<int, 4>& neighbours(int node, bool forwards) const {
    return forwards ? successors_[node] : predecessors_[node];
  }

  int searchLimit_;
  mutable std::vector<int> parent_;
  std::vector<int> ranks_;
  // Neighbours may name nodes that have been merged since: read them through find().
  std::vector<llvm::SmallVector<int, 4>> successors_, predecessors_;
  mutable std::vector<int> marks_;
  int nextMark_ = 0;
};

}  // namespace nacre::fusion
