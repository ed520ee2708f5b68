#!/usr/bin/env python3
"""Holds the CPU device against what an H200 answered to undefined_on_gpu.py.

    undefined_test.py LIBRARY RECORD

The ends of shared memory are held against it without checks, all else with `memory`. Where the device differs on purpose,
DIFFERS says why.
"""
import json
import re
import sys

try:
    import numpy  # noqa: F401
except ImportError:
    print("there is no NumPy")
    sys.exit(77)
import undefined_on_gpu  # first: it finds the others
import driver
from extension import configure, extension_of, reports_of

# By how probes begin: what the device does there, and why.
DIFFERS = {
    "ld.const of ": ("fails", "an offset into the constant bank that is none of a variable's: an H200 reads what lies there"),
    "ld.shared of ": ("fails", "32 bits of an address: an H200 reads what lies at that offset"),
    "ld.local of ": ("fails", "the same"),
    "ld.global of const offset": ("values", "constant memory lies in global memory here, and addresses of it are generic"),
    "ld.generic of const offset": ("values", "the same"),
    "ld.const of const generic": ("values", "the same"),
    "mma.sync.aligned by half": ("values", "other values, as of lanes that are not there"),
    "ld.shared of zero": ("values", "shared and local memory begin at 0 here, and elsewhere there"),
    "ld.shared of local offset": ("values", "the same"),
    "ld.local of shared offset": ("values", "the same"),
    "barrier.sync.aligned 1, 32 by half": ("fails", "it waits for 16 threads that never come"),
}


def outcomes(library, check):
    """An answer for each probe, and how many reports. A context ends with its first error, and each probe has one."""
    answers, reports = {}, {}
    for name, probe in undefined_on_gpu.probes():
        device = driver.Device(library)
        extension = extension_of(device)
        configure(extension, check=check)
        with driver.Captured():
            answers[name] = undefined_on_gpu.answer(device, *probe)
        reports[name] = len(reports_of(extension))
        device.library.cuDevicePrimaryCtxReset_v2(device.ordinal)
    return answers, reports


def difference(name, ours, card):
    """Returns what is wrong with an answer; "" if nothing is."""
    if name.startswith("shared "):
        same = ours.split()[0] == card.split()[0]  # where it lies is the device's own affair
    else:
        same = ours == card or (ours.startswith("fails") and card.startswith("fails"))
    if same:
        return ""
    known = next((what for prefix, (what, _) in reversed(DIFFERS.items()) if name.startswith(prefix)), None)
    return "" if known and ours.startswith(known) else "%s: %s, and an H200 says %s" % (name, ours, card)


def main(library, record):
    with open(record, encoding="utf-8") as file:
        card = json.load(file)
    (loose, _), (checked, reports) = outcomes(library, "none"), outcomes(library, "memory")
    found = [difference(name, (loose if name.startswith("shared ") else checked)[name], card[name]) for name in card]
    # An access that begins inside goes on as on the card, and is reported.
    for name, answer in checked.items():
        inside = re.match(r"shared (\d+)\+(\d+): 16 bytes at (\d+)", name)
        if not inside:
            continue
        static, dynamic, at = map(int, inside.groups())
        goes_on = at < static + dynamic and loose[name].startswith("values")
        right = answer == loose[name] if goes_on else answer.startswith("fails")
        if not right or reports[name] != 1:
            found.append("%s under `memory`: %s, with %d reports" % (name, answer, reports[name]))
    found = [text for text in found if text]
    print("\n".join(found + ["%d answers" % len(card)]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
