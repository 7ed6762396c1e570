// Which pairs of clusters one kernel can hold: the grammar of the schedule families, see README.md.
#include "passes/fuse/clustering.h"

using namespace mlir;
using namespace nacre::ir;

namespace nacre::fusion {

namespace {

constexpr size_t kMostMembers = 256;
constexpr int kMostReductions = 16;
constexpr size_t kMostRowPrologue = 8;
constexpr size_t kMostProductPrologue = 4;

constexpr const char kInMemory[] = "the value has to be complete in memory";
constexpr const char kOtherShape[] = "they iterate over different shapes";
constexpr const char kPattern[] = "the value is read in another pattern than it is computed in";
constexpr const char kProduct[] = "a product is complete only when its kernel ends";
constexpr const char kOtherRows[] = "their reductions run over different rows";
constexpr const char kReduced[] = "a reduction is complete only when its kernel ends";
constexpr const char kSize[] = "the kernel would become too large";
constexpr const char kManyReaders[] = "several kernels read the value";
constexpr const char kRepeated[] = "the value would be computed several times";
constexpr const char kScalar[] = "scalars of several kernels are combined by one small kernel";

bool isReduction(const Node& node) { return node.opClass == OpClass::reduce; }

}  // namespace

SmallVector<Clustering::Edge, 8> Clustering::edgesBetween(const Cluster& producer, const Cluster& consumer) const {
  SmallVector<Edge, 8> edges;
  int id = idOf(producer);
  for (int node : consumer.members)
    for (const Leaf& leaf : program_.nodes[node].leaves)
      if (leaf.producer >= 0 && graph_.find(leaf.producer) == id) edges.push_back({&leaf, node});
  return edges;
}

bool Clustering::onlyConsumer(const Cluster& producer, int consumerId) const {
  int id = idOf(producer);
  for (int node : producer.members) {
    if (program_.nodes[node].escapes) return false;
    for (int user : program_.nodes[node].users) {
      int cluster = graph_.find(user);
      if (cluster != id && cluster != consumerId) return false;
    }
  }
  return true;
}

bool Clustering::readsOnlyFrom(const Cluster& consumer, int producerId) const {
  int id = idOf(consumer);
  for (int node : consumer.members)
    for (const Leaf& leaf : program_.nodes[node].leaves) {
      if (leaf.producer < 0) continue;
      int cluster = graph_.find(leaf.producer);
      if (cluster != id && cluster != producerId) return false;
    }
  return true;
}

Clustering::Fit Clustering::fit(const Cluster& producer, const Cluster& consumer) const {
  Fit no;
  if (producer.kind == Kind::fence || consumer.kind == Kind::fence || producer.kind == Kind::indexed)
    return no.whyNot = kInMemory, no;
  if (producer.members.size() + consumer.members.size() > kMostMembers) return no.whyNot = kSize, no;
  auto edges = edgesBetween(producer, consumer);
  // Chains of scalars that come out of many kernels stay one small kernel, whatever their number.
  if (consumer.kind == Kind::pointwise && consumer.domain[0] == 1 && producer.kind != Kind::pointwise &&
      !readsOnlyFrom(consumer, idOf(producer)))
    return no.whyNot = kScalar, no;

  switch (consumer.kind) {
    case Kind::pointwise:
      if (producer.kind == Kind::row) return fitRow(producer, consumer, edges);
      if (producer.kind == Kind::column) return fitColumn(producer, consumer, edges);
      if (Fit aligned = fitEpilogue(producer, consumer, edges); !aligned.whyNot || producer.kind != Kind::pointwise)
        return aligned;
      return fitPrologue(producer, consumer, edges, false);
    case Kind::row:
      if (producer.kind == Kind::contraction) return no.whyNot = kProduct, no;
      if (producer.kind == Kind::column) return no.whyNot = kReduced, no;
      if (Fit aligned = fitRow(producer, consumer, edges); !aligned.whyNot || producer.kind != Kind::pointwise)
        return aligned;
      return fitPrologue(producer, consumer, edges, true);
    case Kind::column:
      if (producer.kind == Kind::contraction) return no.whyNot = kProduct, no;
      if (producer.kind == Kind::row) return no.whyNot = kReduced, no;
      if (Fit aligned = fitColumn(producer, consumer, edges); !aligned.whyNot || producer.kind != Kind::pointwise)
        return aligned;
      return fitPrologue(producer, consumer, edges, true);
    case Kind::contraction:
      if (producer.kind == Kind::contraction) return no.whyNot = kProduct, no;
      if (producer.kind != Kind::pointwise) return no.whyNot = kReduced, no;
      if (Fit aligned = fitEpilogue(producer, consumer, edges); !aligned.whyNot) return aligned;
      return fitPrologue(producer, consumer, edges, true);
    case Kind::indexed:
      if (producer.kind == Kind::contraction) return no.whyNot = kProduct, no;
      if (producer.kind != Kind::pointwise) return no.whyNot = kReduced, no;
      return fitPrologue(producer, consumer, edges, false);
    case Kind::fence: break;
  }
  return no.whyNot = kInMemory, no;
}

// Pointwise with pointwise, or either side of a product's result, element by element.
Clustering::Fit Clustering::fitEpilogue(const Cluster& producer, const Cluster& consumer, ArrayRef<Edge> edges) const {
  bool product = producer.kind == Kind::contraction || consumer.kind == Kind::contraction;
  Fit merged{product ? Kind::contraction : Kind::pointwise, consumer.domain};
  if (producer.domain != consumer.domain) merged.whyNot = kOtherShape;
  if (product && edges.empty()) merged.whyNot = kProduct;
  for (const Edge& edge : edges) {
    bool intoOperand = program_.nodes[edge.consumer].opClass == OpClass::dot;
    if (edge.leaf->path != Path::same || inPrologue_[edge.consumer] || intoOperand)
      merged.whyNot = producer.kind == Kind::contraction && intoOperand ? kProduct : kPattern;
  }
  return merged;
}

// Everything that has to do with rows: full values of rows * columns elements, row values of rows elements.
Clustering::Fit Clustering::fitRow(const Cluster& producer, const Cluster& consumer, ArrayRef<Edge> edges) const {
  const Domain& domain = producer.kind == Kind::row ? producer.domain : consumer.domain;
  Fit merged{Kind::row, domain};
  int64_t rows = domain[0], full = domain[0] * domain[1];
  for (const Cluster* part : {&producer, &consumer}) {
    bool isRow = part->kind == Kind::row;
    bool isPointwise = part->kind == Kind::pointwise && (part->domain[0] == rows || part->domain[0] == full);
    if (isRow && part->domain != domain) return merged.whyNot = kOtherRows, merged;
    if (!isRow && !isPointwise) return merged.whyNot = kOtherShape, merged;
    // One row gives one program: whatever else is to be done with many elements wants its own kernel.
    if (!isRow && part->domain[0] == full && rows < 8 && full > (1 << 16)) return merged.whyNot = kReduced, merged;
  }
  if (producer.kind == Kind::pointwise && edges.empty() && producer.domain[0] != full)
    return merged.whyNot = kOtherShape, merged;
  int reductions = 0;
  for (const Cluster* part : {&producer, &consumer})
    reductions += llvm::count_if(part->members, [&](int node) { return isReduction(program_.nodes[node]); });
  if (reductions > kMostReductions) return merged.whyNot = kSize, merged;

  for (const Edge& edge : edges) {
    if (inPrologue_[edge.consumer]) return merged.whyNot = kPattern, merged;
    int64_t from = elementsOf(edge.leaf->value);
    bool intoReduction = isReduction(program_.nodes[edge.consumer]);
    int64_t to = intoReduction ? full : elements(edge.consumer);
    bool aligned = edge.leaf->path == Path::same && from == to;
    // A scalar of its own kernel stays there: it serves many rows of many kernels.
    bool spread =
        edge.leaf->path == Path::prefix && from == rows && to == full && (rows > 1 || producer.kind == Kind::row);
    if (!aligned && !spread) return merged.whyNot = kPattern, merged;
  }
  return merged;
}

Clustering::Fit Clustering::fitColumn(const Cluster& producer, const Cluster& consumer, ArrayRef<Edge> edges) const {
  const Domain& domain = producer.kind == Kind::column ? producer.domain : consumer.domain;
  Fit merged{Kind::column, domain};
  int64_t full = domain[0] * domain[1] * domain[2], kept = domain[0] * domain[2];
  if (producer.kind == Kind::column && consumer.kind == Kind::column) {
    if (producer.domain != consumer.domain) return merged.whyNot = kOtherShape, merged;
    if (!edges.empty()) return merged.whyNot = kReduced, merged;
    return merged;
  }
  const Cluster& pointwise = producer.kind == Kind::column ? consumer : producer;
  if (edges.empty() || pointwise.kind != Kind::pointwise) return merged.whyNot = kOtherShape, merged;
  if (pointwise.domain[0] == full) {
    if (producer.kind == Kind::column) return merged.whyNot = kReduced, merged;
    // Full values cannot leave the kernel.
    if (!onlyConsumer(producer, idOf(consumer))) return merged.whyNot = kManyReaders, merged;
  } else if (pointwise.domain[0] != kept) {
    return merged.whyNot = kOtherShape, merged;
  }
  for (const Edge& edge : edges) {
    int64_t to = isReduction(program_.nodes[edge.consumer]) ? full : elements(edge.consumer);
    if (inPrologue_[edge.consumer] || edge.leaf->path != Path::same || elementsOf(edge.leaf->value) != to)
      return merged.whyNot = kPattern, merged;
  }
  return merged;
}

// The producer is computed at the positions the consumer asks for, and nowhere else.
Clustering::Fit Clustering::fitPrologue(const Cluster& producer, const Cluster& consumer, ArrayRef<Edge> edges,
                                        bool cheapOnly) const {
  Fit merged{consumer.kind, consumer.domain, true};
  if (edges.empty()) return merged.whyNot = kOtherShape, merged;
  if (!onlyConsumer(producer, idOf(consumer))) return merged.whyNot = kManyReaders, merged;
  bool cheap = llvm::all_of(producer.members, [&](int node) { return isCheap(program_.nodes[node].op); });
  size_t most = consumer.kind == Kind::contraction ? kMostProductPrologue : kMostRowPrologue;
  if (cheapOnly && (!cheap || producer.members.size() > most)) return merged.whyNot = kRepeated, merged;
  bool small = cheap && producer.members.size() <= kMostRowPrologue;
  if (edges.size() > 1 && !small) return merged.whyNot = kRepeated, merged;
  for (const Edge& edge : edges) {
    const Node& node = program_.nodes[edge.consumer];
    if (node.opClass == OpClass::update) {
      if (edge.leaf->operand == 0) return merged.whyNot = kInMemory, merged;
      // Start positions are read for every element of the window.
      bool updates = edge.leaf->operand == (isa<ScatterOp>(node.op) ? 2 : 1);
      if (!updates && !small) return merged.whyNot = kRepeated, merged;
    } else if (node.opClass == OpClass::reduce && edge.leaf->path == Path::same) {
      return merged.whyNot = kPattern, merged;  // aligned, so fitRow or fitColumn had another reason to refuse
    }
    bool once = edge.leaf->path == Path::same || edge.leaf->path == Path::inject;
    if ((!once || edge.leaf->byData) && !small) return merged.whyNot = kRepeated, merged;
    // Computing a value again for every element that a broadcast makes of it is worse than a load, unless it is free.
    if (!once) return merged.whyNot = kPattern, merged;
  }
  return merged;
}

}  // namespace nacre::fusion
