// Literal values as the bytes that kernels read.
#pragma once
#include <cstdint>
#include <vector>

#include "mlir/IR/BuiltinAttributes.h"

namespace nacre::codegen {

// Row-major, little-endian, i1 as one byte each.
std::vector<uint8_t> bytesOfConstant(mlir::ElementsAttr value);

}  // namespace nacre::codegen
