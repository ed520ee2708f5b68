"""Heat in a box, in double precision."""
import numpy as np


def heat(a, steps):
    a = a.astype(np.float64)
    for _ in range(steps):
        inner = a[1:-1, 1:-1, 1:-1]
        around = np.zeros_like(inner)
        for axis in range(3):
            for shift in (-1, 1):
                around += np.roll(a, shift, axis)[1:-1, 1:-1, 1:-1]
        b = a.copy()
        b[1:-1, 1:-1, 1:-1] = inner / 4 + around / 8
        a = b
    return a
