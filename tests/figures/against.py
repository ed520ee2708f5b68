#!/usr/bin/env python3
"""Measures what `bench --against` calls changed: row F11 of the design, for kernels from 2 µs on.

    tests/figures/against.py [PROGRAM] [--runs N] [--device D] [--json FILE]

Times kernels that wait, that stream and that compute against themselves and against 5 % more work, by turns, cold and hot
and in graphs, and plain benches of the same cases for the time that these take. Asserts nothing.
"""
import json
import os
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


def write_suites(folder, percent):
    os.makedirs(folder)
    with open(os.path.join(folder, "kernels.cu"), "w", encoding="utf-8") as out:
        out.write(KERNELS)
    for name, text in SUITES.items():
        with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as out:
            out.write("warpmark: 1\nkernel: {file: kernels.cu, entry: %s}\n%stolerance: exact\n"
                      % (name, text.replace("PERCENT", str(percent))))


def bench(arguments, folder, *more):
    journal = os.path.join(folder, "run.jsonl")
    start = time.perf_counter()
    done = subprocess.run([arguments.program, "bench", os.path.join(folder, "same"), "--device", arguments.device, "--cache", "both",
                           "--graph", "--journal", journal, "--quiet", *more], stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout.decode())
    return time.perf_counter() - start, journal


def points_of(arguments, journal):
    done = subprocess.run([arguments.program, "compare", journal, "--json"], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["points"]


def length_of(point):
    seconds = point["baseline"]["median_s"]
    return ["shorter than 2 us", "2 to 5 us", "5 us or longer"][sum(seconds >= limit for limit in LIMITS)]


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--device", default="gpu")
    arguments = parser.parse_args()
    seconds = {"alone": [], "by turns": []}
    tally = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, percent in (("same", 100), ("again", 100), ("more", 105)):
            write_suites(os.path.join(folder, name), percent)
        for _ in range(arguments.runs):
            seconds["alone"].append(bench(arguments, folder)[0])
            for other in ("again", "more"):
                took, journal = bench(arguments, folder, "--against", os.path.join(folder, other))
                seconds["by turns"].append(took)
                for point in points_of(arguments, journal):
                    key = ("no change" if other == "again" else "5 % less work", length_of(point))
                    tally.setdefault(key, Counter())[point["verdict"]] += 1
    print("%-14s %-18s %7s %7s %7s %7s %13s" % ("compared", "kernel", "points", "slower", "faster", "same", "inconclusive"))
    rows = []
    for (what, length), verdicts in sorted(tally.items()):
        counts = [verdicts[word] for word in ("slower", "faster", "same", "inconclusive")]
        print("%-14s %-18s %7d %7d %7d %7d %13d" % (what, length, sum(verdicts.values()), *counts))
        rows.append({"compared": what, "kernel": length, **verdicts})
    for what, times in seconds.items():
        print("%s: %.1f s a run (%.1f to %.1f)" % (what, *(spread(times, 1)[key] for key in ("median_s", "min_s", "max_s"))))
    write_record(arguments.json, {"command": "tests/figures/against.py --runs %d" % arguments.runs, "verdicts": rows,
                                  "seconds": {what: spread(times, 2) for what, times in seconds.items()}})


if __name__ == "__main__":
    main()
