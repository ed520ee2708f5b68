"""Kernels of known traffic, for comparing the CPU device's counters with ncu's.

Each is PTX of one measured instruction or loop, so that what ptxas makes of it is hardly in doubt. What loads
bring is used by a store that never happens, since memory holds zeros."""
import collections

BLOCKS, THREADS = 3, 64
BYTES = 1 << 20  # of the array that a kernel works on, all zero

# `compare`: prefixes of the counters that are compared; `why`: {counter: the transformation that makes it differ}
Kernel = collections.namedtuple("Kernel", "name text shared compare why")

HEAD = """.version 8.0
.target sm_80
.address_size 64
"""

ENTRY = """.visible .entry %s(.param .u64 data)
{
.reg .pred %%p<8>; .reg .b32 %%r<40>; .reg .b64 %%rd<20>; .reg .f32 %%f<8>;
.shared .align 128 .b8 s[%d];
ld.param.u64 %%rd1, [data]; cvta.to.global.u64 %%rd1, %%rd1;
mov.u32 %%r1, %%tid.x; and.b32 %%r2, %%r1, 31; mov.u32 %%r30, s; mov.u32 %%r10, 0;
%s
ret;
}
"""
KEEP = """setp.ne.u32 %p7, %r10, 0; @!%p7 bra UNUSED;
st.global.u32 [%rd1], %r10;
UNUSED:
"""


def kernel(name, body, compare, shared=16384, why=None):
    return Kernel(name, HEAD + ENTRY % (name, shared, body), shared, tuple(compare), why or {})


