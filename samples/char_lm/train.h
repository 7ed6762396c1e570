// Training, evaluation and sampling of the character model.
#pragma once
#include <string>

#include "samples/char_lm/model.h"
#include "samples/char_lm/options.h"
#include "samples/char_lm/text_corpus.h"

namespace char_lm {

// What a checkpoint holds. The batches of a step depend on the seed and the step alone, so a resumed run sees what an
// uninterrupted one would have seen.
struct State {
  Gpt params;
  OptState optimizer;
  nc::Array step;  // int32: steps done
};

// Trains to options.steps, from the checkpoint at options.out where there is one (unless options.fresh), and saves
// there. Throws nacre::FileError for a checkpoint that is damaged or of another model.
State train(const TextCorpus& corpus, const Options& options, const Config& config);

// Mean nats per byte over the text; each byte but the first of a window sees at least half a context.
double evaluate(const Gpt& params, const Config& config, const std::string& text);

// `length` bytes that continue the prompt, drawn from the model at a temperature.
std::string generate(const Gpt& params, const Config& config, const std::string& prompt, int64_t length,
                     double temperature, uint64_t seed);

}  // namespace char_lm
