#!/usr/bin/env python3
"""Measures how long one benchmark of 2^28 elements takes, from its start to the verdict: row F15.

    tests/figures/large_case.py [PROGRAM] [--device D] [--elements N] [--runs N] [--json FILE]

Times whole processes in turns with a CuPy script that does and checks the same with NumPy (where
CuPy and a GPU are there): it draws the inputs, compiles, launches, times ten launches, fetches, and
compares with the reference and the suite's tolerance. Prints medians. Asserts nothing.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

from figures import ROOT, has_cupy, parser_of, refresh_index, spread, this_machine, write_record

CASES = {"linear_combination": "linear_combination/suite.yaml", "reductions/sum": "reductions/sum.yaml",
         "reductions/dot": "reductions/dot.yaml"}

PEER = r"""
import sys
import cupy as cp, numpy as np
name, n = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(1)
draw = rng.random if name == "linear_combination" else rng.standard_normal
x = draw(n).astype(np.float32)
y = None if name == "reductions/sum" else draw(n).astype(np.float32)
dx, dy = cp.asarray(x), None if y is None else cp.asarray(y)
if name == "linear_combination":
    kernel = cp.ElementwiseKernel("float32 a, float32 x, float32 b, float32 y", "float32 z",
                                  "z = a*x + b*y", "linear_combination")
    out = cp.empty(n, np.float32)
    launch = lambda: kernel(np.float32(5), dx, np.float32(6), dy, out)
elif name == "reductions/sum":
    launch = lambda: cp.sum(dx)
else:
    launch = lambda: cp.dot(dx, dy)
result = launch().get()
stream, times = cp.cuda.get_current_stream(), []
for _ in range(10):
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    begin.record(); launch(); end.record(); end.synchronize()
    times.append(cp.cuda.get_elapsed_time(begin, end))
if name == "linear_combination":
    expected = np.float32(5) * x + np.float32(6) * y
    bound = np.spacing(np.abs(expected))
else:
    terms = x.astype(np.float64) if y is None else np.multiply(x, y, dtype=np.float64)
    expected = np.sum(terms)
    bound = np.finfo(np.float32).eps / 2 * ((33 + n / 2**20) * np.sum(np.abs(terms)) + np.abs(expected))
right = bool(np.all(np.abs(result - expected) <= bound))
sys.exit(0 if right and min(times) > 0 else "wrong")
"""


def seconds_of(command, environment):
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout.decode()}")
    return elapsed


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--elements", type=int, default=2 ** 28)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("-k", default="", help="only cases whose names hold this text")
    arguments = parser.parse_args()
    refresh_index()
    cupy, figures = has_cupy(), []
    with tempfile.TemporaryDirectory() as folder:
        peer = os.path.join(folder, "peer.py")
        with open(peer, "w", encoding="utf-8") as text:
            text.write(PEER)
        environment = dict(os.environ, WARPMARK_CACHE_DIR=os.path.join(folder, "cache"))
        for name, suite in CASES.items():
            if arguments.k not in name:
                continue
            case = f"{name}.dtype=float32,n={arguments.elements}"
            suite = os.path.join(ROOT, "suites", suite)

            def commands(elements):
                all_of = {command: [arguments.program, command, suite, "-a", "dtype=float32", "-a", f"n={elements}",
                                    "--device", arguments.device] for command in ("bench", "check")}
                if cupy:
                    all_of["cupy"] = [sys.executable, peer, name, str(elements)]
                return all_of

            for command in commands(1024).values():  # fills the caches of compilers
                seconds_of(command, environment)
            times = {}
            for _ in range(arguments.runs):
                for key, command in commands(arguments.elements).items():
                    times.setdefault(key, []).append(seconds_of(command, environment))
            figures.append({"case": case, **{key: spread(all_of, 3) for key, all_of in times.items()}})
            medians = {key: statistics.median(all_of) for key, all_of in times.items()}
            ratio = f", {medians['bench'] / medians['cupy']:.2f} of CuPy's" if cupy else ""
            print(f"{case}: " + ", ".join(f"{key} {value:.2f} s" for key, value in medians.items()) + ratio)
    write_record(arguments.json, {"command": "tests/figures/large_case.py", **this_machine(),
                                  "figures": figures})


if __name__ == "__main__":
    main()
