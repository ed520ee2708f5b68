"""warpmark-cpu itself: what it sets for a program, exit codes, mistakes; and its nvcc."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LAUNCHER = sys.argv.pop(1)


def start(*words, **environment):
    return subprocess.run([LAUNCHER, *words], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


class Launcher(unittest.TestCase):
    def test_the_exit_code_is_the_programs(self):
        self.assertEqual(start("sh", "-c", "exit 7").returncode, 7)
        with tempfile.TemporaryDirectory() as folder:
            plain = pathlib.Path(folder, "plain")
            plain.write_text("no program")
            for name, code, said in (("/no/such/program", 127, "there is no program '/no/such/program'"), (folder, 126, "is a folder"),
                                     ("no-such-program", 127, "there is no program 'no-such-program' in PATH"), (str(plain), 126, "may not be executed")):
                done = start(name)
                self.assertEqual((done.returncode, done.stdout), (code, ""))
                self.assertRegex(done.stderr, r"\Awarpmark-cpu: .*%s.*\n\Z" % re.escape(said))

    def test_help_and_mistakes(self):
        done = start("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Usage: warpmark-cpu", done.stdout)
        for words in ([], ["--no-such-option"], ["--devices"], ["--devices", "many", "true"],
                      ["--devices", "0", "true"], ["--check", "everything", "true"]):
            done = start(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("warpmark-cpu: ", done.stderr)
        self.assertIn("--check cannot be 'memory,races': there are memory, init, race, sync, leak, all and none",
                      start("--check", "memory,races", "true").stderr)
        for check in ("all", "none", "memory,leak", "race", "all,leak", "leak,all"):
            self.assertEqual(start("--check", check, "true").returncode, 0, check)

    def test_blocks_run_on_all_processors_unless_told_otherwise(self):
        for given, kept in ({}, "0"), ({"WARPMARK_CPU_WORKERS": "3"}, "3"):
            done = start("sh", "-c", "echo $WARPMARK_CPU_WORKERS", **given)
            self.assertEqual(done.stdout, kept + "\n")

    def test_reports_that_cannot_be_written_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (folder, folder + "/no/such/folder.txt", "/proc/a.txt", "/dev/null/x"):
                for done in (start("--report", name, "echo", "started"), start("echo", "started", WARPMARK_CPU_REPORT=name)):
                    self.assertEqual(done.returncode, 2, name)
                    self.assertIn("warpmark-cpu: reports cannot be written to '%s'" % name, done.stderr)
                    self.assertEqual(done.stdout, "")
            fine = os.path.join(folder, "with space.txt")
            for name in (fine, "/dev/null", "stderr", "./-x"):
                self.assertEqual(start("--report", name, "true").returncode, 0, name)
            self.assertEqual(os.listdir(folder), [])  # nothing was reported
            pathlib.Path(fine).write_text("old\n")
            self.assertEqual(start("--report", fine, "true").returncode, 0)
            self.assertEqual(pathlib.Path(fine).read_text(), "old\n")

    def test_the_program_finds_the_device(self):
        done = start("--devices", "3", "--check", "none", "--report", "x.log", "env",
                     LD_LIBRARY_PATH="/before")
        values = dict(line.partition("=")[::2] for line in done.stdout.splitlines())
        driver, before = values["LD_LIBRARY_PATH"].split(":")
        self.assertEqual(before, "/before")
        self.assertTrue(pathlib.Path(driver, "libcuda.so.1").exists())
        self.assertEqual(values["WARPMARK_CPU_DEVICES"], "3")
        self.assertEqual(values["WARPMARK_CPU_CHECK"], "none")
        self.assertEqual(values["WARPMARK_CPU_REPORT"], "x.log")
        self.assertTrue(pathlib.Path(values["PATH"].split(":")[0], "nvcc").exists())
        self.assertEqual(start("--print-path").stdout.strip(), driver)
        plain = start("--no-nvcc", "env").stdout
        self.assertNotIn(driver + "/bin", plain)
        self.assertNotIn("NVCC_APPEND_FLAGS", plain)

    def test_ctypes_finds_several_devices(self):
        program = ("import ctypes; cuda = ctypes.CDLL('libcuda.so.1'); n = ctypes.c_int(); "
                   "assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(n)) == 0; "
                   "print(n.value)")
        self.assertEqual(start("--devices", "4", sys.executable, "-c", program).stdout, "4\n")


MISTAKE = """
import ctypes, sys
cuda = ctypes.CDLL('libcuda.so.1')
context, module, function, memory = (ctypes.c_void_p() for _ in range(4))
text = b'''.version 8.0
.target sm_90
.address_size 64
.visible .entry store(.param .u64 p) {
  .reg .u64 %p;
  ld.param.u64 %p, [p];
  st.global.u32 [%p+4], 1;
  ret;
}'''
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuModuleLoadData(ctypes.byref(module), text) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(function), module, b'store') == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(int(sys.argv[1]))) == 0
parameters = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
assert cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, parameters, None) == 0
cuda.cuCtxSynchronize()
print('the end', end='')
sys.exit(int(sys.argv[2]))
"""
WRONG, RIGHT = "4", "8"  # bytes that are allocated


class ExitCodes(unittest.TestCase):
    def run_mistake(self, bytes_, *options, own=0, **environment):
        done = start(*options, sys.executable, "-c", MISTAKE, bytes_, str(own), **environment)
        self.assertEqual(done.stdout, "the end", done.stderr)  # what the program has buffered is written
        return done

    def test_errors_decide(self):
        for options, bytes_, own, code in (
                (("--error-exitcode", "7"), WRONG, 0, 7), (("--error-exitcode", "7"), RIGHT, 0, 0),
                (("--error-exitcode", "7"), RIGHT, 3, 3), (("--error-exitcode", "7"), WRONG, 3, 7),
                (("--check", "memory"), WRONG, 0, 1), (("--check", "all", "--error-exitcode", "0"), WRONG, 0, 0),
                (("--error-exitcode", "9", "--check", "all"), WRONG, 0, 9), (("--check", "none"), WRONG, 0, 0),
                ((), WRONG, 0, 0)):
            self.assertEqual(self.run_mistake(bytes_, *options, own=own).returncode, code, (options, bytes_, own))

    def test_suppressions(self):
        with tempfile.TemporaryDirectory() as folder:
            new, accepted = folder + "/new", folder + "/accepted"
            done = self.run_mistake(WRONG, "--check", "all", "--gen-suppressions", new)
            self.assertEqual(done.returncode, 1)
            line = pathlib.Path(new).read_text()
            self.assertEqual(line, "illegal_address kernel=store # TODO: why is this right?\n")
            for text, code, said in (
                    (line.replace("TODO: why is this right?", "a test"), 0, "ERROR SUMMARY: 0 errors (1 report suppressed)"),
                    (line, 1, f"{accepted}:1: no suppression: the reason is not yet written"),
                    ("race # a test\n", 1, f"Suppression in line 1 of {accepted} matched nothing"),
                    ("\nillegal_address kernel=sto* # x\nrace\n", 0, f"{accepted}:3: no suppression: the reason is missing"),
                    ("illegal_address kernel=load # x\n", 1, "ERROR SUMMARY: 1 error")):
                pathlib.Path(accepted).write_text(text)
                done = self.run_mistake(WRONG, "--check", "all", "--suppressions", accepted)
                self.assertEqual(done.returncode, code, (text, done.stderr))
                self.assertIn(said, done.stderr)

    def test_mistakes(self):
        for option, value in (("--error-exitcode", "256"), ("--error-exitcode", "-1"), ("--error-exitcode", "x"),
                              ("--error-exitcode", ""), ("--error-exitcode", "1000"), ("--suppressions", "/no/such/file"),
                              ("--suppressions", "/"), ("--gen-suppressions", "/no/such/folder/x")):
            done = start(option, value, "true")
            self.assertEqual(done.returncode, 2, (option, value))
            self.assertIn("warpmark-cpu: ", done.stderr)


# Says how many devices the driver has that it was started with.
COUNT = """
#include <stdio.h>
int cuInit(unsigned int flags);
int cuDeviceGetCount(int *count);
int main(void) {
  int count = 0;
  if (cuInit(0) != 0 || cuDeviceGetCount(&count) != 0) return 1;
  printf("%d\\n", count);
  return 0;
}
"""
# Asks the driver for a table, as NVIDIA's runtime library does wherever it is linked into.
TABLES = """
int cuInit(unsigned int flags);
int cuGetExportTable(const void **table, const void *id);
int ask(void) {
  static const char id[16];
  const void *table;
  return cuInit(0) == 0 && cuGetExportTable(&table, id) == 801 ? 0 : 1;
}
"""
OTHER_DRIVER = """
int cuInit(unsigned int flags) { return (int)flags; }
int cuDeviceGetCount(int *count) { *count = 77; return 0; }
"""


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Linked(unittest.TestCase):
    def test_a_program_linked_here_runs_with_any_driver(self):
        driver = start("--print-path").stdout.strip()
        with tempfile.TemporaryDirectory() as folder:
            def compile_c(text, *options):
                pathlib.Path(folder, "source.c").write_text(text)
                subprocess.run(["cc", "source.c", *options], cwd=folder, check=True)

            compile_c(COUNT, "-o", "count", f"-L{driver}", "-lcuda")
            program = f"{folder}/count"
            if shutil.which("readelf"):
                needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
                self.assertRegex(needed, r"NEEDED.*\[libcuda\.so\.1\]")
                self.assertNotIn("warpmark", needed)
            self.assertEqual(start("--devices", "3", program).stdout, "3\n")
            compile_c(OTHER_DRIVER, "-shared", "-fPIC", "-o", "libcuda.so.1", "-Wl,-soname,libcuda.so.1")
            done = subprocess.run([program], env={**os.environ, "LD_LIBRARY_PATH": folder},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.stdout, "77\n", done.stderr)

    def test_who_brings_nvidias_runtime_library_is_named(self):
        driver = start("--print-path").stdout.strip()
        with tempfile.TemporaryDirectory() as folder:
            def compile_c(text, *options):
                pathlib.Path(folder, "source.c").write_text(text)
                subprocess.run(["cc", "source.c", *options], cwd=folder, check=True)

            main = "int ask(void); int main(void) { return ask(); }"
            link = (f"-L{driver}", "-lcuda")
            compile_c(TABLES + main, "-o", "whole", *link)
            pathlib.Path(folder, "build/parts").mkdir(parents=True)
            shutil.copy(folder + "/whole", folder + "/build/parts")
            for program, file, command in (("whole", None, "nvcc, with the options"), ("whole", "Makefile", f"make -B -C {folder}"),
                                           ("build/parts/whole", "build/CMakeCache.txt", f"cmake --build {folder}/build --clean-first")):
                if file:
                    pathlib.Path(folder, file).write_text("")
                done = start(f"{folder}/{program}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("NVIDIA's static runtime library is linked into the program", done.stderr)
                self.assertIn("Build the program again: warpmark-cpu " + command, done.stderr)
            for name, said in (("libcublas.so.13", "what needs libcublas.so.13 cannot run on this device"),
                               ("libcudart.so.13", f"loads NVIDIA's runtime library {folder}/libcudart.so.13"),
                               ("cupy/runtime.so", "runtime.so brings NVIDIA's own runtime library, which asks the driver for tables that "
                                "are documented nowhere: CuPy cannot run on this device"),
                               ("libmine.so", "Build libmine.so again from its source: warpmark-cpu make -B")):
                library = pathlib.Path(folder, name)
                library.parent.mkdir(exist_ok=True)
                compile_c(TABLES, "-shared", "-fPIC", "-o", name, f"-Wl,-soname,{library.name}", *link)
                compile_c(main, "-o", "program", f"-Wl,-rpath,{library.parent},--disable-new-dtags", "./" + name, *link)
                # Without the auditor, which would open the device's own in place of NVIDIA's.
                done = start("env", "-u", "LD_AUDIT", folder + "/program")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("is linked into the program", done.stderr)
                self.assertIn(said, done.stderr)

    def test_a_path_of_its_own_does_not_win(self):
        """A library that brings a driver or runtime by its RPATH, or opens one by its path, gets the device's."""
        driver = start("--print-path").stdout.strip()
        if not pathlib.Path(driver, "libcudart.so.13").exists():
            self.skipTest("the runtime library was not built")
        with tempfile.TemporaryDirectory() as folder:
            def compile_c(text, *options):
                pathlib.Path(folder, "source.c").write_text(text)
                subprocess.run(["cc", "source.c", *options], cwd=folder, check=True)

            for name in ("libcuda.so.1", "libcudart.so.12", "libcudart.so.13"):
                compile_c("int cudaGetDeviceCount(int *count) { *count = 77; return 0; }\n" + OTHER_DRIVER, "-shared", "-fPIC",
                          "-o", name, f"-Wl,-soname,{name}")
            for name, function in (("libcuda.so.1", "cuDeviceGetCount"), ("libcudart.so.12", "cudaGetDeviceCount"),
                                   ("libcudart.so.13", "cudaGetDeviceCount")):
                text = f"int printf(const char *, ...); int cuInit(unsigned); int {function}(int *);\n"
                text += "int count(void) { int n = 0; %s return %s(&n) == 0 ? n : -1; }\n" % (
                    "cuInit(0);" if name == "libcuda.so.1" else "", function)
                compile_c(text, "-shared", "-fPIC", "-o", "libmine.so", f"-Wl,-rpath,{folder},--disable-new-dtags", "./" + name)
                program = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).count())"
                done = start("--devices", "3", sys.executable, "-c", program, folder + "/libmine.so")
                self.assertEqual(done.stdout, "3\n", (name, done.stderr))
                program = ("import ctypes, sys; library = ctypes.CDLL(sys.argv[1]); n = ctypes.c_int()\n"
                           "getattr(library, 'cuInit', int)(0)\n"
                           "getattr(library, sys.argv[2])(ctypes.byref(n)); print(n.value)")
                done = start("--devices", "3", sys.executable, "-c", program, f"{folder}/{name}", function)
                self.assertEqual(done.stdout, "3\n", (name, done.stderr))
                self.assertEqual(start("env", "-u", "LD_AUDIT", sys.executable, "-c", program, f"{folder}/{name}", function).stdout, "77\n")

    def test_who_opens_it_by_the_linkers_name_gets_the_device(self):
        # A library that is linked against one of the names calls the other's contexts.
        program = ("import ctypes, sys\n"
                   "for name in sys.argv[1:]:\n"
                   "    cuda = ctypes.CDLL(name); n = ctypes.c_int(); context = ctypes.c_void_p()\n"
                   "    assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(n)) == 0\n"
                   "    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 2) == 0\n"
                   "    print(n.value, context.value)\n")
        for names in (("libcuda.so",), ("libcuda.so", "libcuda.so.1"), ("libcuda.so.1", "libcuda.so")):
            lines = start("--devices", "4", sys.executable, "-c", program, *names).stdout.splitlines()
            self.assertEqual(len(lines), len(names))
            self.assertEqual(len(set(lines)), 1, "one device in a process")
            self.assertTrue(lines[0].startswith("4 "))


