#include "nacre/nn.h"

#include <cmath>
#include <numbers>

#include "frontend/core/weak.h"
#include "frontend/numpy/promote.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre::nn {

using detail::blame;
using detail::constant_like;
using detail::run_op1;
using detail::statics;
using Inputs = std::span<const Array>;

namespace {

template <class F>
Array activation(const char* name, const Operand& x, const std::string& key, F f) {
  return run_op1(name, x.at, key, {x.array}, [&](Inputs in) { return f(detail::promoted(in, true)[0]); });
}

// x minus its maximum along the axis. The shift cancels, so it has no derivative.
Array shifted(const Array& x, int64_t axis) {
  return x - stop_gradient(max(x, ReduceOptions(static_cast<int>(axis), true)));
}

}  // namespace

Array relu(const Operand& x) {
  return run_op1("relu", x.at, "", {x.array}, [&](Inputs in) {
    Array a = detail::settled(in[0]), zero = constant_like(a, 0);
    // The derivative at 0 is 0, as jax.nn has it; NaN stays.
    return lax::select(lax::le(a, zero), zero, a);
  });
}
Array sigmoid(const Operand& x) {
  return activation("sigmoid", x, "", [](const Array& a) { return lax::logistic(a); });
}
Array silu(const Operand& x) {
  return activation("silu", x, "", [](const Array& a) { return lax::mul(a, lax::logistic(a)); });
}
Array softplus(const Operand& x) { return logaddexp(x, 0.0f); }

Array gelu(const Operand& x, bool approximate) {
  return activation("gelu", x, statics(approximate), [&](const Array& a) {
    // With erfc, which keeps its digits where erf is next to -1.
    if (!approximate) return 0.5f * a * erfc(-a * (std::numbers::sqrt2 / 2.0));
    Array inner = std::sqrt(2.0 / std::numbers::pi) * (a + 0.044715 * (a * a * a));
    return a * (0.5f * (1.0f + tanh(inner)));
  });
}

Array softmax(const Operand& x, int64_t axis) {
  return activation("softmax", x, statics(axis), [&](const Array& a) {
    Array e = exp(shifted(a, axis));
    return e / sum(e, ReduceOptions(static_cast<int>(axis), true));
  });
}

Array log_softmax(const Operand& x, int64_t axis) {
  return activation("log_softmax", x, statics(axis), [&](const Array& a) {
    Array s = shifted(a, axis);
    return s - log(sum(exp(s), ReduceOptions(static_cast<int>(axis), true)));
  });
}

Array one_hot(const Operand& labels, int64_t classes, DType dtype) {
  return run_op1("one_hot", labels.at, statics(classes, dtype), {labels.array}, [&](Inputs in) {
    if (classes < 0) throw ShapeError(blame() + "the number of classes is negative: " + std::to_string(classes));
    Array index = detail::settled(in[0]);
    if (!is_integer(index.dtype())) throw DTypeError(blame() + "labels must be integers, not " + describe(index));
    if (index.dtype() == DType::u8) index = lax::convert_element_type(index, DType::s32);
    Shape shape = index.shape();
    shape.push_back(classes);
    Array class_number = lax::broadcasted_iota(index.dtype(), shape, index.ndim());
    return lax::convert_element_type(equal(expand_dims(index, -1), class_number), dtype);
  });
}

Array softmax_cross_entropy_with_integer_labels(const Operand& logits, const Operand& labels) {
  return run_op1("softmax_cross_entropy_with_integer_labels", logits.at, "", {logits.array, labels.array},
                 [&](Inputs in) {
                   Array x = detail::promoted(in.first(1), true)[0];
                   Array label = detail::settled(in[1]);
                   Shape wanted(x.shape().begin(), x.shape().end() - (x.ndim() > 0));
                   if (x.ndim() == 0 || label.shape() != wanted)
                     throw ShapeError(blame() + "logits are " + describe(x) + " and labels " + describe(label) +
                                      "; labels have the shape of logits without its last axis");
                   Array s = shifted(x, -1);
                   Array at_label = squeeze(take_along_axis(s, expand_dims(label, -1), -1), AxesArg({-1}));
                   return log(sum(exp(s), ReduceOptions(-1))) - at_label;
                 });
}

Array dot_product_attention(const Operand& q, const Operand& k, const Operand& v, const AttentionOptions& options) {
  return run_op1(
      "dot_product_attention", q.at, statics(options.causal, options.scale), {q.array, k.array, v.array},
      [&](Inputs in) {
        std::vector<Array> a = detail::promoted(in, true);
        const int64_t rank = a[0].ndim();
        if (rank < 3 || a[1].ndim() != rank || a[2].shape() != a[1].shape() || a[0].dim(-1) != a[1].dim(-1) ||
            a[0].dim(-2) != a[1].dim(-2))
          throw ShapeError(blame() + "q, k, v are " + describe(in[0]) + ", " + describe(in[1]) + ", " +
                           describe(in[2]) + "; they should be [..., time, heads, width] with equal heads and width");
        const double scale = options.scale ? *options.scale : 1.0 / std::sqrt(static_cast<double>(a[0].dim(-1)));
        Array scores = einsum("...thw,...shw->...hts", a[0], a[1]) * scale;
        if (options.causal) {
          Array time = lax::broadcasted_iota(DType::s32, scores.shape(), scores.ndim() - 2);
          Array source = lax::broadcasted_iota(DType::s32, scores.shape(), scores.ndim() - 1);
          scores = where(lax::ge(time, source), scores, -HUGE_VAL);
        }
        return einsum("...hts,...shw->...thw", softmax(scores, -1), a[2]);
      });
}

Array Linear::operator()(const Operand& x) const {
  return run_op1("Linear", x.at, "", {x.array, w, b}, [&](Inputs in) { return matmul(in[0], in[1]) + in[2]; });
}

Linear linear(const Operand& key, int64_t in, int64_t out) {
  const float deviation = 1.0f / std::sqrt(static_cast<float>(in));
  return {deviation * random::normal(key, {in, out}), zeros({out})};
}

Array LayerNorm::operator()(const Operand& x) const {
  return run_op1("LayerNorm", x.at, statics(epsilon), {x.array, scale, bias}, [&](Inputs in) {
    Array a = detail::promoted(in.first(1), true)[0];
    const ReduceOptions last(-1, true);
    Array centred = a - mean(a, last);
    return centred * rsqrt(mean(square(centred), last) + epsilon) * in[1] + in[2];
  });
}

LayerNorm layer_norm(int64_t width) { return {ones({width}), zeros({width})}; }

}  // namespace nacre::nn
