// Where an op comes from: the line of C++ that wrote it, and what the transforms did to it since.
#pragma once
#include <optional>

#include "mlir/IR/Location.h"

namespace nacre::passes {

// Marks what transforms emit. `location` is the original op's.
inline constexpr llvm::StringLiteral kTangent = "tangent";
inline constexpr llvm::StringLiteral kTranspose = "transpose";
inline constexpr llvm::StringLiteral kBatched = "batched";
mlir::Location made(llvm::StringRef what, mlir::Location location);

// The first file:line in a location, wherever it is nested.
std::optional<mlir::FileLineColLoc> sourceOf(mlir::Location location);

// "model.cc:12 tangent transpose" for an op that wrote line 12's product backwards; "?" where no line is known.
std::string describe(mlir::Location location);

}  // namespace nacre::passes
