#!/usr/bin/env python3
"""Measures rows F1 to F4 of the design through `warpmark bench`: shares of the copy rate.

    tests/figures/bench_share.py [PROGRAM] [--runs 5] [--only F1,F2] [--json FILE]

Needs a GPU. Runs `warpmark bench` on the generated kernels at n = 2^28 float32, each time a process
of its own that measures the copy rate itself, and prints for each row the median share of the runs.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

from figures import ROOT, parser_of, write_record

# Figure, least share, suite.
ROWS = [
    ("F1", 1.00, "linear_combination/suite.yaml"),
    ("F2", 0.98, "linear_combination/in_place.yaml"),
    ("F3", 1.05, "reductions/sum.yaml"),
    ("F3", 1.05, "reductions/max.yaml"),
    ("F3", 1.05, "reductions/dot.yaml"),
    ("F1", 1.03, "array/linear_combination.yaml"),
    ("F2", 1.02, "array/twice.yaml"),
    ("F3", 1.05, "reductions/mean.yaml"),
    ("F4", 0.95, "scan/inclusive.yaml"),
    ("F4", 0.95, "scan/exclusive.yaml"),
]
OPTIONS = ["-k", "dtype=float32 and n=268435456", "--device", "gpu", "--cache", "both"]


def measure(program, suites):
    """The records of one run of the program."""
    with tempfile.TemporaryDirectory() as folder:
        journal = os.path.join(folder, "bench.jsonl")
        subprocess.run([program, "bench", *suites, *OPTIONS, "-q", "--journal", journal],
                       cwd=ROOT, check=True, stdout=sys.stderr)
        with open(journal, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="F1,F2,F3,F4", help="the rows to measure")
    arguments = parser.parse_args()
    rows = [row for row in ROWS if row[0] in arguments.only.split(",")]
    suites = [os.path.join("suites", row[2]) for row in rows]
    device, copies, reads, series = "", [], [], {}
    for _ in range(arguments.runs):
        for record in measure(arguments.program, suites):
            if record["type"] == "run":
                device = record["device"]["name"]
                ceilings = record["bench"]["ceilings"]
                copies.append(ceilings["copy_bytes_per_s"] / 1e9)
                reads.append(ceilings["read_bytes_per_s"] / 1e9)
            elif record["type"] == "case":
                for one in record["measurement"]["series"]:
                    series.setdefault((record["suite"], one["mode"]), []).append(one)
    print("%s, n = 2^28 float32, %d runs: copy %.0f GB/s (%.0f to %.0f), read %.0f GB/s"
          % (device, arguments.runs, statistics.median(copies), min(copies), max(copies),
             statistics.median(reads)))
    figures = []
    for figure, least, path in rows:
        suite = path[:-len("/suite.yaml")] if path.endswith("/suite.yaml") else path[:-len(".yaml")]
        for cache in ("cold", "hot"):
            shares = [one["copy_share"] for one in series[suite, cache]]
            median_us = 1e6 * statistics.median(one["median_s"] for one in series[suite, cache])
            figures.append({"figure": figure, "suite": suite, "cache": cache, "wanted": least,
                            "share": round(statistics.median(shares), 4),
                            "share_min": round(min(shares), 4), "share_max": round(max(shares), 4),
                            "median_us": round(median_us, 3)})
            print("%s %-28s %-4s %9.2f us  share %.3f (%.3f to %.3f), wanted %.2f"
                  % (figure, suite, cache, median_us, figures[-1]["share"], min(shares),
                     max(shares), least))
    write_record(arguments.json, {
        "command": "tests/figures/bench_share.py --runs %d --only %s" % (arguments.runs, arguments.only),
        "device": device, "copy_gb_s": round(statistics.median(copies), 1),
        "read_gb_s": round(statistics.median(reads), 1), "figures": figures})


if __name__ == "__main__":
    main()
