#!/usr/bin/env python3
"""Tunes the generators: variants of their kernels against the device-to-device copy.

    tests/figures/generator_share.py [PROGRAM] [--block 128,256] [--vectors 1,2] [--blocks 264,528]
        [--only sum,dot] [--log2-n 28] [--runs 5] [--samples 20] [--json FILE]

Needs a GPU and CuPy. Takes the plans of the shipped suites at n = 2^28 float32 with each combination
of the tuning that is asked for (`kernel.tune`; without options the generators' own), compiles and
launches their kernels and prints the median time and the share: bytes moved a second over those of
a copy, which is timed between the kernels of each run. Results are compared with CuPy's first. An
array has 1 GiB, so that no cache holds any of it. Asserts no time. `bench_share.py` beside it has
the figures that count, through the program itself.
"""
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import types

import cupy as cp
import numpy as np

from figures import ROOT, parser_of, write_record

SCALE = """warpmark: 1
plugin: elementwise
kernel:
  parameters: float a, float *y
  operation: y[i] *= a
axes:
  n: [1]
arguments:
  a: {scalar: 1}
  y: {inout: rng.random(n)}
reference: {y: a * y}
"""

# Name, figure, suite (a file or a text), arrays moved, and what the result must be.
ROWS = [
    ("linear_combination", "F1", "linear_combination/suite.yaml", 3),
    ("in_place", "F2", "linear_combination/in_place.yaml", 3),
    ("scale", "F2", SCALE, 2),
    ("sum", "F3", "reductions/sum.yaml", 1),
    ("max", "F3", "reductions/max.yaml", 1),
    ("dot", "F3", "reductions/dot.yaml", 2),
]
REDUCTIONS = ("sum", "max", "dot")

# A handwritten kernel for F1, which separates the generator's cost from the hardware's.
BY_HAND = r"""
__global__ void __launch_bounds__(256) by_hand(float a, const float4 *x, float b, const float4 *y,
                                               float4 *z) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  const float4 p = x[i], q = y[i];
  z[i] = make_float4(a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z, a * p.w + b * q.w);
}
"""


