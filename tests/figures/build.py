#!/usr/bin/env python3
"""Measures a clean build: to the table of ./bootstrap run, and after a change of one file.

    tests/figures/build.py [--edits FILE...] [--json FILE] [--keep FOLDER]
    tests/figures/build.py --test [--revision COMMIT] [--json FILE] [--keep FOLDER]

Clones the committed tree of this repository into a temporary folder, with the build/deps that is
here, and runs `./bootstrap run` there: seconds of the clock, and of processors for this and all its
children. Then builds as a developer does (preset default), changes one source file at a time (a
comment at its end) and builds again, linked: the longest of the dearest files, or of those named;
`--edits` without a name leaves that out. With --test it runs `./bootstrap test` there as
CI does, and splits its time into the build and the tests. Asserts nothing; other programs that run
meanwhile make every figure larger.
"""
import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from compile_time import clock_of
from figures import ROOT, add_json, write_record

# One that is dear in each of the largest folders, by tests/figures/compile_time.py.
EDITS = ["harness/cli/jobs/check_job.cpp", "harness/grade/grader/grader.cpp", "harness/runtime/session.cpp",
         "harness/python/expression.cpp", "harness/report/bench/bench_plots.cpp",
         "plugins/cpu/api/launch.cpp", "plugins/cpu/machine/access.cpp",
         "plugins/cpu/program/decoder.cpp", "plugins/reduction/reduction.cpp"]


def timed(command, folder, **environment):
    """Seconds of the clock and of processors that a command takes, and its output; ends the script if it fails."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    clock = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return {"clock_s": round(clock, 1),
            "processor_s": round(after.ru_utime + after.ru_stime - before.ru_utime
                                 - before.ru_stime, 1)}, done.stdout


def clone(tree, revision):
    """The committed tree with the build/deps that is here."""
    subprocess.run(["git", "clone", "--quiet", ROOT, tree], check=True)
    if revision:
        subprocess.run(["git", "checkout", "--quiet", revision], cwd=tree, check=True)
    if os.path.isdir(os.path.join(ROOT, "build/deps")):
        os.makedirs(os.path.join(tree, "build"))
        shutil.copytree(os.path.join(ROOT, "build/deps"), os.path.join(tree, "build/deps"),
                        symlinks=True)


def measure_test(tree, figures):
    """`./bootstrap test` as CI runs it."""
    whole, output = timed(["./bootstrap", "test", "--yes"], tree, CI="true")
    tests = int(re.search(r"failed out of (\d+)", output).group(1))
    test_clock_s = float(re.search(r"Total Test time \(real\) = +([\d.]+)", output).group(1))
    build_clock_s = round(clock_of(os.path.join(tree, "build")), 1)
    figures["bootstrap_test"] = dict(whole, build_clock_s=build_clock_s, tests=tests, test_clock_s=test_clock_s)
    print_row("./bootstrap test in a clean clone", whole)
    print(f"{'the build':<44} {build_clock_s:8.1f} s")
    print(f"{str(tests) + ' tests':<44} {test_clock_s:8.1f} s")


def measure_build(tree, edits, figures):
    """`./bootstrap run`, then a build after each edit."""
    figures["clean"], _ = timed(["./bootstrap", "run", "--yes"], tree)
    print_row("./bootstrap run in a clean clone", figures["clean"])
    figures["program_bytes"] = os.path.getsize(os.path.join(tree, "build/bin/warpmark"))
    print(f"{'the program':<44} {figures['program_bytes'] / 1e6:8.1f} MB")
    if not edits:
        return
    build = ["cmake", "--build", "--preset", "product"]
    timed(["cmake", "--preset", "default"], tree)
    figures["default"], _ = timed(build, tree)
    print_row("the preset default", figures["default"])
    figures["nothing"], _ = timed(build, tree)
    print_row("nothing changed", figures["nothing"])
    figures["edits"] = {}
    for edited in edits:
        with open(os.path.join(tree, edited), "a", encoding="utf-8") as file:
            file.write("// changed\n")
        figures["edits"][edited], _ = timed(build, tree)
        print_row(edited, figures["edits"][edited])


def print_row(name, row):
    print(f"{name:<44} {row['clock_s']:8.1f} s {row['processor_s']:8.1f} s of processors", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--edits", nargs="*", default=None, metavar="FILE")
    parser.add_argument("--test", action="store_true", help="measure ./bootstrap test instead")
    parser.add_argument("--revision", metavar="COMMIT", help="of this commit")
    add_json(parser)
    parser.add_argument("--keep", help="clone and build in this folder, which then stays")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp(prefix="warpmark-build-")
    tree = os.path.join(folder, "warpmark")
    figures = {"jobs": os.cpu_count()}
    try:
        clone(tree, options.revision)
        if options.test:
            measure_test(tree, figures)
        else:
            measure_build(tree, EDITS if options.edits is None else options.edits, figures)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    write_record(options.json, figures)


if __name__ == "__main__":
    main()
