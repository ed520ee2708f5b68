#!/usr/bin/env python3
"""Prints where the time of the build and of the tests goes: the dearest targets and tests, split by what they do.

    tests/figures/test_time.py [BUILD] [--targets N] [--tests N] [-R REGEX] [--json FILE]
    tests/figures/test_time.py [BUILD] --keep-costs    writes the last run's costs to tests/costs.txt
    tests/figures/test_time.py --page FILE [--check]   writes the page of what results/cpu has, before and after

Targets are those of the last build, by Ninja's log. Tests are the dearest of the last ctest, by its
costs; -R takes those whose names match instead. Each runs again, alone, under `perf record` (Debian:
linux-perf), which samples every process that it starts. A sample belongs to the library that the
thread was in, also while the kernel worked for it:

  start    the kernel's exec, fork and exit, and the dynamic linker
  NVRTC    NVRTC, ptxas
  import   Python until it has loaded its last library: above all `import numpy`
  Python   the rest of Python, and of what is written in it
  NumPy    NumPy's and SciPy's libraries
  device   the CPU device
  compiler a C++ compiler, its linker, CMake
  program  everything else: Warpmark, test programs, tools
  wait     time of the clock in which no process of the test ran

Seconds are of one core, so that a row is longer than its clock where two processes ran at once. A
container may forbid perf: /proc/sys/kernel/perf_event_paranoid must be 2 or less, or the user root.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from compile_time import times_of
from figures import ROOT, add_json, write_record

COSTS = os.path.join(ROOT, "tests/costs.txt")
RATE = 499  # samples a second and process, and no multiple of what timers use
KINDS = ("start", "NVRTC", "import", "Python", "NumPy", "device", "compiler", "program", "wait")
# Kernel functions under which a process begins or ends.
START_CALLS = {"do_execveat_common.isra.0", "bprm_execve", "kernel_clone", "do_exit", "do_group_exit", "exit_mmap",
               "ret_from_fork"}
COMPILERS = re.compile(r"^(cc1plus|cc1|c\+\+|g\+\+.*|gcc.*|clang.*|as|ld|collect2|cmake|ninja|nvcc|cicc|cudafe.*)$")
PYTHON_LIBRARY = re.compile(r"/libpython3|/python3[.\d]*$|/lib-dynload/|/site-packages/|/dist-packages/")
EVENT = re.compile(r"^\s*(?P<comm>.+?)\s+(?P<pid>-?\d+)/(?P<tid>\d+)\s+(?P<time>[\d.]+):\s+(?P<what>[^\s:]+):?\s*(?P<rest>.*)$")
FRAME = re.compile(r"^\s+(?P<address>[0-9a-f]+) (?P<symbol>.*) \((?P<library>.*)\)$")


def targets_of(build, count):
    """Seconds for each target of the last build, dearest first: (seconds, commands, name)."""
    rows = collections.defaultdict(lambda: [0.0, 0])
    for output, spent in times_of(build).items():
        found = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
        name = found.group(1) if found else os.path.basename(output)
        row = rows[re.sub(r"\.(a|so)$", "", re.sub(r"^lib(?=.*\.(a|so)$)", "", name))]
        row[0] += spent
        row[1] += 1
    return sorted(((round(spent, 1), commands, name) for name, (spent, commands) in rows.items()), reverse=True)[:count]


def costs_of(build):
    """The seconds that each test took in the last run of ctest."""
    path = os.path.join(build, "Testing/Temporary/CTestCostData.txt")
    if not os.path.exists(path):
        sys.exit(f"{path} is missing: run ctest first")
    costs = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = line.split()
            if len(fields) != 3:
                break  # a line `---`, and then the tests that failed
            costs[fields[0]] = float(fields[2])
    return costs


def keep_costs(build):
    """Writes what each test took in the last run, in the form of ctest's own file, for fresh clones."""
    with open(COSTS, "w", encoding="utf-8") as file:
        for name, seconds in sorted(costs_of(build).items()):
            if seconds >= 0.5:  # the order of the others does not matter
                file.write(f"{name} 0 {seconds:.1f}\n")  # of no run: the next one is no mean of both
        file.write("---\n")


