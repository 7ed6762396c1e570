#include "runtime/thread_pool.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace nacre {
namespace {

TEST_CASE("Every program runs exactly once, for any grid and number of threads") {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
    for (int64_t grid : {0, 1, 2, 63, 64, 65, 127, 1000, 12345}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(grid));
      std::atomic<bool> bad_thread{false};
      pool.parallel_for(grid, [&](int64_t begin, int64_t end, int thread) {
        if (thread < 0 || thread >= threads) bad_thread = true;
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
      });
      int64_t wrong = 0;
      for (auto& count : seen) wrong += count != 1;
      CHECK(wrong == 0);
      CHECK(!bad_thread);
    }
  }
}

TEST_CASE("Ranges do not depend on the number of threads") {
  auto ranges = [](int threads) {
    ThreadPool pool(threads);
    std::mutex mutex;
    std::set<std::pair<int64_t, int64_t>> all;
    pool.parallel_for(1000, [&](int64_t begin, int64_t end, int) {
      std::lock_guard lock(mutex);
      all.emplace(begin, end);
    });
    return all;
  };
  CHECK(ranges(1) == ranges(4));
}

TEST_CASE("Many jobs in a row, with pauses in which the workers fall asleep") {
  ThreadPool pool(4);
  int64_t wrong = 0;
  for (int job = 0; job < 20'000; ++job) {
    if (job % 4000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int64_t> sum{0};
    const int64_t grid = 2 + job % 100;
    pool.parallel_for(grid, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) sum += i;
    });
    wrong += sum != grid * (grid - 1) / 2;
  }
  CHECK(wrong == 0);
}

TEST_CASE("A sleeping caller is woken by the last range") {
  ThreadPool pool(3);
  std::atomic<int> ran{0};
  pool.parallel_for(3, [&](int64_t begin, int64_t, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * (begin + 1)));
    ++ran;
  });
  CHECK(ran == 3);
}

TEST_CASE("Nested and concurrent callers are served") {
  ThreadPool pool(3);
  std::atomic<int64_t> count{0};
  auto nested = [&] {
    for (int i = 0; i < 200; ++i)
      pool.parallel_for(10, [&](int64_t begin, int64_t end, int) {
        for (int64_t p = begin; p < end; ++p) pool.parallel_for(20, [&](int64_t b, int64_t e, int) { count += e - b; });
      });
  };
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) callers.emplace_back(nested);
  for (std::thread& caller : callers) caller.join();
  CHECK(count == 4 * 200 * 10 * 20);
}

}  // namespace
}  // namespace nacre
