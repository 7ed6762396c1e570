// The transforms as passes of mlir-opt kind, for nacre-opt and for pipelines written as text.
#pragma once

namespace nacre::passes {

// Registers nacre-inline, nacre-jvp, nacre-linearize, nacre-transpose, nacre-vjp, nacre-grad, nacre-vmap and
// nacre-simplify. The transforms take func=NAME and add the new function beside it.
void registerTransformPasses();

}  // namespace nacre::passes
