"""NumPy's rows."""
import numpy as np

VERSION = np.__version__


def chain(x):
    t = np.tanh(x) * np.float32(1.5)
    t = np.exp(t + np.float32(0.25)) * x
    t = np.maximum(t - np.float32(0.5), x) * np.float32(0.125)
    return 1 / (1 + np.exp(-t)) + x


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def norm(x):
    y = x - x.mean(-1, keepdims=True)
    return y / np.sqrt(np.square(y).mean(-1, keepdims=True) + np.float32(1e-5))


def unary(f):
    def make(rows, columns):
        x = np.random.default_rng(0).standard_normal((rows, columns), np.float32)
        return lambda: f(x)
    return make


def matmul(size):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((size, size), np.float32), rng.standard_normal((size, size), np.float32)
    return lambda: a @ b


ROWS = {"chain of 10": unary(chain), "softmax": unary(softmax), "layernorm": unary(norm), "matmul": matmul}
