#!/usr/bin/env python3
"""Kernels with one mistake each, and correct ones: the CPU device finds the mistake where it is, and nothing else.

    checks_test.py LIBRARY COMPILE_CORPUS [-k WORD] [--show] [--repeat N]

Each kernel of the .cu files here is preceded by a line

    //@ bug NAME KIND grid=G block=B args="TYPE[COUNT] TYPE[COUNT]= NUMBER:TYPE" [thread=X] [other=X] [block_of=X] [shared=BYTES]
    //@ good NAME grid=G block=B args="…"

TYPE is a NumPy dtype; an array has values only with `=` behind it (1, 2, 3, …; `=0` zeros). `//!` stands at the line that the report must name and
`//~` at the line of the other side of a race. Exit status: 0 all as it must be, 1 not, 77 there is no NVRTC or no NumPy.
"""
import argparse
import ctypes
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "catalogue"))
try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)
import driver
from corpus import compile_files

CHECKS = ["memory", "init", "race", "sync"]
SINK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)


class Extension(ctypes.Structure):
    """warpmark_device of harness/include/warpmark/device.h, as far as it is used here."""
    _fields_ = [("size", ctypes.c_uint32), ("version", ctypes.c_uint32), ("capabilities", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32),
                ("configure", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)),
                ("label", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_char_p,
                                           ctypes.c_char_p)),
                ("drain_reports", ctypes.CFUNCTYPE(None, ctypes.c_void_p, SINK, ctypes.c_void_p)),
                ("drain_counters", ctypes.CFUNCTYPE(None, ctypes.c_void_p, SINK, ctypes.c_void_p)),
                ("last_error", ctypes.CFUNCTYPE(ctypes.c_char_p))]


def extension_of(device):
    function = device.library.warpmark_device_v1
    function.restype = ctypes.POINTER(Extension)
    return function().contents


def reports_of(extension):
    lines = []
    extension.drain_reports(None, SINK(lambda user, text, size: lines.append(json.loads(text[:size]))), None)
    return lines


class Kernel:
    def __init__(self, path, line, text, source):
        words = re.findall(r'(\w+)="([^"]*)"|(\S+)', text)
        plain = [word for _, _, word in words if word]
        self.options = {key: value for key, value, _ in words if key}
        self.options.update(word.split("=", 1) for word in plain if "=" in word)
        plain = [word for word in plain if "=" not in word]
        self.good, self.name = plain[0] == "good", plain[1]
        self.kind = None if self.good else plain[2]
        self.path = path
        self.marked, self.other = [], []
        depth, begun = 0, False
        for number, code in enumerate(source[line:], line + 1):
            if "//!" in code:
                self.marked.append(number)
            if "//~" in code:
                self.other.append(number)
            depth += code.count("{") - code.count("}")
            begun = begun or "{" in code
            if begun and depth == 0:
                break

    def size(self, key, default="1"):
        return tuple(int(n) for n in self.options.get(key, default).split("x"))

    def arguments(self, device, extension):
        made = []
        for number, word in enumerate(self.options.get("args", "").split()):
            array = re.fullmatch(r"(\w+)\[(\d+)\](=0|=)?", word)
            if not array:
                value, kind = word.split(":")
                made.append(np.dtype(kind).type(float(value) if "float" in kind else int(value)))
                continue
            kind, count, values = array[1], int(array[2]), array[3]
            like = np.zeros(count, kind)
            buffer = driver.Buffer(device, like)
            if values:
                buffer.write(like if values == "=0" else np.arange(1, count + 1).astype(kind))
            extension.label(None, buffer.address, like.nbytes, b"abcdefgh"[number:number + 1], kind.encode())
            made.append(buffer)
        return made


def kernels_of(path):
    with open(path, encoding="utf-8") as file:
        source = file.read().splitlines()
    return [Kernel(path, number, line[3:].strip(), source) for number, line in enumerate(source) if line.startswith("//@")]


def run(device, extension, module, kernel):
    """The reports of a launch. Each has a context of its own, since a fault ends it."""
    arguments = kernel.arguments(device, extension)
    driver.launch(device, module.function(kernel.name), kernel.size("grid"), kernel.size("block"), arguments,
                  shared=int(kernel.options.get("shared", 0)), cooperative="cooperative" in kernel.options)
    try:
        device.synchronize()
    except driver.DriverError:
        pass
    return reports_of(extension)


