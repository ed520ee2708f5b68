import numpy as np


def inclusive(x, begins):
    """The running sum of each segment; the first element begins one in any case."""
    total = np.cumsum(x, dtype=x.dtype)
    first = begins != 0
    first[:1] = True
    before = np.where(first, total - x, 0)[first]
    return total - before[np.cumsum(first) - 1]


def exclusive_by_keys(x, keys):
    begins = np.append(True, keys[1:] != keys[:-1])
    return inclusive(x.astype("int64"), begins) - x
