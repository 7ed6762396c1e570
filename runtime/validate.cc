// Executable::validate: everything the executor takes for granted about a plan.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/executable.h"

namespace nacre {
namespace {

constexpr int64_t kMaxScratch = int64_t{256} << 20;

template <class... Parts>
absl::Status bad(const Parts&... parts) {
  std::string message = "plan: ";
  (message.append(parts), ...);
  return absl::InvalidArgumentError(message);
}

std::string text(int64_t n) { return std::to_string(n); }

// -1 for a negative dimension or overflow.
int64_t checked_bytes(const TensorSpec& spec) {
  int64_t bytes = static_cast<int64_t>(size_of(spec.dtype));
  bool empty = false;
  for (int64_t d : spec.shape) {
    if (d < 0) return -1;
    if (d == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, d, &bytes)) {
      return -1;
    }
  }
  return empty ? 0 : bytes;
}

absl::Status check_results(const Plan& plan) {
  std::vector<bool> reused(plan.arguments.size());
  for (size_t r = 0; r < plan.results.size(); ++r) {
    const ResultSpec& result = plan.results[r];
    std::string name = "result " + text(static_cast<int64_t>(r));
    if (checked_bytes(result) < 0) return bad(name, " has a negative dimension or too many bytes");
    if (result.reuses_argument < 0 && result.is_argument < 0) continue;
    if (result.reuses_argument >= 0 && result.is_argument >= 0) return bad(name, " both reuses an argument and is one");
    bool reuses = result.reuses_argument >= 0;
    size_t a = static_cast<size_t>(reuses ? result.reuses_argument : result.is_argument);
    if (a >= plan.arguments.size())
      return bad(name, " refers to argument ", text(static_cast<int64_t>(a)), " of ",
                 text(static_cast<int64_t>(plan.arguments.size())));
    const ArgumentSpec& argument = plan.arguments[a];
    if (argument.bytes() != result.bytes())
      return bad(name, " has ", text(result.bytes()), " bytes, argument '", argument.name, "' that it shares has ",
                 text(argument.bytes()));
    if (reuses && !argument.donated) return bad(name, " reuses argument '", argument.name, "', which is not donated");
    if (!reuses && argument.donated) return bad(name, " is argument '", argument.name, "', which is donated");
    if (reuses && reused[a]) return bad(name, " reuses argument '", argument.name, "' a second time");
    if (reuses) reused[a] = true;
  }
  return absl::OkStatus();
}

// Bytes from a slice's offset to the end of its space; -1 if it begins outside.
int64_t bytes_behind(const Plan& plan, const Slice& slice) {
  size_t i = static_cast<size_t>(slice.index);
  int64_t size = -1;
  switch (slice.space) {
    case Space::argument: size = i < plan.arguments.size() ? plan.arguments[i].bytes() : -1; break;
    case Space::result: size = i < plan.results.size() ? plan.results[i].bytes() : -1; break;
    case Space::arena: size = i == 0 ? plan.arena_bytes : -1; break;
    case Space::constant: size = i < plan.constants.size() ? static_cast<int64_t>(plan.constants[i].size()) : -1; break;
  }
  return slice.offset < 0 || slice.offset > size ? -1 : size - slice.offset;
}

std::string text(const Slice& slice) {
  constexpr const char* kNames[] = {"argument", "result", "arena", "constant"};
  size_t space = static_cast<size_t>(slice.space);
  return std::string(space < 4 ? kNames[space] : "?") + "[" + text(int64_t{slice.index}) + "]+" + text(slice.offset);
}

// May a command write there?
bool writable(const Plan& plan, const Slice& slice) {
  size_t i = static_cast<size_t>(slice.index);
  if (slice.space == Space::argument) return plan.arguments[i].donated;
  if (slice.space == Space::result) return plan.results[i].is_argument < 0;
  return slice.space == Space::arena;
}

absl::Status check_command(const Plan& plan, size_t index) {
  const Command& command = plan.commands[index];
  std::string name = "command " + text(static_cast<int64_t>(index));
  if (!command.where.empty()) name += " (" + command.where + ")";
  for (const Slice& slice : command.operands)
    if (bytes_behind(plan, slice) < 0) return bad(name, ": operand ", text(slice), " lies outside its space");
  if (command.kind == Command::Kind::launch) {
    if (command.kernel < 0 || static_cast<size_t>(command.kernel) >= plan.kernels.size())
      return bad(name, ": kernel ", text(int64_t{command.kernel}), " of ",
                 text(static_cast<int64_t>(plan.kernels.size())));
    return absl::OkStatus();
  }
  if (command.kind != Command::Kind::copy) return bad(name, ": unknown kind");
  if (command.operands.size() != 2)
    return bad(name, ": a copy has 2 operands, not ", text(static_cast<int64_t>(command.operands.size())));
  if (command.bytes < 0) return bad(name, ": copies ", text(command.bytes), " bytes");
  for (const Slice& slice : command.operands)
    if (bytes_behind(plan, slice) < command.bytes)
      return bad(name, ": copies ", text(command.bytes), " bytes at ", text(slice), ", which has ",
                 text(bytes_behind(plan, slice)));
  if (!writable(plan, command.operands[1]))
    return bad(name, ": copies into ", text(command.operands[1]), ", which is read-only");
  return absl::OkStatus();
}

}  // namespace

absl::Status Executable::validate(const Plan& plan) {
  if (plan.arena_bytes < 0) return bad("the arena has ", text(plan.arena_bytes), " bytes");
  for (const ArgumentSpec& argument : plan.arguments)
    if (checked_bytes(argument) < 0)
      return bad("argument '", argument.name, "' has a negative dimension or too many bytes");
  if (absl::Status status = check_results(plan); !status.ok()) return status;
  for (const KernelSpec& kernel : plan.kernels) {
    if (!kernel.entry) return bad("kernel '", kernel.name, "' has no entry point");
    if (kernel.grid < 0) return bad("kernel '", kernel.name, "' has a grid of ", text(kernel.grid));
    if (kernel.scratch_bytes < 0 || kernel.scratch_bytes > kMaxScratch)
      return bad("kernel '", kernel.name, "' wants ", text(kernel.scratch_bytes), " bytes of scratch, the limit is ",
                 text(kMaxScratch));
  }
  for (size_t c = 0; c < plan.commands.size(); ++c)
    if (absl::Status status = check_command(plan, c); !status.ok()) return status;
  return absl::OkStatus();
}

}  // namespace nacre