class Process:
    """The state of a process while its events go by."""

    def __init__(self):
        self.python = []  # its samples since Python began, not yet known to be imports
        self.command = ""


class Profile:
    """Reads the events of `perf script`, and adds up seconds for each of KINDS."""

    def __init__(self):
        self.seconds = dict.fromkeys(KINDS, 0.0)
        self.starts = collections.Counter()
        self.times = []
        self.first = self.last = None
        self.processes = collections.defaultdict(Process)

    def read(self, lines):
        event, frames = None, []
        for line in lines:
            frame = FRAME.match(line)
            if frame and event:
                frames.append((frame["symbol"], frame["library"]))
                continue
            self.add(event, frames)
            event, frames = EVENT.match(line), []
        self.add(event, frames)
        for process in self.processes.values():
            self.seconds["Python"] += len(process.python) / RATE
        busy = len({int(time * 200) for time in self.times}) / 200
        self.seconds["wait"] = max(0.0, (self.last or 0) - (self.first or 0) - busy)

    def add(self, event, frames):
        if not event:
            return
        time, process = float(event["time"]), self.processes[event["pid"]]
        if event["what"] == "cpu-clock":
            self.first = time if self.first is None else self.first
            self.last = time
            self.times.append(time)
            kind = self.kind_of(event["comm"], frames)
            if kind == "Python":
                process.python.append(time)
            else:
                self.seconds[kind] += 1 / RATE
        elif event["what"] == "PERF_RECORD_COMM" and event["rest"].startswith("exec"):
            self.starts[event["comm"]] += 1
            self.seconds["Python"] += len(process.python) / RATE
            process.python = []
        elif event["what"] == "PERF_RECORD_MMAP2" and PYTHON_LIBRARY.search(event["rest"]):
            self.seconds["import"] += len(process.python) / RATE
            process.python = []

    @staticmethod
    def kind_of(command, frames):
        library = next((library for _, library in frames if "kernel" not in library), "")
        if any(symbol in START_CALLS for symbol, place in frames if "kernel" in place) or "/ld-linux" in library:
            return "start"
        if COMPILERS.match(command):
            return "compiler"
        if re.search(r"libnvrtc|libnvJitLink|libnvptxcompiler", library) or command == "ptxas":
            return "NVRTC"
        if "libwarpmark_cpu" in library:
            return "device"
        if re.search(r"/numpy|/scipy|openblas", library):
            return "NumPy"
        if PYTHON_LIBRARY.search(library) or (command.startswith("python") and "warpmark" not in library):
            return "Python"
        return "program"


