// What the transforms share: functions beside functions.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::passes {

// The one block of a function that transforms can read, or an error that says why there is none.
mlir::FailureOr<mlir::Block*> straightLine(mlir::func::FuncOp f);

// A copy of `f` in its module, after it, with calls inlined. It is called `name`, or `name_N` where that is taken.
mlir::FailureOr<mlir::func::FuncOp> cloneInlined(mlir::func::FuncOp f, llvm::StringRef name);

// Moves `g` behind `f` into its module under `name` or `name_N`.
void insertBeside(mlir::func::FuncOp f, mlir::func::FuncOp g, llvm::StringRef name);

// Are there as many `flags` as `types`, and is each flagged type a tensor of floats? `what` ("argument") and `role`
// ("active") word the error.
mlir::LogicalResult checkFloatFlags(mlir::func::FuncOp f, llvm::ArrayRef<bool> flags, mlir::TypeRange types,
                                    llvm::StringRef what, llvm::StringRef role);

// Adds an argument at the end whose key path is that of argument `of` behind `prefix`, if that has one.
mlir::BlockArgument appendArgument(mlir::func::FuncOp f, mlir::Type type, mlir::Location loc,
                                   mlir::StringAttr keyPath = {});
// The key path of argument `i` (nacre.name) behind a prefix; null if it has none.
mlir::StringAttr prefixedKeyPath(mlir::func::FuncOp f, unsigned i, llvm::StringRef prefix);

// Replaces what `f` returns, and its type accordingly.
void setResults(mlir::func::FuncOp f, mlir::ValueRange values);

bool isFloatTensor(mlir::Type type);

}  // namespace nacre::passes
