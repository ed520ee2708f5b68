"""Kernels of 0 to 500 µs for the scripts that hold our times against those of other programs."""
import json
import os
import subprocess

KERNELS = r"""
extern "C" __global__ void spin(long long cycles, int *done) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  *done = 1;
}

extern "C" __global__ void empty(int *unused) {}

extern "C" __global__ void stream(float *y, const float *x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.5f * x[i];
}
"""
CYCLES = (0, 4000, 10000, 20000, 50000, 200000, 1000000)
SIZES = tuple(2**k for k in (18, 20, 22, 24, 26))
BLOCK = 256

SUITES = {
    "empty.yaml": """warpmark: 1
kernel: {file: kernels.cu, entry: empty}
arguments:
  unused: {inout: "np.zeros(1, dtype=np.int32)"}
launch: {block: 1}
reference: {unused: unused}
""",
    "spin.yaml": """warpmark: 1
kernel: {file: kernels.cu, entry: spin}
axes: {cycles: %s}
arguments:
  limit: {scalar: cycles}
  done: {out: 1}
launch: {block: 1}
reference: {done: "np.ones(1, dtype=np.int32)"}
""" % list(CYCLES),
    "stream.yaml": """warpmark: 1
kernel: {file: kernels.cu, entry: stream}
axes: {n: %s}
arguments:
  y: {out: x.shape}
  x: {in: "np.arange(n) %% 1024"}
  count: {scalar: n}
launch: {block: %d, grid: "ceil_div(n, %d)"}
reference: {y: "np.float32(2.5) * x"}
""" % (list(SIZES), BLOCK, BLOCK),
}


def cases():
    """The ids of the cases, in the order of the suites."""
    return ["empty.default"] + ["spin.cycles=%d" % cycles for cycles in CYCLES] + ["stream.n=%d" % n for n in SIZES]


def write_suites(folder):
    with open(os.path.join(folder, "kernels.cu"), "w", encoding="utf-8") as file:
        file.write(KERNELS)
    for name, text in SUITES.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def bench(program, folder, options):
    """The series that `warpmark bench` measures, by case and mode, and the run's record."""
    journal = os.path.join(folder, "bench.jsonl")
    subprocess.run([program, "bench", folder, "--journal", journal, "--quiet", *options], check=True,
                   stdout=subprocess.DEVNULL)
    run, series = None, {}
    with open(journal, encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["type"] == "run":
                run = record
            elif record["type"] == "case":
                for one in record["measurement"]["series"]:
                    series[record["case"], one["mode"]] = one
    return run, series
