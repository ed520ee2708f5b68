"""Large arrays in expressions: evaluated by blocks, on all processors.

The harness runs this text as a module of its own. An expression sees a large array as a `Blocks`,
on which element-wise operations are only noted. They are done later, block by block, so that what
lies between them stays in the cache, and in several threads, since NumPy works without Python's
lock. Whatever a `Blocks` does not know is done by NumPy with the whole array, as if there were no
blocks.

Blocks have a fixed size, so that no result depends on the number of processors. Element-wise results
have the same bits as NumPy's own. A sum is the sum of the blocks' sums.
"""
import math
import operator

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

BLOCK = 2 ** 18  # elements; 2 MiB of float64, about what a core's cache holds
DEEPEST = 50     # operations in operations that are noted before the outermost is done

REDUCTIONS = {np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or,
              np.bitwise_and, np.bitwise_or, np.bitwise_xor}

def each_block(work, size, threads):
    """The results of work(begin, end) for the blocks of `size` elements, in their order.

    Floating-point errors are ignored, as in every expression. The first exception is raised.
    """
    def block(begin):
        with np.errstate(all="ignore"):
            return work(begin, min(begin + BLOCK, size))

    begins = range(0, size, BLOCK)
    if threads < 2 or len(begins) < 2:
        return [block(begin) for begin in begins]
    from concurrent.futures import ThreadPoolExecutor  # takes longer than most cases
    with ThreadPoolExecutor(min(threads, len(begins))) as pool:
        return list(pool.map(block, begins))


class Elements:
    """The elements of an array that is there; `flat` is contiguous."""

    depth = uses = 0

    def __init__(self, flat):
        self.flat, self.dtype = flat, flat.dtype

    def block(self, begin, end, known):
        return self.flat[begin:end]


