# Kernels of Triton and Numba as suites, where these are installed; and on a GPU, which gets their machine code.
import json
import os
import re
import shutil
import unittest

from assignment import GradeTest
from compilers_test import ADD
from languages import environment_with, reason
from program import BUILD, SOURCE, CheckTest, gpu_is_there

KERNELS = '''import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def softmax(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * n + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def matmul(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    place = i[:, None] * N + i[None, :]
    tl.store(c + place, tl.dot(tl.load(a + place), tl.load(b + place)))


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
'''
STRIDED = """import triton
import triton.language as tl


@triton.jit
def strided(x, step, y):
    i = tl.arange(0, 512)
    tl.store(y + i, tl.load(x + i * step) + step)


@triton.jit(do_not_specialize=["step"])
def plain(x, step, y):
    i = tl.arange(0, 512)
    tl.store(y + i, tl.load(x + i * step) + step)
"""
# Triton lets warps of their own bring the boxes of the loop.
SPECIALISED = """
import triton
import triton.language as tl

@triton.jit
def products(a, b, c, m, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    left = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[M, K])
    right = tl.make_tensor_descriptor(b, shape=[N, k], strides=[k, 1], block_shape=[N, K])
    result = tl.make_tensor_descriptor(c, shape=[m, N], strides=[N, 1], block_shape=[M, N])
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, M), tl.num_programs(0), warp_specialize=True):
        sums = tl.zeros((M, N), dtype=tl.float32)
        for step in range(0, tl.cdiv(k, K)):
            sums = tl.dot(left.load([tile * M, step * K]), right.load([0, step * K]).T, sums)
        result.store([tile * M, 0], sums.to(tl.float16))
"""
DESCRIPTOR = """import triton
import triton.language as tl


@triton.jit
def copy(x, y, rows, columns, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [B, B])
    to = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1], [B, B])
    row, column = tl.program_id(0) * B, tl.program_id(1) * B
    to.store([row, column], source.load([row, column]) * 2)
"""


def suite_of_the_manual(language):
    (text,) = [text for text in re.findall(r"```yaml\n(.*?)```", (SOURCE / "docs/pytorch.md").read_text(), re.S) if "{%s: " % language in text]
    return text


class OfALanguage:
    """The environment of a language, its kernels in k.py, and what holds for each language."""

    def setUp(self):
        super().setUp()
        self.environment["VIRTUAL_ENV"] = environment_with(self.LANGUAGE)
        self.write("suites/k.py", self.KERNELS)

    def suite(self, text):
        self.write("suites/t.yaml", text)

    def test_kernels_are_right_and_findings_have_lines_of_the_python_file(self):
        self.suite(self.ADD)
        self.assertIn("2 passed", self.check()[0])
        self.write("suites/k.py", self.KERNELS.replace(self.BOUND, self.BOUND.replace("<", "<="), 1))
        self.assertIn("k.py:%d: error: out-of-bounds" % self.LINE, self.check(code=1)[0])

    def test_the_manuals_suite(self):
        self.suite(suite_of_the_manual(self.LANGUAGE))
        self.write("suites/kernels.py", self.KERNELS)
        self.assertIn("%d passed" % self.MANUAL_CASES, self.check()[0])

    def is_said(self, suite, mistakes):
        for old, new, said in mistakes:
            self.suite(suite.replace(old, new, 1))
            with self.subTest(said):
                self.assertIn(said, self.check(code=1)[0])
        self.suite(suite)

    def is_said_of(self, text, line, said):
        self.write("suites/k.py", text)
        out = "".join(self.check(code=1))
        self.assertIn(said, out)
        if line:
            self.assertIn("k.py:%d: error" % line, out)


