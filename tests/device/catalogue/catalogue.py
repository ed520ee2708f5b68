"""An entry of the catalogue: a kernel with its launches, adversarial inputs, and the results that they must give.

An entry is a function `f(run, random, **case)` that launches its kernel through `run` and states its
results by `run.check`. The same function serves two programs: corpus_test.py compares with NumPy on
the CPU device, compare_devices.py compares two devices with each other.
"""
import hashlib

import numpy as np

import driver
import exact


class Bound:
    """How far a result may be from another: `reason` says why it is not exact. With `any_nan` a NaN
    may carry anything."""

    def __init__(self, ulp=0, absolute=0, reason="", any_nan=False):
        self.ulp, self.absolute, self.reason, self.any_nan = ulp, absolute, reason, any_nan

    @property
    def exact(self):
        return not self.any_nan and np.all(np.equal(self.ulp, 0)) and np.all(
            np.equal(self.absolute, 0))


EXACT = Bound()


def ordered(values):
    """Floats as integers whose differences are distances in units in the last place."""
    bits = values.view({2: np.int16, 4: np.int32, 8: np.int64}[values.itemsize])
    return np.where(bits < 0, np.iinfo(bits.dtype).min - bits, bits)


def distance(a, b):
    """Returns the distance of floats of one dtype, in units in the last place, as float64."""
    a, b = ordered(a).astype(np.int64), ordered(b).astype(np.int64)
    return (np.maximum(a, b).astype(np.uint64) - np.minimum(a, b).astype(np.uint64)).astype(
        np.float64)


def differences(got, expected, bound, bits_of_nan=False):
    """(indices of elements beyond the bound, greatest distance in ulp, greatest absolute difference).

    NaN answers NaN; with `bits_of_nan` every bit of it counts where the bound is exact. Zeros differ
    by their sign where the bound is exact.
    """
    got, expected = np.ascontiguousarray(got).ravel(), np.ascontiguousarray(expected).ravel()
    if got.shape != expected.shape or got.dtype != expected.dtype:
        raise AssertionError("%s of %s against %s of %s" %
                             (got.dtype, got.shape, expected.dtype, expected.shape))
    raw = lambda v: v.view("u%d" % v.itemsize) if v.dtype.kind in "fiub" else v.view(
        np.uint8).reshape(len(v), -1)
    same = raw(got) == raw(expected)
    same = same if same.ndim == 1 else same.all(axis=1)
    if got.dtype.kind != "f":
        return np.flatnonzero(~same), 0.0, 0.0
    both_nan = np.isnan(got) & np.isnan(expected)
    if not (bits_of_nan and bound.exact):
        same |= both_nan
    finite = np.isfinite(got) & np.isfinite(expected)
    ulp, absolute = np.zeros(got.shape), np.zeros(got.shape)
    ulp[finite] = distance(got[finite], expected[finite])
    with np.errstate(all="ignore"):
        absolute[finite] = np.abs(got[finite].astype(np.longdouble) -
                                  expected[finite].astype(np.longdouble))
        if not bound.exact:
            same |= finite & ((ulp <= bound.ulp) | (absolute <= np.ravel(bound.absolute)))
    return np.flatnonzero(~same), float(ulp.max(initial=0)), float(absolute.max(initial=0))