class Draw:
    """Random numbers: block k is drawn from the stream that follows the generator's k + 1 jumps."""

    depth = uses = 0

    def __init__(self, state, name, arguments, named):
        self.state, self.name, self.arguments, self.named = state, name, arguments, named
        self.dtype = self._draw(0, 0).dtype

    def _draw(self, number, size):
        generator = np.random.Generator(jumped(self.state, number + 1))
        return getattr(generator, self.name)(*self.arguments, size=size, **self.named)

    def block(self, begin, end, known):
        return self._draw(begin // BLOCK, end - begin)


class Operation:
    """The result of `function`, which works element by element, over blocks and plain scalars."""

    uses = 0

    def __init__(self, function, inputs):
        self.function, self.inputs = function, inputs
        nodes = [one for one in inputs if is_node(one)]
        self.depth = 1 + max(node.depth for node in nodes)
        for node in nodes:
            node.uses += 1
        none = [np.empty(0, one.dtype) if is_node(one) else one for one in inputs]
        self.dtype = function(*none).dtype

    def block(self, begin, end, known):
        return self.function(*(value_of(one, begin, end, known) if is_node(one) else one
                               for one in self.inputs))


def is_node(value):
    return isinstance(value, (Elements, Draw, Operation))


def value_of(node, begin, end, known):
    """A block's elements of a node; `known` keeps what several operations of the block share."""
    if node.uses < 2:
        return node.block(begin, end, known)
    found = known.get(id(node))
    if found is None:
        found = known[id(node)] = node.block(begin, end, known)
    return found


def jumped(state, jumps):
    """The Philox generator that is that many jumps of 2^128 numbers behind `state`, new."""
    counter = state["state"]["counter"].copy()
    before = int(counter[2]) | int(counter[3]) << 64
    after = (before + jumps) % 2 ** 128
    counter[2], counter[3] = after % 2 ** 64, after >> 64
    return np.random.Philox(counter=counter, key=state["state"]["key"])


def is_scalar(value):
    return isinstance(value, (bool, int, float, complex, np.generic)) or (
        type(value) is np.ndarray and value.ndim == 0)


class Blocks(NDArrayOperatorsMixin):
    """A large array, in C order, whose elements may still be to be made."""

    def __init__(self, node, shape, threads):
        self._node, self._threads = node, threads
        self.shape, self.dtype = tuple(shape), node.dtype
        self.size, self.ndim = math.prod(self.shape), len(self.shape)
        self.nbytes = self.size * self.dtype.itemsize

    # Operations that stay in blocks.

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        is_element_wise = ufunc.signature is None and ufunc.nout == 1  # a product of matrices is not
        if method == "__call__" and is_element_wise and not set(named) - {"dtype", "casting"}:
            made = self._element_wise(lambda *values: ufunc(*values, **named), inputs)
            if made is not None:
                return made
        is_whole = named.get("axis", 0 if self.ndim == 1 else ...) in (None, 0)
        if method == "reduce" and not set(named) - {"axis", "dtype"} and is_whole:
            exact = np.dtype(named.get("dtype") or self.dtype).hasobject  # Python's own numbers
            if ufunc in REDUCTIONS and not exact and (self.ndim == 1 or named["axis"] is None):
                return self._reduced(ufunc, named.get("dtype"))
        return getattr(ufunc, method)(*map(whole, inputs),
                                      **{key: whole(value) for key, value in named.items()})

    def __array_function__(self, function, types, arguments, named):
        known = FUNCTIONS.get(function)
        if known is not None:
            try:
                made = known(*arguments, **named)
            except TypeError:  # an argument that only NumPy's function has
                made = NotImplemented
            if made is not NotImplemented:
                return made
        return function(*map(whole, arguments),
                        **{key: whole(value) for key, value in named.items()})

    def _element_wise(self, function, inputs):
        """The noted operation; None if an input is an array of another shape, or no number."""
        nodes = []
        for one in inputs:
            if isinstance(one, Blocks) and one.shape == self.shape:
                nodes.append(one._node)
            elif type(one) is np.ndarray and one.shape == self.shape:  # no mask, no matrix
                nodes.append(Elements(np.ascontiguousarray(one).reshape(-1)))
            elif is_scalar(one):
                nodes.append(one)
            else:
                return None
        made = Blocks(Operation(function, nodes), self.shape, self._threads)
        if made._node.depth > DEEPEST:
            whole(made)  # its elements are there now
        return made

    def _reduced(self, ufunc, dtype):
        node = self._node
        parts = each_block(
            lambda begin, end: ufunc.reduce(value_of(node, begin, end, {}), dtype=dtype),
            self.size, self._threads)
        return ufunc.reduce(np.array(parts), dtype=dtype)

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        if np.dtype(dtype).kind not in "biufc":
            return whole(self).astype(dtype, order, casting, subok, copy)
        cast = self._element_wise(lambda values: values.astype(dtype, casting=casting), [self])
        return cast if order in "KCA" else whole(cast).astype(dtype, order)

    def __pow__(self, exponent):
        # An array's operator takes squares and roots by themselves, with other bits than np.power.
        made = self._element_wise(operator.pow, [self, exponent])
        return whole(self) ** whole(exponent) if made is None else made

    def dot(self, b):
        return dot(self, b)

    def copy(self, order="C"):
        return whole(self).copy(order)

    # Operations on the whole array.

    def into(self, target, least=None, greatest=None):
        """Puts the elements into `target`, an array in C order of as many elements.

        False if one is not in the range that `least` and `greatest` give: then `target` is not whole.
        """
        node, flat = self._node, target.reshape(-1)
        errors = np.geterr()  # the caller's are for the cast

        def put(begin, end):
            values = value_of(node, begin, end, {})
            # NumPy 1 refuses to compare its numbers with one that their type lacks; Python compares.
            if least is not None and not least <= int(values.min()) <= int(values.max()) <= greatest:
                return False
            with np.errstate(**errors):
                np.copyto(flat[begin:end], values, casting="unsafe")
            return True

        return all(each_block(put, self.size, self._threads))

    def __array__(self, dtype=None, copy=None):
        if not isinstance(self._node, Elements):
            made = np.empty(self.shape, self.dtype)
            self.into(made)
            self._node = Elements(made.reshape(-1))
        array = self._node.flat.reshape(self.shape)
        if dtype is not None and np.dtype(dtype) != array.dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __getattr__(self, name):
        if not hasattr(np.ndarray, name):
            raise AttributeError("an array has no attribute '%s'" % name)
        return getattr(whole(self), name)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        return whole(self)[index]

    def __setitem__(self, index, value):
        array = whole(self)
        if array.flags.writeable:  # noted operations are over the values of before
            array = array.copy()
            self._node = Elements(array.reshape(-1))
        array[index] = whole(value)

    def __iter__(self):
        return iter(whole(self))

    def __contains__(self, value):
        return value in whole(self)

    def __bool__(self):
        return bool(whole(self))

    def __repr__(self):
        return repr(whole(self))


def _reduction(name, ufunc):
    takes_dtype = name in ("sum", "prod")

    def method(self, axis=None, *more, **named):
        if takes_dtype and len(more) == 1 and not named:
            more, named = (), {"dtype": more[0]}
        if more or set(named) - {"dtype"} or (named and not takes_dtype):
            return getattr(whole(self), name)(axis, *more, **named)
        return ufunc.reduce(self, axis=axis, dtype=named.get("dtype"))

    setattr(Blocks, name, method)
    return method


def whole(value):
    """The plain array of a Blocks; tuples and lists with their members' arrays; else the value."""
    if isinstance(value, Blocks):
        return value.__array__()
    if type(value) in (tuple, list):
        return type(value)(map(whole, value))
    return value


def where(condition, x, y):
    for one in (condition, x, y):
        if isinstance(one, Blocks):
            made = one._element_wise(np.where, (condition, x, y))
            return NotImplemented if made is None else made
    return NotImplemented


def clip(a, a_min=None, a_max=None):
    if a_min is None or a_max is None or not isinstance(a, Blocks):
        return NotImplemented
    made = a._element_wise(np.clip, (a, a_min, a_max))
    return NotImplemented if made is None else made


def dot(a, b):
    """The scalar product of two vectors: the sum of the blocks' products by NumPy's own dot."""
    one = a if isinstance(a, Blocks) else b
    known = all(isinstance(v, Blocks) or type(v) is np.ndarray for v in (a, b))
    if not known or one.ndim != 1 or np.shape(a) != np.shape(b) or np.result_type(a.dtype, b.dtype).hasobject:
        return np.dot(whole(a), whole(b))
    nodes = [v._node if isinstance(v, Blocks) else Elements(np.ascontiguousarray(v)) for v in (a, b)]

    def product(begin, end):
        shared = {}
        return np.dot(*(value_of(node, begin, end, shared) for node in nodes))

    parts = np.array(each_block(product, one.size, one._threads))
    return np.add.reduce(parts, dtype=parts.dtype)


FUNCTIONS = {np.where: where, np.clip: clip, np.dot: dot, np.shape: lambda a: a.shape,
             np.ndim: lambda a: a.ndim}
for _name, _ufunc in (("sum", np.add), ("prod", np.multiply), ("max", np.maximum), ("min", np.minimum),
                      ("all", np.logical_and), ("any", np.logical_or)):
    FUNCTIONS[getattr(np, _name)] = _reduction(_name, _ufunc)


def blocks_of(array, threads):
    """An array in C order as an expression sees it."""
    return Blocks(Elements(array.reshape(-1)), array.shape, threads)


def draw(generator, name, parameters, options, shape, threads):
    """Random numbers by blocks; the generator goes on behind the streams of all blocks."""
    state = generator.bit_generator.state
    made = Blocks(Draw(state, name, parameters, options), shape, threads)
    generator.bit_generator.state = jumped(state, -(-made.size // BLOCK) + 1).state
    return made
