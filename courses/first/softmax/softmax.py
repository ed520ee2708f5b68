import numpy as np


def softmax(x):
    x = x.astype("float64")
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
