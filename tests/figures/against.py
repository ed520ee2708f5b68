#!/usr/bin/env python3
"""Measures what `bench --against` calls changed: row F11 of the design, for kernels from 2 µs on.

    tests/figures/against.py [PROGRAM] [--runs N] [--device D] [--json FILE]

Times kernels that wait, that stream and that compute against themselves and against more work, by turns, cold and hot
and in graphs. 5 % more work is not 5 % more time where a launch is most of a kernel's time: plain benches of the same cases
say how much longer each point takes, apart from the verdicts, and which of them are about 5 %. Asserts nothing.
"""
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections import Counter

from figures import parser_of, spread, write_record

KERNELS = """extern "C" __global__ void spin(long long cycles, int *done) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  *done = 1;
}

extern "C" __global__ void stream(float *y, const float *x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.5f * x[i];
}

extern "C" __global__ void multiply(float *x, float a, float b, int steps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int step = 0; step < steps; ++step) value = value * a + b;
  x[i] = value;
}
"""
# Times are about those of an H200: 1.5 to 10 µs, and some longer ones.
SUITES = {
    "spin": """axes: {cycles: [2000, 3000, 4000, 6000, 10000, 50000]}
arguments: {limit: {scalar: cycles * PERCENT // 100}, done: {out: 1}}
launch: {block: 1}
reference: {done: "np.ones(1, dtype=np.int32)"}
""",
    "stream": """axes: {n: ["2**16", "2**18", "2**20", "2**22"]}
arguments: {y: {out: x.shape}, x: {in: "np.arange(n * PERCENT // 100) % 1024"}, count: {scalar: n * PERCENT // 100}}
launch: {block: 256, grid: "ceil_div(n * PERCENT // 100, 256)"}
reference: {y: "np.float32(2.5) * x"}
""",
    "multiply": """axes: {steps: [500, 1000, 4000]}
arguments: {x: {inout: "np.arange(2**18) % 1024"}, a: {scalar: 1}, b: {scalar: 0}, count: {scalar: steps * PERCENT // 100}}
launch: {block: 256, grid: "2**10"}
reference: {x: x}
"""}
LIMITS = (2e-6, 5e-6)  # kernels from the first on are a figure
PERCENTS = (105, 108, 112, 120, 140)  # of the work
CHANGES = ((0.02, "under 2 %"), (0.045, "2 to 4.5 %"), (0.07, "4.5 to 7 %"), (float("inf"), "over 7 %"))


def write_suites(folder, percent):
    os.makedirs(folder)
    with open(os.path.join(folder, "kernels.cu"), "w", encoding="utf-8") as out:
        out.write(KERNELS)
    for name, text in SUITES.items():
        with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as out:
            out.write("warpmark: 1\nkernel: {file: kernels.cu, entry: %s}\n%stolerance: exact\n"
                      % (name, text.replace("PERCENT", str(percent))))


def bench(arguments, folder, name, *more):
    """Seconds that a bench of the suites takes, and the points of its comparison or its medians."""
    journal = os.path.join(folder, "run.jsonl")
    start = time.perf_counter()
    done = subprocess.run([arguments.program, "bench", os.path.join(folder, name), "--device", arguments.device, "--cache", "both",
                           "--graph", "--journal", journal, "--quiet", *more], stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout.decode())
    return time.perf_counter() - start, journal


def points_of(arguments, journal, *others):
    done = subprocess.run([arguments.program, "compare", journal, *others, "--json"], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["points"]


def length_of(point):
    seconds = point["baseline"]["median_s"]
    return ["shorter than 2 us", "2 to 5 us", "5 us or longer"][sum(seconds >= limit for limit in LIMITS)]


def name_of(point):
    return point["case"], point["mode"]


class Alone:
    """Medians of plain benches, which say how much longer a point takes with more work."""

    def __init__(self):
        self.seconds = {}

    def add(self, arguments, folder, percent):
        took, journal = bench(arguments, folder, str(percent))
        for point in points_of(arguments, journal, journal):
            self.seconds.setdefault((name_of(point), percent), []).append(point["baseline"]["median_s"])
        return took

    def change(self, point, percent):
        times = [statistics.median(self.seconds[name_of(point), one]) for one in (100, percent)]
        change = times[1] / times[0] - 1
        return next(text for limit, text in CHANGES if change < limit)


def print_tally(tally):
    print("%-14s %-18s %7s %7s %7s %7s %13s" % ("more time", "kernel", "points", "longer", "shorter", "same", "inconclusive"))
    rows = []
    for (what, length), verdicts in sorted(tally.items()):
        counts = [verdicts[word] for word in ("faster", "slower", "same", "inconclusive")]
        print("%-14s %-18s %7d %7d %7d %7d %13d" % (what, length, sum(verdicts.values()), *counts))
        rows.append({"more_time": what, "kernel": length, **dict(zip(("longer", "shorter", "same", "inconclusive"), counts))})
    return rows


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--device", default="gpu")
    arguments = parser.parse_args()
    seconds = {"alone": [], "by turns": []}
    alone, compared = Alone(), []
    with tempfile.TemporaryDirectory() as folder:
        for name, percent in (("again", 100), ("100", 100), *((str(percent), percent) for percent in PERCENTS)):
            write_suites(os.path.join(folder, name), percent)
        for _ in range(arguments.runs):
            for percent in (100, *PERCENTS):
                seconds["alone"].append(alone.add(arguments, folder, percent))
                other = "again" if percent == 100 else str(percent)
                took, journal = bench(arguments, folder, "100", "--against", os.path.join(folder, other))
                seconds["by turns"].append(took)
                compared += [(percent, point) for point in points_of(arguments, journal)]
    tally = {}
    for percent, point in compared:
        change = "none" if percent == 100 else alone.change(point, percent)
        tally.setdefault((change, length_of(point)), Counter())[point["verdict"]] += 1
    rows = print_tally(tally)
    for what, times in seconds.items():
        print("%s: %.1f s a run (%.1f to %.1f)" % (what, *(spread(times, 1)[key] for key in ("median_s", "min_s", "max_s"))))
    write_record(arguments.json, {"command": "tests/figures/against.py --runs %d" % arguments.runs, "verdicts": rows,
                                  "seconds": {what: spread(times, 2) for what, times in seconds.items()}})


if __name__ == "__main__":
    main()
