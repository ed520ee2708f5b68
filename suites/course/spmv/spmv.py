"""A sparse matrix with rows of very different lengths, and its product in double precision."""
import numpy as np


def begin(rng, rows):
    """Most rows are short, some long: lengths have a power law, and one row in eight is empty."""
    length = np.minimum(8 / rng.random(rows), 1000).astype(int)
    length[::8] = 0
    return np.concatenate([[0], np.cumsum(length)])


def column(rng, begin, rows):
    return rng.integers(0, rows, begin[-1])


def value(rng, begin):
    return rng.standard_normal(begin[-1])


def product(begin, column, value, x):
    terms = value.astype(np.float64) * x[column]
    return np.add.reduceat(np.append(terms, 0), begin[:-1]) * (np.diff(begin) > 0)
