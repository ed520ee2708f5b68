# `warpmark check --sanitize`: under a program that takes compute-sanitizer's place, and on a GPU under the real one.
import ctypes
import os
import pathlib
import shutil
import struct
import sys
import unittest

from program import BUILD, KERNEL, SANITIZED, CheckTest, gpu_is_there

NAME = "compute-sanitizer"
# Runs what it is asked to, and puts into the log what the CPU device prints of it: that is
# compute-sanitizer's text, with the addresses of this very run. SAYS is what it says instead, if
# it is set.
STAND_IN = """#!%s
import os, subprocess, sys
words = sys.argv[1:]
log = words[words.index("--log-file") + 1]
with open(os.environ["ASKED"], "a") as file:
    print(*words[:words.index("--log-file")], os.path.basename(words[-2]), words[-1], file=file)
checks = {"memcheck": "memory", "racecheck": "race", "initcheck": "init", "synccheck": "sync"}
done = subprocess.run(words[-2:], close_fds=False, env={**os.environ, "WARPMARK_CPU_REPORT": log,
    "WARPMARK_CPU_CHECK": checks[words[words.index("--tool") + 1]]})
if "SAYS" in os.environ:
    open(log, "w").write(os.environ["SAYS"])
sys.exit(done.returncode)
""" % sys.executable

BEYOND = KERNEL.replace("if (i < n) out[i]", "if (i < n + 3) out[i]").replace("src[i]", "src[i < n ? i : 0]")
RACY = """extern "C" __global__ void k(float *out, const float *src, float f, int n) {
  __shared__ float mine[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[threadIdx.x] = i < n ? f * src[i] : 0;
  float other = mine[31 - threadIdx.x];
  if (i < n) out[i] = f * src[i] + 0 * other;
}
"""


def write_device(folder):
    """A copy of the CPU device that takes PTX, and can nothing else that a GPU cannot."""
    library = BUILD / "lib/warpmark/libwarpmark_cpu.so"
    function = ctypes.CDLL(str(library)).warpmark_device_v1
    function.restype = ctypes.POINTER(ctypes.c_uint32 * 4)
    size, version, capabilities, reserved = function().contents
    struct_of = lambda can: struct.pack("<4I", size, version, can, reserved)
    before = library.read_bytes()
    assert before.count(struct_of(capabilities)) == 1
    image_ptx = 1
    (folder / "libwarpmark_plain.so").write_bytes(before.replace(struct_of(capabilities), struct_of(image_ptx)))


