// When two programs or kernels are the same: equal text after names and locations are taken away.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "mlir/IR/Operation.h"

namespace nacre::passes {

// Text of `op` with its regions in which values are numbered in order and locations, symbol names and visibility, key
// paths of arguments (nacre.name) and the `why` of fusions are left out. A symbol that is referred to stands as the key
// of what it names. Equal keys mean equal programs; the text is the same in every MLIRContext and process.
std::string structuralKey(mlir::Operation* op);

using StructuralHash = std::array<uint64_t, 2>;
// 128-bit XXH3 of the key.
StructuralHash structuralHash(llvm::StringRef key);
StructuralHash structuralHash(mlir::Operation* op);

}  // namespace nacre::passes
