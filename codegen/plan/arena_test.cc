#include "codegen/plan/arena.h"

#include <catch2/catch.hpp>
#include <random>

namespace nacre::codegen {
namespace {

void checkPlacement(const std::vector<Lifetime>& lives) {
  Placement p = placeInArena(lives);
  REQUIRE(p.offsets.size() == lives.size());
  CHECK(p.bytes >= lowerBound(lives));
  for (size_t i = 0; i < lives.size(); ++i) {
    CHECK(p.offsets[i] % kAlignment == 0);
    CHECK(p.offsets[i] + lives[i].bytes <= p.bytes);
    for (size_t j = 0; j < i; ++j) {
      bool together = lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
      bool apart = p.offsets[i] + lives[i].bytes <= p.offsets[j] || p.offsets[j] + lives[j].bytes <= p.offsets[i];
      if (together && lives[i].bytes > 0 && lives[j].bytes > 0) CHECK(apart);
    }
  }
}

TEST_CASE("temporaries that live together never overlap") {
  std::mt19937 random(1);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  for (int program = 0; program < 60; ++program) {
    std::vector<Lifetime> lives;
    int64_t steps = 1 + below(80);
    for (int64_t i = below(90); i >= 0; --i) {
      int64_t first = below(steps);
      lives.push_back({below(3) == 0 ? below(10) : below(5000), first, first + below(steps - first)});
    }
    checkPlacement(lives);
  }
}

TEST_CASE("a chain of equal temporaries takes the room of two") {
  std::vector<Lifetime> lives;
  for (int64_t i = 0; i < 100; ++i) lives.push_back({1000, i, i + 1});
  CHECK(placeInArena(lives).bytes == 2 * 1024);
}

TEST_CASE("a large program is placed in time order") {
  std::vector<Lifetime> lives;
  for (int64_t i = 0; i < 100000; ++i) lives.push_back({64 * (1 + i % 7), i, i + 1 + i % 5});
  Placement p = placeInArena(lives);
  CHECK(p.bytes <= 2 * lowerBound(lives));
}

TEST_CASE("nothing to place") {
  CHECK(placeInArena({}).bytes == 0);
  std::vector<Lifetime> empty = {{0, 0, 3}};
  CHECK(placeInArena(empty).bytes == 0);
}

}  // namespace
}  // namespace nacre::codegen
