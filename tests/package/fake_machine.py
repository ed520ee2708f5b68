# A machine for tests of ./bootstrap: its own copy of the script and a PATH with nothing unforeseen.
"""Everything that would change a machine or ask a network is a fake that writes down its call."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["WARPMARK_SOURCE_DIR"])

# Tools that the script may use as they are: they read, or work on the copy only.
HARMLESS = """awk basename bash cat cp cut dirname env find grep head ln mkdir mktemp mv nproc rm sed
sh sha256sum sort stat uname""".split()
HEADERS = """fmt/core.h nlohmann/json.hpp yaml-cpp/yaml.h CLI/CLI.hpp benchmark/benchmark.h
gtest/gtest.h gmock/gmock.h elfutils/libdw.h pybind11/embed.h""".split()

RECORD = 'printf "%s\\n" "$(basename "$0") $*" >> "$FAKE_LOG"\n'

# Answers for the script's questions to Python; all else goes to the real interpreter.
PYTHON = """case "$*" in
  *probe_python.py*)
    printf '%s\\n' executable="$FAKE_ROOT/bin/python3" version=3.11.2 numpy=1.24.2 pybind11= lacks=
    exit ;;
  *probe_gpu.py*) printf '%b' "${FAKE_GPU:-}" ; exit ;;
  *nvrtc_version.py*) echo 13.0 ; exit ;;
  *"import jsonschema"* | *"import pytest"* | *"import yaml"*) exit 0 ;;
  *"pip --version"*) exit 0 ;;
  *"pip download"*)
    printf '%s\\n' "pip $*" >> "$FAKE_LOG"
    while [ "$1" != --dest ]; do shift; done
    exec REAL "$FAKE_ROOT/fake_pip.py" "$2" ;;
esac
exec REAL "$@"
"""

# Stands in for pip: writes the wheel that FAKE_PIP names, or half a file and fails.
PIP = """import os, sys, zipfile
folder, mode = sys.argv[1], os.environ.get("FAKE_PIP", "refuse")
name = os.path.join(folder, "nvidia_cuda-13.0-py3-none-any.whl")
if mode == "refuse":
    open(name, "wb").write(b"half a file")
    sys.exit("no route to host")
part = {"cu12": "nvidia/cuda_nvrtc", "cu13": "nvidia/cu13"}[mode]
with zipfile.ZipFile(name, "w") as wheel:
    for path in ("include/cuda.h", "include/nvrtc.h"):
        wheel.writestr(part + "/" + path, "#define CUDA_VERSION 13000\\n")
    major = mode[2:]
    for path in ("nvrtc.so." + major, "nvrtc-builtins.so.%s.0" % major, "nvrtc.alt.so." + major,
                 "cudart.so." + major):
        wheel.writestr(part + "/lib/lib" + path, "elf")
    wheel.writestr("nvidia_cuda-13.0.dist-info/licenses/License.txt", "terms")
"""


class FakeMachine:
    """A user's machine with everything installed; methods take things away or change answers."""

    def __init__(self, user_id=1000):
        self.folder = tempfile.TemporaryDirectory(prefix="warpmark-fake-")
        self.root = pathlib.Path(self.folder.name)
        self.tree = self.root / "tree"
        self.bin = self.root / "bin"
        self.log = self.root / "log"
        for folder in (self.bin, self.tree / "cmake", self.root / "home"):
            folder.mkdir(parents=True)
        shutil.copy(SOURCE / "bootstrap", self.tree)
        shutil.copy(SOURCE / "cmake/probe_python.py", self.tree / "cmake")
        shutil.copytree(SOURCE / "bootstrap.d", self.tree / "bootstrap.d")
        shutil.copytree(SOURCE / ".ci", self.tree / ".ci")
        for tool in HARMLESS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        for header in HEADERS:
            self.file("prefix/include/" + header, "")
        self.toolkit("toolkit", 12040)
        self.file("fake_pip.py", PIP)
        self.tool("python3", PYTHON.replace("REAL", sys.executable))
        self.tool("id", "echo %d\n" % user_id)
        self.tool("c++", "echo 'c++ (fake) 12.2.0'\n")
        self.tool("ninja", "echo 1.11.1\n")
        self.tool("mpirun", "echo 'mpirun (Open MPI) 4.1.4'\n")
        self.tool("mpicc", "exit 0\n")
        for name in ("cmake", "ctest"):
            self.tool(name, 'case "$1" in --version) echo "%s version 3.25.1" ;; *) ' % name
                      + RECORD.strip() + ' ; exit "${FAKE_%s_EXIT:-0}" ;; esac\n' % name.upper())
        self.tool("apt-get", RECORD + 'case "$*" in *ninja-build*) '
                  'printf "#!/bin/sh\\necho 1.11.1\\n" > "$FAKE_ROOT/bin/ninja"; '
                  'chmod() { :; }; %s 755 "$FAKE_ROOT/bin/ninja" ;; esac\n' % shutil.which("chmod"))
        self.tool("sudo", RECORD + 'while [ "${1#-}" != "$1" ]; do shift; done\n"$@"\n')

    def file(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def tool(self, name, script):
        self.file("bin/" + name, "#!/bin/sh\n" + script).chmod(0o755)

    def remove(self, *tools):
        for tool in tools:
            (self.bin / tool).unlink()

    def toolkit(self, name, number):
        """A CUDA toolkit whose cuda.h says `number`, as 12040 for 12.4."""
        self.file(name + "/include/cuda.h", "#define CUDA_VERSION %d\n" % number)
        self.file(name + "/include/nvrtc.h", "")
        self.file(name + "/lib64/libnvrtc.so.%d" % (number // 1000), "")
        return self.root / name

    def run(self, *arguments, answer="", script="./bootstrap", folder=None, **settings):
        """Runs the script, in the tree or in `folder`; `settings` are environment variables. Returns a
        CompletedProcess."""
        environment = {
            "PATH": str(self.bin), "HOME": str(self.root / "home"), "LANG": "C",
            "FAKE_LOG": str(self.log), "FAKE_ROOT": str(self.root),
            "CMAKE_PREFIX_PATH": str(self.root / "prefix"),
            "WARPMARK_CUDA_HOME": str(self.root / "toolkit"),
        }
        environment.update(settings)
        self.log.write_text("")
        script = self.tree / script
        return subprocess.run([str(self.bin / "bash"), str(script), *arguments],
                              cwd=folder or self.tree, env=environment, input=answer, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def calls(self, name=""):
        """The recorded calls, those of one tool if named."""
        return [line for line in self.log.read_text().splitlines() if line.startswith(name)]

    def close(self):
        self.folder.cleanup()
