#!/usr/bin/env python3
"""Runs every kernel of tests/device/kernels on the CPU device and compares all that is known of it.

    corpus_test.py CPU_LIBRARY COMPILE_CORPUS [--recorded FILE] [--all] [-k WORD]

Each case of the catalogue runs in some builds (architectures and modes), with every check or with none:

  - Values are within the catalogue's bounds of NumPy's.
  - They have the bits that an H200 gave for the same PTX and inputs, by the hashes in FILE, unless
    the catalogue says why they need not.
  - Values with checks are those without.
  - Checks have no report of correct kernels, and find the races of those in RACES.
  - Every kernel has an entry in the catalogue, and every entry a kernel.

Exit status 77: there is no NVRTC or no NumPy.
"""
import argparse
import collections
import json
import os
import sys
import time
import traceback

try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)

import catalogue
import compare_table
import driver
import recordings
from corpus import compile_corpus, load_catalogue
from extension import CHECKS, configure, extension_of, reports_of

# Kernels whose threads race, since they were written to have every instruction and no purpose.
RACES = {
    "04_reduce/reduce_volatile": "a warning: volatile accesses that only lanes in step put in order",
    "14_calls/calls": "v[i] while its neighbour reads v[i + 1], o[i + 32] while its neighbour stores o[i]",
    "18_constant/use_const": "200 threads store to 128 places",
    "19_switch_local/sw": "x[i] while its neighbour reads x[i + 1]",
    "22_atomics/atoms": "all threads store to one place",
    "29_byval_struct/ldst_widths": "c[i] as two integers and as floats",
    "30_cluster/clus": "all threads of a block store the same value to one place",
    "39_bigswitch/vm": "st[i] while others still read it",
}


class Way(collections.namedtuple("Way", "checked workers")):
    """How the kernels of a build run."""

    def __str__(self):
        return "workers=%d%s" % (self.workers, ", checked" * self.checked)


