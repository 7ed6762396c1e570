// The loops behind a structured op: what batching, fusion, tiling, costs and sharding are derived from.
#pragma once
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineMap.h"

namespace nacre::ir {

enum class FactorKind { parallel, reduction };

struct Factor {
  // "d0", "d1", ... for result dimensions, "r0", ... for reduced ones; in products "b0", ..., "m0", ..., "n0", ...,
  // "k0", ...: batching, free of lhs, free of rhs, contracting. A letter that does not occur has no factors.
  std::string name;
  int64_t size;
  FactorKind kind;
};

// An op computes, for each point of the factors' box, results[resultMaps] from operands[operandMaps]. Maps go from the
// factors to the indices of the tensor. They are projected permutations for elementwise ops, broadcasts, transposes,
// reductions and contractions; slice and reverse add strides and offsets, reshape adds floordiv and mod.
struct IterationSpace {
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<mlir::AffineMap, 3> operandMaps;
  llvm::SmallVector<mlir::AffineMap, 1> resultMaps;

  // Number of points: the product of all sizes.
  int64_t points() const {
    int64_t n = 1;
    for (const Factor& f : factors) n *= f.size;
    return n;
  }
};

}  // namespace nacre::ir
