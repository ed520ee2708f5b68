#!/usr/bin/env python3
"""Measures rows F1 to F4 of the design through `warpmark bench`: shares of the copy rate.

    tests/figures/bench_share.py [PROGRAM] [--runs 5] [--only F1,F2] [--more] [--json FILE]

Needs a GPU. Runs `warpmark bench` on generated kernels that move 2^28 float32, each time a process of
its own that measures the copy rate itself, and prints for each row the median share of the runs. A
run times a case in five fresh processes. `--more` measures the other generated kernels of `suites`
that are bound by memory; each takes some seconds, as NumPy makes the inputs and the references.
Memory writes more slowly than it reads, so a kernel that writes as much as it reads, or more, cannot
reach the share of one that reads two arrays and writes one. Such rows are compared with a kernel
of the same reads and writes that was written by hand (tests/figures/by_hand), too.
"""
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile

from figures import ROOT, parser_of, write_record

# Figure, least share, case.
ROWS = [
    ("F1", 1.00, "linear_combination.dtype=float32,n=268435456"),
    ("F2", 0.98, "linear_combination/in_place.dtype=float32,n=268435456"),
    ("F3", 1.05, "reductions/sum.dtype=float32,n=268435456"),
    ("F3", 1.05, "reductions/max.dtype=float32,n=268435456"),
    ("F3", 1.05, "reductions/dot.dtype=float32,n=268435456"),
    ("F1", 1.03, "array/linear_combination.dtype=float32,n=268435456"),
    ("F2", 1.02, "array/twice.dtype=float32,n=268435456"),
    ("F3", 1.05, "reductions/mean.dtype=float32,n=268435456"),
    ("F4", 0.95, "scan/inclusive.dtype=float32,n=268435456"),
    ("F4", 0.95, "scan/exclusive.dtype=float32,n=268435456"),
]
MORE = [
    ("F1", 1.03, "elementwise/math.function=sqrt,dtype=float32,n=268435456"),
    ("F1", 1.03, "elementwise/math.function=exp,dtype=float32,n=268435456"),
    ("F1", 1.03, "elementwise/math.function=sin,dtype=float32,n=268435456"),
    ("F1", 1.03, "elementwise/frexp.dtype=float32,n=268435456"),
    ("F1", 1.03, "elementwise/ldexp.dtype=float32,n=268435456"),
    ("F1", 1.03, "elementwise/modf.dtype=float32,n=268435456"),
    ("F1", 1.03, "array/where.dtype=float32,n=268435456"),
    ("F1", 1.03, "array/slices.dtype=float32,half=134217728"),
    ("F1", 1.03, "array/broadcast.dtype=float32,rows=16384,columns=16384"),
    ("F2", 1.02, "array/reversed.dtype=float32,n=268435456"),
    ("F3", 1.05, "reductions/min.dtype=float32,n=268435456"),
    ("F3", 1.05, "reductions/any.dtype=float32,where=nowhere,n=268435456"),
    ("F3", 1.05, "reductions/all.dtype=float32,zero=nowhere,n=268435456"),
    ("F3", 1.05, "reductions/argmax.dtype=float32,values=distinct,n=268435456"),
    ("F3", 1.05, "reductions/argmin.dtype=float32,values=distinct,n=268435456"),
    ("F3", 1.05, "reductions/argmax_struct.dtype=float32,n=268435456"),
    ("F3", 1.05, "reductions/minmax_struct.n=268435456"),
    ("F3", 1.05, "reductions/variance.dtype=float32,mean=0,n=268435456"),
    ("F4", 0.95, "scan/running_max.dtype=float32,n=268435456"),
    ("F4", 0.95, "scan/segmented.dtype=int32,every=1000,n=268435456"),
    ("F4", 0.95, "scan/segmented_by_keys.every=1000,n=268435456"),
]
# The kernel by hand that reads and writes in the same proportion as a case.
HAND = os.path.join("tests", "figures", "by_hand")
BY_HAND = {"elementwise/math": "one_to_one.n=268435456", "array/broadcast": "one_to_one.n=268435456",
           "array/reversed": "one_to_one.n=268435456", "elementwise/frexp": "one_to_two.n=268435456",
           "elementwise/modf": "one_to_two.n=268435456", "array/twice": "one_to_one.n=268435456"}
# Sizes that a suite's own `bench` may not have; a suite takes the axes that it has.
AXES = ["n=2**28", "half=2**27", "rows=16384", "columns=16384"]
OPTIONS = ["--device", "gpu", "--cache", "both", "--timeout-s", "120"]


