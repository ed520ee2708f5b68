"""Gravity between all pairs of bodies, in double precision."""
import numpy as np


def accelerations(body, softening):
    at, mass = body[:, :3].astype(np.float64), body[:, 3].astype(np.float64)
    result = np.empty(at.shape)
    for i, here in enumerate(at):  # a matrix of all pairs would be too large
        r = at - here
        result[i] = (mass / (np.sum(r**2, axis=1) + np.float64(softening)) ** 1.5) @ r
    return result
