// Machine code of kernels, shared by all compilations of the process.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/plan.h"

namespace nacre::codegen {

// A kernel ready to run, and what a plan has to know of it.
struct CachedKernel {
  KernelSpec spec;
  std::vector<std::pair<int, int>> in_place;  // (output, input) that may share memory
  std::shared_ptr<void> code;                 // owns the machine code behind spec.entry
};

// The key is the kernel's structural key and the target. Repeated layers, eager ops and programs that share kernels
// compile each of them once. Beyond 4096 kernels the oldest are forgotten; executables that use them keep their code.
// Thread-safe.
std::optional<CachedKernel> findKernel(const std::string& key);
void rememberKernel(const std::string& key, CachedKernel kernel);

// Forgets all kernels: benchmarks that measure cold compilation start with it.
void clearKernelCache();

}  // namespace nacre::codegen
