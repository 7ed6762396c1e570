"""Cases of ops that move, index, combine and contract elements; JAX computes what is expected, but sums and products of
floats are exact and rounded once. Floats that only move are ordinary values and a NaN."""

import math
from fractions import Fraction

import jax.numpy as jnp
import mpmath
import numpy as np
from jax import lax
from jax.extend.random import threefry2x32_p

import exact
from case_writer import (ALL, BF16, BOOL, F32, F64, FLOATS, INTEGERS, NUMBERS, S32, S64, U8, U32, Case, array_attr,
                         dims, rng, tensor, type_of)
from elementwise_cases import edges, is_float, larger, sample, smaller


def typed(x, dtype):
    return np.asarray(x).astype(dtype)


def moved(dtype, shape, key):
    """Values to move: all different bits matter, so they are not small integers."""
    return sample(dtype, shape, "moved", key)


# --- Creation and moves ---


def literal(x):
    """An elements attribute of these values, bit for bit."""
    if x.dtype == BOOL:
        return "dense<%s>" % str(x.tolist()).lower() if x.size else "dense<>"
    if x.size == 0:
        return "dense<>"
    return 'dense<"0x%s">' % np.ascontiguousarray(x).tobytes().hex().upper()


def creation_cases():
    cases = []
    for dtype in ALL:
        case = Case("nacre.constant", dtype)
        for x in [edges(dtype)] + [moved(dtype, s, "constant") for s in [(), (1,), (2, 3), (0,), (2, 0)]]:
            case.emit("nacre.constant %s : %s" % (literal(x), type_of(x)), [x])
        splat = np.full((2, 3), typed(1, dtype))
        text = "true" if dtype == BOOL else "1.0" if is_float(dtype) else "1"
        case.emit("nacre.constant dense<%s> : %s" % (text, type_of(splat)), [splat])
        cases.append(case)
    for dtype in NUMBERS:
        case = Case("nacre.iota", dtype)
        for shape, dim in [((5,), 0), ((2, 3), 0), ((2, 3), 1), ((1, 4), 0), ((0,), 0), ((3, 0), 0), ((300,), 0)]:
            case.emit("nacre.iota dim = %d : %s" % (dim, tensor(shape, dtype)),
                      [np.asarray(lax.broadcasted_iota(dtype, shape, dim))])
        cases.append(case)
    return cases


def move(op, dtype, instances):
    """instances: (operands, attribute text, result)."""
    case = Case(op, dtype)
    for operands, attributes, result in instances:
        result = np.asarray(result)
        assert result.dtype == operands[0].dtype
        case.apply(operands, result, attributes, short=False)
    return case