@unittest.skipIf(environment_with("triton") is None, reason("triton"))
class Triton(OfALanguage, CheckTest):
    LANGUAGE, KERNELS, ADD, BOUND, LINE, MANUAL_CASES = "triton", KERNELS, ADD, "mask = i < n\n", 9, 3

    def test_shared_memory_and_tensor_cores(self):
        self.suite("""warpmark: 1
kernel: {triton: k.py:softmax, constexpr: {BLOCK: 128}}
arguments:
  out: {out: x.shape, dtype: float32}
  x: {in: "rng.random((16, 100))", dtype: float32}
  n: {scalar: 100, dtype: int32}
launch: {grid: 16}
reference: {out: "np.exp(x) / np.exp(x).sum(1, keepdims=True)"}
tolerance: {rtol: 1e-5}
""")
        self.assertIn("1 passed", self.check()[0])
        for n in (64, 128):  # the second in 64 KiB of shared memory
            self.suite("""warpmark: 1
kernel: {triton: k.py:matmul, constexpr: {N: %d}}
arguments:
  a: {in: "rng.random((%d, %d))", dtype: float16}
  b: {in: "rng.random((%d, %d))", dtype: float16}
  c: {out: a.shape, dtype: float32}
launch: {grid: 1}
reference: {c: a.astype(np.float32) @ b.astype(np.float32)}
tolerance: {rtol: 1e-4}
""" % (n, n, n, n, n))
            self.assertIn("1 passed", self.check()[0])

    def test_warps_of_their_own(self):
        """The block has more warps than the option says. Nothing puts Triton's mbarriers before the copies: that race is not looked for."""
        self.write("suites/k.py", SPECIALISED)
        text = """warpmark: 1
kernel: {triton: k.py:products, constexpr: {M: 128, N: 64, K: 64}, options: [num_warps=4, num_stages=3]}
arguments:
  a: {in: "rng.standard_normal((256, 128))", dtype: float16}
  b: {in: "rng.standard_normal((64, 128))", dtype: float16}
  c: {out: [256, 64], dtype: float16}
  m: {scalar: 256, dtype: int32}
  k: {scalar: 128, dtype: int32}
launch: {grid: 1%s}
reference: {c: "a.astype(np.float64) @ b.astype(np.float64).T"}
tolerance: {rtol: 2e-3, atol: 1e-2}
"""
        self.suite(text % "")
        self.assertIn("1 passed", self.check("suites", "--checks", "memory,init,sync", "--keep", "kept", "--keep-all")[0])
        (ptx,) = (path.read_text() for path in self.folder.glob("kept/**/*.ptx"))
        threads = int(re.search(r"\.reqntid (\d+)", ptx).group(1))
        self.assertGreater(threads, 128)
        self.assertIn("wgmma.mma_async", ptx)
        self.suite(text % ", block: 64")
        self.assertIn("the kernel is compiled for blocks of %dx1x1 alone" % threads, self.check("suites", code=1)[0])

    def test_memory_of_tritons_launcher(self):
        """A descriptor that a kernel makes lies there, one for each block."""
        self.write("suites/k.py", DESCRIPTOR)
        self.suite("""warpmark: 1
kernel: {triton: k.py:copy, constexpr: {B: 16}}
axes: {rows: [16, 33], columns: [32, 64]}
arguments:
  x: {in: "rng.random((rows, columns))", dtype: float32}
  y: {out: [rows, columns], dtype: float32}
  rows: {scalar: rows, dtype: int32}
  columns: {scalar: columns, dtype: int32}
launch: {grid: ["ceil_div(rows, 16)", "ceil_div(columns, 16)"]}
reference: {y: 2 * x}
""")
        self.assertIn("4 passed", self.check("suites", "--keep", "kept", "--keep-all")[0])
        self.assertTrue(all("tensormap.replace" in path.read_text() for path in self.folder.glob("kept/**/*.ptx")))

    def test_integers_that_are_one_or_multiples_of_16_are_compiled_as_such(self):
        self.write("suites/k.py", STRIDED)
        text = """warpmark: 1
kernel: {triton: k.py:%s}
axes: {step: [1, 2, 16]}
arguments:
  x: {in: rng.random(512 * step), dtype: float32}
  step: {scalar: step, dtype: int32}
  y: {out: 512, dtype: float32}
launch: {grid: 1}
reference: {y: "x[::step] + step"}
"""
        for kernel, wide in (("strided", True), ("plain", False)):
            self.suite(text % kernel)
            self.assertIn("3 passed", self.check("suites", "--keep", "kept/" + kernel, "--keep-all")[0])
            loads = [path.read_text() for path in sorted((self.folder / "kept" / kernel).rglob("*.ptx"))]
            self.assertEqual(len(loads), 3)
            self.assertEqual([bool(re.search(r"ld\.global\S*\.v[24]\.", one)) for one in loads], [wide, False, False])

    def test_options_over_axes(self):
        self.suite(ADD.replace("BLOCK: 256}", "BLOCK: 256, num_warps: warps}").replace("{n: [1, 1000]}", "{warps: [1, 2, 8], n: [1000]}"))
        self.assertIn("3 passed", self.check()[0])
        plan = json.loads(self.run_program("plan", "suites/t.yaml", "--case", "t.warps=8,n=1000")[0])
        self.assertEqual([step["launch"]["block"] for step in plan["steps"]], [[256, 1, 1]])

    def test_an_autotuned_kernel_gets_its_constants(self):
        text = """warpmark: 1
kernel: {triton: k.py:tuned%s}
arguments: {x: {inout: rng.random(100), dtype: float32}, n: {scalar: 100, dtype: int32}}
launch: {grid: 2}
reference: {x: 2 * x}
"""
        self.suite(text % ", constexpr: {BLOCK: 64}, options: [num_warps=2]")
        self.assertIn("1 passed", self.check()[0])
        self.suite(text % "")
        out, _ = self.check(code=1)
        self.assertIn("the constant `BLOCK` of the kernel has no value", out)
        self.assertIn("hint: it is autotuned, and the suite chooses: constexpr: {BLOCK: 64}", out)

    def test_mistakes(self):
        self.is_said(ADD, (
            ("k.py:add", "k.py:subtract", "k.py has no kernel `subtract`"),
            ("{BLOCK: 256}", "{SIZE: 256}", "`SIZE` of `constexpr` is no parameter of the kernel"),
            ("  y: {in: rng.random(n), dtype: float32}", "  y: {in: rng.random(n)}", "the argument for `y` has no dtype"),
            ("  n: {scalar: n, dtype: int32}\n", "", "the suite no argument for it"),
            ("constexpr", "options: [warps=3], constexpr", "Triton has no option `warps` that a suite may set"),
            ("launch: {", "launch: {block: 64, ", "block")))
        for wrong, line, said in (("tl.lod(y + i", 9, "lod"), ("import nowhere\n", None, "has no package nowhere, which k.py imports: install it there"),
                                  ("raise RuntimeError('Found no NVIDIA driver on your system')\n", 1, "what needs one belongs into a function"),
                                  ("raise KeyError(5)\n", 1, "KeyError"), ("raise SystemExit(3)\n", 1, "SystemExit: 3"),
                                  ("import os; os._exit(3)\n", None, "warpmark-compiler-triton exited with code 3"),
                                  ("import os; os.abort()\n", None, "warpmark-compiler-triton ended by signal 6")):
            self.is_said_of(KERNELS.replace("tl.load(y + i", wrong) if "tl" in wrong else wrong + KERNELS, line, said)


