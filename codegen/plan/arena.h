// Offsets for temporaries in one block of memory.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace nacre::codegen {

inline constexpr int64_t kAlignment = 64;

// A temporary lives from step `first` to step `last`, both included.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
};

struct Placement {
  std::vector<int64_t> offsets;  // one a lifetime, multiples of kAlignment
  int64_t bytes = 0;             // of the whole arena
};

// No two temporaries that live at the same step overlap. The better of two orders: in time (best fit into what is
// free), and, for up to a few thousand temporaries, from the largest to the smallest. n log n beyond that.
Placement placeInArena(std::span<const Lifetime> lifetimes);

// Bytes alive in the fullest step, each size rounded up to kAlignment: no placement is smaller.
int64_t lowerBound(std::span<const Lifetime> lifetimes);

}  // namespace nacre::codegen
