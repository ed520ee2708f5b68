# Kernels in other languages: by a compiler that is a program. Those that Python writes are in python_kernels_test.py.
import json
import pathlib
import sys
import time
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
        self.assertIn("the compiler mine did not end within 1 s", "".join(self.run_program("lint", "suites/t.yaml", "--timeout-s", "1", code=2)))

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
        # A point of the benchmark, which lint compiles only.
        self.suite(text=text + "bench: {axes: {n: [100000]}}\n")
        self.assertIn("no problems", self.run_program("lint", "suites/t.yaml")[0])
        self.suite(text=text)
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
        for kernel, said in (("triton: k.mine:add, num_warps: 4", "known: file, source, ptx, cubin, fatbin, triton, numba, compiler, entry, define, constexpr, options"),
                             ("file: k.mine, entry: k, compiler: 'a b'", "`a b` is no name of a compiler"),
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
            self.assertIn("has no Triton (none here): install it there", text)

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


if __name__ == "__main__":
    unittest.main()
