"""PyTorch's rows, eager: what a user gets without compiling."""
import torch

torch.set_num_threads(2)
torch.set_grad_enabled(False)
VERSION = torch.__version__.split("+")[0]


def chain(x):
    t = torch.tanh(x) * 1.5
    t = torch.exp(t + 0.25) * x
    t = torch.maximum(t - 0.5, x) * 0.125
    return torch.sigmoid(t) + x


def unary(f):
    def make(rows, columns):
        x = torch.randn(rows, columns)
        return lambda: f(x)
    return make


def matmul(size):
    a, b = torch.randn(size, size), torch.randn(size, size)
    return lambda: a @ b


ROWS = {"chain of 10": unary(chain), "softmax": unary(lambda x: torch.softmax(x, -1)),
        "layernorm": unary(lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:])), "matmul": matmul}
