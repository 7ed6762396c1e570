// Fusion as passes of mlir-opt kind, for nacre-opt.
#pragma once

namespace nacre::passes {

// Registers nacre-normalize, nacre-split-reduce, nacre-fuse (option fusion=false: each op for itself) and
// nacre-outline. They work on @main.
void registerFusionPasses();

}  // namespace nacre::passes
