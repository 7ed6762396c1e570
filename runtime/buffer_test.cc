#include "runtime/buffer.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "runtime/errors.h"

namespace nacre {
namespace {

TEST_CASE("Buffers of every size are aligned, writable and counted to the byte") {
  const int64_t before = memory_stats().live_bytes;
  int64_t sum = 0;
  std::vector<Buffer> buffers;
  for (int64_t n : {0, 1, 63, 64, 65, 256, 257, 1000, 4096, 100'000, 1 << 20, (1 << 20) + 1, 5'000'001}) {
    buffers.push_back(Buffer::allocate(n));
    sum += n;
    CHECK(buffers.back().bytes() == n);
    CHECK(reinterpret_cast<uintptr_t>(buffers.back().data()) % 64 == 0);
    std::memset(buffers.back().data(), static_cast<int>(buffers.size()), static_cast<size_t>(n));
    CHECK(memory_stats().live_bytes == before + sum);
  }
  // No two overlap.
  for (size_t b = 0; b < buffers.size(); ++b)
    for (int64_t i = 0; i < buffers[b].bytes(); ++i)
      if (buffers[b].data()[i] != std::byte(b + 1)) FAIL("buffer " << b << " was overwritten at " << i);
  CHECK(memory_stats().reserved_bytes >= memory_stats().live_bytes);
  buffers.clear();
  CHECK(memory_stats().live_bytes == before);
}

TEST_CASE("Large buffers begin on 2 MiB") {
  Buffer large = Buffer::allocate(int64_t{3} << 20);
  CHECK(reinterpret_cast<uintptr_t>(large.data()) % (2 << 20) == 0);
}

TEST_CASE("Freed pages are used again") {
  for (int64_t n : {int64_t{100}, int64_t{50'000}, int64_t{3} << 20}) {
    Buffer first = Buffer::allocate(n);
    std::byte* data = first.data();
    first = Buffer();
    const int64_t reserved = memory_stats().reserved_bytes;
    CHECK(Buffer::allocate(n).data() == data);
    CHECK(memory_stats().reserved_bytes == reserved);
  }
}

TEST_CASE("Handles share bytes and count") {
  Buffer empty;
  CHECK(!empty);
  CHECK((empty.data() == nullptr && empty.bytes() == 0 && empty.use_count() == 0));
  Buffer a = Buffer::allocate(8);
  Buffer b = a;
  CHECK((a == b && a.use_count() == 2));
  Buffer c = std::move(b);
  CHECK((!b && a.use_count() == 2));
  c = Buffer();
  CHECK(a.use_count() == 1);
}

TEST_CASE("The peak is the high-water mark") {
  reset_peak_memory();
  const int64_t before = memory_stats().live_bytes;
  { Buffer a = Buffer::allocate(1000), b = Buffer::allocate(77); }
  Buffer c = Buffer::allocate(5);
  CHECK(memory_stats().peak_bytes == before + 1077);
  reset_peak_memory();
  CHECK(memory_stats().peak_bytes == before + 5);
}

TEST_CASE("Requests that cannot be met fail and change nothing") {
  const MemoryStats before = memory_stats();
  for (int64_t n : {int64_t{-1}, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(),
                    int64_t{1} << 45, int64_t{1} << 60})
    CHECK_THROWS_AS(Buffer::allocate(n), OutOfMemory);
  CHECK(memory_stats().live_bytes == before.live_bytes);
  CHECK(memory_stats().peak_bytes == before.peak_bytes);
  CHECK(memory_stats().reserved_bytes == before.reserved_bytes);
}

TEST_CASE("The limit holds to the byte, and the error states both numbers") {
  Buffer held = Buffer::allocate(400);
  const int64_t live = memory_stats().live_bytes;
  set_memory_limit(live + 600);
  CHECK(Buffer::allocate(600).bytes() == 600);
  try {
    Buffer::allocate(601);
    FAIL("no exception");
  } catch (const OutOfMemory& error) {
    CHECK(error.requested_bytes() == 601);
    CHECK(error.live_bytes() == live);
    CHECK_THAT(error.what(), Catch::Contains("asked for 601 bytes with " + std::to_string(live) + " bytes live"));
  }
  CHECK(set_memory_limit(-1) == live + 600);
  CHECK(Buffer::allocate(601).bytes() == 601);
}

TEST_CASE("Threads allocate, pass on and free at once") {
  const int64_t before = memory_stats().live_bytes;
  std::vector<Buffer> handed_over(4);
  std::vector<int> errors(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<Buffer> mine(100);
      for (int i = 0; i < 20'000; ++i) {
        Buffer& slot = mine[static_cast<size_t>(i * 7 % 100)];
        if (slot && slot.data()[0] != std::byte(t)) ++errors[static_cast<size_t>(t)];
        slot = Buffer::allocate(1 + i * 131 % 9000);
        std::memset(slot.data(), t, static_cast<size_t>(slot.bytes()));
      }
      handed_over[static_cast<size_t>(t)] = mine[3];
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(errors == std::vector<int>(4));
  for (size_t t = 0; t < 4; ++t) CHECK(handed_over[t].data()[0] == std::byte(t));
  handed_over.clear();
  CHECK(memory_stats().live_bytes == before);
}

}  // namespace
}  // namespace nacre
