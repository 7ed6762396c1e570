"""Cases of elementwise ops. Floats: NumPy and mpmath, since XLA flushes subnormal numbers and approximates functions.
Integers: JAX."""

import itertools
import math

import numpy as np
from jax import lax

import exact
from case_writer import (ALL, BF16, BOOL, F32, F64, FLOATS, INTEGERS, NUMBERS, S32, S64, U8, U32, Case, rng, tensor)

SHAPES = [(), (1,), (0,), (2, 3), (3, 1, 5), (2, 0, 3)]


def is_float(dtype):
    return dtype in FLOATS


def finfo(dtype):
    import ml_dtypes
    return ml_dtypes.finfo(dtype)


def edges(dtype):
    """Values at which something may go wrong."""
    if dtype == BOOL:
        return np.array([False, True])
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        values = {0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 100, info.max, info.max - 1, info.max // 2, info.max // 2 + 1}
        if info.min < 0:
            values |= {-1, -2, -3, -7, -32, -100, info.min, info.min + 1, info.min // 2}
        return np.array(sorted(v for v in values if info.min <= v <= info.max), dtype)
    info = finfo(dtype)
    tiny, least, top, eps = (float(v) for v in (info.tiny, info.smallest_subnormal, info.max, info.eps))
    positive = [0.0, least, 3 * least, tiny - least, tiny, 1e-5, 0.25, 0.5, 1 - eps / 2, 1.0, 1 + eps, 1.5, 2.0, 2.5, 3.0,
                math.pi / 2, math.pi, 10.0, 100.5, 1 / eps, 2 / eps, math.sqrt(top), top / 2, top, math.inf]
    return np.array(positive + [-v for v in positive] + [math.nan], np.float64).astype(dtype)


def few_edges(dtype):
    """A short list for pairs."""
    if not is_float(dtype):
        values = edges(dtype)
        return values if len(values) <= 14 else values[np.linspace(0, len(values) - 1, 14).round().astype(int)]
    info = finfo(dtype)
    positive = [0.0, float(info.smallest_subnormal), float(info.tiny), 0.5, 1.0, 3.0, float(info.max), math.inf]
    return np.array(positive + [-v for v in positive] + [math.nan], np.float64).astype(dtype)


def sample(dtype, shape, *key):
    """Ordinary values, and for integers some large ones."""
    g = rng(dtype.name, shape, *key)
    if dtype == BOOL:
        return g.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        small = g.integers(max(info.min, -20), 21, shape)
        large = g.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
        return np.where(g.integers(0, 3, shape) > 0, small.astype(dtype), large).astype(dtype).reshape(shape)
    return np.asarray(g.normal(size=shape) * 3, np.float64).astype(dtype)


def pairs(dtype, values=None):
    values = few_edges(dtype) if values is None else values
    grid = np.array(list(itertools.product(range(len(values)), repeat=2)))
    return values[grid[:, 0]], values[grid[:, 1]]


def elementwise(op, dtype, function, operand_lists, short=True):
    """One case: each tuple of operands is an instance. `function` maps arrays to an array."""
    case = Case(op, dtype)
    for operands in operand_lists:
        with np.errstate(all="ignore"):
            case.apply(operands, np.asarray(function(*operands)), short=short)
    return case


def each(function, dtype):
    """A function of elements, on arrays."""
    def on_arrays(*arrays):
        out = np.empty(arrays[0].shape, dtype)
        for index in np.ndindex(out.shape):
            out[index] = function(*(a[index] for a in arrays))
        return out
    return on_arrays


def unary_inputs(dtype, extra=(), shapes=SHAPES):
    first = np.concatenate([edges(dtype), np.asarray(extra, np.float64).astype(dtype)]) if is_float(dtype) else edges(dtype)
    return [(first,)] + [(sample(dtype, s, "unary"),) for s in shapes]


def binary_inputs(dtype, shapes=SHAPES):
    return [pairs(dtype)] + [(sample(dtype, s, "lhs"), sample(dtype, s, "rhs")) for s in shapes]


# --- Functions of real numbers ---


def interesting(name, dtype):
    """Arguments spread over where the function is neither constant nor undefined."""
    g = rng("function", name, dtype.name)
    wide = np.float64(finfo(dtype).max)
    if name in ("asin", "acos", "atanh", "erf_inv"):
        near_one = 1 - 2.0 ** -np.arange(2, 24)
        return np.concatenate([g.uniform(-1, 1, 40), near_one, -near_one[:8], 10.0 ** -g.uniform(1, 30, 10)])
    if name in ("log", "sqrt", "rsqrt", "cbrt"):
        return np.concatenate([2.0 ** g.uniform(-140, 120, 40), 1 + g.uniform(-0.01, 0.01, 30)])
    if name == "acosh":
        return np.concatenate([1 + 2.0 ** g.uniform(-20, 3, 40), 2.0 ** g.uniform(0, 120, 20)])
    if name == "log_plus_one":
        return np.concatenate([g.uniform(-1, 3, 40), g.normal(size=20) * 1e-4, 2.0 ** g.uniform(0, 120, 10)])
    if name in ("sine", "cosine", "tan"):
        multiples = np.pi / 2 * np.arange(1, 12)
        return np.concatenate([g.uniform(-10, 10, 40), multiples, g.uniform(-1e5, 1e5, 20), 2.0 ** g.uniform(20, 100, 12),
                               g.normal(size=10) * 1e-3])
    limit = math.log(wide)
    return np.concatenate([g.uniform(-10, 10, 40), g.normal(size=20) * 1e-2, g.uniform(-1.1, 1.1, 20) * limit,
                           [limit, -limit, limit * 0.9999, limit * 1.0001, -limit * 1.05, 88.7, -87.3, -103.0]])


def float_function_cases():
    cases = []
    for name in exact.UNARY:
        for dtype in FLOATS:
            f = each(lambda x: exact.unary(name, x, dtype), dtype)
            shapes = [(), (1,), (0,), (2, 3)]
            cases.append(elementwise("nacre." + name, dtype, f, unary_inputs(dtype, interesting(name, dtype), shapes)))
    for name, function in (("power", exact.power), ("atan2", exact.atan2)):
        for dtype in FLOATS:
            f = each(lambda x, y: function(x, y, dtype), dtype)
            g = rng(name, dtype.name)
            ordinary = (np.abs(g.normal(size=60) * 5).astype(dtype), (g.normal(size=60) * 8).astype(dtype))
            powers = (g.normal(size=20).astype(dtype), g.integers(-9, 10, 20).astype(dtype))
            cases.append(elementwise("nacre." + name, dtype, f, binary_inputs(dtype, SHAPES[:4]) + [ordinary, powers]))
    return cases


# --- Arithmetic ---


def through_f32(f):
    """bf16 computes in f32 and rounds once."""
    def g(*arrays):
        if arrays[0].dtype == BF16:
            return np.asarray(f(*(a.astype(np.float32) for a in arrays))).astype(BF16)
        return f(*arrays)
    return g


def larger(x, y):
    zero_first = np.where(np.signbit(x), y, x)
    return np.where(x == y, zero_first, np.maximum(x, y))


def smaller(x, y):
    zero_first = np.where(np.signbit(x), x, y)
    return np.where(x == y, zero_first, np.minimum(x, y))


def round_half_away(x):
    whole = np.trunc(x)
    away = np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(np.ones_like(x), x), whole)
    return np.where(np.isfinite(x), np.copysign(away, x), x)


FLOAT_UNARY = {
    "abs": np.abs,
    "negate": np.negative,
    "sign": lambda x: np.where((x == 0) | np.isnan(x), x, np.copysign(np.ones_like(x), x)),
    "floor": np.floor,
    "ceil": np.ceil,
    "round_nearest_even": np.rint,
    "round_nearest_afz": round_half_away,
}
FLOAT_BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "remainder": np.fmod,
    "maximum": larger, "minimum": smaller,
}
INTEGER_UNARY = {
    "abs": lax.abs, "negate": lax.neg, "sign": lax.sign, "not": lax.bitwise_not, "popcnt": lax.population_count,
    "count_leading_zeros": lax.clz,
}
INTEGER_BINARY = {
    "add": lax.add, "subtract": lax.sub, "multiply": lax.mul, "divide": lax.div, "remainder": lax.rem,
    "maximum": lax.max, "minimum": lax.min, "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor,
    "shift_left": lax.shift_left, "shift_right_arithmetic": lax.shift_right_arithmetic,
    "shift_right_logical": lax.shift_right_logical,
}


