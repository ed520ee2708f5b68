#!/usr/bin/env python3
"""Stands in for warpmark in tests of discovery. It takes `list --json SUITE...` and
`check SUITE --case ID --device D`, and appends what it was told to the file calls.log beside it.

A suite is lines of `case ID CODE`, `input PATH`, `broken WORDS`, `print TEXT`.
"""
import json
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
            if word == "print":
                print(" ".join(rest))
                return 0
            if word == "input":
                suite["inputs"].append(" ".join(rest))
            if word == "case":
                suite["cases"].append({"id": rest[0]})
        suites.append(suite)
    print(json.dumps({"suites": suites}, indent=2))
    return 0


def check(path, option, case_id, device_option, device):
    assert (option, device_option) == ("--case", "--device")
    print("checking", case_id, "on", device)
    return next(int(line[2]) for line in read(path) if line[:2] == ["case", case_id])


with open(HERE / "calls.log", "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\n")
if sys.argv[1:3] == ["list", "--json"]:
    sys.exit(list_suites(sys.argv[3:]))
assert sys.argv[1] == "check", sys.argv
sys.exit(check(*sys.argv[2:]))
