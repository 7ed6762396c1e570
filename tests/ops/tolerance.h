// How far a system may be from the golden value of an op.
#pragma once
#include <string>

#include "ir/reference/compare.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::tests {

// Integers, moves, + - * / and sqrt are exact. The interpreter computes functions of real numbers in a wider type and
// rounds once, so it may be 1 ulp off where the value lies next to the middle of two numbers; sums likewise.
ir::Tolerance interpreterTolerance(llvm::StringRef op);

// What docs/ops.md states of compiled code, read from the file, so that the document is what is tested.
class DocumentedTolerances {
 public:
  // Throws std::runtime_error if the file is missing or has no table of ops.
  explicit DocumentedTolerances(const std::string& path);
  // `op` as "nacre.add"; throws for an op without a row.
  ir::Tolerance of(llvm::StringRef op, mlir::Type element) const;

 private:
  llvm::StringMap<std::string> ulpOfOp;  // the cell of the column
};

}  // namespace nacre::tests
