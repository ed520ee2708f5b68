"""Functions of CUDA's headers as NVRTC compiles them (functions.cu), at many points.

Exact are those whose PTX has no approximate instruction: two devices must give the same bits. For the
others the CUDA C++ Programming Guide (its appendix on mathematical functions) states a greatest error in
ulp of either, so that two devices may be twice as far apart.
"""
import os
import re

import numpy as np

from catalogue import EXACT, Bound

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.cu")

# Greatest errors in ulp that the guide states. fmod and remainder are exact although they divide approximately.
ULP = {
    "expf": 2,
    "exp2f": 2,
    "exp10f": 2,
    "expm1f": 2,
    "tanf": 4,
    "asinf": 2,
    "acosf": 2,
    "atanf": 2,
    "sinhf": 3,
    "coshf": 2,
    "tanhf": 2,
    "asinhf": 3,
    "acoshf": 4,
    "atanhf": 3,
    "erff": 2,
    "erfcf": 4,
    "cbrtf": 1,
    "rcbrtf": 1,
    "rsqrtf": 2,
    "lgammaf": 6,
    "tgammaf": 5,
    "erfinvf": 2,
    "normcdff": 5,
    "powf": 4,
    "fmodf": 0,
    "remainderf": 0,
    "log": 1,
    "log2": 1,
    "log10": 1,
    "log1p": 1,
    "tan": 2,
    "asin": 2,
    "acos": 2,
    "atan": 2,
    "sinh": 2,
    "cosh": 1,
    "tanh": 1,
    "asinh": 3,
    "acosh": 3,
    "atanh": 2,
    "erf": 2,
    "erfc": 5,
    "cbrt": 1,
    "rsqrt": 1,
    "lgamma": 4,
    "tgamma": 10,
    "pow": 2,
    "hypot": 2
}


def names(ptx):
    return re.findall(r"\.entry\s+(\w+)", ptx)


def bodies(ptx):
    """The text of each function by its name."""
    found = {}
    for piece in ptx.split("\n}\n"):
        head = piece[:piece.find("\n{")]
        defined = list(re.finditer(r"\.entry\s+(\w+)|\.func\s*(?:\([^)]*\)\s*)?(\w+)\s*\(", head))
        if defined:  # what stands before the last one are declarations
            found[defined[-1].group(1) or defined[-1].group(2)] = piece[defined[-1].start():]
    return found


def bound_of(name, ptx):
    """By the kernel's text and that of the functions it calls."""
    functions = bodies(ptx)
    text = lambda function: functions[function] + "".join(
        text(other) for other in functions
        if other != function and re.search(r"\b%s\b" % other, functions[function]))
    stated = ULP.get(name[2:])
    if ".approx" not in text(name) or stated == 0:
        return EXACT
    # Near zeros of lgamma no ulp holds: the guide excludes them, and an absolute error stands in.
    near_zeros = {
        "a_lgammaf": 1e-5,
        "b_lgamma": 1e-13
    }.get(name, float(np.finfo(dtype_of(name)).tiny))
    return Bound(ulp=2 * stated,
                 absolute=near_zeros,
                 reason="of approximate instructions: %d ulp each" % stated)


def dtype_of(name):
    return np.dtype("f4" if name[0] in "fa" else "f8")


def points_of(name, random, points):
    """Half any bits, half where the function is used; the second operand likewise."""
    dtype = dtype_of(name)
    wide = points - points // 2 - points // 4
    draw = lambda: np.concatenate([
        random.bits(points // 2, dtype),
        random.uniform(points // 4, -2, 2, dtype),
        random.uniform(wide, -100, 100, dtype)
    ])
    x, y = draw(), draw()
    y[:points // 8] = x[:points // 8] * dtype.type(1.5)  # quotients and arguments near one
    return (np.abs(x) if "lgamma" in name else x), y
