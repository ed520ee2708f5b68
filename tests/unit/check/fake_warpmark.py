#!/usr/bin/env python3
"""Stands in for warpmark in tests of discovery. It takes `list --json SUITE...` and
`check SUITE [--case ID] --device D [--share DIR]`, and appends its arguments to the file calls.log beside it.

A suite is lines of `case ID CODE`, `input PATH`, `broken WORDS`, `print TEXT`,
`print2 TEXT`.
"""
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def read(path):
    return [line.split(" ", 2) for line in pathlib.Path(path).read_text().splitlines() if line]


def list_suites(paths):
    suites = []
    for path in paths:
        suite = {"name": pathlib.Path(path).stem, "file": path, "inputs": [], "cases": []}
        for word, *rest in read(path):
            if word == "broken":
                sys.exit("%s:1:1: error: %s" % (path, " ".join(rest)))
            if word in ("print", "print2"):  # and the exit code
                print(" ".join(rest))
                return 2 if word == "print2" else 0
            if word == "input":
                suite["inputs"].append(" ".join(rest))
            if word == "case":
                suite["cases"].append({"id": rest[0]})
        suites.append(suite)
    print(json.dumps({"suites": suites}, indent=2))
    return 0


def check(path, *options):
    options = dict(zip(options[::2], options[1::2]))
    case_id = options.pop("--case", None)
    codes = [int(line[2]) for line in read(path) if line[0] == "case" and case_id in (None, line[1])]
    print("checking", case_id or path, "on", options.pop("--device"))
    print("with plugins of", os.environ.get("WARPMARK_PLUGIN_PATH"))
    print("given", os.environ.get("CTEST_RESOURCE_GROUP_0_GPUS"))
    options.pop("--share", None)
    assert not options
    if case_id:
        return codes[0]
    counts = [(codes.count(1), "failed"), (codes.count(77), "skipped")]
    print(", ".join(["%d passed" % codes.count(0)] + ["%d %s" % one for one in counts if one[0]]),
          "in 0.01 s")
    return 1 if 1 in codes else 0 if 0 in codes else 77


with open(HERE / "calls.log", "a") as log:
    log.write(json.dumps(sys.argv[1:] + [os.environ.get("WARPMARK_PLUGIN_PATH")]) + "\n")
if sys.argv[1:3] == ["list", "--json"]:
    sys.exit(list_suites(sys.argv[3:]))
assert sys.argv[1] == "check", sys.argv
sys.exit(check(*sys.argv[2:]))