def move_cases():
    cases = []
    for dtype in ALL:
        of = lambda shape, key: moved(dtype, shape, key)

        instances = []
        for shape, to, at in [((), (3,), []), ((), (), []), ((3,), (2, 3), [1]), ((3,), (3, 2), [0]), ((1,), (4,), [0]),
                              ((2, 1), (2, 5), [0, 1]), ((2, 1), (3, 2, 4), [1, 2]), ((1, 3), (2, 3), [0, 1]),
                              ((3,), (0, 3), [1]), ((0,), (2, 0), [1]), ((1,), (0,), [0])]:
            x = of(shape, "broadcast")
            instances.append(([x], ", dims = %s" % dims(at), lax.broadcast_in_dim(x, to, at)))
        cases.append(move("nacre.broadcast_in_dim", dtype, instances))

        instances = []
        for shape, to in [((6,), (2, 3)), ((2, 3), (6,)), ((2, 3), (3, 2)), ((1,), ()), ((), (1, 1)), ((2, 3, 4), (4, 6)),
                          ((0, 3), (0,)), ((2, 0), (5, 0, 1))]:
            x = of(shape, "reshape")
            instances.append(([x], "", lax.reshape(x, to)))
        cases.append(move("nacre.reshape", dtype, instances))

        instances = []
        for shape, p in [((2, 3), [1, 0]), ((2, 3, 4), [2, 0, 1]), ((2, 3, 4), [0, 2, 1]), ((5,), [0]), ((), []),
                         ((1, 4), [1, 0]), ((0, 3), [1, 0]), ((9, 17), [1, 0]), ((17, 18), [1, 0]),
                         ((2, 1, 3, 2), [3, 1, 0, 2])]:
            x = of(shape, "transpose")
            instances.append(([x], ", dims = %s" % dims(p), lax.transpose(x, p)))
        cases.append(move("nacre.transpose", dtype, instances))

        instances = []
        for shape, d in [((5,), [0]), ((2, 3), [0]), ((2, 3), [1]), ((2, 3), [0, 1]), ((2, 3), []), ((0, 2), [0, 1]),
                         ((1, 3), [0]), ((2, 3, 4), [2, 0])]:
            x = of(shape, "reverse")
            instances.append(([x], ", dims = %s" % dims(d), lax.rev(x, d)))
        cases.append(move("nacre.reverse", dtype, instances))

        instances = []
        for shape, start, limit, stride in [((8,), [2], [6], [1]), ((8,), [1], [8], [3]), ((4, 5), [1, 0], [3, 5], [1, 2]),
                                            ((4,), [2], [2], [1]), ((), [], [], []), ((0, 3), [0, 1], [0, 3], [1, 1]),
                                            ((1,), [0], [1], [5]), ((2, 3, 4), [0, 1, 1], [2, 3, 4], [1, 1, 2])]:
            x = of(shape, "slice")
            text = ", start = %s, limit = %s, strides = %s" % (dims(start), dims(limit), dims(stride))
            instances.append(([x], text, lax.slice(x, start, limit, stride)))
        cases.append(move("nacre.slice", dtype, instances))

        instances = []
        for shape, config in [((3,), [(1, 2, 0)]), ((3,), [(0, 0, 2)]), ((5,), [(-1, -2, 0)]), ((4,), [(-1, 1, 1)]),
                              ((2, 3), [(1, 0, 0), (0, 1, 1)]), ((2, 3), [(0, 0, 0), (-1, 2, 1)]), ((), []),
                              ((0,), [(2, 1, 0)]), ((1, 2), [(0, 0, 5), (1, 1, 0)]), ((3,), [(-2, -1, 0)])]:
            x, value = of(shape, "pad"), of((), "padding")
            low, high, interior = (dims(c[i] for c in config) for i in range(3))
            text = ", low = %s, high = %s, interior = %s" % (low, high, interior)
            instances.append(([x, value], text, lax.pad(x, value, config)))
        cases.append(move("nacre.pad", dtype, instances))

        instances = []
        for shapes, dim in [([(2,), (3,)], 0), ([(2, 3), (2, 1), (2, 2)], 1), ([(1, 2), (3, 2)], 0), ([(4,)], 0),
                            ([(0,), (2,)], 0), ([(2, 0), (2, 0)], 1), ([(2, 1, 3), (2, 4, 3)], 1)]:
            xs = [moved(dtype, s, ("concatenate", i)) for i, s in enumerate(shapes)]
            instances.append((xs, dim, lax.concatenate(xs, dim)))
        case = Case("nacre.concatenate", dtype)
        for xs, dim, result in instances:
            case.emit("nacre.concatenate (%s), dim = %d : (%s) -> %s" % (
                ", ".join(case.arg(x) for x in xs), dim, ", ".join(type_of(x) for x in xs), type_of(result)),
                [np.asarray(result)])
        cases.append(case)

        barrier = Case("nacre.optimization_barrier", dtype)
        x, y = of((2, 3), "barrier"), of((), "barrier")
        barrier.emit("nacre.optimization_barrier %s, %s : (%s, %s) -> (%s, %s)" % (
            barrier.arg(x), barrier.arg(y), type_of(x), type_of(y), type_of(x), type_of(y)), [x, y])
        cases.append(barrier)
    return cases


# --- Indexing by data ---


