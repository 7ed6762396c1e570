// The function as fusion sees it: ops that compute (nodes), and between them the paths along which elements travel.
#pragma once
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fuse/op_classes.h"

namespace nacre::fusion {

// How a consumer's elements come from a producer's elements through the map ops between them.
enum class Path {
  same,    // element i from element i, in row-major order
  prefix,  // element i from element i / c: each producer element serves c neighbours (a row value spread over its row)
  inject,  // another order, each producer element read about once: transpose, slice, pad, ...
  expand,  // producer elements are read many times in another pattern
};
Path compose(Path nearConsumer, Path nearProducer);

// One place where a node reads memory or another node.
struct Leaf {
  mlir::Value value;  // result of a node, or an argument of the function
  int producer = -1;  // the node; -1 for arguments
  Path path = Path::same;
  bool byData = false;  // read at positions that depend on data (gather, dynamic_slice)
  int operand = 0;      // of the consuming op
};

struct Node {
  mlir::Operation* op = nullptr;
  OpClass opClass = OpClass::unknown;
  llvm::SmallVector<Leaf, 3> leaves;
  llvm::SmallVector<int, 4> users;  // nodes with a leaf here, ascending, no repeats
  bool escapes = false;             // a result of the function, maybe through views
};

// Ops that are no nodes are virtual: map ops, cloned into each kernel that reads through them. Map ops become nodes
// where their result has to be in memory, or where cloning would cost more than storing.
class Program {
 public:
  explicit Program(mlir::func::FuncOp f);

  std::vector<Node> nodes;  // in program order

  // -1: not a node.
  int nodeOf(mlir::Operation* op) const {
    auto it = numbers_.find(op);
    return it == numbers_.end() ? -1 : it->second;
  }
  int nodeOf(mlir::Value v) const { return v.getDefiningOp() ? nodeOf(v.getDefiningOp()) : -1; }

 private:
  void mustBeInMemory(mlir::Value v);
  void chooseNodes(mlir::func::FuncOp f);
  void collectLeaves(Node& node);

  llvm::DenseMap<mlir::Operation*, int> numbers_;
};

// How `op`, a map op, reads its operand number `operand`.
Path pathThrough(mlir::Operation* op, int operand);
// Does it read that operand at positions that depend on data?
bool readsByData(mlir::Operation* op, int operand);
// Does a transpose move the contiguous dimension?
bool movesLastDimension(mlir::Operation* op);

}  // namespace nacre::fusion
