#!/usr/bin/env python3
"""Measures `warpmark check` in several processes, and on several GPUs, against one process.

    tests/figures/parallel_check.py [PROGRAM] [--runs 5] [--trials 1] [--suites suites]
        [--one "--device cpu -j 1"] [--many "--device cpu -j 2"] [--json FILE]

Each run checks the suites once with each set of options, after a run that fills the cache, and prints
how much faster `--many` is. Asserts no time. With two GPUs: --one "--device gpu" --many "--device all".
"""
import os
import re
import shlex
import statistics
import subprocess
import sys
import time

from figures import ROOT, parser_of, spread, this_machine, write_record


def check(arguments, options):
    """Seconds of a run, and its last line."""
    command = [arguments.program, "check", *arguments.suites, "-q", "--trials", str(arguments.trials),
               *shlex.split(options)]
    since = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    seconds = time.monotonic() - since
    if done.returncode != 0:
        sys.exit("%s: exit code %d" % (shlex.join(command), done.returncode))
    return seconds, done.stdout.decode().splitlines()[-1]


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--trials", type=int, default=1, help="of each case, for longer runs")
    parser.add_argument("--suites", nargs="+", default=["suites"])
    parser.add_argument("--one", default="--device cpu -j 1")
    parser.add_argument("--many", default="--device cpu -j 2")
    arguments = parser.parse_args()
    arguments.program = os.path.abspath(arguments.program)
    last = check(arguments, arguments.one)[1]
    times = {arguments.one: [], arguments.many: []}
    for _ in range(arguments.runs):
        for options, seconds in times.items():
            seconds.append(check(arguments, options)[0])
    ratio = statistics.median(times[arguments.one]) / statistics.median(times[arguments.many])
    cases = re.sub(r" in .*", "", last)
    print("%s; %d trials a case" % (cases, arguments.trials))
    for options, seconds in times.items():
        print("%-24s %8.2f s  (%.2f to %.2f)" % (options, statistics.median(seconds), min(seconds),
                                                 max(seconds)))
    print("%.2f times as fast" % ratio)
    write_record(arguments.json, {
        "command": "tests/figures/parallel_check.py --runs %d --trials %d --one '%s' --many '%s'"
        % (arguments.runs, arguments.trials, arguments.one, arguments.many),
        **this_machine(), "cases": cases, "times_as_fast": round(ratio, 3),
        "runs": {options: spread(seconds, 3) for options, seconds in times.items()}})


if __name__ == "__main__":
    main()
