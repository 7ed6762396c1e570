#include <memory>
#include <random>

#include "bench/row.h"
#include "codegen/kernel_cache.h"
#include "samples/char_lm/model.h"
#include "samples/char_lm/options.h"

namespace bench {
namespace {

namespace nc = nacre;

// Parameters, optimizer and one batch; the values of the text do not matter to the time.
struct Setup {
  char_lm::Config config;
  char_lm::Training training;
  char_lm::Gpt params;
  char_lm::OptState optimizer;
  nc::Array ids;

  Setup() {
    params = nc::jit(char_lm::init)(nc::random::key(0), config);
    auto start = [](const char_lm::Gpt& p, const char_lm::Training& t) { return char_lm::optimizer(t).init(p); };
    optimizer = nc::jit(start)(params, training);
    const int64_t batch = char_lm::Options().batch;
    std::mt19937 random(0);
    std::vector<int32_t> bytes(static_cast<size_t>(batch * (config.context + 1)));
    for (int32_t& byte : bytes) byte = static_cast<int32_t>(random() % 256);
    ids = nc::array(std::span<const int32_t>(bytes), {batch, config.context + 1});
  }
};

nlohmann::json settings() {
  const char_lm::Config c;
  return {{"vocab", c.vocab},   {"width", c.width},     {"heads", c.heads},
          {"layers", c.layers}, {"context", c.context}, {"batch", char_lm::Options().batch}};
}

std::function<void()> step() {
  auto s = std::make_shared<Setup>();
  auto run = nc::jit(char_lm::train_step, {.donate = {0, 1}});
  return [s, run] {
    nc::Array loss;
    std::tie(s->params, s->optimizer, loss) = run(s->params, s->optimizer, s->config, s->training, s->ids);
    loss.item();
  };
}

// A jit of a closure with state has its own cache, and a schedule of another length makes another program: each call
// traces and compiles again.
std::function<void()> first_call() {
  auto s = std::make_shared<Setup>();
  return [s] {
    nacre::codegen::clearKernelCache();
    ++s->training.steps;
    auto fresh = [s](const char_lm::Gpt& p, const char_lm::OptState& o, const nc::Array& ids) {
      return char_lm::train_step(p, o, s->config, s->training, ids);
    };
    std::get<2>(nc::jit(fresh)(s->params, s->optimizer, s->ids)).item();
  };
}

}  // namespace

std::vector<Row> char_lm_rows() {
  return {{.name = "char_lm step", .settings = settings(), .prepare = step, .goal = Row::Goal{"jax", 1.0}},
          {.name = "char_lm trace + compile + step", .settings = settings(), .prepare = first_call, .cold = true}};
}

}  // namespace bench