def index_of(values, index_dtype):
    return np.asarray(values, np.int64).astype(index_dtype)


def dynamic_slice_case(dtype, index_dtype):
    case = Case("nacre.dynamic_slice", dtype, "start indices " + index_dtype.name)
    for shape, start, sizes in [((8,), [3], [2]), ((8,), [7], [4]), ((8,), [-3 % 256 if index_dtype == U8 else 100], [4]),
                                ((4, 5), [1, 3], [2, 2]), ((4, 5), [9, 1], [4, 3]), ((), [], []), ((3,), [1], [0]),
                                ((2, 3, 4), [0, 1, 2], [1, 2, 2])] + (
                                    [((8,), [-3], [4]), ((4, 5), [-1, -9], [2, 2])] if index_dtype.kind == "i" else []):
        x = moved(dtype, shape, "dynamic_slice")
        starts = [index_of(s, index_dtype) for s in start]
        # JAX would read -1 as "from the end"; the op clamps, so the clamped start is passed.
        clamped = [min(max(int(s), 0), d - n) for s, d, n in zip(start, shape, sizes)]
        result = lax.slice(x, clamped, [c + n for c, n in zip(clamped, sizes)])
        names = [case.arg(o) for o in [x] + starts]
        case.emit("nacre.dynamic_slice %s at (%s), sizes = %s : (%s) -> %s" % (
            names[0], ", ".join(names[1:]), dims(sizes), ", ".join(type_of(o) for o in [x] + starts),
            tensor(sizes, dtype)), [np.asarray(result)])
    return case


def dynamic_update_slice_case(dtype, index_dtype):
    case = Case("nacre.dynamic_update_slice", dtype, "start indices " + index_dtype.name)
    for shape, start, sizes in [((8,), [3], [2]), ((8,), [7], [4]), ((4, 5), [1, 3], [2, 2]), ((4, 5), [9, 1], [4, 3]),
                                ((), [], []), ((3,), [1], [0]), ((2, 3, 4), [0, 1, 2], [1, 2, 2])] + (
                                    [((8,), [-3], [4]), ((4, 5), [-1, -9], [2, 2])] if index_dtype.kind == "i" else []):
        x, update = moved(dtype, shape, "operand"), moved(dtype, sizes, "update")
        update = np.asarray(update).reshape(sizes)
        starts = [index_of(s, index_dtype) for s in start]
        clamped = [min(max(int(s), 0), d - n) for s, d, n in zip(start, shape, sizes)]
        result = np.array(lax.dynamic_update_slice(x, update, [np.int32(c) for c in clamped]) if shape else update)
        names = [case.arg(o) for o in [x, update] + starts]
        case.emit("nacre.dynamic_update_slice %s, %s at (%s) : (%s) -> %s" % (
            names[0], names[1], ", ".join(names[2:]), ", ".join(type_of(o) for o in [x, update] + starts),
            type_of(result)), [result])
    return case