def integer_power(x, y):
    """By repeated squaring in Python's integers, modulo 2^n."""
    def one(a, b):
        a, b = int(a), int(b)
        if b < 0:
            return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)
        bits = 8 * x.dtype.itemsize
        value = pow(a, b, 1 << bits)
        return value - (1 << bits) if x.dtype.kind == "i" and value >> (bits - 1) else value
    return each(one, x.dtype)(x, y)


def arithmetic_cases():
    cases = []
    for dtype in FLOATS:
        halves = np.concatenate([np.arange(-6, 7) / 2, [0.49999997, -0.49999997, 2.0 ** 22 + 0.5, 2.0 ** 51 + 0.5]])
        for name, f in FLOAT_UNARY.items():
            cases.append(elementwise("nacre." + name, dtype, through_f32(f), unary_inputs(dtype, halves)))
        for name, f in FLOAT_BINARY.items():
            cases.append(elementwise("nacre." + name, dtype, through_f32(f), binary_inputs(dtype)))
        cases.append(clamp_case(dtype, through_f32(lambda lo, x, hi: smaller(larger(x, lo), hi))))
    for dtype in INTEGERS:
        for name, f in INTEGER_UNARY.items():
            if name == "abs" and dtype in (U8, U32):
                f = np.array  # JAX refuses it; the value itself
            cases.append(elementwise("nacre." + name, dtype, f, unary_inputs(dtype)))
        for name, f in INTEGER_BINARY.items():
            cases.append(elementwise("nacre." + name, dtype, f, binary_inputs(dtype)))
        cases.append(elementwise("nacre.power", dtype, integer_power, binary_inputs(dtype)))
        cases.append(clamp_case(dtype, lax.clamp))
    for name, f in {"add": np.logical_or, "multiply": np.logical_and, "maximum": np.logical_or,
                    "minimum": np.logical_and, "and": lax.bitwise_and, "or": lax.bitwise_or,
                    "xor": lax.bitwise_xor}.items():
        cases.append(elementwise("nacre." + name, BOOL, f, binary_inputs(BOOL)))
    cases.append(elementwise("nacre.not", BOOL, lax.bitwise_not, unary_inputs(BOOL)))
    return cases


