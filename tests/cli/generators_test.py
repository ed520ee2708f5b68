# The plugins `elementwise`, `reduction` and `scan`: random expressions against NumPy on the CPU device, and
# what a compiler says of a mistake in one.
import random
import re
import textwrap
import unittest

from program import SEED, SOURCE, CheckTest, of_today

# All values are small whole numbers, which every type here holds: nothing is rounded.
SIGNED = ["int8", "int16", "int32", "int64", "float16", "float32", "float64"]
TYPES = SIGNED + ["uint8", "uint16"]
CTYPES = {"int8": "signed char", "uint8": "unsigned char", "int16": "short",
          "uint16": "unsigned short", "int32": "int", "int64": "long long", "float16": "__half",
          "float32": "float", "float64": "double"}
# The generated code might have them for itself.
NAMES = ["x", "k", "v", "w", "item", "first", "place", "tile", "of_k", "heads"]


class Expression:
    """The same random expression as CUDA C++ and as NumPy, computed in one wide type."""

    def __init__(self, choose, arrays, wide, plain):
        self.choose, self.arrays, self.wide, self.plain = choose, arrays, wide, plain
        self.cuda, self.numpy = self.make(3)

    def leaf(self):
        kind = self.choose.randrange(6)
        if kind == 0:
            number = self.choose.randrange(-3, 4)
            return "W(%d)" % number, "(%d)" % number
        if kind == 1:
            return "W(i % 5)", "(I % 5).astype(W)"
        name = self.choose.choice(self.arrays)
        if kind == 2 and self.plain:
            index, order = self.choose.choice([("n - 1 - i", "[::-1]"), ("(i * 3) % n", "[I * 3 % n]"),
                                               ("0", "[0]")])
            return "W(%s[%s])" % (name, index), "W(%s%s)" % (name, order)
        return "W(%s[i])" % name, "W(%s)" % name

    def make(self, depth):
        if depth == 0 or self.choose.randrange(5) == 0:
            return self.leaf()
        (a, p), (b, q) = self.make(depth - 1), self.make(depth - 1)
        return self.choose.choice([
            ("(%s + %s)" % (a, b), "(%s + %s)" % (p, q)),
            ("(%s - %s)" % (a, b), "(%s - %s)" % (p, q)),
            ("(%s > %s ? %s : %s)" % (a, b, b, a), "np.where(%s > %s, %s, %s)" % (p, q, q, p)),
            ("twice(%s)" % a, "(2 * %s)" % p)])


def values(choose, dtype, n):
    low = -3 if dtype in SIGNED else 0
    return "rng.integers(%d, 4, %s)" % (low, n)


