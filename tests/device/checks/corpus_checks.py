#!/usr/bin/env python3
"""Runs the kernels of tests/device/kernels with every check: correct ones have no report.

    corpus_checks.py LIBRARY COMPILE_CORPUS [--builds 90:lines] [-k WORD]

Results are those of catalogue/check_kernels.py and not looked at here. Exit status 77: there is no NVRTC or no NumPy.
"""
import sys

from checked import argument_parser, checked_device  # first: it finds the others
import catalogue
import numpy as np
from corpus import compile_corpus, load_catalogue
from extension import extension_of, reports_of

# Kernels whose threads race, since they were written to have every instruction and no purpose.
RACES = {
    "14_calls/calls": "v[i] while its neighbour reads v[i + 1], o[i + 32] while its neighbour stores o[i]",
    "18_constant/use_const": "200 threads store to 128 places",
    "19_switch_local/sw": "x[i] while its neighbour reads x[i + 1]",
    "22_atomics/atoms": "all threads store to one place",
    "29_byval_struct/ldst_widths": "c[i] as two integers and as floats",
    "30_cluster/clus": "all threads of a block store the same value to one place",
    "39_bigswitch/vm": "st[i] while others still read it",
}


class CheckedRun(catalogue.Run):
    """Outputs have no values until the kernel writes them, whatever poison lies there."""

    def out(self, shape, dtype):
        buffer = super().out(shape, dtype)
        if buffer.nbytes:
            extension_of(self.device).forget(None, buffer.address, buffer.nbytes)
        return buffer


def run_case(library, unit, entry, case):
    """The reports of one case, and how often it launched."""
    device, extension = checked_device(library)
    with open(unit["ptx"], encoding="utf-8", errors="surrogateescape") as file:
        module = device.module(file.read())
    run = CheckedRun(device, module, entry.kernel, unit["architecture"], unit["mode"] != "debug")
    entry.function(run, catalogue.Random("%s/%s %r" % (entry.source, entry.kernel, case)), **case)
    run.free()
    module.unload()
    return reports_of(extension)


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--builds", default="90:lines")
    options = parser.parse_args()
    np.seterr(all="ignore")
    kernels, raced, wrong, runs = set(), set(), [], 0
    for unit in compile_corpus(options.compiler, options.builds):
        for entry in load_catalogue():
            name = "%s/%s" % (entry.source, entry.kernel)
            if entry.source != unit["name"] or entry.kernel not in unit["kernels"] or entry.fatal or options.word not in name:
                continue
            for case in entry.cases:
                reports = run_case(options.library, unit, entry, case)
                runs += 1
                if name in RACES:
                    raced |= {name for r in reports if r["kind"] == "race"}
                    reports = [r for r in reports if r["kind"] != "race"]
                wrong += ["%s.%s: %s" % (name, catalogue.case_name(case), r["message"]) for r in reports]
            kernels.add(name)
    if not options.word:
        wrong += ["%s: its race is not found" % name for name in sorted((RACES.keys() & kernels) - raced)]
    for text in wrong:
        print(text)
    print("%d correct kernels and %d with races, %d runs, %d not as they must be" %
          (len(kernels - raced), len(raced), runs, len(wrong)))
    sys.exit(1 if wrong or not kernels else 0)


if __name__ == "__main__":
    main()
