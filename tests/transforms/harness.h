// Runs functions of a Case through the reference interpreter, with the vector operations that the tests need.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "ir/reference/interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tests/transforms/cases.h"

namespace nacre::testing {

using Values = std::vector<ir::HostValue>;

mlir::MLIRContext& context();

// The module of a case; a test fails, with the diagnostics, where it does not parse or verify.
mlir::OwningOpRef<mlir::ModuleOp> parse(const Case& c);
mlir::func::FuncOp function(mlir::ModuleOp module, llvm::StringRef name = "f");

// Runs `f` after verifying it.
Values evaluate(mlir::func::FuncOp f, const Values& arguments);

bool isReal(mlir::Type type);
// One flag a type: is it an array of floats?
std::vector<bool> realFlags(mlir::TypeRange types);
llvm::SmallVector<bool> flags(const std::vector<bool>& from);

// Uniform in the case's ranges.
ir::HostValue randomValue(const Case& c, mlir::RankedTensorType type, std::mt19937& random);
Values randomArguments(const Case& c, mlir::TypeRange types, std::mt19937& random);
// Uniform in [-1, 1], for the real ones of `like` only.
Values randomDirection(const Values& like, std::mt19937& random);

// Elements as doubles.
std::vector<double> numbers(const ir::HostValue& value);
// values + step * direction, where `direction` has an entry for each real value.
Values moved(const Values& values, const Values& direction, double step);
Values realOnes(const Values& values);
// Sum of products over real arrays of equal shapes, and the sum of their magnitudes.
double dot(const Values& a, const Values& b, double* magnitude = nullptr);

}  // namespace nacre::testing
