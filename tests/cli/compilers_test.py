# Kernels in other languages: by a compiler that is a program, and by Triton where it is installed.
import json
import os
import pathlib
import re
import sys
import time
import unittest

from languages import environment_with, reason
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
# Stores the size of its dynamic shared memory.
SIZED = PTX.replace("add.f32 %f, %f, %f;", "mov.u32 %r1, %dynamic_smem_size; cvt.rn.f32.u32 %f, %r1;")
# Takes an array as its address, with extents, strides and sizes; stores a number made of these.
DESCRIPTION = [{"is": "null"}, {"is": "size", "argument": 0}, {"is": "itemsize", "argument": 0}, {"is": "argument", "argument": 0},
               {"is": "extent", "argument": 0}, {"is": "extent", "argument": 0, "axis": 1}, {"is": "stride", "argument": 0},
               {"is": "stride", "argument": 0, "axis": 1}, {"is": "argument", "argument": 1}]
DESCRIBED = """.version 8.0
.target sm_90
.address_size 64
.visible .entry double_it(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4,
  .param .u64 p5, .param .u64 p6, .param .u64 p7, .param .u64 p8) {
  .reg .b64 %d<10>; .reg .f64 %f;
  ld.param.u64 %d0, [p0]; ld.param.u64 %d1, [p1]; ld.param.u64 %d2, [p2]; ld.param.u64 %d3, [p3]; ld.param.u64 %d4, [p4];
  ld.param.u64 %d5, [p5]; ld.param.u64 %d6, [p6]; ld.param.u64 %d7, [p7]; ld.param.u64 %d8, [p8];
""" + "".join("  mad.lo.s64 %%d0, %%d0, 100, %%d%d;\n" % i for i in (1, 2, 4, 5, 6, 7, 8)) + """
  st.global.u64 [%d3], %d0;
  ret;
}
"""
# Adds elements by memory of the launch, of 256 bytes for each block of 64 threads.
SCRATCH = """.version 8.0
.target sm_90
.address_size 64
.visible .entry double_it(.param .u64 a, .param .u32 n, .param .u64 memory) .reqntid 64 {
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<6>; .reg .f32 %f<3>;
  ld.param.u64 %d1, [a]; ld.param.u32 %r1, [n]; ld.param.u64 %d2, [memory];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r3, %r2, 64, %r3;
  setp.ge.u32 %p, %r3, %r1;
  @%p ret;
  mul.wide.u32 %d3, %r3, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
  ld.global.f32 %f1, [%d4]; st.global.f32 [%d5], %f1; ld.global.f32 %f2, [%d5];
  add.f32 %f1, %f1, %f2; st.global.f32 [%d4], %f1;
  ret;
}
"""
TABLE = """warpmark: 1
kernel: {%s}
axes: {n: [9]}
arguments:
  a: {inout: "np.zeros((3, 5), int)", dtype: int64}
  n: {scalar: n, dtype: int64}
launch: {block: 1}
reference: {a: "np.where(np.arange(15).reshape(3, 5) == 0, ((((((15 * 100 + 8) * 100 + 3) * 100 + 5) * 100 + 40) * 100 + 8) * 100) + 9, 0)"}
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


def await_end(*processes):
    """Until they have ended; nobody may have asked how."""
    deadline = time.monotonic() + 20
    for stat in (pathlib.Path("/proc", one, "stat") for one in processes):
        while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z":
            if time.monotonic() > deadline:
                raise AssertionError("it has not ended: %s" % stat)
            time.sleep(0.05)


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
        a = {"array": True, "aligned": True, "one": False, "dtype": "float32"}
        self.assertEqual(self.questions(), [
            {"folder": str((self.folder / "suites").resolve()), "file": "k.mine", "entry": "double_it",
             "options": ["-DN=%d" % n, "fast=1"], "architecture": "sm_90",
             "arguments": [a, {"array": False, "aligned": n == 64, "one": False, "dtype": "int32"}]} for n in (40, 64)])

    def test_it_knows_integers_that_are_one_or_multiples_of_16(self):
        self.suite("file: k.mine, entry: double_it, compiler: mine", SUITE.replace("[40, 64]", "[1, 17, 32, 48]"))
        self.check()
        known = {(one["arguments"][1]["one"], one["arguments"][1]["aligned"]) for one in self.questions()}
        self.assertEqual(known, {(True, False), (False, False), (False, True)})
        self.assertEqual(len(self.questions()), 3)
        self.suite("file: k.mine, entry: double_it, compiler: mine", SUITE.replace("n: {scalar: n,", "m: {scalar: int(np.max(n)),"))
        self.write("compilers/questions", "")
        self.check()
        self.assertEqual([one["arguments"][1]["aligned"] for one in self.questions()], [False])

    def test_equal_questions_of_a_run_are_asked_once(self):
        self.suite("file: k.mine, entry: double_it, compiler: mine", SUITE.replace("[40, 64]", "[48, 64]"))
        self.check()
        self.assertEqual(len(self.questions()), 1)

    def test_its_findings_are_those_of_any_kernel(self):
        self.answer({"ptx": PTX.replace("setp.ge", "setp.gt")})
        out, _ = self.check("suites", "-k", "n=40", code=1)
        self.assertIn("out-of-bounds", out)

    def test_a_mistake_in_the_kernel_has_its_line_and_hint(self):
        self.answer({"error": "`x` is not known", "line": 3, "hint": "say `y`"})
        out, _ = self.check(code=1)
        self.assertRegex(out, r"(?m)^ *suites/k.mine:3: error: k.mine does not compile")
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

    def test_one_that_does_not_end_is_ended(self):
        """Once for equal questions: others are asked all the same."""
        self.suite("file: k.mine, entry: double_it, compiler: mine", SUITE.replace("[40, 64]", "[40, 41, 64]"))
        self.write("compilers/warpmark-compiler-mine", "#!/bin/sh\necho $$ >> %s\nexec sleep 600\n" % (self.folder / "processes"))
        began = time.monotonic()
        out = self.check("suites", "--timeout-s", "1", code=1)[0]
        self.assertLess(time.monotonic() - began, 60)
        self.assertIn("FAILED t.n=40 and 2 more cases\n  suites/t.yaml:2:31: error: the compiler mine did not end within 1 s for k.mine, "
                      "and was ended\n    hint: --timeout-s gives it more time", out)
        processes = (self.folder / "processes").read_text().split()
        self.assertEqual(len(processes), 2)
        await_end(*processes)

    def test_dynamic_shared_memory_is_what_the_compiler_says(self):
        self.answer({"ptx": SIZED, "dynamic_shared": 65536})
        out, _ = self.check(code=1)
        self.assertIn("expected", out)
        self.assertIn("= 65536", out)
        self.suite(text=SUITE.replace("{block: 64}", "{block: 64, shared: 1024}"))
        self.assertIn("the launch has 1024 bytes of dynamic shared memory, and the kernel needs 65536", self.check(code=1)[0])
        self.suite(text=SUITE.replace("{block: 64}", "{block: 64, shared: 70000}"))
        self.assertIn("= 70000", self.check(code=1)[0])

    def test_parameters_that_are_made_of_arguments(self):
        self.answer({"ptx": DESCRIBED, "parameters": DESCRIPTION})
        self.suite(text=TABLE)
        self.assertIn("1 passed", self.check()[0])
        for wrong, said in (({"is": "extent", "argument": 7}, "wants `extent` of argument 8, which the suite does not give"),
                            ({"is": "size", "argument": 1}, "wants `size` of argument 2, which has none"),
                            ({"is": "stride", "argument": 0, "axis": 1 << 63}, "wants `stride` of argument 1, which cannot have so many axes"),
                            ({"is": "colour", "argument": 0}, "wants `colour` of argument 1, which has none")):
            self.answer({"ptx": DESCRIBED, "parameters": DESCRIPTION[:-1] + [wrong]})
            self.assertIn("the compiler of `double_it` " + said, self.check(code=1)[0])
        self.answer({"ptx": DESCRIBED, "parameters": [
            {"is": "size", "argument": 0} if one.get("axis") == 1 else one for one in DESCRIPTION]})
        self.assertIn("`double_it` is compiled for `a` with one axis, which has the shape (3, 5)", self.check(code=1)[0])

    def test_memory_of_the_launch(self):
        def answer(size):
            self.answer({"ptx": SCRATCH, "parameters": [{"is": "argument", "argument": 0}, {"is": "argument", "argument": 1},
                                                        {"is": "scratch", "bytes": size}]})

        text = SUITE.replace("[40, 64]", "[64, 300]").replace("{block: 64}", '{grid: "ceil_div(n, 64)", block: 64}')
        self.suite(text=text)
        answer(256)
        self.assertIn("2 passed", self.check()[0])
        answer(128)
        out, _ = self.check(code=1)
        self.assertIn("scratch of double_it[128]", out)
        self.assertIn("out-of-bounds", out)
        for size in (0, 1 << 62):
            answer(size)
            self.assertIn("the compiler of `double_it` wants `scratch` of argument 1, of a size that cannot be", self.check(code=1)[0])
        answer(16 << 20)
        self.suite(text=text.replace("[64, 300]", "[6400]"))
        self.assertIn("the compiler wants 1.68e+09 bytes as the scratch of double_it, and the most is 1.07e+09", self.check(code=1)[0])

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
        self.suite("file: k.mine, compiler: mine", text.replace("2 * a", "4 * a"))
        self.answer({"ptx": PTX + PTX[PTX.index(".visible"):].replace("double_it", "other")})
        self.assertIn("1 passed", self.check("suites", "-k", "n=40")[0])
        self.assertEqual([one["entry"] for one in self.questions()], ["double_it", "other"])

    def test_a_plan_names_the_compiler(self):
        self.suite("triton: k.mine:add, constexpr: {BLOCK: 256}, options: [num_warps=8]", SUITE.replace("launch: {block: 64}", "launch: {grid: 3}"))
        plan = json.loads(self.run_program("plan", "suites/t.yaml", "--case", "t.n=40")[0])
        unit, launch = plan["units"][0], plan["steps"][0]["launch"]
        self.assertEqual((unit["compiler"], unit["options"], launch["entry"], launch["block"]),
                         ("triton", ["-DBLOCK=256", "num_warps=8"], "add", [256, 1, 1]))


class WithoutTriton(CheckTest):
    """No Python, no Triton, and another one than is known: what is missing is said by name."""

    def said(self, code=1):
        self.write("suites/t.yaml", ADD)
        self.write("suites/k.py", "import triton\n")
        checked = "".join(self.check(code=code))
        self.write("c.py", "import triton\n")
        return checked, self.run_program("judge", "suites/t.yaml", "c.py", "--device", "cpu", code=3)[1]

    def test_no_python(self):
        self.environment["VIRTUAL_ENV"] = str(self.folder / "nowhere")
        for text in self.said():
            self.assertIn("there is no Python for triton: WARPMARK_PYTHON or VIRTUAL_ENV names %s/nowhere/bin/python3" % self.folder, text)

    def python_with(self, **modules):
        for name, text in modules.items():
            self.write("modules/%s.py" % name, text)
        self.write("venv/bin/python3", '#!/bin/sh\nPYTHONPATH=%s exec %s "$@"\n' % (self.folder / "modules", PYTHON)).chmod(0o755)
        self.environment["VIRTUAL_ENV"] = str(self.folder / "venv")

    def test_no_triton(self):
        self.python_with(triton="raise ImportError('none here')\n")
        for text in self.said():
            self.assertIn("has no Triton (none here)", text)

    def test_another_triton(self):
        self.python_with(triton="__version__ = '1.0'\n")
        for text in self.said():
            self.assertIn("Triton 1.0 is not known to this compiler, which was written for 3.3 to 3.9", text)


    def test_python_ends_with_the_program(self):
        """In the program's own process, a compiler that does not end is left to itself."""
        self.python_with(triton="import os\nopen(%r, 'w').write(str(os.getpid()))\nwhile True:\n    pass\n" % str(self.folder / "process"))
        self.write("suites/t.yaml", ADD)
        self.write("suites/k.py", "import triton\n")
        self.check("suites", "--in-process", "--timeout-s", "2", code=3)
        await_end((self.folder / "process").read_text())


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
DESCRIPTOR = """import triton
import triton.language as tl


@triton.jit
def copy(x, y, rows, columns, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [B, B])
    to = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1], [B, B])
    row, column = tl.program_id(0) * B, tl.program_id(1) * B
    to.store([row, column], source.load([row, column]) * 2)
"""
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


