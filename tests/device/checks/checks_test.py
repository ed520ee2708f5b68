#!/usr/bin/env python3
"""Kernels with one mistake each, and correct ones: the CPU device finds the mistake where it is, and nothing else.

    checks_test.py LIBRARY COMPILE_CORPUS [-k WORD] [--show] [--repeat N] [--levels LIST] [--architectures LIST] [--modes LIST]
                   [--every N]

seeded.py says how the .cu files here state what must be found. Exit status: 0 all as it must be, 1 not, 77 there is no
NVRTC or no NumPy.
"""
import concurrent.futures
import glob
import hashlib
import itertools
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time

from checked import HERE, argument_parser, checked_device  # first: it finds the others
import driver
import seeded
from corpus import compile_files
from extension import reports_of

# To a brace in front of the next directive: inline assembly has braces, too.
ENTRY = re.compile(r"^(?:\.visible )?\.entry (\w+)\(.*?^}\s*(?=^\t// \.|^\.|^\t\.(?:file|section)|\Z)", re.MULTILINE | re.DOTALL)
TASKS = []  # of this process, which others are copies of


class Module:
    """The PTX of a file. To load all its kernels is half of what a launch costs: its first one has the others beside it."""

    def __init__(self, ptx, first):
        self.first = first
        self.parts, at = [], 0  # (kernel or None, text, as many blank lines)
        for entry in ENTRY.finditer(ptx):
            self.parts += [(None, ptx[at:entry.start()], ""), (entry[1], entry[0], "\n" * entry[0].count("\n"))]
            at = entry.end()
        self.parts.append((None, ptx[at:], ""))

    def text_for(self, kernel):
        return "".join(text if name in (None, kernel) or kernel == self.first else blank for name, text, blank in self.parts)


def lone_kernels(files):
    """Kernels with a mistake, of the files twins_*.cu, that have no right twin, `_right`. There must be 60 of them at least."""
    kernels = [kernel for file in files if os.path.basename(file).startswith("twins_") for kernel in seeded.kernels_of(file)[0]]
    names = {kernel.name for kernel in kernels if kernel.good}
    bugs = [kernel.name for kernel in kernels if not kernel.good]
    lone = ["%s has no twin" % name for name in bugs if name + "_right" not in names]
    return lone if len(bugs) >= 60 else lone + ["there are %d kernels with a twin, not 60" % len(bugs)]


def run(library, ptx, kernel, workers):
    """The reports of a launch. Each has a context of its own, since a fault ends it."""
    device, extension = checked_device(library, instruction_budget=int(kernel.launch.get("budget", 5000000)), workers=workers,
                                       strict_proxies="strict" in kernel.launch)
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
    if kernel.multicast:  # so that the next run has the same addresses
        device.enter()
        kernel.multicast.free()
        device.library.cuDevicePrimaryCtxReset_v2(device.ordinal)
    return reports


def rounds_of(number):
    """Returns the reports of several runs of one kernel, each with another number of workers than the one before."""
    options, module, kernel = TASKS[number]
    ptx = module.text_for(kernel.name)
    return [run(options.library, ptx, kernel, 1 + turn % 2) for turn in range(options.repeat)]


def without_addresses(value):
    """A report as another process has it, where the device's memory may lie elsewhere."""
    if isinstance(value, list):
        return [without_addresses(part) for part in value]
    if isinstance(value, dict):
        return {key: without_addresses(part) for key, part in value.items() if key != "address"}
    return value


def without_numbers(reports):
    """Reports as two runs must agree on them: allocations are numbered over all contexts of a process."""
    return re.sub(r'allocation \d+|"number": \d+', "", json.dumps(reports))


def digest_of(all_reports):
    return hashlib.sha256(without_numbers(without_addresses(all_reports)).encode()).hexdigest()


