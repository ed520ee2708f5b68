"""The corpus's kernels about numbers: halves, doubles, functions, integers, random numbers, matrices."""
import math

import numpy as np

import exact
from catalogue import EXACT, Bound, entry

f16, f32, f64 = np.float16, np.float32, np.float64
ANY = [dict(n=1), dict(n=61), dict(n=1000)]


@entry("10_half", "half_axpy", ANY, least=80)
def half_axpy(run, random, n):
    x, y = random.bits(n, f16), random.bits(n, f16)
    buffer = run.put(y)
    run.launch(-(-n // 128), 128, f16(-1.25), run.put(x), buffer, np.int32(n))
    run.check("y", buffer, exact.fma(f16(-1.25), x, y))


@entry("10_half", "half2_ops", ANY, least=80)
def half2_ops(run, random, n):
    x = random.hard_floats(2 * n, f16, span=3)
    y = run.out(2 * n, f16)
    run.launch(1, n, run.put(x), y, np.int32(n))
    with np.errstate(all="ignore"):
        exponential = np.exp(f64(x))
        expected = (x * x) + exponential.astype(f16)
        low = np.repeat(x[::2] > f16(0.5), 2)
        expected = np.where(
            low,
            np.where(np.isnan(x), expected, np.where(np.isnan(expected), x,
                                                     np.maximum(x, expected))), expected)
        slack = 2 * np.spacing(np.minimum(exponential, 6e4).astype(f16)).astype(f64) + np.spacing(
            np.abs(expected)).astype(f64)
    finite = np.isfinite(expected)
    run.check("y",
              y.read()[finite], expected[finite], Bound(absolute=slack[finite],
                                                        reason="ex2.approx"))
    run.check("class", np.isnan(y.read()), np.isnan(expected))


@entry("10_half", "half_conv", ANY, least=80)
def half_conv(run, random, n):
    x = random.hard_floats(n, span=18)
    y, z = run.out(n, f16), run.out(n, f32)
    run.launch(1, n, run.put(x), y, z, np.int32(n))
    with np.errstate(all="ignore"):
        half = x.astype(f16)
        root = np.sqrt(f64(half)).astype(f16)
        run.check("y", y, half)
        run.check("z", z,
                  f32(half) + f32(root),
                  Bound(absolute=np.spacing(root).astype(f64), reason="sqrt.approx"))


@entry("10_half", "bf16_ops", ANY, least=80)
def bf16_ops(run, random, n):
    x = random.bits(n, np.uint16)
    y, z = run.out(n, np.uint16), run.out(n, f32)
    run.launch(1, n, run.put(x), y, z, np.int32(n))
    one_and_half = exact.to_bfloat16(f64(1.5)) + np.zeros(n, np.uint16)
    expected = exact.fma_bfloat16(x, x, one_and_half)
    nan = np.isnan(exact.from_bfloat16(expected))
    run.check("y", np.where(nan, np.uint16(0x7FFF), y.read()), expected)
    run.check("y is NaN", np.isnan(exact.from_bfloat16(y.read())), nan)
    with np.errstate(all="ignore"):
        run.check("z", z, exact.from_bfloat16(x) * f32(2))


@entry("10_half", "half_atomic", [dict(threads=1), dict(threads=200)], least=80)
def half_atomic(run, random, threads):
    pair, one = run.put(np.array([3, -7], f16)), run.put(np.array([0.5, 9], f16))
    run.launch(2, threads, pair, one)
    run.check("o", pair, np.array([3 + 2 * threads, -7 + 4 * threads], f16))
    run.check("p", one, np.array([0.5 + 2 * threads, 9], f16))


def total(run, name, buffer, terms, unit, dtype):
    """A sum of functions: each is a few units off, and each addition rounds."""
    terms = [t.astype(dtype).astype(np.longdouble) for t in terms]
    scale = sum(np.abs(t) for t in terms)
    run.check(
        name, buffer,
        sum(terms).astype(dtype),
        Bound(absolute=(scale * unit).astype(f64), reason="functions of approximate instructions"))


def _each(function, values):
    return np.array([function(float(v)) for v in np.atleast_1d(values)], f64)


@entry("11_double", "dmath", [dict(n=1), dict(n=1000)])
def dmath(run, random, n):
    v = random.hard_floats(n, f64, span=4, specials=False)
    y = run.out(n, f64)
    run.launch(1, n, run.put(v), y, np.int32(n))
    terms = [
        np.sin(v),
        np.cos(v) * np.exp(-v),
        np.abs(v)**1.3,
        np.sqrt(np.abs(v)),
        np.log(np.abs(v) + 1), v / (v + 3), 1 / np.sqrt(v * v + 1),
        np.floor(v), v * v + 1,
        np.fmod(v, 3),
        np.tanh(v),
        np.arctan2(v, 2),
        np.cbrt(v),
        _each(math.erf, v)
    ]
    total(run, "y", y, terms, 12 * np.finfo(f64).eps, f64)


@entry("11_double", "dcmp", [dict(n=1), dict(n=777)])
def dcmp(run, random, n):
    v = random.hard_floats(n, f64, span=28)
    v[np.isnan(v)] = np.nan
    y, k = run.out(n, f64), run.out(n, np.int32)
    run.launch(1, n, run.put(v), y, k)
    expected = np.where(v > 1, np.fmin(v, 7.0), np.fmax(v, -7.0))
    run.check("y", y, expected)
    nan, inside = np.isnan(v), np.abs(v) < 2.0**31
    with np.errstate(all="ignore"):
        count = exact.to_integer(v, np.int32) + exact.to_integer(v, np.int32,
                                                                 np.rint) + 2 * nan + np.signbit(v)
    run.check("k",
              k.read()[inside],
              count.astype(np.int32)[inside])  # beyond, C++ leaves (int) open


@entry("20_fmath", "precise", [dict(n=1), dict(n=1000)])
def precise(run, random, n):
    v32 = random.uniform(n, 0.01, 20)
    v = f64(v32)
    y = run.out(n, f32)
    run.launch(1, n, run.put(v32), y, np.int32(n))
    with np.errstate(all="ignore"):
        terms = [
            np.sin(v),
            np.cos(v) * np.exp(-v),
            np.abs(v)**f64(f32(1.7)),
            np.sqrt(v),
            np.log(v + 1), v / (v + 3), 1 / np.sqrt(v * v + 1),
            np.floor(v),
            np.tanh(v),
            np.fmod(v, 3),
            np.arctan2(v, 2),
            np.floor(v + 0.5),
            np.log2(v), 2**v,
            np.hypot(v, 2),
            _each(math.erf, v)
        ]
    total(run, "y", y, terms, 10 * np.finfo(f32).eps, f32)


@entry("20_fmath", "fast", [dict(n=1), dict(n=1000)])
def fast(run, random, n):
    v32 = random.uniform(n, 0.5, 1.4)
    v = f64(v32)
    y = run.out(n, f32)
    run.launch(1, n, run.put(v32), y, np.int32(n))
    terms = [
        np.sin(v),
        np.cos(v) * np.exp(-v), v**f64(f32(1.7)),
        np.sqrt(v),
        np.log(v), v / 3, 1 / np.sqrt(v),
        np.clip(v, 0, 1), 1 / v, v / 7,
        np.tan(v), 10**v, v * v + v, v + 1
    ]
    total(run, "y", y, terms, 40 * np.finfo(f32).eps, f32)


@entry("20_fmath", "conv", [dict(span=6), dict(span=70)])
def conv(run, random, span):
    n = 1000
    small = span == 6  # all that C++ defines: nothing beyond a signed char but the specials, which are left out
    v = np.abs(random.hard_floats(n, span=span, specials=False)) if small else random.hard_floats(
        n, span=span)
    out = {
        name: run.out(n, kind)
        for name, kind in zip("abcsud", ("i4", "u4", "i8", "i2", "u1", "f8"))
    }
    run.launch(1, n, run.put(v), *out.values())
    with np.errstate(all="ignore"):
        b, c = exact.to_integer(v, np.uint32), exact.to_integer(v, np.int64)
        c[np.isnan(v)] = np.iinfo(np.int64).min  # PTX ISA, cvt: NaN to a 64-bit integer
        d = f64(v)
        a = exact.to_integer(v, np.int32) + exact.to_integer(
            v, np.int32, np.rint) + exact.to_integer(v, np.int32, np.ceil)
        a = a + v.view(np.int32) + exact.to_integer(d, np.int32) + c.astype(np.int32)
        d = d + ((f64(c) + f64(b)) + f64(c.astype(f32)))
    run.check("b", out["b"], b)
    run.check("c", out["c"], c)
    run.check("d", out["d"], d)
    if small:
        run.check("s", out["s"], v.astype(np.int16))
        run.check("u", out["u"], v.astype(np.uint8))
    defined = np.abs(v) < 2.0**31  # (int) of what does not fit is left open by C++
    run.check("a", out["a"].read()[defined], a[defined].astype(np.int32))


@entry("21_intmath", "idiv")
def idiv(run, random):
    n = 1000
    draw = lambda kind: random.hard_integers(n, kind)
    nonzero = lambda values: np.where(values == 0, values.dtype.type(3), values)
    a, b, la, lb = draw(np.int32), nonzero(draw(np.int32)), nonzero(draw(np.int64)), nonzero(
        draw(np.uint64))
    a[(a == a.min()) & (b == -1)] = 5  # undefined in C++
    la[(la == la.min()) & (b == -1)] = 5
    out = {
        name: run.out(n, kind)
        for name, kind in (("q", "i4"), ("r", "i4"), ("uq", "u4"), ("lq", "i8"), ("ulr", "u8"))
    }
    run.launch(1, n, run.put(a), run.put(b), out["q"], out["r"], out["uq"], out["lq"], run.put(la),
               run.put(lb), out["ulr"])
    divide = lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    ints = lambda values: [int(v) for v in values]
    quotient = np.array([divide(x, y) for x, y in zip(ints(a), ints(b))], np.int64)
    tenth = np.array([divide(x, 10) for x in ints(a)], np.int64)
    rest = np.array([x - divide(x, y) * y for x, y in zip(ints(a), ints(b))], np.int64)
    eighth = np.array([x - divide(x, 8) * 8 for x in ints(a)], np.int64)
    ua, ub = a.view(np.uint32), b.view(np.uint32)
    run.check("q", out["q"], (quotient + tenth).astype(np.int32))
    run.check("r", out["r"], (rest + eighth).astype(np.int32))
    run.check("uq", out["uq"], ua // ub + ua % np.uint32(7))
    run.check("lq", out["lq"], np.array([divide(x, y) for x, y in zip(ints(la), ints(b))],
                                        np.int64))
    run.check("ulr", out["ulr"], lb % la.view(np.uint64))


@entry("21_intmath", "imisc")
def imisc(run, random):
    n = 1000
    a = random.hard_integers(n + 1, np.int32)
    a[a == a.min()] += 1  # abs() of the least int is undefined in C++
    o, s, c = random.hard_integers(n, np.int64), random.hard_integers(
        n, np.int16), random.hard_integers(n, np.uint8)
    buffers = [run.put(x) for x in (o, s, c)]
    run.launch(1, n, run.put(a), *buffers)
    expected = []
    for v, w, old in zip(map(int, a[:-1]), map(int, a[1:]), map(int, o)):
        uv, uw, uold = v % 2**32, w % 2**32, old % 2**64
        low24 = (v % 2**24) - (2**24 if v % 2**24 >= 2**23 else 0)
        signed = lambda byte: byte - 256 if byte > 127 else byte
        signed32 = lambda word: (word + 2**31) % 2**32 - 2**31
        dot = sum(signed(uv >> k & 255) * signed(3 >> k & 255) for k in (0, 8, 16, 24)) + 4
        add4 = sum(((uv >> k & 255) + (7 >> k & 255)) % 256 << k for k in (0, 8, 16, 24))
        terms = [
            v * w, (v * w) >> 32, (uv * 3) >> 32,
            abs(v),
            min(v, 5),
            max(v, 6),
            signed32(low24 * 3), (abs(v - 3) + 4) % 2**32, v & 255, v | 3, ~v,
            ((uw << 32 | uv) << 5 >> 32) % 2**32, (abs(uv - 3) + 4) % 2**32,
            bin(uold).count("1"), 64 - uold.bit_length(), (old * 77) >> 64,
            signed32(dot), add4, (v + 3) >> 1
        ]
        expected.append(sum(terms) % 2**64)
    run.check("o", buffers[0], np.array(expected, np.uint64).view(np.int64))
    with np.errstate(over="ignore"):
        run.check("s", buffers[1], s * np.int16(3) + a[:-1].astype(np.int16))
        run.check("c", buffers[2], c + a[:-1].astype(np.uint8))


@entry("21_intmath", "collatz", [dict(n=1), dict(n=301)])
def collatz(run, random, n):
    values = random.integers(n, 1, 2**20, np.uint32)
    values[0] = 837799  # 524 steps
    steps = run.out(n, np.uint32)
    run.launch(-(-n // 64), 64, run.put(values), steps, np.int32(n))
    x, count = values.astype(np.uint64), np.zeros(n, np.uint32)
    while (x != 1).any():
        count += x != 1
        x = np.where(
            x == 1, x,
            np.where(x % np.uint64(2) == 1,
                     np.uint64(3) * x + np.uint64(1), x // np.uint64(2)))
    run.check("steps", steps, count)


@entry("23_wmma", "wmma_f16", [dict(values="integers"), dict(values="fractions")])
def wmma_f16(run, random, values):
    draw = (lambda: random.integers(256, -60, 60).astype(f16)) if values == "integers" else (
        lambda: random.uniform(256, -2, 2).astype(f16))
    a, b = draw().reshape(16, 16), draw().reshape(16, 16)
    c = run.out((16, 16), f32)
    run.launch(1, 32, run.put(a), run.put(np.ascontiguousarray(b.T)), c)
    check_product(run, "c", c, a, b, values)


def check_product(run, name, got, a, b, values):
    expected = f64(a) @ f64(b)
    scale = np.abs(f64(a)) @ np.abs(f64(b))
    bound = EXACT if values == "integers" else Bound(
        absolute=scale * 2.0**-20, reason="tensor cores add in an order and a width of their own")
    run.check(name, got, expected.astype(f32), bound)


@entry("23_wmma", "mma_ptx", [dict(values="integers"), dict(values="fractions")], least=80)
def mma_ptx(run, random, values):
    draw = (lambda n: random.integers(n, -30, 30).astype(f16)) if values == "integers" else (
        lambda n: random.uniform(n, -2, 2).astype(f16))
    fragments_a, fragments_b = draw(256).reshape(4, 32, 2), draw(128).reshape(2, 32, 2)
    d = run.out(32, f32)
    run.launch(1, 32, run.put(fragments_a), run.put(fragments_b), d)
    a, b = np.zeros((16, 16)), np.zeros((16, 8))
    for lane in range(32):  # PTX ISA, fragments of mma.m16n8k16
        group, pair = lane // 4, lane % 4 * 2
        for register in range(4):
            a[group + 8 * (register % 2), pair + 8 * (register // 2):][:2] = fragments_a[register,
                                                                                         lane]
        for register in range(2):
            b[pair + 8 * register:, group][:2] = fragments_b[register, lane]
    quads = lambda c: np.array(
        [c[i // 4, i % 4 * 2:][:2].sum() + c[i // 4 + 8, i % 4 * 2:][:2].sum() for i in range(32)])
    bound = EXACT if values == "integers" else Bound(
        absolute=quads(np.abs(a) @ np.abs(b)) * 2.0**-20,
        reason="tensor cores add in an order and a width of their own")
    run.check("d", d, quads(a @ b).astype(f32), bound)


def xorshift(state):
    x, y, z, w = state
    t = x ^ (x << np.uint32(11))
    w2 = w ^ (w >> np.uint32(19)) ^ t ^ (t >> np.uint32(8))
    return (y, z, w, w2), w2


@entry("28_curand_like", "mc_pi", [dict(iterations=1), dict(iterations=203)])
def mc_pi(run, random, iterations):
    grid, block = 3, 70
    hits = run.put(np.array([5], np.uint64))
    run.launch(grid, block, hits, np.int32(iterations))
    thread, number = np.meshgrid(np.arange(block, dtype=np.uint32), np.arange(grid,
                                                                              dtype=np.uint32))
    state = (thread + np.uint32(1), np.uint32(362436069) + 0 * thread,
             np.uint32(521288629) + 0 * thread, np.uint32(88675123) + number)
    count = 5
    for _ in range(iterations):
        state, first = xorshift(state)
        state, second = xorshift(state)
        x, y = first.astype(f32) * f32(2.3283064e-10), second.astype(f32) * f32(2.3283064e-10)
        count += int((run.fma(x, x, y * y) <= 1).sum())
    run.check("hits", hits, np.uint64(count))


def xorwow_step():
    """The linear part of XORWOW, Marsaglia's, over GF(2): a matrix on 160 bits."""
    matrix = np.zeros((160, 160), np.float32)
    for bit in range(160):
        v = [(1 << bit) >> (32 * i) & 0xFFFFFFFF for i in range(5)]
        t = v[0] ^ (v[0] >> 2)
        v = v[1:] + [(v[4] ^ (v[4] << 4) & 0xFFFFFFFF) ^ (t ^ (t << 1) & 0xFFFFFFFF)]
        matrix[:, bit] = [(v[i // 32] >> (i % 32)) & 1 for i in range(160)]
    return matrix


@entry("33_curand", "f")
def curand(run, random):
    a = run.out(32, f32)
    run.launch(1, 32, a)
    # cuRAND's documented scheme: sequences of one seed are 2^67 steps apart, and seeding mixes two constants in.
    jump = xorwow_step()
    for _ in range(67):
        jump = (jump @ jump) % 2
    s0, s1 = 1234 ^ 0xAAD26B49, 0xF7DCEFDD
    t0, t1 = 1099087573 * s0 % 2**32, 2591861531 * s1 % 2**32
    v = [(123456789 + t0) % 2**32, 362436069 ^ t0, (521288629 + t1) % 2**32, 88675123 ^ t1,
         (5783321 + t0) % 2**32]
    d = (6615241 + t1 + t0) % 2**32
    bits = np.array([(v[i // 32] >> (i % 32)) & 1 for i in range(160)], np.float32)
    expected = []
    for _ in range(32):
        words = [sum(int(bits[32 * i + k]) << k for k in range(32)) for i in range(5)]
        t = words[0] ^ (words[0] >> 2)
        last = (words[4] ^ (words[4] << 4) & 0xFFFFFFFF) ^ (t ^ (t << 1) & 0xFFFFFFFF)
        number = np.array([(last + d + 362437) % 2**32], np.uint32).astype(f32)
        expected.append(run.fma(number, f32(2.3283064e-10), f32(2.3283064e-10) / f32(2))[0])
        bits = (jump @ bits) % 2
    run.check("a", a, np.array(expected, f32))
