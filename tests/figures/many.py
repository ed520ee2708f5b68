#!/usr/bin/env python3
"""Measures the cost of many cases and of many journals.

    many.py [PROGRAM] [--cases N] [--journals N] [--json FILE]

Lists and checks a suite of N tiny cases on the CPU device, and a tenth of it: the peak memory of the
front and of its worker must not grow with the cases. Then reports, compares and exports folders of N
journals of benches, each of eight timed cases as an H200 had them.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

from figures import ROOT, parser_of, this_machine, write_record

SUITE = """warpmark: 1
kernel:
  entry: k
  source: |
    extern "C" __global__ void k(int *out, int n) { out[threadIdx.x] = n + threadIdx.x; }
axes: {n: {python: "list(range(%d))"}}
arguments:
  out: {out: 32, dtype: int32}
  n: {scalar: n, dtype: int32}
launch: {block: 32}
reference: {out: n + np.arange(32)}
"""


def peak_kib(pid):
    try:
        with open("/proc/%d/status" % pid, encoding="utf-8") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1))
    except (OSError, AttributeError):
        return 0


def children_of(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="utf-8") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def run(command, folder, **more):
    """Seconds of the clock and of the processors, and the peak memory in MiB of the process and of
    its children."""
    begin = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    front = worker = 0
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL,
                          env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache")),
                          **more) as process:
        while process.poll() is None:
            front = max(front, peak_kib(process.pid))
            worker = max([worker, *map(peak_kib, children_of(process.pid))])
            time.sleep(0.02)
    if process.returncode != 0:
        sys.exit("%s: exit code %d" % (" ".join(map(str, command)), process.returncode))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": round(time.monotonic() - begin, 2), "cpu_seconds": round(cpu, 2),
            "front_mib": round(front / 1024, 1),
            "worker_mib": round(worker / 1024, 1)}


def cases(program, folder, count):
    pathlib.Path(folder, "many.yaml").write_text(SUITE % count, encoding="utf-8")
    return {"cases": count,
            "list": run([program, "list", "many.yaml"], folder),
            "check": run([program, "check", "many.yaml", "--device", "cpu", "--quiet",
                          "--journal", "many.jsonl"], folder)}


def write_journals(folder, count, of_one_suite):
    """Runs of the same cases on following days, or each of a suite of its own."""
    lines = pathlib.Path(ROOT, "results/h200/bench.jsonl").read_text(encoding="utf-8").splitlines()
    start, *others, end = (json.loads(line) for line in lines)
    timed = [record for record in others if record["type"] == "case"][:8]
    folder.mkdir()
    for number in range(count):
        start["date"] = "%04d-%02d-%02dT00:00:00Z" % (2000 + number // 336, number // 28 % 12 + 1,
                                                      number % 28 + 1)
        start["cases"] = len(timed)
        text = "".join(json.dumps(record) + "\n" for record in (start, *timed, end))
        if not of_one_suite:
            text = re.sub(r'("(?:suite|case)": ")', r"\1s%d/" % number, text)
        (folder / ("%04d.jsonl" % number)).write_text(text, encoding="utf-8")


def journals(program, folder, count):
    folder = pathlib.Path(folder)
    write_journals(folder / "history", count, True)
    for name in ("before", "after"):
        write_journals(folder / name, count, False)
    figures = {"journals": count}
    for layout in ("text", "html"):
        figures["report_" + layout] = run([program, "report", "history", "--format", layout], folder)
    figures["compare"] = run([program, "compare", "before", "after"], folder)
    for name, more in (("export", ()), ("export_samples", ("--samples",))):
        figures[name] = run([program, "export", "history", *more, "-o", name + ".sqlite"], folder)
        figures[name]["file_mib"] = round((folder / (name + ".sqlite")).stat().st_size / 2**20, 1)
    return figures


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--journals", type=int, default=1000)
    options = parser.parse_args()
    record = {**this_machine(), "checked": []}
    with tempfile.TemporaryDirectory(prefix="warpmark-many-") as folder:
        for count in (options.cases // 10, options.cases):
            if count > 0:
                record["checked"].append(cases(options.program, folder, count))
        if options.journals > 0:
            record.update(journals(options.program, folder, options.journals))
    print(json.dumps(record, indent=2))
    write_record(options.json, record)


if __name__ == "__main__":
    main()