def digest_at(level, options):
    """The digest of the same kernels with the instructions of x86-64-v2, -v3 or -v4 only."""
    command = [sys.executable, "-B", __file__, options.library, options.compiler, "-k", options.word, "--digest"]
    command += ["--architectures", options.architectures, "--modes", options.modes]
    run_there = subprocess.run(command, env={**os.environ, "WARPMARK_CPU_LEVEL": level}, stdout=subprocess.PIPE, text=True,
                               check=False)
    return run_there.stdout.strip().split("\n")[-1]


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--show", action="store_true", help="print what is found")
    parser.add_argument("--repeat", type=int, default=1, help="runs, with 1 and 2 workers in turn, that must report the same")
    parser.add_argument("--levels", default="", help="of x86-64 that must report the same, such as 2,3")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes that run kernels")
    parser.add_argument("--digest", action="store_true", help="print a digest of all reports at the end")
    parser.add_argument("--architectures", default="90")
    parser.add_argument("--modes", default="lines")
    parser.add_argument("--every", type=int, default=1, help="take each Nth file only, other ones each day")
    options = parser.parse_args()
    files = sorted(glob.glob(os.path.join(HERE, "*.cu")))
    failures = lone_kernels(files)
    if options.every > 1 and not options.word:
        first = int(time.time()) // 86400 % options.every
        print("the files from number %d on, each %d. one" % (first, options.every))
        files = files[first::options.every]
    builds = itertools.product(options.architectures.split(","), options.modes.split(","))
    units = compile_files(options.compiler, ",".join(map(":".join, builds)), files)
    compiled = {(unit["name"], unit["architecture"]) for unit in units}
    for name in sorted(os.path.basename(file)[:-3] for file in files):
        _, least = seeded.kernels_of(os.path.join(HERE, name + ".cu"))
        failures += ["%s.cu: NVRTC refuses it for %s" % (name, number) for number in options.architectures.split(",")
                     if int(number) >= least and (name, int(number)) not in compiled]
    os.environ.pop("WARPMARK_CPU_REPORT", None)
    labels = []
    for unit in units:
        kernels, least = seeded.kernels_of(os.path.join(HERE, unit["name"] + ".cu"), unit["mode"])
        if unit["architecture"] < least or not kernels:
            continue
        with open(unit["ptx"], encoding="utf-8") as file:
            module = Module(file.read(), kernels[0].name)
        for kernel in kernels:
            if options.word not in kernel.name or unit["architecture"] > int(kernel.launch.get("most", 1000)):
                continue
            if "specific" in kernel.launch and set(options.architectures.split(",")) != {"90"}:
                continue  # a device that runs sm_100 does not run sm_90a
            TASKS.append((options, module, kernel))
            labels.append("%s %s %s" % (unit["architecture"], unit["mode"], kernel.name))
    bugs = good = 0
    everything = []
    # Each process opens the library itself: none is open here. A pool of multiprocessing would wait for ever for one that
    # the device brings down.
    with concurrent.futures.ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork")) as pool:
        for (_, _, kernel), label, rounds in zip(TASKS, labels, pool.map(rounds_of, range(len(TASKS)), chunksize=4)):
            everything.append([kernel.name, rounds[0]])
            text = kernel.complaint(rounds[0])
            if any(without_numbers(reports) != without_numbers(rounds[0]) for reports in rounds):
                text += " (another run reports something else)"
            bugs, good = bugs + (not kernel.good), good + kernel.good
            if text:
                failures.append("%s: %s" % (label, text))
            if options.show:
                print("%s: %s" % (kernel.name, " | ".join(r["message"] for r in rounds[0])))
    digest = digest_of(everything)
    for level in options.levels.split(",") if options.levels else []:
        if digest_at(level, options) != digest:
            failures.append("x86-64-v%s reports something else" % level)
    for text in failures:
        print(text)
    print("%d bugs and %d correct kernels, %d not as they must be" % (bugs, good, len(failures)))
    if options.digest:
        print(digest)
    sys.exit(1 if failures or not bugs else 0)


if __name__ == "__main__":
    main()
