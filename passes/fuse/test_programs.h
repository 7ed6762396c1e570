// Programs that fusion, planning and compilation are tested on.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacre::testing {

struct TransformerShape {
  int64_t batch = 2, time = 8, width = 16, heads = 2, layers = 1, vocabulary = 24;
};

// One training step of a decoder-only transformer in a module of its own, inlined and simplified: embeddings,
// layernorm, causal attention, gelu MLP, tied softmax cross-entropy; gradient; clipping by the global norm; AdamW.
// Arguments of
// @main: parameters, first moments, second moments (these three donated), tokens and targets (i32 [batch, time]).
// Results: the three in the same order, then the loss.
mlir::OwningOpRef<mlir::ModuleOp> transformerStep(mlir::MLIRContext& context, const TransformerShape& shape);

// Bytes that a person would plan to move for it, each kernel reading and writing whole arrays once: see the source.
int64_t handCountOfTransformerStep(const TransformerShape& shape);

}  // namespace nacre::testing
