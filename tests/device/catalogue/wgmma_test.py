#!/usr/bin/env python3
"""Products of warpgroups (wgmma) against whole matrices in NumPy: each shape, type and layout in shared memory.

    wgmma_test.py LIBRARY [--all] [--every N] [--seed N]

Each product multiplies small numbers whose sums are exact, so that no order of additions matters. Where an element of a
matrix lies is written out here by the canonical layouts of the PTX ISA, "Matrix Descriptor Format", and the fragments of
registers by its figures. One of N products a day, or all. Exit status 77: there is no NumPy, or no such device.
"""
import argparse
import datetime
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)
import driver

REALS = [n for n in range(8, 257, 8)]
INTEGERS = [8, 24] + [n for n in range(16, 257, 16)]
SHARED = 48 << 10
TYPES = [  # d, a, b, whether there is a sparse form, what n may be
    ("f32", "f16", "f16", True, REALS), ("f16", "f16", "f16", True, REALS),
    ("f32", "bf16", "bf16", True, REALS), ("f32", "tf32", "tf32", True, REALS),
    ("f32", "e4m3", "e4m3", True, REALS), ("f32", "e4m3", "e5m2", True, REALS),
    ("f16", "e5m2", "e4m3", True, REALS), ("f32", "e5m2", "e5m2", True, REALS),
    ("s32", "s8", "s8", True, INTEGERS), ("s32", "s8", "u8", True, INTEGERS),
    ("s32", "u8", "s8", True, INTEGERS), ("s32", "u8", "u8", True, INTEGERS),
    ("s32", "b1", "b1", False, INTEGERS)
]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1}
SWIZZLES = {0: 0, 32: 3, 64: 2, 128: 1}  # the two highest bits of a descriptor


def patterns_of(kind, values):
    """Small numbers, as a type has them."""
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16)
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if kind == "tf32":  # whose lowest bits mean nothing
        return values.astype(np.float32).view(np.uint32) | 0x1abc
    if kind in ("e4m3", "e5m2"):
        wide, fraction, bias = values.astype(np.float64), *((3, 7) if kind == "e4m3" else (2, 15))
        mantissa, exponent = np.frexp(np.abs(wide))
        bits = (exponent - 1 + bias << fraction) + np.round((mantissa * 2 - 1) * 2**fraction).astype(int)
        return np.where(wide == 0, 0, bits | np.where(wide < 0, 128, 0)).astype(np.uint8)
    return values.astype(np.int64).astype(np.uint8)


def numbers_for(random, kind, shape):
    if kind in ("f16", "bf16", "tf32"):
        return random.integers(-8, 9, shape) / 4
    if kind in ("e4m3", "e5m2"):
        return random.choice([-3, -2, -1.5, -1, 0, 1, 1.5, 2, 3], shape)
    return random.integers(*{"s8": (-128, 128), "u8": (0, 256), "b1": (0, 2)}[kind], shape)


