// The phases of a compilation, in order. Tools, dumps, docs and tests speak in these names.
#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace nacre::passes {

enum class Phase { trace, optimize, partition, fuse, schedule, kernels, plan, binary };

struct PhaseInfo {
  Phase phase;
  std::string_view name, description;
};

inline constexpr std::array<PhaseInfo, 8> kPhases = {{
    {Phase::trace, "trace", "C++ calls appended to nacre functions; grad and vmap applied to them"},
    {Phase::optimize, "optimize", "calls inlined, identities applied, equal ops shared, dead ops removed"},
    {Phase::partition, "partition", "the program split over the devices of a mesh"},
    {Phase::fuse, "fuse", "ops grouped into fusions, fusions outlined into kernels that equal ones share"},
    {Phase::schedule, "schedule", "each kernel written as a tile function: grid, tiles, loops"},
    {Phase::kernels, "kernels", "tile functions lowered to machine code"},
    {Phase::plan, "plan", "launches put in order, buffers placed in one arena"},
    {Phase::binary, "binary", "plan and machine code as an executable or an artifact"},
}};

constexpr const PhaseInfo& info(Phase phase) { return kPhases[static_cast<size_t>(phase)]; }

constexpr std::optional<Phase> phaseNamed(std::string_view name) {
  for (const PhaseInfo& p : kPhases)
    if (p.name == name) return p.phase;
  return std::nullopt;
}

}  // namespace nacre::passes
