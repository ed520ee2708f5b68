# Kernels in other languages: by a compiler that is a program, and by Triton where it is installed.
import importlib.util
import json
import os
import pathlib
import sys
import unittest

from program import PYTHON, CheckTest

PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry double_it(.param .u64 a, .param .u32 n) .reqntid 64 {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .f32 %f;
  ld.param.u64 %d1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p ret;
  mul.wide.u32 %d2, %r2, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.f32 %f, [%d3];
  add.f32 %f, %f, %f;
  st.global.f32 [%d3], %f;
  ret;
}
"""
# Answers with what the test has written, after it has kept the question.
COMPILER = """#!%s
import json, os, pathlib, sys
here = pathlib.Path(__file__).parent
with open(here / "questions", "a") as stream:
    stream.write(sys.stdin.read() + "\\n")
print("a warning", file=sys.stderr) if (here / "warns").exists() else None
answer = here / "answer"
print(answer.read_text())
sys.exit(int((here / "code").read_text()) if (here / "code").exists() else 0)
"""
SUITE = """warpmark: 1
kernel: {%s}
axes: {n: [40, 64]}
arguments:
  a: {inout: rng.random(n), dtype: float32}
  n: {scalar: n, dtype: int32}
launch: {block: 64}
reference: {a: 2 * a}
"""


class Program(CheckTest):
    def setUp(self):
        super().setUp()
        program = self.write("compilers/warpmark-compiler-mine", COMPILER % sys.executable)
        program.chmod(0o755)
        self.environment["WARPMARK_PLUGIN_PATH"] = str(self.folder / "compilers")
        self.write("suites/k.mine", "a text of its own\n")
        self.suite()
        self.answer({"ptx": PTX})

    def suite(self, kernel="file: k.mine, entry: double_it, compiler: mine, define: {N: n}, options: [fast=1]", text=SUITE):
        self.write("suites/t.yaml", text % kernel)

    def answer(self, what):
        self.write("compilers/answer", what if isinstance(what, str) else json.dumps(what))

    def questions(self):
        return [json.loads(line) for line in (self.folder / "compilers/questions").read_text().splitlines()]

    def test_what_it_is_asked_and_that_its_ptx_runs(self):
        self.assertIn("2 passed", self.check()[0])
        arguments = [{"array": True, "aligned": True, "dtype": "float32"}, {"array": False, "aligned": False, "dtype": "int32"}]
        self.assertEqual(self.questions(), [
            {"folder": str((self.folder / "suites").resolve()), "file": "k.mine", "entry": "double_it",
             "options": ["-DN=%d" % n, "fast=1"], "architecture": "sm_90", "arguments": arguments} for n in (40, 64)])

    def test_equal_questions_of_a_run_are_asked_once(self):
        self.suite("file: k.mine, entry: double_it, compiler: mine")
        self.check()
        self.assertEqual(len(self.questions()), 1)

    def test_its_findings_are_those_of_any_kernel(self):
        self.answer({"ptx": PTX.replace("setp.ge", "setp.gt")})
        out, _ = self.check("suites", "-k", "n=40", code=1)
        self.assertIn("out-of-bounds", out)

    def test_a_mistake_in_the_kernel_has_its_line_and_hint(self):
        self.answer({"error": "`x` is not known", "line": 3, "hint": "say `y`"})
        out, _ = self.check(code=1)
        self.assertIn("suites/k.mine:3: error: k.mine does not compile", out)
        self.assertIn("`x` is not known", out)
        self.assertIn("hint: say `y`", out)

    def test_what_it_writes_besides_is_a_notice(self):
        self.write("compilers/warns", "")
        self.assertIn("a warning", self.check()[0])

    def test_what_a_machine_lacks_is_no_verdict(self):
        for answer, code, said in (({"missing": "there is no Mine 2"}, 0, "there is no Mine 2"), ("no JSON", 0, "gave no answer in JSON"),
                                   ({"ptx": 7}, 0, "an answer of another form"), ({"ptx": PTX, "cubin": "xy"}, 0, "no hexadecimal cubin"),
                                   ({"ptx": PTX}, 9, "exited with code 9")):
            self.answer(answer)
            self.write("compilers/code", str(code))
            self.assertIn(said, "".join(self.check(code=1)))
        self.suite("file: k.mine, entry: double_it, compiler: yours")
        self.assertIn("there is no program warpmark-compiler-yours in", "".join(self.check(code=1)))

    def test_dynamic_shared_memory_that_a_launch_must_have(self):
        self.answer({"ptx": PTX, "dynamic_shared": 65536})
        self.assertIn("the launch has 0 bytes of dynamic shared memory, and the kernel needs 65536", self.check(code=1)[0])
        self.suite(text=SUITE.replace("{block: 64}", "{block: 64, shared: 65536}"))
        self.assertIn("2 passed", self.check()[0])

    def test_suites_that_cannot_be(self):
        for kernel, said in (("file: k.mine, entry: k, compiler: 'a b'", "`a b` is no name of a compiler"),
                             ("source: x, entry: k, compiler: mine", "mine compiles files, and `kernel` has no `file`"),
                             ("triton: k.py", "`triton` names a file and a function of it"),
                             ("triton: k.py:add, file: k.mine", "`triton` stands for `file`, `entry` and `compiler`")):
            self.suite(kernel)
            self.assertIn(said, "".join(self.check(code=2)))
        self.suite(text=SUITE.replace("launch: {block: 64}", "launch: {grid: 1}"))
        self.assertIn("`launch` needs `block`", "".join(self.check(code=2)))

    def test_two_kernels_of_a_file(self):
        text = SUITE.replace("launch: {block: 64}", "launch:\n  - {entry: double_it, block: 64}\n  - {entry: other, block: 64}")
        self.suite("file: k.mine, compiler: mine", text)
        self.assertIn("mine compiles one kernel of a file, and the suite launches 2 of k.mine: double_it, other",
                      "".join(self.check(code=1)))

    def test_a_plan_names_the_compiler(self):
        self.suite("triton: k.mine:add, constexpr: {BLOCK: 256}, options: [num_warps=8]", SUITE.replace("launch: {block: 64}", "launch: {grid: 3}"))
        plan = json.loads(self.run_program("plan", "suites/t.yaml", "--case", "t.n=40")[0])
        unit, launch = plan["units"][0], plan["steps"][0]["launch"]
        self.assertEqual((unit["compiler"], unit["options"], launch["entry"], launch["block"]),
                         ("triton", ["-DBLOCK=256", "num_warps=8"], "add", [256, 1, 1]))


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
ADD = """warpmark: 1
kernel: {triton: k.py:add, constexpr: {BLOCK: 256}}
axes: {n: [1, 1000]}
arguments:
  x: {in: rng.random(n), dtype: float32}
  y: {in: rng.random(n), dtype: float32}
  out: {out: n, dtype: float32}
  n: {scalar: n, dtype: int32}
