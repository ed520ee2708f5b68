#!/usr/bin/env python3
"""Runs the kernels of ordering_test.py on a GPU and under compute-sanitizer; needs both, and prints a JSON record.

    on_gpu.py LIBCUDA COMPILE_CORPUS --json FILE [--seed N] [--variants N] [--runs N] [--tools LIST] [--atomic] [-k WORD]

Each kernel runs in processes of its own: RUNS times alone, and once under each tool.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

import ordering_test
import driver
import generator

TOOLS = "memcheck,initcheck,synccheck,racecheck"
TIMEOUT_S = 60


def folder_of(options):
    return ordering_test.ATOMIC_IDIOMS if options.atomic else generator.IDIOMS


def run_one(options):
    """In the process of one kernel: how often the values were wrong."""
    kernel = next(kernel for kernels in generator.generate(options.seed, options.variants, "", folder_of(options)).values() for kernel in kernels
                  if kernel.name == options.one)
    device = driver.Device(options.library)
    with open(options.ptx, encoding="utf-8") as file:
        function = device.module(file.read()).function(kernel.name)
    wrong = sum(not ordering_test.launch(device, function, kernel, options.seed) for _ in range(options.runs))
    print("wrong %d" % wrong)


def outcome(options, kernel, ptx, tool):
    """Runs a kernel in a process: "found" by a tool, "wrong" values, "hang", "error" or "right"."""
    command = [sys.executable, "-B", os.path.abspath(__file__), options.library, options.compiler, "--one", kernel.name, "--ptx", ptx,
               "--seed", str(options.seed), "--variants", str(options.variants), "--runs", "1" if tool else str(options.runs),
               *(["--atomic"] if options.atomic else [])]
    if tool:
        command = ["compute-sanitizer", "--tool", tool, "--print-limit", "5", *command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                              timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return "hang"
    if tool:
        summary = re.search(r"RACECHECK SUMMARY: \d+ hazards? displayed \((\d+) error|ERROR SUMMARY: (\d+) error", done.stdout)
        if not summary:
            return "no summary"
        return "found" if int(summary[1] or summary[2] or 0) > 0 else "right"
    wrong = re.search(r"^wrong (\d+)$", done.stdout, re.MULTILINE)
    return "error" if not wrong else "wrong" if int(wrong[1]) > 0 else "right"


def main():
    parser = ordering_test.argument_parser(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--variants", type=int, default=1)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--tools", default=TOOLS)
    parser.add_argument("--atomic", action="store_true", help="the idioms whose accesses are all atomic")
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--json")
    parser.add_argument("--one", help="run this kernel only, here")
    parser.add_argument("--ptx")
    options = parser.parse_args()
    if options.one:
        return run_one(options)
    made = generator.generate(options.seed, options.variants, options.word, folder_of(options))
    with tempfile.TemporaryDirectory(prefix="warpmark-ordering-") as folder:
        ordering_test.compile_kernels(options, made, folder)
        tasks = []
        for idiom, kernels in made.items():
            ptx = os.path.join(folder, idiom + ".ptx")
            with open(ptx, "w", encoding="utf-8") as file:
                file.write(ordering_test.MODULES[idiom])
            tasks += [(kernel, ptx, tool) for kernel in kernels for tool in ["", *options.tools.split(",")]]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            outcomes = list(pool.map(lambda task: outcome(options, *task), tasks))
    rows = {}
    for (kernel, _, tool), what in zip(tasks, outcomes):
        row = rows.setdefault(kernel.name, {"idiom": kernel.idiom, "missing": kernel.missing})
        row[tool or "card"] = what
    for what in ("card", *options.tools.split(",")):
        bugs = [row for row in rows.values() if row["missing"]]
        twins = [row for row in rows.values() if not row["missing"]]
        print("%-10s %d of %d bugs, %d of %d twins" % (what, sum(row[what] != "right" for row in bugs), len(bugs),
                                                     sum(row[what] != "right" for row in twins), len(twins)))
    any_tool = [row for row in rows.values() if any(row[tool] == "found" for tool in options.tools.split(","))]
    print("%-10s %d bugs, %d twins" % ("any tool", sum(bool(row["missing"]) for row in any_tool),
                                      sum(not row["missing"] for row in any_tool)))
    if options.json:
        lines = ",\n".join(json.dumps(row) for row in rows.values())
        with open(options.json, "w", encoding="utf-8") as file:
            file.write('{"seed": %d, "variants": %d, "runs": %d, "kernels": [\n%s\n]}\n' % (
                options.seed, options.variants, options.runs, lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
