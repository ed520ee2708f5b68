"""Conway's game of life on a torus."""
import numpy as np


def after(cells, generations):
    for _ in range(generations):
        around = sum(np.roll(cells, (v, u), (0, 1)) for v in (-1, 0, 1) for u in (-1, 0, 1)) - cells
        cells = ((around == 3) | ((around == 2) & (cells == 1))).astype(np.uint8)
    return cells


def packed(cells):
    return np.packbits(cells, axis=1, bitorder="little").view(np.uint32)


def after_bytes(now, generations):
    return after(now, generations)


def random_words(rng, width, height):
    return packed(rng.integers(0, 2, (height, width), dtype=np.uint8))


def after_words(now, generations):
    cells = np.unpackbits(now.view(np.uint8), axis=1, bitorder="little")
    return packed(after(cells, generations))
