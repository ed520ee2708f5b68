"""Layer normalisation of each row, in double precision."""
import numpy as np


def layer_norm(x, scale, shift, epsilon):
    x = x.astype(np.float64)
    centred = x - x.mean(axis=1, keepdims=True)
    variance = np.mean(centred**2, axis=1, keepdims=True)
    return centred / np.sqrt(variance + epsilon) * scale + shift
