"""The patterns of contents that a search puts into arrays in place of a suite's values.

The harness runs this text as a module of its own. Arrays are made in a type that holds every value
of the target: float64 for floating-point types, which the harness rounds once, else the type itself.
"""
import numpy as np

# The greatest number and the least normal one of the types that NumPy lacks.
LIMITS = {"bfloat16": (3.3895313892515355e38, 1.1754943508222875e-38),
          "float8_e4m3fn": (448.0, 2.0 ** -6), "float8_e5m2": (57344.0, 2.0 ** -14)}
SUBNORMAL = {"bfloat16": 2.0 ** -133, "float8_e4m3fn": 2.0 ** -9, "float8_e5m2": 2.0 ** -16}


class Target:
    """The element type of the array to make."""

    def __init__(self, name):
        self.name = name
        self.is_real = name in LIMITS or name.startswith("float")
        self.is_complex = name.startswith("complex")
        if self.is_complex:
            name = "float%d" % (int(name[len("complex"):]) // 2)
        if name in LIMITS:
            self.greatest, self.normal = LIMITS[name]
            self.least, self.tiny = -self.greatest, SUBNORMAL[name]
        elif self.is_real or self.is_complex:
            facts = np.finfo(name)
            self.greatest, self.normal = float(facts.max), float(facts.tiny)
            self.least, self.tiny = -self.greatest, float(facts.smallest_subnormal)
        elif name == "bool":
            self.greatest, self.least = 1, 0
        else:
            facts = np.iinfo(name)
            self.greatest, self.least = int(facts.max), int(facts.min)

    @property
    def floating(self):
        return self.is_real or self.is_complex

    @property
    def signed(self):
        return self.least < 0

    def array(self, values):
        """The values in the type to make arrays in; those of a range wrap in what the type holds."""
        if self.floating:
            return np.asarray(values, np.complex128 if self.is_complex else np.float64)
        return np.asarray(values).astype(self.name)


def counting(n, target):
    """0, 1, 2, …, from 0 again where the type cannot count on exactly."""
    exact = {"float16": 2 ** 11, "float8_e4m3fn": 16, "float8_e5m2": 8, "bfloat16": 2 ** 8,
             "float32": 2 ** 24, "complex64": 2 ** 24}
    last = exact.get(target.name, 2 ** 53 if target.floating else target.greatest)
    return np.arange(n, dtype=np.uint64) % np.uint64(last + 1)


def turns(n, *values):
    return np.resize(np.array(values), n) if n else np.zeros(0)


def one_at(n, index):
    values = np.zeros(n)
    if n:
        values[index] = 1
    return values


def normal(n, rng):
    return rng.standard_normal(n)


def some_places(n, rng, least):
    return rng.permutation(n)[:max(least, n // 16)]


def zeros(n, target, rng):
    return np.zeros(n)


def ones(n, target, rng):
    return np.ones(n)


def ascending(n, target, rng):
    return counting(n, target)


def descending(n, target, rng):
    return counting(n, target)[::-1]


def first(n, target, rng):
    return one_at(n, 0)


def last(n, target, rng):
    return one_at(n, -1)


def negative(n, target, rng):
    return -(np.arange(n) % 7 + 1.0) if target.signed else np.ones(n)


def alternating(n, target, rng):
    return turns(n, 1, -1 if target.signed else 0)


def ties(n, target, rng):
    return rng.integers(0, min(3, target.greatest + 1), n)


def infinite(n, target, rng):
    values = normal(n, rng)
    places = some_places(n, rng, 2)
    values[places] = np.where(rng.random(len(places)) < 0.5, np.inf, -np.inf)
    return values


def nan(n, target, rng):
    values = normal(n, rng)
    values[some_places(n, rng, 1)[:1]] = np.nan
    return values


def all_nan(n, target, rng):
    return np.full(n, np.nan)


def signed_zeros(n, target, rng):
    return turns(n, 0.0, -0.0)


def subnormal(n, target, rng):
    steps = max(2, round(target.normal / target.tiny)) if target.normal > 0 else 2
    count = rng.integers(1, min(steps, 2 ** 52), n)
    return count * target.tiny * np.where(rng.random(n) < 0.5, 1, -1)


def greatest(n, target, rng):
    return np.full(n, target.greatest)


def least(n, target, rng):
    return np.full(n, target.least)


def extremes(n, target, rng):
    return turns(n, target.greatest, target.least)


def cancelling(n, target, rng):
    large = np.sqrt(target.greatest)
    return turns(n, large, 1.0, -large)


def magnitudes(n, target, rng):
    low, high = np.log2(target.normal), np.log2(target.greatest)
    return np.exp2(rng.uniform(low, high, n)) * np.where(rng.random(n) < 0.5, 1, -1)


def make(pattern, real_only, shape, dtype, rng):
    """The array of a pattern, which integers may not have, of that shape, to be rounded to the type `dtype`."""
    target = Target(dtype)
    if real_only and not target.floating:
        raise ValueError("integers have no %s" % pattern.replace("_", " "))
    count = int(np.prod(shape, dtype=np.int64))
    with np.errstate(all="ignore"):
        return target.array(globals()[pattern](count, target, rng)).reshape(shape)
