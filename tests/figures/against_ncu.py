#!/usr/bin/env python3
"""Holds our times of short and long kernels against gpu__time_duration of ncu.

    tests/figures/against_ncu.py [PROGRAM] [--ncu ncu] [--runs 3] [--json FILE]

Needs a GPU whose counters ncu may read. `warpmark bench --profile` runs under ncu, which flushes the
caches before each kernel and leaves the clocks alone; `warpmark bench` measures the same cases. The
median of some runs of either is printed.
"""
import csv
import io
import statistics
import subprocess
import sys
import tempfile

import timed_kernels
from figures import parser_of, write_record

METRIC = "gpu__time_duration.sum"
OPTIONS = ["--device", "gpu", "--cache", "both", "--graph"]
MODES = ("cold", "hot", "cold graph", "hot graph")


def profiled(ncu, program, folder):
    """ncu's durations in seconds, in the order of the cases."""
    command = [ncu, "--profile-from-start", "off", "--cache-control", "all", "--clock-control", "none",
               "--metrics", METRIC, "--csv", "--print-units", "base",
               program, "bench", folder, "--device", "gpu", "--profile"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    start = text.find('"ID"')
    if start < 0:
        sys.exit("ncu gave no table:\n" + text)
    rows = [row for row in csv.DictReader(io.StringIO(text[start:])) if row["Metric Name"] == METRIC]
    return [float(row["Metric Value"].replace(",", "")) * 1e-9 for row in rows]


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    cases = timed_kernels.cases()
    theirs, ours = {case: [] for case in cases}, {}
    with tempfile.TemporaryDirectory() as folder:
        timed_kernels.write_suites(folder)
        for _ in range(arguments.runs):
            durations = profiled(arguments.ncu, arguments.program, folder)
            if len(durations) != len(cases):
                sys.exit("ncu saw %d kernels, there are %d cases" % (len(durations), len(cases)))
            for case, seconds in zip(cases, durations):
                theirs[case].append(seconds)
            run, series = timed_kernels.bench(arguments.program, folder, OPTIONS)
            for key, one in series.items():
                ours.setdefault(key, []).append(one["median_s"])
    print("%s; µs, %d runs" % (run["device"]["name"], arguments.runs))
    print(("%-22s %9s" + " %12s" * len(MODES)) % ("case", "ncu", *MODES))
    figures = []
    for case in cases:
        figure = {"case": case, "ncu_s": statistics.median(theirs[case])}
        for mode in MODES:
            figure[mode.replace(" ", "_") + "_s"] = statistics.median(ours[case, mode])
        figures.append(figure)
        print(("%-22s %9.3f" + " %12.3f" * len(MODES))
              % (case, *(1e6 * value for name, value in figure.items() if name != "case")))
    write_record(arguments.json, {"device": run["device"]["name"], "runs": arguments.runs,
                                  "launch_s": run["bench"]["ceilings"]["launch_s"], "cases": figures})


main()
