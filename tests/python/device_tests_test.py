# pytest --warpmark-cpu: tests that use CUDA, on the CPU device; what it finds fails the test that made it.
import re
import subprocess
import sys
import unittest

from package import PackageTest, missing

CUDA = '''
import ctypes
import pytest
cuda = ctypes.CDLL("libcuda.so.1")
context, module = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuModuleLoadData(ctypes.byref(module), b""".version 8.0
.target sm_90
.address_size 64
.visible .entry store(.param .u64 p) {
  .reg .u64 %p; .reg .u32 %t;
  ld.param.u64 %p, [p];
  st.global.u32 [%p+4], 1;
  ret;
}
.visible .entry race(.param .u64 p) {
  .reg .u64 %p; .reg .u32 %t;
  ld.param.u64 %p, [p];
  mov.u32 %t, %tid.x;
  st.global.u32 [%p], %t;
  ret;
}""") == 0

def launch(kernel, size, threads=1):
    """Does not wait for the kernel."""
    function, memory = ctypes.c_void_p(), ctypes.c_void_p()
    assert cuda.cuModuleGetFunction(ctypes.byref(function), module, kernel) == 0
    assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(size)) == 0
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    assert cuda.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, None, parameters, None) == 0
'''


@unittest.skipIf(missing("pytest"), missing("pytest"))
class DeviceTests(PackageTest):
    def setUp(self):
        super().setUp()
        self.set("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def pytest(self, text, *options, code):
        self.write("test_it.py", CUDA + text)
        done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-p", "warpmark.pytest_plugin", "-p", "no:cacheprovider",
                               "-v", "--warpmark-cpu", *options, "test_it.py"], capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.outcomes = dict(re.findall(r"^test_it\.py::(\w+) ([A-Z]+)", done.stdout, re.M))
        return done.stdout

    def test_a_finding_fails_its_test_and_no_other(self):
        text = self.pytest('''
def test_right(): launch(b"store", 8)
def test_race(): launch(b"race", 4, 32)
def test_again(): launch(b"store", 8)
@pytest.fixture
def prepared(): launch(b"race", 4, 32)
def test_prepared(prepared): pass
@pytest.mark.xfail
def test_expected():
    launch(b"race", 4, 32)
    assert False
''', code=1)
        self.assertEqual(self.outcomes, {"test_right": "PASSED", "test_race": "FAILED", "test_again": "PASSED",
                                         "test_prepared": "ERROR", "test_expected": "XFAIL"})
        self.assertIn("checks: all", text)
        self.assertRegex(text, r"_+ test_race _+\nrace: write after write of 4 bytes of global memory.* in race")

    def test_the_context_is_lost_as_on_a_gpu(self):
        text = self.pytest('''
def test_wrong(): launch(b"store", 4)
def test_after(): launch(b"store", 8)
def test_without(): pass
''', code=1)
        self.assertEqual(self.outcomes, {"test_wrong": "FAILED", "test_after": "FAILED", "test_without": "PASSED"})
        self.assertIn("out-of-bounds global write of 4 bytes", text)
        self.assertEqual(text.count("The device cannot be used any more since test_it.py::test_wrong"), 1)

    def test_the_checks_are_chosen(self):
        self.pytest('def test_race(): launch(b"race", 4, 32)\n', "--warpmark-cpu-check", "memory", code=0)
        self.pytest("", "--warpmark-cpu-check", "races", code=2)

    def test_what_no_test_made_fails_the_run(self):
        text = self.pytest('launch(b"race", 4, 32)\ndef test_right(): launch(b"store", 8)\n', code=1)
        self.assertEqual(self.outcomes, {"test_right": "PASSED"})
        self.assertRegex(text, r"found outside of tests(.|\n)*race: write after write")


if __name__ == "__main__":
    unittest.main()
