#!/usr/bin/env python3
"""Searches kernels with planted mistakes (tests/search/planted.py) and right ones, and counts what is found.

    tests/figures/searched_bugs.py build/bin/warpmark [--search 60s] [--page docs/results/searched-bugs.md] [NAME…]

Each kernel is searched by itself, on the CPU device with seed 0, for that time or number of cases.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "search"))
import planted  # noqa: E402

FOUND = re.compile(r"^  (\S+): found by case (\d+) of the search", re.M)
LISTED = re.compile(r"add to `cases:` of \S+:  - (\{.*?\})(?:  # fails with --trial \d+)?$", re.M)


def searched(program, folder, name, limit):
    """(exit code, number of cases until the first failure or None, points, seconds) of one kernel."""
    began = time.monotonic()
    run = subprocess.run([program, "check", "%s.yaml" % name, "--search", limit, "--device", "cpu"], cwd=folder,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    seconds = time.monotonic() - began
    tried = [int(number) for _, number in FOUND.findall(run.stdout)]
    usual = re.findall(r"^FAILED \w+\.(\S+)", run.stdout, re.M)
    points = LISTED.findall(run.stdout) or ["{%s}" % one.replace("=", ": ").replace(",", ", ") for one in usual[:1]]
    return run.returncode, min(tried, default=1 if usual else None), points, seconds, run.stdout


def is_wanted(points, smallest):
    wanted = {key: str(value) for key, value in smallest.items()}
    return any(wanted.items() <= dict(re.findall(r"(\w+): (\w+)", point)).items() for point in points)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", type=pathlib.Path)
    options.add_argument("names", nargs="*")
    options.add_argument("--search", default="60s")
    options.add_argument("--page", type=pathlib.Path)
    options = options.parse_args()
    rows, found, small, asked, flagged = [], 0, 0, 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        planted.write(folder)
        for name, bug in planted.BUGS.items():
            if options.names and name not in options.names:
                continue
            code, tried, points, seconds, _ = searched(options.program.resolve(), folder, name, options.search)
            found += code == 1
            asked += bool(bug.smallest)
            right = bool(bug.smallest) and is_wanted(points, bug.smallest)
            small += right
            rows.append((name, bug.about, tried if code == 1 else "-", " ".join(points) or "-",
                         "" if right or not bug.smallest else "expected %s" % bug.smallest))
            print("%-26s %-9s after %5s cases, %6.1f s  %s %s" % (name, "found" if code == 1 else "NOT FOUND", tried, seconds,
                                                             " ".join(points), rows[-1][4]), flush=True)
        for name in planted.RIGHT:
            if options.names and name not in options.names:
                continue
            code, _, _, seconds, text = searched(options.program.resolve(), folder, name, options.search)
            print("%-26s %s %.1f s" % (name, "passes" if code == 0 else "FLAGGED\n" + text, seconds), flush=True)
            if code != 0:
                flagged.append(name)
    summary = "%d of %d found; %d of %d as small as a person would write them; %d of %d right kernels flagged" % (
        found, len(rows), small, asked, len(flagged), len(planted.RIGHT))
    print(summary)
    if options.page:
        table = "\n".join("| %s | %s | `%s` |" % (name, tried, points) for name, _, tried, points, _ in rows)
        options.page.write_text(PAGE % (options.search, summary, table))
    return 0


PAGE = """# Searched bugs

45 kernels with one planted mistake each, and right ones, each searched by `warpmark check SUITE --search %s` on the CPU
device ([Searched inputs](../search.md)). The table is by `tests/figures/searched_bugs.py`.

%s.

| kernel | cases until it failed | smallest failing cases |
|---|---|---|
%s
"""

if __name__ == "__main__":
    sys.exit(main())
