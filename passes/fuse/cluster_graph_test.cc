#include "passes/fuse/cluster_graph.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace nacre::fusion {
namespace {

using Edges = std::set<std::pair<int, int>>;

// Does a path of two or more edges lead from the cluster of a to that of b (or back)?
bool longPath(const ClusterGraph& graph, const Edges& edges, int nodes, int a, int b) {
  auto search = [&](int from, int to) {
    std::vector<bool> seen(nodes, false);
    std::vector<int> pending = {from};
    while (!pending.empty()) {
      int node = pending.back();
      pending.pop_back();
      for (auto [x, y] : edges) {
        if (graph.find(x) != node) continue;
        int next = graph.find(y);
        if (next == node || seen[next]) continue;
        if (next == to) {
          if (node != from) return true;
          continue;
        }
        seen[next] = true;
        pending.push_back(next);
      }
    }
    return false;
  };
  a = graph.find(a), b = graph.find(b);
  return search(a, b) || search(b, a);
}

TEST_CASE("merges happen exactly where no cycle would arise, and ranks stay topological") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    int nodes = 2 + random() % 25;
    ClusterGraph graph(nodes, trial % 2 ? 1000 : 3);
    Edges edges;
    for (int to = 1; to < nodes; ++to)
      for (int k = random() % 3; k > 0; --k) {
        int from = random() % to;
        if (edges.insert({from, to}).second) graph.addEdge(from, to);
      }
    for (int k = 0; k < 40; ++k) {
      int a = random() % nodes, b = random() % nodes;
      if (graph.find(a) == graph.find(b)) continue;
      bool cycle = longPath(graph, edges, nodes, a, b);
      bool merged = graph.merge(a, b);
      if (cycle) CHECK(!merged);
      if (trial % 2 && !cycle) CHECK(merged);
      for (auto [x, y] : edges)
        if (graph.find(x) != graph.find(y)) REQUIRE(graph.rank(x) < graph.rank(y));
    }
    std::vector<int> order = graph.order();
    for (size_t i = 1; i < order.size(); ++i) CHECK(graph.rank(order[i - 1]) < graph.rank(order[i]));
  }
}

}  // namespace
}  // namespace nacre::fusion
