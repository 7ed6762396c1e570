// Building blocks of neural networks: plain structs of parameters with a call operator, and functions. Names and
// meanings follow jax.nn; initial values follow the papers named.
#pragma once
#include "nacre/numpy.h"
#include "nacre/random.h"

namespace nacre::nn {

// --- activations ---
Array relu(const Operand& x);
Array sigmoid(const Operand& x);
Array silu(const Operand& x);
Array softplus(const Operand& x);
// Hendrycks and Gimpel, 2016: the tanh approximation by default, exact with erf otherwise.
Array gelu(const Operand& x, bool approximate = true);

// --- along an axis ---
Array softmax(const Operand& x, int64_t axis = -1);
Array log_softmax(const Operand& x, int64_t axis = -1);
// 1 at the label along a new last axis.
Array one_hot(const Operand& labels, int64_t classes, DType dtype = f32);
// -log softmax(logits)[label], with logits [..., classes] and integer labels [...]; labels out of range give NaN.
Array softmax_cross_entropy_with_integer_labels(const Operand& logits, const Operand& labels);

struct AttentionOptions {
  bool causal = false;         // position t sees positions up to t
  std::optional<float> scale;  // of q . k; 1 / sqrt(head width) when absent
};
// softmax(q k^T scale) v for each head. q: [..., time, heads, width], k and v: [..., source, heads, width]; the result
// has q's shape. Vaswani et al., 2017.
Array dot_product_attention(const Operand& q, const Operand& k, const Operand& v, const AttentionOptions& options = {});

// --- layers ---
struct Linear {
  Array w, b;  // [in, out], [out]
  // [..., in] -> [..., out]
  Array operator()(const Operand& x) const;
};
// Weights normal with variance 1 / in (LeCun et al., 1998), bias zero.
Linear linear(const Operand& key, int64_t in, int64_t out);

struct LayerNorm {
  Array scale, bias;  // [width]
  float epsilon = 1e-5f;
  // Over the last axis. Ba et al., 2016.
  Array operator()(const Operand& x) const;
};
LayerNorm layer_norm(int64_t width);

}  // namespace nacre::nn
