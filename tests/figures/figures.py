"""Shared by the scripts that measure: the program, the spread of times, the record of a run."""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def parser_of(text):
    """A parser for a script with that docstring, of what most take: the program and --json."""
    parser = argparse.ArgumentParser(description=text.split("\n", maxsplit=1)[0])
    parser.add_argument("program", nargs="?", default=os.path.join(ROOT, "build/bin/warpmark"))
    add_json(parser)
    return parser


def add_json(parser):
    parser.add_argument("--json", help="write the figures to this file")


def spread(times, digits):
    """Median, smallest and largest of some runs' seconds."""
    return {"median_s": round(statistics.median(times), digits),
            "min_s": round(min(times), digits), "max_s": round(max(times), digits),
            "runs": len(times)}


def this_machine():
    return {"machine": platform.machine(), "cores": os.cpu_count()}


def refresh_index():
    """Has git look at the tree once: in a copied one it would otherwise read every file again for each run that notes the commit."""
    subprocess.run(["git", "-C", ROOT, "update-index", "-q", "--refresh"], check=False)


def has_cupy():
    """True if this Python has CuPy, which sees a GPU."""
    test = "import cupy; cupy.cuda.runtime.getDeviceCount()"
    return subprocess.run([sys.executable, "-c", test], capture_output=True, check=False).returncode == 0


def write_record(file, record):
    """Writes what --json asks for; `file` is None where it asks for nothing."""
    if not file:
        return
    with open(file, "w", encoding="utf-8") as out:
        json.dump(record, out, indent=2)
        out.write("\n")