class Layout:
    """Where a matrix lies: of `rows` times k elements of `bits`, with its rows or its columns contiguous."""

    def __init__(self, random, rows, k, bits, swizzle, by_columns, base):
        self.rows, self.k, self.bits, self.swizzle, self.by_columns = rows, k, bits, swizzle, by_columns
        width = max(swizzle, 16)
        pattern = width * 8  # bytes of eight rows of it: the swizzle repeats then
        roomy = rows * max(k * bits // 8, width) <= 8192  # else they lie together, as patterns of a swizzle always do
        gap = lambda: 16 * int(random.integers(0, 3)) if swizzle == 0 and roomy else 0
        if by_columns:
            pieces = -(-rows * bits // 8 // width)  # along the contiguous dimension, of the pattern's width
            first, second = pattern + gap(), pattern * (pieces if random.integers(2) else 1)
            if second == pattern and pieces > 1:  # … the other dimension first
                first = pattern * (k // 8)
            else:
                second = first * pieces
            self.leading, self.stride = (second, first) if swizzle == 0 else (first, second)
            self.bytes = max(first * pieces, second * (k // 8)) + max(first, second)
        else:
            pieces = -(-k * bits // 8 // width)
            self.leading = pattern + gap()
            self.stride = self.leading * pieces + (gap() if swizzle == 0 else pattern * int(roomy and random.integers(2)))
            if pieces > 1 and random.integers(2):  # … the other dimension first
                self.stride = pattern + gap()
                self.leading = self.stride * (rows // 8)
            self.bytes = self.stride * (rows // 8) + self.leading * pieces
        self.start = base * 128 if swizzle else 16 * base
        self.base = base % 8 if swizzle else 0
        self.bytes += self.start + pattern

    def address(self, row, k):
        """Bits from the start of the room for the matrix, which is aligned to 1024 bytes."""
        bits, width = self.bits, max(self.swizzle, 16)
        if self.by_columns:
            piece, within = row * bits // 128, row * bits % 128
            inner = piece % (width // 16), piece // (width // 16)
            if self.swizzle == 0:
                at = inner[1] * self.stride + k % 8 * 16 + k // 8 * self.leading
            else:
                at = inner[0] * 16 + inner[1] * self.leading + k % 8 * width + k // 8 * self.stride
        else:
            piece, within = k * bits // 128, k * bits % 128
            at = row % 8 * width + row // 8 * self.stride + piece * 16 % width + piece * 16 // width * self.leading
        if self.swizzle:  # within the pattern, which begins at `start`: 16-byte pieces change places by rows
            rows = at // 128 % {128: 8, 64: 4, 32: 2}[self.swizzle]
            at ^= rows << 4
        return (self.start + at) * 8 + within

    def put(self, image, patterns):
        for row, k in itertools.product(range(self.rows), range(self.k)):
            at, pattern = self.address(row, k), int(patterns[row, k])
            if self.bits == 1:
                image[at // 8] |= pattern << at % 8
            else:
                image[at // 8:at // 8 + self.bits // 8] = np.frombuffer(pattern.to_bytes(self.bits // 8, "little"), np.uint8)

    def descriptor(self, room):
        """Without the address of the image, which the kernel adds."""
        return ((self.start + room) >> 4 | self.leading >> 4 << 16 | self.stride >> 4 << 32 | self.base << 49 |
                SWIZZLES[self.swizzle] << 62)


def kernel_of(case):
    d, registers = case["d"], case["n"] // (4 if case["d"] == "f16" else 2)
    name = f"wgmma.mma_async{'.sp' if case['sparse'] else ''}.sync.aligned.m64n{case['n']}k{case['k']}."
    name += f"{d}.{case['a']}.{case['b']}" + (".satfinite" if case["saturate"] else "")
    name += ".and.popc" if case["a"] == "b1" else ""
    sums = ", ".join(f"%d{i}" for i in range(registers))
    a = "{%a0, %a1, %a2, %a3}" if case["registers"] else "%da"
    tail = f", %meta, {case['selector']}" if case["sparse"] else ""
    tail += ", %p"
    if case["d"] != "s32":
        tail += f", {case['scale_a']}, {case['scale_b']}"
    if BITS[case["a"]] == 16:
        tail += ("" if case["registers"] else f", {int(case['a_columns'])}") + f", {int(case['b_columns'])}"
    kind = {"f32": "f32", "f16": "b32", "s32": "b32"}[d]
    loads = "".join(f"ld.global.b32 %d{i}, [%rd3+{i * 512}];\n" for i in range(registers))
    stores = "".join(f"st.global.b32 [%rd3+{i * 512}], %d{i};\n" for i in range(registers))
    return f""".version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 words, .param .u64 sums, .param .u64 da, .param .u64 db, .param .u32 scale)
{{
.reg .{kind} %d<{registers}>; .reg .b32 %a<4>; .reg .b32 %r<9>; .reg .b64 %rd<19>; .reg .pred %p, %q; .reg .b32 %meta;
.reg .b64 %da, %db, %at;
.shared .align 1024 .b8 sh[{SHARED}];
ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [words]; ld.param.u64 %rd3, [sums];
ld.param.u64 %da, [da]; ld.param.u64 %db, [db]; ld.param.u32 %r5, [scale];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4;
add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4; add.u64 %rd1, %rd1, %rd4;
mov.u32 %r2, sh; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; mov.u32 %r6, 0;
fill: ld.global.b32 %r7, [%rd1]; st.shared.b32 [%r4], %r7; add.u64 %rd1, %rd1, 512; add.u32 %r4, %r4, 512;
add.u32 %r6, %r6, 512; setp.lt.u32 %q, %r6, {SHARED}; @%q bra fill;
fence.proxy.async; bar.sync 0;
shr.u32 %r2, %r2, 4; cvt.u64.u32 %at, %r2; add.u64 %da, %da, %at; add.u64 %db, %db, %at;
ld.global.b32 %a0, [%rd2]; ld.global.b32 %a1, [%rd2+512]; ld.global.b32 %a2, [%rd2+1024]; ld.global.b32 %a3, [%rd2+1536];
ld.global.b32 %meta, [%rd2+2048];
{loads}setp.ne.u32 %p, %r5, 0;
wgmma.fence.sync.aligned;
{name} {{{sums}}}, {a}, %db{tail};
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
{stores}ret;
}}
"""


def metadata_of(case, chosen, random):
    """The words of 128 threads: PTX ISA, "Sparse matrix storage". `chosen` has four bits for each piece of a row."""
    words = random.integers(0, 1 << 32, 128, dtype=np.uint64)  # threads that do not count have anything
    narrow, pieces = BITS[case["a"]] == 8, chosen.shape[1]
    used = np.zeros(128, np.uint64)
    for thread in range(128):
        warp, group, one = thread // 32, thread % 32 // 4, thread % 4
        for bit in range(0, 32, 4):
            if narrow:
                row, piece = 16 * warp + group + 8 * (one % 2), one // 2 * 8 + bit // 4
            else:
                if one // 2 != case["selector"]:
                    continue
                row, piece = 16 * warp + group + 8 * (bit // 16), one % 2 * pieces // 2 + bit % 16 // 4
            used[thread] |= np.uint64(int(chosen[row, piece]) << bit)
        if narrow or one // 2 == case["selector"]:
            words[thread] = used[thread]
    return words.astype(np.uint32)


def position(thread, register, pair):
    """Row and column of d."""
    lane = thread % 32
    return 16 * (thread // 32) + lane // 4 + 8 * (register // 2 % 2), 8 * (register // 4) + lane % 4 * 2 + pair


def run(device, case, random):
    bits, n, k = BITS[case["a"]], case["n"], case["k"]
    kept = k // 2 if case["sparse"] else k
    a, b = numbers_for(random, case["a"], (64, kept)), numbers_for(random, case["b"], (n, k))
    before = random.integers(-20, 21, (64, n)).astype(np.float64)
    if case["saturate"]:
        before = random.choice([2**31 - 5, -2**31 + 5], (64, n)).astype(np.float64)
    image = np.zeros(SHARED, np.uint8)
    words = np.zeros((5, 128), np.uint32)
    layout_b = Layout(random, n, k, bits, case["swizzle_b"], case["b_columns"], case["base_b"])
    room = -(-layout_b.bytes // 1024) * 1024
    layout_b.put(image, patterns_of(case["b"], b))
    descriptor_a = 0
    if case["registers"]:
        patterns = patterns_of(case["a"], a)
        per = 32 // bits
        for thread, register, at in itertools.product(range(128), range(4), range(per)):
            lane = thread % 32
            row = 16 * (thread // 32) + lane // 4 + 8 * (register % 2)
            column = lane % 4 * per + register // 2 * 4 * per + at
            words[register, thread] |= np.uint32(int(patterns[row, column]) << at * bits)
    else:
        layout = Layout(random, 64, kept, bits, case["swizzle_a"], case["a_columns"], case["base_a"])
        if room + layout.bytes > SHARED:
            layout = Layout(random, 64, kept, bits, 0, case["a_columns"], case["base_a"])
        layout.put(image[room:], patterns_of(case["a"], a))
        descriptor_a = layout.descriptor(room)
    whole = a.astype(np.float64)
    if case["sparse"]:
        single = bits == 32
        group, each = (2, 1) if single else (4, 2)
        pieces = k // group
        whole = np.zeros((64, k))
        chosen = np.zeros((64, pieces), np.uint8)
        for row, piece in itertools.product(range(64), range(pieces)):
            places = sorted(random.choice(group, each, replace=False))
            chosen[row, piece] = (4, 14)[places[0]] if single else places[0] | places[1] << 2
            for at, place in enumerate(places):
                whole[row, piece * group + place] = a[row, piece * each + at]
        words[4] = metadata_of(case, chosen, random)
    signs = (case["scale_a"] * case["scale_b"]) if case["d"] != "s32" else 1
    want = signs * (whole @ b.astype(np.float64).T) + (before if case["scale_d"] else 0)
    if case["saturate"]:
        want = np.clip(want, -2**31, 2**31 - 1)
    registers = n // (4 if case["d"] == "f16" else 2)
    sums, expected = np.zeros((registers, 128), np.uint32), np.zeros((registers, 128), np.uint32)
    half = case["d"] == "f16"
    for source, target in ((before, sums), (want, expected)):
        table = {
            "f32": lambda v: v.astype(np.float32).view(np.uint32),
            "f16": lambda v: v.astype(np.float16).view(np.uint16).astype(np.uint32),
            "s32": lambda v: v.astype(np.int64).astype(np.uint32)
        }[case["d"]](source)
        for thread, register in itertools.product(range(128), range(registers)):
            if half:
                pair = [table[position(thread, 2 * register, at)] for at in (0, 1)]
                target[register, thread] = pair[0] | pair[1] << 16
            else:
                target[register, thread] = table[position(thread, register, register % 2)]
    module = device.module(kernel_of(case))
    buffers = [driver.Buffer(device, one).write(one) for one in (image, words, sums)]
    driver.launch(device, module.function("k"), 1, 128,
                  [*buffers, np.uint64(descriptor_a), np.uint64(layout_b.descriptor(0)), np.uint32(case["scale_d"])])
    got = buffers[2].read()
    for one in buffers:
        one.free()
    module.unload()
    if np.array_equal(got, expected):
        return True
    wrong = np.argwhere(got != expected)
    register, thread = wrong[0]
    print(f"{case}: {len(wrong)} of {got.size} registers differ; register {register} of thread {thread} is "
          f"{got[register, thread]:#x}, not {expected[register, thread]:#x}")
    return False


def cases(random):
    """Each type with each n, and each kind of layout and operand as often as chance has it."""
    for (d, a, b, sparse, columns), with_metadata in itertools.product(TYPES, (False, True)):
        if with_metadata and not sparse:
            continue
        bits = BITS[a]
        for n, registers in itertools.product(columns, (False, True)):
            case = dict(d=d, a=a, b=b, n=n, sparse=with_metadata, registers=registers)
            case["k"] = 256 // bits * (2 if with_metadata else 1)
            case["saturate"] = d == "s32" and a != "b1" and bool(random.integers(2))
            case["selector"] = int(random.integers(2)) if bits > 8 else 0
            case["scale_a"], case["scale_b"] = (int(one) for one in random.choice([-1, 1], 2))
            case["scale_d"] = int(random.integers(2))
            case["a_columns"] = bits == 16 and not registers and bool(random.integers(2))
            case["b_columns"] = bits == 16 and bool(random.integers(2))
            case["swizzle_a"] = int(random.choice([0, 32, 64, 128]))
            fitting = [0, 32, 64, 128] if not case["b_columns"] else [s for s in (0, 32, 64, 128) if n * 2 % max(s, 16) == 0]
            if case["sparse"] and not case["b_columns"]:
                fitting.remove(32)  # rows of 64 bytes
            case["swizzle_b"] = int(random.choice(fitting))
            case["base_a"], case["base_b"] = (int(random.integers(8)) if random.integers(4) == 0 else 0
                                              for _ in range(2))
            yield case


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--seed", type=int,
                        default=int(os.environ.get("WARPMARK_TEST_SEED", datetime.date.today().strftime("%Y%m%d"))))
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    try:
        device = driver.Device(arguments.library)
    except (OSError, driver.DriverError) as error:
        print("there is no device: %s" % error)
        return 77
    if (device.attribute(75), device.attribute(76)) != (9, 0):  # its compute capability
        print("%s has no wgmma" % device.name)
        return 77
    todo = list(cases(random))
    if not arguments.all:
        chosen = random.permutation(len(todo))[:max(1, len(todo) // arguments.every)]
        todo = [todo[at] for at in sorted(chosen)]
    failed = sum(not run(device, case, random) for case in todo)
    print(f"{len(todo)} products, seed {arguments.seed}: {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