def complaint(kernel, reports):
    """What is wrong with the reports; "" if nothing is."""
    if kernel.good:
        return "reports: " + " | ".join(r["message"] for r in reports) if reports else ""
    found = [r for r in reports if r["kind"] == kernel.kind]
    if not found:
        return "no %s; reports: %s" % (kernel.kind, [r["message"] for r in reports])
    if kernel.marked and not any(r.get("line") in kernel.marked for r in found):
        return "at lines %s, not %s: %s" % ([r.get("line") for r in found], kernel.marked, found[0]["message"])
    found = [r for r in found if not kernel.marked or r.get("line") in kernel.marked]
    if kernel.other and not any(r.get("other", {}).get("line") in kernel.other for r in found):
        return "the other side at lines %s, not %s" % ([r.get("other", {}).get("line") for r in found], kernel.other)
    for key, member in (("thread", "thread"), ("in_block", "block")):
        if key in kernel.options:
            wanted = [int(n) for n in kernel.options[key].split(",")]
            wanted += [0] * (3 - len(wanted))
            if not any(r[member] == wanted for r in found):
                return "by %s %s, not %s" % (member, [r[member] for r in found], wanted)
    if "hazard" in kernel.options and not any(kernel.options["hazard"].replace("_", " ") in r.get("hazard", "") for r in found):
        return "hazards %s" % [r.get("hazard") for r in found]
    if "severity" in kernel.options and not any(r.get("severity") == kernel.options["severity"] for r in found):
        return "severities %s" % [r.get("severity") for r in found]
    if "argument" in kernel.options and not any(r.get("argument") == kernel.options["argument"] for r in found):
        return "arguments %s" % [r.get("argument") for r in found]
    others = [r for r in reports if r["kind"] != kernel.kind and r["kind"] not in kernel.options.get("also", "").split(",")]
    return "besides: " + " | ".join(r["message"] for r in others) if others else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("compiler")
    parser.add_argument("-k", dest="word", default="")
    parser.add_argument("--show", action="store_true", help="print what is found")
    parser.add_argument("--repeat", type=int, default=1, help="runs, with 1 and 2 workers in turn, that must report the same")
    parser.add_argument("--architectures", default="90")
    parser.add_argument("--modes", default="lines")
    options = parser.parse_args()
    units = compile_files(options.compiler, options.architectures, options.modes, sorted(glob.glob(os.path.join(HERE, "*.cu"))))
    os.environ.pop("WARPMARK_CPU_REPORT", None)
    bugs = good = failed = 0
    library = ctypes.CDLL(options.library)
    for unit in units:
        path = os.path.join(HERE, os.path.basename(unit["name"] if unit["name"].endswith(".cu") else unit["name"] + ".cu"))
        with open(unit["ptx"], encoding="utf-8") as file:
            ptx = file.read()
        for kernel in kernels_of(path):
            if options.word not in kernel.name:
                continue
            rounds = []
            for number in range(options.repeat):
                device = driver.Device(options.library)
                extension = extension_of(device)
                settings = {"checks": CHECKS, "instruction_budget": 50000000, "workers": 1 + number % 2}
                if extension.configure(None, json.dumps(settings).encode()):
                    sys.exit(extension.last_error().decode())
                rounds.append(run(device, extension, device.module(ptx), kernel))
                library.cuDevicePrimaryCtxReset_v2(device.ordinal)
            reports = rounds[0]
            text = complaint(kernel, reports)
            if not text and any(r != reports for r in rounds):
                text = "another run reports something else"
            bugs, good = bugs + (not kernel.good), good + kernel.good
            if text:
                failed += 1
                print("%s %s %s: %s" % (unit["architecture"], unit["mode"], kernel.name, text))
            elif options.show:
                print("%s: %s" % (kernel.name, " | ".join(r["message"] for r in reports)))
    print("%d bugs and %d correct kernels, %d not as they must be" % (bugs, good, failed))
    sys.exit(1 if failed or not bugs else 0)


if __name__ == "__main__":
    main()
