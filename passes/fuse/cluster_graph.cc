#include "passes/fuse/cluster_graph.h"

#include <algorithm>
#include <numeric>

namespace nacre::fusion {

ClusterGraph::ClusterGraph(int nodes, int searchLimit)
    : searchLimit_(searchLimit),
      parent_(nodes),
      ranks_(nodes),
      successors_(nodes),
      predecessors_(nodes),
      marks_(nodes, 0) {
  std::iota(parent_.begin(), parent_.end(), 0);
  std::iota(ranks_.begin(), ranks_.end(), 0);
}

void ClusterGraph::addEdge(int from, int to) {
  if (!successors_[from].empty() && successors_[from].back() == to) return;
  successors_[from].push_back(to);
  predecessors_[to].push_back(from);
}

int ClusterGraph::find(int node) const {
  while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
  return node;
}

bool ClusterGraph::reach(int start, int other, bool forwards, int low, int high, std::vector<int>& found,
                         int mark) const {
  size_t next = 0;
  int work = 0;
  auto visit = [&](int from) {
    for (int neighbour : neighbours(from, forwards)) {
      if (++work > 8 * searchLimit_) return false;
      int node = find(neighbour);
      if (node == other || ranks_[node] <= low || ranks_[node] >= high || marks_[node] == mark) continue;
      marks_[node] = mark;
      found.push_back(node);
    }
    return static_cast<int>(found.size()) <= searchLimit_;
  };
  if (!visit(start)) return false;
  while (next < found.size())
    if (!visit(found[next++])) return false;
  return true;
}

bool ClusterGraph::merge(int a, int b) {
  a = find(a), b = find(b);
  if (a == b) return true;
  if (ranks_[a] > ranks_[b]) std::swap(a, b);
  int low = ranks_[a], high = ranks_[b];

  std::vector<int> after, before;
  int forwardMark = ++nextMark_;
  if (!reach(a, b, true, low, high, after, forwardMark)) return false;
  // Is b a successor of something that a reaches?
  for (int node : predecessors_[b]) {
    node = find(node);
    if (node != a && marks_[node] == forwardMark) return false;
  }
  int backwardMark = ++nextMark_;
  if (!reach(b, a, false, low, high, before, backwardMark)) return false;

  // The ranks of all nodes concerned are dealt out again: what b needs, the merged node, what needs a.
  std::vector<int> slots = {low, high};
  for (int node : after) slots.push_back(ranks_[node]);
  for (int node : before) slots.push_back(ranks_[node]);
  std::sort(slots.begin(), slots.end());
  auto byRank = [&](int x, int y) { return ranks_[x] < ranks_[y]; };
  std::sort(after.begin(), after.end(), byRank);
  std::sort(before.begin(), before.end(), byRank);

  // The node with more neighbours keeps its lists.
  auto degree = [&](int node) { return successors_[node].size() + predecessors_[node].size(); };
  int kept = degree(a) >= degree(b) ? a : b;
  int gone = kept == a ? b : a;
  parent_[gone] = kept;
  successors_[kept].append(successors_[gone].begin(), successors_[gone].end());
  predecessors_[kept].append(predecessors_[gone].begin(), predecessors_[gone].end());
  successors_[gone].clear();
  predecessors_[gone].clear();
  auto clean = [&](llvm::SmallVector<int, 4>& list) {
    for (int& node : list) node = find(node);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    list.erase(std::remove(list.begin(), list.end(), kept), list.end());
  };
  clean(successors_[kept]);
  clean(predecessors_[kept]);

  size_t slot = 0;
  for (int node : before) ranks_[node] = slots[slot++];
  ranks_[kept] = slots[slot++];
  for (int node : after) ranks_[node] = slots[slot++];
  return true;
}

std::vector<int> ClusterGraph::order() const {
  std::vector<int> nodes;
  for (int node = 0; node < static_cast<int>(parent_.size()); ++node)
    if (parent_[node] == node) nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end(), [&](int x, int y) { return ranks_[x] < ranks_[y]; });
  return nodes;
}

}  // namespace nacre::fusion
