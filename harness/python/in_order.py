"""Arrays that compute as a plain kernel does: sums take one element after the other, nothing is wider than float32."""
import numpy as np

MOST_TERMS = 2**20  # of a product that are held at the same time; of a larger one a loop adds them


def plain(value):
    """The value without this class; lists and tuples of them, too."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    return value.view(np.ndarray) if isinstance(value, InOrder) else value


def narrowed(value):
    """A result as this class, and in float32 if it has more bits."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(narrowed, value))
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "fc":
        return value
    array = np.asarray(value)
    narrow = np.dtype("float32" if array.dtype.kind == "f" else "complex64")
    return array.astype(min(array.dtype, narrow, key=lambda dtype: dtype.itemsize)).view(InOrder)


def summed(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """np.add.reduce from the first element to the last; halves are added in float32, as NumPy does."""
    array = np.asarray(array)
    if array.dtype.kind not in "fc" or where is not True:
        options = {} if initial is None else {"initial": initial}
        return np.add.reduce(array, axis=axis, dtype=dtype, keepdims=keepdims, where=where, **options)
    axes = tuple(range(array.ndim)) if axis is None else tuple(one % array.ndim for one in np.atleast_1d(axis))
    shape = [1 if one in axes else extent for one, extent in enumerate(array.shape)]
    kept = [one for one in range(array.ndim) if one not in axes]
    rows = array.transpose(kept + list(axes)).reshape([array.shape[one] for one in kept] + [-1])
    wide = np.result_type(array.dtype, np.float32)
    total = np.add.accumulate(rows, axis=-1, dtype=wide)[..., -1] if rows.shape[-1] else np.zeros(rows.shape[:-1], wide)
    total = (total if initial is None else total + wide.type(initial)).astype(array.dtype)
    return total.reshape(shape) if keepdims else total


def product(left, right):
    """np.matmul, term after term."""
    left, right = np.asarray(left), np.asarray(right)
    if left.dtype.kind not in "fc" or right.dtype.kind not in "fc":
        return np.matmul(left, right)
    kind, wide = np.result_type(left, right), np.result_type(left, right, np.float32)
    a = (left if left.ndim > 1 else left[None]).astype(wide)
    b = (right if right.ndim > 1 else right[:, None]).astype(wide)
    if a.shape[-1] != b.shape[-2]:
        return np.matmul(left, right)  # raises in NumPy's words
    terms = a.shape[-1]
    if not terms:
        return np.matmul(left, right)
    if a.size * b.shape[-1] <= MOST_TERMS:
        total = np.add.accumulate(a[..., :, None, :] * b.swapaxes(-1, -2)[..., None, :, :], axis=-1)[..., -1]
    else:
        total = a[..., :, 0, None] * b[..., None, 0, :]
        for term in range(1, terms):
            total += a[..., :, term, None] * b[..., None, term, :]
    total = total[..., 0] if right.ndim == 1 else total
    return (total[..., 0] if left.ndim == 1 and right.ndim == 1 else total[..., 0, :] if left.ndim == 1 else total).astype(kind)


def dot(left, right):
    left, right = np.asarray(left), np.asarray(right)
    if left.ndim == 0 or right.ndim == 0:
        return left * right
    return product(left, right) if max(left.ndim, right.ndim) < 3 else np.dot(left, right)


FUNCTIONS = {np.dot: dot, np.inner: lambda left, right: dot(left, np.asarray(right).T),
             np.vdot: lambda left, right: dot(np.conj(np.ravel(left)), np.ravel(right))}


class InOrder(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        values = plain(inputs)
        if ufunc is np.add and method == "reduce":
            result = summed(*values, **plain_options(options))
        elif ufunc is np.matmul and method == "__call__" and not options:
            result = product(*values)
        else:
            result = getattr(ufunc, method)(*values, **plain_options(options))
        result = narrowed(result)
        for target, value in zip(out or (), result if isinstance(result, tuple) else (result,)):
            if target is not None:
                plain(target)[...] = plain(value)
        return result if out is None else out if len(out) > 1 else out[0]

    def __array_function__(self, function, types, arguments, options):
        replaced = FUNCTIONS.get(function)
        if replaced is not None and not options:
            return narrowed(replaced(*plain(arguments)))
        return narrowed(super().__array_function__(function, types, arguments, options))

    def astype(self, dtype, *arguments, **options):
        return narrowed(plain(self).astype(dtype, *arguments, **options))

    def dot(self, other):
        return np.dot(self, other)


def plain_options(options):
    return {name: plain(value) for name, value in options.items()}


def of(value):
    """An array of a scope as this class; all other values as they are."""
    if isinstance(value, dict):
        return {name: of(one) for name, one in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return value.view(InOrder)
    return value