NUMBA_KERNELS = '''import math

import numba
from numba import cuda


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] + y[i]


@cuda.jit
def transpose(a, b):
    tile = cuda.shared.array((16, 17), numba.float32)
    column, row = cuda.grid(2)
    rows, columns = a.shape
    if row < rows and column < columns:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[row, column]
    cuda.syncthreads()
    column = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    row = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    if row < b.shape[0] and column < b.shape[1]:
        b[row, column] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@cuda.jit("void(float32[:], float64)")
def declared(x, factor):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] = math.sin(x[i]) * factor
'''
NUMBA_ADD = ADD.replace("triton: k.py:add, constexpr: {BLOCK: 256}", "numba: k.py:add").replace(
    "  n: {scalar: n, dtype: int32}\n", "").replace("launch: {", "launch: {block: 256, ")


@unittest.skipIf(environment_with("numba") is None, reason("numba"))
class Numba(OfALanguage, CheckTest):
    LANGUAGE, KERNELS, ADD, BOUND, LINE, MANUAL_CASES = "numba", NUMBA_KERNELS, NUMBA_ADD, "i < x.size", 11, 4

    def setUp(self):
        super().setUp()
        for name in ("CUDA_HOME", "CUDA_PATH"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def test_functions_that_a_kernel_calls(self):
        """Numba asks a device for what to compile them for, and there is none."""
        self.suite(NUMBA_ADD)
        self.write("suites/k.py", "import math\nfrom numba import cuda\n\n\n@cuda.jit(device=True)\ndef same(a):\n    return math.fabs(a)\n\n\n"
                                  "@cuda.jit\ndef plain(a, b):\n    return a + b\n\n\n@cuda.jit\ndef add(x, y, out):\n    i = cuda.grid(1)\n"
                                  "    if i < out.size:\n        out[i] = plain(same(x[i]), y[i])\n")
        self.assertIn("2 passed", self.check()[0])

    def test_arrays_of_several_axes(self):
        text = """warpmark: 1
kernel: {numba: k.py:transpose}
axes: {rows: [1, 33], columns: [16, 100]}
arguments:
  a: {in: "rng.random((rows, columns))", dtype: float32}
  b: {out: [columns, rows], dtype: float32}
launch: {grid: ["ceil_div(columns, 16)", "ceil_div(rows, 16)"], block: [16, 16]}
reference: {b: a.T}
"""
        self.suite(text)
        self.assertIn("4 passed", self.check()[0])
        self.suite(text.replace("(rows, columns)", "rows * columns").replace("a.T", "a.reshape(rows, columns).T"))
        self.assertIn("`transpose` is compiled for `a` with 2 axes, which has the shape (16,)", self.check(code=1)[0])

    def test_a_declared_signature(self):
        self.suite("""warpmark: 1
kernel: {numba: k.py:declared, options: [fastmath=0, max_registers=32]}
arguments: {x: {inout: rng.random(100), dtype: float32}, factor: {scalar: 3, dtype: float64}}
launch: {block: 128}
reference: {x: 3 * np.sin(x.astype(float))}
tolerance: {rtol: 1e-6}
""")
        self.assertIn("1 passed", self.check()[0])

    def test_mistakes(self):
        self.is_said(NUMBA_ADD, (
            ("k.py:add", "k.py:subtract", "k.py has no kernel `subtract`"),
            ("y: {in: rng.random(n), dtype: float32}", "y: {in: rng.random(n)}", "the argument for `y` has no dtype"),
            ("y: {in: rng.random(n), dtype: float32}", "y: {in: rng.random(n), dtype: bfloat16}", "bfloat16, which Numba has not"),
            ("  y: {in: rng.random(n), dtype: float32}\n", "", "`add` has 3 parameters (x, y, out), and the suite 2 arguments"),
            ("k.py:add", "k.py:add, options: [warps=3]", "Numba has no option `warps` that a suite may set"),
            ("k.py:add", "k.py:add, define: {N: 3}", "a kernel of Numba has no constants (`N=3`)")))
        for old, new, line, said in (("x[i] + y[i]", "x[i].wrong", 11, "wrong"), ("x[i] + y[i]", "z[i]", None, "'z' is not defined"), ("import math\n", "import nowhere\n", None, "has no package nowhere, which k.py imports"),
                                     ("import math\n", "raise KeyError(5)\n", 1, "KeyError")):
            self.is_said_of(NUMBA_KERNELS.replace(old, new), line, said)


# Makes what the device `machine_code` loads (tests/support/machine_code_driver.c): PTX behind a few bytes.
PTXAS = r"""#!/bin/sh
case "$*" in *--version*) echo "Cuda compilation tools, release 13.0, V13.0.0"; exit ;; esac
for word; do
  case "$last" in -o) out=$word ;; esac
  case "$word" in *.ptx) in=$word ;; esac
  last=$word
done
{ printf '\177ELF-OF-A-TEST'; cat "$in"; printf '\000'; } > "$out"
"""
ASSIGNMENT = """warpmark: 1
assignment: hw
suite: suites/t.yaml
cases: [{name: all, points: 2, axes: {n: [1, 1000]}}]
"""


class MachineCode(GradeTest):
    """On a device that loads machine code alone, which a stand-in for ptxas and nvJitLink makes."""
    DEVICE = "machine_code"
    PTXAS = ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH")

    def setUp(self):
        super().setUp()
        self.environment["WARPMARK_PLUGIN_PATH"] = str(BUILD / "tests/drivers")
        self.environment["CUDA_HOME"] = str(BUILD / "tests/assembler")
        self.write("bin/ptxas", PTXAS).chmod(0o755)
        for name in self.PTXAS:
            self.environment[name] = str(self.folder / "bin/ptxas")
        self.environment["PATH"] = "%s:%s" % (self.folder / "bin", os.environ["PATH"])

    def take(self, language):
        if environment_with(language) is None:
            self.skipTest(reason(language))
        # One without the real nvJitLink, which is taken before that of CUDA_HOME.
        self.write("venv/bin/python3", '#!/bin/sh\nexec %s/bin/python3 "$@"\n' % environment_with(language)).chmod(0o755)
        self.environment["VIRTUAL_ENV"] = str(self.folder / "venv") if self.DEVICE != "gpu" else environment_with(language)

    def write_all(self, language):
        """A suite with a right kernel, and the texts of a right and a wrong one."""
        self.take(language)
        suite, right = (ADD, KERNELS) if language == "triton" else (NUMBA_ADD, NUMBA_KERNELS)
        wrong = right.replace(") + tl.load(y", ") - tl.load(y").replace("x[i] + y[i]", "x[i] - y[i]")
        self.assertNotEqual(right, wrong)
        self.write("suites/t.yaml", suite)
        self.write("suites/k.py", right)
        return right, wrong

    def test_examples_are_right(self):
        self.take("triton")
        shutil.copytree(SOURCE / "examples/triton", self.folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        for suite in sorted((self.folder / "examples").glob("*.yaml")):
            with self.subTest(suite.name):
                self.assertRegex(self.check("examples/" + suite.name, device=self.DEVICE, timeout=600)[0], r"(?m)^\d+ passed in ")

    def test_a_wrong_kernel_fails(self):
        for language in ("triton", "numba"):
            with self.subTest(language):
                _, wrong = self.write_all(language)
                self.assertIn("2 passed", self.check("suites/t.yaml", device=self.DEVICE)[0])
                self.write("suites/k.py", wrong)
                self.assertIn("elements of `out` are wrong", self.check("suites/t.yaml", "--case", "t.n=1000", device=self.DEVICE, code=1)[0])

    def test_they_are_timed(self):
        for language in ("triton", "numba"):
            with self.subTest(language):
                self.write_all(language)
                self.run_program("bench", "suites/t.yaml", "--device", self.DEVICE, "--case", "t.n=1000", "--journal", "run.jsonl")
                (record,) = [one for one in self.journal() if one.get("case") == "t.n=1000" and one.get("verdict")]
                self.assertEqual(record["verdict"], "passed")
                if self.DEVICE == "gpu":
                    self.assertGreater(record["measurement"]["series"][0]["median_s"], 0)

    def test_they_are_graded_and_judged(self):
        for language in ("triton", "numba"):
            with self.subTest(language):
                right, wrong = self.write_all(language)
                self.write("hw.yaml", ASSIGNMENT)
                for student, text in (("ada", right), ("bob", wrong), ("eve", "while True:\n    pass\n")):
                    self.write("class/%s/k.py" % student, text)
                self.run_program("grade", "hw.yaml", "class", "-o", "out-" + language, "-q", "--device", self.DEVICE, "--secret", "secret", timeout=600)
                self.assertEqual({name: one["points"] for name, one in self.results("out-" + language).items()}, {"ada": 2, "bob": 0, "eve": 0})
                self.write("right.py", right)
                self.write("wrong.py", wrong)
                out, _ = self.run_program("judge", "suites/t.yaml", "right.py", "wrong.py", "--json", "--device", self.DEVICE, code=1, timeout=600)
                self.assertEqual([json.loads(line)["judgement"]["verdict"] for line in out.splitlines()], ["right", "wrong"])


class OnGpu(MachineCode):
    """By the real ptxas and nvJitLink."""
    DEVICE = "gpu"

    def setUp(self):
        super().setUp()
        if not gpu_is_there():
            self.skipTest("there is no GPU")
        for name in ("CUDA_HOME", "WARPMARK_PLUGIN_PATH", *self.PTXAS):
            del self.environment[name]
        self.environment["PATH"] = os.environ["PATH"]


if __name__ == "__main__":
    unittest.main()
