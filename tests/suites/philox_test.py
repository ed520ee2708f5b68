"""The reference of suites/random, against NumPy's own Philox, which has words of 64 bits."""
import importlib.util
import pathlib
import sys
import unittest

import numpy as np

SOURCE = pathlib.Path(sys.argv.pop(1))
SPEC = importlib.util.spec_from_file_location("philox", SOURCE / "suites/random/philox.py")
philox = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(philox)


class Philox(unittest.TestCase):
    def test_64_bits_are_those_of_numpy(self):
        rng = np.random.default_rng(1)
        for _ in range(100):
            counter, key = rng.integers(0, 2**64, (2, 4), np.uint64)
            raw = np.random.Philox(counter=counter, key=key[:2]).random_raw(4)
            counter[0] += np.uint64(1)  # NumPy counts before it makes words
            if counter[0] == 0:
                continue
            np.testing.assert_array_equal(philox.philox([counter], [key[:2]], 64)[0], raw)

    def test_32_bits_are_those_of_random123(self):
        words = philox.philox(philox.known_counters(), philox.known_keys())
        np.testing.assert_array_equal(words, philox.known_words())

    def test_a_stream_does_not_depend_on_its_length(self):
        seed, stream = np.uint64(3), np.uint64(2**40 + 1)
        whole = philox.words(1000, seed, stream)
        for n in (0, 1, 3, 4, 5, 999):
            np.testing.assert_array_equal(philox.words(n, seed, stream), whole[:n])
            np.testing.assert_array_equal(
                philox.uniform_double(n // 2, seed, stream),
                philox.uniform_double(500, seed, stream)[: n // 2])


if __name__ == "__main__":
    unittest.main()
