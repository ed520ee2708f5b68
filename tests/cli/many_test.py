# A suite of two thousand small cases: list, check, journal, JUnit and ctest have each of them once.
import json
import os
import pathlib
import re
import subprocess
import time
import unittest
import xml.etree.ElementTree as ElementTree

from program import PROGRAM, SOURCE, CheckTest

# 20 * 10 * 5 * 2 cases of one kernel, that takes all of its values at run time.
KERNEL = """extern "C" __global__ void k(int *out, int a, int b, int c, int d) {
  out[threadIdx.x] = 1000 * a + 100 * b + 10 * c + d + threadIdx.x;
}
"""
SUITE = """warpmark: 1
kernel: {file: k.cu, entry: k}
axes:
  a: {python: "list(range(-10, 10))"}
  b: {python: "list(range(10))"}
  c: [1, 2, 4, 8, 16]
  d: [{value: 0, label: off}, {value: 1, label: on}]
arguments:
  out: {out: c}
  a: {scalar: a}
  b: {scalar: b}
  c: {scalar: c}
  d: {scalar: d}
launch: {block: c}
reference: {out: 1000 * a + 100 * b + 10 * c + d + np.arange(c)}
"""
IDS = ["many.a=%s,b=%d,c=%d,d=%s" % (str(a).replace("-", "~"), b, c, d)
       for a in range(-10, 10) for b in range(10) for c in (1, 2, 4, 8, 16) for d in ("off", "on")]

LISTS = """cmake_minimum_required(VERSION 3.25)
project(many NONE)
enable_testing()
include([[%s/cmake/WarpmarkDiscoverTests.cmake]])
warpmark_discover_tests(suites/many.yaml PROGRAM [[%s]] DEVICE cpu)
"""


# The number of cases, and a comment in the source.
LARGE = """warpmark: 1
kernel:
  entry: k
  source: |
    extern "C" __global__ void k(int *out, int n) { out[threadIdx.x] = n; }  // %s
axes: {n: {python: "list(range(%d))"}}
arguments: {out: {out: 4}, n: {scalar: n}}
launch: {block: 4}
reference: {out: "np.full(4, n)"}
"""


def peak_kib(pid):
    """The peak memory of a process; 0 if it has ended."""
    try:
        return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/%d/status" % pid).read_text()).group(1))
    except (OSError, AttributeError):
        return 0


class Many(CheckTest):
    def setUp(self):
        super().setUp()
        self.write("suites/k.cu", KERNEL)
        self.write("suites/many.yaml", SUITE)
        self.assertEqual(len(set(IDS)), 2000)

    def test_list(self):
        out, _ = self.run_program("list", "suites")
        self.assertEqual(re.findall("^  (.*)$", out, re.M), IDS)
        self.assertIn("\n1 suite, 2000 cases\n", out)
        whole = json.loads(self.run_program("list", "suites", "--json")[0])
        self.assertEqual([one["id"] for one in whole["suites"][0]["cases"]], IDS)

    def test_check(self):
        out, errors = self.check("suites", "--journal", "run.jsonl", "--junit", "junit.xml")
        self.assertEqual(errors, "")
        self.assertRegex(out, r"\nmany +2000 +2000 +- +- +\d")
        self.assertIn("\n2,000 passed in ", out)
        run, *cases, end = self.journal()
        self.assertEqual((run["type"], run["cases"], end["type"]), ("run", 2000, "end"))
        self.assertEqual((end["passed"], end["exit_code"]), (2000, 0))
        self.assertEqual([case["case"] for case in cases], IDS)
        self.assertEqual({case["verdict"] for case in cases}, {"passed"})
        tests = ElementTree.parse(self.folder / "junit.xml").getroot().iter("testcase")
        self.assertEqual([test.get("classname") + "." + test.get("name") for test in tests], IDS)

    def test_memory_does_not_grow_with_the_cases(self):
        """A plan has the source, here 64 KiB of it, and goes when its case has ended."""
        peaks = []
        for count in (100, 1000):
            self.write("suites/k.yaml", LARGE % ("-" * 2**16, count))
            with subprocess.Popen([PROGRAM, "check", "suites/k.yaml", "--device", "cpu", "-q"], cwd=self.folder,
                                  env=self.environment, stdout=subprocess.PIPE, text=True) as run:
                peak = 0
                while run.poll() is None:
                    peak = max(peak, peak_kib(run.pid))
                    time.sleep(0.01)
                self.assertIn("passed in", run.stdout.read())
            peaks.append(peak)
        self.assertGreater(peaks[0], 0)
        self.assertLess(peaks[1] - peaks[0], 900 * 64 / 4, peaks)

    def test_some_of_them(self):
        out, _ = self.check("suites", "--case", IDS[0], "--case", IDS[1999], "--json")
        records = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([record["case"] for record in records[1:-1]], [IDS[0], IDS[1999]])
        out, _ = self.check("suites", "-k", "a=~3,b=7 and off")
        self.assertRegex(out, r"\n5 passed, 1,995 deselected in ")

    def test_discovery(self):
        self.write("CMakeLists.txt", LISTS % (SOURCE, PROGRAM))
        build = self.folder / "build"
        tools = {name: os.environ["WARPMARK_TEST_" + name] for name in ("CMAKE", "CTEST")}

        def run(*command, **options):
            done = subprocess.run(command, env=self.environment, timeout=120, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
            self.assertEqual(done.returncode, 0, done.stdout)
            return done.stdout
        run(tools["CMAKE"], "-S", self.folder, "-B", build)
        names = re.findall(r"Test +#\d+: (.*)", run(tools["CTEST"], "-N", cwd=build))
        self.assertEqual(names, IDS)
        one = run(tools["CTEST"], "-R", "^%s$" % re.escape(IDS[1234]), cwd=build)
        self.assertRegex(one, "100% tests passed(, 0 tests failed)? out of 1\n")


if __name__ == "__main__":
    unittest.main()
