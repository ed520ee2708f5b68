"""A filter over an image, in double precision."""
import numpy as np


def filtered(image, weights):
    weights = weights.reshape(7, 7).astype(np.float64)
    padded = np.pad(image.astype(np.float64), 3)
    windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape)
    return np.einsum("yxvu,vu->yx", windows, weights)
