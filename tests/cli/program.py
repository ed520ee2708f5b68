# Runs the real program in a separate home; shared by the tests of all subcommands.
import ctypes
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from forked import ForkedProgram

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ["WARPMARK_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["WARPMARK_BINARY_DIR"])
PYTHON = os.environ["WARPMARK_TEST_PYTHON"]
PROGRAM = BUILD / "bin" / "warpmark"
DEMO = HERE / "suites"
# Sanitizers reserve terabytes of addresses, and are in front of other libraries.
SANITIZED = any(word in PROGRAM.read_bytes() for word in (b"__asan_init", b"__tsan_init"))
THREADS_SANITIZED = b"__tsan_init" in PROGRAM.read_bytes()

# Each day tries other random cases; a failure names the seed that repeats them.
SEED = int(os.environ.get("WARPMARK_TEST_SEED") or time.strftime("%Y%m%d"))

DROP_REFUSED = 99  # an exit code

# Variables that the program's environment keeps; others could change its defaults.
# The last says that ctest runs other tests meanwhile.
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
        "CTEST_INTERACTIVE_DEBUG_MODE")

SUITE = """warpmark: 1
kernel:
  entry: fill
  source: |
    extern "C" __global__ void fill(int *a) { a[threadIdx.x] = threadIdx.x; }
axes: {n: %s}
arguments:
  a: {out: n}
launch: {block: n}
reference: {a: %s}
"""


# A kernel and a suite whose lines, here numbered from 1, the tests of `check` change by their key.
KERNEL = """extern "C" __global__ void k(float *out, const float *src, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f * src[i];
}
"""
LINES = {
    "warpmark": "1",
    "kernel": "{file: k.cu, entry: k}",
    "axes": "{n: [100]}",
    "arguments": "",
    "  out": "{out: n}",
    "  src": "{in: rng.standard_normal(n)}",
    "  f": "{scalar: 3}",
    "  n": "{scalar: n}",
    "launch": "{block: 32, grid: 'ceil_div(n, 32)'}",
    "reference": "{out: f * src}",
}


COUNT_DEVICES = """
import ctypes
cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
"""


def of_today(items, count):
    """So many of a list's items, by SEED; all of them in the tests that are labelled `long`."""
    if os.environ.get("WARPMARK_TEST_WHOLE"):
        return items
    return [items[i] for i in sorted(random.Random(SEED).sample(range(len(items)), min(count, len(items))))]