def plan_of(program, suite, tune, n):
    """The plan of the suite's float32 case with n elements, under the tuning."""
    text = suite
    if suite.endswith(".yaml"):
        with open(os.path.join(ROOT, "suites", suite), encoding="utf-8") as file:
            text = file.read()
    text = re.sub(r"(?m)^  dtype: \[.*\]$", "  dtype: [float32]", text, count=1)
    text = re.sub(r"(?m)^  n: \[.*\].*$", "  n: [%d]" % n, text, count=1)
    text = re.sub(r"(?ms)^bench:\n(  .*?\n)+", "", text)
    if tune:
        pairs = ", ".join("%s: %d" % pair for pair in tune.items())
        text = text.replace("kernel:\n", "kernel:\n  tune: {%s}\n" % pairs, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tuned.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([program, "plan", path], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def evaluate(size, n):
    """A number of a plan, or its arithmetic."""
    if isinstance(size, int):
        return size
    array = types.SimpleNamespace(size=n)
    names = {"ceil_div": lambda a, b: -(-a // b), "max": max, "min": min, "x": array, "y": array}
    return int(eval(size["arithmetic"], {"__builtins__": {}}, names))  # our own plans


class Kernel:
    """The kernel of a plan, with arrays from `pool` for its arguments."""

    def __init__(self, plan, n, pool):
        (step,), (unit,) = plan["steps"], plan["units"]
        launch = step["launch"]
        self.grid = tuple(evaluate(size, n) for size in launch["grid"])
        self.block = tuple(evaluate(size, n) for size in launch["block"])
        options = ("-std=c++17", *unit["options"])
        module = cp.RawModule(code=unit["source"], options=options,
                              name_expressions=(launch["entry"],))
        self.function = module.get_function(launch["entry"])
        given = {}
        for scalar in plan["scalars"]:
            if "integer" in scalar:
                given[scalar["name"]] = np.int64(evaluate(scalar["integer"], n))
            else:  # small, so that in-place values stay finite over all launches
                given[scalar["name"]] = np.float32(0.5)
        for buffer in plan["buffers"]:
            name = buffer["name"]
            if name.startswith("warpmark_arrived"):
                given[name] = cp.zeros(1, cp.uint32)
            elif name.startswith("warpmark_"):
                given[name] = cp.zeros(evaluate(buffer["shape"][0], n), cp.uint32)
            elif buffer["direction"] == "out" and buffer["shape"] == [1]:
                given[name] = cp.zeros(1, cp.float32)
            else:
                given[name] = pool[name]
        self.given = given
        self.arguments = tuple(given[name] for name in launch["arguments"])

    def __call__(self):
        self.function(self.grid, self.block, self.arguments)

    def attributes(self):
        return {"registers": self.function.num_regs, "grid": self.grid[0], "block": self.block[0]}


def check(name, kernel, pool):
    """Compares one launch with CuPy. Raises AssertionError."""
    x, y = pool["x"], pool["y"]
    if name == "linear_combination":
        kernel()
        cp.testing.assert_allclose(pool["z"], 0.5 * x + 0.5 * y, rtol=1e-6)
    elif name in ("in_place", "scale"):
        before = y.copy()
        kernel()
        wanted = 0.5 * before + (0.5 * x if name == "in_place" else 0)
        cp.testing.assert_allclose(y, wanted, rtol=1e-6)
    else:
        result = next(kernel.given[buffer] for buffer in kernel.given
                      if getattr(kernel.given[buffer], "shape", None) == (1,)
                      and buffer != "warpmark_arrived")
        for _ in range(3):  # the counter must be right after a launch as well
            result.fill(-1)
            kernel()
            if name == "sum":
                wanted, bound = x.sum(dtype=cp.float64), 1e-5
            elif name == "max":
                wanted, bound = x.max(), 0
            else:
                wanted, bound = sum(float((x[k:k + 2**24].astype(cp.float64)
                                           * y[k:k + 2**24]).sum())
                                    for k in range(0, x.size, 2**24)), 1e-5
            assert abs(float(result[0]) - float(wanted)) <= bound * abs(float(wanted)), (
                name, float(result[0]), float(wanted))


def by_hand(n, pool):
    module = cp.RawModule(code=BY_HAND, options=("-std=c++17",), name_expressions=("by_hand",))
    function = module.get_function("by_hand")
    arguments = (np.float32(0.5), pool["x"], np.float32(0.5), pool["y"], pool["z"])
    return lambda: function((n // 1024,), (256,), arguments)


def timed(launch, samples):
    """Milliseconds of each of `samples` launches, queued without a wait between them."""
    launch()
    marks = []
    for _ in range(samples):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        launch()
        end.record()
        marks.append((begin, end))
    cp.cuda.Device().synchronize()
    return [cp.cuda.get_elapsed_time(begin, end) for begin, end in marks]


def numbers(text):
    return [int(part) for part in text.split(",")] if text else [None]


def variants(arguments, name):
    """The tunings that are asked for, as far as the generator of this row has them."""
    lists = {"block": numbers(arguments.block), "vectors": numbers(arguments.vectors),
             "blocks": numbers(arguments.blocks) if name in REDUCTIONS else [None]}
    for values in itertools.product(*lists.values()):
        yield {key: value for key, value in zip(lists, values) if value is not None}


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--block", help="threads of a block, a list")
    parser.add_argument("--vectors", help="vectors in flight, a list")
    parser.add_argument("--blocks", help="most blocks of a reduction, a list")
    parser.add_argument("--only", help="rows, a list: " + ",".join(row[0] for row in ROWS))
    parser.add_argument("--log2-n", type=int, default=28)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--samples", type=int, default=20)
    arguments = parser.parse_args()
    n = 2 ** arguments.log2_n
    generator = cp.random.default_rng(1)
    pool = {name: generator.random(n, dtype=cp.float32) for name in ("x", "y")}
    pool["z"] = cp.zeros(n, cp.float32)
    target = cp.zeros(n, cp.float32)

    def copy():
        cp.cuda.runtime.memcpyAsync(target.data.ptr, pool["x"].data.ptr, 4 * n,
                                    cp.cuda.runtime.memcpyDeviceToDevice,
                                    cp.cuda.get_current_stream().ptr)

    wanted = arguments.only.split(",") if arguments.only else [row[0] for row in ROWS]
    kernels = []
    if "linear_combination" in wanted:
        kernels.append(("by hand", "F1", {}, 3, by_hand(n, pool)))
    for name, figure, suite, moved in ROWS:
        if name not in wanted:
            continue
        for tune in variants(arguments, name):
            try:
                kernel = Kernel(plan_of(arguments.program, suite, tune, n), n, pool)
                check(name, kernel, pool)
            except Exception as error:  # one bad variant must not cost the run
                print("%s %s: %s" % (name, tune, error), file=sys.stderr)
                continue
            kernels.append((name, figure, tune, moved, kernel))

    copies, shares, times = [], {}, {}
    for _ in range(arguments.runs):
        run_copy = []
        for index, (_, _, _, moved, launch) in enumerate(kernels):
            copied = statistics.median(timed(copy, arguments.samples))
            elapsed = statistics.median(timed(launch, arguments.samples))
            run_copy.append(copied)
            times.setdefault(index, []).append(elapsed)
            shares.setdefault(index, []).append(moved / elapsed / (2 / copied))
        copies += run_copy
    properties = cp.cuda.runtime.getDeviceProperties(0)
    copied = statistics.median(copies)
    print("%s, n = 2^%d float32, copy %.1f GB/s (median of %d; %.1f to %.1f)"
          % (properties["name"].decode(), arguments.log2_n, 8 * n / copied / 1e6, len(copies),
             8 * n / max(copies) / 1e6, 8 * n / min(copies) / 1e6))
    figures = []
    for index, (name, figure, tune, moved, launch) in enumerate(kernels):
        share = shares[index]
        facts = launch.attributes() if isinstance(launch, Kernel) else {}
        figures.append({"row": name, "figure": figure, "tune": tune,
                        "median_ms": round(statistics.median(times[index]), 5),
                        "share": round(statistics.median(share), 4),
                        "share_min": round(min(share), 4), "share_max": round(max(share), 4),
                        "runs": len(share), **facts})
        print("%s %-19s %-42s %.4f ms  share %.3f (%.3f to %.3f)  %s"
              % (figure, name, tune or "", figures[-1]["median_ms"], figures[-1]["share"],
                 min(share), max(share), facts or ""))
    # Where the file goes says nothing of how the figures came about.
    options = [word for word in sys.argv[1:] if word not in ("--json", arguments.json)]
    write_record(arguments.json, {
        "command": " ".join(["tests/figures/generator_share.py", *options]),
        "device": properties["name"].decode(), "n": n,
        "copy_gb_s": round(8 * n / copied / 1e6, 1), "figures": figures})


if __name__ == "__main__":
    main()