class LinkersName(unittest.TestCase):
    def test_errors_come_back(self):
        """An error that is an exception inside the library comes back as a result, as under the other name."""
        program = ("import ctypes, sys\n"
                   "cuda = ctypes.CDLL(sys.argv[1]); context = ctypes.c_void_p(); module = ctypes.c_void_p()\n"
                   "head = b'.version 8.0\\n.target sm_90\\n.address_size 64\\n'\n"
                   "print(cuda.cuInit(0), cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))\n"
                   "for text in (head + b'.entry k() { oops; }', head + b'.entry k( {', b'/* open', head + b'.global .b8 x[0xffffffffffffff];'):\n"
                   "    link = ctypes.c_void_p(); library = ctypes.c_void_p(); size = ctypes.c_size_t(len(text))\n"
                   "    print(cuda.cuModuleLoadData(ctypes.byref(module), text), cuda.cuModuleLoadDataEx(ctypes.byref(module), text, 0, None, None),\n"
                   "          cuda.cuLibraryLoadData(ctypes.byref(library), text, None, None, 0, None, None, 0),\n"
                   "          cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(link)),\n"
                   "          cuda.cuLinkAddData_v2(link, 1, text, size, b'a', 0, None, None))\n")
        one, other = (start(sys.executable, "-c", program, name) for name in ("libcuda.so", "libcuda.so.1"))
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertEqual((one.returncode, one.stdout), (0, other.stdout), one.stderr)
        self.assertIn("218", one.stdout)


