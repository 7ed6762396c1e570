#include "runtime/plan.h"

namespace nacre {

int64_t Plan::peak_bytes() const {
  int64_t total = arena_bytes;
  for (const ArgumentSpec& argument : arguments) total += argument.bytes();
  for (const ResultSpec& result : results)
    if (result.reuses_argument < 0 && result.is_argument < 0) total += result.bytes();
  return total;
}

}  // namespace nacre
