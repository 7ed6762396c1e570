#include "nacre/nacre.h"
namespace nc = nacre;

int main() {
  auto f = [](const nc::Array& w, const nc::Array& x) { return nc::sum(nc::tanh(nc::matmul(x, w))); };
  auto g = nc::jit(nc::grad(f));  // one compiled program for the gradient by w
  nc::Array w = nc::ones({2}), x = nc::array({0.5f, -1.0f, 2.0f, 0.0f}, {2, 2});
  nc::print("{}\n", g(w, x));
  nc::print("{}", g.ir(w, x));
}
