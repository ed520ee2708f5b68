#!/usr/bin/env python3
"""Measures the same kernels by `warpmark bench` and by NVBench: medians, intervals, wall time.

    tests/figures/against_nvbench.py [PROGRAM] [--json FILE] [--python PYTHON] [--runs 1]

Needs a GPU, and a Python (--python; this one if it is not given) with CuPy. NVBench is the wheel
cuda-bench; where it is missing it is installed into a temporary folder, if the network allows. Both
measure with a cold cache, as their defaults say. NVBench's interval is that of the samples of one
process; with --runs 2 or more it comes from the medians of so many processes, as ours does. Exit status 77: NVBench cannot be had.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import timed_kernels
from figures import parser_of, write_record

WHEEL = "cuda-bench==0.3.0"


def nvbench_main(arguments):
    """In a process of its own: registers the kernels and gives NVBench the command line."""
    import cuda.bench
    import cupy

    module = cupy.RawModule(code=timed_kernels.KERNELS)
    spin, stream = module.get_function("spin"), module.get_function("stream")

    def launch_with(kernel, grid, block, values):
        def launcher(launch):
            with cupy.cuda.ExternalStream(launch.get_stream().addressof()):
                kernel(grid, block, values)
        return launcher

    def time_spin(state):
        done = cupy.zeros(1, dtype=cupy.int32)
        cycles = cupy.int64(state.get_int64("cycles"))
        state.exec(launch_with(spin, (1,), (1,), (cycles, done)), batched=False)

    def time_stream(state):
        n = state.get_int64("n")
        x, y = cupy.arange(n, dtype=cupy.float32), cupy.empty(n, dtype=cupy.float32)
        grid = ((n + timed_kernels.BLOCK - 1) // timed_kernels.BLOCK,)
        state.exec(launch_with(stream, grid, (timed_kernels.BLOCK,), (y, x, cupy.uint32(n))),
                   batched=False)

    cuda.bench.register(time_spin).set_name("spin").add_int64_axis("cycles", timed_kernels.CYCLES)
    cuda.bench.register(time_stream).set_name("stream").add_int64_axis("n", timed_kernels.SIZES)
    cuda.bench.run_all_benchmarks(["nvbench", *arguments])


def summaries_of(state):
    """The numbers of a state, by tag without its prefix: nv/cold/time/gpu/median, say."""
    numbers = {}
    for summary in state["summaries"] or []:
        for value in summary["data"]:
            if value["name"] == "value":
                numbers[summary["tag"].removeprefix("nv/cold/")] = float(value["value"])
    return numbers


def nvbench_environment(python, folder):
    """The environment in which the Python has CuPy and NVBench."""
    environment = dict(os.environ)
    check = [python, "-c", "import cuda.bench, cupy"]
    if subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        packages = os.path.join(folder, "packages")
        install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", packages, WHEEL]
        subprocess.run(install, check=False)
        # Beside other packages of the namespace `cuda`.
        environment["PYTHONPATH"] = os.pathsep.join([packages, environment.get("PYTHONPATH", "")])
        if subprocess.run(check, env=environment, check=False).returncode != 0:
            print("cuda-bench and CuPy cannot be had", file=sys.stderr)
            sys.exit(77)
    return environment


def measure_nvbench(python, environment, folder):
    """Medians and half widths (shares) by case, and the wall time in seconds."""
    result = os.path.join(folder, "nvbench.json")
    start = time.monotonic()
    subprocess.run([python, "-W", "ignore", os.path.abspath(__file__), "--nvbench", "--json", result,
                    "--quiet"], check=True, env=environment, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    figures = {}
    with open(result, encoding="utf-8") as file:
        benchmarks = json.load(file)["benchmarks"]
    for benchmark in benchmarks:
        for state in benchmark["states"]:
            (axis,) = state["axis_values"]
            numbers = summaries_of(state)
            deviation, samples = numbers["time/gpu/stdev/relative"], numbers["sample_size"]
            figures["%s.%s=%s" % (benchmark["name"], axis["name"], axis["value"])] = (
                numbers.get("time/gpu/median", numbers["time/gpu/mean"]),
                1.96 * deviation / samples**0.5)
    return figures, seconds


def of_several(runs):
    """Means of the runs' medians, with half widths by Student's t over the runs."""
    quantiles = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}  # two-sided 95 %, of runs - 1
    figures = {}
    for case in runs[0]:
        medians = [run[case][0] for run in runs]
        mean = statistics.mean(medians)
        error = statistics.stdev(medians) / len(medians)**0.5
        figures[case] = (mean, quantiles[len(medians)] * error / mean)
    return figures


def main():
    if sys.argv[1:2] == ["--nvbench"]:
        nvbench_main(sys.argv[2:])
        return
    parser = parser_of(__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--runs", type=int, default=1, choices=range(1, 6))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        timed_kernels.write_suites(folder)
        environment = nvbench_environment(arguments.python, folder)
        runs = [measure_nvbench(arguments.python, environment, folder) for _ in range(arguments.runs)]
        their_seconds = statistics.median(seconds for _, seconds in runs)
        theirs = runs[0][0] if len(runs) == 1 else of_several([one for one, _ in runs])
        options = ["--device", "gpu", "--cache", "cold"]
        timed_kernels.bench(arguments.program, folder, options)  # compiles
        start = time.monotonic()
        run, ours = timed_kernels.bench(arguments.program, folder, options)
        our_seconds = time.monotonic() - start
    print("%s, cold; wall time: %.1f s, NVBench %.1f s, a share of %.2f"
          % (run["device"]["name"], our_seconds, their_seconds, our_seconds / their_seconds))
    print("%-20s %10s %8s %12s %8s %8s %16s"
          % ("case", "µs", "±", "NVBench µs", "±", "ratio", "with events µs"))
    figures = []
    for case in theirs:
        one, (median, half) = ours[case, "cold"], theirs[case]
        own_half = (one["high_s"] - one["low_s"]) / 2 / one["median_s"]
        # NVBench's times include what its events take, as ours did before it was taken off.
        overhead = sum(process["overhead_s"] for process in one["processes"]) / len(one["processes"])
        figures.append({"case": case, "median_s": one["median_s"], "half_width": own_half,
                        "overhead_s": overhead, "nvbench_median_s": median,
                        "nvbench_half_width": half})
        print("%-20s %10.3f %7.2f%% %12.3f %7.2f%% %8.3f %16.3f"
              % (case, 1e6 * one["median_s"], 100 * own_half, 1e6 * median, 100 * half,
                 one["median_s"] / median, 1e6 * (one["median_s"] + overhead)))
    write_record(arguments.json, {"device": run["device"]["name"], "seconds": our_seconds,
                                  "nvbench_seconds": their_seconds, "cases": figures})


main()
