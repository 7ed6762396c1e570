// The machine that kernels are made for.
#pragma once
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Types.h"

namespace nacre::codegen {

// The register block of tile.contract and the depth of a packed panel. A panel of B (nr * kc elements) stays in the
// first-level cache while one of A (mr * kc) streams past it; mc * kc elements of A stay in the second.
struct ContractBlock {
  int64_t mr, nr, kc, mc;
};

struct Target {
  std::string cpu;       // LLVM's name: znver5, x86-64-v3, ...
  std::string features;  // LLVM's list: +avx2,+fma,...
  int64_t vectorBytes;   // 64 with AVX-512, 32 with AVX2, else 16
  bool avx512;
  bool fma;

  // Elements of one machine vector. i1 counts as one byte.
  int64_t lanes(mlir::Type element) const;
  // For f32 and f64; bf16 operands are best packed as f32 and multiplied as such (no flushing of denormals, and no
  // conversions in the inner loop), so their block is that of f32.
  ContractBlock contractBlock(mlir::Type element) const;

  // This machine, or what the environment variable NACRE_CPU says (see named). Read once.
  static const Target& host();
  // "host", or a baseline: "x86-64-v4" (AVX-512), "x86-64-v3" (AVX2 and FMA), "x86-64" (SSE2). InvalidArgument for
  // other names and for baselines that this machine cannot run.
  static absl::StatusOr<Target> named(llvm::StringRef name);
};

}  // namespace nacre::codegen
