#!/usr/bin/env python3
"""Prints which share of the lines of harness/ and plugins/ the tests run.

    tests/figures/coverage.py [--report] [--files] [--json FILE] [-- CTEST ARGUMENT...]

Builds the preset `coverage` (Clang, in build/coverage), runs the tests of the default preset there
but those of the style, of packages and of mutants, and prints the share of each folder. `--report` prints that of
the last run. Counters are in mapped files, so that processes that a test kills count, too. Lines are
those that Clang gives code to: without comments, and without branches that it removed.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

from figures import ROOT, add_json, write_record

BUILD = pathlib.Path(ROOT, "build/coverage")
PROFILES = BUILD / "profiles"
MERGED = BUILD / "merged.profdata"
PARTS = ("harness", "plugins")
# They look at the tree or at packages, or compile what they run, and run none of this build's lines.
NOT_RUN = r"^(style|package|docs|mutation)\."


def build():
    for command in (["cmake", "--preset", "coverage"], ["cmake", "--build", "--preset", "coverage"]):
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)


def run_tests(arguments):
    PROFILES.mkdir(exist_ok=True)
    for old in PROFILES.glob("*.profraw"):
        old.unlink()
    done = subprocess.run(["ctest", "--preset", "coverage", "-j%d" % os.cpu_count(),
                           "--exclude-regex", NOT_RUN, *arguments],
                          cwd=ROOT, stdout=sys.stderr, check=False)
    if done.returncode != 0:
        print("some tests failed; what they ran counts all the same", file=sys.stderr)


def objects():
    """Programs and libraries of the build that have counters."""
    found = []
    for file in sorted(BUILD.rglob("*")):
        if not file.is_file() or file.suffix in (".o", ".a", ".gch", ".pch"):
            continue
        with open(file, "rb") as opened:
            if opened.read(4) != b"\x7fELF":
                continue
        sections = subprocess.run(["llvm-readelf", "-S", "-W", file], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout
        if "__llvm_covmap" in sections:
            found.append(str(file))
    return found


def report(with_files):
    profiles = sorted(map(str, PROFILES.glob("*.profraw")))
    if not profiles:
        sys.exit("no test has run: leave out --report")
    # A process that was killed while it made its file leaves one that cannot be read, and is named.
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-failure-mode=all", "-o", MERGED, *profiles],
                   check=True)
    first, *others = objects()
    command = ["llvm-cov", "export", "-summary-only", "-instr-profile", str(MERGED), first]
    command += [word for other in others for word in ("-object", other)]
    exported = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
    folders = collections.defaultdict(lambda: [0, 0])
    files = []
    for one in exported["data"][0]["files"]:
        name = one["filename"].split("./")[-1]  # ./build/coverage/./harness/base/text.cpp
        lines = one["summary"]["lines"]
        if not name.startswith(tuple(part + "/" for part in PARTS)) or lines["count"] == 0:
            continue
        files.append((lines["covered"] / lines["count"], lines["count"] - lines["covered"], name))
        for folder in (os.path.dirname(name), "all"):
            folders[folder][0] += lines["covered"]
            folders[folder][1] += lines["count"]
    if with_files:
        for share, missed, name in sorted(files):
            print("%6.1f %%  %5d lines did not run  %s" % (100 * share, missed, name))
    for folder, (covered, count) in sorted(folders.items(), key=lambda one: (one[0] == "all", one)):
        print("%-28s %6d lines  %5.1f %%" % (folder, count, 100 * covered / count))
    return {folder: {"lines": count, "run": covered, "percent": round(100 * covered / count, 2)}
            for folder, (covered, count) in sorted(folders.items())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--report", action="store_true", help="print the last run's share")
    parser.add_argument("--files", action="store_true", help="list each file, the least first")
    add_json(parser)
    parser.add_argument("ctest", nargs="*", metavar="ARGUMENT", help="of ctest, behind `--`")
    arguments = parser.parse_args()
    if not arguments.report:
        build()
        run_tests(arguments.ctest)
    write_record(arguments.json, {"command": "tests/figures/coverage.py",
                                  "folders": report(arguments.files)})


if __name__ == "__main__":
    main()