# operand shape, index values, then the dimension numbers of StableHLO's gather and the slice sizes.
GATHERS = [
    # Rows by number.
    dict(shape=(5, 3), indices=[[0], [4], [2], [9], [2]], offset=[1], collapsed=[0], start_map=[0], vector=1, sizes=[1, 3]),
    # The same without an explicit dimension of index vectors.
    dict(shape=(5, 3), indices=[[1, 3], [0, 7]], offset=[2], collapsed=[0], start_map=[0], vector=2, sizes=[1, 3]),
    # Single elements by pairs, in swapped order.
    dict(shape=(4, 5), indices=[[0, 1], [4, 3], [9, 9]], offset=[], collapsed=[0, 1], start_map=[1, 0], vector=1,
         sizes=[1, 1]),
    # Windows that must be moved to fit.
    dict(shape=(4, 6), indices=[[0, 0], [3, 5], [2, 1]], offset=[1, 2], collapsed=[], start_map=[0, 1], vector=1,
         sizes=[2, 3]),
    # The index vector runs along dimension 0, the window comes first in the result.
    dict(shape=(4, 6), indices=[[0, 1, 3], [2, 9, 0]], offset=[0], collapsed=[1], start_map=[0, 1], vector=0, sizes=[3, 1]),
    # Batching dimensions: a row each.
    dict(shape=(3, 4), indices=[[[1], [0]], [[3], [5]], [[2], [2]]], offset=[], collapsed=[1], start_map=[1], vector=2,
         sizes=[1, 1], operand_batching=[0], indices_batching=[0]),
    dict(shape=(2, 5, 3, 2), indices=[[[0], [4]], [[1], [2]], [[3], [3]]], offset=[1, 3], collapsed=[], start_map=[1],
         vector=2, sizes=[1, 2, 1, 2], operand_batching=[0, 2], indices_batching=[1, 0]),
    # A scalar index, no indices at all, an empty window.
    dict(shape=(5,), indices=3, offset=[], collapsed=[0], start_map=[0], vector=0, sizes=[1]),
    dict(shape=(5, 2), indices=np.zeros((0, 1)), offset=[1], collapsed=[0], start_map=[0], vector=1, sizes=[1, 2]),
    dict(shape=(5, 2), indices=[[1], [2]], offset=[1, 2], collapsed=[], start_map=[0], vector=1, sizes=[2, 0]),
]


def negated(indices, dtype, offset=1):
    """Signed indices: some are below zero, by `offset` at least."""
    indices = np.asarray(indices)
    if dtype.kind != "i" or indices.size < 2:
        return indices
    flat = indices.copy().reshape(-1)
    flat[1::3] = -flat[1::3] - offset
    return flat.reshape(indices.shape)


def gather_case(dtype, index_dtype):
    case = Case("nacre.gather", dtype, "indices " + index_dtype.name)
    for g in GATHERS:
        for values in [g["indices"]] + ([negated(g["indices"], index_dtype)] if index_dtype.kind == "i" else []):
            x = moved(dtype, g["shape"], "gather")
            indices = index_of(values, index_dtype)
            operand_batching, indices_batching = g.get("operand_batching", []), g.get("indices_batching", [])
            # JAX keeps the index vectors in the last dimension.
            last = indices
            if g["vector"] == indices.ndim:
                last = indices[..., None]
            elif g["vector"] != indices.ndim - 1:
                last = np.moveaxis(indices, g["vector"], -1)
            numbers = lax.GatherDimensionNumbers(
                offset_dims=tuple(g["offset"]), collapsed_slice_dims=tuple(g["collapsed"]),
                start_index_map=tuple(g["start_map"]), operand_batching_dims=tuple(operand_batching),
                start_indices_batching_dims=tuple(indices_batching))
            result = np.asarray(lax.gather(x, last, numbers, tuple(g["sizes"]), mode="clip"))
            attributes = (" {offset_dims = %s, collapsed_slice_dims = %s, operand_batching_dims = %s, "
                          "start_indices_batching_dims = %s, start_index_map = %s, index_vector_dim = %d : i64, "
                          "slice_sizes = %s}") % (
                              array_attr(g["offset"]), array_attr(g["collapsed"]), array_attr(operand_batching),
                              array_attr(indices_batching), array_attr(g["start_map"]), g["vector"],
                              array_attr(g["sizes"]))
            case.apply([x, indices], result, attributes, short=False)
    return case