class Generators(CheckTest):
    def setUp(self):
        super().setUp()
        self.choose = random.Random("%d %s" % (SEED, self.id()))

    def run_all(self, texts):
        """Checks the suites in one run; a failure shows the seed and the suites that failed."""
        for number, text in enumerate(texts):
            self.write("suites/s%02d.yaml" % number, text)
        done = self.start("check", "suites", "--device", "cpu", timeout=120)
        out = done.stdout.decode() + done.stderr.decode()
        if done.returncode == 0:
            self.assertRegex(out, r"\n%d passed in" % sum(self.cases(text) for text in texts))
            return
        bad = sorted(set(re.findall(r"FAILED s(\d+)\.", out)))
        self.fail("seed %d\n%s\n%s" % (SEED, "\n".join(texts[int(number)] for number in bad[:2]), out))

    @staticmethod
    def cases(text):
        return len(re.search(r"n: \[(.*)\]", text).group(1).split(","))

    def lengths(self):
        sizes = [1, self.choose.randrange(2, 40), self.choose.randrange(40, 3000)]
        return ", ".join(map(str, sorted(set(sizes))))

    def elementwise(self):
        choose = self.choose
        inputs = {name: choose.choice(TYPES) for name in choose.sample(NAMES, choose.randrange(1, 4))}
        out = choose.choice(SIGNED)
        expression = Expression(choose, list(inputs), "W", plain=choose.random() < 0.4)
        reads = choose.random() < 0.3  # in place: the output is an operand as well
        cuda, numpy = expression.cuda, expression.numpy
        if reads:
            cuda, numpy = "%s + W(z[i])" % cuda, "%s + W(z)" % numpy
        target = "(OUT)(%s)" % cuda
        form = choose.randrange(5)
        changed = "np.ones(n, bool)"
        if form == 0:
            operation = "z[i] = %s" % target
        elif form == 1:
            operation = "z[i] = %s; // }" % target
        elif form == 2:
            operation = "W t = %s;\n/* { */ z[i] = (OUT)t;" % cuda
        elif form == 3:
            name = choose.choice(list(inputs))
            operation = "if (W(%s[i]) > 0) {\n  z[i] = %s;\n}" % (name, target)
            changed = "%s > 0" % name
        else:
            name = choose.choice(list(inputs))
            operation = "if (W(%s[i]) > 0) return;\nz[i] = %s" % (name, target)
            changed = "%s <= 0" % name
        chosen = ""
        if choose.random() < 0.4:
            start, step = choose.choice([0, 1, 4, 5]), choose.choice([None, 1, 2, 3])
            chosen = "range: {start: \"min(%d, n - 1)\"%s%s}" % (
                start, choose.choice(["", ", stop: n", ", stop: z.size"]),
                ", step: %d" % step if step else "")
            changed = "(%s) & (I >= min(%d, n - 1)) & ((I - min(%d, n - 1)) %% %d == 0)" % (
                changed, start, start, step or 1)
        elif choose.random() < 0.3:
            chosen = "tune: {block: %d, vectors: %d}" % (choose.choice([32, 96, 512]),
                                                       choose.choice([1, 2, 3]))
        reference = ("(lambda I, W: np.where(%s, (%s) + np.zeros(n, W), z).astype(z.dtype))"
                     "(np.arange(n), np.float64)" % (changed, numpy))
        parameters = ["%s *%s" % (CTYPES[dtype], name) for name, dtype in inputs.items()]
        arguments = ["%s: {in: \"%s\"}" % (name, values(choose, dtype, "n"))
                     for name, dtype in inputs.items()]
        place = choose.randrange(len(parameters) + 1)
        parameters.insert(place, "OUT *z")
        arguments.insert(place, "z: {inout: \"rng.integers(0, 4, n)\", dtype: %s}" % out)
        return textwrap.dedent("""\
            warpmark: 1
            plugin: elementwise
            kernel:
              parameters: %s
              operation: |
            %s
              define: {OUT: ctype(%s)}
              preamble: |
                typedef double W;
                __device__ W twice(W x) { return 2 * x; }
              %s
            axes: {n: [%s]}
            arguments:
            %s
            reference:
              z: "%s"
            """) % (", ".join(parameters), textwrap.indent(operation, "    "), out, chosen,
                    self.lengths(), textwrap.indent("\n".join(arguments), "  "), reference)

    def test_random_operations_on_elements(self):
        self.run_all([self.elementwise() for _ in of_today(range(24), 12)])

    def reduction(self, operator=None):
        choose = self.choose
        inputs = {name: choose.choice(TYPES) for name in choose.sample(NAMES, choose.randrange(1, 3))}
        expression = Expression(choose, list(inputs), "W", plain=choose.random() < 0.3)
        # Sums stay whole numbers below 2^53; bits are those of 32-bit integers.
        reduce, neutral, numpy, result, more = operator or choose.choice([
            ("a + b", "0", "V.sum()", "double", ""),
            ("sum", None, "V.sum()", "long long", ""),
            ("sum", None, "V.sum()", "int", "accumulate: double"),
            ("max", None, "V.max()", "float", ""),
            ("min", None, "V.min()", "int", ""),
            ("max", None, "V.max()", "__half", ""),
            ("min", None, "V.min()", "short", ""),
            ("min", None, "V.min()", "signed char", ""),
            ("a < b ? b : a", "-INFINITY", "V.max()", "double", ""),
            ("a ^ b", "0", "np.bitwise_xor.reduce(V.astype(np.int64))", "long long", ""),
            ("a & b", "~0", "np.bitwise_and.reduce(V.astype(np.int64))", "int", ""),
            ("b != 0 ? b : a", "0", "next((v for v in V[::-1] if v), 0)", "int",
             "commutative: false"),
            ("a != 0 ? a : b", "0", "next((v for v in V if v), 0)", "double",
             "commutative: false")])
        chosen, taken = "", "V"
        if choose.random() < 0.4:
            start, step = choose.choice([0, 1, 4, 5]), choose.choice([1, 2, 3])
            chosen = "range: {start: \"min(%d, n - 1)\", step: %d}" % (start, step)
            taken = "V[min(%d, n - 1)::%d]" % (start, step)
        elif choose.random() < 0.4:
            chosen = "tune: {block: %d, vectors: %d, blocks: %d}" % (
                choose.choice([32, 64, 256]), choose.choice([1, 2, 3]), choose.choice([1, 3, 40]))
        reference = ("(lambda I, W: (lambda V: %s)(((%s) + np.zeros(n, W))))(np.arange(n), np.float64)"
                     % (numpy.replace("V", taken), expression.numpy))
        dtype = {ctype: name for name, ctype in CTYPES.items()}[result]
        parameters = ["%s *%s" % (CTYPES[name], key) for key, name in inputs.items()]
        arguments = ["%s: {in: \"%s\"}" % (key, values(choose, name, "n"))
                     for key, name in inputs.items()]
        reference = "np.asarray(%s).astype('%s')" % (reference, dtype)
        return textwrap.dedent("""\
            warpmark: 1
            plugin: reduction
            kernel:
              parameters: %s, %s *r
              map: |
                %s // mapped
              reduce: "%s"
              %s
              preamble: |
                typedef double W;
                __device__ W twice(W x) { return 2 * x; }
              %s
              %s
            axes: {n: [%s]}
            arguments:
            %s
              r: {out: 1}
            reference:
              r: "%s"
            """) % (", ".join(parameters), result, expression.cuda, reduce,
                    "neutral: %s" % neutral if neutral else "", more, chosen, self.lengths(),
                    textwrap.indent("\n".join(arguments), "  "), reference)

    def test_random_reductions(self):
        self.run_all([self.reduction() for _ in of_today(range(20), 10)])

    def scan(self, number):
        choose = self.choose
        x, f = choose.sample(NAMES, 2)
        reduce, neutral, combined, first = choose.choice([
            ("sum", "", "a + b", "0"), ("max", "", "max(a, b)", "-2**63"),
            ("b != 0 ? b : a", "neutral: 0", "b if b else a", "0")])
        exclusive = choose.random() < 0.4
        segment, heads, size = choose.choice([
            ("", "[]", "n"),
            ("i % 7 == 0", "np.arange(n) % 7 == 0", "n"),
            ("F[i] > 2", "F > 2", "n"),
            ("F[i] != F[i - 1]", "np.r_[False, F[1:] != F[:-1]]", "n"),
            ("F[i] + F[i - 1] == X[i]", "np.r_[False, F[1:] + F[:-1] == X[1:]]", "n"),
            ("X[i] == X[i - 1]", "np.r_[False, X[1:] == X[:-1]]", "n"),
            ("i < 50 && F[i] > 0", "F > 0", "min(n, 50)"),
            ("F[i / 32] > 0", "np.repeat(F > 0, 32)[:n]", "(n + 31) // 32")])
        tune = choose.choice(["", "tune: {block: 96, vectors: 1}", "tune: {block: 128, vectors: 2}",
                              "tune: {block: 160, vectors: 3}", "tune: {block: 256, vectors: 1}"])
        kinds = [CTYPES[choose.choice(SIGNED[:4])] for _ in range(2)]
        self.write("suites/s%02d.py" % number, textwrap.dedent("""\
            import numpy as np


            def scanned(%s, %s):
                X, F = np.int64(%s), np.int64(%s)
                n = len(X)
                heads, total, out = list(%s), %s, []
                for i, b in enumerate(X):
                    if i < len(heads) and heads[i]:
                        total = %s
                    out.append(total)
                    a = total
                    total = %s
                    out[-1] = out[-1] if %s else total
                return np.array(out, np.int64)
            """) % (x, f, x, f, heads, first, first, combined, exclusive))
        segment = re.sub(r"\bX\b", x, re.sub(r"\bF\b", f, segment))
        keys = [tune, neutral, "exclusive: true" if exclusive else "", 'segment: "%s"' % segment if segment else ""]
        return textwrap.dedent("""\
            warpmark: 1
            plugin: scan
            kernel:
              parameters: const %s *%s, const %s *%s, long long *out
              map: %s[i] // mapped
              reduce: "%s"
            %s
            axes: {n: [%s, 20011]}
            arguments:
              %s: {in: "rng.integers(-3, 4, n)"}
              %s: {in: "rng.integers(-3, 4, %s)"}
              out: {out: %s.shape}
            reference:
              out: {function: "s%02d.py:scanned"}
            """) % (kinds[0], x, kinds[1], f, x, reduce, textwrap.indent("\n".join(filter(None, keys)), "  "),
                    self.lengths(), x, f, size, x, number)

    def test_random_scans(self):
        self.run_all([self.scan(number) for number in of_today(range(24), 12)])

    def test_a_large_accumulator_goes_through_shared_memory(self):
        self.run_all([textwrap.dedent("""\
            warpmark: 1
            plugin: reduction
            kernel:
              parameters: unsigned *m, unsigned *r
              map: matrix{m[i], 1, 1, 0}
              reduce: a * b
              neutral: matrix{1, 0, 0, 1}
              accumulate: matrix
              commutative: false
              preamble: |
                struct matrix {
                  unsigned a, b, c, d;
                  __device__ explicit operator unsigned() const { return a; }
                };
                __device__ matrix operator*(matrix p, matrix q) {
                  return {p.a * q.a + p.b * q.c, p.a * q.b + p.b * q.d,
                          p.c * q.a + p.d * q.c, p.c * q.b + p.d * q.d};
                }
              tune: {block: 64, blocks: 5}
            axes: {n: [1, 2, 63, 64, 65, 3001]}
            arguments:
              m: {in: "rng.integers(0, 100, n)"}
              r: {out: 1}
            reference:
              r: >-
                __import__('functools').reduce(lambda p, q: [[sum(p[i][k] * q[k][j] for k in (0, 1))
                % 2**32 for j in (0, 1)] for i in (0, 1)], [[[int(v), 1], [1, 0]] for v in m])[0][0]
            """)])

    def test_nothing_to_reduce_gives_the_neutral_element(self):
        self.run_all([textwrap.dedent("""\
            warpmark: 1
            plugin: reduction
            kernel: {parameters: "float *x, float *r", map: "x[i]", reduce: max}
            axes: {n: [0]}
            arguments:
              x: {in: "np.zeros(n)"}
              r: {out: 1}
            reference: {r: -np.inf}
            """), textwrap.dedent("""\
            warpmark: 1
            plugin: elementwise
            kernel:
              parameters: float *x
              operation: x[i] = 1
              range: {start: n, stop: 3}
            axes: {n: [9]}
            arguments:
              x: {inout: "np.zeros(n)"}
            reference: {x: x}
            """)])

    def test_two_runs_give_the_same_bits(self):
        text = textwrap.dedent("""\
            warpmark: 1
            plugin: reduction
            kernel: {parameters: "float *x, float *r", map: "x[i] * x[i]", reduce: sum}
            arguments:
              x: {in: rng.standard_normal(100003)}
              r: {out: 1}
            reference: {r: 0}
            """)
        self.write("suites/s.yaml", text)
        seen = []
        for _ in range(2):
            self.check("suites", "--journal", "run.jsonl", code=1)
            outcome = next(line for line in self.journal() if "outputs" in str(line))
            seen.append(re.search(r"'error': '[^']*'", str(outcome)).group(0))
        self.assertEqual(seen[0], seen[1])