def suite_of(case):
    return case.split(".", maxsplit=1)[0]


def file_of(case):
    if case in BY_HAND.values():
        return os.path.join(HAND, suite_of(case) + ".yaml")
    path = os.path.join("suites", suite_of(case))
    return path + ".yaml" if os.path.exists(os.path.join(ROOT, path + ".yaml")) else path


def measure(arguments, cases):
    """The records of one run of the program."""
    with tempfile.TemporaryDirectory() as folder:
        journal = os.path.join(folder, "bench.jsonl")
        files = sorted({file_of(case) for case in cases})
        named = [word for case in cases for word in ("--case", case)]
        axes = [word for axis in AXES for word in ("-a", axis)
                if any(axis.split("=")[0] + "=" in case for case in cases)]
        command = [arguments.program, "bench", *files, *axes, *named, *OPTIONS, "-q", "--budget-s",
                   arguments.budget_s, "--journal", journal]
        with subprocess.Popen(command, cwd=ROOT, stdout=sys.stderr) as run:
            try:
                result = run.wait(arguments.limit_s)
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGINT)  # which ends the journal in order
                run.wait()
                result = 0
        if result not in (0, 1):
            sys.exit(result)
        with open(journal, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="F1,F2,F3,F4", help="the rows to measure")
    parser.add_argument("--more", action="store_true", help="the other kernels bound by memory")
    parser.add_argument("--budget-s", default="5", help="seconds that the samples of a case may take")
    parser.add_argument("-k", default="", help="only the cases whose id has this word")
    parser.add_argument("--limit-s", type=float, help="end a run after this time; what it has counts")
    arguments = parser.parse_args()
    known = MORE if arguments.more else ROWS
    rows = [row for row in known if row[0] in arguments.only.split(",") and arguments.k in row[2]]
    cases = [row[2] for row in rows]
    cases += sorted({BY_HAND[suite_of(case)] for case in cases if suite_of(case) in BY_HAND})
    device, copies, reads, series = "", [], [], {}
    for _ in range(arguments.runs):
        for record in measure(arguments, cases):
            if record["type"] == "run":
                device = record["device"]["name"]
                ceilings = record["bench"]["ceilings"]
                copies.append(ceilings["copy_bytes_per_s"] / 1e9)
                reads.append(ceilings["read_bytes_per_s"] / 1e9)
            elif record["type"] == "case":
                print("%s: %s in %.0f s" % (record["case"], record["verdict"], record["seconds"]),
                      file=sys.stderr)
                for one in record.get("measurement", {}).get("series", []):
                    series.setdefault((record["case"], one["mode"]), []).append(one)
    print("%s, n = 2^28 float32, %d runs: copy %.0f GB/s (%.0f to %.0f), read %.0f GB/s"
          % (device, arguments.runs, statistics.median(copies), min(copies), max(copies),
             statistics.median(reads)))
    figures = []
    for figure, least, case in rows:
        for cache in ("cold", "hot"):
            if (case, cache) not in series:
                continue
            shares = [one["copy_share"] for one in series[case, cache]]
            median_us = 1e6 * statistics.median(one["median_s"] for one in series[case, cache])
            figures.append({"figure": figure, "suite": suite_of(case), "case": case,
                            "cache": cache, "wanted": least,
                            "share": round(statistics.median(shares), 4),
                            "share_min": round(min(shares), 4), "share_max": round(max(shares), 4),
                            "median_us": round(median_us, 3)})
            by_hand = series.get((BY_HAND.get(suite_of(case)), cache), [])
            said = ""
            if by_hand:
                share = statistics.median(one["copy_share"] for one in by_hand)
                figures[-1]["share_by_hand"] = round(share, 4)
                said = "; by hand %.3f" % share
            print("%s %-28s %-4s %9.2f us  share %.3f (%.3f to %.3f), wanted %.2f%s"
                  % (figure, suite_of(case), cache, median_us, figures[-1]["share"], min(shares),
                     max(shares), least, said))
    write_record(arguments.json, {
        "command": "tests/figures/bench_share.py --runs %d --only %s%s%s --budget-s %s"
        % (arguments.runs, arguments.only, " --more" if arguments.more else "",
           " -k " + arguments.k if arguments.k else "", arguments.budget_s),
        "device": device, "copy_gb_s": round(statistics.median(copies), 1),
        "read_gb_s": round(statistics.median(reads), 1), "figures": figures})


if __name__ == "__main__":
    main()
