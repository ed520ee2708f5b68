# Submissions in other languages: a compiler that runs the submission's Python, behind walls; and Triton where it is installed.
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

from assignment import GradeTest
from compilers_test import ADD, PTX, SUITE
from languages import environment_with, reason
from program import BUILD, SANITIZED, gpu_is_there

# The language: a file of Python whose `kernel()` returns PTX. Built on the parts that Triton's and Numba's compilers have.
COMPILER = """#!%s
import sys
sys.path.insert(0, %r)
import kernel_compiler


def answer(request):
    module = kernel_compiler.load(kernel_compiler.path_of(request), request.get("source"))
    made = module.kernel()
    return made if isinstance(made, dict) else {"ptx": made}


kernel_compiler.serve(answer, lambda: None)
"""
RIGHT = 'PTX = """%s"""\n\n\ndef kernel():\n    return PTX\n' % PTX
CUDA = 'extern "C" __global__ void double_it(float *a, unsigned n) { if (threadIdx.x < n) a[threadIdx.x] *= 2; }\n'
WRONG = RIGHT.replace("add.f32 %f, %f, %f", "mov.f32 %f, %f")
OUTSIDE = RIGHT.replace("setp.ge", "setp.gt")


def at_import(text):
    """A right candidate that does something first."""
    return text + "\n" + RIGHT


# Each of these wants something that no process in the sandbox can do.
REFUSED = {
    "reads.py": "open('/etc/passwd')",
    "lists.py": "import os; os.listdir('/')",
    "writes.py": "open('/tmp/warpmark_was_here', 'w')",
    "forks.py": "import os; os.fork()",
    "runs.py": "import os; os.posix_spawn('/bin/true', ['true'], {})",
    "connects.py": "import socket; socket.socket().connect(('127.0.0.1', 80))",
    "kills.py": "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
    "lifts.py": "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))",
    "leaves_the_group.py": "import os; os.setpgid(0, 0)",
    "exits.py": "raise SystemExit(0)",
    "imports.py": "import no_such_package",
    "takes_memory.py": "x = bytearray(8 << 30)",
    "shares_memory.py": "import mmap; mmap.mmap(-1, 4096)",
    "starts_threads.py": "import threading; threading.Thread(target=print).start()",
    "makes_pipes.py": "import os; os.pipe()",
    "passes_descriptors.py": "import gc, socket; [socket.send_fds(one, [b' '], [1]) for one in gc.get_objects() if isinstance(one, socket.socket)]",
    "tells_the_environment.py": "import os; assert os.environ.get('PATH'), 'none'",
    "is_no_python.py": "def f(:",
}
# These end their process.
ENDED = {
    "leaves.py": "import os; os._exit(0)",
    "aborts.py": "import os; os.abort()",
    "overflows.py": "import ctypes; ctypes.string_at(1)",
}
# Answers that no compiler gives.
ANSWERS = {
    "number.py": "{'ptx': 7}",
    "nothing.py": "{}",
    "argument_far.py": "{'ptx': PTX, 'parameters': [{'is': 'argument', 'argument': 1 << 62}, {'is': 'null'}]}",
    "axis_far.py": "{'ptx': PTX, 'parameters': [{'is': 'stride'}, {'is': 'extent', 'axis': (1 << 64) - 2}]}",
    "shared_far.py": "{'ptx': PTX, 'dynamic_shared': (1 << 64) - 1}",
    "scratch_far.py": "{'ptx': PTX, 'parameters': [{'is': 'scratch', 'bytes': (1 << 64) - 1}, {'is': 'scratch', 'bytes': 0}]}",
    "missing.py": "{'missing': 'the grader is broken'}",
}


class ToyTest(GradeTest):
    DEVICE = "cpu"

    def setUp(self):
        super().setUp()
        self.write("compilers/warpmark-compiler-toy", COMPILER % (sys.executable, str(BUILD / "lib/warpmark"))).chmod(0o755)
        self.environment["WARPMARK_PLUGIN_PATH"] = "%s:%s" % (self.folder / "compilers", BUILD / "lib/warpmark")
        self.write("suites/t.yaml", SUITE % "file: k.py, entry: double_it, compiler: toy")
        self.write("suites/k.py", RIGHT)

    def judge(self, candidates, code=1, more=()):
        for name, text in candidates.items():
            self.write(name, text)
        out, self.errors = self.run_program("judge", "suites/t.yaml", *candidates, "--json", "--device", self.DEVICE, *more, code=code)
        return {one["id"]: one["judgement"] for one in map(json.loads, out.splitlines())}


