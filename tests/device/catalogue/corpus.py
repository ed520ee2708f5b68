"""The kernels of tests/device/kernels as PTX, and the catalogue's entries for them."""
import concurrent.futures
import glob
import importlib
import json
import os
import re
import subprocess
import sys

import catalogue

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(os.path.dirname(HERE), "kernels")
PARTS = ("corpus_arrays", "corpus_numbers", "corpus_warps", "corpus_language")
MODES = ("plain", "lines", "debug")


def compile_files(program, builds, files):
    """One record for each file and build that NVRTC compiles: name, architecture, mode, ptx (a path),
    kernels. `builds` are architectures and modes, such as "80:plain,90:debug". Ends the process with
    77 where there is no NVRTC. A device that is opened later has a compute capability that runs all
    of them."""
    count = min(os.cpu_count() or 1, len(files))

    def compile_some(number):
        return subprocess.run([program, builds, *files[number::count]],
                              stdout=subprocess.PIPE,
                              text=True,
                              check=False)

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        runs = list(pool.map(compile_some, range(count)))
    if any(run.returncode for run in runs):
        sys.exit(77 if any(run.returncode == 77 for run in runs) else "%s failed" % program)
    units = [json.loads(line) for run in runs for line in run.stdout.splitlines()]
    newest = max(int(unit["architecture"]) for unit in units)
    if newest > 90:
        os.environ["WARPMARK_CPU_CAPABILITY"] = "%d.%d" % divmod(newest, 10)
    for unit in units:
        if unit["ptx"]:
            with open(unit["ptx"], encoding="utf-8", errors="replace") as file:
                unit["kernels"] = re.findall(r"^\s*(?:\.visible|\.weak)?\s*\.entry\s+([\w$]+)",
                                             file.read(), re.MULTILINE)
    units.sort(key=lambda unit: (MODES.index(unit["mode"]), unit["architecture"], unit["name"]))
    return [unit for unit in units if unit["ptx"]]


def compile_corpus(program, builds):
    return compile_files(program, builds, sorted(glob.glob(os.path.join(KERNELS, "*.cu"))))


def load_catalogue():
    for part in PARTS:
        importlib.import_module(part)
    return catalogue.ENTRIES