def load(space, width, address):
    """A load of `width` bytes whose values come together in %r10."""
    if width <= 4:
        kind = {1: "u8", 2: "u16", 4: "u32"}[width]
        return "ld.%s.%s %%r10, [%s];\n" % (space, kind, address)
    registers = ["%%r%d" % (11 + i) for i in range(width // 4)]
    text = "ld.%s.v%d.u32 {%s}, [%s];\n" % (space, width // 4, ", ".join(registers), address)
    return text + "".join("or.b32 %%r10, %%r10, %s;\n" % register for register in registers)


def store(space, width, address):
    if width <= 4:
        return "st.%s.u%d [%s], %%r10;\n" % (space, 8 * width, address)
    values = ", ".join(["%r10"] * (width // 4))
    return "st.%s.v%d.u32 [%s], {%s};\n" % (space, width // 4, address, values)


def place(lane, stride, offset=0):
    """%rd3 = data + offset + stride * an expression of the lane %r2, in %r3."""
    return "%s\nmul.wide.u32 %%rd2, %%r3, %d; add.s64 %%rd3, %%rd1, %%rd2;\nadd.s64 %%rd3, %%rd3, %d;\n" % (
        lane, stride, offset)


def shared_place(lane, stride):
    return "%s\nmad.lo.u32 %%r4, %%r3, %d, %%r30;\n" % (lane, stride)


ADDED = "ptxas adds the values of all lanes first where they add to one address"
LANE = "mov.u32 %r3, %r2;"
PAIR = "shr.u32 %r3, %r2, 1;"
XOR1 = "xor.b32 %r3, %r2, 1;"
BACKWARDS = "sub.u32 %r3, 31, %r2;"
SHUFFLED = "mul.lo.u32 %r3, %r2, 7; and.b32 %r3, %r3, 31;"
HALF = "and.b32 %r3, %r2, 15;"
QUARTER = "and.b32 %r3, %r2, 7;"


def first_lanes(count, body):
    return "setp.ge.u32 %%p1, %%r2, %d; @%%p1 bra SKIP;\n%s\nSKIP:\n" % (count, body)


def global_kernels():
    places = [
        ("bytes", LANE, 1, 0, 1), ("coalesced_4", LANE, 4, 0, 4), ("coalesced_8", LANE, 8, 0, 8),
        ("coalesced_16", LANE, 16, 0, 16), ("every_other_4", LANE, 8, 0, 4),
        ("every_fourth_4", LANE, 16, 0, 4), ("every_other_8", LANE, 16, 0, 8),
        ("sector_each_4", LANE, 32, 0, 4), ("sector_each_8", LANE, 32, 0, 8),
        ("sector_each_16", LANE, 32, 0, 16), ("line_each_4", LANE, 128, 0, 4),
        ("scattered_4", LANE, 512, 0, 4), ("scattered_16", LANE, 512, 0, 16),
        ("one_late_4", LANE, 4, 4, 4), ("one_late_8", LANE, 8, 8, 8), ("one_late_16", LANE, 16, 16, 16),
        ("broadcast_4", LANE, 0, 0, 4), ("broadcast_8", LANE, 0, 0, 8), ("broadcast_16", LANE, 0, 0, 16),
        ("backwards_4", BACKWARDS, 4, 0, 4), ("shuffled_4", SHUFFLED, 4, 0, 4),
        ("shuffled_8", SHUFFLED, 8, 0, 8), ("shuffled_16", SHUFFLED, 16, 0, 16),
        ("pairs_4", PAIR, 4, 0, 4), ("pairs_8", PAIR, 8, 0, 8), ("pairs_16", PAIR, 16, 0, 16),
        ("halves_8", HALF, 8, 0, 8), ("quarters_16", QUARTER, 16, 0, 16),
    ]
    for name, lane, stride, offset, width in places:
        yield kernel("load_" + name,
                     place(lane, stride, offset) + load("global", width, "%rd3") + KEEP,
                     ["global_load"])
    for name, lane, stride, offset, width in places:
        if width >= 4 and "broadcast" not in name and "late" not in name:
            yield kernel("store_" + name,
                         place(lane, stride, offset) + store("global", width, "%rd3"),
                         ["global_store"])
    for count in (1, 9, 16):
        for width in (4, 16):
            yield kernel("load_%d_lanes_%d" % (count, width),
                         first_lanes(count, place(LANE, width) + load("global", width, "%rd3")) + KEEP,
                         ["global_load"])
    for name, lane, stride in (("same", LANE, 0), ("apart", LANE, 4), ("scattered", LANE, 128),
                               ("five_places", "rem.u32 %r3, %r2, 5;", 4)):
        yield kernel("red_" + name, place(lane, stride) + "red.global.add.u32 [%rd3], %r1;",
                     ["global_atomic"], why={"red_sectors": ADDED} if name == "same" else None)
        yield kernel("atom_" + name,
                     place(lane, stride) + "atom.global.max.u32 %r10, [%rd3], 0;\n" + KEEP,
                     ["global_atomic"])
    # ptxas takes no detour for generic addresses that it can see through.
    yield kernel("load_generic", place(LANE, 4) + "cvta.global.u64 %rd4, %rd3; ld.u32 %r10, [%rd4];\n" +
                 KEEP, ["global_load"])


def shared_kernels():
    for k in (1, 2, 3, 4, 8, 16, 32, 33):
        yield kernel("shared_stride_%d" % k,
                     shared_place(LANE, 4 * k) + load("shared", 4, "%r4") + KEEP, ["shared_load"])
        yield kernel("shared_store_stride_%d" % k,
                     shared_place(LANE, 4 * k) + store("shared", 4, "%r4"), ["shared_store"])
    for name, lane, stride, width in (
        ("bytes", LANE, 1, 1), ("broadcast_4", LANE, 0, 4), ("broadcast_8", LANE, 0, 8),
        ("broadcast_16", LANE, 0, 16), ("pairs_4", PAIR, 4, 4), ("wide_8", LANE, 8, 8),
        ("pairs_8", PAIR, 8, 8), ("exchanged_8", XOR1, 8, 8), ("halves_8", HALF, 8, 8),
        ("every_other_8", LANE, 16, 8), ("every_fourth_8", LANE, 32, 8), ("column_8", LANE, 128, 8),
        ("wide_16", LANE, 16, 16), ("pairs_16", PAIR, 16, 16), ("fours_16",
                                                               "shr.u32 %r3, %r2, 2;", 16, 16),
        ("quarters_16", QUARTER, 16, 16), ("halves_16", HALF, 16, 16),
        ("every_other_16", LANE, 32, 16), ("every_fourth_16", LANE, 64, 16),
        ("column_16", LANE, 128, 16), ("padded_column_16", LANE, 144, 16)):
        yield kernel("shared_" + name, shared_place(lane, stride) + load("shared", width, "%r4") + KEEP,
                     ["shared_load"])
        if width >= 8 and lane == LANE and stride:
            yield kernel("shared_store_" + name,
                         shared_place(lane, stride) + store("shared", width, "%r4"), ["shared_store"])
    for count in (1, 9, 16, 17):
        for width in (4, 8, 16):
            yield kernel(
                "shared_%d_lanes_%d" % (count, width),
                first_lanes(count, shared_place(LANE, width) + load("shared", width, "%r4")) + KEEP,
                ["shared_load"])
    for name, lane, stride in (("same", LANE, 0), ("apart", LANE, 4), ("one_bank", LANE, 128),
                               ("four_places", "and.b32 %r3, %r2, 3;", 4)):
        yield kernel("shared_atom_" + name,
                     shared_place(lane, stride) + "atom.shared.add.u32 %r10, [%r4], 1;\n" + KEEP,
                     ["shared_atomic"], why={"shared_atomic_wavefronts": ADDED} if name == "same" else None)


def transpose_kernel(name, row):
    """A tile of 32 × 32 words by 32 rows of one warp: rows are written, columns read."""
    body = "mov.u32 %r20, 0;\nWRITE: mad.lo.u32 %r21, %r20, " + str(row) + ", %r2;\n" \
        "mad.lo.u32 %r4, %r21, 4, %r30; st.shared.u32 [%r4], %r20;\n" \
        "add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 32; @%p1 bra WRITE;\nbar.sync 0;\n" \
        "mov.u32 %r20, 0;\nREAD: mad.lo.u32 %r21, %r2, " + str(row) + ", %r20;\n" \
        "mad.lo.u32 %r4, %r21, 4, %r30; ld.shared.u32 %r22, [%r4]; add.u32 %r10, %r10, %r22;\n" \
        "add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 32; @%p1 bra READ;\n"
    keep = "setp.eq.u32 %p7, %r10, 77; @!%p7 bra UNUSED;\nst.global.u32 [%rd1], %r10;\nUNUSED:\n"
    joined = "ptxas unrolls the loop by four and joins loads side by side into one of 16 bytes"
    counters = ("requests", "wavefronts", "ideal_wavefronts", "conflicts") if row % 4 == 0 else ()
    return kernel(name, body + keep, ["shared_load", "shared_store"],
                  why={"shared_load_" + one: joined for one in counters})


def branch_kernels():
    # Loops that are not unrolled and whose bodies touch memory, so that no branch becomes a predicate.
    rejoined = "ptxas adds instructions by which lanes that parted meet, and ncu counts them as branches"
    unrolled = "ptxas turns a branch over few instructions into predicates, and adds exits of its own"
    loop = ".pragma \"nounroll\";\nLOOP: red.global.add.u32 [%rd1], 1; add.u32 %r3, %r3, 1;\n" \
           "setp.lt.u32 %p1, %r3, %r4; @%p1 bra LOOP;\n"
    yield kernel("loop_uniform", "mov.u32 %r3, 0; mov.u32 %r4, 10;\n" + loop,
                 ["ptx_branches", "ptx_divergent", "global_atomic_requests"],
                 why={"ptx_branches": "ptxas unrolls a loop whose number of turns it knows"})
    yield kernel("loop_by_lane", "mov.u32 %r3, 0; add.u32 %r4, %r2, 1;\n" + loop,
                 ["ptx_branches", "ptx_divergent", "global_atomic_requests"], why={"ptx_branches": rejoined})
    yield kernel("loop_by_quarter", "mov.u32 %r3, 0; shr.u32 %r4, %r2, 3; add.u32 %r4, %r4, 1;\n" + loop,
                 ["ptx_branches", "ptx_divergent", "global_atomic_requests"], why={"ptx_branches": rejoined})
    half = "LOOP%d: red.global.add.u32 [%%rd1], %d; add.u32 %%r3, %%r3, 1;\n" \
           "setp.lt.u32 %%p1, %%r3, %%r4; @%%p1 bra LOOP%d;\n"
    yield kernel(
        "two_sides", "ld.global.u32 %r4, [%rd1+4096]; add.u32 %r4, %r4, 5; mov.u32 %r3, 0;\n"
        "setp.lt.u32 %p2, %r2, 16; @%p2 bra LEFT;\n" + half % (1, 1, 1) + "bra JOIN;\nLEFT:\n" +
        half % (2, 2, 2) + "JOIN:\n", ["ptx_branches", "ptx_divergent", "global_atomic_requests"],
        why={"ptx_branches": unrolled})


def local_kernels():
    """Local memory that is indexed by what was loaded, so that it does not become registers."""
    declare = ".local .align 16 .b8 l[256]; ld.global.u32 %r20, [%rd1]; mov.u32 %r21, l;\n"
    fill = "".join("st.local.u32 [%%r21+%d], %%r2;\n" % (4 * i) for i in range(4))
    for name, index in (("equal", "mov.u32 %r3, %r20;"), ("by_parity",
                                                        "and.b32 %r3, %r2, 1; add.u32 %r3, %r3, %r20;")):
        yield kernel("local_" + name, declare + fill + index +
                     "\nmad.lo.u32 %r4, %r3, 4, %r21; ld.local.u32 %r22, [%r4]; or.b32 %r10, %r10, %r22;\n" +
                     KEEP.replace("st.global.u32 [%rd1]", "st.global.u32 [%rd1+4096]"),
                     ["local_load", "local_store"],
                     why={"local_store_requests": "ptxas joins four stores into one of 16 bytes"})


def flop_kernel():
    return kernel(
        "flops", "cvt.rn.f32.u32 %f1, %r1; ld.global.f32 %f2, [%rd1]; fma.rn.f32 %f3, %f1, %f2, %f1;\n"
        "add.rn.f32 %f4, %f3, %f2; mul.rn.f32 %f5, %f4, %f1; st.global.f32 [%rd1+4096], %f5;",
        ["ptx_flops", "global_store", "global_load"])


def async_kernels():
    for width, cache in ((4, "ca"), (16, "cg")):
        yield kernel("async_copy_%d" % width,
                     place(LANE, width) + shared_place(LANE, width) +
                     "cp.async.%s.shared.global [%%r4], [%%rd3], %d; cp.async.wait_all;\n" %
                     (cache, width) + load("shared", 4, "%r4") + KEEP,
                     ["async_global", "async_shared", "shared_load"],
                     why={"shared_load_requests": "ncu's metric counts what cp.async becomes (LDGSTS), too"})


def all_kernels():
    kernels = list(global_kernels()) + list(shared_kernels())
    kernels += [transpose_kernel("transpose_plain", 32), transpose_kernel("transpose_padded", 33)]
    kernels += list(branch_kernels()) + list(local_kernels()) + [flop_kernel()] + list(async_kernels())
    assert len({one.name for one in kernels}) == len(kernels)
    return kernels
