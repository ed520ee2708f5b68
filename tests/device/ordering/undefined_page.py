#!/usr/bin/env python3
"""Writes docs/results/address-spaces.md from the record of undefined_on_gpu.py.

    undefined_page.py PAGE [--check]    with --check it writes nothing, and fails if the page is not what it would write
"""
import json
import os
import re
import sys

try:
    import numpy  # noqa: F401
except ImportError:
    print("there is no NumPy")
    sys.exit(77)
from undefined_test import DIFFERS

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../results/h200/undefined.json")
SPACES = ("global", "shared", "local", "const", "generic")
KINDS = ("global pointer", "global variable", "const offset", "const generic", "shared offset", "shared generic", "local offset",
         "local generic", "zero")
WHAT = {"11": "the array", "22": "the variable", "33": "the constant", "44": "the shared value", "55": "the local value"}
HEAD = """# State spaces, and the ends of shared memory

    python3 tests/device/ordering/undefined_on_gpu.py libcuda.so.1 --json results/h200/undefined.json
    python3 tests/device/ordering/undefined_page.py docs/results/address-spaces.md

What an H200 does with an address that is not of the space that a load names, and what the CPU device does. The test
`device.undefined` holds the device against each row.

## A load of each space, of each kind of address

| load | %s |
|---|%s
"""
TEXT = """
*Error*: the launch fails on the card. *Another value*: it reads something else, without an error. **Bold**: the CPU device reports
an error (`memory`), because the address is of another space; where the card fails it does, too. These have other values there,
because memory lies elsewhere: %s.

## Behind the end of shared memory

A load of 16 bytes from a block's shared memory, which has so many bytes (static + dynamic). `goes on`: the greatest offset tried at
which the card gives zeros behind the end; `error`: the least at which the launch fails. The granule is 128 bytes.

| bytes | goes on | error |
|---|---|---|
"""


def reads(answer):
    """Returns what a load gives, as a word."""
    if answer.startswith("fails"):
        return "error"
    return WHAT.get(re.match(r"values \[\d+, (\d+)\]", answer)[1], "another value")


def cell(space, kind, record):
    name = "ld.%s of %s" % (space, kind)
    word = reads(record[name])
    differs = next((what for prefix, (what, _) in reversed(DIFFERS.items()) if name.startswith(prefix)), "")
    own = {"const": "const offset", "global": "global", "shared": "shared offset", "local": "local offset", "generic": ""}[space]
    meant = word in WHAT.values() and (not own or kind.startswith(own))
    return "**%s**" % word if differs == "fails" and not meant and word != "error" else word


def page(record):
    text = HEAD % (" | ".join(KINDS), "---|" * len(KINDS))
    for space in SPACES:
        text += "| `ld%s` | %s |\n" % ("" if space == "generic" else "." + space,
                                       " | ".join(cell(space, kind, record) for kind in KINDS))
    differ = ", ".join("`%s`" % prefix for prefix, (what, _) in DIFFERS.items() if what == "values" and prefix.startswith("ld"))
    text += TEXT % differ
    ends = {}
    for name, answer in record.items():
        probe = re.match(r"shared (\d+\+\d+): 16 bytes at (\d+)", name)
        if probe:
            ends.setdefault(probe[1], ([], []))[answer.startswith("fails")].append(int(probe[2]))
    for size, (good, bad) in ends.items():
        text += "| %s | %s | %s |\n" % (size.replace("+", " + "), max(good, default="-"), min(bad, default="-"))
    return text


def main(path, check=""):
    with open(RECORD, encoding="utf-8") as file:
        text = page(json.load(file))
    if check:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return 0
        print("%s is not what %s makes" % (path, os.path.basename(__file__)))
        return 1
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
