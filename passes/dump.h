// Numbered files that show a program after each pass.
#pragma once
#include <array>
#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Operation.h"
#include "passes/phases.h"

namespace nacre::passes {

// Writes `DIR/NN-phase/NN-pass.mlir` for one program. The first line of a file is a comment with the pass, its time and
// "(unchanged)" where the text equals the previous file's, which is then all there is. Files appear whole: they are
// written under a temporary name and renamed. A folder that cannot be written is reported once, on stderr, and turns
// the dump off: it never fails a compilation. Not for use by several threads at once.
class Dump {
 public:
  Dump() = default;  // off
  // An empty name is off.
  explicit Dump(std::string directory) : directory_(std::move(directory)) {}

  // Where the next program of this process goes by the environment variable NACRE_DUMP: DIR itself for the first,
  // DIR/program-2, DIR/program-3, ... for later ones; empty where it is not set.
  static std::string nextDirectory();

  bool on() const { return !directory_.empty(); }
  const std::string& directory() const { return directory_; }

  // `op` as it is after `pass`. A negative time is not shown.
  void after(Phase phase, llvm::StringRef pass, mlir::Operation* op, double milliseconds = -1);
  // Any other text (LLVM IR, a plan, assembler), with the extension of its file.
  void text(Phase phase, llvm::StringRef pass, llvm::StringRef extension, llvm::StringRef text,
            double milliseconds = -1);
  // The pair of one application of a transform while tracing: NN-what-before.mlir and NN-what-after.mlir.
  void transform(llvm::StringRef what, mlir::Operation* before, mlir::Operation* after, double milliseconds = -1);

  // Runs a pass on `op`, takes the time, and writes the result if that succeeded.
  mlir::LogicalResult run(Phase phase, llvm::StringRef pass, mlir::Operation* op,
                          llvm::function_ref<mlir::LogicalResult()> body);

 private:
  void write(Phase phase, llvm::StringRef stem, llvm::StringRef header, llvm::StringRef text);

  std::string directory_;
  std::array<int, kPhases.size()> count_{};
  std::string previous_;
};

}  // namespace nacre::passes
