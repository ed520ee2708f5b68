#!/usr/bin/env python3
"""Kernels with one mistake each, and correct ones: the CPU device finds the mistake where it is, and nothing else.

    checks_test.py LIBRARY COMPILE_CORPUS [-k WORD] [--show] [--repeat N] [--architectures LIST] [--modes LIST]

seeded.py says how the .cu files here state what must be found. Exit status: 0 all as it must be, 1 not, 77 there is no
NVRTC or no NumPy.
"""
import argparse
import ctypes
import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "catalogue"))
try:
    import numpy  # pylint: disable=unused-import
except ImportError:
    print("there is no NumPy")
    sys.exit(77)
import driver
import seeded
from corpus import compile_files
from extension import extension_of, reports_of

CHECKS = ["memory", "init", "race", "sync"]


def run(library, ptx, kernel, workers):
    """The reports of a launch. Each has a context of its own, since a fault ends it."""
    device = driver.Device(library)
    extension = extension_of(device)
    settings = {"checks": CHECKS, "instruction_budget": 5000000, "workers": workers}
    if extension.configure(None, json.dumps(settings).encode()):
        sys.exit(extension.last_error().decode())
    module = device.module(ptx)
    with driver.Captured():  # what kernels print
        driver.launch(device, module.function(kernel.name), kernel.size("grid"), kernel.size("block"),
                      kernel.arguments(device, extension), shared=int(kernel.launch.get("shared", 0)),
                      cooperative="cooperative" in kernel.launch)
        try:
            device.synchronize()
        except driver.DriverError:
            pass
    reports = reports_of(extension)
    device.library.cuDevicePrimaryCtxReset_v2(device.ordinal)
    return reports


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("compiler")
    parser.add_argument("-k", dest="word", default="")
    parser.add_argument("--show", action="store_true", help="print what is found")
    parser.add_argument("--repeat", type=int, default=1, help="runs, with 1 and 2 workers in turn, that must report the same")
    parser.add_argument("--architectures", default="90")
    parser.add_argument("--modes", default="lines")
    options = parser.parse_args()
    files = sorted(glob.glob(os.path.join(HERE, "*.cu")))
    units = compile_files(options.compiler, options.architectures, options.modes, files)
    refused = {os.path.basename(file)[:-3] for file in files} - {unit["name"] for unit in units}
    failures = ["%s.cu: NVRTC refuses it" % name for name in sorted(refused)]
    os.environ.pop("WARPMARK_CPU_REPORT", None)
    bugs = good = 0
    for unit in units:
        with open(unit["ptx"], encoding="utf-8") as file:
            ptx = file.read()
        for kernel in seeded.kernels_of(os.path.join(HERE, unit["name"] + ".cu")):
            if options.word not in kernel.name:
                continue
            if kernel.name not in unit["kernels"]:  # of a newer architecture
                continue
            rounds = [run(options.library, ptx, kernel, 1 + number % 2) for number in range(options.repeat)]
            text = kernel.complaint(rounds[0])
            if any(reports != rounds[0] for reports in rounds):
                text += " (another run reports something else)"
            bugs, good = bugs + (not kernel.good), good + kernel.good
            if text:
                failures.append("%s %s %s: %s" % (unit["architecture"], unit["mode"], kernel.name, text))
            if options.show:
                print("%s: %s" % (kernel.name, " | ".join(r["message"] for r in rounds[0])))
    for text in failures:
        print(text)
    print("%d bugs and %d correct kernels, %d not as they must be" % (bugs, good, len(failures)))
    sys.exit(1 if failures or not bugs else 0)


if __name__ == "__main__":
    main()
