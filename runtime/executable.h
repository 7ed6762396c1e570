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
  // `keep_alive` owns the machine code behind the plan's kernels.
  Executable(Plan plan, std::shared_ptr<void> keep_alive);
  ~Executable();

  // arguments.size() == plan().arguments.size(), results.size() == plan().results.size(). Results are filled in.
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