# operand shape, index values, shape of the updates, dimension numbers of StableHLO's scatter. Windows are wholly inside
# or wholly outside: systems differ about the others.
SCATTERS = [
    dict(shape=(5, 3), indices=[[0], [4], [9]], updates=(3, 3), window=[1], inserted=[0], to=[0], vector=1),
    dict(shape=(5, 3), indices=[[1, 3], [0, 7]], updates=(2, 2, 3), window=[2], inserted=[0], to=[0], vector=2),
    dict(shape=(4, 5), indices=[[0, 1], [4, 3], [9, 9]], updates=(3,), window=[], inserted=[0, 1], to=[1, 0], vector=1),
    dict(shape=(4, 6), indices=[[0, 0], [2, 3], [9, 9]], updates=(3, 2, 3), window=[1, 2], inserted=[], to=[0, 1],
         vector=1),
    dict(shape=(4, 6), indices=[[0, 1, 0], [2, 9, 0]], updates=(3, 3), window=[0], inserted=[1], to=[0, 1], vector=0),
    dict(shape=(3, 4), indices=[[[1], [0]], [[3], [5]], [[2], [0]]], updates=(3, 2), window=[], inserted=[1], to=[1],
         vector=2, operand_batching=[0], indices_batching=[0]),
    dict(shape=(5,), indices=3, updates=(), window=[], inserted=[0], to=[0], vector=0),
    dict(shape=(5, 2), indices=np.zeros((0, 1)), updates=(0, 2), window=[1], inserted=[0], to=[0], vector=1),
]
# Equal positions: updates are applied in the order of the indices.
REPEATED = [
    dict(shape=(4,), indices=[[1], [1], [3], [1], [3]], updates=(5,), window=[], inserted=[0], to=[0], vector=1),
    dict(shape=(4, 2), indices=[[1], [1], [0]], updates=(3, 2), window=[1], inserted=[0], to=[0], vector=1),
]


def scatter_case(kind, dtype, index_dtype):
    case = Case("nacre.scatter", dtype, "%s, indices %s" % (kind, index_dtype.name))
    f = {"set": lax.scatter, "add": lax.scatter_add}[kind]
    for s in SCATTERS + REPEATED:
        for values in [s["indices"]] + ([negated(s["indices"], index_dtype, 9)] if index_dtype.kind == "i" else []):
            values = np.asarray(values)
            x, updates = moved(dtype, s["shape"], "operand"), moved(dtype, s["updates"], "updates")
            if is_float(dtype):  # sums of small integers are exact in any order
                x, updates = typed(np.round(typed(x, F64)), dtype), typed(np.round(typed(updates, F64)), dtype)
            indices = index_of(values, index_dtype)
            operand_batching, indices_batching = s.get("operand_batching", []), s.get("indices_batching", [])
            last = indices
            if s["vector"] == indices.ndim:
                last = indices[..., None]
            elif s["vector"] != indices.ndim - 1:
                last = np.moveaxis(indices, s["vector"], -1)
            numbers = lax.ScatterDimensionNumbers(
                update_window_dims=tuple(s["window"]), inserted_window_dims=tuple(s["inserted"]),
                scatter_dims_to_operand_dims=tuple(s["to"]), operand_batching_dims=tuple(operand_batching),
                scatter_indices_batching_dims=tuple(indices_batching))
            if dtype == BOOL and kind == "add":  # JAX does not add truth values: or
                result = np.asarray(f(typed(x, S32), last, typed(updates, S32), numbers, mode="drop")) != 0
            else:
                result = np.asarray(f(x, last, updates, numbers, mode="drop"))
            attributes = (" {update_window_dims = %s, inserted_window_dims = %s, input_batching_dims = %s, "
                          "scatter_indices_batching_dims = %s, scatter_dims_to_operand_dims = %s, "
                          "index_vector_dim = %d : i64}") % (
                              array_attr(s["window"]), array_attr(s["inserted"]), array_attr(operand_batching),
                              array_attr(indices_batching), array_attr(s["to"]), s["vector"])
            operands = [x, indices, updates]
            names = ", ".join(case.arg(o) for o in operands)
            case.emit("nacre.scatter %s %s%s : (%s) -> %s" % (
                kind, names, attributes, ", ".join(type_of(o) for o in operands), type_of(result)), [result])
    return case


def indexing_cases():
    cases = []
    for dtype in ALL:
        cases += [dynamic_slice_case(dtype, S32), dynamic_update_slice_case(dtype, S32), gather_case(dtype, S32),
                  scatter_case("set", dtype, S32), scatter_case("add", dtype, S32)]
    for index_dtype in (S64, U8, U32):
        cases += [dynamic_slice_case(F32, index_dtype), dynamic_update_slice_case(F32, index_dtype),
                  gather_case(F32, index_dtype), scatter_case("set", F32, index_dtype),
                  scatter_case("add", F32, index_dtype)]
    return cases


