#!/usr/bin/env python3
"""Kernels of known idioms with exactly one order left out: the CPU device finds each, and nothing in their right twins.

    ordering_test.py LIBRARY COMPILE_CORPUS [-k WORD] [--seed N] [--variants N] [--every N] [--atomic] [--json FILE]
                     [--keep FOLDER]

generator.py makes the kernels from the seed, which is the date's unless given. What has no report in the usual schedule is
launched in others, as `warpmark check` does: twins are right in all of them. With --atomic all accesses that an order is
missing between are atomic or volatile, so that only a wrong value in one of the schedules shows it. Exit status: 0 at least 99 % of the bugs are
found and no twin has an error, 1 not, 77 there is no NVRTC or no NumPy.
"""
import collections
import concurrent.futures
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "checks"))
from checked import argument_parser, checked_device  # first: it finds the others
import driver
import generator
import numpy as np
from corpus import compile_files
from extension import counters_of, reports_of

ATOMIC_IDIOMS = os.path.join(os.path.dirname(generator.IDIOMS), "atomic_idioms")
MODULES, TASKS = {}, []  # of this process, which others are copies of
LEAST_FOUND = 0.99
LEAST_WARNED = 0.9  # of kernels whose accesses are all atomic, in the usual schedule
MOST_SCHEDULES = 7  # further ones, as SessionOptions::schedules


def launch(device, function, kernel, seed):
    """Returns whether the values are those that are expected; a launch that fails has none."""
    arguments, expected = kernel.values(seed)
    given, buffers = [], {}
    for name, value, has_values in arguments:
        if not isinstance(value, np.ndarray):
            given.append(value)
            continue
        buffers[name] = driver.Buffer(device, value)
        if has_values:
            buffers[name].write(value)
        given.append(buffers[name])
    driver.launch(device, function, kernel.size("grid"), kernel.size("block"), given, shared=int(kernel.launch.get("shared", 0)),
                  cooperative="cooperative" in kernel.launch)
    try:
        device.synchronize()
    except driver.DriverError:
        return False
    right = all(np.array_equal(buffers[name].read(), np.broadcast_to(value, buffers[name].shape).astype(buffers[name].dtype))
                for name, value in expected.items())
    for buffer in buffers.values():
        buffer.free()
    return right


def launch_in(options, kernel, schedule):
    """Launches once on the CPU device; returns its reports, whether the values are right, and how many schedules
    there are."""
    device, extension = checked_device(options.library, instruction_budget=20000000, schedule_seed=schedule)
    right = launch(device, device.module(MODULES[kernel.idiom]).function(kernel.name), kernel, options.seed)
    reports = reports_of(extension)
    schedules = max((one.get("schedules", 0) for one in counters_of(extension)), default=0)
    device.library.cuDevicePrimaryCtxReset_v2(device.ordinal)
    return reports, right, schedules


def judge(number):
    """The outcome on the CPU device: errors, warnings, and whether the values are right in the usual schedule."""
    options, kernel = TASKS[number]
    reports, right, schedules = launch_in(options, kernel, 0)
    decides = any(report.get("name") == "order-decides" for report in reports)
    errors = [r["message"] for r in reports if r.get("severity", "error") == "error"]
    warnings = [r["message"] for r in reports if r.get("severity") == "warning"]
    first = random.Random("%d %s" % (options.seed, kernel.name)).randrange(1, 1 << 31)
    for schedule in range(first, first + min(schedules, MOST_SCHEDULES)):
        if errors or not right or (kernel.warning and warnings):
            break
        reports, values, _ = launch_in(options, kernel, schedule)
        errors = ["in schedule %d: %s" % (schedule, r["message"]) for r in reports if r.get("severity", "error") == "error"]
        if not values:
            errors.append("wrong values in schedule %d" % schedule)
    if not right and options.atomic:
        errors.append("wrong values")
    return {"errors": errors, "warnings": warnings, "right": right,
            "decides": decides}


