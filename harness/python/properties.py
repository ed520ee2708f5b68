"""The ready properties of `check`: each says in words what is wrong with an array, or returns None.

The harness runs this text as a module of its own. `name` is what the suite calls the array.
"""
import numpy as np


class Misfit(Exception):
    """A value of the suite, under `key`, that does not fit."""

    def __init__(self, key, message):
        super().__init__(message)
        self.key = key


def element(name, a, index):
    """`a[1, 2] = 0.5`; a single value has no index."""
    place = np.unravel_index(index, a.shape)
    subscript = "[%s]" % ", ".join(str(int(i)) for i in place) if place else ""
    return "%s%s = %s" % (name, subscript, a[place])


def first(wrong):
    """The index of the first True, in C order; None if there is none."""
    index = int(np.argmax(wrong)) if wrong.size else 0
    return index if wrong.size and wrong.flat[index] else None


def is_nan(a):
    return np.isnan(a) if a.dtype.kind == "f" else np.zeros(a.shape, bool)


def check_sorted(name, a, values, args, order):
    if a.ndim == 0 or a.shape[-1] < 2:
        return None
    before, after = a[..., :-1], a[..., 1:]
    fits = before >= after if order == "descending" else before <= after
    at = first(~(fits | is_nan(after)))  # NaN is last in either order
    if at is None:
        return None
    place = np.unravel_index(at, before.shape)
    at = int(np.ravel_multi_index(place, a.shape))
    return "`%s` is not sorted%s: %s comes before %s" % (
        name, " in descending order" if order == "descending" else "", element(name, a, at),
        element(name, a, at + 1))


def bits(a):
    """Elements as integers that are equal for equal elements: NaN by its bits, and one zero."""
    whole = np.ascontiguousarray(a).reshape(-1).view("u%d" % a.dtype.itemsize).copy()
    whole[(a == 0).reshape(-1)] = 0
    return whole


def times(count):
    return "%d time%s" % (count, "" if count == 1 else "s")


def check_permutation(name, a, values, args, word):
    of, text = values["of"]
    if of.size != a.size:
        return "`%s` is no permutation of `%s`: it has %d elements, and %d are expected" % (
            name, text, a.size, of.size)
    mine, others = bits(a), bits(of)
    sorted_mine, sorted_others = np.sort(mine), np.sort(others)
    at = first(sorted_mine != sorted_others)
    if at is None:
        return None
    # The lower of the two is in its own array more often than in the other.
    own = sorted_mine[at] < sorted_others[at]
    which = sorted_mine[at] if own else sorted_others[at]
    source = a if own else of
    index = first((mine if own else others) == which)
    there = element(name, a, index) if own else "%s" % source.reshape(-1)[index]
    return "`%s` is no permutation of `%s`: %s is there %s, and %s in `%s`" % (
        name, text, there, times(np.count_nonzero(mine == which)),
        times(np.count_nonzero(others == which)), text)


def bound(key, values, a):
    if key not in values:
        return None
    value = np.asarray(values[key][0])
    if value.dtype.kind not in "buif":
        raise Misfit(key, "`%s` must be numbers, and is %s" % (key, value.dtype))
    if is_nan(value).any():
        raise Misfit(key, "`%s` is NaN, which bounds nothing" % key)
    try:
        np.broadcast_to(value, a.shape)
    except ValueError:
        raise Misfit(key, "`%s` has shape %s, which does not fit %s" % (key, value.shape, a.shape))
    # Beside an array of float32, 0.1 is np.float32(0.1), as in every NumPy expression.
    return values[key][0] if isinstance(values[key][0], float) else value


def check_within(name, a, values, args, word):
    low, high = bound("low", values, a), bound("high", values, a)
    for limit, key, outside in ((low, "low", lambda: a < low), (high, "high", lambda: a > high)):
        if limit is None:
            continue
        at = first(np.asarray(outside() | is_nan(a)))
        if at is None:
            continue
        if np.isnan(a.flat[at]):
            return "`%s` is out of bounds: %s is no number" % (name, element(name, a, at))
        number = np.broadcast_to(np.asarray(limit), a.shape).flat[at]
        return "`%s` is out of bounds: %s, and must be at %s %s" % (
            name, element(name, a, at), "least" if key == "low" else "most", number)
    return None


