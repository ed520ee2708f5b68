#!/usr/bin/env python3
"""Holds our times of short and long kernels against gpu__time_duration of ncu.

    tests/figures/against_ncu.py [PROGRAM] [--ncu ncu] [--runs 3] [--json FILE]

Needs a GPU whose counters ncu may read. `warpmark bench --profile` runs under ncu, which leaves the
clocks alone, and flushes the caches before each kernel (`ncu cold`) or not (`ncu hot`); `warpmark
bench` measures the same cases. The median of some runs of each is printed. ncu runs each kernel alone on a device that idles
otherwise: its clock may be lower than ours, and is printed, too.
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
CLOCK = "smsp__cycles_elapsed.avg.per_second"  # Hz, of the multiprocessors while ncu measured
OPTIONS = ["--device", "gpu", "--cache", "both", "--graph"]
CACHE_CONTROLS = {"all": "ncu_cold_s", "none": "ncu_hot_s"}
MODES = ("cold", "hot", "cold graph", "hot graph")


def profiled(ncu, program, folder, cache_control):
    """ncu's durations in seconds and clocks in Hz, in the order of the cases."""
    command = [ncu, "--profile-from-start", "off", "--cache-control", cache_control,
               "--clock-control", "none", "--metrics", METRIC + "," + CLOCK, "--csv",
               "--print-units", "base", program, "bench", folder, "--device", "gpu", "--profile"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    start = text.find('"ID"')
    if start < 0:
        sys.exit("ncu gave no table:\n" + text)
    values = {METRIC: [], CLOCK: []}
    for row in csv.DictReader(io.StringIO(text[start:])):
        if row["Metric Name"] in values:
            values[row["Metric Name"]].append(float(row["Metric Value"].replace(",", "")))
    return [(1e-9 * time, clock) for time, clock in zip(values[METRIC], values[CLOCK])]


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    cases = timed_kernels.cases()
    theirs = {(case, control): [] for case in cases for control in CACHE_CONTROLS}
    ours = {}
    their_clocks, our_clocks = {case: [] for case in cases}, {case: [] for case in cases}
    with tempfile.TemporaryDirectory() as folder:
        timed_kernels.write_suites(folder)
        for _ in range(arguments.runs):
            for control in CACHE_CONTROLS:
                durations = profiled(arguments.ncu, arguments.program, folder, control)
                if len(durations) != len(cases):
                    sys.exit("ncu saw %d kernels, there are %d cases" % (len(durations), len(cases)))
                for case, (seconds, clock) in zip(cases, durations):
                    theirs[case, control].append(seconds)
                    their_clocks[case].append(clock)
            run, series = timed_kernels.bench(arguments.program, folder, OPTIONS)
            for key, one in series.items():
                ours.setdefault(key, []).append(one["median_s"])
                our_clocks[key[0]].extend(1e6 * process["clock_mhz"]
                                          for process in one["processes"])
    print("%s; µs, %d runs" % (run["device"]["name"], arguments.runs))
    print(("%-22s %9s %9s" + " %12s" * len(MODES) + " %9s %9s")
          % ("case", "ncu cold", "ncu hot", *MODES, "ncu MHz", "our MHz"))
    figures = []
    for case in cases:
        figure = {"case": case}
        for control, name in CACHE_CONTROLS.items():
            figure[name] = statistics.median(theirs[case, control])
        for mode in MODES:
            figure[mode.replace(" ", "_") + "_s"] = statistics.median(ours[case, mode])
        times = [1e6 * value for name, value in figure.items() if name != "case"]
        figure["ncu_clock_hz"] = statistics.median(their_clocks[case])
        figure["clock_hz"] = statistics.median(our_clocks[case])
        figures.append(figure)
        print(("%-22s %9.3f %9.3f" + " %12.3f" * len(MODES) + " %9.0f %9.0f")
              % (case, *times, 1e-6 * figure["ncu_clock_hz"], 1e-6 * figure["clock_hz"]))
    write_record(arguments.json, {"device": run["device"]["name"], "runs": arguments.runs,
                                  "launch_s": run["bench"]["ceilings"]["launch_s"], "cases": figures})


main()
