#!/usr/bin/env python3
"""Times products of warpgroups (wgmma) on one core of the CPU device, each alone in a loop.

    warpgroup_products.py LIBRARY [-k WORD] [--products N]

A block of 128 threads multiplies one tile N times. The time of a product is that of the processor, so that other programs
disturb it little: the least of five launches, less that of a launch of one product. The matrices have random numbers of one
magnitude. Exit status: 0; 77 there is no NumPy.
"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "device", "catalogue"))
try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)
import driver

RUNS = 5
PRODUCTS = [  # n, k, d, a, b
    (8, 16, "f32", "f16", "f16"), (64, 16, "f32", "f16", "f16"), (128, 16, "f32", "f16", "f16"), (256, 16, "f32", "f16", "f16"),
    (128, 16, "f16", "f16", "f16"), (128, 16, "f32", "bf16", "bf16"), (128, 8, "f32", "tf32", "tf32"),
    (128, 32, "f32", "e4m3", "e4m3"), (128, 32, "s32", "s8", "s8"), (128, 256, "s32", "b1", "b1")
]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "s8": 8, "b1": 1}


def text_of(n, k, d, a, b):
    """A kernel that multiplies as often as its parameter says. The tiles come from the memory of its other parameter."""
    registers = n // (4 if d == "f16" else 2)
    kind = "f32" if d == "f32" else "b32"
    sums = ", ".join(f"%d{i}" for i in range(registers))
    tail = ".and.popc" if a == "b1" else ""
    more = ", 1" + (", 1, 1" if d != "s32" else "") + (", 0, 0" if BITS[a] == 16 else "")
    clear = "".join(f"mov.{kind} %d{i}, 0{'f00000000' if kind == 'f32' else ''};\n" for i in range(registers))
    stores = "".join(f"st.global.{kind} [%rd1+{i * 4}], %d{i};\n" for i in range(registers))
    row = k * BITS[a] // 8  # bytes, of pieces of eight rows times 16 bytes
    return f""".version 8.0
.target sm_90a
.address_size 64
.visible .entry multiply(.param .u64 tiles, .param .u64 out, .param .u32 count) {{
.shared .align 1024 .b8 room[{(64 + n) * row}];
.reg .{kind} %d<{registers}>; .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<3>;
ld.param.u64 %rd0, [tiles]; ld.param.u64 %rd1, [out]; ld.param.u32 %r0, [count];
mov.u32 %r1, %tid.x; mov.u32 %r4, room;
FILL: mul.lo.u32 %r2, %r1, 4; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd2, %rd0; ld.global.b32 %r3, [%rd2];
add.u32 %r2, %r2, %r4; st.shared.b32 [%r2], %r3; add.u32 %r1, %r1, 128;
setp.lt.u32 %p1, %r1, {(64 + n) * row // 4}; @%p1 bra FILL;
fence.proxy.async; bar.sync 0;
cvt.u64.u32 %rd3, %r4; shr.u64 %rd3, %rd3, 4; or.b64 %rd3, %rd3, {128 >> 4 << 16 | row * 8 >> 4 << 32};
add.u64 %rd4, %rd3, {64 * row >> 4};
{clear}wgmma.fence.sync.aligned;
LOOP: wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{a}.{b}{tail} {{{sums}}}, %rd3, %rd4{more};
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
sub.u32 %r0, %r0, 1; setp.ne.u32 %p2, %r0, 0; @%p2 bra LOOP;
mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, {registers * 4}; add.u64 %rd1, %rd1, %rd2;
{stores}ret; }}
"""


def tiles_of(random, n, k, a):
    """Random numbers from 1 to 2, with either sign."""
    count, sign = (64 + n) * k, random.integers(0, 2, (64 + n) * k)
    if a == "f16":
        return (sign << 15 | 15 << 10 | random.integers(0, 1 << 10, count)).astype(np.uint16)
    if a == "bf16":
        return (sign << 15 | 127 << 7 | random.integers(0, 1 << 7, count)).astype(np.uint16)
    if a == "tf32":
        return (sign << 31 | 127 << 23 | random.integers(0, 1 << 23, count)).astype(np.uint32)
    if a == "e4m3":
        return (sign << 7 | 7 << 3 | random.integers(0, 1 << 3, count)).astype(np.uint8)
    return random.integers(0, 256, count * BITS[a] // 8).astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("-k", dest="word", default="")
    parser.add_argument("--products", type=int, default=400)
    options = parser.parse_args()
    device, random = driver.Device(options.library), np.random.default_rng(1)
    print("| product | microseconds | billions of products of two numbers a second |\n|---|---|---|")
    for n, k, d, a, b in PRODUCTS:
        name = f"m64n{n}k{k} {d} += {a} {b}"
        if options.word not in name:
            continue
        tiles, out = tiles_of(random, n, k, a), np.zeros(128 * n // 2, np.uint32)
        buffers = [driver.Buffer(device, tiles).write(tiles), driver.Buffer(device, out)]
        function = device.module(text_of(n, k, d, a, b)).function("multiply")
        taken = {}
        for count in (1, options.products) * RUNS:
            begun = time.process_time()
            driver.launch(device, function, (1,), (128,), [*buffers, np.uint32(count)])
            device.synchronize()
            taken.setdefault(count, []).append(time.process_time() - begun)
        each = (min(taken[options.products]) - min(taken[1])) / (options.products - 1)
        print(f"| {name} | {each * 1e6:.1f} | {64 * n * k / each / 1e9:.1f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
