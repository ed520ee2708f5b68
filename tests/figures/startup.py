#!/usr/bin/env python3
"""Measures how long the program takes: rows F5 (one suite) and F6 (a list) of the design, a bench.

    tests/figures/startup.py [PROGRAM] [--device D] [--json FILE]

Times whole processes, caches warm, and prints the median of five runs in seconds, smallest and
largest beside it; where CuPy and a GPU are there, a CuPy script that launches the same kernel for the
same sizes and compares with NumPy, in turns with F5, and a process that only makes a context by the
driver and gives it back: no check can be faster. Asserts nothing.
"""
import os
import subprocess
import sys
import tempfile
import time

from figures import ROOT, has_cupy, parser_of, refresh_index, spread, this_machine, write_record

RUNS = 5
PEER = """
import sys
import cupy as cp, numpy as np
kernel = cp.RawKernel(open(sys.argv[1]).read(), "double_array")
rng = np.random.default_rng(1)
for n in (1, 400, 1000003):
    a = rng.standard_normal(n).astype(np.float32)
    on_device = cp.asarray(a)
    kernel(((n + 127) // 128,), (128,), (on_device, np.uint32(n), np.float32(2)))
    if not np.array_equal(on_device.get(), a * np.float32(2)):
        sys.exit("wrong")
"""

DRIVER = """
import ctypes
cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
failed = cuda.cuInit(0) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) or cuda.cuDevicePrimaryCtxRelease_v2(0)
raise SystemExit(failed)
"""


def seconds_of(command, environment):
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout.decode()}")
    return elapsed, done.stdout.decode()


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()
    refresh_index()
    suites = os.path.join(ROOT, "suites")
    suite = os.path.join(suites, "doublify/double_array.yaml")
    rows = [
        ("F5 check of one suite", [arguments.program, "check", suite, "--device", arguments.device]),
        ("CuPy, the same kernel", [sys.executable, "-c", PEER, os.path.join(suites, "doublify/double_array.cu")]),
        ("F6 list of all suites", [arguments.program, "list", suites]),
        ("bench of one point", [arguments.program, "bench", os.path.join(suites, "doublify"),
                                "--case", "doublify.dtype=float32", "--device", arguments.device]),
    ]
    if has_cupy():
        rows.insert(2, ("a context, made and given back", [sys.executable, "-I", "-S", "-c", DRIVER]))
    else:
        del rows[1]
    figures = []
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, WARPMARK_CACHE_DIR=cache)
        texts = [seconds_of(command, environment)[1] for _, command in rows]  # fills the caches
        times = [[] for _ in rows]
        for _ in range(RUNS):
            for of_row, (_, command) in zip(times, rows):
                of_row.append(seconds_of(command, environment)[0])
        for (name, _), text, of_row in zip(rows, texts, times):
            figures.append({"figure": name, **spread(of_row, 4), "first_line": text.split("\n")[0]})
            row = figures[-1]
            print(f"{name}: {row['median_s']:.3f} s ({row['min_s']:.3f} to {row['max_s']:.3f})"
                  f"   {row['first_line']}")
    write_record(arguments.json, {"command": "tests/figures/startup.py", **this_machine(),
                                  "figures": figures})


if __name__ == "__main__":
    main()
