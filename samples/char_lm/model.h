// A decoder-only transformer over bytes: pure functions of parameters.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "nacre/nacre.h"
#include "nacre/nn.h"
#include "nacre/optim.h"

namespace char_lm {

namespace nc = nacre;

// Not arrays, hence static: part of what jit compiles for.
struct Config {
  int vocab = 256, width = 128, heads = 4, layers = 5, context = 128;
};

struct Block {
  nc::nn::LayerNorm ln1, ln2;
  nc::nn::Linear qkv, out, up, down;
};

struct Gpt {
  nc::Array tokens, positions;
  std::vector<Block> blocks;
  nc::nn::LayerNorm ln;
};

inline Gpt init(const nc::Array& key, const Config& c) {
  auto [k1, k2, k3] = nc::random::split<3>(key);
  Gpt p{0.02f * nc::random::normal(k1, {c.vocab, c.width}),
        0.02f * nc::random::normal(k2, {c.context, c.width}),
        {},
        nc::nn::layer_norm(c.width)};
  for (int layer = 0; layer < c.layers; ++layer) {
    auto [a, b, d, e] = nc::random::split<4>(nc::random::fold_in(k3, layer));
    int w = c.width;
    p.blocks.push_back({nc::nn::layer_norm(w), nc::nn::layer_norm(w), nc::nn::linear(a, w, 3 * w),
                        nc::nn::linear(b, w, w), nc::nn::linear(d, w, 4 * w), nc::nn::linear(e, 4 * w, w)});
  }
  return p;
}

// x: [time, width]
inline nc::Array attention(const Block& b, const nc::Array& x, int heads) {
  auto [q, k, v] = nc::split<3>(b.qkv(x), -1);
  auto by_head = [&](const nc::Array& t) { return nc::reshape(t, {t.dim(0), heads, -1}); };
  return b.out(
      nc::reshape(nc::nn::dot_product_attention(by_head(q), by_head(k), by_head(v), {.causal = true}), x.shape()));
}

// ids: [time] -> [time, vocab]; the output projection is the token table.
inline nc::Array logits(const Gpt& p, const Config& c, const nc::Array& ids) {
  nc::Array x = nc::take(p.tokens, ids, 0) + p.positions.slice({0, ids.dim(0)});
  for (const Block& b : p.blocks) {
    x = x + attention(b, b.ln1(x), c.heads);
    x = x + b.down(nc::nn::gelu(b.up(b.ln2(x))));
  }
  return nc::matmul(p.ln(x), p.tokens.T());
}

// ids: [batch, time + 1] -> mean nats per byte.
inline auto loss = [](const Gpt& p, const Config& c, const nc::Array& ids) {
  nc::Array l = nc::vmap([&](const nc::Array& row) { return logits(p, c, row); })(ids.slice({}, {0, -1}));
  return nc::mean(nc::nn::softmax_cross_entropy_with_integer_labels(l, ids.slice({}, {1, ids.dim(1)})));
};

// The learning rate's schedule depends on the length of the run, so the optimizer is made of it.
struct Training {
  int steps = 3000, warmup = 100;
  float peak = 4e-3f, end = 1e-4f, weight_decay = 0.3f;
};

inline auto optimizer(const Training& t) {
  return nc::optim::chain(nc::optim::clip_by_global_norm(1.0f),
                          nc::optim::adamw({.learning_rate = nc::optim::warmup_cosine(t.peak, t.warmup, t.steps, t.end),
                                            .b2 = 0.98f,
                                            .weight_decay = t.weight_decay}));
}
using OptState = nc::optim::state_of<decltype(optimizer(Training())), Gpt>;

inline auto train_step = [](const Gpt& p, const OptState& s, const Config& c, const Training& t, const nc::Array& ids) {
  auto [value, grads] = nc::value_and_grad(loss)(p, c, ids);
  auto [updates, next] = optimizer(t).update(grads, s, p);
  return std::tuple{nc::optim::apply_updates(p, updates), next, value};
};

}  // namespace char_lm
