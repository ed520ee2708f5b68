#!/usr/bin/env python3
"""Asks a device what it does where the PTX manual leaves things undefined; prints a table, and a JSON record.

    undefined_on_gpu.py LIBRARY [--json FILE]

Each probe is a kernel of PTX in a process of its own, since an error ends the context.
"""
import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "catalogue"))
import driver
import numpy as np

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
TIMEOUT_S = 20


def shared_past_the_end(static, dynamic, at):
    """A load of 16 bytes at `at` from the first byte of a block's shared memory, which has static + dynamic bytes."""
    first = "s" if static else "d"
    arrays = ".shared .align 16 .b8 s[%d];\n" % static if static else ""
    return HEAD + arrays + """.extern .shared .align 16 .b8 d[];
.visible .entry k(.param .u64 p) {
.reg .b64 %%rd<3>; .reg .b32 %%r<9>;
ld.param.u64 %%rd1, [p]; mov.u32 %%r5, %s; add.u32 %%r7, %%r5, %d; mov.u32 %%r6, d;
ld.shared.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%r7]; st.global.u32 [%%rd1], %%r5; st.global.u32 [%%rd1+4], %%r1; ret; }
""" % (first, at), dynamic, 1


SPACES = ("global", "shared", "local", "const", "generic")
PLACES = {  # what makes an address in %rd5, and the value that lies there
    "global pointer": ("mov.u64 %rd5, %rd1;", 11), "global variable": ("mov.u64 %rd5, gv;", 22),
    "const offset": ("mov.u64 %rd5, cv;", 33), "const generic": ("mov.u64 %rd6, cv; cvta.const.u64 %rd5, %rd6;", 33),
    "shared offset": ("mov.u64 %rd5, sv;", 44), "shared generic": ("mov.u64 %rd6, sv; cvta.shared.u64 %rd5, %rd6;", 44),
    "local offset": ("mov.u64 %rd5, lv;", 55), "local generic": ("mov.u64 %rd6, lv; cvta.local.u64 %rd5, %rd6;", 55),
    "zero": ("mov.u64 %rd5, 0;", 0)}


def space_and_address(space, place):
    """A load of a state space from an address of another."""
    made, _ = PLACES[place]
    load = "ld.u32" if space == "generic" else "ld.%s.u32" % space
    return HEAD + """.global .align 4 .u32 gv = 22;
.const .align 4 .u32 cv = 33;
.visible .entry k(.param .u64 p) {
.reg .b64 %%rd<9>; .reg .b32 %%r<9>; .shared .align 4 .b8 sv[64]; .local .align 4 .b8 lv[64];
ld.param.u64 %%rd1, [p]; cvta.to.global.u64 %%rd1, %%rd1;
mov.u32 %%r1, 44; st.shared.u32 [sv], %%r1; mov.u32 %%r1, 55; st.local.u32 [lv], %%r1;
%s %s %%r2, [%%rd5]; st.global.u32 [%%rd1+4], %%r2; ret; }
""" % (made, load), 0, 1


def aligned(body, threads=32, half=True):
    """An .aligned instruction that only lanes 0 to 15 execute."""
    guard = "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 16; @%p1 bra DONE;" if half else ""
    return HEAD + """.visible .entry k(.param .u64 p) {
.reg .b64 %%rd<9>; .reg .b32 %%r<32>; .reg .f32 %%f<16>; .reg .pred %%p<4>; .shared .align 16 .b8 sv[512];
ld.param.u64 %%rd1, [p]; mov.u32 %%r20, sv; mov.u32 %%r2, 0x3c003c00; mov.f32 %%f1, 0f00000000;
%s
%s
DONE: mov.u32 %%r9, 7; st.global.u32 [%%rd1+4], %%r9; ret; }
""" % (guard, body), 0, threads


MMA = ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r2, %r2}, {%r2}, {%f1, %f1, %f1, %f1}; "
       "st.global.f32 [%rd1], %f2;")
ALIGNED = {"mma.sync.aligned": MMA, "ldmatrix.sync.aligned": "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r20]; "
           "st.global.u32 [%rd1], %r3;", "barrier.sync.aligned 0": "bar.sync 0;", "barrier.sync 0": "barrier.sync 0;",
           "barrier.sync.aligned 1, 32": "bar.sync 1, 32;", "activemask after": "activemask.b32 %r3; st.global.u32 [%rd1], %r3;"}


def probes():
    for static, dynamic in ((0, 28), (0, 100), (28, 0), (100, 28), (0, 1000), (0, 1024), (0, 1040), (1000, 0), (0, 2000), (0, 4096)):
        size = static + dynamic
        ends = {size // 16 * 16, *(16 * (-(-size // granule) * granule // 16) + more for granule in (128, 256, 512, 1024, 2048)
                                   for more in (-16, 0))}
        for at in sorted(at for at in ends if at + 16 > size):
            yield "shared %d+%d: 16 bytes at %d" % (static, dynamic, at), shared_past_the_end(static, dynamic, at)
    for space in SPACES:
        for place in PLACES:
            yield "ld.%s of %s" % (space, place), space_and_address(space, place)
    for name, body in ALIGNED.items():
        yield name + " by half a warp", aligned(body)
        yield name + " by a warp", aligned(body, half=False)


def answer(device, ptx, dynamic, threads):
    """Returns a device's answer to a probe, in words."""
    buffer = driver.Buffer(device, np.zeros(64, np.uint32))
    buffer.write(np.full(64, 11, np.uint32))
    try:
        function = device.module(ptx).function("k")
    except driver.DriverError as error:
        return "not loaded: %s" % error
    driver.launch(device, function, 1, threads, [buffer], shared=dynamic)
    try:
        device.synchronize()
        return "values %s" % buffer.read()[:2].tolist()
    except driver.DriverError as error:
        return "fails: %s" % error


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--json")
    parser.add_argument("--one")
    options = parser.parse_args()
    if options.one:
        print(answer(driver.Device(options.library), *dict(probes())[options.one]))
        return 0
    rows = {}
    for name, _ in probes():
        command = [sys.executable, "-B", os.path.abspath(__file__), options.library, "--one", name]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=TIMEOUT_S)
            rows[name] = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "ended with %d" % done.returncode
        except subprocess.TimeoutExpired:
            rows[name] = "hangs"
        print("%-48s %s" % (name, rows[name]), flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
