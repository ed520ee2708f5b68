import numpy as np


def smooth(x):
    x = x.astype("float64")
    y = x.copy()
    y[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
    return y
