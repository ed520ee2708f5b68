#!/usr/bin/env python3
"""Compares one thread of the CPU device, without checks, with the same work as native C++ on one thread: row F7.

    tests/figures/native.py [PROGRAM] [--runs N] [--json FILE]

The twelve kernels are the six of F7 and six as HeCBench has them (PROGRAM is build/tests/cpu_programs, which runs both sides in
turn). Native code is compiled with -O3 -march=native -ffast-math. Times are medians of the processor's time. The command fails if
the two sides compute different values.
"""
import json
import math
import os
import statistics
import subprocess
import sys

from figures import ROOT, parser_of, spread, this_machine, write_record

OF_F7 = ("saxpy", "matmul", "histogram", "scan", "stencil", "mandelbrot")


def row_of(one):
    device, native = statistics.median(one["device_s"]), statistics.median(one["native_s"])
    return {"kernel": one["program"], "thread_instructions": one["thread_instructions"],
            "device": spread(one["device_s"], 6), "native": spread(one["native_s"], 6),
            "giga_a_second": round(one["thread_instructions"] / device / 1e9, 3),
            "ns_a_warp_instruction": round(1e9 * device / one["warp_instructions"], 2), "times_native": round(device / native, 2)}


def mean(rows, key):
    return round(math.exp(statistics.fmean(math.log(row[key]) for row in rows)), 2)


def main():
    parser = parser_of(__doc__)
    parser.set_defaults(program=os.path.join(ROOT, "build/tests/cpu_programs"))
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    done = subprocess.run([options.program, "--json", str(options.runs)], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        return 1
    rows = [row_of(json.loads(line)) for line in done.stdout.splitlines()]
    line = "%-16s %8s %10s %10s %10s %8s"
    print(line % ("kernel", "G/s", "ns/warp", "device ms", "native ms", "times"))
    for row in rows:
        print(line % (row["kernel"], "%.2f" % row["giga_a_second"], "%.2f" % row["ns_a_warp_instruction"],
                      "%.3f" % (1e3 * row["device"]["median_s"]), "%.3f" % (1e3 * row["native"]["median_s"]), "%.1f" % row["times_native"]))
    groups = {"six of F7": [row for row in rows if row["kernel"] in OF_F7], "six others": [row for row in rows if row["kernel"] not in OF_F7], "all": rows}
    means = {name: {key: mean(group, key) for key in ("giga_a_second", "ns_a_warp_instruction", "times_native")} for name, group in groups.items()}
    for name, of in means.items():
        print("geometric mean, %s: %.2f G thread-instructions/s, %.2f ns a warp instruction, native is %.1f times as fast" % (
            name, of["giga_a_second"], of["ns_a_warp_instruction"], of["times_native"]))
    write_record(options.json, {"command": "tests/figures/native.py", **this_machine(), "kernels": rows, "geometric_means": means})
    return 0


if __name__ == "__main__":
    sys.exit(main())
