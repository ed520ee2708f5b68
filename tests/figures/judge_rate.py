#!/usr/bin/env python3
"""How many candidates `warpmark judge --stream` judges in a second, and what it holds over many.

    tests/figures/judge_rate.py [PROGRAM] [--count 200] [--jobs 2] [--crashes 0] [--json RECORD]

The task is a suite of three small cases. Of ten candidates six are right, one is wrong, two go out of bounds, and one does
not compile; each has a text of its own. Some are bombs for the compiler, which end its process. The processor time of a candidate says
more than the rate where the machine does other work. The command fails if a verdict is not the one that the candidate must get, or if
memory, processes, open descriptors or temporary files grow from the second tenth to the last by more than a tenth.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time

import figures

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SUITE = """warpmark: 1
kernel: {file: scale.cu, entry: scale}
axes: {n: [1, 255, 1000]}
arguments:
  y: {out: n, dtype: float32}
  x: {in: rng.standard_normal(n), dtype: float32}
  n: {scalar: n, dtype: int32}
launch: {block: 64, grid: "ceil_div(n, 64)"}
reference: {y: 2 * x}
"""
KERNEL = """extern "C" __global__ void scale(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
"""
BOMB = "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(x))))\n__device__ int f() { return 0 B(B(+ 1)); }\n"


def candidates(count, crashes, seed):
    """Texts with the verdicts that they must get."""
    chosen = random.Random(seed)
    kinds = [("right", KERNEL)] * 6 + [
        ("wrong", KERNEL.replace("2 *", "3 *")), ("unclean", KERNEL.replace("i < n", "i <= n")),
        ("not compiled", KERNEL.replace("2 *", "two *")), ("unclean", KERNEL.replace("x[i]", "x[i + 1]"))]
    for number in range(count):
        verdict, text = ("not compiled", KERNEL + BOMB) if chosen.random() < crashes else kinds[number % len(kinds)]
        yield verdict, "// candidate %d\n%s" % (number, text)


def family(root):
    """The process and all that it started."""
    parents = {}
    for one in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(one.name)] = int((one / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has just ended
    found = {root}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def held(root, folder, first):
    """The processes of a stream and what they hold: MiB of memory, those of processes that were there at first, processes,
    open descriptors, temporary files."""
    kib = own = processes = descriptors = 0
    for one in family(root):
        try:
            descriptors += len(list(pathlib.Path("/proc/%d/fd" % one).iterdir()))
            lines = pathlib.Path("/proc/%d/smaps_rollup" % one).read_text().splitlines()
            pss = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            kib += pss
            own += pss if one in first else 0
            processes += 1
        except OSError:
            continue  # it has just ended, or is behind its walls by now
    return {"mib": kib >> 10, "lasting_mib": own >> 10, "processes": processes, "descriptors": descriptors, "files": sum(1 for _ in folder.rglob("*"))}


def has_grown(rows):
    """The names of what the last rows have more of than the second and third, by more than a tenth and what chance makes.
    Other processes than those come and go with candidates, and a compiler bomb may take half a GiB."""
    if len(rows) < 4:
        return []
    chance = {"mib": 512, "lasting_mib": 0, "processes": 4, "descriptors": 60, "files": 4}
    return [name for name in chance if max(one[name] for one in rows[-2:]) > 1.1 * max(one[name] for one in rows[1:3]) + chance[name]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/bin/warpmark"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--crashes", type=float, default=0, help="the share of candidates that end their compiler")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, help="write the record there")
    options = parser.parse_args()
    folder = tempfile.TemporaryDirectory(prefix="warpmark-judge-rate-")
    suite = pathlib.Path(folder.name, "scale.yaml")
    suite.write_text(SUITE)
    suite.with_suffix(".cu").write_text(KERNEL)
    temporary = pathlib.Path(folder.name, "tmp")
    temporary.mkdir()
    wanted = list(candidates(options.count, options.crashes, options.seed))
    process = subprocess.Popen([options.program, "judge", str(suite), "--stream", "-q", "-j", str(options.jobs), "--device", "cpu"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "TMPDIR": str(temporary)})

    def send():
        for number, (_, text) in enumerate(wanted):
            process.stdin.write(json.dumps({"id": number, "text": text}) + "\n")
        process.stdin.close()

    threading.Thread(target=send, daemon=True).start()
    start, first, memory, others, at_first = time.monotonic(), None, [], {}, set()
    done = -1
    for done, line in enumerate(process.stdout):
        first = first or time.monotonic()
        answer = json.loads(line)
        verdict = answer["judgement"]["verdict"]
        if verdict != wanted[answer["id"]][0]:
            others.setdefault((wanted[answer["id"]][0], verdict), answer["id"])
        if done % max(options.count // 10, 1) == 0:
            at_first = at_first or family(process.pid)
            memory.append(held(process.pid, temporary, at_first))
    seconds = time.monotonic() - first
    process.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    each = 1000 * (used.ru_utime + used.ru_stime) / options.count
    print("%d candidates, %d at a time, seed %d: %.1f s to the first verdict, then %.1f a second" % (
        options.count, options.jobs, options.seed, first - start, (options.count - 1) / seconds))
    print("%.0f ms of processor time for each" % each)
    for name in memory[0]:
        print("%s at each tenth: %s" % (name, " ".join("%d" % one[name] for one in memory)))
    for (must, verdict), number in others.items():
        print("candidate %d must be %s, and is %s" % (number, must, verdict))
    grown = has_grown(memory)
    if grown:
        print("grown: %s" % ", ".join(grown))
    command = "tests/figures/judge_rate.py --count %d" % options.count + (" --crashes %g" % options.crashes if options.crashes else "")
    figures.write_record(options.json, {"command": command, "candidates": options.count, "crashes": options.crashes, "jobs": options.jobs,
                                        "a_second": round((options.count - 1) / seconds, 2), "processor_ms": round(each), "wrong": len(others), "tenths": memory})
    sys.exit(1 if others or grown or done + 1 != options.count else 0)


if __name__ == "__main__":
    main()
