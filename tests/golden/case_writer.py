"""Builds test cases: a function in Nacre's IR text, its inputs and the outputs that another system computed."""

import json
import os
import zlib

import ml_dtypes
import numpy as np

BF16 = np.dtype(ml_dtypes.bfloat16)
F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)
S32 = np.dtype(np.int32)
S64 = np.dtype(np.int64)
U8 = np.dtype(np.uint8)
U32 = np.dtype(np.uint32)
BOOL = np.dtype(np.bool_)

FLOATS = [BF16, F32, F64]
INTEGERS = [S32, S64, U8, U32]
NUMBERS = INTEGERS + FLOATS
ALL = [BOOL] + NUMBERS

IR_NAME = {BOOL: "i1", S32: "i32", S64: "i64", U8: "ui8", U32: "ui32", BF16: "bf16", F32: "f32", F64: "f64"}


def tensor(shape, dtype):
    return "tensor<%s%s>" % ("".join("%dx" % d for d in shape), IR_NAME[np.dtype(dtype)])


def type_of(array):
    return tensor(array.shape, array.dtype)


def dims(values):
    return "[%s]" % ", ".join(str(int(v)) for v in values)


def array_attr(values):
    values = list(values)
    return "array<i64%s>" % (": " + ", ".join(str(int(v)) for v in values) if values else "")


def rng(*key):
    """A generator that depends on the key only, so that adding a case does not change the others."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def encode(array, scale=None):
    entry = {"dtype": array.dtype.name, "shape": list(array.shape), "hex": array.tobytes().hex()}
    if scale is not None:
        entry["scale"] = np.asarray(scale, np.float64).astype(np.float32).tobytes().hex()
    return entry


class Case:
    """One @main; several instances of an op in it, each with arguments of its own."""

    def __init__(self, op, dtype, what=""):
        self.op, self.dtype, self.what = op, np.dtype(dtype), what
        self.inputs, self.outputs, self.lines, self.returned = [], [], [], []

    def arg(self, array):
        self.inputs.append(np.ascontiguousarray(array).reshape(np.shape(array)))
        return "%%a%d" % (len(self.inputs) - 1)

    def emit(self, text, outputs, scales=None):
        """A line `%r = text` whose results are expected to be `outputs`."""
        first = len(self.outputs)
        names = ["%%r%d" % (first + i) for i in range(len(outputs))]
        self.lines.append("%s = %s" % (", ".join(names), text))
        for i, output in enumerate(outputs):
            self.outputs.append((np.asarray(output), scales[i] if scales else None))
        self.returned += names

    def apply(self, operands, result, attributes="", short=True, scale=None):
        """An op of one result; `short` ops print the type of their first operand only."""
        result = np.asarray(result)
        names = ", ".join(self.arg(o) for o in operands)
        if short:
            types = type_of(operands[0])
        else:
            types = "(%s) -> %s" % (", ".join(type_of(o) for o in operands), type_of(result))
        self.emit("%s %s%s : %s" % (self.op, names, attributes, types), [result], [scale])

    def entry(self):
        args = ", ".join("%%a%d: %s" % (i, type_of(a)) for i, a in enumerate(self.inputs))
        types = ", ".join(type_of(o) for o, _ in self.outputs)
        body = "".join("  %s\n" % line for line in self.lines)
        text = "func.func @main(%s) -> (%s) {\n%s  return %s : %s\n}\n" % (
            args, types, body, ", ".join(self.returned), types)
        entry = {"op": self.op, "dtype": self.dtype.name}
        if self.what:
            entry["what"] = self.what
        entry["mlir"] = text
        entry["inputs"] = [encode(a) for a in self.inputs]
        entry["outputs"] = [encode(o, s) for o, s in self.outputs]
        return entry


def write(family, cases):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops_%s.json" % family)
    with open(path, "w") as f:
        f.write("[\n")
        f.write(",\n".join(json.dumps(c.entry(), separators=(",", ":")) for c in cases))
        f.write("\n]\n")
    print("%s: %d cases, %d KiB" % (os.path.basename(path), len(cases), os.path.getsize(path) // 1024))
