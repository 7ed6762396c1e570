#include "samples/char_lm/train.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "nacre/io.h"
#include "samples/char_lm/progress.h"

namespace char_lm {

namespace {

// Windows of context + 1 bytes at random places of the text.
nc::Array batch_of(const std::string& text, const Options& options, const Config& config, int64_t step) {
  const int64_t length = config.context + 1;
  std::mt19937_64 random(options.seed * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(step));
  std::uniform_int_distribution<size_t> place(0, text.size() - static_cast<size_t>(length));
  std::vector<int32_t> ids;
  ids.reserve(static_cast<size_t>(options.batch * length));
  for (int64_t row = 0; row < options.batch; ++row) {
    const size_t start = place(random);
    for (int64_t i = 0; i < length; ++i)
      ids.push_back(static_cast<unsigned char>(text[start + static_cast<size_t>(i)]));
  }
  return nc::array(std::span<const int32_t>(ids), {options.batch, length});
}

nc::Metadata description(const Options& options, const Config& c) {
  return {
      {"model", fmt::format("char_lm width {} heads {} layers {} context {}", c.width, c.heads, c.layers, c.context)},
      {"steps", std::to_string(options.steps)},
      {"seed", std::to_string(options.seed)},
      {"batch", std::to_string(options.batch)}};
}

// Of the settings that a run cannot change half-way.
void check_same_run(const nc::Metadata& stored, const Options& options, const Config& config) {
  for (const auto& [name, wanted] : description(options, config)) {
    auto found = stored.find(name);
    const std::string have = found == stored.end() ? "nothing" : found->second;
    if (have != wanted)
      throw nacre::FileError(options.out, 0,
                             "holds a run with " + name + " = " + have + ", not " + wanted +
                                 "; use the same settings, another --out, or --fresh");
  }
}

State fresh_state(const Options& options, const Config& config, const Training& training) {
  State s;
  s.params = nc::jit(init)(nc::random::key(options.seed), config);
  s.optimizer = nc::jit([](const Gpt& p, const Training& t) { return optimizer(t).init(p); })(s.params, training);
  s.step = nc::zeros({}, nc::i32);
  return s;
}

}  // namespace

State train(const TextCorpus& corpus, const Options& options, const Config& config) {
  Training training;
  training.steps = static_cast<int>(options.steps);
  State s = fresh_state(options, config, training);
  if (!options.fresh && std::filesystem::exists(options.out)) {
    nc::Metadata metadata;
    s = nc::load(options.out, s, &metadata);
    check_same_run(metadata, options, config);
    fmt::print("resuming {} at step {}\n", options.out, s.step.item<int64_t>());
  }
  int64_t parameters = 0;
  for (const nc::Array& a : nc::tree::leaves(s.params)) parameters += a.size();
  fmt::print("{} parameters, {} bytes of training text, {} windows of {} bytes a step\n", parameters,
             corpus.train.size(), options.batch, config.context);

  auto step = nc::jit(train_step, {.donate = {0, 1}});
  const auto first = s.step.item<int64_t>();
  Progress progress(first, options.steps, options.batch * config.context);
  for (int64_t i = first; i < options.steps; ++i) {
    nc::Array loss;
    std::tie(s.params, s.optimizer, loss) =
        step(s.params, s.optimizer, config, training, batch_of(corpus.train, options, config, i));
    const double value = loss.item();
    if (!std::isfinite(value))
      throw nacre::Error(fmt::format("the loss is {} at step {}; the run is lost", value, i + 1));
    progress.show(i + 1, value);
    if ((i + 1) % options.checkpoint_every == 0 || i + 1 == options.steps) {
      const auto done = static_cast<int32_t>(i + 1);
      s.step = nc::array({done}, {});
      nc::save(options.out, s, description(options, config));
    }
  }
  progress.finish();
  return s;
}

double evaluate(const Gpt& params, const Config& config, const std::string& text) {
  // Windows overlap by half: only the second half of each but the first is counted.
  auto losses = nc::jit([](const Gpt& p, const Config& c, const nc::Array& ids) {
    nc::Array l = logits(p, c, ids.slice({0, c.context}));
    return nc::nn::softmax_cross_entropy_with_integer_labels(l, ids.slice({1, c.context + 1}));
  });
  const auto context = static_cast<size_t>(config.context), half = context / 2;
  double total = 0;
  size_t counted = 0;
  for (size_t start = 0; start + context + 1 <= text.size(); start += half) {
    std::vector<int32_t> ids;
    for (size_t i = 0; i <= context; ++i) ids.push_back(static_cast<unsigned char>(text[start + i]));
    std::vector<double> nats = losses(params, config, nc::array(ids)).to_vector<double>();
    for (size_t i = start == 0 ? 0 : context - half; i < context; ++i) {
      total += nats[i];
      ++counted;
    }
  }
  return total / static_cast<double>(counted);
}

std::string generate(const Gpt& params, const Config& config, const std::string& prompt, int64_t length,
                     double temperature, uint64_t seed) {
  // The window has a fixed length, so that one program serves all steps: later positions do not matter to earlier ones.
  auto next = nc::jit([](const Gpt& p, const Config& c, const nc::Array& ids, const nc::Array& last) {
    return nc::nn::softmax(nc::take(logits(p, c, ids), last, 0));
  });
  std::string text = prompt;
  std::mt19937_64 random(seed);
  const auto context = static_cast<size_t>(config.context);
  for (int64_t n = 0; n < length; ++n) {
    const size_t seen = std::min(text.size(), context);
    std::vector<int32_t> ids(context, 0);
    for (size_t i = 0; i < seen; ++i) ids[i] = static_cast<unsigned char>(text[text.size() - seen + i]);
    std::vector<double> p =
        next(params, config, nc::array(ids), nc::array({static_cast<int32_t>(seen) - 1}, {})).to_vector<double>();
    for (double& each : p) each = std::pow(each, 1 / temperature);
    text += static_cast<char>(std::discrete_distribution<int>(p.begin(), p.end())(random));
  }
  return text;
}

}  // namespace char_lm