class Random:
    """Reproducible inputs: raw Philox words, so that no version of NumPy gives others."""

    def __init__(self, name):
        key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "little")
        self.source = np.random.Philox(key=key)

    def words(self, count):
        return self.source.random_raw(int(count)).astype(np.uint64)

    def uniform(self, count, low=0.0, high=1.0, dtype=np.float32):
        unit = (self.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return (low + (high - low) * unit).astype(dtype)

    def integers(self, count, low, high, dtype=np.int32):
        """From low to high, both included."""
        span = np.uint64(high - low + 1) if high - low + 1 < 2**64 else np.uint64(0)
        words = self.words(count)
        return (low + (words % span).astype(object)).astype(dtype) if span else words.astype(dtype)

    def bits(self, count, dtype):
        """Every bit pattern alike, so for floats half of them far from 1, some NaN."""
        dtype = np.dtype(dtype)
        return (self.words(count) & np.uint64(2**(8 * dtype.itemsize) - 1)).astype(
            "u%d" % dtype.itemsize).view(dtype)

    def hard_integers(self, count, dtype):
        """Any bits, small numbers, and in every other place what overflows and wraps."""
        info = np.iinfo(dtype)
        edges = [
            0, 1, 2, 7, 8, 31, 32, 33, info.max, info.max - 1, info.min, info.min + 1,
            info.max // 2, info.max // 2 + 1
        ]
        edges += [-1, -2, -7, -32] if info.min else [info.max - 31]
        values = self.bits(count, dtype)
        choice = self.words(count)
        return np.where(choice % np.uint64(2) == 0, values,
                        np.array(edges, dtype)[(choice >> np.uint64(8)) %
                                               np.uint64(len(edges))]).astype(dtype)

    def hard_floats(self, count, dtype=np.float32, span=20, specials=True):
        """Normal-sized numbers of 2*span binades, and (one in eight) zeros, infinities, NaN and subnormals."""
        dtype = np.dtype(dtype)
        info = np.finfo(dtype)
        mantissa, exponent, choice = self.uniform(count, 1, 2,
                                                  np.float64), self.words(count), self.words(count)
        values = np.ldexp(mantissa, (exponent % np.uint64(2 * span + 1)).astype(np.int64) - span)
        values = np.where(choice & np.uint64(1), -values, values).astype(dtype)
        if not specials:
            return values
        tiny, subnormal = info.tiny, info.tiny * info.eps
        special = np.array([
            0.0, -0.0, np.inf, -np.inf, np.nan, subnormal, -subnormal, tiny, -tiny,
            tiny - subnormal, info.max, -info.max, 1, -1, 0.5, 1 + info.eps
        ], dtype)
        chosen = special[(choice >> np.uint64(8)) % np.uint64(len(special))]
        return np.where((choice >> np.uint64(4)) % np.uint64(8) == 0, chosen, values).astype(dtype)


class Result:

    def __init__(self, name, got, expected, bound, across):
        self.name, self.got, self.expected, self.bound, self.across = name, got, expected, bound, across


class Run:
    """One kernel on one device: memory, launches, and what came out."""

    def __init__(self, device, module, kernel, architecture=90, fused=True):
        """`fused`: a*b+c was compiled to one instruction, as it is unless with -G."""
        self.device, self.module, self.kernel, self.architecture, self.fused = device, module, kernel, architecture, fused
        self.results, self.owned, self.inputs = [], [], hashlib.sha256()

    def fma(self, a, b, c):
        """a*b+c of float32 as the kernel has it: rounded once, or twice."""
        if self.fused:
            return exact.fma(a, b, c)
        with np.errstate(all="ignore"):
            return a * b + c

    def put(self, values):
        """A buffer with a copy of an array."""
        values = np.ascontiguousarray(values)
        self.inputs.update(values.tobytes())
        return self._own(driver.Buffer(self.device, values).write(values))

    def out(self, shape, dtype):
        """A poisoned buffer."""
        return self._own(driver.Buffer(self.device, np.empty(shape, dtype)).poison())

    def image(self, values, dimensions, **how):
        self.inputs.update(np.ascontiguousarray(values).tobytes())
        return self._own(driver.Image(self.device, values, dimensions, **how))

    def symbol(self, name):
        return self.module.symbol(name)

    def launch(self, grid, block, *arguments, shared=0, cooperative=False, kernel=None):
        function = self.module.function(kernel or self.kernel)
        driver.launch(self.device, function, grid, block, arguments, shared, cooperative)
        self.device.synchronize()

    def launch_printing(self, grid, block, *arguments):
        """Launches the kernel and returns the lines that it printed."""
        with driver.Captured() as captured:
            self.launch(grid, block, *arguments)
        return captured.text.decode().splitlines()

    def fault_of(self, grid, block, *arguments):
        """The name of the error that the launch ends in; the context is of no use afterwards."""
        try:
            self.launch(grid, block, *arguments)
        except driver.DriverError as error:
            return error.name
        return "CUDA_SUCCESS"

    def check(self, name, got, expected, bound=EXACT, across=None):
        """States a result: a buffer or an array, what NumPy says (None: only devices are compared), how near
        that must be, and how near two devices must be (exact if `bound` is; else twice as far, since each
        may be that far off on its own side)."""
        got = got.read() if isinstance(got, driver.Buffer) else np.asarray(got)
        if expected is not None:
            expected = np.broadcast_to(np.asarray(expected), got.shape)
            expected = expected if expected.dtype == got.dtype else expected.astype(got.dtype)
        if across is None:
            across = bound if bound.exact else Bound(2 * bound.ulp, 2 *
                                                     np.asarray(bound.absolute), bound.reason)
        self.results.append(Result(name, got, expected, bound, across))

    def _own(self, resource):
        self.owned.append(resource)
        return resource

    def free(self):
        for resource in self.owned:
            resource.free()
        self.owned = []


class Entry:
    """A kernel of a source file with its cases; `fatal`: the process is of no use afterwards."""

    def __init__(self, source, kernel, function, cases, fatal, least):
        self.source, self.kernel, self.function, self.cases, self.fatal, self.least = (source,
                                                                                       kernel,
                                                                                       function,
                                                                                       cases, fatal,
                                                                                       least)


ENTRIES = []


def entry(source, kernel, cases=({}, ), fatal=False, least=75):
    """Registers the decorated function for a kernel of SOURCE.cu; `least` is the lowest architecture that has it."""

    def register(function):
        ENTRIES.append(Entry(source, kernel, function, list(cases), fatal, least))
        return function

    return register


def case_name(case):
    return ",".join("%s=%s" % item for item in case.items()) or "default"
