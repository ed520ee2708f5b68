"""Kernels of known idioms with exactly one order left out, and their right twins, made from a seed.

Each file of idioms/ is an idiom: CUDA C++ with lines `//@` that say how it is launched and what comes out, and with marks
around each order that is needed.

    //@ choice NAME TEXT | TEXT …        one of these stands for $NAME, in the code and in the lines below
    //@ launch grid=8 block=$N [cooperative=1] [shared=BYTES]
    //@ array NAME DTYPE COUNT [= VALUES]   an argument; unless it has values its memory has none
    //@ value NAME DTYPE = VALUE            an argument by value
    //@ expect NAME = VALUES                what the array holds afterwards

COUNT, VALUES and VALUE are Python with NumPy as `np`, a generator `rng`, the choices and the arguments before. Arguments stand
in the kernel's order. $K is the kernel's name.

    @{order: text}                       text that a bug `order` lacks
    @{order: right ~ wrong}              … or has `wrong` in the place of

Marks of one name belong to one order. With `@{order?: …}` only a warning is due: the model lacks an order, and code that
works everywhere does without it.
"""
import dataclasses
import glob
import os
import random
import re

import numpy as np

IDIOMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "idioms")
MARK = re.compile(r"@\{(\w+)(\??):(.*?)(?:~(.*?))?\}@", re.DOTALL)
DECLARED = re.compile(r"(\w+) (long long|\w+) ?(.*)")
DTYPES = {"int": "int32", "unsigned": "uint32", "float": "float32", "double": "float64", "long long": "int64",
          "unsigned long long": "uint64"}


@dataclasses.dataclass
class Kernel:
    """One kernel: an idiom with its choices made, whole or without one of its orders."""
    idiom: str
    name: str
    missing: str  # the order that is left out; "" is the right twin
    warning: bool  # all that is due is a warning
    choices: dict
    launch: dict
    lines: list  # (array, value or expect; name; dtype; count; values)
    includes: list
    source: str

    def size(self, key):
        return tuple(int(n) for n in self.launch.get(key, "1").split("x"))

    def values(self, seed):
        """Arguments as (name, array or scalar, has values), and what is expected of arrays, by name."""
        names = {"np": np, "rng": np.random.default_rng(seed), **self.choices}
        arguments, expected = [], {}
        for what, name, dtype, count, text in self.lines:
            if what == "expect":
                expected[name] = np.asarray(eval(text, names))  # our own files
            elif what == "value":
                names[name] = np.dtype(dtype).type(eval(text, names))
                arguments.append((name, names[name], True))
            else:
                array = np.zeros(int(eval(count, names)), dtype)
                if text:
                    array[...] = eval(text, names)
                names[name] = array
                arguments.append((name, array, bool(text)))
        return arguments, expected


def number_or_text(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else text


class Idiom:
    """A file of idioms/."""

    def __init__(self, path):
        self.name = os.path.basename(path)[:-3]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.head = [line[3:].strip() for line in text.splitlines() if line.startswith("//@")]
        self.includes = [line for line in text.splitlines() if line.startswith("#include")]
        self.code = "\n".join(line for line in text.splitlines() if not line.startswith(("//", "#include")))
        marks = {name: bool(mild) for name, mild, _, _ in MARK.findall(self.code)}
        self.orders = list(marks)
        self.warnings = {name for name, mild in marks.items() if mild}

    def kernel(self, number, missing, rng):
        """With the choices of `rng`."""
        choices, launch, lines = {}, {}, []

        def chosen(text):
            return re.sub(r"\$(\w+)", lambda found: str(choices.get(found[1], found[0])), text)

        for line in self.head:
            word, _, rest = line.partition(" ")
            if word == "choice":
                name, _, texts = rest.partition(" ")
                choices[name] = number_or_text(chosen(rng.choice(texts.split(" | ")).strip()))
                continue
            rest = chosen(rest)
            if word == "launch":
                launch = dict(pair.split("=") for pair in rest.split())
            elif word in ("array", "value"):
                declared, _, values = rest.partition(" = ")
                name, dtype, count = DECLARED.match(declared).groups()
                lines.append((word, name, DTYPES.get(dtype, dtype), count, values))
            elif word == "expect":
                declared, _, values = rest.partition(" = ")
                lines.append((word, declared.strip(), "", "", values))
            else:
                raise ValueError("%s: //@ %s" % (self.name, line))
        name = "%s_%d_%s" % (self.name, number, missing or "right")

        def order(found):
            return (found[4] or "").strip() if found[1] == missing else found[3].strip()

        source = chosen(MARK.sub(order, self.code).replace("$K", name))
        return Kernel(self.name, name, missing, missing in self.warnings, choices, launch, lines, self.includes,
                      "namespace %s_ {\n%s\n}\n" % (name, source))


def idioms(folder=IDIOMS):
    return [Idiom(path) for path in sorted(glob.glob(os.path.join(folder, "*.cu")))]


def generate(seed, variants, word="", folder=IDIOMS):
    """Kernels of each idiom in `variants` variants: the right one, and one for each order."""
    made = {}
    for idiom in idioms(folder):
        kernels = []
        for number in range(variants):
            for missing in ["", *idiom.orders]:
                # The twin of a bug has the same choices.
                kernels.append(idiom.kernel(number, missing, random.Random("%s %s %d" % (seed, idiom.name, number))))
        made[idiom.name] = [kernel for kernel in kernels if word in kernel.name]
    return made


def source_of(kernels):
    includes = sorted({line for kernel in kernels for line in kernel.includes})
    return "\n".join(includes) + "\n" + "".join(kernel.source for kernel in kernels)
