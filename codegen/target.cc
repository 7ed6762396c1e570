#include "codegen/target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nacre::codegen {
namespace {

constexpr const char* kAvx2[] = {"avx2", "fma", "f16c", "bmi2"};
constexpr const char* kAvx512[] = {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"};

template <size_t n>
bool hasAll(const llvm::StringMap<bool>& features, const char* const (&names)[n]) {
  return std::all_of(names, names + n, [&](const char* f) { return features.lookup(f); });
}

Target make(std::string cpu, std::string features, bool avx2, bool avx512) {
  return Target{std::move(cpu), std::move(features), avx512 ? 64 : avx2 ? 32 : 16, avx512, avx2};
}

}  // namespace

int64_t Target::lanes(mlir::Type element) const {
  int64_t bits = element.getIntOrFloatBitWidth();
  return vectorBytes / std::max<int64_t>(1, bits / 8);
}

ContractBlock Target::contractBlock(mlir::Type element) const {
  bool wide = llvm::isa<mlir::Float64Type>(element);
  // 24 accumulators of 32 registers; 12 of 16 with AVX2; 8 of 16 with SSE2, which has no memory operand to broadcast.
  ContractBlock block = avx512 ? ContractBlock{12, 32, 256, 480}
                        : fma  ? ContractBlock{6, 16, 256, 240}
                               : ContractBlock{4, 8, 256, 160};
  if (wide) block.nr /= 2, block.mc /= 2;
  return block;
}

absl::StatusOr<Target> Target::named(llvm::StringRef name) {
  auto features = llvm::sys::getHostCPUFeatures();
  bool avx2 = hasAll(features, kAvx2), avx512 = avx2 && hasAll(features, kAvx512);
  if (name == "host") {
    std::vector<std::string> list;
    for (auto& f : features) list.push_back(absl::StrCat(f.second ? "+" : "-", f.first().str()));
    std::sort(list.begin(), list.end());
    std::string text;
    for (auto& f : list) absl::StrAppend(&text, text.empty() ? "" : ",", f);
    return make(llvm::sys::getHostCPUName().str(), text, avx2, avx512);
  }
  bool v4 = name == "x86-64-v4", v3 = name == "x86-64-v3";
  if (!v4 && !v3 && name != "x86-64")
    return absl::InvalidArgumentError(
        absl::StrCat("target: unknown CPU \"", name.str(), "\"; use host, x86-64, x86-64-v3 or x86-64-v4"));
  if ((v4 && !avx512) || (v3 && !avx2))
    return absl::InvalidArgumentError(absl::StrCat("target: this machine (", llvm::sys::getHostCPUName().str(),
                                                   ") cannot run code for ", name.str()));
  return make(name.str(), "", v3 || v4, v4);
}

const Target& Target::host() {
  static const Target* target = [] {
    const char* name = std::getenv("NACRE_CPU");
    auto chosen = named(name && *name ? name : "host");
    if (!chosen.ok()) {
      std::fprintf(stderr, "NACRE_CPU ignored: %s\n", std::string(chosen.status().message()).c_str());
      chosen = named("host");
    }
    return new Target(*std::move(chosen));
  }();
  return *target;
}

}  // namespace nacre::codegen
