#!/usr/bin/env python3
"""Measures how long the program takes: rows F5 (one suite) and F6 (a list) of the design, a bench.

    tests/figures/startup.py [PROGRAM] [--device D] [--json FILE]

Times whole processes, cache warm, and prints the median of five runs in seconds, smallest and
largest beside it. Asserts nothing.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUNS = 5


def seconds_of(command, environment):
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout.decode()}")
    return elapsed, done.stdout.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="?", default=os.path.join(ROOT, "build/bin/warpmark"))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--json", help="write the figures to this file")
    arguments = parser.parse_args()
    suites = os.path.join(ROOT, "suites")
    suite = os.path.join(suites, "doublify/double_array.yaml")
    rows = [
        ("F5 check of one suite", [arguments.program, "check", suite, "--device", arguments.device]),
        ("F6 list of all suites", [arguments.program, "list", suites]),
        ("bench of one point", [arguments.program, "bench", os.path.join(suites, "doublify"),
                                "--case", "doublify.dtype=float32", "--device", arguments.device]),
    ]
    figures = []
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, WARPMARK_CACHE_DIR=cache)
        for name, command in rows:
            text = seconds_of(command, environment)[1]  # fills the cache
            times = [seconds_of(command, environment)[0] for _ in range(RUNS)]
            figures.append({"figure": name, "median_s": round(statistics.median(times), 4),
                            "min_s": round(min(times), 4), "max_s": round(max(times), 4),
                            "runs": RUNS, "first_line": text.split("\n")[0]})
            row = figures[-1]
            print(f"{name}: {row['median_s']:.3f} s ({row['min_s']:.3f} to {row['max_s']:.3f})"
                  f"   {row['first_line']}")
    if arguments.json:
        record = {"command": "tests/figures/startup.py", "machine": platform.machine(),
                  "cores": os.cpu_count(), "figures": figures}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
