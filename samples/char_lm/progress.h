// A progress bar on the terminal: loss, bytes per second, time left. On other outputs, a line now and then.
#pragma once
#include <chrono>
#include <cstdint>

namespace char_lm {

class Progress {
 public:
  Progress(int64_t first, int64_t steps, int64_t bytes_per_step);
  // After step `step` (counted from 1).
  void show(int64_t step, double loss);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  int64_t first_, steps_, bytes_per_step_;
  bool terminal_;
  Clock::time_point start_, last_;
  double smooth_ = 0;
};

}  // namespace char_lm
