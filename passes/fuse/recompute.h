// Cheap values that several kernels need: store once and load, or compute again from what is in memory anyway?
#pragma once
#include <vector>

#include "passes/fuse/clustering.h"

namespace nacre::fusion {

// By node: true where kernels other than the node's own compute the value again. That is so where it moves fewer bytes,
// in particular for values that depend on nothing in memory (masks from iota).
std::vector<bool> chooseRecomputed(const Program& program, const Clustering& clustering);

}  // namespace nacre::fusion