class Documentation(CheckTest):
    def test_examples_pass(self):
        for page in ("plugin-elementwise.md", "plugin-reduction.md", "plugin-scan.md"):
            text = (SOURCE / "docs" / page).read_text()
            examples = re.findall(r"```yaml\n(.*?)```", text, re.S)
            self.assertTrue(examples, page)
            for number, example in enumerate(examples):
                self.write("suites/%s_%d.yaml" % (page[7:-3], number), example)
        self.check()


class Mistakes(CheckTest):
    """Code that does not compile is shown as the suite has it, at its line."""

    SUITE = ("warpmark: 1\nplugin: %s\nkernel:\n  parameters: %s\n%s\naxes: {n: [10]}\n"
             "arguments:\n  x: {in: rng.random(n)}\n  z: {out: %s}\nreference: {z: 0}\n")

    def refusal(self, plugin, keys, parameters="float *x, float *z"):
        self.write("suites/s.yaml", self.SUITE % (plugin, parameters, keys,
                                                  "x.shape" if plugin == "elementwise" else "1"))
        return self.check(code=1)[0]

    def test_an_undefined_name_in_an_operation(self):
        out = self.refusal("elementwise", "  operation: |\n    // one\n    float t = x[i];\n"
                           "    z[i] = t + nothing;")
        self.assertIn("suites/s.yaml:8: error: ", out)
        self.assertIn('s.yaml(8): error: identifier "nothing" is undefined\n'
                      "    z[i] = t + nothing;\n               ^", out)
        self.assertNotIn("generated.cu(", out)

    def test_a_mistake_in_each_other_text(self):
        for line, word, plugin, keys in (
                (7, "y", "elementwise",
                 "  preamble: |\n    // first\n    __device__ int f() { return y; }\n"
                 "  operation: z[i] = f()"),
                (5, "foo", "reduction", "  map: foo(x[i])\n  reduce: sum"),
                (6, "bar", "reduction", "  map: x[i]\n  reduce: bar(a, b)\n  neutral: 0"),
                (7, "abc", "reduction", "  map: x[i]\n  reduce: a + b\n  neutral: abc")):
            with self.subTest(word):
                out = self.refusal(plugin, keys)
                self.assertIn("suites/s.yaml:%d: error: " % line, out)
                self.assertIn('identifier "%s" is undefined' % word, out)

    def test_an_unknown_type_is_reported_at_the_parameters(self):
        out = self.refusal("elementwise", "  operation: z[i] = x[i]", "flaot *x, float *z")
        self.assertIn('s.yaml(4): error: identifier "flaot" is undefined', out)

    def test_a_neutral_element_of_the_wrong_type(self):
        for ctype, neutral in (("int", "1.5"), ("unsigned", "-1"), ("float", '\'"abc"\''),
                               ("signed char", "1000")):
            with self.subTest(ctype):
                out = self.refusal("reduction", "  map: x[i]\n  reduce: a + b\n  neutral: " + neutral,
                                   "float *x, %s *z" % ctype)
                self.assertIn("suites/s.yaml:7: error: ", out)
                self.assertIn("the neutral element must be a value of the accumulator's type, "
                              + ctype, out)

    SIZES = ("warpmark: 1\nplugin: %s\nkernel:\n  parameters: float *x, float *y, float *z\n%s\n"
             "axes: {n: [100]}\narguments:\n  x: {in: rng.random(n)}\n  y: {in: rng.random(%s)}\n"
             "  z: {out: %s}\nreference:\n  z: %s\n")

    def sizes(self, plugin, keys, y="n", z="n", reference="x + y[:n]", more=""):
        self.write("suites/s.yaml", self.SIZES % (plugin, keys, y, z, reference) + more)
        done = self.start("check", "suites", "--device", "cpu")
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    def test_arrays_that_are_too_short(self):
        add = "  operation: z[i] = x[i] + y[i]"
        code, out = self.sizes("elementwise", add, y="n - 1")
        self.assertEqual(code, 1, out)
        self.assertRegex(out, r"suites/s\.yaml:9:\d+: error: `y` has 99 elements, but 100, from 0 to "
                              r"99, are accessed: `operation` has `y\[i\]` for each element of `x`")
        code, out = self.sizes("elementwise", add, y="1", z="n - 1")
        self.assertIn("`y` has 1 element, but 100, from 0 to 99, are accessed", out)
        code, out = self.sizes("reduction", "  map: x[i] * y[i]\n  reduce: sum", y="n - 1", z="1")
        self.assertEqual(code, 1, out)
        self.assertIn("`y` has 99 elements, but 100, from 0 to 99, are accessed: `map` has", out)
        for given, first, last in (("{start: 1, stop: n + 1}", 1, 100), ("{start: -1}", -1, 99),
                                   ("{start: n, stop: -1, step: -1}", 100, 0),
                                   ("{stop: 2**62, step: 3}", 0, 2**62 - 1)):
            with self.subTest(given):
                code, out = self.sizes("elementwise", add + "\n  range: " + given)
                self.assertRegex(out, r"has 100 elements, but \d+, from %d to %d, are accessed: "
                                 r"`operation` has `[xyz]\[i\]` for each `i` of `range`"
                                 % (first, last))

    def test_a_size_that_axes_decide_is_reported_by_plan(self):
        self.write("suites/s.yaml", self.SIZES % (
            "elementwise", "  operation: z[i] = x[i] + y[i]\n  range: {stop: n}", "n", "n - 1", "0"))
        for command in ("plan", "check", "lint"):
            done = self.start(command, "suites/s.yaml")
            out = done.stdout.decode() + done.stderr.decode()
            self.assertEqual(done.returncode, 2, out)
            self.assertRegex(out, r"suites/s\.yaml:11:\d+: error: .*`z` has 99 elements, but 100, "
                                  r"from 0 to 99, are accessed")

    def test_longer_arrays_and_expected_faults_are_launched(self):
        add = "  operation: z[i] = x[i] + y[i]"
        code, out = self.sizes("elementwise", add, y="n + 7")
        self.assertEqual(code, 0, out)
        text = self.SIZES % ("elementwise", add, "n - 1", "n", "0")
        self.write("suites/s.yaml", text.replace("reference:\n  z: 0\n", "expect: {fault: "
                                                 "illegal_address, argument: y}\n"))
        self.check()

    def test_names_of_a_range_are_reported_by_plan(self):
        for text, words, hint in (("{stop: m}", "`m` is no axis", "did you mean `n`?"),
                                  ("{stop: nn + 1}", "`nn` is no axis", "did you mean `n`?"),
                                  ("{start: xx.size}", "unknown array argument `xx`",
                                   "did you mean `x`?"),
                                  ("{step: x}", "`x` is an array", "x.size"),
                                  ("{stop: x.sise}", "`x.sise` is unknown", "`x.size`")):
            with self.subTest(text):
                self.write("suites/s.yaml", self.SUITE % (
                    "elementwise", "float *x, float *z",
                    "  operation: z[i] = x[i]\n  range: " + text, "x.shape"))
                for command in ("plan", "lint", "check"):
                    done = self.start(command, "suites/s.yaml")
                    out = done.stdout.decode() + done.stderr.decode()
                    self.assertEqual(done.returncode, 2, out)
                    self.assertRegex(out, r"suites/s\.yaml:6:\d+: error: .*" + re.escape(words))
                    self.assertIn(hint, out)

    def test_arithmetic_of_a_range(self):
        for text, line, words in (("{start: \"1 +\"}", 6, "the expression ends too early"),
                                  ("{start: q}", 6, "`q` is no axis"),
                                  ("{step: 0}", 6, "division by zero")):
            with self.subTest(text):
                self.write("suites/s.yaml", self.SUITE % (
                    "elementwise", "float *x, float *z",
                    "  operation: z[i] = x[i]\n  range: " + text, "x.shape"))
                done = self.start("check", "suites", "--device", "cpu")
                out = done.stdout.decode() + done.stderr.decode()
                self.assertIn(done.returncode, (1, 2))
                self.assertRegex(out, r"suites/s\.yaml:%d:\d+: error: .*%s" % (line, re.escape(words)))

    def test_an_index_out_of_range(self):
        suite = """warpmark: 1
plugin: reduction
kernel: {parameters: "float *x, %s *lut, float *r", map: "x[i]", reduce: sum, index: lut}
arguments:
  x: {in: "np.ones(9)"}
  lut: {in: "%s"}
  r: {out: 1}
reference: {r: lut.size}
"""
        for ctype, lut, words in [
                ("int", "[0, 8, 9]", "`lut[2]` is 9, which is no index of `x`: it has 9 elements"),
                ("int", "[0, -1]", "`lut[1]` is -1, which is no index"),
                ("signed char", "[-128]", "`lut[0]` is -128, which is no index"),
                ("unsigned long long", "[2**63]", "`lut[0]` is 9223372036854775808, which is")]:
            with self.subTest(lut):
                self.write("suites/s.yaml", suite % (ctype, lut))
                done = self.start("check", "suites", "--device", "cpu")
                out = done.stdout.decode() + done.stderr.decode()
                self.assertEqual(done.returncode, 1, out)
                self.assertIn("suites/s.yaml:6:", out)
                self.assertIn(words, out)
        self.write("suites/s.yaml", suite % ("int", "[0, 8]"))
        self.run_program("check", "suites", "--device", "cpu")


if __name__ == "__main__":
    unittest.main()
