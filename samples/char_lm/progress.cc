#include "samples/char_lm/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace char_lm {

Progress::Progress(int64_t first, int64_t steps, int64_t bytes_per_step)
    : first_(first),
      steps_(steps),
      bytes_per_step_(bytes_per_step),
      terminal_(isatty(STDOUT_FILENO)),
      start_(Clock::now()),
      last_(start_) {}

void Progress::show(int64_t step, double loss) {
  smooth_ = step == first_ + 1 ? loss : 0.98 * smooth_ + 0.02 * loss;
  const auto now = Clock::now();
  const double pause = terminal_ ? 0.2 : 10.0;
  if (step != steps_ && step != first_ + 1 && std::chrono::duration<double>(now - last_).count() < pause) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double done = static_cast<double>(step - first_);
  const double left = elapsed / done * static_cast<double>(steps_ - step);
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(kWidth * step / steps_);
  fmt::print("{}[{:#<{}}{:.<{}}] {}/{}  loss {:.3f}  {:.0f} kB/s  {}:{:02} left{}", terminal_ ? "\r" : "", "", filled,
             "", kWidth - filled, step, steps_, smooth_, done * static_cast<double>(bytes_per_step_) / elapsed / 1000,
             static_cast<int>(left) / 60, static_cast<int>(left) % 60, terminal_ ? "  " : "\n");
  std::fflush(stdout);
}

void Progress::finish() {
  if (terminal_) fmt::print("\n");
}

}  // namespace char_lm