# --- Reductions ---

REDUCED = [((7,), [0]), ((3, 4), [0]), ((3, 4), [1]), ((3, 4), [0, 1]), ((3, 4), []), ((1, 5), [0]), ((), []), ((0,), [0]),
           ((3, 0), [1]), ((0, 3), [1]), ((2, 3, 4), [0, 2]), ((2, 3, 4), [1]), ((5, 33), [1]), ((40, 3), [0])]


def exact_sum(values):
    if not all(math.isfinite(v) for v in values):
        return sum(values), math.inf
    return sum((Fraction(v) for v in values), Fraction(0)), sum(abs(v) for v in values)


def exact_product(values):
    if not all(math.isfinite(v) for v in values):
        product = 1.0
        for v in values:
            product *= v
        return product, math.inf
    product = Fraction(1)
    for v in values:
        product *= Fraction(v)
    return product, abs(float(product)) * max(len(values), 1)


def rounded(value, dtype):
    if isinstance(value, Fraction):
        value = mpmath.mpf(value.numerator) / value.denominator
    return exact.in_type(value, dtype)


def along(f, x, axes, dtype):
    """f takes a list of floats; returns the value and a magnitude for the error bound."""
    keep = [d for d in range(x.ndim) if d not in axes]
    shape = tuple(x.shape[d] for d in keep)
    columns = np.transpose(x, keep + list(axes)).reshape(shape + (-1,)) if x.size else np.zeros(shape + (0,), dtype)
    result, scale = np.empty(shape, dtype), np.empty(shape)
    for i in np.ndindex(shape):
        value, scale[i] = f([float(v) for v in columns[i]])
        result[i] = rounded(value, dtype)
    return result, scale


def extreme(f, x, axes):
    keep = [d for d in range(x.ndim) if d not in axes]
    start = -math.inf if f is larger else math.inf
    result = np.full(tuple(x.shape[d] for d in keep), start, x.dtype)
    if x.size:
        columns = np.transpose(x, list(axes) + keep).reshape((-1,) + result.shape)
        for row in columns:
            result = np.asarray(f(result, row)).astype(x.dtype)
    return result


INTEGER_REDUCTIONS = {"add": lax.add, "mul": lax.mul, "min": lax.min, "max": lax.max, "and": lax.bitwise_and,
                      "or": lax.bitwise_or, "xor": lax.bitwise_xor}


def integer_identity(kind, dtype):
    if dtype == BOOL:
        return np.bool_(kind in ("mul", "min", "and"))
    info = np.iinfo(dtype)
    value = {"add": 0, "mul": 1, "min": info.max, "max": info.min, "and": -1, "or": 0, "xor": 0}[kind]
    return np.array(value).astype(dtype)[()]


