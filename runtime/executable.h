// Runs a plan on the CPU.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "runtime/buffer.h"
#include "runtime/plan.h"

namespace nacre {

// Immutable and re-entrant: several threads may run one executable at once.
class Executable {
 public:
  // `keep_alive` owns the machine code behind the plan's kernels. Throws std::invalid_argument with the message of
  // validate(plan) if that is an error. NACRE_POISON=1 in the environment makes every run fill the arena and new
  // results with 0xFF bytes first, so that a read of memory not yet written yields NaN.
  Executable(Plan plan, std::shared_ptr<void> keep_alive);
  ~Executable();

  // Are sizes sane, kernels present, slices inside their space, results consistent with donation? InvalidArgument says
  // which part is not.
  static absl::Status validate(const Plan& plan);

  // arguments.size() == plan().arguments.size(), results.size() == plan().results.size(). Results are filled in;
  // handles that were there are dropped first. The two spans must not overlap.
  // A donated argument's handle may be the only one left for its bytes; if others share them the executor copies
  // first, so that no other holder sees a change. Synchronous. Errors: wrong count or size of an argument
  // (InvalidArgument, names the argument), OutOfMemory (ResourceExhausted).
  absl::Status run(std::span<const Buffer> arguments, std::span<Buffer> results) const;

  const Plan& plan() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nacre
