// What an op is to fusion.
#pragma once
#include "ir/nacre.h"

namespace nacre::fusion {

enum class OpClass {
  map,          // moves elements: broadcast, reshape, transpose, slice, pad, gather, ...; also iota and splat constants
  elementwise,  // computes each element from those at the same index
  reduce,       // reduce, arg_reduce
  dot,          // dot_general
  update,       // scatter, dynamic_update_slice
  fence,        // optimization_barrier, dense constants, bitcasts to another width: stay outside of kernels
  unknown,
};

OpClass classOf(mlir::Operation* op);

// Is a value worth recomputing rather than storing and loading it? Arithmetic of a cycle or two per vector.
bool isCheap(mlir::Operation* op);

// A constant that kernels hold inside themselves.
bool isSplat(mlir::Operation* op);

// Changes the shape of memory only.
bool isView(mlir::Operation* op);

int64_t elementsOf(mlir::Value v);
int64_t bytesOf(mlir::Value v);  // i1 takes one byte

// Dimensions of a reduction: input elements seen as [outer, reduced, inner].
struct ReductionDomain {
  int64_t outer = 1, reduced = 1, inner = 1;
};
// Of a reduce or arg_reduce whose reduced dimensions (but for those of size 1) are adjacent. False otherwise.
bool reductionDomain(mlir::Operation* op, ReductionDomain& domain);

}  // namespace nacre::fusion