def reduce_case(kind, dtype):
    case = Case("nacre.reduce", dtype, kind)
    for number, (shape, axes) in enumerate(REDUCED):
        x = sample(dtype, shape, "reduce", kind)
        scale = None
        if is_float(dtype):
            if kind == "mul":
                x = typed(np.exp(typed(x, F64) / 6), dtype)
            if number == 0:
                x[2] = np.nan
            if kind in ("min", "max") and number in (1, 2):
                x = typed([[0.0, -0.0, 0.0, np.inf], [-0.0, 0.0, -0.0, -np.inf], [0.0, -0.0, np.nan, 1.0]], dtype)
            with np.errstate(all="ignore"):
                if kind in ("min", "max"):
                    result = extreme(larger if kind == "max" else smaller, x, axes)
                else:
                    result, scale = along(exact_sum if kind == "add" else exact_product, x, axes, dtype)
        else:
            if kind in ("min", "max") and x.size > 2 and dtype != BOOL:
                x.reshape(-1)[1] = np.iinfo(dtype).min
                x.reshape(-1)[2] = np.iinfo(dtype).max
            # For bool JAX's sum and product are not defined on the type: or and and.
            f = INTEGER_REDUCTIONS[{"add": "or", "mul": "and"}.get(kind, kind) if dtype == BOOL else kind]
            result = np.asarray(lax.reduce(x, integer_identity(kind, dtype), f, tuple(axes)))
        name = case.arg(x)
        case.emit("nacre.reduce %s (%s), dims = %s : (%s) -> %s" % (kind, name, dims(axes), type_of(x), type_of(result)),
                  [result], [scale])
    # Two operands at once.
    if kind == "max" and not is_float(dtype):
        x, y = sample(dtype, (2, 3), "first"), sample(dtype, (2, 3), "second")
        results = [np.asarray(np.max(v, axis=1)) for v in (x, y)]
        case.emit("nacre.reduce max (%s, %s), dims = [1] : (%s, %s) -> (%s, %s)" % (
            case.arg(x), case.arg(y), type_of(x), type_of(y), type_of(results[0]), type_of(results[1])), results)
    return case


def arg_reduce_case(kind, dtype, index_dtype):
    case = Case("nacre.arg_reduce", dtype, "%s, result %s" % (kind, index_dtype.name))
    f = {"min": lax.argmin, "max": lax.argmax}[kind]
    for shape, dim in [((6,), 0), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), 1), ((1, 5), 0), ((0, 3), 1), ((2, 40), 1)]:
        variants = [sample(dtype, shape, "arg")]
        ties = rng("ties", shape).integers(0, 3, shape)
        variants.append(typed(ties, dtype))
        if is_float(dtype) and variants[0].size:
            with_nan = variants[0].copy()
            with_nan.reshape(-1)[1::3] = np.nan
            variants.append(with_nan)
            variants.append(np.where(ties > 0, typed(0.0, dtype), typed(-0.0, dtype)))
            variants.append(np.where(ties > 0, typed(np.inf, dtype), typed(-np.inf, dtype)))
        for x in variants:
            result = np.asarray(f(x, dim, index_dtype))
            case.emit("nacre.arg_reduce %s %s, dim = %d : (%s) -> %s" % (
                kind, case.arg(x), dim, type_of(x), type_of(result)), [result])
    return case


def reduction_cases():
    cases = []
    for dtype in ALL:
        for kind in INTEGER_REDUCTIONS:
            if is_float(dtype) and kind in ("and", "or", "xor"):
                continue
            cases.append(reduce_case(kind, dtype))
    for dtype in NUMBERS:
        for kind in ("min", "max"):
            cases.append(arg_reduce_case(kind, dtype, S32))
            if dtype == F32:
                cases += [arg_reduce_case(kind, dtype, d) for d in (S64, U8, U32)]
    return cases


# --- Contractions ---

# lhs shape, rhs shape, lhs batching, rhs batching, lhs contracting, rhs contracting.
PRODUCTS = [
    ((3, 4), (4, 5), [], [], [1], [0]), ((3, 4), (5, 4), [], [], [1], [1]), ((4, 3), (4, 5), [], [], [0], [0]),
    ((7,), (7,), [], [], [0], [0]), ((2, 3), (3,), [], [], [1], [0]), ((2,), (3,), [], [], [], []),
    ((), (), [], [], [], []), ((2, 3, 4), (2, 4, 5), [0], [0], [2], [1]), ((3, 2, 4), (4, 5, 2), [1], [2], [2], [0]),
    ((2, 3, 4), (4, 3, 5), [], [], [1, 2], [1, 0]), ((2, 3, 2, 4), (2, 3, 4, 5), [0, 1], [0, 1], [3], [2]),
    ((1, 1), (1, 1), [], [], [1], [0]), ((3, 0), (0, 2), [], [], [1], [0]), ((0, 3), (3, 2), [], [], [1], [0]),
    ((1, 40), (40, 1), [], [], [1], [0]), ((17, 9), (9, 18), [], [], [1], [0]), ((3, 2), (3, 2), [0], [0], [1], [1]),
    ((3,), (3,), [0], [0], [], []),
]