def complaint(kernel, outcome):
    """Returns what is wrong with the judgement of a kernel; "" if nothing is."""
    if not kernel.missing:
        if outcome["errors"]:
            return "a right kernel has errors: " + " | ".join(outcome["errors"])
        if not outcome["right"]:
            return "a right kernel has wrong values"
        return "a right kernel has warnings: " + " | ".join(outcome["warnings"]) if outcome["warnings"] else ""
    if kernel.warning:
        return "" if outcome["warnings"] and not outcome["errors"] else "no warning alone: %s" % outcome
    return "" if outcome["errors"] else "not found" + (", but warned of" if outcome["warnings"] else "")


def compile_kernels(options, made, folder):
    files = []
    for idiom, kernels in made.items():
        files.append(os.path.join(folder, idiom + ".cu"))
        with open(files[-1], "w", encoding="utf-8") as file:
            file.write(generator.source_of(kernels))
    units = compile_files(options.compiler, "90:lines", files)
    for unit in units:
        with open(unit["ptx"], encoding="utf-8") as file:
            MODULES[unit["name"]] = file.read()
    missing = set(made) - set(MODULES)
    if missing:
        sys.exit("NVRTC refuses " + ", ".join(sorted(missing)))


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPMARK_TEST_SEED") or time.strftime("%Y%m%d")))
    parser.add_argument("--variants", type=int, default=1, help="of each idiom, with choices of their own")
    parser.add_argument("--every", type=int, default=1, help="take each Nth idiom only, other ones each day")
    parser.add_argument("--atomic", action="store_true", help="the idioms whose accesses are all atomic")
    parser.add_argument("--show", action="store_true", help="print what is found")
    parser.add_argument("--json", help="write what came out to this file")
    parser.add_argument("--keep", help="generate in this folder, which then stays")
    options = parser.parse_args()
    print("seed %d" % options.seed)
    folder = ATOMIC_IDIOMS if options.atomic else generator.IDIOMS
    made = generator.generate(options.seed, options.variants, options.word, folder)
    names = [name for name, kernels in made.items() if kernels]
    made = {name: made[name] for name in names[options.seed % options.every::options.every]}
    os.environ.pop("WARPMARK_CPU_REPORT", None)
    with tempfile.TemporaryDirectory(prefix="warpmark-ordering-") as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        compile_kernels(options, made, folder)
        TASKS.extend((options, kernel) for kernels in made.values() for kernel in kernels)
        # A pool of multiprocessing would wait for ever for a process that the device brings down.
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork")) as pool:
            outcomes = list(pool.map(judge, range(len(TASKS)), chunksize=4))
    count = collections.Counter()
    failures, rows = [], []
    for (_, kernel), outcome in zip(TASKS, outcomes):
        text = complaint(kernel, outcome)
        what = "twins" if not kernel.missing else "warnings" if kernel.warning else "bugs"
        count[what] += 1
        count["wrong " + what] += bool(text)
        count["warned"] += options.atomic and what == "bugs" and outcome["decides"]
        rows.append({"idiom": kernel.idiom, "missing": kernel.missing, "errors": len(outcome["errors"]),
                     "warnings": len(outcome["warnings"]), "values": outcome["right"], "wrong": bool(text)})
        if text:
            failures.append("%s: %s" % (kernel.name, text))
        if options.show:
            print(kernel.name, *outcome["errors"], *("warning: " + w for w in outcome["warnings"]), sep="\n    ")
    print("\n".join(failures))
    print("%d bugs, %d not found; %d twins, %d judged wrongly; %d due warnings, %d wrong" % (
        count["bugs"], count["wrong bugs"], count["twins"], count["wrong twins"], count["warnings"], count["wrong warnings"]))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            lines = ",\n".join(json.dumps(row) for row in rows)
            file.write('{"seed": %d, "variants": %d, "kernels": [\n%s\n]}\n' % (options.seed, options.variants, lines))
    enough = count["bugs"] - count["wrong bugs"] >= LEAST_FOUND * count["bugs"]
    if options.atomic:
        print("%d of the bugs are warned of in the usual schedule, because the order of threads decides" % count["warned"])
        enough = enough and count["warned"] >= LEAST_WARNED * count["bugs"]
    return 0 if TASKS and enough and not count["wrong twins"] and not count["wrong warnings"] else 1


if __name__ == "__main__":
    sys.exit(main())
