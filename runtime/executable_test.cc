#include "runtime/executable.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/profile.h"

// out[i] = a[i] + b[i], one element a program.
extern "C" void add_kernel(void* const* buffers, int64_t begin, int64_t end, void*) {
  auto* a = static_cast<const float*>(buffers[0]);
  auto* b = static_cast<const float*>(buffers[1]);
  auto* out = static_cast<float*>(buffers[2]);
  for (int64_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
}

// out[i] = a[i] + 1 by way of scratch; -1 if the scratch is not aligned.
extern "C" void increment_kernel(void* const* buffers, int64_t begin, int64_t end, void* scratch) {
  auto* a = static_cast<const float*>(buffers[0]);
  auto* out = static_cast<float*>(buffers[1]);
  auto* private_sum = static_cast<float*>(scratch);
  bool aligned = scratch && reinterpret_cast<uintptr_t>(scratch) % 64 == 0;
  for (int64_t i = begin; i < end; ++i) {
    if (aligned) *private_sum = a[i] + 1;
    out[i] = aligned ? *private_sum : -1;
  }
}

namespace nacre {
namespace {

constexpr int64_t kSize = 1000;
constexpr int64_t kBytes = kSize * 4;

TensorSpec floats() { return {DType::f32, {kSize}}; }
ArgumentSpec argument(std::string name, bool donated = false) { return {floats(), std::move(name), donated}; }
ResultSpec result(int32_t reuses = -1, int32_t is = -1) { return {floats(), reuses, is}; }
Slice slice(Space space, int32_t index = 0, int64_t offset = 0) { return {space, index, offset}; }
Command launch(int32_t kernel, std::vector<Slice> operands) {
  return {Command::Kind::launch, kernel, std::move(operands), 0, "model.cc:7"};
}
Command copy(Slice from, Slice to, int64_t bytes) { return {Command::Kind::copy, -1, {from, to}, bytes, "model.cc:8"}; }

Buffer filled(float value) {
  Buffer buffer = Buffer::allocate(kBytes);
  for (int64_t i = 0; i < kSize; ++i) reinterpret_cast<float*>(buffer.data())[i] = value + static_cast<float>(i);
  return buffer;
}

// Is element i value + slope * i, for all i?
bool holds(const Buffer& buffer, float value, float slope = 1) {
  for (int64_t i = 0; i < kSize; ++i)
    if (reinterpret_cast<const float*>(buffer.data())[i] != value + slope * static_cast<float>(i)) return false;
  return true;
}

// result = (a + b) + 1, a + b in the arena.
Plan add_and_increment(int64_t work = 0) {
  Plan plan;
  plan.arguments = {argument("a"), argument("b")};
  plan.results = {result()};
  plan.kernels = {{"add", add_kernel, kSize, 0, work}, {"increment", increment_kernel, kSize, 256, work}};
  plan.arena_bytes = kBytes + 64;
  plan.commands = {launch(0, {slice(Space::argument, 0), slice(Space::argument, 1), slice(Space::arena, 0, 64)}),
                   launch(1, {slice(Space::arena, 0, 64), slice(Space::result)})};
  return plan;
}

// result = a + 1 in a's buffer.
Plan increment_in_place() {
  Plan plan;
  plan.arguments = {argument("a", true)};
  plan.results = {result(0)};
  plan.kernels = {{"increment", increment_kernel, kSize, 64, 0}};
  plan.commands = {launch(0, {slice(Space::argument), slice(Space::result)})};
  return plan;
}

TEST_CASE("Launches run in order, on the caller and on the pool") {
  for (int64_t work : {0, 1'000'000}) {
    Executable executable(add_and_increment(work), nullptr);
    std::vector<Buffer> arguments = {filled(1), filled(2)}, results(1);
    REQUIRE(executable.run(arguments, results).ok());
    CHECK(holds(results[0], 4, 2));
    CHECK(holds(arguments[0], 1));
    CHECK(holds(arguments[1], 2));
  }
}

TEST_CASE("The peak equals the allocator's high-water mark to the byte") {
  Executable executable(add_and_increment(), nullptr);
  CHECK(executable.plan().peak_bytes() == 2 * kBytes + (kBytes + 64) + kBytes);
  const int64_t before = memory_stats().live_bytes;
  std::vector<Buffer> arguments = {filled(0), filled(0)}, results(1);
  for (int run = 0; run < 3; ++run) {
    reset_peak_memory();
    REQUIRE(executable.run(arguments, results).ok());
    CHECK(memory_stats().peak_bytes - before == executable.plan().peak_bytes());
  }
  Executable in_place(increment_in_place(), nullptr);
  arguments.pop_back();
  results[0] = Buffer();
  reset_peak_memory();
  REQUIRE(in_place.run(arguments, results).ok());
  CHECK(in_place.plan().peak_bytes() == kBytes);
  CHECK(memory_stats().peak_bytes - before == kBytes);
}

TEST_CASE("A donated argument is reused when nobody else holds it, else copied") {
  Executable executable(increment_in_place(), nullptr);
  std::vector<Buffer> arguments = {filled(5)}, results(1);
  std::byte* bytes = arguments[0].data();
  REQUIRE(executable.run(arguments, results).ok());
  CHECK(results[0].data() == bytes);
  CHECK(holds(results[0], 6));

  arguments[0] = filled(5);
  Buffer other = arguments[0];
  REQUIRE(executable.run(arguments, results).ok());
  CHECK(results[0].data() != other.data());
  CHECK(holds(results[0], 6));
  CHECK(holds(other, 5));
}

TEST_CASE("A shared donated argument that no result reuses is not written through") {
  Plan plan;
  plan.arguments = {argument("a", true), argument("b")};
  plan.results = {result()};
  plan.commands = {copy(slice(Space::argument, 1), slice(Space::argument, 0), kBytes),
                   copy(slice(Space::argument, 0), slice(Space::result), kBytes)};
  Executable executable(plan, nullptr);
  std::vector<Buffer> arguments = {filled(1), filled(2)}, results(1);
  Buffer other = arguments[0];
  REQUIRE(executable.run(arguments, results).ok());
  CHECK(holds(other, 1));
  CHECK(holds(results[0], 2));
}

TEST_CASE("A result that is an argument shares its bytes") {
  Plan plan;
  plan.arguments = {argument("a")};
  plan.results = {result(-1, 0)};
  CHECK(plan.peak_bytes() == kBytes);
  std::vector<Buffer> arguments = {filled(3)}, results(1);
  REQUIRE(Executable(plan, nullptr).run(arguments, results).ok());
  CHECK(results[0] == arguments[0]);
}

TEST_CASE("Copies honour offsets, and constants are aligned") {
  Plan plan;
  plan.results = {{{DType::u8, {6}}, -1, -1}};
  plan.constants = {{1, 2, 3}, {4, 5, 6, 7}};
  plan.commands = {copy(slice(Space::constant, 0), slice(Space::result, 0, 0), 3),
                   copy(slice(Space::constant, 1, 1), slice(Space::result, 0, 3), 3)};
  std::vector<Buffer> results(1);
  REQUIRE(Executable(plan, nullptr).run({}, results).ok());
  const unsigned char expected[] = {1, 2, 3, 5, 6, 7};
  CHECK(std::memcmp(results[0].data(), expected, 6) == 0);

  Plan add;
  add.arguments = {argument("a")};
  add.results = {result()};
  add.constants = {{9}, std::vector<uint8_t>(kBytes, 0)};
  add.kernels = {{"add", add_kernel, kSize, 0, 0}};
  add.commands = {launch(0, {slice(Space::argument), slice(Space::constant, 1), slice(Space::result)})};
  std::vector<Buffer> arguments = {filled(1)};
  REQUIRE(Executable(add, nullptr).run(arguments, results).ok());
  CHECK(holds(results[0], 1));
}

TEST_CASE("The code is kept alive as long as the executable") {
  auto code = std::make_shared<int>(1);
  {
    Executable executable(add_and_increment(), code);
    CHECK(code.use_count() == 2);
  }
  CHECK(code.use_count() == 1);
}

TEST_CASE("Several threads run one executable") {
  Executable executable(add_and_increment(1'000'000), nullptr);
  std::vector<int> good(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const float value = static_cast<float>(t);
      std::vector<Buffer> arguments = {filled(value), filled(1)}, results(1);
      for (int i = 0; i < 100; ++i)
        good[t] += executable.run(arguments, results).ok() && holds(results[0], value + 2, 2);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(good == std::vector<int>(4, 100));
}

TEST_CASE("NACRE_POISON fills what is not yet written with NaN") {
  Plan plan;
  plan.results = {result()};
  plan.arena_bytes = kBytes;
  plan.commands = {copy(slice(Space::arena), slice(Space::result, 0, 4), 4)};
  setenv("NACRE_POISON", "1", 1);
  Executable executable(plan, nullptr);
  unsetenv("NACRE_POISON");
  std::vector<Buffer> results(1);
  { Buffer zeros = filled(0), more = filled(0); }
  REQUIRE(executable.run({}, results).ok());
  auto* values = reinterpret_cast<const float*>(results[0].data());
  CHECK(std::isnan(values[0]));
  CHECK(std::isnan(values[1]));
  CHECK(std::isnan(values[kSize - 1]));
}

TEST_CASE("Profiling counts commands by kernel") {
  clear_profile();
  set_profiling(true);
  Executable executable(add_and_increment(), nullptr);
  std::vector<Buffer> arguments = {filled(1), filled(2)}, results(1);
  for (int i = 0; i < 3; ++i) REQUIRE(executable.run(arguments, results).ok());
  set_profiling(false);
  REQUIRE(executable.run(arguments, results).ok());
  const std::vector<ProfileEntry> entries = profile_entries();
  REQUIRE(entries.size() == 2);
  for (const ProfileEntry& entry : entries) CHECK(entry.count == 3);
}

TEST_CASE("Wrong arguments are named") {
  Executable executable(add_and_increment(), nullptr);
  std::vector<Buffer> results(1);
  auto message = [&](std::vector<Buffer> arguments) {
    absl::Status status = executable.run(arguments, results);
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  CHECK_THAT(message({filled(1)}), Catch::Contains("expected 2 arguments, got 1"));
  CHECK_THAT(message({filled(1), Buffer::allocate(12)}),
             Catch::Contains("argument 1 'b' must have 4000 bytes, got 12"));
  CHECK_THAT(message({Buffer(), filled(1)}), Catch::Contains("argument 0 'a' must have 4000 bytes, got 0"));
  results.resize(2);
  CHECK_THAT(message({filled(1), filled(1)}), Catch::Contains("room for 1 results, got 2"));
}

TEST_CASE("Running out of memory is a status and leaves nothing behind") {
  Executable executable(add_and_increment(), nullptr);
  std::vector<Buffer> arguments = {filled(1), filled(2)}, results(1);
  const int64_t live = memory_stats().live_bytes;
  set_memory_limit(live + kBytes + 10);  // room for the result, not for the arena
  absl::Status status = executable.run(arguments, results);
  set_memory_limit(-1);
  CHECK(status.code() == absl::StatusCode::kResourceExhausted);
  CHECK_THAT(std::string(status.message()), Catch::Contains("asked for 4064 bytes"));
  CHECK(!results[0]);
  CHECK(memory_stats().live_bytes == live);
  CHECK(executable.run(arguments, results).ok());
}

TEST_CASE("Bad plans are refused with the reason") {
  auto refusal = [](auto change) {
    Plan plan = add_and_increment();
    change(plan);
    absl::Status status = Executable::validate(plan);
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK_THROWS_AS(Executable(plan, nullptr), std::invalid_argument);
    return std::string(status.message());
  };
  using Catch::Contains;
  CHECK(Executable::validate(add_and_increment()).ok());
  CHECK_THAT(refusal([](Plan& p) { p.arena_bytes = -1; }), Contains("the arena has -1 bytes"));
  CHECK_THAT(refusal([](Plan& p) { p.arguments[1].shape = {-2}; }), Contains("argument 'b' has a negative dimension"));
  CHECK_THAT(refusal([](Plan& p) {
               p.arguments[0].shape = {int64_t{1} << 40, int64_t{1} << 40};
             }),
             Contains("argument 'a'") && Contains("too many bytes"));
  CHECK_THAT(refusal([](Plan& p) { p.results[0].shape = {-1}; }), Contains("result 0 has a negative dimension"));
  CHECK_THAT(refusal([](Plan& p) { p.results[0].is_argument = 7; }), Contains("refers to argument 7 of 2"));
  CHECK_THAT(refusal([](Plan& p) { p.results[0].is_argument = p.results[0].reuses_argument = 0; }),
             Contains("both reuses an argument and is one"));
  CHECK_THAT(refusal([](Plan& p) { p.results[0].reuses_argument = 0; }), Contains("'a', which is not donated"));
  CHECK_THAT(refusal([](Plan& p) {
               p.arguments[0].donated = true;
               p.results[0].is_argument = 0;
             }),
             Contains("is argument 'a', which is donated"));
  CHECK_THAT(refusal([](Plan& p) {
               p.arguments[0].donated = true;
               p.results = {result(0), result(0)};
             }),
             Contains("reuses argument 'a' a second time"));
  CHECK_THAT(refusal([](Plan& p) {
               p.arguments[0].donated = true;
               p.results[0].reuses_argument = 0;
               p.results[0].shape = {5};
             }),
             Contains("result 0 has 20 bytes, argument 'a' that it shares has 4000"));
  CHECK_THAT(refusal([](Plan& p) { p.kernels[0].entry = nullptr; }), Contains("kernel 'add' has no entry point"));
  CHECK_THAT(refusal([](Plan& p) { p.kernels[0].grid = -4; }), Contains("kernel 'add' has a grid of -4"));
  CHECK_THAT(refusal([](Plan& p) { p.kernels[0].scratch_bytes = -4; }), Contains("wants -4 bytes of scratch"));
  CHECK_THAT(refusal([](Plan& p) { p.commands[1].kernel = 2; }), Contains("command 1 (model.cc:7): kernel 2 of 2"));
  CHECK_THAT(refusal([](Plan& p) { p.commands[0].operands[1].index = 2; }), Contains("argument[2]+0 lies outside"));
  CHECK_THAT(refusal([](Plan& p) { p.commands[0].operands[2].offset = 5000; }), Contains("arena[0]+5000 lies outside"));
  CHECK_THAT(refusal([](Plan& p) { p.commands[0].kind = static_cast<Command::Kind>(9); }), Contains("unknown kind"));
  auto with_copy = [&](Slice to, int64_t bytes) {
    return refusal([&](Plan& p) { p.commands.push_back(copy(slice(Space::argument), to, bytes)); });
  };
  CHECK_THAT(with_copy(slice(Space::result), -1), Contains("copies -1 bytes"));
  CHECK_THAT(with_copy(slice(Space::result, 0, 8), kBytes),
             Contains("copies 4000 bytes at result[0]+8, which has 3992"));
  CHECK_THAT(with_copy(slice(Space::argument, 1), 4), Contains("argument[1]+0, which is read-only"));
  CHECK_THAT(refusal([](Plan& p) {
               p.commands.push_back(copy(slice(Space::arena), slice(Space::result), 4));
               p.commands.back().operands.pop_back();
             }),
             Contains("a copy has 2 operands, not 1"));
}

}  // namespace
}  // namespace nacre
