#include "nacre/optim.h"

#include <numbers>

namespace nacre::optim {

Schedule warmup_cosine(double peak, int64_t warmup, int64_t total, double end) {
  return [=](const Array& step) {
    Array t = astype(step, f32);
    Array rising = t * (peak / static_cast<double>(std::max<int64_t>(warmup, 1)));
    Array share =
        clip((t - static_cast<double>(warmup)) / static_cast<double>(std::max<int64_t>(total - warmup, 1)), 0.0, 1.0);
    Array falling = end + (peak - end) * 0.5 * (1.0 + cos(std::numbers::pi * share));
    return where(t < static_cast<double>(warmup), rising, falling);
  };
}

Array global_norm(const std::vector<Array>& leaves) {
  Array total = 0.0f;
  for (const Array& a : leaves) total = total + sum(square(astype(a, f32)));
  return sqrt(total);
}

}  // namespace nacre::optim
