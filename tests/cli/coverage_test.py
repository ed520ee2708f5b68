# Coverage of device code: `check --coverage`, its gate, and `lint --coverage`.
"""Each kernel of the folder `coverage` says by comments at the ends of its lines what its launch executes, counted
by hand: `//+` is an executed line, `//-` one with code that is not executed, and all others have no code. The numbers behind
are the lines at which the branches of the line go on, 0 for another function, with ! before those never taken:
`//+ 4 !7`. A block of 32 threads gets x = 0, 1, … 31, or what X has, and n = 8.

What has no code needs an eye on the compiler: a declaration whose value is computed where it is used, a loop that
is unrolled, `else`, a `break` that falls through. The line of a kernel's name has its loads of parameters."""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from program import BUILD, SANITIZED, CheckTest
from sanitize_test import write_device

KERNELS = pathlib.Path(__file__).resolve().parent / "coverage"
MARK = re.compile(r"//([+-])((?: !?\d+)*)$")
X = {"switch": "np.arange(32) & 1", "dense_switch": "np.arange(32) & 3"}
# With this tolerance every finite result is right: what is computed is not the subject here.
SUITE = """warpmark: 1
kernel: {%s, entry: %s}
arguments:
  out: {inout: np.zeros(32), dtype: float32}
  x: {in: '%s', dtype: int32}
  n: {scalar: 8, dtype: int32}
launch: {block: 32}
reference: {out: out}
tolerance: {atol: 1e30}
"""
LINED = """extern "C" __global__ void k(float *out, const int *x, int n) {
  int i = threadIdx.x;
#line %s
  if (x[i] > 1000)
    atomicAdd(out, 1.0f);
  out[i] = 3;
}
"""
# Guarded instructions are executed by those threads whose guard holds; the branch goes on at 5 and 6.
GUARDED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 x, .param .u32 n) {
  .reg .pred %%p<4>; .reg .b32 %%r<4>; .reg .b64 %%rd<4>;
  .loc 1 1 0
  ld.param.u64 %%rd1, [out];
  mov.u32 %%r1, %%tid.x;
  setp.lt.u32 %%p1, %%r1, 4;
  setp.gt.u32 %%p2, %%r1, 99;
  .loc 1 2 0
  @%%p1 st.global.u32 [%%rd1], 0;
  .loc 1 3 0
  @%%p2 st.global.u32 [%%rd1], 0;
  .loc 1 4 0
  @%%p1 bra LOW;
  .loc 1 5 0
  st.global.u32 [%%rd1+4], 0;
LOW:
  .loc 1 6 0
  ret;
}
%s
"""


def counted_by_hand(text):
    """{line: (executed, [taken, …])} of a kernel's comments."""
    lines = {}
    for number, line in enumerate(text.splitlines(), 1):
        found = MARK.search(line)
        if found:
            lines[number] = (found.group(1) == "+", ["!" not in side for side in found.group(2).split()])
    return lines


def read_tracefile(text):
    """{file: {"lines": {line: count}, "sides": {line: [count or None, …]}, "functions": {name: count}}}."""
    files, one = {}, None
    for line in text.splitlines():
        word, _, rest = line.partition(":")
        if word == "SF":
            one = files.setdefault(rest, {"lines": {}, "sides": {}, "functions": {}})
        elif word == "DA":
            number, count = rest.split(",")
            one["lines"][int(number)] = int(count)
        elif word == "BRDA":
            number, _, _, count = rest.split(",")
            one["sides"].setdefault(int(number), []).append(None if count == "-" else int(count))
        elif word == "FNDA":
            count, name = rest.split(",")
            one["functions"][name] = int(count)
        elif word in ("LF", "LH", "BRF", "BRH"):
            one[word] = int(rest)
    return files


