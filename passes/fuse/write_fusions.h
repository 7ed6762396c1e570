// Writes clusters as nacre.fusion ops.
#pragma once
#include "passes/fuse/clustering.h"

namespace nacre::fusion {

// Replaces the ops of f by fusions in the order of the clusters, with views, barriers and dense constants between them.
// Values of nodes marked in `recomputed` are cloned into each kernel that reads them.
void writeFusions(mlir::func::FuncOp f, const Program& program, const Clustering& clustering,
                  const std::vector<bool>& recomputed);

}  // namespace nacre::fusion
