import numpy as np


def holds_all(numbers, kept):
    wanted = numbers[numbers > 0]
    return np.array_equal(np.sort(kept[:wanted.size]), np.sort(wanted))
