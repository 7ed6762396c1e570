// What a kernel reads, without emitting it: the places that a position of a value reaches, for choosing loops.
#pragma once
#include <functional>

#include "codegen/schedule/emission.h"

namespace nacre::schedule {

struct Access {
  Value leaf;         // an argument of the kernel
  Index index;        // where it is read
  AffineExpr linear;  // the same as a row-major position
};

struct Accesses {
  std::vector<Access> loads;
  // Further index expressions that are computed with (iotas, bounds of pads and concatenations).
  std::vector<AffineExpr> computed;
  // Reductions and products met, each after those that it needs.
  std::vector<std::pair<Operation*, Index>> reductions;
};

// Walks from `value` at `index` to the leaves. Dimensions that are unknown before emission (reduced ones, starts read
// from data) are new dimensions of `space`.
void collectAccesses(IndexSpace& space, Value value, ArrayRef<AffineExpr> index, Accesses& into);

// Whether dimensions outer and inner (of `innerSize`) always occur as outer * innerSize + inner, so that one loop can
// do for both.
bool canMerge(const IndexSpace& space, const Accesses& accesses, AffineExpr outer, AffineExpr inner, int64_t innerSize);

// Rough time of one element of an op in units of an addition, for costs and unrolling.
double costOf(Operation* op);

}  // namespace nacre::schedule
