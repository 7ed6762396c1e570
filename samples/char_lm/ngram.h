// A byte n-gram model with Witten-Bell interpolation (Witten & Bell 1991): what the neural model has to beat.
// With N the number of times a context c was seen, T the number of different bytes after it, and c' its last bytes but
// the first:  p(b | c) = (count(c b) + T p(b | c')) / (N + T);  p(b | nothing) rests on 1/256. A context that was never
// seen gives the probability of the shorter one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace char_lm {

class NGram {
 public:
  // Counts in `text` all runs of up to `order` bytes: order 2 is a bigram model. Throws nacre::Error unless
  // 1 <= order <= 8.
  NGram(std::string_view text, int order);

  // Of `next` after `context`, of which the last order - 1 bytes count.
  double probability(std::string_view context, unsigned char next) const;

  // The mean of -log p over all bytes of the text; its first bytes have shorter contexts. Throws nacre::Error when the
  // text is empty.
  double nats_per_char(std::string_view text) const;

 private:
  struct Context {
    uint32_t seen = 0;
    uint32_t kinds = 0;
  };
  struct Level {                                      // contexts of one length
    std::unordered_map<uint64_t, Context> contexts;   // by the context's bytes
    std::unordered_map<uint64_t, uint32_t> followed;  // by the context's bytes and the next
  };
  std::vector<Level> levels_;  // by length
};

}  // namespace char_lm