CHECKED, ONE, TWO = Way(True, 1), Way(False, 1), Way(False, 2)
# Builds that the H200 had; of the older architectures one each day.
SHORT = {
    (75 + 5 * (int(time.time()) // 86400 % 2), "plain"): [ONE],
    (90, "plain"): [TWO, CHECKED],
    (90, "debug"): [TWO]
}


class CheckedRun(catalogue.Run):
    """Outputs have no values until the kernel writes them, whatever poison lies there."""

    def out(self, shape, dtype):
        buffer = super().out(shape, dtype)
        if buffer.nbytes:
            extension_of(self.device).forget(None, buffer.address, buffer.nbytes)
        return buffer


def open_device(library, way):
    """A device that has a context of its own."""
    device = driver.Device(library)
    configure(extension_of(device), checks=CHECKS if way.checked else [], workers=way.workers)
    return device


def wrong_value(result):
    """Words about a result that is not NumPy's, or none."""
    if result.expected is None:
        return ""
    wrong, ulp, absolute = catalogue.differences(result.got, result.expected, result.bound)
    if not wrong.size:
        return ""
    first = int(wrong[0])
    got, expected = np.ravel(result.got)[first], np.ravel(result.expected)[first]
    return "%s: %d of %d elements differ, the first at %d: %r for %r (greatest distance %g ulp, %g)" % (
        result.name, wrong.size, np.size(result.got), first, got, expected, ulp, absolute)


def run_job(device, way, job):
    """(what is wrong, the checks' reports, the record) of one case.

    With checks it has the PTX as NVRTC made it, else with explicit roundings, as the GPU had it.
    """
    failures, reports, sides = [], [], ["no results"]
    try:
        module = device.module(job.source() if way.checked else job.ptx())
        run = job.run(device, module, CheckedRun if way.checked else catalogue.Run)
        sides = [recordings.side_of(run)]
        failures = [words for words in map(wrong_value, run.results) if words]
        if not run.results:
            failures = ["states no result"]
        if not job.fatal:
            module.unload()
    except Exception:  # noqa: BLE001  whatever a case ends in, the others run
        failures = [traceback.format_exc()]
    if way.checked:
        reports = [(report["kind"], report["message"]) for report in reports_of(extension_of(device))]
        if job.fatal and len(reports) != 1:
            failures.append("not one report of its fault, but %s" % reports)
    return failures, [] if job.fatal else reports, recordings.compare(job, job.ptx(), sides)


def in_a_process(library, way, job):
    """run_job of a kernel that ends in a fault, in a copy of this process, which has no device yet."""
    there, here = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(here, json.dumps(run_job(open_device(library, way), way, job)).encode())
        os._exit(0)
    os.close(here)
    with os.fdopen(there) as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    failure = "the process ended with status %d" % status
    return json.loads(text) if text else ([failure], [], recordings.compare(job, job.ptx(), [failure]))


def run_all(library, runs):
    """The outcome of each run, in another order. First what ends in a fault: this process has no device yet."""
    for way, job in runs:
        if job.fatal:
            yield way, job, in_a_process(library, way, job)
    for way in dict.fromkeys(way for way, _ in runs):
        device = open_device(library, way)
        for job in [job for its_way, job in runs if its_way == way and not job.fatal]:
            yield way, job, run_job(device, way, job)
        device.library.cuDevicePrimaryCtxReset_v2(device.ordinal)


def complaints_of_catalogue(units, entries):
    """Kernels without an entry, and entries without a kernel in a build that should have it."""
    compiled = collections.defaultdict(set)
    for unit in units:
        compiled[unit["architecture"], unit["mode"]] |= {(unit["name"], kernel) for kernel in unit["kernels"]}
    known = {(entry.source, entry.kernel) for entry in entries}
    for (architecture, mode), kernels in compiled.items():
        there = {(entry.source, entry.kernel) for entry in entries if entry.least <= architecture}
        for pair in sorted(kernels - known):
            yield "%s/%s sm_%d %s has no entry in the catalogue" % (*pair, architecture, mode)
        for pair in sorted(there - kernels):
            yield "%s: there is no kernel %s for sm_%d %s" % (*pair, architecture, mode)


def complaints_of_reports(reports, every):
    """Yields reports of correct kernels in each build and, if every case ran, kernels whose race is not found."""
    for (kernel, build), of_kernel in reports.items():
        for run, kind, message in of_kernel:
            if kind != "race" or kernel not in RACES:
                yield "%s: %s" % (run, message)
        if kernel in RACES and every and "race" not in [kind for _, kind, _ in of_kernel]:
            yield "%s sm_%d %s: its race is not found" % (kernel, *build)


def compare_runs(library, runs):
    """(failures, the checks' reports by kernel and build, the records by run)."""
    failures, reports, records, values = [], {}, {}, {}
    for way, job, (wrong, reported, record) in run_all(library, runs):
        run = "%s %s, %s" % (job.kernel, job.input, way)
        failures += ["%s: %s" % (run, text) for text in wrong]
        if way.checked and not job.fatal:
            build = job.unit["architecture"], job.unit["mode"]
            reports.setdefault((job.kernel, build), []).extend((run, *report) for report in reported)
        outputs = [(output["name"], *output["sha"]) for output in record.get("outputs", [])]
        if values.setdefault((job.kernel, job.input), outputs) != outputs:
            failures.append("%s: values are not those of the same build without checks" % run)
        records[run] = record
    return failures, reports, records


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("compiler")
    parser.add_argument("--recorded", help="results.jsonl of compare_devices.py")
    parser.add_argument("--all", action="store_true", help="every architecture and mode, each with checks and without")
    parser.add_argument("-k", dest="word", default="", help="only kernels and inputs that hold this text")
    options = parser.parse_args()
    np.seterr(all="ignore")  # overflow and NaN are what is tested
    builds = "all:all" if options.all else ",".join("%d:%s" % build for build in SHORT)
    units, entries = compile_corpus(options.compiler, builds), load_catalogue()
    ways = lambda unit: [TWO, CHECKED] if options.all else SHORT[unit["architecture"], unit["mode"]]
    runs = [(way, job) for job in recordings.corpus_jobs(units, entries) for way in ways(job.unit)
            if options.word in "%s %s" % (job.kernel, job.input)]
    failures, reports, records = compare_runs(options.library, runs)
    failures = [*complaints_of_catalogue(units, entries), *failures, *complaints_of_reports(reports, not options.word)]
    if options.recorded:
        recordings.against(records.values(), options.recorded)
    failures += ["%s: %s" % (run, compare_table.problem(record)) for run, record in records.items()
                 if record["status"] == "differs"]
    for text in failures:
        print(text)
    print("%d runs: %s" % (len(runs), compare_table.states(records.values())))
    checked = {kernel for kernel, _ in reports}
    print("%d correct kernels and %d with races, %d failures" %
          (len(checked - RACES.keys()), len(checked & RACES.keys()), len(failures)))
    sys.exit(1 if failures or not runs else 0)


if __name__ == "__main__":
    main()
