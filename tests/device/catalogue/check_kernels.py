#!/usr/bin/env python3
"""Runs every kernel of tests/device/kernels on the CPU device and compares its results with NumPy.

    check_kernels.py CPU_LIBRARY COMPILE_CORPUS [--architectures 90] [--modes plain] [-k WORD]

The kernels are those that the compiled PTX has: one without an entry in the catalogue fails the test, and
so does an entry without a kernel. Exit status 77: there is no NVRTC or no NumPy.
"""
import argparse
import os
import subprocess
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


def run_case(device, unit, entry, case):
    """Words about what went wrong, or none."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("compiler")
    parser.add_argument("--architectures", default="90")
    parser.add_argument("--modes", default="plain")
    parser.add_argument("-k", dest="word", default="")
    arguments = parser.parse_args()
    units = compile_corpus(arguments.compiler, arguments.architectures, arguments.modes)
    entries = load_catalogue()
    failures, count = [], 0
    np.seterr(all="ignore")  # overflow and NaN are what is tested

    least = min(unit["architecture"] for unit in units)
    known = {(entry.source, entry.kernel) for entry in entries if entry.least <= least}
    compiled = {(unit["name"], kernel) for unit in units for kernel in unit["kernels"]}
    failures += ["%s: %s has no entry in the catalogue" % pair for pair in sorted(compiled - {(entry.source, entry.kernel) for entry in entries})]
    failures += ["%s: there is no kernel %s" % pair for pair in sorted(known - compiled)]

    for unit in units:
        of_unit = [entry for entry in entries if entry.source == unit["name"] and entry.kernel in unit["kernels"]]
        for entry in sorted(of_unit, key=lambda entry: entry.fatal):
            for case in entry.cases:
                name = "%s/%s.%s sm_%d %s" % (entry.source, entry.kernel, catalogue.case_name(case), unit["architecture"], unit["mode"])
                if arguments.word not in name:
                    continue
                count += 1
                # What ends in a fault has a process of its own: no error of it can be taken for another's.
                if entry.fatal and os.environ.get("WARPMARK_FATAL_CASE") != name:
                    child = subprocess.run([sys.executable, "-B", *sys.argv, "-k", name], capture_output=True, text=True,
                                           env=dict(os.environ, WARPMARK_FATAL_CASE=name), check=False)
                    if child.returncode:
                        failures.append("%s: %s" % (name, child.stdout + child.stderr))
                    continue
                failures += ["%s: %s" % (name, text) for text in run_case(driver.Device(arguments.library), unit, entry, case)]
    for text in failures:
        print(text)
    print("%d runs of %d kernels, %d failures" % (count, len(compiled), len(failures)))
    sys.exit(1 if failures or not count else 0)


main()
