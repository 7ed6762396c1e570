"""Writes the .npy and .npz files of the tests with NumPy (2.x; ml_dtypes for bfloat16): python3 make_fixtures.py"""
import os
import ml_dtypes
import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))
matrix = np.arange(6, dtype=np.float32).reshape(2, 3) / 4
np.save("c_order.npy", matrix)
np.save("fortran_order.npy", np.asfortranarray(np.arange(24, dtype=np.int64).reshape(2, 3, 4)))
np.savez(
    "several.npz",
    matrix=matrix,
    scalar=np.float64(2.5),
    flags=np.array([True, False]),
    half=np.array([1.5, -2.0], dtype=ml_dtypes.bfloat16),
    empty=np.zeros((0, 3), np.uint32),
    bytes=np.array([1, 255], np.uint8),
)
np.savez_compressed("compressed.npz", matrix=matrix)
np.save("big_endian.npy", matrix.astype(">f4"))
