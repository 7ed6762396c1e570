"""JAX's rows: each function takes the settings and returns the work, which runs to the end when called."""
import jax
import jax.numpy as jnp

import char_lm

VERSION = jax.__version__


def char_lm_setup(batch, **config):
    c, t = char_lm.Config(**config), char_lm.Training()
    p = char_lm.init(jax.random.key(0), c)
    ids = jax.random.randint(jax.random.key(1), (batch, c.context + 1), 0, c.vocab)
    return c, t, p, char_lm.init_state(p), ids


def char_lm_step(**settings):
    c, t, p, s, ids = char_lm_setup(**settings)
    step, state = char_lm.jit_step(c, t), [p, s]

    def work():
        state[0], state[1], loss = step(*state, ids)
        float(loss)
        jax.block_until_ready(state)
    return work


def char_lm_first_call(**settings):
    c, t, p, s, ids = char_lm_setup(**settings)

    def work():
        jax.clear_caches()
        float(jax.jit(lambda p, s, ids: char_lm.train_step(p, s, ids, c, t))(p, s, ids)[2])
    return work


def add(count):
    xs = [jnp.full(8, float(i)) for i in range(count)]

    def total(xs):
        y = xs[0] + 1.0
        for x in xs[1:]:
            y = y + x
        return y
    total = jax.jit(total)
    return lambda: total(xs).block_until_ready()


def chain(x):
    t = jnp.tanh(x) * 1.5
    t = jnp.exp(t + 0.25) * x
    t = jnp.maximum(t - 0.5, x) * 0.125
    return jax.nn.sigmoid(t) + x


def norm(x):
    return char_lm.apply_norm({"scale": jnp.ones(x.shape[-1]), "bias": jnp.zeros(x.shape[-1])}, x)


def unary(f):
    def make(rows, columns):
        x, g = jax.random.normal(jax.random.key(0), (rows, columns)), jax.jit(f)
        return lambda: g(x).block_until_ready()
    return make


def matmul(size):
    a, b = (jax.random.normal(k, (size, size)) for k in jax.random.split(jax.random.key(0)))
    f = jax.jit(jnp.matmul)
    return lambda: f(a, b).block_until_ready()


ROWS = {"char_lm step": char_lm_step, "char_lm trace": char_lm_first_call, "jit call": add,
        "chain of 10": unary(chain), "softmax": unary(lambda x: jax.nn.softmax(x, -1)), "layernorm": unary(norm),
        "matmul": matmul}
