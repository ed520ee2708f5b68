#!/usr/bin/env python3
"""Holds our scan against those of others: the running sum of 2^28 numbers, beside a copy.

    tests/figures/scan_libraries.py [PROGRAM] [--runs 12] [--json FILE]

Needs a GPU and CuPy. Times CUB's DeviceScan, as CuPy calls it and, where there is an nvcc, as a
program calls it; PyTorch's cumsum, where there is a PyTorch; and ours through `warpmark bench`.
Prints the median of each and its share: bytes moved a second over those of a device-to-device copy
in the same run.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

os.environ["CUPY_ACCELERATORS"] = "cub"

import cupy as cp  # noqa: E402
from cupy.cuda import cub  # noqa: E402

from figures import ROOT, parser_of, write_record  # noqa: E402

N = 2**28
TYPES = ("float32", "float64")

PROGRAM = """
#include <cub/cub.cuh>
#include <cstdio>
template <class T> void run(const char *name, size_t n) {
  T *x, *y;
  void *scratch = nullptr;
  size_t bytes = 0;
  cudaMalloc(&x, n * sizeof(T));
  cudaMalloc(&y, n * sizeof(T));
  cudaMemset(x, 0, n * sizeof(T));
  cub::DeviceScan::InclusiveSum(scratch, bytes, x, y, n);
  cudaMalloc(&scratch, bytes);
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  for (int i = 0; i < 12; ++i) {
    float ms;
    cudaEventRecord(start);
    cub::DeviceScan::InclusiveSum(scratch, bytes, x, y, n);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, start, end);
    std::printf("%s %.6f\\n", name, ms);
  }
  cudaFree(x);
  cudaFree(y);
  cudaFree(scratch);
}
int main() {
  run<float>("float32", WARPMARK_COUNT);
  run<double>("float64", WARPMARK_COUNT);
}
"""


def median_ms(launch, runs):
    """The median time of the call, by events, after one that warms up."""
    launch()
    times = []
    for _ in range(runs):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        launch()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, end))
    return statistics.median(times)


def cub_program(figures):
    """Adds the times of CUB as nvcc compiles it."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "scan.cu"), os.path.join(folder, "scan")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        capability = cp.cuda.Device().compute_capability
        subprocess.run([nvcc, "-O3", "-std=c++17", "-arch=sm_" + capability, "-DWARPMARK_COUNT=%d" % N, "-o", program, source],
                       check=True)
        done = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True)
        for dtype in TYPES:
            times = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith(dtype)]
            figures.append(("CUB DeviceScan", dtype, statistics.median(times)))


def torch_scan(figures, runs):
    """Adds the times of PyTorch, where it is there."""
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    for dtype in TYPES:
        x = torch.rand(N, device="cuda", dtype=getattr(torch, dtype))
        y = torch.empty_like(x)
        stream = cp.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
        with stream:
            figures.append(("PyTorch cumsum", dtype, median_ms(lambda: torch.cumsum(x, 0, out=y), runs)))
        del x, y
        torch.cuda.empty_cache()


def ours(program, figures):
    """Adds the time of `warpmark bench`, of float32 alone: a reference of 2^28 long doubles takes minutes."""
    with tempfile.TemporaryDirectory() as folder:
        journal = os.path.join(folder, "bench.jsonl")
        subprocess.run([program, "bench", "suites/scan/inclusive.yaml", "-k", "dtype=float32 and n=%d" % N, "--device", "gpu", "-q",
                        "--journal", journal], cwd=ROOT, check=True, stdout=sys.stderr)
        with open(journal, encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                if record["type"] == "case":
                    figures.append(("warpmark scan", "float32", 1e3 * record["measurement"]["series"][0]["median_s"]))


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=12)
    arguments = parser.parse_args()
    copies, figures = {}, []
    for dtype in TYPES:
        x = cp.zeros(N, dtype)
        y = cp.empty_like(x)
        copies[dtype] = median_ms(lambda: cp.cuda.runtime.memcpy(y.data.ptr, x.data.ptr, x.nbytes, 3), arguments.runs)
        figures.append(("CuPy cumsum (CUB, in place)", dtype,
                        median_ms(lambda: cub.device_scan(x, cub.CUPY_CUB_CUMSUM), arguments.runs)))
        del x, y
        cp.get_default_memory_pool().free_all_blocks()
    torch_scan(figures, arguments.runs)
    cub_program(figures)
    ours(arguments.program, figures)
    device = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print("%s, 2^28 numbers" % device)
    for name, dtype, time_ms in figures:
        print("%-28s %-8s %8.3f ms  share %.3f" % (name, dtype, time_ms, copies[dtype] / time_ms))
    write_record(arguments.json, {
        "command": "tests/figures/scan_libraries.py", "device": device, "copy_ms": copies,
        "figures": [{"name": name, "dtype": dtype, "median_ms": time_ms, "share": round(copies[dtype] / time_ms, 4)}
                    for name, dtype, time_ms in figures]})


if __name__ == "__main__":
    main()
