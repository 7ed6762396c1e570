// A scan of IR text that runs before MLIR's parser, which recurses once per bracket and would run out of stack.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace nacre::ir {

struct TextLimits {
  size_t bytes = size_t{256} << 20;
  size_t tokens = size_t{64} << 20;
  // Brackets of all kinds, (), [], {} and <>, open at once.
  int depth = 200;
  // Operators of one affine expression; the parser recurses on each.
  int affine_tokens = 2000;
  // Elements of one shaped type. More would overflow the sizes that the compiler computes.
  int64_t elements = int64_t{1} << 48;
};

struct TextProblem {
  size_t line, column;  // from 1
  std::string message;
};

// The first place where the text passes a limit. Text within the limits may still be wrong; the parser says so.
std::optional<TextProblem> findTextProblem(llvm::StringRef text, const TextLimits& limits = {});

}  // namespace nacre::ir