class Coverage(CheckTest):
    def write_kernel(self, name, entry="k", x=None):
        """The suite of a kernel of the folder, and the kernel."""
        self.write("suites/%s.cu" % name, (KERNELS / (name + ".cu")).read_text())
        return self.write("suites/%s.yaml" % name,
                          SUITE % ("file: %s.cu" % name, entry, x or X.get(name, "np.arange(32)")))

    def cover(self, *arguments, code=0, file="cov.info", schedule=("--schedule", "0")):
        """Runs in one order of threads: others would add their counts."""
        out, errors = self.check(*(arguments or ("suites",)), "--coverage", file, *schedule, code=code, device=None)
        return read_tracefile((self.folder / file).read_text()), out, errors

    def same(self, found, text):
        """Compares the lines and sides of a file with those that were counted by hand."""
        expected = counted_by_hand(text)
        self.assertEqual({line: count > 0 for line, count in found["lines"].items()},
                         {line: executed for line, (executed, _) in expected.items()})
        self.assertEqual({line: [bool(count) for count in counts] for line, counts in found["sides"].items()},
                         {line: taken for line, (_, taken) in expected.items() if taken})
        for line, counts in found["sides"].items():
            self.assertEqual(None in counts, found["lines"][line] == 0, "%s: a branch that nobody came to" % line)

    def test_kernels_counted_by_hand(self):
        names = sorted(file.stem for file in KERNELS.glob("*.cu"))
        self.assertGreaterEqual(len(names), 20)
        for name in names:
            self.write_kernel(name, "scale<float>" if name == "template" else "k")
        files, out, _ = self.cover()
        self.assertEqual(sorted(files), ["suites/%s.cu" % name for name in names])
        for name in names:
            with self.subTest(name):
                self.same(files["suites/%s.cu" % name], (KERNELS / (name + ".cu")).read_text())
        # Two lines of cooperative_groups/details/reduce.h hold the instructions of cg::reduce.
        self.assertRegex(out, r"\n  left out: \d lines? that no file of a suite has \(reduce\.h\)\n")
        lines = sum(len(file["lines"]) for file in files.values())
        hit = sum(count > 0 for file in files.values() for count in file["lines"].values())
        self.assertIn("\ncoverage: %d of %d lines (" % (hit, lines), out)
        self.assertEqual(sum(file["LF"] for file in files.values()), lines)
        self.assertEqual(sum(file["LH"] for file in files.values()), hit)
        self.assertEqual(files["suites/two_kernels.cu"]["functions"], {"k": 32, "other": 0})
        self.assertEqual(files["suites/not_inlined.cu"]["functions"], {"k": 32, "keep": 32, "lose": 0})
        self.assertEqual(files["suites/template.cu"]["functions"], {"scale": 32}, "both instances")

    def test_counts_are_threads(self):
        self.write_kernel("early_return")
        files, _, _ = self.cover()
        found = files["suites/early_return.cu"]
        # The 24 of 32 threads from n = 8 on return at line 3, to 6, and 8 go on at 4.
        self.assertEqual(found["lines"], {1: 32, 2: 32, 3: 32, 4: 8, 5: 8, 6: 32})
        self.assertEqual(found["sides"], {3: [8, 24], 4: [8, 0]})

    def test_cases_and_suites_add_up(self):
        self.write_kernel("two_kernels")
        self.write("suites/second.yaml", SUITE % ("file: two_kernels.cu", "other", "np.arange(32)"))
        files, out, _ = self.cover()
        found = files["suites/two_kernels.cu"]
        self.assertEqual(found["lines"], {1: 32, 2: 32, 3: 32, 4: 32, 5: 32, 6: 32, 7: 32})
        self.assertEqual(found["functions"], {"k": 32, "other": 32})
        # n > 1 always holds, and line 4 is reached by those who come from line 3.
        self.assertEqual(found["sides"], {2: [32, 0]})
        self.assertIn("\n  the branch at suites/two_kernels.cu:2 never goes on at line 4, always at line 3\n", out)
        # The order of the cases, and who runs them, changes nothing.
        alone = (self.folder / "cov.info").read_bytes()
        for more in (("-j", "2"), ("--in-process",)):
            self.cover("suites", *more, file="again.info")
            self.assertEqual((self.folder / "again.info").read_bytes(), alone, more)

    def test_lines_that_only_a_baseline_runs(self):
        self.write_kernel("two_kernels")
        suite = SUITE % ("file: two_kernels.cu", "k", "np.arange(32)")
        self.write("suites/two_kernels.yaml", suite.replace("{out: out}", "{out: \"baseline['out']\"}") +
                   "baseline: {kernel: {file: two_kernels.cu, entry: other}}\n")
        files, _, _ = self.cover()
        self.assertEqual(files["suites/two_kernels.cu"]["functions"], {"k": 32, "other": 32})

    def test_orders_of_threads_and_trials_add_up(self):
        self.write_kernel("never_taken")  # an atomic operation, whose order may matter
        counts = [self.cover("suites", *more, schedule=schedule)[0]["suites/never_taken.cu"]["lines"][7]
                  for more, schedule in (((), ("--schedule", "0")), (("--trials", "3"), ("--schedule", "0")),
                                         ((), ("--schedules", "4")))]
        self.assertEqual(counts, [32, 96, 128])

    def test_a_second_file(self):
        part = (KERNELS / "part.cuh").read_text()
        self.write("suites/part.cuh", part)
        self.write("suites/a.cu", '#include "part.cuh"\nextern "C" __global__ void k(float *out, const int *x, int n) {\n'
                   "  int i = threadIdx.x;\n  out[i] = part(x[i]);\n}\n")
        self.write("suites/a.yaml", SUITE % ("file: a.cu", "k", "np.arange(32)"))
        files, _, _ = self.cover()
        self.same(files["suites/part.cuh"], part)
        self.assertEqual(files["suites/a.cu"]["lines"], {2: 32, 3: 32, 4: 32, 5: 32})

    def test_the_text_of_a_suite(self):
        text = SUITE % ("file: none", "k", "np.arange(32)")
        kernel = "kernel:\n  entry: k\n  source: |\n" + "".join(
            "    %s\n" % line for line in (KERNELS / "never_taken.cu").read_text().splitlines())
        self.write("suites/a.yaml", re.sub(r"kernel: .*\n", lambda _: kernel, text))
        files, _, _ = self.cover()
        # The kernel begins at line 5.
        self.assertEqual(files["suites/a.yaml"]["lines"],
                         {5: 32, 6: 32, 7: 32, 8: 0, 9: 0, 11: 32, 13: 32})

    def test_lines_that_are_none_of_the_file(self):
        for name, place in (("beyond", "400"), ("elsewhere", '3 "other.inc"')):
            with self.subTest(name):
                self.write("%s/a.cu" % name, LINED % place)
                self.write("%s/a.yaml" % name, SUITE % ("file: a.cu", "k", "np.arange(32)"))
                files, out, _ = self.cover(name)
                self.assertEqual(list(files), ["%s/a.cu" % name])
                self.assertEqual(files["%s/a.cu" % name]["lines"], {1: 32, 2: 32})
                self.assertIn("\n  left out: 4 lines that no file of a suite has (%s)\n"
                              % ("a.cu" if name == "beyond" else "other.inc"), out)

    def test_code_without_lines(self):
        self.write("suites/k.ptx", re.sub(r"\.loc.*\n", "", GUARDED % ""))
        self.write("suites/a.yaml", SUITE % ("ptx: k.ptx", "k", "np.arange(32)"))
        files, out, _ = self.cover()
        self.assertEqual(files, {})
        self.assertIn("\ncoverage: 0 of 0 lines, 0 of 0 sides of branches, in cov.info\n"
                      "  `k` has no line information, and is not counted\n", out)
        # A gate that nothing was counted for does not hold.
        out, _ = self.check("suites", "--coverage-min", "1", code=1, device=None)
        self.assertIn("\nexit code 1: no line of device code was counted, and --coverage-min asks for 1 %\n", out)

    def test_guards(self):
        self.write("suites/k.ptx", GUARDED % '.file 1 "k.ptx"')
        self.write("suites/a.yaml", SUITE % ("ptx: k.ptx", "k", "np.arange(32)"))
        files, _, _ = self.cover()
        self.assertEqual(files["suites/k.ptx"]["lines"], {1: 32, 2: 4, 3: 0, 4: 32, 5: 28, 6: 32})
        self.assertEqual(files["suites/k.ptx"]["sides"], {4: [28, 4]})

    def test_a_fault_ends_a_launch_that_counts(self):
        self.write("suites/a.cu", """extern "C" __global__ void k(float *out, const int *x, int n) {
  out[threadIdx.x] = 1;
  if (n == 8)
    out[threadIdx.x + 32000000] = 2;
}
""")
        suite = SUITE[:SUITE.index("reference:")] % ("file: a.cu", "k", "np.arange(32)")
        self.write("suites/a.yaml", suite + "expect: {fault: illegal_address}\n")
        files, _, _ = self.cover()
        self.assertEqual(files["suites/a.cu"]["lines"], {1: 32, 2: 32, 3: 32, 4: 32, 5: 32})

    def test_gate(self):
        self.write_kernel("never_taken")  # 5 of 7 lines: 71.4 %
        _, out, _ = self.cover("suites", "--coverage-min", "71.4")
        self.assertIn("\ncoverage: 5 of 7 lines (71.4 %), 1 of 2 sides (50.0 %) of branches, in cov.info\n"
                      "  suites/never_taken.cu: no case executes 4 to 5\n", out)
        self.assertNotIn("the branch at", out)  # line 4 says it already
        out, _ = self.check("suites", "--coverage-min", "71.5", "--journal", "run.jsonl", code=1, device=None)
        self.assertIn("\nexit code 1: 71.4 % of the lines of device code are executed, "
                      "and --coverage-min asks for 71.5 %\n", out)
        self.assertEqual(self.journal()[-1]["exit_code"], 1)
        for bad in ("0", "101", "x"):
            self.assertIn("--coverage-min must be a percentage above 0, up to 100",
                          self.refused("check", "suites", "--coverage-min", bad))

    def test_bad_requests(self):
        self.write_kernel("loop")
        self.assertIn("--coverage would replace suites/loop.cu",
                      self.refused("check", "suites", "--coverage", "suites/loop.cu"))
        # A file of an earlier run, or of another program, is replaced.
        self.write("cov.info", "TN:\nSF:other.c\nDA:1,1\nend_of_record\n")
        files, _, _ = self.cover()
        self.assertEqual(list(files), ["suites/loop.cu"])
        if SANITIZED:
            return  # a library with sanitizers cannot be loaded into this Python
        write_device(self.folder)
        self.environment["WARPMARK_PLUGIN_PATH"] = "%s:%s" % (self.folder, BUILD / "lib/warpmark")
        error = self.refused("check", "suites", "--coverage", "cov.info", "--device", "plain")
        self.assertIn("cannot count which lines run, and --coverage asks for it", error)
        self.assertIn("--device cpu can", error)

    def test_lint(self):
        head = 'extern "C" __global__ void k(float *out, const int *x) {\n  int i = threadIdx.x;\n'
        self.write("suites/a.cu", head + "  if (x[i] < 0) {\n    out[i] = 1;\n    atomicAdd(out, 1.0f);\n  } else {\n"
                   "    out[i] = 3 * x[i];\n  }\n}\n")
        self.write("suites/b.cu", head + "  if (x[i] > 1000) return;\n  out[i] = 3 * x[i];\n}\n")
        for name in ("a", "b"):
            self.write("suites/%s.yaml" % name, "warpmark: 1\nkernel: {file: %s.cu, entry: k}\narguments:\n"
                       "  out: {out: 32, dtype: float32}\n  x: {in: 'rng.integers(1, 99, 32)', dtype: int32}\n"
                       "launch: {block: 32}\nreference: {out: 3 * x}\n" % name)
        out, errors = self.run_program("lint", "suites", "--coverage")
        self.assertEqual(errors.splitlines(), [
            "suites/a.cu:4: warning: no case executes lines 4 to 5",
            "suites/b.cu:3: warning: the branch never goes on at line 5, always at line 4"])
        self.assertEqual(out, "2 suites, 2 cases: no problems, 2 warnings\n")
        self.assertEqual(self.run_program("lint", "suites"), ("2 suites, 2 cases: no problems\n", ""))
        self.assertIn("--coverage launches kernels", self.refused("lint", "suites", "--coverage", "--static"))

    def test_the_environment_asks(self):
        self.write_kernel("two_kernels")
        self.write("suites/second.yaml", SUITE % ("file: two_kernels.cu", "other", "np.arange(32)"))
        self.environment["WARPMARK_COVERAGE"] = "traces"
        for _ in range(2):  # the same command replaces its file
            for name in ("two_kernels", "second"):
                out, _ = self.check("suites/%s.yaml" % name, "--schedule", "0", device=None)
                self.assertIn(" of 7 lines (", out)
        files = sorted((self.folder / "traces").iterdir())
        self.assertEqual(len(files), 2)
        found = [read_tracefile(file.read_text())["suites/two_kernels.cu"]["lines"] for file in files]
        self.assertEqual(sorted(map(str, found)), sorted(map(str, (
            {1: 0, 2: 0, 3: 0, 4: 0, 5: 32, 6: 32, 7: 32}, {1: 32, 2: 32, 3: 32, 4: 32, 5: 0, 6: 0, 7: 0}))))

    def test_tools_of_the_format(self):
        for name in ("never_taken", "two_kernels", "inlined", "template"):
            self.write_kernel(name, "scale<float>" if name == "template" else "k")
        self.cover()
        self.write_kernel("two_kernels", "other")
        self.cover("suites/two_kernels.yaml", file="more.info")
        missing = [tool for tool in ("lcov", "genhtml") if shutil.which(tool) is None]
        if missing:
            self.skipTest("not installed: " + ", ".join(missing))
        self.run_tool("lcov", "--rc", "lcov_branch_coverage=1", "-a", "cov.info", "-a", "more.info", "-o", "both.info")
        both = read_tracefile((self.folder / "both.info").read_text())
        found = {pathlib.Path(file).name: one for file, one in both.items()}
        self.assertTrue(all(found["two_kernels.cu"]["lines"].values()), "the two runs together")
        self.run_tool("genhtml", "--branch-coverage", "cov.info", "-o", "page")
        page = next((self.folder / "page").rglob("never_taken.cu.gcov.html")).read_text()
        self.assertIn("atomicAdd", page)
        if subprocess.run([sys.executable, "-c", "import lcov_cobertura"], stderr=subprocess.DEVNULL,
                          check=False).returncode != 0:
            self.skipTest("not installed: lcov_cobertura, from PyPI")
        self.run_tool(sys.executable, "-m", "lcov_cobertura", "cov.info", "-o", "cov.xml")
        tree = xml.etree.ElementTree.parse(self.folder / "cov.xml").getroot()
        lines = {line.get("number"): line.get("hits") for one in tree.iter("class")
                 if one.get("filename").endswith("never_taken.cu") for line in one.iter("line")}
        self.assertEqual((lines["3"], lines["4"], lines["7"]), ("32", "0", "32"))

    def run_tool(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, "%s\n%s%s" % (command, done.stdout.decode(), done.stderr.decode()))


if __name__ == "__main__":
    unittest.main()