@unittest.skipIf(environment_with("triton") is None, reason("triton"))
class Triton(CheckTest):
    def setUp(self):
        super().setUp()
        self.environment["VIRTUAL_ENV"] = environment_with("triton")
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
                                  ("raise RuntimeError('Found no NVIDIA driver on your system')\n", 1, "what needs one belongs into a function"),
                                  ("raise KeyError(5)\n", 1, "KeyError"), ("raise SystemExit(3)\n", 1, "SystemExit: 3"),
                                  ("import os; os._exit(3)\n", None, "warpmark-compiler-triton exited with code 3"),
                                  ("import os; os.abort()\n", None, "warpmark-compiler-triton ended by signal 6")):
            self.write("suites/k.py", KERNELS.replace("tl.load(y + i", wrong) if "tl" in wrong else wrong + KERNELS)
            out = "".join(self.check(code=1))
            self.assertIn(said, out)
            if line:
                self.assertIn("k.py:%d: error" % line, out)


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
class Numba(CheckTest):
    def setUp(self):
        super().setUp()
        self.environment["VIRTUAL_ENV"] = environment_with("numba")
        for name in ("CUDA_HOME", "CUDA_PATH"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        self.write("suites/k.py", NUMBA_KERNELS)

    def suite(self, text):
        self.write("suites/t.yaml", text)

    def test_kernels_are_right_and_findings_have_lines_of_the_python_file(self):
        self.suite(NUMBA_ADD)
        self.assertIn("2 passed", self.check()[0])
        self.write("suites/k.py", NUMBA_KERNELS.replace("i < x.size", "i <= x.size"))
        self.assertIn("k.py:11: error: out-of-bounds", self.check(code=1)[0])

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
        for old, new, said in (
                ("k.py:add", "k.py:subtract", "k.py has no kernel `subtract`"),
                ("y: {in: rng.random(n), dtype: float32}", "y: {in: rng.random(n)}", "the argument for `y` has no dtype"),
                ("y: {in: rng.random(n), dtype: float32}", "y: {in: rng.random(n), dtype: bfloat16}", "bfloat16, which Numba has not"),
                ("  y: {in: rng.random(n), dtype: float32}\n", "", "`add` has 3 parameters (x, y, out), and the suite 2 arguments"),
                ("k.py:add", "k.py:add, options: [warps=3]", "Numba has no option `warps` that a suite may set"),
                ("k.py:add", "k.py:add, define: {N: 3}", "a kernel of Numba has no constants (`N=3`)")):
            self.suite(NUMBA_ADD.replace(old, new, 1))
            with self.subTest(said):
                self.assertIn(said, self.check(code=1)[0])
        self.suite(NUMBA_ADD)
        for old, new, line, said in (("x[i] + y[i]", "x[i].wrong", 11, "wrong"), ("x[i] + y[i]", "z[i]", None, "'z' is not defined"), ("import math\n", "import nowhere\n", None, "needs the Python package nowhere"),
                                     ("import math\n", "raise KeyError(5)\n", 1, "KeyError")):
            self.write("suites/k.py", NUMBA_KERNELS.replace(old, new))
            out = "".join(self.check(code=1))
            self.assertIn(said, out)
            if line:
                self.assertIn("k.py:%d: error" % line, out)


if __name__ == "__main__":
    unittest.main()