def clamp_case(dtype, f):
    x, lo = pairs(dtype)
    instances = [(lo, x, np.roll(lo, 3))]
    instances += [tuple(sample(dtype, s, k) for k in ("least", "x", "most")) for s in SHAPES]
    return elementwise("nacre.clamp", dtype, f, instances)


# --- Comparison, choice, identities ---

COMPARISONS = {"EQ": np.equal, "NE": np.not_equal, "GE": np.greater_equal, "GT": np.greater, "LE": np.less_equal,
               "LT": np.less}


def comparison_cases():
    cases = []
    for dtype in ALL:
        case = Case("nacre.compare", dtype)
        x, y = pairs(dtype)
        for a, b in [(x, y)] + [(sample(dtype, s, "lhs"), sample(dtype, s, "rhs")) for s in SHAPES[:4]]:
            a_name, b_name = case.arg(a), case.arg(b)
            for direction, f in COMPARISONS.items():
                with np.errstate(all="ignore"):
                    holds = np.asarray(f(a, b))
                case.emit("nacre.compare %s %s, %s : (%s, %s) -> %s" % (
                    direction, a_name, b_name, tensor(a.shape, dtype), tensor(a.shape, dtype), tensor(a.shape, BOOL)),
                    [holds])
        cases.append(case)
        select = Case("nacre.select", dtype)
        x, y = pairs(dtype)
        for a, b in [(x, y)] + [(sample(dtype, s, "true"), sample(dtype, s, "false")) for s in SHAPES]:
            p = sample(BOOL, a.shape, "pred")
            # Indexing the bytes keeps NaN payloads and signed zeros.
            select.apply([p, a, b], np.where(p, a, b), short=False)
        cases.append(select)
        stop = Case("nacre.stop_gradient", dtype)
        for s in SHAPES[:4]:
            x = sample(dtype, s, "stop")
            stop.apply([x], x)
        cases.append(stop)
    for dtype in FLOATS:
        case = Case("nacre.is_finite", dtype)
        for (x,) in unary_inputs(dtype):
            case.apply([x], np.isfinite(x.astype(np.float64)), short=False)
        cases.append(case)
    return cases


