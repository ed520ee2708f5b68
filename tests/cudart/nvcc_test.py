"""Programs that nvcc makes for the runtime, on the CPU device; and the names that the library must have."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LAUNCHER = sys.argv.pop(1)
LIBRARIES = pathlib.Path(sys.argv.pop(1))
HERE = pathlib.Path(__file__).resolve().parent
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
OPTIONS = ["-std=c++17", "-gencode", "arch=compute_90,code=compute_90"]


def names(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                          check=True).stdout
    return {word.partition("@")[0] for word in re.findall(r"\S+$", text, re.MULTILINE)}


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def build(self, name, *words):
        target = os.path.join(self.folder.name, name)
        done = subprocess.run([NVCC, *OPTIONS, *words, "-o", target], capture_output=True,
                              text=True, check=False, cwd=HERE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return target

    def run_on_device(self, *words):
        return subprocess.run([LAUNCHER, *words], capture_output=True, text=True, check=False)

    def test_a_program_runs_and_a_fault_is_reported(self):
        program = self.build("program", "-cudart", "shared", "-lineinfo", "program.cu")
        done = self.run_on_device("--check", "all", program)
        self.assertEqual(done.stdout, "launches 1 images 1 cooperates 1\n", done.stderr)
        self.assertEqual(done.stderr, "========= ERROR SUMMARY: 0 errors\n")
        done = self.run_on_device(program, "overrun")
        self.assertEqual(done.stdout, "cudaErrorIllegalAddress\n")
        self.assertIn("Invalid __global__ read of size 4 bytes", done.stderr)
        self.assertRegex(done.stderr, r"at weigh\+0x[0-9a-f]+ in .*program\.cu:\d+")
        self.assertIn("by thread (32,0,0) in block (0,0,0)", done.stderr)

    def test_the_streams_of_threads_are_meant(self):
        program = self.build("threads", "-cudart", "shared", "--default-stream", "per-thread",
                             "program.cu")
        done = self.run_on_device(program)
        self.assertEqual(done.stdout, "launches 1 images 1 cooperates 1\n", done.stderr)

    def test_relocatable_code_is_linked(self):
        second = self.build("second.o", "-rdc=true", "-DSECOND_PART", "-c", "parts.cu")
        program = self.build("parts", "-cudart", "shared", "-rdc=true", "parts.cu", second)
        done = self.run_on_device(program)
        self.assertEqual(done.stdout, "42 cudaSuccess\n", done.stderr)

    def test_a_grid_waits_for_itself(self):
        program = self.build("grid", "-cudart", "shared", "-rdc=true", "grid.cu")
        done = self.run_on_device("--check", "all", program)
        self.assertEqual(done.stdout, "wrong 0 errors 0 then 1 cudaSuccess\n", done.stderr)
        self.assertEqual(done.stderr, "========= ERROR SUMMARY: 0 errors\n")

    def test_kernels_launch_kernels(self):
        program = self.build("nested", "-cudart", "shared", "-rdc=true", "nested.cu")
        done = self.run_on_device("--check", "all", program)
        self.assertEqual(done.stdout, "480 cudaSuccess\n", done.stderr)
        self.assertEqual(done.stderr, "========= ERROR SUMMARY: 0 errors\n")

    def test_a_function_that_is_missing_is_named(self):
        source = os.path.join(self.folder.name, "missing.cu")
        pathlib.Path(source).write_text(
            "#include <cstdio>\n__device__ extern double elsewhere(double);\n"
            "__global__ void k(double *p) { *p = elsewhere(2); }\n"
            "int main() { k<<<1, 1>>>(nullptr); std::puts(cudaGetErrorName(cudaGetLastError())); }\n")
        done = self.run_on_device(self.build("missing", "-cudart", "shared", source))
        self.assertIn("cudaError", done.stdout)
        self.assertIn("elsewhere", done.stderr)
        self.assertIn("line ", done.stderr)

    def test_processes_share_memory_and_events(self):
        done = self.run_on_device(self.build("processes", "-cudart", "shared", "processes.cu"))
        self.assertEqual(done.stdout, "cudaSuccess cudaSuccess, 11 14 cudaErrorDeviceUninitialized\n",
                         done.stderr)

    def test_the_static_runtime_is_told_what_to_do(self):
        done = self.run_on_device(self.build("static", "-cudart", "static", "program.cu"))
        self.assertIn("NVIDIA's static runtime library is linked into the program", done.stderr)
        self.assertIn("Build the program again: warpmark-cpu nvcc, with the options that it was built with", done.stderr)

    def test_every_name_of_the_toolkits_library_is_there(self):
        for version in (12, 13):
            name = f"libcudart.so.{version}"
            toolkit = next(pathlib.Path(NVCC).resolve().parent.parent.glob(f"lib*/{name}"), None)
            if toolkit is not None:
                self.assertEqual(names(toolkit) - names(LIBRARIES / name), set())


if __name__ == "__main__":
    if NVCC is None:
        print("skipped: there is no nvcc")
        sys.exit(77)
    unittest.main(verbosity=1)
