#!/usr/bin/env python3
"""Kernels with a million mistakes and kernels on 4 GiB: reports stay few, counts exact and memory bounded.

    bad_inputs_test.py LIBRARY COMPILE_CORPUS [-k WORD]

Each case is a process of its own, whose greatest resident memory is looked at. Exit status 77: there is no NVRTC or no NumPy.
"""
import collections
import ctypes
import os
import resource
import sys
import tempfile

from checked import HERE, argument_parser, checked_device  # first: it finds the others
import driver
import numpy as np
from corpus import compile_files
from extension import reports_of

MILLION = 16 * 256 * 245  # threads and rounds of a launch: 1003520
NEARLY_4_GIB = (4 << 30) - (64 << 20)  # the device has 4 GiB, and its other memory takes a little


def resident():
    """The most that was resident so far, in MiB."""
    with open("/proc/self/status", encoding="ascii") as file:
        return int(file.read().split("VmHWM:")[1].split()[0]) / 1024


def array(count, written=False):
    def make(device):
        buffer = driver.Buffer(device, np.zeros(count, np.int32))
        return buffer.write(np.zeros(count, np.int32)) if written else buffer

    return make


def large(device):
    """As much as there is, of which nothing is touched yet."""
    address = ctypes.c_uint64()
    device.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(NEARLY_4_GIB))
    return driver.Buffer(device, np.zeros(1, np.uint8), address.value)


def one_place(kind, count):
    """One report of the kind has all of it."""

    def wrong(reports):
        found = [r["count"] for r in reports if r["kind"] == kind]
        return "" if found == [count] else "reports of %s count %s, not %d" % (kind, found, count)

    return wrong


def few(reports):
    """Up to 100 places of a kind and a word about the others; one failure, and what was found before it."""
    return "" if 0 < len(reports) <= 300 else "%d reports" % len(reports)


def each_kind(reports):
    """Too many races do not hide the undefined value behind them."""
    found = collections.Counter(r["kind"] for r in reports)
    notes = [r["message"] for r in reports if r["kind"] == "incomplete"]
    good = (0 < found["race"] <= 100 and found["uninitialised"] == 1 and len(notes) == 1
            and "more than 100 places of races" in notes[0])
    return "" if good else "%s %s" % (dict(found), notes)


def none(reports):
    return reports[0]["message"] if reports else ""


# Kernel, grid, block, arguments, what is wrong with reports, and the MiB that a launch may add to what is resident.
# A touched place of a large buffer takes some pages: data, values, and three of the records of races.
CASES = {
    "writes": ("million_writes", 16, 256, [array(64), np.int32(64), np.int32(245)], one_place("illegal_address", MILLION), 16),
    # Each of 64 places has a first write, which races with none.
    "races": ("million_races", 16, 256, [array(64), np.int32(245)], one_place("race", MILLION - 64), 16),
    "undefined": ("million_undefined", 16, 256, [array(1024), array(1), np.int32(245)],
                  one_place("uninitialised", MILLION), 16),
    "places": ("many_places", 1, 64, [array(64, True), array(64, True)], few, 16),
    "lines": ("many_lines", 1, 64, [array(64), array(64)], each_kind, 16),
    # More than a million releases of fences, each of which another block might see.
    "releases": ("many_releases", 16, 256, [array(1, True), array(2, True), np.int32(250)], none, 128),
    "512 words of 4 GiB": ("few_places", 4, 64, [large, np.uint64(1 << 21), np.uint64(NEARLY_4_GIB // 4)],
                           one_place("uninitialised", 504), 504 * 24 / 1024 + 16),
    "4032 words of 4 GiB": ("few_places", 4, 64, [large, np.uint64(1 << 18), np.uint64(NEARLY_4_GIB // 4)],
                            one_place("uninitialised", 4032), 4032 * 24 / 1024 + 16),
}


def run(library, ptx, name):
    """Words about what is wrong, or none."""
    kernel, grid, block, arguments, wrong, most = CASES[name]
    device, extension = checked_device(library)
    module = device.module(ptx)
    arguments = [a(device) if callable(a) else a for a in arguments]
    before = resident()
    driver.launch(device, module.function(kernel), grid, block, arguments)
    try:
        device.synchronize()
    except driver.DriverError:
        pass
    added = resident() - before
    text = wrong(reports_of(extension))
    if added > most:
        text += " %.0f MiB more are resident, not %.0f at most" % (added, most)
    print("%s: %.0f MiB (at most %.0f) %s" % (name, added, most, text))
    return text


def many_lines():
    """A kernel with a race in each of 200 lines, and an undefined value at the end."""
    lines = ["  s[(t + %d) & 63] += t;" % number for number in range(200)]
    return "\n".join(['extern "C" __global__ void many_lines(const int* a, int* b) {',
                      "  __shared__ int s[64];", "  int t = threadIdx.x;", "  s[t] = t;"] + lines +
                     ["  __syncthreads();", "  b[t] = a[t] + s[t];", "}", ""])


def compiled(options):
    """All kernels, as one PTX text for each file."""
    with tempfile.TemporaryDirectory() as folder:
        generated = os.path.join(folder, "many_lines.cu")
        with open(generated, "w", encoding="utf-8") as file:
            file.write(many_lines())
        units = compile_files(options.compiler, "90:lines", [os.path.join(HERE, "bad_inputs.cu"), generated])
    texts = {}
    for unit in units:
        with open(unit["ptx"], encoding="utf-8") as file:
            texts.update(dict.fromkeys(unit["kernels"], file.read()))
    return texts


def main():
    options = argument_parser(__doc__).parse_args()
    ptx = compiled(options)
    failed = 0
    for name in CASES:
        if options.word not in name:
            continue
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
            status = 1
            try:
                status = 1 if run(options.library, ptx[CASES[name][0]], name) else 0
            finally:
                sys.stdout.flush()
                os._exit(status)
        failed += os.waitpid(child, 0)[1] != 0
    print("%d of %d cases failed" % (failed, len(CASES)))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
