#!/usr/bin/env python3
"""Runs the examples of today's Numba and of cuda.core on the CPU device.

cuda_python_suite.py LAUNCHER

The folder that WARPMARK_CUDA_PYTHON names gets a virtual environment with numba-cuda and cuda.core from PyPI. Numba's
examples are those of its manual, which its wheel has. Those of cuda.core are run if the folder also has `examples`, from
cuda_core/examples of github.com/NVIDIA/cuda-python: its wheel has none. An example cannot run if it wants CuPy, PyTorch or
OpenGL, which link the static runtime or need a screen, if it calls that runtime through cuda.bindings, or if it imports what
the wheel's cuda.core does not have yet; these are named. 77: skipped, because the variable is not set or nothing can be fetched.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from fetched import folder_of, skip

PACKAGES = ["numba==0.68.1", "numba-cuda==0.30.4", "cuda-core==1.2.2", "cuda-bindings==13.0.*", "numpy", "pytest", "cffi", "filecheck",
            "psutil"]
OTHERS = re.compile(r"^\s*(?:import|from) (cupy|torch|pyglet|numba_cuda_mlir)\b", re.MULTILINE)
# Why an example that failed cannot run, by what it printed.
IMPOSSIBLE = ((re.compile(r"^=+ +NVIDIA's runtime library, .* asks the driver for tables", re.MULTILINE), "calls the static runtime"),
              (re.compile(r"^ImportError: cannot import name '(\w+)' from 'cuda\.core", re.MULTILINE), "is newer than the wheel"))


def provide(folder):
    python = folder / "environment/bin/python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        skip("the packages cannot be fetched: %s" % error)
    return python


def run(launcher, command, cwd):
    # Without checks, as on a GPU: an example's own mistake is no failure of the device's. Unbuffered, so that lines come in order.
    done = subprocess.run([launcher, "--check", "none", *command], cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
                          env=dict(os.environ, PYTHONUNBUFFERED="1"))
    return done.returncode, done.stdout.decode(errors="replace")


def numba(launcher, python, log):
    """How many of the manual's examples ran, and the names of those that failed."""
    with tempfile.TemporaryDirectory() as cwd:
        code, text = run(launcher, [python, "-m", "numba.runtests", "-v", "numba.cuda.tests.doc_examples"], cwd)
    log.write_text(text)
    ran = re.search(r"^Ran (\d+) tests", text, re.MULTILINE)
    failed = sorted(set(re.findall(r"^(?:ERROR|FAIL): (.+)$", text, re.MULTILINE)))
    if not ran or (code != 0 and not failed):
        failed.append("the examples did not end; see %s" % log)
    return int(ran[1]) if ran else 0, failed


def last_line(text):
    """Returns the last line that the program printed, leaving out the launcher's."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("=========")]
    return lines[-1].strip() if lines else "no output"


def cuda_core(launcher, python, folder):
    """The same of cuda.core's examples, and those that cannot run with the reason."""
    ran, failed, left = 0, [], []
    for example in sorted((folder / "examples").glob("*.py")):
        wanted = OTHERS.search(example.read_text(encoding="utf-8"))
        if wanted:
            left.append("%s: wants %s" % (example.name, wanted[1]))
            continue
        code, text = run(launcher, [python, example], folder / "examples")
        why = [reason for pattern, reason in IMPOSSIBLE if code != 0 and pattern.search(text)]
        if why:
            left.append("%s: %s" % (example.name, why[0]))
            continue
        ran += 1
        print("%s: %s" % (example.name, last_line(text)))
        if code != 0:
            failed.append(example.name + ": " + last_line(text))
    return ran, failed, left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher", type=pathlib.Path)
    launcher = parser.parse_args().launcher.resolve()
    folder = folder_of("WARPMARK_CUDA_PYTHON")
    python = provide(folder)
    ran, failed = numba(launcher, python, folder / "numba.log")
    print("Numba's manual: %d of %d examples pass" % (max(ran - len(failed), 0), ran))
    more, wrong, left = cuda_core(launcher, python, folder)
    print("cuda.core: %d of %d examples pass, %d cannot run" % (more - len(wrong), more, len(left)))
    for name in left:
        print("cannot run: " + name)
    for name in failed + wrong:
        print("FAILED " + name)
    sys.exit(1 if failed or wrong or ran == 0 else 0)


if __name__ == "__main__":
    main()
