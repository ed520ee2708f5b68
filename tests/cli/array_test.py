# The plugin `array`: random expressions over whole arrays against NumPy on the CPU device, and what
# it says of mistakes.
import os
import random
import re
import textwrap
import unittest
import warnings

os.environ.setdefault("NPY_PROMOTION_STATE", "weak")  # NumPy 1 as NumPy 2
import numpy  # noqa: E402

from program import SEED, SOURCE, CheckTest

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = ["float16", "float32", "float64"]
TYPES = ["bool"] + INTEGERS + REALS


class Expression:
    """A random text whose value has a shape that broadcasts to `shape`."""

    def __init__(self, choose, shape, arrays, scalars):
        self.choose, self.shape, self.arrays, self.scalars = choose, shape, arrays, scalars

    def view(self):
        choose = self.choose
        name, extents = choose.choice(self.arrays)
        wanted = self.shape[len(self.shape) - choose.randint(0, len(extents)):]
        surplus = len(extents) - len(wanted)
        index = [str(choose.randrange(-extent, extent)) for extent in extents[:surplus]]
        for extent, want in zip(extents[surplus:], wanted):
            index.append(self.slice(extent, 1 if choose.random() < 0.15 else want))
        text = "%s[%s]" % (name, ", ".join(index))
        if len(wanted) == 2 and wanted[0] == wanted[1] and choose.random() < 0.4:
            return text + ".T"
        if len(wanted) == 1 and self.shape[-2:] == wanted * 2 and choose.random() < 0.4:
            return text + "[:, None]"
        return text

    def slice(self, extent, want):
        """A slice of `want` elements out of `extent`."""
        choose = self.choose
        step = choose.choice([1, 1, 2, 3])
        if want > 1:
            step = min(step, (extent - 1) // (want - 1))
        start = choose.randrange(0, extent - (want - 1) * step)
        last = start + (want - 1) * step
        if choose.random() < 0.4:
            return "%d:%s:%d" % (last, start - 1 if start > 0 else "", -step)
        stop = last + 1
        end = str(stop) if stop < extent else choose.choice(["", str(extent + 5)])
        begin = start - extent if choose.random() < 0.3 else start
        return "%d:%s:%d" % (begin, end, step)

    def leaf(self):
        kind = self.choose.randrange(8)
        if kind == 0:
            return str(self.choose.randrange(0, 4))
        if kind == 1:
            return self.choose.choice(["0.5", "2.0", "1.5e0"])
        if kind == 2 and self.scalars:
            return self.choose.choice(self.scalars)
        if kind == 3:
            return "np.arange(%d)" % self.shape[-1]
        return self.view()

    def make(self, depth):
        choose = self.choose
        if depth == 0 or choose.randrange(6) == 0:
            return self.leaf()
        text, other = self.make(depth - 1), self.make(depth - 1)
        form = choose.randrange(9)
        if form < 3:
            return "(%s %s %s)" % (text, choose.choice(
                ["+", "-", "*", "+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>"]), other)
        if form == 3:
            return "(%s %s %s)" % (text, choose.choice(["<", "<=", ">", ">=", "==", "!="]), other)
        if form == 4:
            return "np.%s(%s, %s)" % (choose.choice(
                ["minimum", "maximum", "fmin", "fmax", "fmod", "add", "multiply", "floor_divide",
                 "true_divide", "logical_and", "logical_xor", "remainder", "greater"]), text, other)
        if form == 5:
            return "np.%s(%s)" % (choose.choice(
                ["sqrt", "abs", "fabs", "sign", "square", "rint", "isnan", "logical_not", "negative",
                 "isfinite", "floor", "trunc", "positive"]), text)
        if form == 6:
            return "np.where(%s, %s, %s)" % (self.make(depth - 1), text, other)
        if form == 7:
            # The sign of a NaN is not NumPy's to say.
            return choose.choice(["np.copysign(%s, %s)" % (text, self.view()),
                                  "np.signbit(%s)" % self.view(),
                                  "np.clip(%s, 1, 3)" % text,
                                  "np.float32(%s)" % text])
        return choose.choice(["(-%s)", "(+%s)", "(~%s)", "(%s) ** 2", "abs(%s)",
                              "(%s).astype(np.float64)"]) % text


def numpy_takes(text, arrays, scalars):
    """Returns whether NumPy computes the text; it refuses subtraction of bools, `&` of floats …"""
    names = {name: numpy.zeros(extents, dtype) for name, dtype, extents in arrays}
    names.update({name: numpy.dtype(dtype).type(3) for name, dtype in scalars}, np=numpy)
    try:
        with numpy.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", DeprecationWarning)
            return getattr(eval(text, names), "shape", None) is not None
    except (TypeError, OverflowError, ZeroDivisionError, ValueError, AttributeError,
            DeprecationWarning):
        return False


class Random(CheckTest):
    COUNT = 30

    def suite(self, choose):
        rank = choose.randint(1, 3)
        shape = [choose.choice([1, 2, 3, 5, 7, 33]) for _ in range(rank)]
        if rank > 1 and choose.random() < 0.3:
            shape[-1] = shape[-2]
        arrays, scalars = [], []
        for k in range(choose.randint(1, 3)):
            extents = [extent + choose.choice([0, 0, 1, extent])
                       for extent in shape[-choose.randint(1, rank):]]
            arrays.append(("x%d" % k, choose.choice(TYPES), extents))
        if choose.random() < 0.5:
            scalars.append(("s", choose.choice(TYPES[1:])))
        expression = Expression(choose, shape, [(name, extents) for name, _, extents in arrays],
                                [name for name, _ in scalars])
        text = expression.make(3)
        while not numpy_takes(text, arrays, scalars) or "x" not in text:
            text = expression.make(3)
        arguments = ["%s: {in: \"%s\", dtype: %s}" % (name, self.values(dtype, extents), dtype)
                     for name, dtype, extents in arrays]
        arguments += ["%s: {scalar: 3, dtype: %s}" % scalar for scalar in scalars]
        arguments.append("z: {out: [%s], dtype: %s}" % (", ".join(map(str, shape)),
                                                        choose.choice(REALS)))
        target = choose.choice(["z", "z[...]", "z[%s]" % ", ".join(["::-1"] * rank)])
        return "warpmark: 1\nplugin: array\nkernel: {expression: \"%s = %s\"}\narguments:\n%s\n" % (
            target, text, textwrap.indent("\n".join(arguments), "  "))

    @staticmethod
    def values(dtype, extents):
        size = "(%s,)" % ", ".join(map(str, extents))
        if dtype == "bool":
            return "rng.integers(0, 2, %s) > 0" % size
        low = 0 if dtype.startswith("u") else -100
        return "rng.integers(%d, 127, %s)%s" % (low, size, " / 8" if dtype in REALS else "")

    def test_random_expressions(self):
        choose = random.Random("%d %d" % (SEED, self.COUNT))
        texts = [self.suite(choose) for _ in range(self.COUNT)]
        for number, text in enumerate(texts):
            self.write("suites/s%04d.yaml" % number, text)
        done = self.start("check", "suites", "--device", "cpu", timeout=1500)
        out = done.stdout.decode() + done.stderr.decode()
        print("seed %d" % SEED)
        # NumPy 1 and 2 do not agree on a few types, and the plugin says so.
        bad = [block for block in out.split("\nFAILED ")[1:]
               if "is another t" not in block and " is no uint" not in block and " is no int" not in block]
        numbers = [int(re.match(r"s(\d+)", block).group(1)) for block in bad]
        self.assertEqual(bad, [], "seed %d\n%s" % (SEED, "\n".join(texts[k] for k in numbers[:3])))
        passed = int(re.search(r"\n([\d,]+) passed", out).group(1).replace(",", ""))
        self.assertGreater(passed, self.COUNT * 3 / 4)


class Long(Random):
    COUNT = 1500


class Places(CheckTest):
    """Assignments to overlapping parts of arrays, in place, one after the other."""

    def suite(self, choose):
        n = choose.choice([4, 9, 40])
        expression = Expression(choose, [0], [], [])
        lines = []
        for _ in range(choose.randint(1, 4)):
            count = choose.randint(1, n)
            parts = ["%s[%s]" % (choose.choice("xyz"), expression.slice(n, count)) for _ in range(3)]
            lines.append(choose.choice(["%s = %s + %s", "%s += %s - 2 * %s"]) % tuple(parts))
        lines += ["%s = %s" % (name, name) for name in "xyz"]
        return ("warpmark: 1\nplugin: array\nkernel:\n  expression: |\n%s\narguments:\n%s\n" % (
            textwrap.indent("\n".join(lines), "    "), "\n".join(
                "  %s: {inout: \"rng.integers(0, 100, %d)\", dtype: int32}" % (name, n) for name in "xyz")))

    def test_random_assignments(self):
        choose = random.Random("%d places" % SEED)
        texts = [self.suite(choose) for _ in range(20)]
        for number, text in enumerate(texts):
            self.write("suites/s%04d.yaml" % number, text)
        done = self.start("check", "suites", "--device", "cpu", "--checks", "all", timeout=120)
        out = done.stdout.decode() + done.stderr.decode()
        bad = sorted(set(re.findall(r"FAILED s(\d+)\.", out)))
        self.assertIn("\n%d passed in" % len(texts), out, "seed %d\n%s\n%s" % (
            SEED, "\n".join(texts[int(number)] for number in bad[:2]), out))


class Tiles(CheckTest):
    """Views along the columns of the result go through shared memory."""

    EXPRESSIONS = [
        "z = x.T + y",
        "z = x.T * x.T - y[::-1]",
        "z = x[::-1].T + x + s",
        "z = y\n    z = x[:, ::-1].T + z",
        "z = z.T + x",  # a copy of z is read
        "z = x.T[3]\n    w = x.T",
        "w = np.where(x.T > y, z.T, x)",
    ]

    def test_transposed_views(self):
        for number, expression in enumerate(self.EXPRESSIONS):
            self.write("suites/t%d.yaml" % number, """warpmark: 1
plugin: array
kernel:
  expression: |
    %s
    z = z
    w = w
axes: {dtype: [int8, float16, float64], n: [15, 16, 33, 70]}
arguments:
  x: {in: "rng.integers(-20, 20, (n, n))", dtype: dtype}
  y: {in: "rng.integers(-20, 20, (n, n))", dtype: dtype}
  s: {scalar: 3, dtype: dtype}
  z: {inout: "rng.integers(-20, 20, (n, n))", dtype: dtype}
  w: {inout: "rng.integers(-20, 20, (n, n))", dtype: dtype}
""" % expression)
        out = self.start("check", "suites", "--device", "cpu", "--checks", "all").stdout.decode()
        self.assertIn("\n84 passed in", out)

    def test_three_dimensions(self):
        self.write("suites/t.yaml", """warpmark: 1
plugin: array
kernel: {expression: "z = x.T[1:, ::-1] + y.T[:20, None, :]"}
arguments:
  x: {in: "rng.random((40, 3, 21))", dtype: float32}
  y: {in: "rng.random((40, 21))", dtype: float32}
  z: {out: [20, 3, 40], dtype: float32}
tolerance: exact
""")
        self.check("--checks", "all")
        plan = self.start("plan", "suites/t.yaml").stdout.decode()
        self.assertIn("__shared__ float warpmark_staged_0[32][33]", plan)
        self.assertIn("__shared__ float warpmark_staged_1[32][33]", plan)


class Division(CheckTest):
    def test_awkward_quotients(self):
        # Quotients that round up to a whole number, huge ones, zeros of both signs, no numbers.
        self.write("suites/d.yaml", """warpmark: 1
plugin: array
kernel: {expression: "z = x // y", shapes: {x: [4196], y: [4196]}}
axes: {dtype: [float16, float32, float64]}
arguments:
  x: {in: "np.concatenate([np.repeat(special, 14), whole * y0 * (1 + eps * rng.integers(-2, 3, 4000))])", dtype: dtype}
  y: {in: "np.concatenate([np.tile(special, 14), y0])", dtype: dtype}
  z: {out: 4196, dtype: dtype}
tolerance: exact
""".replace("special", "np.array([0, -0.0, 1, -1, 3, -7, 0.1, 1e-8, 6e4, -6e4, 2**-24, np.inf, -np.inf,"
            " np.nan])").replace("whole", "rng.integers(-2000, 2000, 4000)").replace(
                "y0", "((np.arange(4000) % 101 - 50.5) / 8)").replace("eps", "np.finfo(dtype).eps"))
        self.check()


class Documentation(CheckTest):
    def test_examples_pass(self):
        text = (SOURCE / "docs/plugin-array.md").read_text()
        examples = re.findall(r"```yaml\n(.*?)```", text, re.S)
        self.assertTrue(examples)
        for number, example in enumerate(examples):
            self.write("suites/example_%d.yaml" % number, example)
        self.check()


class Mistakes(CheckTest):
    """Each is reported at its line and column of the suite."""

    SUITE = ("warpmark: 1\nplugin: array\nkernel:\n%s\naxes: {n: [6]}\narguments:\n"
             "  x: {in: %s, dtype: float32}\n  z: {out: n, dtype: %s}\n")

    def refusal(self, expression, place, message, x="rng.random(n)", z="float32", keys=""):
        self.write("suites/s.yaml", self.SUITE % (keys or "  expression: " + expression, x, z))
        out = self.check(code=2)[1]
        self.assertIn("suites/s.yaml:%s: error: %s" % (place, message), out)
        return out

    def test_at_the_column_of_a_line(self):
        self.refusal("z = x + x[:2]", "4:21", "shapes (6,) and (2,) do not broadcast")

    def test_at_the_column_of_a_quoted_text(self):
        out = self.refusal('"z = np.sqr(x)"', "4:23", "`np.sqr` is not supported")
        self.assertIn("hint: did you mean `sqrt`?", out)

    def test_at_the_line_of_a_block(self):
        self.refusal("", "6:15", "the index 6 is out of range: 6 elements are there",
                     keys="  expression: |\n    y = 2 * x\n    z = y + x[n]")

    def test_at_an_argument(self):
        self.refusal("z = x", "8:3", "`z` is complex64, which the plugin `array` does not support",
                     z="complex64")

    def test_a_shape_that_is_not_plain(self):
        out = self.refusal("z = x", "7:3", "the shape of `x` is not plain from `np.r_[1:7]`",
                           x='"np.r_[1:7]"')
        self.assertIn("shapes: {x: [n, 3]}", out)

    def test_a_shape_that_is_another_one(self):
        keys = "  expression: z = x\n  shapes: {x: n}"
        self.write("suites/s.yaml", self.SUITE % (keys, '"np.r_[1:9]"', "float32"))
        out = self.check(code=1)[0]
        self.assertIn("suites/s.yaml:8:3: error: `x` has 8 elements, but 9, from 0 to 8, are accessed: "
                      "the expression is planned for `x` of shape (6,)", out)

    def test_a_wrong_reference_of_the_suite_counts(self):
        text = self.SUITE % ("  expression: z = 2 * x", "rng.random(n)", "float32")
        self.write("suites/s.yaml", text)
        self.check()
        self.write("suites/s.yaml", text + "reference: {z: 3 * x}\n")
        self.check(code=1)

    def test_a_tolerance_for_one_output(self):
        text = self.SUITE % ("  expression: z = np.exp(x)", "rng.random(n)", "float32")
        self.write("suites/s.yaml", text + "tolerance: {outputs: {z: {ulp: 5}}}\n")
        self.check()

    def test_another_plugin_still_needs_references(self):
        self.write("suites/s.yaml", "warpmark: 1\nplugin: elementwise\nkernel: {parameters: int *x, "
                   "operation: 'x[i] = 1'}\narguments: {x: {inout: '[1]'}}\n")
        self.assertIn("suites/s.yaml:4:13: error: the output `x` has no reference",
                      self.check(code=2)[1])


if __name__ == "__main__":
    unittest.main()
