// Index expressions with knowledge of ranges: what makes a reshape of a slice of a transpose an ordinary strided
// access.
//
// Expressions are MLIR affine expressions. Dimensions stand for scalar index values (loop variables, program numbers,
// clamped starts read from memory); symbol 0 stands for the lane of a tile, the other symbols for tiles of indices that
// depend on data. Each has a range and a known divisor.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/MLIRContext.h"

namespace nacre::schedule {

using Index = llvm::SmallVector<mlir::AffineExpr, 4>;

// lower <= value < upper, and value is a multiple of `multiple`.
struct Fact {
  int64_t lower = 0;
  int64_t upper = 1;
  int64_t multiple = 1;
};

// A sum of atoms with coefficients, plus a constant. An atom is a dimension, a symbol, or a floordiv or mod that could
// not be simplified away.
struct LinearForm {
  llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>, 4> terms;
  int64_t constant = 0;
  int64_t coefficient(mlir::AffineExpr atom) const;
  void add(mlir::AffineExpr atom, int64_t coefficient);
  void add(const LinearForm& other, int64_t factor);
};

class IndexSpace {
 public:
  explicit IndexSpace(mlir::MLIRContext* context) : context(context) {}

  mlir::AffineExpr addDim(Fact fact);
  mlir::AffineExpr addSymbol(Fact fact);
  int64_t numDims() const { return dims.size(); }
  int64_t numSymbols() const { return symbols.size(); }
  const Fact& symbol(int64_t number) const { return symbols[number]; }
  void setSymbol(int64_t number, Fact fact) { symbols[number] = fact; }
  mlir::AffineExpr constant(int64_t value) const { return mlir::getAffineConstantExpr(value, context); }

  // States lower <= expr < upper for the simplifications until the matching pop.
  void pushAssumption(mlir::AffineExpr expr, int64_t lower, int64_t upper);
  void popAssumption() { assumptions.pop_back(); }

  mlir::AffineExpr simplify(mlir::AffineExpr expr) const { return rebuild(linear(expr)); }
  LinearForm linear(mlir::AffineExpr expr) const;
  mlir::AffineExpr rebuild(const LinearForm& form) const;
  // Least and greatest value (both inclusive).
  std::pair<int64_t, int64_t> range(mlir::AffineExpr expr) const { return range(linear(expr)); }

  // Row-major position of `index` in an array of `shape`, and back.
  mlir::AffineExpr linearize(llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<int64_t> shape) const;
  Index delinearize(mlir::AffineExpr position, llvm::ArrayRef<int64_t> shape) const;

  mlir::MLIRContext* context;

 private:
  std::pair<int64_t, int64_t> range(const LinearForm& form) const;
  std::pair<int64_t, int64_t> atomRange(mlir::AffineExpr atom) const;
  int64_t atomMultiple(mlir::AffineExpr atom) const;
  LinearForm floorDiv(LinearForm form, int64_t divisor) const;
  LinearForm mod(LinearForm form, int64_t divisor) const;
  // Splits off what cannot carry over a multiple of `divisor`: form = rest + result.
  LinearForm splitSmall(LinearForm& form, int64_t divisor) const;
  // c * (x floordiv c) + x mod c = x, and its relatives.
  void recombine(LinearForm& form) const;

  llvm::SmallVector<Fact> dims, symbols;
  llvm::SmallVector<std::pair<LinearForm, std::pair<int64_t, int64_t>>> assumptions;
};

// True if the expression contains the lane or another symbol.
bool dependsOnSymbols(mlir::AffineExpr expr);
bool dependsOnDim(mlir::AffineExpr expr, unsigned dim);

}  // namespace nacre::schedule
