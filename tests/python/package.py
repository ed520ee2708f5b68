# Shared by the tests of the Python package: a folder and a home of their own, and suites.
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

KERNEL = """__global__ void scale(float *x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
"""
WRONG = KERNEL.replace("i < n", "i <= n")
BROKEN = KERNEL.replace("*= factor", "*= fctor")
ENDLESS = KERNEL.replace("if (i < n)", "for (volatile int k = 0; k >= 0; k = 0)")
PRINTING = KERNEL.replace("if (i < n)", 'if (i == 0) printf("from the kernel\\n");\n  if (i < n)')

SUITE = """warpmark: 1
kernel: {file: scale.cu, entry: scale}
axes: {n: [1, 4096]}
arguments:
  x: {inout: rng.standard_normal(n)}
  factor: {scalar: 3}
  n: {scalar: n}
launch: {block: 128, grid: "ceil_div(n, 128)"}
reference: {x: factor * x}
"""


def missing(*names):
    """Why tests are skipped that need these packages, or None."""
    lacking = [name for name in names if importlib.util.find_spec(name) is None]
    return "%s has no %s" % (sys.executable, " and no ".join(lacking)) if lacking else None


def commands(session):
    """The command lines of the processes of a session."""
    lines = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.getsid(int(name)) == session:
                with open("/proc/%s/cmdline" % name, "rb") as stream:
                    lines.append(stream.read())
        except OSError:  # it has ended
            pass
    return [line for line in lines if line]


class PackageTest(unittest.TestCase):
    """Each test has a folder `self.folder`, which is HOME, TMPDIR and the working directory."""
    maxDiff = None
    doctor = None  # what it said, for all tests of a file

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="warpmark-python-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "tmp").mkdir()
        for name, value in {"HOME": self.folder, "XDG_CACHE_HOME": self.folder / "cache",
                            "TMPDIR": self.folder / "tmp"}.items():
            self.set(name, str(value))
        for name in ("WARPMARK_CACHE_DIR", "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "COLUMNS"):
            self.set(name, None)
        self.addCleanup(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = None
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        if PackageTest.doctor is None:
            PackageTest.doctor = subprocess.run(
                [sys.executable, "-m", "warpmark", "doctor"], capture_output=True, text=True,
                check=False).stdout
        self.assertTrue(self.doctor, "`%s -m warpmark` does not run" % sys.executable)
        for need in ("NVRTC", "NumPy"):
            if not any(line.split()[:2] == ["ok", need] for line in self.doctor.splitlines()):
                self.skipTest(self.doctor)

    def set(self, name, value):
        """Sets a variable of the environment, or removes it, until the test ends."""
        old = os.environ.get(name)
        self.addCleanup(self.put, name, old)
        self.put(name, value)

    @staticmethod
    def put(name, value):
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def write_suite(self, path="scale.yaml", kernel=KERNEL, suite=SUITE):
        file = self.write(path, suite)
        self.write(pathlib.Path(path).parent / "scale.cu", kernel)
        return file

    def left(self):
        """Returns what lies in the folder for temporary files, but for what pytest-xdist leaves there."""
        return sorted(path.name for path in (self.folder / "tmp").iterdir()
                      if not path.name.startswith("pytest-of-"))

    def program(self, *arguments):
        """Returns what the program prints, run in a shell's way."""
        return subprocess.run([sys.executable, "-m", "warpmark", *arguments], capture_output=True,
                              text=True, check=False, timeout=120)

    def hide_gpu(self):
        self.write("nothing/libcuda.so.1", "no library")
        self.set("LD_LIBRARY_PATH", str(self.folder / "nothing"))