def gpu_is_there():
    """Returns whether NVIDIA's driver finds a device. Asks in another process: the driver, once initialised, works in no fork."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return subprocess.run([PYTHON, "-c", COUNT_DEVICES], stderr=subprocess.DEVNULL, check=False).returncode == 0


def shared_kernels():
    """The folder of compiled kernels that all tests share: tests/CMakeLists.txt."""
    place = BUILD / "tests/cache/kernels"
    place.mkdir(parents=True, exist_ok=True)
    return place


class ProgramTest(unittest.TestCase):
    """Each test has a folder `self.folder`, which is HOME and the working directory."""
    maxDiff = None
    # Where a start is not what is tested, the program runs in a fork of this process. Its grades have
    # another key than those of the program's own file: a test that compares two wants both real.
    REAL_STARTS = SANITIZED
    _forked = None  # for all tests of a file

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="warpmark-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environment.update(HOME=str(self.folder), XDG_CACHE_HOME=str(self.folder / "cache"),
                                PATH="%s:%s" % (os.path.dirname(PYTHON), os.environ["PATH"]))

    def start(self, *arguments, program=PROGRAM, real=False, **options):
        settings = dict(cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                        timeout=300)  # against a hang only; thread sanitizers are slow
        settings.update(options)
        command = [str(part) for part in (program, *arguments)]
        if not real and program == PROGRAM and not options.keys() - {"cwd", "env", "timeout"}:
            forked = self.forked_program()
            if forked is not None and forked.can_run(command[1:], settings["env"]):
                return forked.run(command[1:], settings["cwd"], settings["env"], settings["timeout"])
        return subprocess.run(command, stdout=settings.pop("stdout", subprocess.PIPE),
                              stderr=subprocess.PIPE, **settings)

    def forked_program(self):
        if self.REAL_STARTS:
            return None
        if ProgramTest._forked is None:
            ProgramTest._forked = ForkedProgram(BUILD, PROGRAM)
        return ProgramTest._forked

    def run_program(self, *arguments, code=0, **options):
        """stdout and stderr as text, after a check of the exit code."""
        done = self.start(*arguments, **options)
        out = done.stdout.decode() if done.stdout is not None else ""
        errors = done.stderr.decode()
        self.assertEqual(done.returncode, code, "%s\n%s%s" % (arguments, out, errors))
        for line in (out + errors).splitlines():
            self.assertNotRegex(line, r"Traceback|terminate called|AddressSanitizer")
        return out, errors

    def refused(self, *arguments, code=2, **options):
        """stderr of a run that must print nothing else."""
        out, errors = self.run_program(*arguments, code=code, **options)
        self.assertEqual(out, "")
        self.assertTrue(errors.endswith("\n"))
        return errors

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def write_suite(self, path, axis="[4, 8]", reference="np.arange(n)"):
        return self.write(path, SUITE % (axis, reference))

    def make_python(self, numpy=None):
        """A virtual environment of the linked Python; `numpy` is the text of a package in it."""
        home = self.folder / "python"
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", home], check=True)
        packages = next(home.glob("lib/python*/site-packages"))
        if numpy is not None:
            (packages / "numpy").mkdir()
            (packages / "numpy" / "__init__.py").write_text(numpy)
        return home / "bin" / "python3"

    def lonely_program(self):
        """A copy of the program with no plugin and no driver library beside it."""
        copy = self.folder / "alone" / "bin" / "warpmark"
        copy.parent.mkdir(parents=True)
        shutil.copy(PROGRAM, copy)
        return copy

    def permissions_count(self):
        """For `preexec_fn`: a root that may not read and write what permissions forbid."""
        if os.geteuid() != 0:
            return None
        libc = ctypes.CDLL(None, use_errno=True)
        dropped = (1, 2, 3)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # of _LINUX_CAPABILITY_VERSION_3

        def drop():
            # Capabilities that are neither inheritable nor in the bounding set are gone after exec.
            sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable, and the high words
            refused = libc.capget(header, sets) != 0
            sets[2] = 0
            refused = libc.capset(header, sets) != 0 or refused
            for capability in dropped:
                refused = libc.prctl(24, capability, 0, 0, 0) != 0 or refused  # PR_CAPBSET_DROP
            if refused:
                os._exit(DROP_REFUSED)
        if subprocess.run(["true"], preexec_fn=drop, check=False).returncode == DROP_REFUSED:
            self.skipTest("this root may everything, and cannot be kept from it")
        return drop

    def hide_gpu(self):
        """Makes the loader find something that is no driver, on machines with one as well."""
        self.write("nothing/libcuda.so.1", "no library")
        self.environment["LD_LIBRARY_PATH"] = str(self.folder / "nothing")


class CheckTest(ProgramTest):
    """Tests that run kernels on the CPU device, which needs a compiler and NumPy."""
    doctor = None  # what it said, for all tests of a file
    # A kernel is compiled once for all tests; tests of the cache, or of the compiler, have their own.
    OWN_KERNELS = False

    def setUp(self):
        super().setUp()
        for name in ("WARPMARK_NVRTC", "WARPMARK_CUDA_HOME", "WARPMARK_PYTHON", "VIRTUAL_ENV"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        if not self.OWN_KERNELS:
            (self.folder / "cache/warpmark").mkdir(parents=True)
            (self.folder / "cache/warpmark/kernels").symlink_to(shared_kernels())
        # Where a killed program leaves its drafts.
        self.environment["TMPDIR"] = str(self.folder)
        if CheckTest.doctor is None:
            CheckTest.doctor = self.start("doctor").stdout.decode()
        for need in ("NVRTC", "NumPy"):
            if not re.search(r"^ok +%s " % need, CheckTest.doctor, re.M):
                self.skipTest(CheckTest.doctor)

    def write_scale(self, path="suites/t.yaml", kernel_text=KERNEL, more="", **changes):
        """Writes a suite and its kernel; `out=` and the like replace the lines of LINES."""
        lines = dict(LINES)
        for key, value in changes.items():
            lines["  " + key if "  " + key in lines else key] = value
        text = "".join("%s: %s\n" % line for line in lines.items() if line[1] is not None)
        if kernel_text is not None:
            self.write(pathlib.Path(path).parent / "k.cu", kernel_text)
        return self.write(path, text + more)

    def check(self, *arguments, code=0, device="cpu", **options):
        if device is not None:
            arguments = (*arguments, "--device", device)
        return self.run_program("check", *(arguments or ("suites",)), code=code, **options)

    def journal(self, path="run.jsonl"):
        """The records of a journal, each of which must be a line of valid JSON."""
        def refuse(word):
            raise ValueError("%s is not JSON" % word)
        lines = (self.folder / path).read_text().split("\n")
        return [json.loads(line, parse_constant=refuse) for line in lines[:-1]]

    def misbehave(self):
        """Makes the device `misbehaving` known: see tests/support/misbehaving_driver.c."""
        self.environment["WARPMARK_PLUGIN_PATH"] = "%s:%s" % (BUILD / "tests/drivers",
                                                              BUILD / "lib/warpmark")
