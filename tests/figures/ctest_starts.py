#!/usr/bin/env python3
"""Measures what a test for each case costs in ctest: rows of docs/install.md.

    tests/figures/ctest_starts.py [PROGRAM] [--suites PATH...] [--device D] [--json FILE]

Makes a CMake project of its own for each way of warpmark_discover_tests, runs each once to fill the
cache of kernels, then times five runs of ctest and prints the median in seconds, smallest and
largest beside it. Also times one test alone (`ctest -R`). Asserts nothing.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

from figures import ROOT, parser_of, spread, this_machine, write_record

RUNS = 5
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(figures NONE)
enable_testing()
include([[%s/cmake/WarpmarkDiscoverTests.cmake]])
warpmark_discover_tests(%s PROGRAM [[%s]] DEVICE %s %s)
"""


def run(command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--suites", nargs="+", help="default: two suites, of 54 cases",
                        default=[os.path.join(ROOT, "suites/doublify/double_array_out.yaml"),
                                 os.path.join(ROOT, "suites/linear_combination/suite.yaml")])
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    suites = " ".join("[[%s]]" % os.path.abspath(path) for path in arguments.suites)
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, WARPMARK_CACHE_DIR=os.path.join(folder, "cache"))
        for way, words in (("a start for each case", "OWN_START"), ("shared starts", ""),
                           ("PER suite", "PER suite")):
            project = os.path.join(folder, words.replace(" ", "_") or "shared")
            os.mkdir(project)
            with open(os.path.join(project, "CMakeLists.txt"), "w", encoding="utf-8") as file:
                file.write(PROJECT % (ROOT, suites, os.path.abspath(arguments.program),
                                      arguments.device, words))
            build = os.path.join(project, "build")
            run(["cmake", "-S", project, "-B", build])
            names = re.findall(r"Test +#\d+: (.*)", run(["ctest", "-N"], cwd=build))
            for title, flags in (("all", []), ("all, -j2", ["-j2"]),
                                 ("one", ["-R", "^%s$" % re.escape(names[-1])])):
                times = []
                for attempt in range(RUNS + 1):
                    start = time.perf_counter()
                    run(["ctest", *flags], cwd=build, env=environment)
                    if attempt > 0:  # the first fills the cache
                        times.append(time.perf_counter() - start)
                figures.append({"figure": f"{way}, {title}", "tests": len(names),
                                **spread(times, 3)})
                row = figures[-1]
                print(f"{row['figure']} ({row['tests']} tests): {row['median_s']:.2f} s "
                      f"({row['min_s']:.2f} to {row['max_s']:.2f})", flush=True)
    write_record(arguments.json, {"command": "tests/figures/ctest_starts.py", **this_machine(),
                                  "figures": figures})


if __name__ == "__main__":
    main()
