"""Correctly rounded values of real functions, through mpmath (pip install mpmath)."""

import ctypes
import math

import mpmath
import numpy as np

from case_writer import BF16, F32, F64

mpmath.mp.prec = 250

_LIBM = ctypes.CDLL("libm.so.6")
_LIBM.pow.argtypes, _LIBM.pow.restype = [ctypes.c_double, ctypes.c_double], ctypes.c_double

# Precision and least exponent of a normal number.
FORMAT = {F32: (24, -126, 127), F64: (53, -1022, 1023), BF16: (8, -126, 127)}


def round_to(value, dtype):
    """An mpf (or int) rounded once, to nearest even, as a Python float; overflow gives infinity."""
    value = mpmath.mpf(value)
    if value == 0 or not mpmath.isfinite(value):
        return float(value)
    precision, least, most = FORMAT[np.dtype(dtype)]
    sign, man, exp, bits = value._mpf_
    quantum = max(exp + bits - 1, least) - (precision - 1)
    shift = exp - quantum
    if shift >= 0:
        units = man << shift
    else:
        units = man >> -shift if -shift < bits + 2 else 0
        rest = man - (units << -shift) if -shift < bits + 2 else man
        half = 1 << (-shift - 1) if -shift < bits + 2 else None
        if half is not None and (rest > half or (rest == half and units & 1)):
            units += 1
    if units.bit_length() + quantum - 1 > most:
        result = math.inf
    else:
        result = math.ldexp(units, quantum)
    return -result if sign else result


def in_type(value, dtype):
    """bf16 ops compute in f32 and round once more, so that is what is expected of them."""
    dtype = np.dtype(dtype)
    if dtype == BF16:
        return np.float32(round_to(value, F32)).astype(BF16)
    return dtype.type(round_to(value, dtype))


def _logistic(x):
    return 1 / (1 + mpmath.exp(-x))


def _cbrt(x):
    return -mpmath.cbrt(-x) if x < 0 else mpmath.cbrt(x)


def _erf_inv(x):
    if abs(x) > 1:
        return mpmath.nan
    if abs(x) == 1:
        return mpmath.inf * x
    y = mpmath.mpf(float(_scipy_erfinv(float(x)))) if abs(x) > 1e-300 else x * mpmath.sqrt(mpmath.pi) / 2
    for _ in range(6):  # Newton from 16 digits
        tail = mpmath.erf(y) - x if abs(x) < 0.5 else (
            (1 - abs(x)) - mpmath.erfc(abs(y))) * mpmath.sign(y)
        y -= tail * mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(y * y)
    return y


def _scipy_erfinv(x):
    import scipy.special
    y = scipy.special.erfinv(x)
    return y if np.isfinite(y) else math.copysign(5.8, x)


# Name of the op -> (exact function, what NumPy says of zeros, infinities and NaN).
UNARY = {
    "exponential": (mpmath.exp, np.exp),
    "exponential_minus_one": (mpmath.expm1, np.expm1),
    "log": (mpmath.log, np.log),
    "log_plus_one": (mpmath.log1p, np.log1p),
    "sine": (mpmath.sin, np.sin),
    "cosine": (mpmath.cos, np.cos),
    "tan": (mpmath.tan, np.tan),
    "asin": (mpmath.asin, np.arcsin),
    "acos": (mpmath.acos, np.arccos),
    "atan": (mpmath.atan, np.arctan),
    "sinh": (mpmath.sinh, np.sinh),
    "cosh": (mpmath.cosh, np.cosh),
    "tanh": (mpmath.tanh, np.tanh),
    "asinh": (mpmath.asinh, np.arcsinh),
    "acosh": (mpmath.acosh, np.arccosh),
    "atanh": (mpmath.atanh, np.arctanh),
    "logistic": (_logistic, lambda x: 1 / (1 + np.exp(-x))),
    "erf": (mpmath.erf, lambda x: x if x == 0 or np.isnan(x) else np.copysign(1.0, x)),
    "erfc": (mpmath.erfc, lambda x: x if np.isnan(x) else 1.0 if x == 0 else 0.0 if x > 0 else 2.0),
    "erf_inv": (_erf_inv, lambda x: x if x == 0 else np.nan),
    "sqrt": (mpmath.sqrt, np.sqrt),
    "rsqrt": (lambda x: 1 / mpmath.sqrt(x), lambda x: 1 / np.sqrt(x)),
    "cbrt": (_cbrt, np.cbrt),
}

# Beyond these arguments the value is a limit already; mpmath would compute enormous intermediate numbers.
_SATURATE = {
    "exponential": 2000, "exponential_minus_one": 2000, "sinh": 2000, "cosh": 2000, "tanh": 2000, "logistic": 2000,
    "erf": 200, "erfc": 200,
}


def unary(name, x, dtype):
    """One value; x is an element of the dtype."""
    exact, special = UNARY[name]
    wide = np.float64(x)
    with np.errstate(all="ignore"):
        if wide == 0 or not np.isfinite(wide):
            return in_type(float(special(wide)), dtype) if wide != 0 else np.dtype(dtype).type(special(wide))
        limit = _SATURATE.get(name)
        if limit and abs(wide) > limit:
            return np.dtype(dtype).type(special(np.copysign(np.inf, wide)))
        if name == "log_plus_one" and wide == -1 or name == "atanh" and abs(wide) == 1:
            return np.dtype(dtype).type(special(wide))
    value = exact(mpmath.mpf(float(wide)))
    if isinstance(value, mpmath.mpc):
        value = mpmath.nan
    return in_type(value, dtype)


def power(x, y, dtype):
    """Zeros, infinities and NaN as in IEEE 754, which the C library follows (NumPy takes the root of -inf for its
    power 1/2)."""
    a, b = np.float64(x), np.float64(y)
    with np.errstate(all="ignore"):
        special = _LIBM.pow(a, b)
        if a == 0 or b == 0 or not np.isfinite(a) or not np.isfinite(b):
            return np.dtype(dtype).type(special)
        integer = b == np.floor(b)
        if a < 0 and not integer:
            return np.dtype(dtype).type(np.nan)
        if abs(b * np.log2(abs(a))) > 1e5:
            return np.dtype(dtype).type(special)
    value = mpmath.power(abs(mpmath.mpf(float(a))), mpmath.mpf(float(b)))
    return in_type(-value if a < 0 and b % 2 == 1 else value, dtype)


def atan2(y, x, dtype):
    b, a = np.float64(y), np.float64(x)
    if np.isnan(a) or np.isnan(b):
        return np.dtype(dtype).type(np.nan)
    if a == 0 and b == 0:
        a = np.copysign(1.0, a)
    # Infinities stand for magnitudes whose ratio to any number is out of reach, so that exact angles come out.
    big = mpmath.mpf(2) ** 4000
    finite = lambda v: mpmath.mpf(float(v)) if np.isfinite(v) else mpmath.sign(float(v)) * big
    angle = in_type(mpmath.atan2(finite(abs(b)), finite(a)), dtype)
    return np.copysign(angle, np.dtype(dtype).type(y))
