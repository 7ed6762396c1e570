// Loops over flat index ranges in vectors: shared by the schedules.
#pragma once
#include "codegen/schedule/kernel.h"

namespace nacre::schedule {

// How a range of `size` elements is cut into programs: the first `full` chunks have `chunk` elements, and one more has
// `rest` if that is not 0. A chunk that divides the size is preferred when there is one near `target`.
struct Chunks {
  int64_t chunk, full, rest;
  int64_t count() const { return full + (rest > 0); }
};
Chunks chunksOf(int64_t size, int64_t target, int64_t multiple);

// Elements of work that a program should have: enough to pay for starting it, few enough to balance threads.
int64_t programTarget(int64_t elements);

// Calls body for vectors of `lanes` elements that cover [start, start + length): position is that of lane 0. The main
// loop takes `unroll` vectors a step; the last vector is cut by `valid`.
void forVectors(Emitter& e, AffineExpr start, int64_t length, int64_t lanes, int64_t unroll,
                llvm::function_ref<void(AffineExpr position)> body);

// Runs body(base, length) for the program's chunk; both forms of it if the last chunk is shorter.
void forChunk(Emitter& e, const Chunks& chunks, AffineExpr number,
              llvm::function_ref<void(AffineExpr start, int64_t length)> body);

// Splits a flat number into one variable per size, computed once where this is called.
SmallVector<AffineExpr> splitIndex(Emitter& e, AffineExpr flat, ArrayRef<int64_t> sizes);

// Lanes for a contiguous extent: `lanes`, or less for a short one.
int64_t lanesFor(int64_t extent, int64_t lanes);

}  // namespace nacre::schedule
