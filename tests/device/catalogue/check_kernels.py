#!/usr/bin/env python3
"""Runs every kernel of tests/device/kernels on the CPU device and compares its results with NumPy.

    check_kernels.py CPU_LIBRARY COMPILE_CORPUS [--builds 90:plain] [-k WORD]

The kernels are those that the compiled PTX has: one without an entry in the catalogue fails the test, and
so does an entry without a kernel. Exit status 77: there is no NVRTC or no NumPy.
"""
import argparse
import json
import os
import sys

try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)

import catalogue
import driver
from corpus import compile_corpus, load_catalogue


def failure_text(result):
    wrong, ulp, absolute = catalogue.differences(result.got, result.expected, result.bound)
    if not wrong.size:
        return ""
    first = int(wrong[0])
    got, expected = np.ravel(result.got)[first], np.ravel(result.expected)[first]
    return "%s: %d of %d elements differ, the first at %d: %r for %r (greatest distance %g ulp, %g)" % (
        result.name, wrong.size, np.size(result.got), first, got, expected, ulp, absolute)


def run_case(library, unit, entry, case):
    """Words about what went wrong, or none."""
    device = driver.Device(library)
    name = "%s/%s" % (entry.source, entry.kernel)
    with open(unit["ptx"], encoding="utf-8", errors="surrogateescape") as file:
        module = device.module(file.read())
    run = catalogue.Run(device, module, entry.kernel, unit["architecture"], unit["mode"] != "debug")
    try:
        entry.function(run, catalogue.Random("%s %r" % (name, case)), **case)
        failures = [failure_text(result) for result in run.results if result.expected is not None]
        failures = [text for text in failures if text]
        if not run.results:
            failures = ["states no result"]
    except driver.DriverError as error:
        failures = [str(error)]
    if not entry.fatal:
        run.free()
        module.unload()
    return failures


def run_name(unit, entry, case):
    return "%s/%s.%s sm_%d %s" % (entry.source, entry.kernel, catalogue.case_name(case),
                                  unit["architecture"], unit["mode"])


def in_a_process(*arguments):
    """run_case in a copy of this process."""
    there, here = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(here, json.dumps(run_case(*arguments)).encode())
        os._exit(0)
    os.close(here)
    with os.fdopen(there) as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if text else ["the process ended with status %d" % status]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("compiler")
    parser.add_argument("--builds", default="90:plain")
    parser.add_argument("-k", dest="word", default="")
    arguments = parser.parse_args()
    units = compile_corpus(arguments.compiler, arguments.builds)
    entries = load_catalogue()
    failures = []
    np.seterr(all="ignore")  # overflow and NaN are what is tested

    least = min(unit["architecture"] for unit in units)
    known = {(entry.source, entry.kernel) for entry in entries if entry.least <= least}
    compiled = {(unit["name"], kernel) for unit in units for kernel in unit["kernels"]}
    failures += [
        "%s: %s has no entry in the catalogue" % pair
        for pair in sorted(compiled - {(entry.source, entry.kernel)
                                       for entry in entries})
    ]
    failures += ["%s: there is no kernel %s" % pair for pair in sorted(known - compiled)]

    runs = [(unit, entry, case) for unit in units for entry in entries for case in entry.cases
            if entry.source == unit["name"] and entry.kernel in unit["kernels"]
            and arguments.word in run_name(unit, entry, case)]
    # First what ends in a fault, each in a process of its own: this one has no device yet.
    for unit, entry, case in sorted(runs, key=lambda run: not run[1].fatal):
        run = in_a_process if entry.fatal else run_case
        failures += [
            "%s: %s" % (run_name(unit, entry, case), text)
            for text in run(arguments.library, unit, entry, case)
        ]
    for text in failures:
        print(text)
    print("%d runs of %d kernels, %d failures" % (len(runs), len(compiled), len(failures)))
    sys.exit(1 if failures or not runs else 0)


main()
