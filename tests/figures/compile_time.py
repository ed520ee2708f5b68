#!/usr/bin/env python3
"""Prints where the compile time of a build folder went, by Ninja's log, dearest first.

    tests/figures/compile_time.py [BUILD] [--top N] [--headers]

Seconds are those of the clock for each command of the last build, so that they are longer where
more commands than processors ran at once. A unit is what is compiled at once: a file, or several
that WARPMARK_UNITY groups. --headers adds what each header from outside the project costs: the time
to compile it alone, times the files that include it, as if there were no precompiled ones.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def spans_of(build):
    """When the last command for each output began and ended, in seconds from the start of its build."""
    path = os.path.join(build, ".ninja_log")
    if not os.path.exists(path):
        sys.exit(f"{path} is missing: build with Ninja first")
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return {line[3]: (int(line[0]) / 1000, int(line[1]) / 1000) for line in lines if len(line) == 5}


def times_of(build):
    """Seconds of the last command for each output."""
    return {output: end - begin for output, (begin, end) in spans_of(build).items()}


def clock_of(build):
    """Seconds that a clean build took."""
    return max(end for _, end in spans_of(build).values())


def folder_of(output):
    """The folder of the source that an object file is made of."""
    place = re.sub(r"CMakeFiles/[^/]*\.dir/(Unity/)?", "", output)
    inner = re.search(r"\.dir/((?!Unity).*)/", output)
    if inner and not inner.group(1).startswith("__"):
        return os.path.dirname(place)
    return re.sub(r"/CMakeFiles/.*", "", output)


def members_of(build, output):
    """The files of a group, "" for a single file."""
    path = os.path.join(build, re.sub(r"\.o$", "", output))
    if "/Unity/" not in output or not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        names = re.findall(r'^#include "(?:.*/)?([^/"]*)"', file.read(), re.M)
    return " " + " ".join(names)


def print_headers(build, top):
    """The cost of headers in angle brackets: seconds alone times the files that have them."""
    counts = collections.Counter()
    for folder in ("harness", "plugins"):
        for place, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                if name.endswith((".cpp", ".hpp")):
                    with open(os.path.join(place, name), encoding="utf-8") as file:
                        counts.update(set(re.findall(r"^#include <([^>]+)>", file.read(), re.M)))
    compiler = "c++"
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", file.read(), re.M)
        compiler = found.group(1) if found else compiler
    rows = []
    with tempfile.TemporaryDirectory(prefix="warpmark-headers-") as folder:
        source = os.path.join(folder, "one.cpp")
        for header, count in counts.most_common(60):
            with open(source, "w", encoding="utf-8") as file:
                file.write(f"#include <{header}>\n")
            begin = time.monotonic()
            done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", source], check=False,
                                  stderr=subprocess.DEVNULL)
            if done.returncode == 0:
                seconds = time.monotonic() - begin
                rows.append((seconds * count, seconds, count, header))
    print("\nseconds   alone  files  header")
    for total, seconds, count, header in sorted(rows, reverse=True)[:top]:
        print(f"{total:7.1f} {seconds:7.2f} {count:6}  <{header}>")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    parser.add_argument("--top", type=int, default=15, help="rows of each table")
    parser.add_argument("--headers", action="store_true")
    options = parser.parse_args()
    seconds = times_of(options.build)
    folders = collections.defaultdict(lambda: [0.0, 0])
    kinds = collections.Counter()
    for output, spent in seconds.items():
        compiled = output.endswith((".o", ".gch"))
        kinds["compiling" if compiled else "linking and the rest"] += spent
        if compiled:
            row = folders[folder_of(output)]
            row[0] += spent
            row[1] += 1
    for kind, spent in kinds.most_common():
        print(f"{spent:7.1f}  {kind}")
    print("\nseconds  units  folder")
    for folder, (spent, count) in sorted(folders.items(), key=lambda one: -one[1][0])[:options.top]:
        print(f"{spent:7.1f} {count:6}  {folder}")
    print("\nseconds  unit")
    units = [(spent, output) for output, spent in seconds.items() if output.endswith((".o", ".gch"))]
    for spent, output in sorted(units, reverse=True)[:options.top]:
        print(f"{spent:7.1f}  {output}{members_of(options.build, output)}")
    if options.headers:
        print_headers(options.build, options.top)


if __name__ == "__main__":
    main()