# --- Types ---


def to_integer(x, dtype):
    info = np.iinfo(dtype)
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return info.max if x > 0 else info.min
    return min(max(int(x), info.min), info.max)


def converted(x, to):
    """Rounded once to nearest even, saturating, NaN to 0, x != 0 for bool; integers modulo 2^n."""
    if to == BOOL:
        return np.asarray(x != 0)
    out = np.empty(x.shape, to)
    for i in np.ndindex(x.shape):
        v = x[i]
        if is_float(to):
            if is_float(x.dtype):
                wide = float(v)
                out[i] = to.type(wide) if wide == 0 or not math.isfinite(wide) else to.type(exact.round_to(wide, to))
            else:
                out[i] = to.type(exact.round_to(int(v), to))
        elif is_float(x.dtype):
            out[i] = to_integer(float(v), to)
        else:
            bits = 8 * to.itemsize
            low = int(v) & ((1 << bits) - 1)
            out[i] = low - (1 << bits) if to.kind == "i" and low >> (bits - 1) else low
    return out


def conversion_values(dtype):
    values = edges(dtype)
    if is_float(dtype):
        near = [0.1, 0.9, -0.9, 1.99, 254.5, 255.0, 255.5, 256.0, -0.5, -1.0, 2.0 ** 31 - 128, 2.0 ** 31 - 1, 2.0 ** 31,
                2.0 ** 32 - 256, 2.0 ** 32, 2.0 ** 63, -2.0 ** 31, -2.0 ** 31 - 1, -2.0 ** 63, 1e20, -1e20,
                1 + 2.0 ** -8, 1 + 3 * 2.0 ** -8, 1 + 2.0 ** -24, 1 + 2.0 ** -8 + 2.0 ** -30, 1 + 2.0 ** -24 + 2.0 ** -50,
                3.3895314e38, 3.4e38, 3.4028235677973366e38, 3.4028235677973362e38, 9.2e-41, 4.6e-41, 1e-45, 7e-46]
        with np.errstate(all="ignore"):
            values = np.concatenate([values, np.array(near).astype(dtype)])
    elif dtype in (S32, S64, U32):
        odd = [257, 258, 259, 65537, 2 ** 24 + 1, 2 ** 24 + 3, 2 ** 53 + 1, 2 ** 53 + 3, 2 ** 32 + 1, 2 ** 40 + 2 ** 32 + 1,
               2 ** 62 + 2 ** 54 + 1, 2 ** 62 + 2 ** 38 + 1, -(2 ** 24) - 1]
        info = np.iinfo(dtype)
        values = np.concatenate([values, np.array([v for v in odd if info.min <= v <= info.max], dtype)])
    return values


def conversion_cases():
    cases = []
    for source in ALL:
        for to in ALL:
            if source == to:
                continue
            case = Case("nacre.convert", source, "to " + to.name)
            for x in [conversion_values(source)] + [sample(source, s, "convert") for s in SHAPES]:
                case.apply([x], converted(x, to), short=False)
            cases.append(case)
    for source in NUMBERS:
        for to in NUMBERS:
            case = Case("nacre.bitcast_convert", source, "to " + to.name)
            for shape in [(), (5,), (0,), (2, 3)]:
                factor = to.itemsize // source.itemsize
                full = shape + (factor,) if factor > 1 else shape
                # Any bits: integers of the width, seen as the type. NaN payloads would be compared as NaN only.
                x = sample(S64, full, "bits").astype(np.uint64).astype("u%d" % source.itemsize).view(source)
                y = np.ascontiguousarray(x).reshape(-1).view(to)
                ratio = source.itemsize // to.itemsize
                case.apply([x], y.reshape(shape + (ratio,) if ratio > 1 else shape), short=False)
            cases.append(case)
    return cases


def families():
    return {
        "float_functions": float_function_cases,
        "arithmetic": arithmetic_cases,
        "comparisons": comparison_cases,
        "conversions": conversion_cases,
    }
