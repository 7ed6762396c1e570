#include "samples/char_lm/ngram.h"

#include <cmath>
#include <string>

#include "nacre/error.h"

namespace char_lm {
namespace {

uint64_t packed(std::string_view bytes) {
  uint64_t key = 0;
  for (unsigned char b : bytes) key = key << 8 | b;
  return key;
}

}  // namespace

NGram::NGram(std::string_view text, int order) {
  if (order < 1 || order > 8)
    throw nacre::Error("NGram: order " + std::to_string(order) + " is not supported: choose one from 1 to 8");
  levels_.resize(static_cast<std::size_t>(order));
  for (std::size_t length = 0; length < levels_.size(); ++length) {
    Level& level = levels_[length];
    for (std::size_t i = length; i < text.size(); ++i) {
      Context& context = level.contexts[packed(text.substr(i - length, length))];
      ++context.seen;
      if (level.followed[packed(text.substr(i - length, length + 1))]++ == 0) ++context.kinds;
    }
  }
}

double NGram::probability(std::string_view context, unsigned char next) const {
  double p = 1.0 / 256;
  for (std::size_t length = 0; length < levels_.size() && length <= context.size(); ++length) {
    const Level& level = levels_[length];
    const uint64_t key = packed(context.substr(context.size() - length));
    auto c = level.contexts.find(key);
    if (c == level.contexts.end()) break;
    auto n = level.followed.find(key << 8 | next);
    const double count = n == level.followed.end() ? 0 : n->second;
    p = (count + c->second.kinds * p) / (static_cast<double>(c->second.seen) + c->second.kinds);
  }
  return p;
}

double NGram::nats_per_char(std::string_view text) const {
  if (text.empty()) throw nacre::Error("NGram: there is no text to measure on");
  double nats = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    nats -= std::log(probability(text.substr(0, i), static_cast<unsigned char>(text[i])));
  return nats / static_cast<double>(text.size());
}

}  // namespace char_lm
