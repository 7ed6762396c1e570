#!/usr/bin/env python3
"""Fits the polynomials of codegen/cpu/math by Remez' exchange algorithm. Needs mpmath; prints C hexadecimal floats."""
import struct

import mpmath as m
from mpmath import mpf

m.mp.prec = 200


def remez(f, low, high, degree, weight=lambda x: mpf(1), rounds=12):
    """The polynomial that minimises the largest |f - p| * weight on [low, high], and that error."""
    low, high, size = mpf(low), mpf(high), degree + 2
    nodes = [(low + high) / 2 - (high - low) / 2 * m.cos(m.pi * (2 * i + 1) / (2 * size)) for i in range(size)]
    best = None
    for _ in range(rounds):
        a, b = m.matrix(size, size), m.matrix(size, 1)
        for i, x in enumerate(nodes):
            for k in range(degree + 1):
                a[i, k] = x**k
            a[i, degree + 1] = (-1) ** i / weight(x)
            b[i] = f(x)
        c = list(m.lu_solve(a, b))[: degree + 1]
        grid = [low + (high - low) * (1 - m.cos(m.pi * i / (40 * size))) / 2 for i in range(40 * size + 1)]
        errors = [(f(x) - sum(c[k] * x**k for k in range(degree + 1))) * weight(x) for x in grid]
        peaks = []  # the largest error of each run of equal signs
        for i, e in enumerate(errors):
            if peaks and (e > 0) == (errors[peaks[-1]] > 0):
                if abs(e) > abs(errors[peaks[-1]]):
                    peaks[-1] = i
            else:
                peaks.append(i)
        while len(peaks) > size:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[0]:
            best = (worst, c)
        if len(peaks) < size:
            break
        nodes = [grid[i] for i in peaks]
    return best


def show(name, fit, single=False):
    error, coefficients = fit
    to_single = lambda x: struct.unpack("f", struct.pack("f", float(x)))[0]
    text = ", ".join((to_single(c) if single else float(c)).hex() for c in coefficients)
    print(f"{name}: error 2^{float(m.log(error, 2)):.1f}\n  {{{text}}}")


def in_square(f, at_zero):
    """g with g(x^2) = f(x), and its limit at 0."""
    return lambda z: f(m.sqrt(z)) if z > mpf(10) ** -24 else mpf(at_zero)


half = m.log(2) / 2
exp_rest = lambda x: (m.exp(x) - 1 - x) / x**2
show("exp, f64", remez(exp_rest, -half * mpf("1.001"), half * mpf("1.0012"), 8, lambda x: x**2 / m.exp(x)))
show("exp, f32", remez(exp_rest, -half * mpf("1.003"), half * mpf("1.0031"), 4, lambda x: x**2 / m.exp(x)), True)
smax = (3 - 2 * m.sqrt(2)) ** 2 * mpf("1.002")
atanh_rest = in_square(lambda s: (m.log((1 + s) / (1 - s)) / s - 2) / s**2, mpf(2) / 3)
show("log, f64", remez(atanh_rest, 0, smax, 7, lambda z: z))
log_rest = lambda f: (m.log(1 + f) - f + f * f / 2) / f**3 if abs(f) > mpf(10) ** -20 else mpf(1) / 3
show("log, f32", remez(log_rest, (m.sqrt(mpf(1) / 2) - 1) * mpf("1.001"), (m.sqrt(2) - 1) * mpf("1.0011"), 8,
                       lambda f: abs(f**3 / m.log(1 + f)) if f else mpf("0.001")), True)
quarter = (m.pi / 4 * mpf("1.0001")) ** 2
show("sin", remez(in_square(lambda r: (m.sin(r) / r - 1) / r**2, mpf(-1) / 6), 0, quarter, 5, lambda z: z))
show("cos", remez(in_square(lambda r: (m.cos(r) - 1 + r**2 / 2) / r**4, mpf(1) / 24), 0, quarter, 5,
                  lambda z: z**2 + mpf(10) ** -6))
show("atan", remez(in_square(lambda t: (m.atan(t) / t - 1) / t**2, mpf(-1) / 3), 0,
                   (m.tan(m.pi / 8) * mpf("1.001")) ** 2, 9, lambda z: z))
show("erf, small", remez(in_square(lambda x: m.erf(x) / x - 1, 2 / m.sqrt(m.pi) - 1), 0, mpf("0.86"), 5), True)
show("erf, large", remez(lambda t: -m.log(m.erfc(t)), mpf("0.91"), 4, 7, lambda t: m.erfc(t) / m.erf(t)), True)


def scaled_erfc(u):
    x = 3 * (1 + u) / (1 - u)
    return m.exp(x * x) * m.erfc(x) * (1 + 2 * x)


show("erfc", remez(scaled_erfc, -1, mpf("7.3") / mpf("13.3"), 13, lambda u: 1 / scaled_erfc(u), 8))