launch: {grid: "ceil_div(n, 256)"}
reference: {out: x + y}
"""


@unittest.skipIf(importlib.util.find_spec("triton") is None and not os.environ.get("WARPMARK_TRITON"), "there is no Triton")
class Triton(CheckTest):
    """With the Triton of this Python, or of the Python that WARPMARK_TRITON names."""

    def setUp(self):
        super().setUp()
        self.environment["VIRTUAL_ENV"] = os.environ.get("WARPMARK_TRITON", "") or str(pathlib.Path(PYTHON).parent.parent)
        self.write("suites/k.py", KERNELS)

    def suite(self, text):
        self.write("suites/t.yaml", text)

    def test_kernels_are_right_and_findings_have_lines_of_the_python_file(self):
        self.suite(ADD)
        self.assertIn("2 passed", self.check()[0])
        self.write("suites/k.py", KERNELS.replace("mask = i < n\n", "mask = i <= n\n"))
        self.assertIn("k.py:9: error: out-of-bounds", self.check(code=1)[0])

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
        for n, more in ((64, ""), (128, ", shared: 65536")):
            self.suite("""warpmark: 1
kernel: {triton: k.py:matmul, constexpr: {N: %d}}
arguments:
  a: {in: "rng.random((%d, %d))", dtype: float16}
  b: {in: "rng.random((%d, %d))", dtype: float16}
  c: {out: a.shape, dtype: float32}
launch: {grid: 1%s}
reference: {c: a.astype(np.float32) @ b.astype(np.float32)}
tolerance: {rtol: 1e-4}
""" % (n, n, n, n, n, more))
            self.assertIn("1 passed", self.check()[0])

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
        self.assertIn("the constant `BLOCK` of the kernel has no value", self.check(code=1)[0])

    def test_mistakes(self):
        for old, new, said in (
                ("k.py:add", "k.py:subtract", "k.py has no kernel `subtract`"),
                ("{BLOCK: 256}", "{SIZE: 256}", "`SIZE` of `constexpr` is no parameter of the kernel"),
                ("  y: {in: rng.random(n), dtype: float32}", "  y: {in: rng.random(n)}", "the argument for `y` has no dtype"),
                ("  n: {scalar: n, dtype: int32}\n", "", "the suite no argument for it"),
                ("constexpr", "options: [warps=3], constexpr", "Triton has no option `warps` that a suite may set"),
                ("launch: {", "launch: {block: 64, ", "block")):
            self.suite(ADD.replace(old, new, 1))
            self.assertIn(said, self.check(code=1)[0])
        self.suite(ADD)
        for wrong, line, said in (("tl.lod(y + i", 9, "lod"), ("import nowhere\n", None, "needs the Python package nowhere"),
                                  ("raise KeyError(5)\n", 1, "KeyError")):
            self.write("suites/k.py", KERNELS.replace("tl.load(y + i", wrong) if "tl" in wrong else wrong + KERNELS)
            out = "".join(self.check(code=1))
            self.assertIn(said, out)
            if line:
                self.assertIn("k.py:%d: error" % line, out)


if __name__ == "__main__":
    unittest.main()
