"""Programs that are built under warpmark-cpu, by build files that know nothing of it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LAUNCHER = sys.argv.pop(1)
# By its own path a build file calls the real nvcc; by its name or by CUDA_HOME, that of warpmark-cpu.
NVCC = shutil.which("nvcc", path="/usr/local/cuda/bin") or shutil.which("nvcc")
PROGRAM = """#include <cstdio>
#ifdef APART
extern __device__ int answer();
#else
__device__ int answer() { return 42; }
#endif
__global__ void write(int *values) {
#ifdef __CUDA_ARCH__
  values[0] = __CUDA_ARCH__;
#endif
  values[1] = answer();
}
int main() {
  int *values, host[2];
  cudaMalloc(&values, sizeof host);
  write<<<1, 1>>>(values);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d %s\\n", host[0], host[1], cudaGetErrorName(cudaGetLastError()));
}
"""
PART = "__device__ int answer() { return 42; }\n"
MAKEFILE = """NVCC = nvcc
FLAGS =
SOURCES = program.cu
program: $(SOURCES)
\t$(NVCC) $(FLAGS) $(SOURCES) -o $@
run: program
\t./program
"""
CMAKE = """cmake_minimum_required(VERSION 3.18)
project(program LANGUAGES CXX CUDA)
add_executable(program program.cu)
"""


def environment():
    """Without what an outer warpmark-cpu or a user has set."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("NVCC_", "CUDA", "WARPMARK_CPU"))}


class Builds(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        for name, text in (("program.cu", PROGRAM), ("part.cu", PART), ("Makefile", MAKEFILE),
                           ("CMakeLists.txt", CMAKE)):
            self.folder.joinpath(name).write_text(text)
        self.variables = {**environment(), "WARPMARK_CACHE_DIR": str(self.folder / "cache")}

    def run_command(self, *words, **variables):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**self.variables, **variables})

    def under(self, *words, **variables):
        return self.run_command(LAUNCHER, *words, **variables)

    def make(self, *words, said="", **variables):
        done = self.under("make", "-B", "-s", *words, "run", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(said, done.stderr)
        self.assertNotIn("Program hit", done.stderr)
        return done.stdout

    def test_whatever_the_makefile_has_the_program_runs(self):
        for flags, arch, said in (
                ("-cudart static -arch=sm_80 -arch=sm_75 -arch sm_86 -G", 860, ""),
                ("-arch=sm_60", 900, "no longer compiles for sm_60"),
                ("-cudart=static -gencode arch=compute_120,code=sm_120", 900, "runs no code for sm_120"),
                ("-rdc=true -dlto -arch=sm_80 -DAPART part.cu", 800, "")):
            self.assertEqual(self.make("FLAGS=" + flags, said=said), f"{arch} 42 cudaSuccess\n", flags)

    def test_an_nvcc_that_is_called_by_its_path(self):
        self.assertEqual(self.make("NVCC=$(CUDA_HOME)/bin/nvcc", "FLAGS=-gencode arch=compute_80,code=sm_80"), "800 42 cudaSuccess\n")
        self.assertEqual(self.make("NVCC=" + NVCC, "FLAGS=-cudart static -gencode arch=compute_80,code=sm_80"), "900 42 cudaSuccess\n")

    def test_a_script_in_the_path_that_calls_nvcc(self):
        """The toolkit is the one of the nvcc that the script calls, as modules and ccache install one."""
        script = self.folder / "bin" / "nvcc"
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nexec "{NVCC}" "$@"\n')
        script.chmod(0o755)
        path = f"{script.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        for nvcc in ("nvcc", "$(CUDA_HOME)/bin/nvcc"):
            self.assertEqual(self.make("NVCC=" + nvcc, "FLAGS=-gencode arch=compute_80,code=sm_80", PATH=path),
                             "800 42 cudaSuccess\n")

    def test_another_linker_driver(self):
        """A Makefile that links by the host's compiler, and one whose options are in a file."""
        lib = next((str(path.parent) for path in pathlib.Path(NVCC).resolve().parent.parent.glob("lib*/libcudart_static.a")), None)
        if lib is None:
            self.skipTest("the toolkit has no static runtime library")
        self.assertEqual(self.under("nvcc", "-c", "program.cu").returncode, 0)
        options = ["program.o", "-o", "program", "-L" + lib, "-lcudart_static", "-ldl", "-lrt", "-lpthread"]
        self.folder.joinpath("options").write_text(" ".join(options) + "\n")
        for words in (options, ["@options"], [*options[:3], lib + "/libcudart_static.a", "-ldl"]):
            done = self.under("g++", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(self.under("./program").stdout, r"^\d+ 42 cudaSuccess\n$")

    def test_cmake(self):
        if shutil.which("cmake") is None:
            self.skipTest("there is no CMake")
        done = self.under("cmake", "-B", "build", "-DCMAKE_CUDA_ARCHITECTURES=80-real")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.under("cmake", "--build", "build")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.under("build/program").stdout, "800 42 cudaSuccess\n")

    def test_a_folder_that_was_built_before(self):
        """A program that was built without warpmark-cpu names the command that builds it again."""
        done = self.run_command("make", "-s", "NVCC=" + NVCC, "FLAGS=-gencode arch=compute_80,code=sm_80")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.under("make", "-s", "run")
        self.assertIn("NVIDIA's static runtime library is linked into the program", done.stderr)
        command = re.search(r"Build the program again: warpmark-cpu (make -B)$", done.stderr, re.MULTILINE)
        self.assertTrue(command, done.stderr)
        self.assertNotIn("-cudart shared", done.stderr)
        self.assertEqual(self.under(*command.group(1).split()).returncode, 0)
        self.assertRegex(self.under("make", "-s", "run").stdout, r"^\d+ 42 cudaSuccess\n$")

    def test_machine_code_alone_is_named(self):
        done = self.run_command(NVCC, "-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80", "program.cu", "-o", "program")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.under("./program")
        self.assertIn("warpmark-cpu make -B", done.stderr)
        self.assertNotIn("static runtime", done.stderr)


if __name__ == "__main__":
    if NVCC is None or shutil.which("make") is None:
        print("skipped: there is no " + ("make" if NVCC else "nvcc"))
        sys.exit(77)
    unittest.main(verbosity=1)
