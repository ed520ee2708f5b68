#!/usr/bin/env python3
"""Measures a clean build: to the table of ./bootstrap run, and after a change of one file.

    tests/figures/build.py [--edits FILE...] [--json FILE] [--keep FOLDER]

Clones the committed tree of this repository into a temporary folder, with the build/deps that is
here, and runs `./bootstrap run` there: seconds of the clock, and of processors for this and all its
children. Then changes one source file at a time (a comment at its end) and builds again, linked:
the longest of the dearest files, or of those named. Asserts nothing; other programs that run
meanwhile make every figure larger.
"""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from figures import ROOT, add_json, write_record

# One that is dear in each of the largest folders, by tests/figures/compile_time.py.
EDITS = ["harness/cli/check_job.cpp", "harness/grade/grader.cpp", "harness/runtime/session.cpp",
         "harness/python/expression.cpp", "harness/report/bench_plots.cpp",
         "plugins/cpu/api/launch.cpp", "plugins/cpu/machine/access.cpp",
         "plugins/cpu/program/decoder.cpp", "plugins/reduction/reduction.cpp"]


def timed(command, folder):
    """Seconds of the clock and of processors that a command takes; ends the script if it fails."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    clock = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return {"clock_s": round(clock, 1),
            "processor_s": round(after.ru_utime + after.ru_stime - before.ru_utime
                                 - before.ru_stime, 1)}


def print_row(name, row):
    print(f"{name:<44} {row['clock_s']:8.1f} s {row['processor_s']:8.1f} s of processors", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--edits", nargs="*", default=None, metavar="FILE")
    add_json(parser)
    parser.add_argument("--keep", help="clone and build in this folder, which then stays")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp(prefix="warpmark-build-")
    tree = os.path.join(folder, "warpmark")
    figures = {"jobs": os.cpu_count()}
    try:
        subprocess.run(["git", "clone", "--quiet", ROOT, tree], check=True)
        if os.path.isdir(os.path.join(ROOT, "build/deps")):
            os.makedirs(os.path.join(tree, "build"))
            shutil.copytree(os.path.join(ROOT, "build/deps"), os.path.join(tree, "build/deps"),
                            symlinks=True)
        figures["clean"] = timed(["./bootstrap", "run", "--yes"], tree)
        print_row("./bootstrap run in a clean clone", figures["clean"])
        program = os.path.join(tree, "build/bin/warpmark")
        figures["program_bytes"] = os.path.getsize(program)
        print(f"{'the program':<44} {figures['program_bytes'] / 1e6:8.1f} MB")
        figures["edits"] = {}
        build = ["cmake", "--build", "build", "--target", "product"]
        figures["nothing"] = timed(build, tree)
        print_row("nothing changed", figures["nothing"])
        for edited in EDITS if options.edits is None else options.edits:
            with open(os.path.join(tree, edited), "a", encoding="utf-8") as file:
                file.write("// changed\n")
            figures["edits"][edited] = timed(build, tree)
            print_row(edited, figures["edits"][edited])
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    write_record(options.json, figures)


if __name__ == "__main__":
    main()
