// The micro-kernel of tile.contract: a register block of mr x nr accumulators, one pass over the depth.
//
// Method: K. Goto, R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008, and
// F. Van Zee, R. van de Geijn, "BLIS", ACM TOMS 41(3), 2015: panels of A hold mr rows, panels of B nr columns; for each
// step of depth, nr/lanes vectors of B are loaded and each of mr elements of A is broadcast into fused multiply-adds.
// The order of additions along the depth is fixed: one accumulator per element of C.
#pragma once
#include "codegen/cpu/emit.h"
#include "codegen/target.h"
#include "codegen/tile/dialect.h"

namespace nacre::cpu {

// Emits the loops over panels of A and B at the insertion point. Any mr and nr work; those of
// Target::contractBlock keep the accumulators in registers.
mlir::LogicalResult emitContract(Emit& e, const codegen::Target& target, tile::ContractOp op, Value a, Value b, Value c,
                                 Value depth);

}  // namespace nacre::cpu
