// Trains a small language model on real text and prints what it has learned.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <numbers>

#include "samples/char_lm/ngram.h"
#include "samples/char_lm/options.h"
#include "samples/char_lm/train.h"

namespace {

void run(const char_lm::Options& options) {
  const char_lm::Config config;
  const char_lm::TextCorpus corpus =
      options.text.empty() ? char_lm::load_licence_corpus() : char_lm::load_text(options.text);
  char_lm::check_length(corpus, static_cast<size_t>(config.context));

  char_lm::State state = char_lm::train(corpus, options, config);

  const double nats = char_lm::evaluate(state.params, config, corpus.validation);
  const double bigram = char_lm::NGram(corpus.train, 2).nats_per_char(corpus.validation);
  const double fivegram = char_lm::NGram(corpus.train, 5).nats_per_char(corpus.validation);
  fmt::print("validation: {:.3f} nats/char ({:.3f} bits)\n", nats, nats / std::numbers::ln2);
  fmt::print("bigram: {:.3f} nats/char\n5-gram: {:.3f} nats/char\n", bigram, fivegram);
  const std::string prompt = corpus.validation.substr(0, 64);
  fmt::print("\n{}\n", char_lm::generate(state.params, config, prompt, 400, 0.7, options.seed));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const char_lm::Options options = char_lm::parse_options(argc, argv);
    if (options.help) {
      std::fputs(char_lm::kUsage, stdout);
      return 0;
    }
    run(options);
  } catch (const std::exception& e) {
    std::fflush(stdout);
    fmt::print(stderr, "char_lm: {}\n", e.what());
    return 1;
  }
  return 0;
}