class Compilers(unittest.TestCase):
    """A build under warpmark-cpu finds variables, an nvcc and an ld, which call the real ones."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        for name in ("nvcc", "ld", "toolkit/bin/nvcc", "toolkit/bin/ptxas", "toolkit/bin/nvcc.profile"):
            fake = pathlib.Path(self.folder, name)
            fake.parent.mkdir(parents=True, exist_ok=True)
            more = "" if name == "ld" else ' "$NVCC_APPEND_FLAGS"'
            fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$0" "$@"{more}\n')
            fake.chmod(0o755)
        self.variables = {"PATH": self.folder + ":" + os.environ["PATH"], "WARPMARK_CACHE_DIR": self.folder + "/cache",
                          "CUDA_HOME": self.folder + "/toolkit", "COMPILER_PATH": "", "NVCC_APPEND_FLAGS": ""}

    def lines(self, *words, **environment):
        done = start(*words, **{**self.variables, **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_variables(self):
        def values(*words, **environment):
            return dict(line.partition("=")[::2] for line in self.lines(*words, "env", **environment))

        driver = start("--print-path").stdout.strip()
        found = values()
        self.assertEqual((found["NVCC_APPEND_FLAGS"], found["CUDAARCHS"], found["TORCH_CUDA_ARCH_LIST"]),
                         ("-cudart shared -arch=sm_90", "90", "9.0+PTX"))
        self.assertEqual(found["COMPILER_PATH"], driver + "/bin")
        self.assertEqual(found["CUDA_HOME"], found["CUDA_PATH"])
        # It looks like the toolkit, but for its nvcc, and stays the same.
        home = pathlib.Path(found["CUDA_HOME"])
        self.assertTrue(home.is_relative_to(self.folder + "/cache"))
        self.assertEqual(os.path.realpath(home / "bin/nvcc"), os.path.realpath(driver + "/bin/nvcc"))
        self.assertEqual(os.path.realpath(home / "bin/ptxas"), os.path.realpath(self.folder + "/toolkit/bin/ptxas"))
        self.assertEqual(values()["CUDA_HOME"], str(home))
        self.assertEqual(values(LAUNCHER)["CUDA_HOME"], str(home))  # one in another
        self.assertEqual(values(LAUNCHER)["NVCC_APPEND_FLAGS"], found["NVCC_APPEND_FLAGS"])
        given = values(NVCC_APPEND_FLAGS="-G", CUDAARCHS="80", TORCH_CUDA_ARCH_LIST="8.6", WARPMARK_CPU_CAPABILITY="10.0")
        self.assertEqual((given["NVCC_APPEND_FLAGS"], given["CUDAARCHS"], given["TORCH_CUDA_ARCH_LIST"]),
                         ("-G -cudart shared -arch=sm_100", "80", "8.6"))
        pathlib.Path(self.folder, "usr/bin").mkdir(parents=True)
        shutil.copy(self.folder + "/nvcc", self.folder + "/usr/bin")  # a folder of other programs, too
        self.assertEqual(values(CUDA_HOME=self.folder + "/usr")["CUDA_HOME"], self.folder + "/usr")
        # A folder that cannot be made is no reason not to start.
        self.assertEqual(values(WARPMARK_CACHE_DIR="/proc/none")["CUDA_HOME"], self.folder + "/toolkit")

    def test_nvcc_links_the_shared_runtime_and_writes_ptx(self):
        end = ["-gencode", "arch=compute_80,code=compute_80", "-cudart", "shared", "-lineinfo", ""]
        for words, kept, tail in (
                (["-arch=sm_80", "a.cu", "-o", "a"], ["a.cu", "-o", "a"], end),
                (["-cudart", "static", "--cudart=static", "-gencode", "arch=compute_80,code=sm_80", "a.cu"], ["a.cu"], end),
                (["-dlto", "-arch=compute_80", "-code", "sm_80,lto_80", "-rdc=true", "-c", "a.cu"], ["-rdc=true", "-c", "a.cu"], end),
                (["-gencode", "arch=lto_80,code=lto_80", "-dc", "a.cu"], ["-dc", "a.cu"], end),
                (["-G", "-arch", "sm_80", "a.cu"], ["-G", "a.cu"], [*end[:4], ""]),
                (["-cudart=none", "-arch=sm_80", "-I", "-arch=sm_75", "a.cu"], ["-I", "-arch=sm_75", "a.cu"], [*end[:3], "none", *end[4:]]),
                (["--version"], ["--version"], [""])):
            self.assertEqual(self.lines("nvcc", *words)[1:], kept + tail, words)
        self.assertEqual(self.lines("nvcc", "a.cu", NVCC_APPEND_FLAGS="-arch=sm_80 -DX='a b'")[1:], ["a.cu", "-DX=a b", *end])
        self.assertEqual(self.lines("sh", "-c", "$CUDA_HOME/bin/nvcc -arch=sm_80 a.cu")[0], self.folder + "/toolkit/bin/nvcc")

    def test_ld_links_the_shared_runtime(self):
        lib = self.folder + "/lib"
        os.mkdir(lib)
        words = ["a.o", "-L", lib, "-L/none", "-lcudart_static", "-lm", lib + "/libcudart_static.a"]
        self.assertEqual(self.lines("ld", *words)[1:], words)  # there is no shared one
        for name in ("libcudart.so.13", "libcudart.so"):
            shared = f"{lib}/{name}"
            pathlib.Path(shared).touch()
            self.assertEqual(self.lines("ld", *words)[1:], [*words[:4], shared, "-lm", shared])
        options = pathlib.Path(self.folder, "options")
        options.write_text(f'a.o\n"-L{lib}" -lcudart_static -o "a b"\n')
        seen = pathlib.Path(self.folder, "seen")
        pathlib.Path(self.folder, "ld").write_text(f'#!/bin/sh\ncat "${{1#@}}" >{seen}\n')
        self.lines("ld", f"@{options}")
        self.assertEqual(seen.read_text(), f'a.o\n"-L{lib}" {lib}/libcudart.so -o "a b"\n')
        pathlib.Path(self.folder, "ld").write_text("#!/bin/sh\nexit 5\n")
        for words in (["a.o"], ["-lcudart_static"]):
            self.assertEqual(start("ld", *words, **self.variables).returncode, 5)


class Torch(unittest.TestCase):
    """Python prepares a module `torch` when it is imported, and is otherwise as it was."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        pathlib.Path(self.folder, "sitecustomize.py").write_text("import builtins; builtins.of_the_user = 42\n")
        pathlib.Path(self.folder, "torch").mkdir()
        pathlib.Path(self.folder, "torch/__init__.py").write_text(
            "class version: cuda = '13.0'\nclass cuda:\n    calls = []\n    _lazy_call = calls.append\n")

    def python(self, program, *options, **environment):
        done = start(sys.executable, "-B", *options, "-c", program, PYTHONPATH=self.folder, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_torch_is_prepared_and_the_users_own_start_runs(self):
        program = "import sys; print(of_the_user, 'torch' in sys.modules); import torch; print(len(torch.cuda.calls))"
        self.assertEqual(self.python(program), ["42", "False", "1"])
        self.assertEqual(self.python(program, WARPMARK_CPU_TORCH="none"), ["42", "False", "0"])
        self.assertEqual(self.python("import importlib.util as u; print(u.find_spec('torch').name); import torch; print(torch.cuda.calls != [])"),
                         ["torch", "True"])
        # A Python without NumPy, PyTorch or variables of the environment.
        self.assertEqual(self.python("import sys; print('torch' in sys.modules)", "-I"), ["False"])
        pathlib.Path(self.folder, "torch/__init__.py").unlink()
        pathlib.Path(self.folder, "torch").rmdir()
        self.assertEqual(self.python("import importlib.util as u; print(u.find_spec('torch'))"), ["None"])

    def test_a_torch_of_the_cpu_alone_is_left(self):
        pathlib.Path(self.folder, "torch/__init__.py").write_text("class version: cuda = None\nclass cuda: pass\n")
        self.assertEqual(self.python("import torch; print(torch.version.cuda)"), ["None"])


class Ptxas(unittest.TestCase):
    """The ptxas that Triton calls: a real one checks the text, which is the output."""
    TEXT = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.input, self.output = self.folder / "a b.ptx", self.folder / "out.cubin"
        self.input.write_text(self.TEXT)

    def call(self, *words, **environment):
        return start("sh", "-c", '"$TRITON_PTXAS_PATH" "$@"', "ptxas", *words, **environment)

    def real(self, code):
        path = self.folder / "real"
        path.write_text(f'#!/bin/sh\necho "release 12.8, $*"\necho said >&2\nexit {code}\n')
        path.chmod(0o755)
        return {"TRITON_PTXAS_PATH": str(path)}

    def test_the_text_comes_out(self):
        for options in (("-lineinfo", "-v", "--regAllocOptLevel=2", "--gpu-name=sm_90a", self.input, "-o", self.output),
                        ("-arch", "sm_90", "-o", self.output, self.input), (self.input, f"--output-file={self.output}")):
            done = self.call(*map(str, options), **self.real(0))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("said", done.stderr)
            self.assertIn(str(self.input), done.stdout)  # the real one got all options
            self.assertEqual(self.output.read_text(), self.TEXT)
            self.output.unlink()

    def test_what_the_real_one_refuses_is_refused(self):
        done = self.call(str(self.input), "-o", str(self.output), **self.real(255))
        self.assertEqual(done.returncode, 255)
        self.assertFalse(self.output.exists())
        done = self.call(str(self.folder / "none.ptx"), "-o", str(self.output))
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no input file", done.stderr)

    def test_its_version_is_the_real_ones_and_yet_its_own(self):
        done = self.call("--version", **self.real(0))
        self.assertRegex(done.stdout, r"release 12\.8(.|\n)*PTX text is the output")
        # Without a toolkit: caches, and the version of PTX, go by this text.
        done = self.call("--version", PATH="/usr/bin:/bin", CUDA_HOME="", TRITON_PTXAS_PATH="")
        self.assertRegex(done.stdout, r"release \d+\.\d+(.|\n)*PTX text is the output")

    def test_one_warpmark_cpu_in_another_keeps_the_real_one(self):
        done = start(LAUNCHER, "sh", "-c", '"$TRITON_PTXAS_PATH" --version', **self.real(0))
        self.assertIn("release 12.8", done.stdout)


class Nvcc(unittest.TestCase):
    def test_a_cubin_is_ptx(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "kernel.cu")
            source.write_text('extern "C" __global__ void k(int *a) { a[0] = 1; }\n')
            done = subprocess.run([LAUNCHER, "nvcc", "--cubin", "-arch", "sm_90", "-rdc", "true", "-fmad", "false", "kernel.cu"],
                                  cwd=folder, capture_output=True, text=True, check=False)
            if "install one of them" in done.stderr:
                self.skipTest("neither nvcc nor NVRTC is on this machine")
            self.assertEqual(done.returncode, 0, done.stderr)
            text = pathlib.Path(folder, "kernel.cubin").read_text()
            self.assertIn(".target sm_90", text)
            self.assertIn(".entry k(", text)
            source.write_text("this is no program\n")
            done = subprocess.run([LAUNCHER, "nvcc", "--cubin", "kernel.cu"], cwd=folder,
                                  capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("error", done.stderr)

    def test_of_several_architectures_it_takes_what_the_device_runs(self):
        def asked(*options, **environment):
            done = start("nvcc", "--cubin", "-o", "k.cubin", *options, "k.cu", **environment)
            return re.findall(r"-arch=(\S+)", done.stdout) or done.stderr

        with tempfile.TemporaryDirectory() as folder:
            fake = pathlib.Path(folder, "nvcc")
            fake.write_text('#!/bin/sh\necho "$@"\n')
            fake.chmod(0o755)
            path = {"PATH": folder + ":" + os.environ["PATH"]}
            gencode = "-gencode=arch=compute_%s,code=%s"
            for options, wanted in (
                    ((), "75"), (("-arch=sm_90",), "90"), (("-arch", "compute_80"), "80"), (("-arch=native",), "90"), (("-arch=all",), "90"),
                    (("-arch=all-major",), "90"), (("--gpu-architecture=all-major",), "90"), (("-arch=sm_90a",), "90a"),
                    ((gencode % (75, "sm_75"), gencode % (90, "sm_90")), "90"), ((gencode % (90, "sm_90"), gencode % (75, "sm_75")), "90"),
                    ((gencode % (75, "compute_75"), gencode % (90, "compute_90"), gencode % (120, "compute_120")), "90"),
                    (("-gencode", "arch=compute_90,code=[sm_90,compute_90]"), "90"), (("-gencode", 'arch=compute_80,code="sm_80,compute_80"'), "80"),
                    ((gencode % (75, "sm_90"), gencode % (80, "compute_80")), "75"), ((gencode % (80, "sm_80"), gencode % (100, "sm_100")), "80"),
                    ((gencode % (90, "sm_90"), gencode % ("90a", "sm_90a")), "90a"), ((gencode % ("100f", "sm_100"), gencode % (89, "sm_89")), "89"),
                    (("-arch=compute_80", "-code=sm_80,compute_80"), "80"), (("-arch=compute_80", "-code", "sm_80,sm_90"), "80"),
                    (("-arch=sm_120",), "120"), ((gencode % (120, "sm_120"), gencode % (100, "sm_100")), "100")):
                self.assertEqual(asked(*options, **path), ["compute_" + wanted], options)
            for given, wanted in (("10.3", "100f"), ("12.0", "120"), ("8.0", "75")):
                self.assertEqual(asked(gencode % (75, "sm_75"), gencode % ("100f", "sm_100f"), gencode % (120, "sm_120"),
                                       WARPMARK_CPU_CAPABILITY=given, **path), ["compute_" + wanted], given)
            for wrong in ("-arch=hopper", "-gencode=arch=sm_90"):
                self.assertIn("nvcc (of warpmark-cpu): ", asked(wrong, **path))

    def test_every_architecture_at_once_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "kernel.cu").write_text('extern "C" __global__ void k(int *a) { a[0] = __CUDA_ARCH__; }\n')
            done = subprocess.run([LAUNCHER, "nvcc", "--cubin", "-arch=all-major", "kernel.cu"],
                                  cwd=folder, capture_output=True, text=True, check=False)
            if "install one of them" in done.stderr:
                self.skipTest("neither nvcc nor NVRTC is on this machine")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(".target sm_90", pathlib.Path(folder, "kernel.cubin").read_text())

    def test_without_any_compiler_it_says_what_to_do(self):
        nvcc = pathlib.Path(start("--print-path").stdout.strip(), "bin/nvcc")
        with tempfile.TemporaryDirectory() as folder:
            script = nvcc.read_text().replace("/usr/local/cuda", folder)
            script = script.replace('"libnvrtc.so.13", "libnvrtc.so.12"', '"libno.so"')
            copy = pathlib.Path(folder, "nvcc")
            copy.write_text(script)
            done = subprocess.run([sys.executable, str(copy), "--cubin", "x.cu"], check=False,
                                  capture_output=True, text=True,
                                  env={"PATH": "/nowhere", "LD_LIBRARY_PATH": ""})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("WARPMARK_NVRTC", done.stderr)


unittest.main()
