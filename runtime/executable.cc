#include "runtime/executable.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "runtime/errors.h"
#include "runtime/profile.h"
#include "runtime/thread_pool.h"

namespace nacre {
namespace {

constexpr size_t kAlignment = 64;
// Waking the pool must cost little beside the kernel.
constexpr int64_t kSmallWork = 20'000;

struct FreeAligned {
  void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }
};
// Memory that the pool's accounts leave out: constants and scratch, so that a plan's peak is arguments, arena, results.
using AlignedBytes = std::unique_ptr<std::byte, FreeAligned>;

AlignedBytes allocate_aligned(size_t bytes) {
  return AlignedBytes(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignment})));
}

// The calling thread's scratch; grows and stays.
std::byte* scratch_of_thread(int64_t bytes) {
  thread_local AlignedBytes memory;
  thread_local int64_t size = 0;
  if (size < bytes) {
    memory.reset();
    size = 0;
    memory = allocate_aligned(static_cast<size_t>(bytes));
    size = bytes;
  }
  return memory.get();
}

// An array on the stack unless it is large.
template <class T>
class Local {
 public:
  explicit Local(size_t size) {
    if (size > kInline) heap_ = std::make_unique<T[]>(size);
  }
  T* get() { return heap_ ? heap_.get() : inline_; }

 private:
  static constexpr size_t kInline = 256;
  T inline_[kInline];
  std::unique_ptr<T[]> heap_;
};

// A slice with its space and index folded into one index of the table of base pointers.
struct Operand {
  uint32_t base;
  int64_t offset;
};

struct Step {
  const KernelSpec* kernel;  // nullptr: copy
  size_t first_operand;
  size_t operands;
  int64_t bytes;
};

void launch(const KernelSpec& kernel, void* const* pointers) {
  if (kernel.grid == 0) return;
  auto programs = [&](int64_t begin, int64_t end, int) {
    void* scratch = kernel.scratch_bytes ? scratch_of_thread(kernel.scratch_bytes) : nullptr;
    kernel.entry(pointers, begin, end, scratch);
  };
  if (kernel.grid == 1 || kernel.work < kSmallWork) {
    programs(0, kernel.grid, 0);
  } else {
    parallel_for(kernel.grid, programs);
  }
}

std::string describe(const ArgumentSpec& argument, size_t index) {
  return "argument " + std::to_string(index) + (argument.name.empty() ? "" : " '" + argument.name + "'");
}

}  // namespace

// Base pointers are numbered: arguments, results, the arena, constants.
struct Executable::State {
  Plan plan;
  std::shared_ptr<void> keep_alive;
  AlignedBytes constant_bytes;
  std::vector<std::byte*> constants;
  std::vector<int64_t> argument_bytes, result_bytes;
  std::vector<int32_t> reused_by;  // argument -> result, or -1
  std::vector<Operand> operands;
  std::vector<Step> steps;
  size_t most_operands = 0;
  bool poison = false;

  void load_constants();
  void flatten();
  absl::Status check_arguments(std::span<const Buffer> arguments, std::span<Buffer> results) const;
  void bind(std::span<const Buffer> arguments, std::span<Buffer> results, Buffer& arena, std::vector<Buffer>& copies,
            std::byte** bases) const;
  void execute(std::byte* const* bases) const;
};

void Executable::State::load_constants() {
  size_t total = 0;
  auto aligned = [](size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; };
  for (const auto& constant : plan.constants) total += aligned(constant.size());
  constant_bytes = allocate_aligned(total);
  std::byte* at = constant_bytes.get();
  for (auto& constant : plan.constants) {
    if (!constant.empty()) std::memcpy(at, constant.data(), constant.size());
    constants.push_back(at);
    at += aligned(constant.size());
  }
}

void Executable::State::flatten() {
  for (const ArgumentSpec& argument : plan.arguments) argument_bytes.push_back(argument.bytes());
  for (const ResultSpec& result : plan.results) result_bytes.push_back(result.bytes());
  reused_by.assign(plan.arguments.size(), -1);
  for (size_t r = 0; r < plan.results.size(); ++r)
    if (int32_t a = plan.results[r].reuses_argument; a >= 0)
      reused_by[static_cast<size_t>(a)] = static_cast<int32_t>(r);
  size_t first_result = plan.arguments.size();
  size_t arena = first_result + plan.results.size();
  for (const Command& command : plan.commands) {
    const bool is_launch = command.kind == Command::Kind::launch;
    steps.push_back({is_launch ? &plan.kernels[static_cast<size_t>(command.kernel)] : nullptr, operands.size(),
                     command.operands.size(), command.bytes});
    most_operands = std::max(most_operands, command.operands.size());
    for (const Slice& slice : command.operands) {
      size_t base = static_cast<size_t>(slice.index);
      if (slice.space == Space::result) base += first_result;
      if (slice.space == Space::arena) base = arena;
      if (slice.space == Space::constant) base += arena + 1;
      operands.push_back({static_cast<uint32_t>(base), slice.offset});
    }
  }
}