def profile_of(build, test):
    """(seconds of the clock, Profile) of one test."""
    with tempfile.TemporaryDirectory(prefix="warpmark-perf-") as folder:
        data = os.path.join(folder, "data")
        done = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE), "-g", "-o", data, "--",
                               "ctest", "-R", "^%s$" % re.escape(test)],
                              cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        found = re.search(r"(Passed|Failed|Skipped) +([\d.]+) sec", done.stdout)
        if not found:
            sys.exit(f"{test} did not run under perf:\n{done.stdout}")
        if found.group(1) == "Failed":
            print(f"{test} failed under perf, and counts all the same", file=sys.stderr)
        profile = Profile()
        with subprocess.Popen(["perf", "script", "-i", data, "--show-task-events", "--show-mmap-events",
                               "-F", "comm,pid,tid,time,event,ip,sym,dso"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace") as script:
            profile.read(script.stdout)
    return float(found.group(2)), profile


def recorded(name):
    """A record of results/cpu."""
    with open(os.path.join(ROOT, "results/cpu", name), encoding="utf-8") as file:
        return json.load(file)


def page_text():
    """docs/results/test-run.md."""
    wholes = [recorded("bootstrap_test_%s.json" % side)["bootstrap_test"] for side in ("before", "after")]
    lines = ["# A run of all tests", "",
             "    python3 tests/figures/build.py --test --json results/cpu/bootstrap_test_after.json",
             "    python3 tests/figures/test_time.py --json results/cpu/test_time_after.json",
             "    python3 tests/figures/test_time.py --page docs/results/test-run.md", "",
             "`./bootstrap test` as CI runs it, in a clean clone on two idle cores, before and after November 2026. The parts of a test",
             "are explained in `tests/figures/test_time.py`; seconds are of one core.", "",
             "| what | before | after |", "|---|---|---|"]
    for what, key in (("`./bootstrap test`", "clock_s"), ("the build", "build_clock_s"), ("the tests", "test_clock_s")):
        lines.append("| %s | %s |" % (what, " | ".join("%.1f min" % (whole[key] / 60) for whole in wholes)))
    lines.append("| tests | %s |" % " | ".join("%d" % whole["tests"] for whole in wholes))
    after = recorded("test_time_after.json")
    lines += ["", "| dearest targets of the build | commands | seconds |", "|---|---|---|"]
    lines += ["| `%(target)s` | %(commands)d | %(seconds).0f |" % target for target in after["targets"][:5]]
    lines += ["", "| dearest tests | clock | %s |" % " | ".join(KINDS), "|---" * (2 + len(KINDS)) + "|"]
    lines += ["| `%s` | %.0f | %s |" % (test["test"], test["clock_s"], " | ".join(
        "%.0f" % test["seconds"][kind] for kind in KINDS)) for test in sorted(after["tests"], key=lambda one: -one["clock_s"])[:6]]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    parser.add_argument("--targets", type=int, default=10, help="the dearest targets to print")
    parser.add_argument("--tests", type=int, default=20, help="the dearest tests to run and print")
    parser.add_argument("-R", dest="regex", help="run the tests whose names match instead")
    parser.add_argument("--keep-costs", action="store_true", help="write tests/costs.txt, and run nothing")
    parser.add_argument("--page", metavar="FILE", help="write that page, and run nothing")
    parser.add_argument("--check", action="store_true", help="compare the page instead")
    add_json(parser)
    options = parser.parse_args()
    if options.page:
        with open(options.page, "r" if options.check else "w", encoding="utf-8") as file:
            if not options.check:
                file.write(page_text())
            elif file.read() != page_text():
                sys.exit(f"{options.page} is not what results/cpu says: write it with --page")
        return
    if options.keep_costs:
        keep_costs(options.build)
        return
    record = {"command": "tests/figures/test_time.py", "cores": os.cpu_count(), "targets": [], "tests": []}
    print("seconds commands  target")
    for spent, commands, name in targets_of(options.build, options.targets):
        record["targets"].append({"target": name, "commands": commands, "seconds": spent})
        print(f"{spent:7.1f} {commands:8}  {name}")
    costs = costs_of(options.build)
    record["test_s"] = round(sum(costs.values()), 1)
    print(f"\nthe last run: {len(costs)} tests, {record['test_s']:.0f} s of tests")
    dearest = sorted(costs, key=costs.get, reverse=True)
    chosen = [name for name in dearest if re.search(options.regex, name)] if options.regex else dearest[:options.tests]
    print("\n  clock " + " ".join("%8s" % kind for kind in KINDS) + "  test, and how often it starts which program")
    for test in chosen:
        clock, profile = profile_of(options.build, test)
        seconds = {kind: round(spent, 2) for kind, spent in profile.seconds.items()}
        starts = dict(profile.starts.most_common(6))
        record["tests"].append({"test": test, "clock_s": clock, "seconds": seconds, "starts": dict(profile.starts)})
        print(f"{clock:7.1f} " + " ".join("%8.1f" % seconds[kind] for kind in KINDS) +
              f"  {test}: " + ", ".join(f"{count} {name}" for name, count in starts.items()), flush=True)
    write_record(options.json, record)


if __name__ == "__main__":
    main()
