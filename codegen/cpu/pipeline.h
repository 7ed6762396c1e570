// LLVM's part: optimisation, machine code, loading.
#pragma once
#include <memory>
#include <string>

#include "codegen/target.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

namespace nacre::cpu {

// Cheap enough to make one per thread. No contraction of products and sums: only llvm.fma is fused.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const codegen::Target& target);

// A reduced -O2: kernels arrive vectorised, unrolled and without calls, so neither inlining nor the vectorisers run.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, const codegen::Target& target);

std::unique_ptr<llvm::MemoryBuffer> emitObject(llvm::Module& module, llvm::TargetMachine& machine);
std::string emitAssembly(const llvm::Module& module, llvm::TargetMachine& machine);

// Machine code in memory, freed with the object.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  // Null if there is no such function.
  virtual void* lookup(llvm::StringRef name) = 0;
};

// Links the objects against the C functions that kernels call (codegen/cpu/symbols.h). With NACRE_PERF_MAP=1 in the
// environment, names go to /tmp/perf-<pid>.map for `perf report`.
llvm::Expected<std::shared_ptr<LoadedCode>> loadObjects(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects);

}  // namespace nacre::cpu
