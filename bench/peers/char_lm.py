"""A JAX twin of samples/char_lm: the same transformer over bytes, optimizer, text and step.

As a program it trains and reports the validation loss, to try settings:
    python char_lm.py --steps 600 --peak 2e-3
"""
import argparse
import math
import os
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Config(NamedTuple):
    vocab: int = 256
    width: int = 128
    heads: int = 4
    layers: int = 5
    context: int = 128


class Training(NamedTuple):
    steps: int = 3000
    warmup: int = 100
    peak: float = 2e-3
    end: float = 1e-4
    weight_decay: float = 0.1


B1, B2, EPS, CLIP, NORM_EPS = 0.9, 0.98, 1e-8, 1.0, 1e-5


def init(key, c):
    def linear(key, n, m):
        return {"w": jax.random.normal(key, (n, m)) / math.sqrt(n), "b": jnp.zeros(m)}

    def norm():
        return {"scale": jnp.ones(c.width), "bias": jnp.zeros(c.width)}

    k1, k2, k3 = jax.random.split(key, 3)
    blocks = []
    for layer in range(c.layers):
        a, b, d, e = jax.random.split(jax.random.fold_in(k3, layer), 4)
        w = c.width
        blocks.append({"ln1": norm(), "ln2": norm(), "qkv": linear(a, w, 3 * w), "out": linear(b, w, w),
                       "up": linear(d, w, 4 * w), "down": linear(e, 4 * w, w)})
    return {"tokens": 0.02 * jax.random.normal(k1, (c.vocab, c.width)),
            "positions": 0.02 * jax.random.normal(k2, (c.context, c.width)), "blocks": blocks, "ln": norm()}


def apply_linear(p, x):
    return x @ p["w"] + p["b"]


def apply_norm(p, x):
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + NORM_EPS) * p["scale"] + p["bias"]


def attention(b, x, heads):
    """x: [time, width]"""
    time, width = x.shape
    q, k, v = (t.reshape(time, heads, width // heads) for t in jnp.split(apply_linear(b["qkv"], x), 3, -1))
    scores = jnp.einsum("thd,shd->hts", q, k) * (width // heads) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((time, time), bool)), scores, -jnp.inf)
    return apply_linear(b["out"], jnp.einsum("hts,shd->thd", jax.nn.softmax(scores, -1), v).reshape(time, width))


def logits(p, c, ids):
    x = p["tokens"][ids] + p["positions"][:ids.shape[0]]
    for b in p["blocks"]:
        x = x + attention(b, apply_norm(b["ln1"], x), c.heads)
        x = x + apply_linear(b["down"], jax.nn.gelu(apply_linear(b["up"], apply_norm(b["ln2"], x)), approximate=True))
    return apply_norm(p["ln"], x) @ p["tokens"].T


def loss(p, c, ids):
    """ids: [batch, time + 1] -> mean nats per byte"""
    out = jax.vmap(lambda row: logits(p, c, row))(ids[:, :-1])
    picked = jnp.take_along_axis(out, ids[:, 1:, None], -1)[..., 0]
    return (jax.nn.logsumexp(out, -1) - picked).mean()


def rate_at(t, step):
    step = step.astype(jnp.float32)
    done = jnp.clip((step - t.warmup) / max(t.steps - t.warmup, 1), 0, 1)
    cosine = t.end + (t.peak - t.end) * 0.5 * (1 + jnp.cos(math.pi * done))
    return jnp.where(step < t.warmup, t.peak * step / max(t.warmup, 1), cosine)


def init_state(p):
    return {"step": jnp.int32(0), "mu": jax.tree.map(jnp.zeros_like, p), "nu": jax.tree.map(jnp.zeros_like, p)}


def train_step(p, s, ids, c, t):
    value, grads = jax.value_and_grad(loss)(p, c, ids)
    norm = jnp.sqrt(sum(jnp.square(g).sum() for g in jax.tree.leaves(grads)))
    grads = jax.tree.map(lambda g: g * (CLIP / jnp.maximum(norm, CLIP)), grads)
    step = s["step"] + 1
    mu = jax.tree.map(lambda m, g: B1 * m + (1 - B1) * g, s["mu"], grads)
    nu = jax.tree.map(lambda n, g: B2 * n + (1 - B2) * g * g, s["nu"], grads)
    m_scale, n_scale = (1 / (1 - b ** step.astype(jnp.float32)) for b in (B1, B2))
    rate = rate_at(t, s["step"])
    p = jax.tree.map(lambda p, m, n: p - rate * (m * m_scale / (jnp.sqrt(n * n_scale) + EPS) + t.weight_decay * p), p,
                     mu, nu)
    return p, {"step": step, "mu": mu, "nu": nu}, value


def jit_step(c, t):
    return jax.jit(lambda p, s, ids: train_step(p, s, ids, c, t), donate_argnums=(0, 1))


def load_licences(folder="/usr/share/common-licenses"):
    """(train, validation) as bytes in uint8 arrays"""
    held_out = ("Apache-2.0", "Artistic", "CC0-1.0")
    files = {n: os.path.join(folder, n) for n in sorted(os.listdir(folder))}
    files = {n: p for n, p in files.items() if os.path.isfile(p) and not os.path.islink(p)}

    def join(names):
        return np.frombuffer(b"".join(open(files[n], "rb").read() for n in names), np.uint8)
    return join([n for n in files if n not in held_out]), join(held_out)


def validation_loss(p, c, text):
    """Mean nats of all bytes but the first half window: windows that overlap by half, the second halves count."""
    half = c.context // 2
    starts = np.arange(0, len(text) - c.context - 1, half)

    def nats(p, ids):
        out = jax.vmap(lambda row: logits(p, c, row))(ids[:, :-1])
        return (jax.nn.logsumexp(out, -1) - jnp.take_along_axis(out, ids[:, 1:, None], -1)[..., 0])[:, half:]
    nats, total, count = jax.jit(nats), 0.0, 0
    for i in range(0, len(starts), 32):
        ids = np.stack([text[s:s + c.context + 1] for s in starts[i:i + 32]]).astype(np.int32)
        total += float(nats(p, ids).sum())
        count += ids.shape[0] * half
    return total / count


def main():
    a = argparse.ArgumentParser()
    for name, value in {**Config()._asdict(), **Training()._asdict(), "batch": 16, "every": 200, "seed": 0}.items():
        a.add_argument(f"--{name}", type=type(value), default=value)
    a = a.parse_args()
    c = Config(*(getattr(a, f) for f in Config._fields))
    t = Training(*(getattr(a, f) for f in Training._fields))
    train, validation = load_licences()
    p = init(jax.random.key(a.seed), c)
    print(f"{sum(x.size for x in jax.tree.leaves(p))} parameters, {len(train)} bytes to train, {len(validation)} to check")
    s, step, rng = init_state(p), jit_step(c, t), np.random.default_rng(a.seed)
    start, losses = time.time(), []
    for i in range(t.steps):
        at = rng.integers(0, len(train) - c.context, a.batch)
        p, s, value = step(p, s, np.stack([train[k:k + c.context + 1] for k in at]).astype(np.int32))
        losses.append(float(value))
        if (i + 1) % a.every == 0 or i + 1 == t.steps:
            print(f"step {i + 1}: train {np.mean(losses):.4f}, validation {validation_loss(p, c, validation):.4f}, "
                  f"{1e3 * (time.time() - start) / (i + 1):.1f} ms a step", flush=True)
            losses = []


if __name__ == "__main__":
    main()
