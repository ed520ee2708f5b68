"""Exact references that NumPy has not: fused multiply-add, rounding to narrow floats, shuffles."""
import numpy as np


def _odd_sum(p, c):
    """p + c of float64 rounded to odd, so that a second rounding to a narrower format is right."""
    with np.errstate(all="ignore"):
        s = p + c
        b = s - p
        error = (p - (s - b)) + (c - b)
        even = (s.view(np.int64) & 1) == 0
        move = np.isfinite(s) & (error != 0) & even
        return np.where(move, np.nextafter(s, np.where(error > 0, np.inf, -np.inf)), s)


def fma(a, b, c):
    """Returns a * b + c of float16 or float32, rounded once."""
    dtype = np.result_type(a, b, c)
    assert dtype in (np.float16, np.float32), dtype
    with np.errstate(all="ignore"):
        product = np.asarray(a, np.float64) * np.asarray(b, np.float64)  # exact: 2 * 24 bits
        return _odd_sum(product, np.asarray(c, np.float64) + np.zeros_like(product)).astype(dtype)


def from_bfloat16(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def to_bfloat16(values):
    """Converts float64, rounded once to nearest even, to bits; NaN is 0x7fff."""
    values = np.asarray(values, np.float64)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(values)
        quantum = np.ldexp(1.0, np.maximum(exponent, -125) - 8)
        rounded = (np.rint(values / quantum) * quantum).astype(np.float32)
    rounded = np.where(np.isfinite(values), rounded, values.astype(np.float32))
    bits = (rounded.view(np.uint32) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FFF), bits)


def fma_bfloat16(a, b, c):
    a, b, c = (from_bfloat16(x).astype(np.float64) for x in (a, b, c))
    with np.errstate(all="ignore"):
        return to_bfloat16(_odd_sum(a * b, c + np.zeros_like(a * b)))


def to_integer(values, dtype, rounding=np.trunc):
    """float to integer as the GPU does it: saturating, NaN gives 0."""
    info = np.iinfo(dtype)
    rounded = rounding(np.asarray(values, np.float64))
    result = np.zeros(rounded.shape, dtype)
    inside = (rounded > float(info.min)) & (rounded < float(info.max))
    result[inside] = rounded[inside].astype(dtype)
    result[rounded >= float(info.max)] = info.max
    result[rounded <= float(info.min)] = info.min
    return result


def fold(values, width=32):
    """A float32 sum of each row of 2**k as shuffles with halving distances add it: lane 0 of each."""
    values = np.asarray(values, np.float32).reshape(-1, width)
    while values.shape[1] > 1:
        half = values.shape[1] // 2
        values = values[:, :half] + values[:, half:]
    return values[:, 0]
