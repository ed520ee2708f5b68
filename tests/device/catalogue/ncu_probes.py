"""Further kernels for compare_ncu.py, on data that its rules were not fitted to: warps of which some lanes take
part, 8 and 16 bytes a lane in other orders, atomics on few and on many places, parts of words, and branches.

They came after results/h200/compare_ncu.jsonl was recorded; those without a record are counted and not compared."""
from ncu_kernels import ADDED, BACKWARDS, HALF, KEEP, LANE, kernel, load, place, shared_place, store

# For these ncu's ideal is not what the hardware does, whose own count of passes is compared too.
IDEAL = "ncu takes 128 bytes of the active lanes for one ideal pass; here it is the passes that the hardware makes"
OTHER_IDEAL = {
    "shared_fourth_16", "shared_middle_8", "shared_ragged_8", "shared_ragged_16", "shared_store_odd_8",
    "shared_store_odd_16", "shared_store_ragged_8", "shared_store_ragged_16", "shared_ragged_halves_8",
    "shared_two_rows_8", "shared_two_rows_16"
}

# Subsets of lanes: instructions that set %p1 in the lanes that do not take part.
SUBSETS = {
    "odd": "and.b32 %r5, %r2, 1; setp.eq.u32 %p1, %r5, 0;",
    "fourth": "and.b32 %r5, %r2, 3; setp.ne.u32 %p1, %r5, 3;",
    "upper": "setp.lt.u32 %p1, %r2, 16;",
    "middle": "sub.u32 %r5, %r2, 8; setp.ge.u32 %p1, %r5, 16;",
    "seventeen": "setp.ge.u32 %p1, %r2, 17;",
    "one": "setp.ne.u32 %p1, %r2, 13;",
    "ragged": "mov.u32 %r5, 0xA5C3F00F; shr.u32 %r5, %r5, %r2; and.b32 %r5, %r5, 1; setp.eq.u32 %p1, %r5, 0;",
}

XOR2 = "xor.b32 %r3, %r2, 2;"
XOR16 = "xor.b32 %r3, %r2, 16;"
FIVES = "mul.lo.u32 %r3, %r2, 5; and.b32 %r3, %r3, 31;"
MIRROR = "sub.u32 %r5, 31, %r2; min.u32 %r3, %r2, %r5;"  # the second half reads the first's words backwards
SHIFTED = "shr.u32 %r5, %r2, 4; and.b32 %r3, %r2, 15; add.u32 %r3, %r3, %r5;"  # and here one word further
PARITY = "and.b32 %r3, %r2, 1;"
BY_EIGHT = "shr.u32 %r3, %r2, 3;"
# One place for the first half; for the others every one its own.
HALF_AT_ONE = "sub.u32 %r5, %r2, 15; setp.lt.u32 %p2, %r2, 16; selp.u32 %r3, 0, %r5, %p2;"
# The place 0 in a way that no compiler sees through: memory holds zeros.
UNKNOWN = "ld.global.u32 %r3, [%rd1+65536];"


def only(subset, body):
    return "%s @%%p1 bra SKIP;\n%s\nSKIP:\n" % (SUBSETS[subset], body)


def wide_shared():
    """8 and 16 bytes a lane: a warp goes in halves or quarters, of which some are merged."""
    for subset in ("odd", "fourth", "middle", "one", "ragged"):
        for width in (8, 16):
            yield kernel("shared_%s_%d" % (subset, width),
                         only(subset, shared_place(LANE, width) + load("shared", width, "%r4")) + KEEP, ["shared_load"])
    for subset in ("odd", "ragged"):
        for width in (8, 16):
            yield kernel("shared_store_%s_%d" % (subset, width),
                         only(subset, shared_place(LANE, width) + store("shared", width, "%r4")), ["shared_store"])
    orders = (("fives", FIVES), ("by_two", XOR2), ("by_sixteen", XOR16), ("backwards", BACKWARDS),
              ("mirror", MIRROR), ("shifted", SHIFTED), ("by_eight", BY_EIGHT))
    for name, order in orders:
        for width in (8, 16):
            yield kernel("shared_%s_%d" % (name, width),
                         shared_place(order, width) + load("shared", width, "%r4") + KEEP, ["shared_load"])
    for width in (8, 16):
        yield kernel("shared_store_fives_%d" % width,
                     shared_place(FIVES, width) + store("shared", width, "%r4"), ["shared_store"])
    for stride, width in ((24, 8), (40, 8), (48, 16), (80, 16)):
        yield kernel("shared_step_%d_%d" % (stride, width),
                     shared_place(LANE, stride) + load("shared", width, "%r4") + KEEP, ["shared_load"])
    yield kernel("shared_odd_column_16",
                 only("odd", shared_place(LANE, 128) + load("shared", 16, "%r4")) + KEEP, ["shared_load"])
    yield kernel("shared_odd_pairs_16",
                 only("odd", shared_place("shr.u32 %r3, %r2, 2;", 16) + load("shared", 16, "%r4")) + KEEP,
                 ["shared_load"])
    yield kernel("shared_ragged_halves_8",
                 only("ragged", shared_place(HALF, 8) + load("shared", 8, "%r4")) + KEEP, ["shared_load"])


def mixed_shared():
    """A broadcast and conflicts in one access, and parts of words."""
    for width in (4, 8, 16):
        yield kernel("shared_half_at_one_%d" % width,
                     shared_place(HALF_AT_ONE, 128) + load("shared", width, "%r4") + KEEP, ["shared_load"])
        yield kernel("shared_two_rows_%d" % width,
                     shared_place(PARITY, 128) + load("shared", width, "%r4") + KEEP, ["shared_load"])
    for name, lane, stride, width in (("halfwords_apart", LANE, 128, 2), ("bytes_apart", LANE, 132, 1)):
        yield kernel("shared_" + name, shared_place(lane, stride) + load("shared", width, "%r4") + KEEP, ["shared_load"])
        yield kernel("shared_store_" + name, shared_place(lane, stride) + store("shared", width, "%r4"), ["shared_store"])
    yield kernel("shared_odd_bytes", only("odd", shared_place(LANE, 1) + load("shared", 1, "%r4")) + KEEP, ["shared_load"])


