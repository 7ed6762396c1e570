// The C functions that kernels may call. Nothing else of the process is visible to them.
#pragma once
#include "llvm/ADT/ArrayRef.h"

namespace nacre::cpu {

struct Symbol {
  const char* name;
  void* address;
};
llvm::ArrayRef<Symbol> kernelSymbols();

}  // namespace nacre::cpu
