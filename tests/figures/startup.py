#!/usr/bin/env python3
"""Measures how long the program takes: rows F5 (one suite) and F6 (a list) of the design, a bench.

    tests/figures/startup.py [PROGRAM] [--device D] [--json FILE]

Times whole processes, cache warm, and prints the median of five runs in seconds, smallest and
largest beside it. Asserts nothing.
"""
import os
import subprocess
import sys
import tempfile
import time

from figures import ROOT, parser_of, spread, this_machine, write_record

RUNS = 5


def seconds_of(command, environment):
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout.decode()}")
    return elapsed, done.stdout.decode()


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--device", default="auto")
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
            figures.append({"figure": name, **spread(times, 4), "first_line": text.split("\n")[0]})
            row = figures[-1]
            print(f"{name}: {row['median_s']:.3f} s ({row['min_s']:.3f} to {row['max_s']:.3f})"
                  f"   {row['first_line']}")
    write_record(arguments.json, {"command": "tests/figures/startup.py", **this_machine(),
                                  "figures": figures})


if __name__ == "__main__":
    main()