def exact_dot(lhs, rhs, numbers, dtype):
    """Products of Python's fractions, so exact; every element rounded once."""
    (lc, rc), (lb, rb) = numbers
    free = lambda x, b, c: [d for d in range(x.ndim) if d not in b and d not in c]
    a = np.transpose(lhs, list(lb) + free(lhs, lb, lc) + list(lc)).astype(F64)
    b = np.transpose(rhs, list(rb) + free(rhs, rb, rc) + list(rc)).astype(F64)
    batch = a.shape[:len(lb)]
    m, n = a.shape[len(lb):a.ndim - len(lc)], b.shape[len(rb):b.ndim - len(rc)]
    result, scale = np.empty(batch + m + n, dtype), np.empty(batch + m + n)
    for i in np.ndindex(batch):
        for j in np.ndindex(m):
            for k in np.ndindex(n):
                row, column = a[i + j].reshape(-1).tolist(), b[i + k].reshape(-1).tolist()
                value = sum((Fraction(x) * Fraction(y) for x, y in zip(row, column)), Fraction(0))
                result[i + j + k] = rounded(value, dtype)
                scale[i + j + k] = sum(abs(x * y) for x, y in zip(row, column))
    return result, scale


def dot_case(dtype, result_dtype=None):
    case = Case("nacre.dot_general", dtype, "preferred " + result_dtype.name if result_dtype else "")
    for lhs_shape, rhs_shape, lb, rb, lc, rc in PRODUCTS:
        lhs, rhs = sample(dtype, lhs_shape, "lhs"), sample(dtype, rhs_shape, "rhs")
        numbers = ((tuple(lc), tuple(rc)), (tuple(lb), tuple(rb)))
        to = result_dtype or dtype
        scale = None
        if is_float(to):
            result, scale = exact_dot(lhs, rhs, numbers, to)
        else:
            result = np.asarray(lax.dot_general(typed(lhs, to), typed(rhs, to), numbers))
        text = "nacre.dot_general %s, %s, batching = %s x %s, contracting = %s x %s%s : (%s, %s) -> %s" % (
            case.arg(lhs), case.arg(rhs), dims(lb), dims(rb), dims(lc), dims(rc),
            ", preferred = " + tensor((), to)[len("tensor<"):-1] if result_dtype else "", type_of(lhs), type_of(rhs),
            type_of(result))
        case.emit(text, [result], [scale])
    return case


def contraction_cases():
    return [dot_case(dtype) for dtype in NUMBERS] + [
        dot_case(BF16, F32), dot_case(BF16, BF16), dot_case(F32, F32), dot_case(F32, F64), dot_case(U8, S32),
        dot_case(U8, U32), dot_case(S32, S64)]


# --- Random bits ---


def random_cases():
    case = Case("nacre.threefry2x32", U32)
    known = [[0, 0, 0, 0], [2 ** 32 - 1] * 4, [0x13198A2E, 0x03707344, 0x243F6A88, 0x85A308D3]]
    for words in [np.array(known, U32).T] + [
            [sample(U32, s, "word", i) for i in range(4)] for s in [(), (1,), (5,), (2, 3), (0,)]]:
        operands = [np.asarray(w, U32) for w in words]
        results = [np.asarray(r) for r in threefry2x32_p.bind(*operands)]
        t = type_of(operands[0])
        case.emit("nacre.threefry2x32 %s : (%s) -> (%s, %s)" % (
            ", ".join(case.arg(o) for o in operands), ", ".join([t] * 4), t, t), results)
    return [case]


def families():
    return {
        "creation": creation_cases,
        "moves": move_cases,
        "indexing": indexing_cases,
        "reductions": reduction_cases,
        "contractions": contraction_cases,
        "random": random_cases,
    }
