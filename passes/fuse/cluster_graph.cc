#include "passes/fuse/cluster_graph.h"

#include <algorithm>
#include <numeric>

namespace nacre::fusion {

namespace {

constexpr int64_t kGap = int64_t{1} << 24;  // between the labels of neighbours

}  // namespace

ClusterGraph::ClusterGraph(int nodes, int searchLimit)
    : searchLimit_(searchLimit),
      parent_(nodes),
      labels_(nodes + 1, 0),
      next_(nodes + 1),
      previous_(nodes + 1),
      successors_(nodes),
      predecessors_(nodes),
      marks_(nodes, 0) {
  std::iota(parent_.begin(), parent_.end(), 0);
  for (int i = 0; i <= nodes; ++i) {
    next_[i] = i == nodes ? 0 : i + 1;
    previous_[i] = i == 0 ? nodes : i - 1;
  }
  relabel();
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

bool ClusterGraph::reach(int start, int other, bool forwards, int64_t low, int64_t high, std::vector<int>& found) {
  ++mark_;
  size_t next = 0;
  int work = 0;
  auto visit = [&](int from) {
    for (int neighbour : forwards ? successors_[from] : predecessors_[from]) {
      if (++work > 8 * searchLimit_) return false;
      int node = find(neighbour);
      if (node == other || labels_[node] <= low || labels_[node] >= high || marks_[node] == mark_) continue;
      marks_[node] = mark_;
      found.push_back(node);
    }
    return static_cast<int>(found.size()) <= searchLimit_;
  };
  if (!visit(start)) return false;
  while (next < found.size())
    if (!visit(found[next++])) return false;
  return true;
}

// Does the last search's result lead on to `node`?
bool ClusterGraph::touches(int node, bool forwards, int except) const {
  for (int neighbour : forwards ? predecessors_[node] : successors_[node]) {
    neighbour = find(neighbour);
    if (neighbour != except && marks_[neighbour] == mark_) return true;
  }
  return false;
}

void ClusterGraph::relabel() {
  int head = static_cast<int>(next_.size()) - 1;
  int64_t label = 0;
  labels_[head] = 0;
  for (int node = next_[head]; node != head; node = next_[node]) labels_[node] = label += kGap;
}

void ClusterGraph::unlink(int node) {
  next_[previous_[node]] = next_[node];
  previous_[next_[node]] = previous_[node];
}

void ClusterGraph::linkBehind(int place, int node) {
  int head = static_cast<int>(next_.size()) - 1;
  int after = next_[place];
  next_[place] = previous_[after] = node;
  previous_[node] = place;
  next_[node] = after;
  int64_t high = after == head ? labels_[place] + 2 * kGap : labels_[after];
  labels_[node] = labels_[place] + (high - labels_[place]) / 2;
  if (labels_[node] == labels_[place]) relabel();
}

void ClusterGraph::moveNextTo(int place, bool behind, std::vector<int>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [&](int x, int y) { return labels_[x] < labels_[y]; });
  for (int node : nodes) unlink(node);
  int at = behind ? place : previous_[place];
  for (int node : nodes) {
    linkBehind(at, node);
    at = node;
  }
}

bool ClusterGraph::merge(int a, int b) {
  a = find(a), b = find(b);
  if (a == b) return true;
  if (labels_[a] > labels_[b]) std::swap(a, b);
  int64_t low = labels_[a], high = labels_[b];

  // The merged node takes the place of b, with what follows a behind it; or that of a, with what b needs before it.
  std::vector<int> between;
  int place = b;
  if (reach(a, b, true, low, high, between)) {
    if (touches(b, true, a)) return false;
    moveNextTo(b, true, between);
  } else {
    between.clear();
    place = a;
    if (!reach(b, a, false, low, high, between) || touches(a, false, b)) return false;
    moveNextTo(a, false, between);
  }

  // The node with more neighbours keeps its lists.
  auto degree = [&](int node) { return successors_[node].size() + predecessors_[node].size(); };
  int kept = degree(a) >= degree(b) ? a : b;
  int gone = kept == a ? b : a;
  if (kept != place) {
    unlink(kept);
    linkBehind(place, kept);
  }
  unlink(gone);
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
  return true;
}

std::vector<int> ClusterGraph::order() const {
  std::vector<int> nodes;
  int head = static_cast<int>(next_.size()) - 1;
  for (int node = next_[head]; node != head; node = next_[node]) nodes.push_back(node);
  return nodes;
}

}  // namespace nacre::fusion