def parts_of_global():
    for name, lane, stride, width in (("halfwords", LANE, 2, 2), ("bytes_apart", LANE, 33, 1)):
        yield kernel("load_" + name, place(lane, stride) + load("global", width, "%rd3") + KEEP, ["global_load"])
        yield kernel("store_" + name, place(lane, stride) + store("global", width, "%rd3"), ["global_store"])
    for subset, width in (("odd", 4), ("odd", 16), ("middle", 8), ("ragged", 4)):
        yield kernel("load_%s_%d" % (subset, width),
                     only(subset, place(LANE, width) + load("global", width, "%rd3")) + KEEP, ["global_load"])
        yield kernel("store_%s_%d" % (subset, width),
                     only(subset, place(LANE, width) + store("global", width, "%rd3")), ["global_store"])


def atomics():
    for subset, name, lane, stride in (
        ("odd", "same", UNKNOWN, 4), ("odd", "apart", LANE, 4), ("seventeen", "same", UNKNOWN, 4),
        ("seventeen", "pairs", "shr.u32 %r3, %r2, 1;", 4), ("ragged", "five_places", "rem.u32 %r3, %r2, 5;", 4),
        ("upper", "by_eight", BY_EIGHT, 4)):
        at = place(lane, stride)
        yield kernel("red_%s_%s" % (subset, name), only(subset, at + "red.global.add.u32 [%rd3], %r1;"), ["global_atomic"],
                     why={"red_sectors": ADDED} if name == "same" else None)
        yield kernel("atom_%s_%s" % (subset, name),
                     only(subset, at + "atom.global.max.u32 %r10, [%rd3], 0;\n") + KEEP, ["global_atomic"])
    for subset, name, lane, stride in (
        ("odd", "four_places", "and.b32 %r3, %r2, 3;", 4), ("odd", "one_bank", LANE, 128),
        ("seventeen", "apart", LANE, 4), ("seventeen", "two_places", PARITY, 4),
        ("ragged", "by_eight", BY_EIGHT, 4), ("one", "apart", LANE, 4), ("upper", "two_rows", PARITY, 128)):
        yield kernel("shared_atom_%s_%s" % (subset, name),
                     only(subset, shared_place(lane, stride) + "atom.shared.max.u32 %r10, [%r4], 1;\n") + KEEP,
                     ["shared_atomic"])


def branches():
    """Additions in branches: one instruction for each side with lanes, as often as its loop's last lane turns."""
    keep_loop = '.pragma "nounroll";\n'
    yield kernel("nested_ifs",
                 "setp.lt.u32 %p1, %r2, 16; @%p1 bra LOW;\n"
                 "red.global.add.u32 [%rd1+256], %r2; bra JOIN;\n"
                 "LOW: and.b32 %r5, %r2, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra EVEN;\n"
                 "red.global.add.u32 [%rd1+512], %r2; bra JOIN;\n"
                 "EVEN: setp.lt.u32 %p3, %r2, 4; @%p3 bra JOIN;\n"
                 "red.global.add.u32 [%rd1+768], %r2;\nJOIN:\n", ["global_atomic_requests"])
    # Lane i turns (i * i) % 8 + 1 times: 0, 1 and 4 are the squares.
    yield kernel("loop_squares",
                 "mul.lo.u32 %r4, %r2, %r2; and.b32 %r4, %r4, 7; add.u32 %r4, %r4, 1; mov.u32 %r3, 0;\n" + keep_loop +
                 "LOOP: red.global.add.u32 [%rd1+256], %r3; add.u32 %r3, %r3, 1;\n"
                 "setp.lt.u32 %p1, %r3, %r4; @%p1 bra LOOP;\n", ["global_atomic_requests"])
    # In every second turn only odd lanes add.
    yield kernel("loop_with_if",
                 "ld.global.u32 %r4, [%rd1+4096]; add.u32 %r4, %r4, 6; mov.u32 %r3, 0; and.b32 %r5, %r2, 1;\n" + keep_loop +
                 "LOOP: and.b32 %r6, %r3, %r5; setp.eq.u32 %p2, %r6, 0; @%p2 bra NEXT;\n"
                 "red.global.add.u32 [%rd1+256], %r3;\nNEXT: add.u32 %r3, %r3, 1;\n"
                 "setp.lt.u32 %p1, %r3, %r4; @%p1 bra LOOP;\n", ["global_atomic_requests"])
    # Lanes leave one after another, and the remaining ones read on.
    yield kernel("leaving_lanes",
                 "mov.u32 %r3, 0; shl.b32 %r4, %r2, 2; add.u32 %r4, %r4, %r30;\n" + keep_loop +
                 "LOOP: setp.gt.u32 %p1, %r3, %r2; @%p1 bra DONE;\n"
                 "ld.volatile.shared.u32 %r5, [%r4]; add.u32 %r3, %r3, 4;\n"
                 "setp.lt.u32 %p2, %r3, 32; @%p2 bra LOOP;\nDONE:\n", ["shared_load_requests"])


def all_probes():
    for part in (wide_shared, mixed_shared, parts_of_global, atomics, branches):
        for one in part():
            why = {"shared_ideal_wavefronts": IDEAL} if one.name in OTHER_IDEAL else {}
            yield one._replace(why={**one.why, **why})
