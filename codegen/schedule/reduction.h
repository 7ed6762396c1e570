// How a reduction, an argument reduction or a product accumulates: its terms, its accumulators, how they combine.
#pragma once
#include "codegen/schedule/emission.h"

namespace nacre::schedule {

// `op` is a reduce, an arg_reduce or a dot_general. Accumulators are tiles, one per result (two for arg_reduce: value
// and index).
class Accumulation {
 public:
  Accumulation(Emitter& emitter, Operation* op);

  int64_t numAccumulators() const { return elements.size(); }
  // Sizes of the reduced dimensions.
  ArrayRef<int64_t> reducedShape() const { return sizes; }
  // Neutral accumulators.
  SmallVector<Value> initial(int64_t lanes);
  // Accumulators with the term at (kept position, reduced index) taken in. `exists` (or null) masks lanes.
  SmallVector<Value> step(ArrayRef<Value> accumulators, const Position& kept, ArrayRef<AffineExpr> reduced,
                          int64_t lanes, Value exists);
  SmallVector<Value> combine(ArrayRef<Value> a, ArrayRef<Value> b);
  // Lanes to scalars.
  SmallVector<Value> acrossLanes(ArrayRef<Value> accumulators);
  // Declares the op's results at the kept position.
  void finish(ArrayRef<Value> accumulators, const Position& kept);
  // True for sums of floats, whose error grows with the number of terms in a row.
  bool needsBlocks() const;
  // The first element type, which decides the number of lanes.
  Type element() const { return elements[0]; }

 private:
  Value combineOne(Value a, Value b);
  Index operandAt(const Position& kept, ArrayRef<AffineExpr> reduced, ArrayRef<int64_t> dimensions, int64_t rank);

  Emitter& e;
  Operation* op;
  ir::CombineKind kind = ir::CombineKind::Add;
  bool arg = false, dot = false;
  SmallVector<int64_t> sizes;
  SmallVector<Type> elements;
};

}  // namespace nacre::schedule
