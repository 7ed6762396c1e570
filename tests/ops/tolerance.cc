#include "tests/ops/tolerance.h"

#include <fstream>
#include <stdexcept>

#include "llvm/ADT/StringSwitch.h"

namespace nacre::tests {

ir::Tolerance interpreterTolerance(llvm::StringRef op) {
  return llvm::StringSwitch<ir::Tolerance>(op)
      .Cases({"nacre.exponential", "nacre.exponential_minus_one",
              "nacre.log",         "nacre.log_plus_one",
              "nacre.sine",        "nacre.cosine",
              "nacre.tan",         "nacre.asin",
              "nacre.acos",        "nacre.atan",
              "nacre.sinh",        "nacre.cosh",
              "nacre.tanh",        "nacre.asinh",
              "nacre.acosh",       "nacre.atanh",
              "nacre.logistic",    "nacre.erf",
              "nacre.erfc",        "nacre.erf_inv",
              "nacre.rsqrt",       "nacre.cbrt",
              "nacre.power",       "nacre.atan2"},
             {1, 0})
      .Cases({"nacre.reduce", "nacre.dot_general"}, {1, 0.001})
      .Default({});
}

namespace {

// The golden tables add at most this many terms.
constexpr double kTerms = 40;

llvm::SmallVector<llvm::StringRef> cellsOf(llvm::StringRef row) {
  llvm::SmallVector<llvm::StringRef> cells;
  row.trim().split(cells, '|');
  for (llvm::StringRef& cell : cells) cell = cell.trim();
  return cells;
}

}  // namespace

DocumentedTolerances::DocumentedTolerances(const std::string& path) {
  std::ifstream file(path);
  int column = -1;
  for (std::string line; std::getline(file, line);) {
    // "x \| y" is one cell.
    for (size_t at; (at = line.find("\\|")) != std::string::npos;) line.replace(at, 2, "/");
    if (!llvm::StringRef(line).starts_with("|")) {
      column = -1;
      continue;
    }
    auto cells = cellsOf(line);
    if (column < 0) {
      for (size_t i = 0; i < cells.size(); ++i)
        if (cells[i].starts_with("ulp")) column = static_cast<int>(i);
    } else if (static_cast<int>(cells.size()) > column) {
      llvm::StringRef name = cells[1];
      if (name.consume_front("`") && name.consume_back("`") && !name.contains('`'))
        ulpOfOp["nacre." + name.str()] = cells[column].str();
    }
  }
  if (ulpOfOp.empty()) throw std::runtime_error(path + " has no table of ops with a column ulp");
}

ir::Tolerance DocumentedTolerances::of(llvm::StringRef op, mlir::Type element) const {
  auto found = ulpOfOp.find(op);
  if (found == ulpOfOp.end()) throw std::runtime_error(op.str() + " has no row in docs/ops.md");
  llvm::StringRef cell = found->second;
  if (cell == "=" || !llvm::isa<mlir::FloatType>(element)) return {};
  const bool bf16 = element.isBF16();
  if (cell.starts_with("as a")) {
    // (n + 1) * u with u half a unit of 1; of f32 for bf16, which then rounds once.
    const double scaled = (kTerms + 1) / 2;
    return bf16 ? ir::Tolerance{1, scaled * 0x1p-16} : ir::Tolerance{1, scaled};
  }
  auto [f32, f64] = cell.split('/');
  double ulps;
  if ((element.isF64() ? f64 : f32).trim().getAsDouble(ulps))
    throw std::runtime_error(op.str() + " has the ulp '" + cell.str() + "' in docs/ops.md, which is not a number");
  return {bf16 ? 1 : ulps, 0};
}

}  // namespace nacre::tests
