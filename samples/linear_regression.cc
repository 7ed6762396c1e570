// Fits y = 3x + 2 from noisy points.
#include "nacre/nacre.h"
namespace nc = nacre;

struct Line {
  nc::Array slope, intercept;
};

int main() {
  auto [kx, kn] = nc::random::split<2>(nc::random::key(0));
  nc::Array x = nc::random::normal(kx, {1024});
  nc::Array y = 3.0f * x + 2.0f + 0.1f * nc::random::normal(kn, {1024});

  auto loss = [](const Line& p, const nc::Array& x, const nc::Array& y) {
    return nc::mean(nc::square(p.slope * x + p.intercept - y));
  };
  auto step = nc::jit(
      [=](const Line& p, const nc::Array& x, const nc::Array& y) {
        auto [value, grads] = nc::value_and_grad(loss)(p, x, y);
        return std::pair{nc::tree::map([](auto p, auto g) { return p - 0.1f * g; }, p, grads), value};
      },
      {.donate = {0}});

  Line p{nc::zeros({}), nc::zeros({})};
  nc::Array value;
  for (int i = 0; i < 200; ++i) std::tie(p, value) = step(p, x, y);
  nc::print("slope {:.3f}, intercept {:.3f}, loss {:.4f}\n", p.slope, p.intercept, value);
}
