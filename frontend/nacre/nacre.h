// Everything a model needs: arrays, NumPy-like functions, transforms, jit, random numbers, trees, printing.
// Layers are in nacre/nn.h, optimizers in nacre/optim.h, files in nacre/io.h, the strict op layer in nacre/lax.h.
#pragma once
#include "nacre/array.h"       // IWYU pragma: export
#include "nacre/indexing.h"    // IWYU pragma: export
#include "nacre/jit.h"         // IWYU pragma: export
#include "nacre/numpy.h"       // IWYU pragma: export
#include "nacre/print.h"       // IWYU pragma: export
#include "nacre/random.h"      // IWYU pragma: export
#include "nacre/transforms.h"  // IWYU pragma: export
#include "nacre/tree.h"        // IWYU pragma: export