absl::Status Executable::State::check_arguments(std::span<const Buffer> arguments, std::span<Buffer> results) const {
  if (arguments.size() != argument_bytes.size())
    return absl::InvalidArgumentError("expected " + std::to_string(argument_bytes.size()) + " arguments, got " +
                                      std::to_string(arguments.size()));
  if (results.size() != result_bytes.size())
    return absl::InvalidArgumentError("expected room for " + std::to_string(result_bytes.size()) + " results, got " +
                                      std::to_string(results.size()));
  for (size_t a = 0; a < arguments.size(); ++a)
    if (arguments[a].bytes() != argument_bytes[a])
      return absl::InvalidArgumentError(describe(plan.arguments[a], a) + " must have " +
                                        std::to_string(argument_bytes[a]) + " bytes, got " +
                                        std::to_string(arguments[a].bytes()));
  return absl::OkStatus();
}

// Allocates what a run needs and fills the table of base pointers.
void Executable::State::bind(std::span<const Buffer> arguments, std::span<Buffer> results, Buffer& arena,
                             std::vector<Buffer>& copies, std::byte** bases) const {
  auto fresh = [this](int64_t bytes) {
    Buffer buffer = Buffer::allocate(bytes);
    if (poison) std::memset(buffer.data(), 0xFF, static_cast<size_t>(bytes));
    return buffer;
  };
  for (size_t a = 0; a < arguments.size(); ++a) {
    bases[a] = arguments[a].data();
    if (!plan.arguments[a].donated) continue;
    Buffer mine;
    // Kernels may write to any donated argument, so bytes that others hold are copied even if no result reuses them.
    if (arguments[a].use_count() > 1) {
      mine = Buffer::allocate(argument_bytes[a]);
      std::memcpy(mine.data(), bases[a], static_cast<size_t>(argument_bytes[a]));
      bases[a] = mine.data();
    }
    if (reused_by[a] >= 0) {
      results[static_cast<size_t>(reused_by[a])] = mine ? std::move(mine) : arguments[a];
    } else if (mine) {
      copies.push_back(std::move(mine));
    }
  }
  std::byte** next = bases + arguments.size();
  for (size_t r = 0; r < results.size(); ++r) {
    const ResultSpec& spec = plan.results[r];
    if (spec.is_argument >= 0) {
      results[r] = arguments[static_cast<size_t>(spec.is_argument)];
    } else if (spec.reuses_argument < 0) {
      results[r] = fresh(result_bytes[r]);
    }
    *next++ = results[r].data();
  }
  if (plan.arena_bytes > 0) arena = fresh(plan.arena_bytes);
  *next++ = arena.data();
  for (std::byte* constant : constants) *next++ = constant;
}

void Executable::State::execute(std::byte* const* bases) const {
  using Clock = std::chrono::steady_clock;
  Local<void*> pointers(most_operands);
  const bool timed = profiling();
  for (const Step& step : steps) {
    Clock::time_point start;
    if (timed) start = Clock::now();
    void** pointer = pointers.get();
    const Operand* operand = operands.data() + step.first_operand;
    for (size_t i = 0; i < step.operands; ++i) pointer[i] = bases[operand[i].base] + operand[i].offset;
    if (step.kernel) {
      launch(*step.kernel, pointer);
    } else if (step.bytes > 0) {
      std::memmove(pointer[1], pointer[0], static_cast<size_t>(step.bytes));
    }
    if (timed)
      record_profile(step.kernel ? std::string_view(step.kernel->name) : "copy",
                     std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
  }
}

Executable::Executable(Plan plan, std::shared_ptr<void> keep_alive) : state_(std::make_unique<State>()) {
  if (absl::Status status = validate(plan); !status.ok()) throw std::invalid_argument(std::string(status.message()));
  state_->plan = std::move(plan);
  state_->keep_alive = std::move(keep_alive);
  const char* poison = std::getenv("NACRE_POISON");
  state_->poison = poison && std::string_view(poison) == "1";
  state_->load_constants();
  state_->flatten();
}

Executable::~Executable() = default;

const Plan& Executable::plan() const { return state_->plan; }

absl::Status Executable::run(std::span<const Buffer> arguments, std::span<Buffer> results) const {
  const State& state = *state_;
  if (absl::Status status = state.check_arguments(arguments, results); !status.ok()) return status;
  for (Buffer& result : results) result = Buffer();
  Buffer arena;
  std::vector<Buffer> copies;
  Local<std::byte*> bases(arguments.size() + results.size() + 1 + state.constants.size());
  try {
    state.bind(arguments, results, arena, copies, bases.get());
  } catch (const OutOfMemory& error) {
    for (Buffer& result : results) result = Buffer();
    return absl::ResourceExhaustedError(error.what());
  }
  state.execute(bases.get());
  return absl::OkStatus();
}

}  // namespace nacre
