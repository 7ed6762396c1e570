#include "codegen/plan/arena.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace nacre::codegen {

namespace {

constexpr size_t kMostBySize = 3000;

int64_t roundUp(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Free stretches of an arena that grows at its end.
class FreeList {
 public:
  int64_t take(int64_t bytes) {
    auto best = bySize_.lower_bound({bytes, 0});
    int64_t offset;
    if (best != bySize_.end()) {
      offset = best->second;
      int64_t size = best->first;
      erase(offset, size);
      if (size > bytes) insert(offset + bytes, size - bytes);
    } else if (!byOffset_.empty() && byOffset_.rbegin()->first + byOffset_.rbegin()->second == end_) {
      // The last stretch is too small but touches the end: let it grow.
      auto [start, size] = *byOffset_.rbegin();
      erase(start, size);
      offset = start;
      end_ = start + bytes;
    } else {
      offset = end_;
      end_ += bytes;
    }
    return offset;
  }

  void give(int64_t offset, int64_t bytes) {
    auto next = byOffset_.lower_bound(offset);
    if (next != byOffset_.end() && next->first == offset + bytes) {
      bytes += next->second;
      erase(next->first, next->second);
    }
    auto before = byOffset_.lower_bound(offset);
    if (before != byOffset_.begin()) {
      --before;
      auto [start, size] = *before;
      if (start + size == offset) {
        erase(start, size);
        offset = start;
        bytes += size;
      }
    }
    insert(offset, bytes);
  }

  int64_t end() const { return end_; }

 private:
  void insert(int64_t offset, int64_t size) {
    byOffset_[offset] = size;
    bySize_.insert({size, offset});
  }
  void erase(int64_t offset, int64_t size) {
    byOffset_.erase(offset);
    bySize_.erase({size, offset});
  }

  std::map<int64_t, int64_t> byOffset_;           // offset -> size
  std::set<std::pair<int64_t, int64_t>> bySize_;  // size, offset
  int64_t end_ = 0;
};

Placement placeInTime(std::span<const Lifetime> lifetimes) {
  Placement placement{std::vector<int64_t>(lifetimes.size(), 0)};
  std::vector<size_t> starts(lifetimes.size());
  std::iota(starts.begin(), starts.end(), size_t{0});
  std::vector<size_t> ends = starts;
  std::stable_sort(starts.begin(), starts.end(), [&](size_t a, size_t b) {
    if (lifetimes[a].first != lifetimes[b].first) return lifetimes[a].first < lifetimes[b].first;
    return lifetimes[a].bytes > lifetimes[b].bytes;
  });
  std::stable_sort(ends.begin(), ends.end(), [&](size_t a, size_t b) { return lifetimes[a].last < lifetimes[b].last; });
  FreeList free;
  size_t ended = 0;
  for (size_t i : starts) {
    const Lifetime& life = lifetimes[i];
    if (life.bytes == 0) continue;
    for (; ended < ends.size() && lifetimes[ends[ended]].last < life.first; ++ended)
      if (size_t old = ends[ended]; lifetimes[old].bytes > 0)
        free.give(placement.offsets[old], roundUp(lifetimes[old].bytes));
    placement.offsets[i] = free.take(roundUp(life.bytes));
  }
  placement.bytes = free.end();
  return placement;
}

Placement placeBySize(std::span<const Lifetime> lifetimes) {
  Placement placement{std::vector<int64_t>(lifetimes.size(), 0)};
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  std::vector<size_t> placed;  // by offset
  for (size_t i : order) {
    const Lifetime& life = lifetimes[i];
    if (life.bytes == 0) continue;
    int64_t size = roundUp(life.bytes), at = 0, best = -1, bestGap = 0;
    for (size_t other : placed) {
      if (lifetimes[other].last < life.first || life.last < lifetimes[other].first) continue;
      int64_t gap = placement.offsets[other] - at;
      if (gap >= size && (best < 0 || gap < bestGap)) best = at, bestGap = gap;
      at = std::max(at, placement.offsets[other] + roundUp(lifetimes[other].bytes));
    }
    placement.offsets[i] = best >= 0 ? best : at;
    placement.bytes = std::max(placement.bytes, placement.offsets[i] + size);
    auto after = std::upper_bound(placed.begin(), placed.end(), i,
                                  [&](size_t a, size_t b) { return placement.offsets[a] < placement.offsets[b]; });
    placed.insert(after, i);
  }
  return placement;
}

}  // namespace

Placement placeInArena(std::span<const Lifetime> lifetimes) {
  Placement inTime = placeInTime(lifetimes);
  if (lifetimes.size() > kMostBySize || inTime.bytes == lowerBound(lifetimes)) return inTime;
  Placement bySize = placeBySize(lifetimes);
  return bySize.bytes < inTime.bytes ? bySize : inTime;
}

int64_t lowerBound(std::span<const Lifetime> lifetimes) {
  std::map<int64_t, int64_t> changes;
  for (const Lifetime& life : lifetimes) {
    changes[life.first] += roundUp(life.bytes);
    changes[life.last + 1] -= roundUp(life.bytes);
  }
  int64_t now = 0, most = 0;
  for (auto [step, change] : changes) most = std::max(most, now += change);
  return most;
}

}  // namespace nacre::codegen
