"""The generator of an argument, which draws large arrays by blocks.

The harness runs this text as a module of its own, for every case: so it is short, and blocks.py, which
does what large arrays need, is loaded with the first of them.
"""
import math

import numpy as np

# The distributions that draw one number for each element: the place of `size` among their positional
# parameters.
SIZE_AT = {"random": 0, "standard_normal": 0, "standard_exponential": 0, "integers": 2, "uniform": 2,
           "normal": 2, "exponential": 1, "lognormal": 2, "laplace": 2, "logistic": 2, "gumbel": 2,
           "poisson": 1, "binomial": 2, "geometric": 1, "gamma": 2, "beta": 2, "rayleigh": 1}


def is_plain(value):
    """True for one number, a dtype, or the name of a method: nothing that has to be taken apart."""
    return isinstance(value, (bool, int, float, np.generic, str, type, np.dtype))


class Generator(np.random.Generator):
    """A generator that draws arrays of at least `least` elements by blocks, each from its own stream.

    The numbers do not depend on the number of processors. Smaller arrays are those of NumPy's own
    generator. `draw_blocks` makes the large ones.
    """

    def _drawn(self, name, arguments, named):
        at = SIZE_AT[name]
        parameters, rest = arguments[:at], arguments[at + 1:]
        size = arguments[at] if len(arguments) > at else named.get("size")
        shape = tuple(size) if np.iterable(size) else () if size is None else (size,)
        options = {key: value for key, value in named.items() if key != "size"}
        by_blocks = not rest and all(isinstance(one, (int, np.integer)) and one >= 0 for one in shape) and (
            math.prod(shape) >= self.least) and all(map(is_plain, (*parameters, *options.values())))
        if not by_blocks:
            return getattr(super(), name)(*arguments, **named)
        return self.draw_blocks(self, name, parameters, options, tuple(map(int, shape)))

    def shuffle(self, x, axis=0):
        # Blocks are shuffled as the array that they are; a list is one of its own.
        super().shuffle(x.__array__() if type(x).__name__ == "Blocks" else x, axis)


def _by_blocks(name):
    def draw(self, *arguments, **named):
        return self._drawn(name, arguments, named)

    draw.__name__ = name
    return draw


for _name in SIZE_AT:
    setattr(Generator, _name, _by_blocks(_name))


def generator(key, least, draw_blocks):
    """The generator of an argument, from its key of 128 bits, in its first state."""
    made = Generator(np.random.Philox(key=key))
    made.least, made.draw_blocks = least, draw_blocks
    return made
