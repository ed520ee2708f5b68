#!/usr/bin/env python3
"""That the catalogue's comparison finds what differs, and that its exact references are exact."""
import fractions
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)

import exact
import recordings
from catalogue import EXACT, Bound, Random, differences

f32 = np.float32


def wrong(got, expected, bound=EXACT, **how):
    return list(differences(np.array(got, f32), np.array(expected, f32), bound, **how)[0])


class Differences(unittest.TestCase):

    def test_exact_floats(self):
        self.assertEqual(wrong([1, 2, 3], [1, 2, 3]), [])
        self.assertEqual(wrong([1, np.nextafter(f32(2), f32(3)), 3], [1, 2, 3]), [1])
        self.assertEqual(wrong([0.0], [-0.0]), [0])
        self.assertEqual(wrong([np.inf, -np.inf], [np.inf, np.inf]), [1])
        self.assertEqual(wrong([np.nan, 1, np.nan], [np.nan, np.nan, 1]), [1, 2])

    def test_bits_of_nan(self):
        a, b = (np.array([bits], np.uint32).view(f32) for bits in (0x7FFFFFFF, 0xFFC00000))
        self.assertEqual(differences(a, b, EXACT)[0].size, 0)
        self.assertEqual(differences(a, b, EXACT, bits_of_nan=True)[0].size, 1)

    def test_any_nan(self):
        a, b = (np.array([bits, 0x3F800000], np.uint32).view(f32) for bits in (0x7FFFFFFF, 0x7FC00000))
        bound = Bound(any_nan=True, reason="why")
        self.assertFalse(bound.exact)
        self.assertEqual(differences(a, b, bound, bits_of_nan=True)[0].size, 0)
        self.assertEqual(wrong([1, np.nan, 2], [np.nextafter(f32(1), f32(2)), 1, 2], bound), [0, 1])

    def test_distances_of_doubles(self):
        a = np.array([1e-96, -1e105, 1.0])
        b = np.array([np.nextafter(1e-96, 1), np.nextafter(-1e105, 0), -1.0])
        of_ones = 2.0 * 0x3FF0000000000000
        _, ulp, _ = differences(a[:2], b[:2], EXACT)
        self.assertEqual(ulp, 1)
        self.assertEqual(differences(a, b, Bound(ulp=1))[0].tolist(), [2])
        self.assertEqual(differences(a, b, EXACT)[1], of_ones)

    def test_bounds(self):
        self.assertEqual(wrong([1 + 2.0**-22], [1], Bound(ulp=2)), [])
        self.assertEqual(wrong([1 + 3 * 2.0**-23], [1], Bound(ulp=2)), [0])
        self.assertEqual(wrong([2.0**-149, -2.0**-149], [-2.0**-149, 2.0**-149], Bound(ulp=2)),
                         [])  # over zero
        self.assertEqual(wrong([1.5, 2.5], [1, 1], Bound(absolute=np.array([0.5, 1]))), [1])
        self.assertEqual(wrong([np.inf, np.nan, 3e38], [3e38, 1, np.inf], Bound(ulp=5, absolute=1)),
                         [0, 1, 2])

    def test_integers_beyond_2_to_the_53(self):
        a = np.array([2**62, 2**62 + 1])
        self.assertEqual(list(differences(a, a + [0, 1], EXACT)[0]), [1])

    def test_shape_and_dtype(self):
        for other in (np.zeros(2, f32), np.zeros(3, np.float64)):
            with self.assertRaises(AssertionError):
                differences(np.zeros(3, f32), other, EXACT)


class Places(unittest.TestCase):

    def test_texts_that_only_lie_elsewhere(self):
        text = ('.entry k() { ret; }\n\t.file\t1 "%s/k.cu"\n\t.section\t.debug_info\n\t{\n.b8 %d\n\t}\n'
                '\t.section\t.debug_str\n\t{\nx:\n.b8 %d\n\t}\n.entry l() { ret; }\n')
        one = recordings.without_places(text % ("/here", 1, 2))
        self.assertEqual(one, recordings.without_places(text % ("/there", 3, 4)))
        self.assertEqual(one, ".entry k() { ret; }\n.entry l() { ret; }\n")


class Exact(unittest.TestCase):

    def round_once(self, value, reference, dtype):
        """Returns whether `value` is a nearest of the dtype to a fraction (ties to even are not asked for)."""
        error = abs(fractions.Fraction(float(value)) - reference)
        return all(
            error <= abs(fractions.Fraction(float(np.nextafter(value, dtype(to)))) - reference)
            for to in (-np.inf, np.inf))

    def test_fma(self):
        random = Random("fma")
        for dtype, span in ((np.float32, 30), (np.float16, 4)):
            a, b, c = (random.hard_floats(3000, dtype, span, specials=False) for _ in range(3))
            c[:1000] = -(a[:1000].astype(np.float64) * b[:1000]).astype(dtype)
            got = exact.fma(a, b, c)
            for x, y, z, r in zip(a, b, c, got):
                if np.isfinite(r) and np.isfinite(np.nextafter(r, dtype(np.inf))) and np.isfinite(
                        np.nextafter(r, dtype(-np.inf))):
                    x, y, z = (fractions.Fraction(float(v)) for v in (x, y, z))
                    self.assertTrue(self.round_once(r, x * y + z, dtype), (x, y, z, r))

    def test_bfloat16(self):
        every = np.arange(65536, dtype=np.uint16)
        values = exact.from_bfloat16(every)
        number = ~np.isnan(values)
        np.testing.assert_array_equal(
            exact.to_bfloat16(values.astype(np.float64))[number], every[number])
        self.assertEqual(exact.to_bfloat16(np.array([1 + 2.0**-8]))[0], 0x3F80)  # a tie, to even
        self.assertEqual(exact.to_bfloat16(np.array([1 + 2.0**-8 + 2.0**-40]))[0], 0x3F81)
        self.assertEqual(exact.to_bfloat16(np.array([2.0**-134]))[0],
                         0)  # a tie with the least subnormal

    def test_to_integer(self):
        values = np.array([np.nan, np.inf, -np.inf, 2.0**31, -2.0**31 - 1, 2.5, -2.5])
        self.assertEqual(list(exact.to_integer(values, np.int32)),
                         [0, 2**31 - 1, -2**31, 2**31 - 1, -2**31, 2, -2])


class ExplicitRoundings(unittest.TestCase):

    def test_only_what_has_none(self):
        for before, after in (("add.f32 ", "add.rn.f32 "), ("mul.ftz.f16x2 ", "mul.rn.ftz.f16x2 "),
                              ("sub.f64 ", "sub.rn.f64 "), ("add.rz.f32 ", "add.rz.f32 "),
                              ("add.s32 ", "add.s32 "), ("atom.global.add.f32 ",
                                                         "atom.global.add.f32 "),
                              ("red.add.f32 ", "red.add.f32 "), ("fma.rn.f32 ", "fma.rn.f32 ")):
            self.assertEqual(recordings.explicit_roundings(before), after)


if __name__ == "__main__":
    unittest.main()