def single(key, values, default=None, positive=False):
    if key not in values:
        return default
    value = np.asarray(values[key][0])
    if value.size != 1 or value.dtype.kind not in "buif" or not np.isfinite(value).all():
        raise Misfit(key, "`%s` must be one finite number" % key)
    number = float(value.reshape(-1)[0])
    if positive and number <= 0:
        raise Misfit(key, "`%s` is %s, and must be more than 0" % (key, number))
    if key == "variance" and number < 0:
        raise Misfit(key, "`variance` is %s, and cannot be negative" % number)
    return number


def sample(name, a, least):
    """The elements in float64, and what is wrong with them as a sample."""
    x = a.reshape(-1).astype(np.float64)
    at = first(~np.isfinite(x))
    if at is not None:
        return x, "`%s` is no sample of numbers: it has %s" % (name, element(name, a, at))
    if x.size < least:
        return x, "`%s` is too small a sample: it has %d of at least %d elements" % (
            name, x.size, least)
    return x, None


# z-tests. Of n elements with mean m and central moments m2 and m4, where v = n/(n - 1) m2 estimates
# the variance, the standard errors are
#     of the mean      sqrt(variance / n), with v where the suite gives no variance
#     of v             sqrt((m4 - (n - 3)/(n - 1) m2**2) / n)
# the second with the sample's moments in the place of the distribution's (Mood, Graybill, Boes,
# Introduction to the Theory of Statistics, 3rd edition 1974, chapter VI, theorem 2). m2 and not v
# there: of fair coins m4 is m2**2, and all that is left is 2/(n - 1) m2**2.
#     A sample that happens to lie close together has a small v and m4 as well, and few elements
# often do: of ten of a normal distribution 3 % were 6 such errors off. So it takes a hundred, and
# the error of v is never less than that of a normal distribution with the wanted variance, whose
# m4 is 3 variance**2.
LEAST_MOMENTS = 100


def check_moments(name, a, values, args, word):
    mean, variance = single("mean", values), single("variance", values)
    sigmas = single("sigmas", values, 6.0, positive=True)
    x, problem = sample(name, a, LEAST_MOMENTS)
    if problem:
        return problem
    n = x.size
    m = x.mean()
    deviations = x - m
    m2 = np.square(deviations).mean()
    v = m2 * n / (n - 1)
    if mean is not None:
        error = np.sqrt((v if variance is None else variance) / n)
        if not abs(m - mean) <= sigmas * error:
            return moment_text("mean", name, m, mean, error, sigmas)
    if variance is not None:
        m4 = np.square(np.square(deviations)).mean()
        least = (3 - (n - 3) / (n - 1)) * variance * variance
        error = np.sqrt(max(m4 - (n - 3) / (n - 1) * m2 * m2, least) / n)
        if not abs(v - variance) <= sigmas * error:
            return moment_text("variance", name, v, variance, error, sigmas)
    return None


def moment_text(what, name, found, wanted, error, sigmas):
    return "the %s of `%s` is %.6g, and must be %.6g ± %.2g (%g standard errors)" % (
        what, name, found, wanted, sigmas * error, sigmas)


def check_distribution(name, a, values, args, cdf):
    from scipy import stats
    least = single("p", values, 1e-9, positive=True)
    if not hasattr(getattr(stats, cdf, None), "cdf"):
        raise Misfit("", "SciPy has no distribution `%s`" % cdf)
    numbers = tuple(single("args", {"args": (one, "")}) for one in args)
    x, problem = sample(name, a, 1)
    if problem:
        return problem
    try:
        result = stats.kstest(x, cdf, args=numbers)
    except TypeError as error:
        raise Misfit("args", "`%s` does not take these `args`: %s" % (cdf, error))
    if not np.isfinite(result.pvalue):
        raise Misfit("args", "`%s` has no values for these `args`" % cdf)
    if result.pvalue >= least:
        return None
    return ("`%s` is no sample of %s(%s): the Kolmogorov-Smirnov statistic is %.4g, p = %.2g, and "
            "p must be at least %g" % (name, cdf, ", ".join("%g" % one for one in numbers),
                                       result.statistic, result.pvalue, least))