@unittest.skipIf(SANITIZED, "no Python loads a library of a sanitizer")
class Toy(ToyTest):
    """Candidates that are loaded on the device."""

    def test_candidates_get_the_verdicts_of_any_kernel(self):
        made = self.judge({"right.py": RIGHT, "wrong.py": WRONG, "outside.py": OUTSIDE})
        self.assertEqual({name: one["verdict"] for name, one in made.items()},
                         {"right.py": "right", "wrong.py": "wrong", "outside.py": "unclean"})

    def test_answers_of_any_form(self):
        made = self.judge({name: RIGHT.replace("return PTX", "return " + text) for name, text in ANSWERS.items()})
        for name, one in made.items():
            with self.subTest(name):
                self.assertNotIn(one["verdict"], ("right", "not judged"))

    def test_machine_code_of_its_own_is_not_taken(self):
        made = self.judge({name: text.replace("return PTX", "return {'ptx': PTX, 'cubin': '7f454c46' * 40}")
                           for name, text in (("right.py", RIGHT), ("wrong.py", WRONG))})
        self.assertEqual([one["verdict"] for one in made.values()], ["right", "wrong"])

    def test_nothing_of_a_candidate_stays_for_the_next(self):
        first = at_import("import builtins; builtins.seen = True; import json; json.loads = None")
        second = at_import("import builtins; assert not hasattr(builtins, 'seen')")
        for more in ((), ("--jobs", "1")):
            made = self.judge({"first.py": first, "second.py": second}, code=1, more=more)
            self.assertEqual(made["second.py"]["verdict"], "right")

    def test_a_stream_forks_what_is_warm(self):
        lines = "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate([RIGHT, WRONG, at_import("import os; os._exit(3)"), RIGHT]))
        done = subprocess.run([BUILD / "bin/warpmark", "judge", "suites/t.yaml", "--stream", "-q", "-j", "2", "--device", self.DEVICE], input=lines, text=True,
                              capture_output=True, cwd=self.folder, env=self.environment, check=False)
        made = {one["id"]: one["judgement"]["verdict"] for one in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(made, {0: "right", 1: "wrong", 2: "not compiled", 3: "right"}, done.stderr)

    def test_an_assignment_takes_files_of_its_kind(self):
        self.write("hw.yaml", "warpmark: 1\nassignment: hw\nsuite: suites/t.yaml\ncases: [{name: all, points: 4}]\n")
        self.write("class/ada/k.py", RIGHT)
        self.write("class/bob/mine.py", WRONG)
        self.write("class/eve/k.cu", "int x;")
        self.write("secret", "a secret of the course, 32 bytes").chmod(0o600)
        self.run_program("grade", "hw.yaml", "class", "-o", "out", "-q", "--device", self.DEVICE, "--secret", "secret")
        made = {path.parent.name: json.loads(path.read_text()) for path in (self.folder / "out/staff").glob("*/result.json")}
        self.assertEqual({name: one["points"] for name, one in made.items()}, {"ada": 4, "bob": 0, "eve": 0}, made)


@unittest.skipIf(SANITIZED, "no Python loads a library of a sanitizer")
class Walls(ToyTest):
    """Candidates that are not loaded, and walls, which do not depend on the device."""

    def test_a_candidate_that_reaches_for_more_is_not_compiled_and_says_why(self):
        made = self.judge({name: at_import(text) for name, text in REFUSED.items()})
        for name, one in made.items():
            with self.subTest(name):
                self.assertEqual((one["verdict"], one["problem"]), ("not compiled", ""))
        self.assertIn("no_such_package", made["imports.py"]["feedback"])
        self.assertIn("at line 1", made["is_no_python.py"]["feedback"])
        self.assertFalse(pathlib.Path("/tmp/warpmark_was_here").exists())

    def test_a_candidate_that_ends_its_process_loses_itself_alone(self):
        made = self.judge({**{name: at_import(text) for name, text in ENDED.items()}, "right.py": RIGHT})
        self.assertEqual(made.pop("right.py")["verdict"], "right")
        for name, one in made.items():
            with self.subTest(name):
                self.assertEqual((one["verdict"], one["problem"]), ("not compiled", ""))

    def test_the_courses_kernel_is_not_in_a_candidates_hands(self):
        """It is compiled for the comparison of speed, in a process that has run no candidate."""
        course = self.write("suites/k.py", RIGHT + "\n# the solution of the course\n")
        hook = "import kernel_compiler\nreal = kernel_compiler.load\n" \
               "def load(path, source=None):\n    if source and 'MINE' not in source:\n        %s\n" \
               "    return real(path, source)\nkernel_compiler.load = load\n"
        made = self.judge({
            "slows.py": at_import("MINE = 1\n" + hook % "return type('M', (), {'kernel': staticmethod(lambda: PTX.replace('ret;', 'bar.sync 0; ret;'))})"),
            "tells.py": at_import("MINE = 1\n" + hook % "raise kernel_compiler.Refused(source)"),
            "leaves.py": at_import("MINE = 1\n" + hook % "import os; os._exit(0)"),
        }, code=0)
        for name, one in made.items():
            with self.subTest(name):
                self.assertEqual((one["verdict"], one["fast"]["ratio"]), ("right", 1))
                self.assertNotIn("the solution of the course", json.dumps(one))
        self.assertIn("the solution", course.read_text())

    def test_an_answer_before_the_question_is_none(self):
        early = RIGHT.replace("return PTX", "import gc, socket\n    [one.sendall(b'{\"error\": \"x\"}\\n') for one in gc.get_objects() "
                              "if isinstance(one, socket.socket)]\n    return PTX")
        one = self.judge({"early.py": early})["early.py"]
        self.assertEqual((one["verdict"], one["problem"]), ("not compiled", ""))

    def test_an_endless_one_ends_at_its_limit_with_all_its_processes(self):
        self.write("hw.yaml", "warpmark: 1\nassignment: hw\nsuite: suites/t.yaml\nsubmission: {file: k.py}\n"
                              "cases: [{name: all, points: 1}]\nlimits: {compile_cpu_s: 1, compile_s: 4}\n")
        for name, text in (("busy", "while True: pass"), ("asleep", "import time; time.sleep(1e6)")):
            mark = "warpmark_%s_%d" % (name, os.getpid())
            self.write(name + ".py", at_import("MARK = %r\nimport ctypes; ctypes.CDLL(None).prctl(15, %r)\n%s" % (mark, mark[:15].encode(), text)))
            out, _ = self.run_program("judge", "hw.yaml", name + ".py", "--json", "--device", self.DEVICE, code=1)
            one = json.loads(out)["judgement"]
            self.assertEqual(one["verdict"], "not compiled", one)
            self.assertIn("more time or memory", one["feedback"])
            self.assertFalse(self.processes_called(mark[:15]))

    def processes_called(self, name):
        for _ in range(20):
            found = [one for one in pathlib.Path("/proc").glob("[0-9]*/comm") if self.text_of(one).strip() == name]
            if not found:
                return []
            time.sleep(0.1)
        return found

    @staticmethod
    def text_of(path):
        try:
            return path.read_text()
        except OSError:
            return ""

    def test_a_compiler_that_serves_nobody(self):
        self.write("compilers/warpmark-compiler-toy", "#!/bin/sh\necho '{}'\n").chmod(0o755)
        self.write("c.py", RIGHT)
        _, errors = self.run_program("judge", "suites/t.yaml", "c.py", code=3)
        self.assertIn("does not serve submissions", errors)


class MachineCode(Toy):
    """The same on a device that loads machine code alone: the compile worker assembles it."""
    DEVICE = "machine_code"

    def setUp(self):
        super().setUp()
        self.environment["WARPMARK_PLUGIN_PATH"] += ":%s" % (BUILD / "tests/drivers")
        self.environment["CUDA_HOME"] = str(BUILD / "tests/assembler")
        if self.DEVICE == "gpu":
            del self.environment["CUDA_HOME"]

    def write_cuda_suite(self):
        self.write("suites/t.yaml", SUITE % "file: k.cu, entry: double_it")
        self.write("suites/k.cu", CUDA)

    def test_what_is_not_assembled(self):
        one = self.judge({"refused.py": RIGHT.replace("add.f32", "// refused\n  add.f32")})["refused.py"]
        self.assertEqual((one["verdict"], one["problem"]), ("not compiled", ""))
        self.assertIn("the assembler of a test refuses it", one["feedback"])

    def test_ptx_as_a_candidate(self):
        self.write_cuda_suite()
        made = self.judge({"right.ptx": PTX, "wrong.ptx": PTX.replace("add.f32 %f, %f, %f", "mov.f32 %f, %f")}, more=("--speed", "none"))
        self.assertEqual([one["verdict"] for one in made.values()], ["right", "wrong"])

    def test_a_large_assembler_leaves_the_compiler_its_memory(self):
        self.write_cuda_suite()
        feedback = self.judge({"right.cu": CUDA}, more=("--speed", "none"))["right.cu"]["feedback"]
        self.assertIn("cuModuleLoadDataEx failed", feedback)  # that of this device takes no machine code of NVRTC

    def test_no_assembler(self):
        self.environment["CUDA_HOME"] = str(self.folder)
        self.environment["LD_LIBRARY_PATH"] = ""
        if pathlib.Path("/usr/local/cuda").exists():
            self.skipTest("there is a toolkit")
        self.write("right.py", RIGHT)
        _, errors = self.run_program("judge", "suites/t.yaml", "right.py", "--device", self.DEVICE, code=3)
        self.assertIn("kernels of toy need nvJitLink", errors)


class OnGpu(MachineCode):
    """On a GPU, by nvJitLink: that of the environment with Triton, or of a toolkit."""
    DEVICE = "gpu"
    test_what_is_not_assembled = test_no_assembler = None

    def test_a_large_assembler_leaves_the_compiler_its_memory(self):
        self.write_cuda_suite()
        made = self.judge({"right.cu": CUDA, "wrong.cu": CUDA.replace("*= 2", "*= 3")}, more=("--speed", "none"))
        self.assertEqual([one["verdict"] for one in made.values()], ["right", "wrong"])

    def setUp(self):
        super().setUp()
        if not gpu_is_there():
            self.skipTest("there is no GPU")
        if environment_with("triton"):
            self.environment["VIRTUAL_ENV"] = environment_with("triton")
        elif not any(pathlib.Path("/usr/local/cuda").glob("lib*/libnvJitLink.so*")):
            self.skipTest("there is no nvJitLink")

    def test_candidates_get_the_verdicts_of_any_kernel(self):
        """Outside of its arrays, a GPU sees what touches another page."""
        made = self.judge({"right.py": RIGHT, "wrong.py": WRONG})
        self.assertEqual({name: one["verdict"] for name, one in made.items()}, {"right.py": "right", "wrong.py": "wrong"})

    @unittest.skipIf(environment_with("triton") is None, reason("triton"))
    def test_triton(self):
        self.write("suites/t.yaml", ADD)
        self.write("suites/k.py", Triton.KERNEL)
        made = self.judge({"right.py": Triton.KERNEL, "subtracts.py": Triton.KERNEL.replace(") + tl.load(y", ") - tl.load(y")})
        self.assertEqual([one["verdict"] for one in made.values()], ["right", "wrong"])


@unittest.skipIf(SANITIZED, "no Python loads a library of a sanitizer")
@unittest.skipIf(environment_with("triton") is None, reason("triton"))
class Triton(GradeTest):
    KERNEL = """import torch
import triton
import triton.language as tl


@triton.jit
def helper(x):
    return x


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, helper(tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside)), mask=inside)


def launch(x: torch.Tensor, y: torch.Tensor):
    out = torch.empty_like(x)
    add[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    return out
"""

    def setUp(self):
        super().setUp()
        self.environment["VIRTUAL_ENV"] = environment_with("triton")
        self.write("suites/t.yaml", ADD)
        self.write("suites/k.py", self.KERNEL)

    def test_candidates(self):
        own = self.KERNEL if environment_with("torch") else self.KERNEL.replace("import torch\n", "")
        texts = {"right.py": own, "unmasked.py": own.replace(", mask=inside)\n", ")\n"),
                 "subtracts.py": own.replace(") + tl.load(y", ") - tl.load(y"), "unknown.py": own.replace("x + i", "x + j"),
                 "erf.py": own.replace("return x", "return tl.math.erf(x)"), "reads.py": "open('/etc/passwd')\n" + own}
        for name, text in texts.items():
            self.write(name, text)
        out, _ = self.run_program("judge", "suites/t.yaml", *texts, "--json", "--device", "cpu", code=1)
        made = {one["id"]: one["judgement"] for one in map(json.loads, out.splitlines())}
        self.assertEqual({name: one["verdict"] for name, one in made.items()},
                         {"right.py": "right", "unmasked.py": "unclean", "subtracts.py": "wrong", "unknown.py": "not compiled",
                          "erf.py": "wrong", "reads.py": "not compiled"})
        self.assertIn("j is not defined", made["unknown.py"]["feedback"])
        self.assertIn("at line 15", made["unknown.py"]["feedback"])


if __name__ == "__main__":
    unittest.main()