class Sanitize(CheckTest):
    def setUp(self):
        super().setUp()
        if SANITIZED:
            self.skipTest("the library of a sanitizer is not copied")
        write_device(self.folder)
        self.environment["WARPMARK_PLUGIN_PATH"] = "%s:%s" % (self.folder, BUILD / "lib/warpmark")
        self.environment["ASKED"] = str(self.folder / "asked")
        self.environment["PATH"] = "%s:%s" % (self.folder / "tools", os.environ["PATH"])
        tool = self.write("tools/" + NAME, STAND_IN)
        tool.chmod(0o755)

    def asked(self):
        return (self.folder / "asked").read_text().splitlines()

    def sanitized(self, *arguments, option="--sanitize", code=1):
        return self.check("suites/t.yaml", option, *arguments, device="plain", code=code)[0]

    def test_out_of_bounds_is_reported_as_by_the_cpu_device(self):
        self.write_scale(kernel_text=BEYOND)
        out = self.sanitized("--journal", "run.jsonl")
        self.assertIn("suites/k.cu:3: error: out-of-bounds global write of 4 bytes at out[100], 1 byte after the nearest "
                      "allocation of 400 bytes, by thread (4,0,0) of block (3,0,0)", out)
        self.assertIn("reproduce: warpmark check suites/t.yaml --case t.n=100 --device plain --sanitize=memcheck\n", out)
        finding = self.journal()[1]["findings"][0]
        own, _ = self.check("suites/t.yaml", "--checks", "memory", "--journal", "own.jsonl", code=1)
        device = self.journal("own.jsonl")[1]["findings"][0]
        for key in ("kind", "kernel", "space", "access", "bytes", "thread", "block", "argument", "dtype", "index", "elements",
                    "file", "line"):
            self.assertEqual(finding[key], device[key], key)
        self.assertEqual(self.asked(), ["--tool memcheck warpmark-worker worker"])

    def test_a_race_and_the_other_tools(self):
        self.write_scale(kernel_text=RACY)
        out = self.sanitized(option="--sanitize=racecheck")
        self.assertIn("suites/k.cu:5: error: race: read after write of shared memory in k at", out)
        self.assertIn("the other access is at", out)
        self.sanitized(option="--sanitize=synccheck", code=0)
        self.assertEqual([line.split()[1] for line in self.asked()], ["racecheck", "synccheck"])

    def test_each_case_has_a_worker_and_its_own_findings(self):
        self.write_scale(kernel_text=BEYOND, axes="{n: [100, 128, 7]}")
        out = self.sanitized()
        self.assertIn("out[100]", out)
        self.assertIn("\n  the same in t.n=7\n", out)
        self.assertIn("1 passed, 2 failed", out)  # 128 threads do not reach beyond 128 elements
        self.assertEqual(len(self.asked()), 3)

    def test_an_expected_fault(self):
        self.write_scale(kernel_text=BEYOND, reference=None, more="expect: {fault: illegal_address, argument: out}\n")
        self.sanitized(code=0)

    def test_right_kernels_pass_and_wrong_results_stay_wrong(self):
        self.write_scale()
        self.assertIn("1 passed", self.sanitized(code=0))
        self.write_scale(reference="{out: src}")
        self.assertIn("elements of `out` are wrong", self.sanitized())

    def test_a_tool_that_checked_nothing_is_no_pass(self):
        title = "========= COMPUTE-SANITIZER\n"
        never = "========= Error: Target application terminated before first instrumented API call\n"
        no_process = "========= Error: No attachable process found. compute-sanitizer timed-out.\n"
        logs = {"its log is empty": "",
                "it says: Error: Target application terminated before first instrumented API call": title + never,
                "it says: Error: No attachable process found.": title + no_process + "========= ERROR SUMMARY: 0 errors\n",
                "its log has no summary: Something / else": title + "========= Something\n=========     else\n"}
        suites = ({}, {"kernel_text": BEYOND, "reference": None, "more": "expect: {fault: illegal_address, argument: out}\n"})
        for suite in suites:
            self.write_scale(**suite)
            for reason, says in logs.items():
                self.environment["SAYS"] = says
                out, errors = self.check("suites/t.yaml", "--sanitize", device="plain", code=3)
                self.assertIn("error: compute-sanitizer did not check the kernel: " + reason, errors)
                self.assertNotIn("1 passed", out)

    def test_where_it_cannot_be(self):
        self.write_scale()
        errors = self.refused("check", "suites/t.yaml", "--sanitize", "--device", "cpu")
        self.assertEqual(errors.count("error: "), 1)
        self.assertIn("--sanitize is for GPUs; Warpmark CPU device finds mistakes itself", errors)
        shutil.rmtree(self.folder / "tools")
        self.environment["PATH"] = "/usr/bin:/bin"
        if not pathlib.Path("/usr/local/cuda/bin", NAME).exists() and not shutil.which(NAME, path=self.environment["PATH"]):
            errors = self.refused("check", "suites/t.yaml", "--sanitize", "--device", "plain", code=3)
            self.assertIn("compute-sanitizer is neither in PATH nor below", errors)
        self.assertIn("must be memcheck, racecheck, initcheck or synccheck, and is `quickcheck`",
                      self.refused("check", "suites/t.yaml", "--sanitize=quickcheck"))

    def test_checks_are_not_left_out_in_silence(self):
        self.write_scale()
        errors = self.refused("check", "suites/t.yaml", "--checks", "race", "--device", "plain")
        self.assertIn("cannot look for mistakes, and --checks asks for it", errors)
        self.check("suites/t.yaml", device="plain")  # nobody asked


class OnGpu(CheckTest):
    """The real tool; the ctest says why it was skipped."""
    TOOL = shutil.which(NAME) or "/usr/local/cuda/bin/" + NAME

    def setUp(self):
        super().setUp()
        self.environment["PATH"] = "%s:%s" % (pathlib.Path(self.TOOL).parent, os.environ["PATH"])
        if "LD_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        if not pathlib.Path(self.TOOL).exists():
            self.skipTest("there is no compute-sanitizer")
        if not gpu_is_there():
            self.skipTest("there is no GPU")

    def gpu(self, *arguments, code=1):
        return self.check("suites/t.yaml", *arguments, device="gpu", code=code)[0]

    def test_memcheck(self):
        self.write_scale(kernel_text=BEYOND)
        out = self.gpu("--sanitize")
        self.assertIn("suites/k.cu:3: error: out-of-bounds global write of 4 bytes at out[100]", out)

    def test_racecheck(self):
        self.write_scale(kernel_text=RACY)
        self.assertIn("suites/k.cu:5: error: race: read after write of shared memory", self.gpu("--sanitize=racecheck"))

    def test_right_kernels_pass_under_each_tool(self):
        self.write_scale()
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            self.gpu("--sanitize=" + tool, code=0)


if __name__ == "__main__":
    unittest.main()
