"""Writes the golden tables of ops, tests/golden/ops_*.json.

Needs JAX (CPU), NumPy, SciPy, ml_dtypes and mpmath. Run: python tests/golden/make_ops.py [family...]
The expected values are those of other systems (JAX, NumPy, mpmath), so that interpreter and compiler cannot share a
mistake. Deterministic: running it again changes nothing.
"""

import sys

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

import case_writer
import elementwise_cases
import structure_cases


def main():
    families = {**elementwise_cases.families(), **structure_cases.families()}
    for name in sys.argv[1:] or families:
        case_writer.write(name, families[name]())


if __name__ == "__main__":
    main()
