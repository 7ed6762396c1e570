"""Writes tests/golden/random.json: what jax.random gives.

Needs JAX (CPU). Run: python tests/golden/make_random.py
Keys are raw pairs of uint32. Threefry in its partitionable form. Cases with "x64": true ran with 64-bit types enabled,
the others without; a dtype that JAX would have narrowed is only asked for with them.

Each case: {"call": "uniform", "x64": false, "params": {...}, "results": [{"dtype", "shape", "hex"}]}. params has "key"
(two numbers, [high, low]) except for call "key", which has "seed". hex is the little-endian bytes.
"normal" goes through erf_inv, so it is to be compared within a few ulp; the rest bit for bit.
"""

import json
import os

import jax

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_threefry_partitionable", True)

import jax.numpy as jnp
import numpy as np

SHAPES = [(), (1,), (0,), (5,), (2, 3), (3, 1, 4), (257,)]
KEYS = [(0, 0), (0, 42), (0x9E3779B9, 0x7F4A7C15), (0xFFFFFFFF, 0xFFFFFFFF)]


def encode(array):
    array = np.asarray(array)
    return {"dtype": array.dtype.name, "shape": list(array.shape), "hex": array.tobytes().hex()}


def raw(pair):
    return jax.random.wrap_key_data(jnp.array(pair, jnp.uint32), impl="threefry2x32")


def words(keys):
    return np.asarray(jax.random.key_data(keys))


class Table:
    def __init__(self):
        self.cases = []

    def add(self, call, params, *results):
        x64 = bool(jax.config.jax_enable_x64)
        self.cases.append({"call": call, "x64": x64, "params": params, "results": [encode(r) for r in results]})


def keys(table):
    seeds = [0, 1, 42, 2 ** 31 - 1, -1, -42, -(2 ** 31)]
    if jax.config.jax_enable_x64:
        seeds += [2 ** 31, 2 ** 32, 2 ** 32 + 7, 2 ** 40 + 3, 2 ** 63 - 1, -(2 ** 63), -(2 ** 33)]
    for seed in seeds:
        table.add("key", {"seed": seed}, words(jax.random.key(seed, impl="threefry2x32")))
    for pair in KEYS:
        for count in [1, 2, 3, 7]:
            table.add("split", {"key": pair, "shape": [count]}, words(jax.random.split(raw(pair), count)))
        table.add("split", {"key": pair, "shape": [2, 3]}, words(jax.random.split(raw(pair), (2, 3))))
        for data in [0, 1, 2, 1000, 2 ** 31 - 1, 2 ** 32 - 1]:
            table.add("fold_in", {"key": pair, "data": data}, words(jax.random.fold_in(raw(pair), np.uint32(data))))


def bits(table):
    # JAX has no 64-bit bits without 64-bit types.
    dtypes = [jnp.uint8, jnp.uint32] + ([jnp.uint64] if jax.config.jax_enable_x64 else [])
    for dtype in dtypes:
        for pair in KEYS[:3]:
            for shape in SHAPES:
                out = np.asarray(jax.random.bits(raw(pair), shape, dtype))
                # The dialect has no uint64: the same bits as int64.
                table.add("bits", {"key": pair, "shape": shape, "dtype": out.dtype.name},
                          out.view(np.int64) if out.dtype == np.uint64 else out)


def float_types():
    return [jnp.bfloat16, jnp.float32] + ([jnp.float64] if jax.config.jax_enable_x64 else [])


def floats(table):
    for dtype in float_types():
        name = jnp.dtype(dtype).name
        for pair in KEYS[:2]:
            for shape in SHAPES:
                table.add("uniform", {"key": pair, "shape": shape, "dtype": name, "minval": 0.0, "maxval": 1.0},
                          jax.random.uniform(raw(pair), shape, dtype))
                table.add("normal", {"key": pair, "shape": shape, "dtype": name}, jax.random.normal(raw(pair), shape, dtype))
            for low, high in [(-1.0, 1.0), (2.0, 5.0), (-0.5, 1000.0)]:
                table.add("uniform", {"key": pair, "shape": (33,), "dtype": name, "minval": low, "maxval": high},
                          jax.random.uniform(raw(pair), (33,), dtype, low, high))
    for pair in KEYS[:2]:
        for p in [0.5, 0.1, 0.0, 1.0]:
            table.add("bernoulli", {"key": pair, "shape": (33,), "p": p}, jax.random.bernoulli(raw(pair), p, (33,)))


def bound(value, dtype):
    """Python numbers above int32 need a type of their own."""
    return value if dtype in (jnp.int32, jnp.uint8) else np.dtype(dtype).type(value)


def integers(table):
    ranges = {
        jnp.int32: [(0, 10), (-5, 5), (0, 1), (0, 256), (-(2 ** 31), 2 ** 31 - 1), (0, 2 ** 31 - 1), (7, 7), (3, 1)],
        jnp.uint32: [(0, 10), (5, 1000), (0, 2 ** 32 - 1)],
        jnp.uint8: [(0, 10), (0, 255), (0, 256), (250, 255)],
    }
    if jax.config.jax_enable_x64:
        ranges[jnp.int64] = [(0, 10), (-5, 5), (-(2 ** 63), 2 ** 63 - 1), (0, 2 ** 40)]
    for dtype, bounds in ranges.items():
        for low, high in bounds:
            for pair in KEYS[:3]:
                for shape in [(), (0,), (9,), (2, 3)]:
                    table.add("randint", {"key": pair, "shape": shape, "dtype": jnp.dtype(dtype).name, "minval": low,
                                          "maxval": high},
                              jax.random.randint(raw(pair), shape, bound(low, dtype), bound(high, dtype), dtype))


def main():
    table = Table()
    for x64 in (False, True):
        jax.config.update("jax_enable_x64", x64)
        for make in (keys, bits, floats, integers):
            make(table)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "random.json")
    with open(path, "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in table.cases) + "\n]\n")
    print("random.json: %d cases, %d KiB" % (len(table.cases), os.path.getsize(path) // 1024))


if __name__ == "__main__":
    main()
