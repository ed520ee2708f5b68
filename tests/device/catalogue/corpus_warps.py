"""The corpus's kernels whose threads work together: shuffles, votes, groups, atomics, barriers, clusters."""
import numpy as np

import exact
from catalogue import Bound, entry

i32, u32, f32 = np.int32, np.uint32, np.float32


@entry("04_reduce", "shfl_variants", [dict(d=d) for d in (0, 7, 31, 45, -1)])
def shfl_variants(run, random, d):
    out = run.put(np.full(224, -9, i32))
    run.launch(1, 32, out, i32(d))
    t = np.arange(32)
    up = np.maximum(t - 1, 0)
    rows = [np.full(32, d % 32), up, t ^ 3, np.full(32, 5)]
    if run.architecture >= 80:
        rows += [np.full(32, 496), np.full(32, 31), np.full(32, np.bitwise_xor.reduce(t))]
    else:
        rows += [np.full(32, -9)] * 3
    run.check("o", out, np.concatenate(rows).astype(i32))


@entry("16_coopgroups", "cg_block")
def cg_block(run, random):
    values = random.bits(256, u32)
    o = run.put(values)
    run.launch(1, 256, o)
    run.check("o", o, values[::-1])


@entry("16_coopgroups", "cg_tile", [dict(n=8), dict(n=256)])
def cg_tile(run, random, n):
    values = random.hard_integers(n, i32)
    o = run.out(n // 8, i32)
    run.launch(1, n, run.put(values), o)
    run.check("o", o, values.reshape(-1, 8).sum(axis=1, dtype=i32))


@entry("16_coopgroups", "cg_red", [dict(n=32), dict(n=320)])
def cg_red(run, random, n):
    for name, values in (("integers", random.integers(n, -999, 999).astype(f32)),
                         ("fractions", random.uniform(n, -1, 1))):
        o = run.out(n // 32, f32)
        run.launch(1, n, run.put(values), o)
        rows = values.reshape(-1, 32)
        # Halving distances give the same sum to every lane, whichever way round it is exchanged.
        run.check(name, o, exact.fold(rows))


@entry("16_coopgroups", "cg_coalesced", [dict(n=32), dict(n=500)])
def cg_coalesced(run, random, n):
    values = random.integers(n, -20, 20)
    count, o = run.put(np.zeros(1, i32)), run.put(np.zeros(n, i32))
    run.launch(1, n, run.put(values), count, o)
    kept = values[values > 0]
    run.check("cnt", count, i32(len(kept)))
    run.check("o, sorted", np.sort(o.read()),
              np.sort(np.concatenate([kept, np.zeros(n - len(kept),
                                                     i32)])))  # warps come in any order


@entry("16_coopgroups", "cg_grid", [dict(grid=1), dict(grid=6)])
def cg_grid(run, random, grid):
    values = random.hard_integers(1001, i32)
    a = run.put(values)
    run.launch(grid, 64, a, i32(1001), cooperative=True)
    with np.errstate(over="ignore"):
        expected = values + i32(1)
    expected[0] = expected[-1]
    run.check("a", a, expected)


def find_first(v):
    low = v & -v
    return low.bit_length()


@entry("17_votes", "votes", [dict(kind=kind) for kind in ("mixed", "equal", "hard")])
def votes(run, random, kind):
    v = {
        "mixed": random.integers(32, -3, 3),
        "equal": np.full(32, 3, i32),
        "hard": random.hard_integers(32, i32)
    }[kind]
    o = run.out(288, u32)
    run.launch(1, 32, run.put(v), o)
    mask = lambda on: int(sum(1 << i for i in np.flatnonzero(on)))
    ballot = mask(v > 0)
    all_equal = (v == v[0]).all()
    rows = [[ballot] * 32, [int((v == 3).any())] * 32, [int((v < 100).all())] * 32,
            [mask(v == x) for x in v], [0xFFFFFFFF + 1 if all_equal else 0] * 32, [0xFFFFFFFF] * 32]
    bits = lambda x: int(x) % 2**32
    rows.append([
        bin(ballot).count("1") + find_first(bits(x)) + (32 - bits(x).bit_length()) +
        int(format(bits(x), "032b")[::-1], 2) + bits(x) for x in v
    ])
    rows.append([2**i - 1 for i in range(32)])
    rows.append([int((v > 0).sum()) + int((v != 0).all()) + int((v != 0).any())] * 32)
    run.check("o", o, np.array(rows, np.uint64).astype(u32).ravel())


def atomic_expectation(a, u, l, s, f, d, v, threads):
    """Returns what `atoms` leaves, thread after thread; with several, only values that no order changes are of
    use."""
    a, u, l = [int(x) for x in a], [int(x) for x in u], [int(x) for x in l]
    s, f, d = int(s[0]), [float(x) for x in f], [float(x) for x in d]
    word = lambda x: (x + 2**31) % 2**32 - 2**31
    for _ in range(threads):
        a[0] = word(a[0] + v)
        a[8], a[1] = a[1], word(a[1] + v)
        a[2] = word(a[2] - v)
        a[3], a[4] = min(a[3], v), max(a[4], v)
        a[9], a[5] = a[5], v
        a[10], a[6] = a[6], v if a[6] == 0 else a[6]
        a[0] = a[0] & v
        a[0] = a[0] | v
        a[0] = a[0] ^ v
        u[0] = 0 if u[0] >= 7 else u[0] + 1
        u[3], u[1] = u[1], 9 if u[1] == 0 or u[1] > 9 else u[1] - 1
        l[0] = (l[0] + 1) % 2**64
        l[3], l[1] = l[1], 5 if l[1] == 0 else l[1]
        l[4], l[2] = l[2], 5
        s = max(s, 5)
        l[0] = min(l[0], 5) & 3
        f[1], f[0] = f[0], f[0] + 1.5
        d[1], d[0] = d[0], d[0] + 2.5
        f[2], f[3] = f[3], 2.0
        a[7], a[8] = word(a[7] + 1), word(a[8] + 1)
    return a, u, l, s, f, d


@entry("22_atomics", "atoms",
       [dict(threads=1, v=-3),
        dict(threads=1, v=2**31 - 1),
        dict(threads=100, v=12345)])
def atoms(run, random, threads, v):
    a, u, l = random.hard_integers(11, i32), np.array([6, 12, 5, 5],
                                                      u32), np.array([2**64 - 1, 0, 77, 1, 1],
                                                                     np.uint64)
    a[6] = 0
    s, f, d = np.array([-9], np.int64), np.array([0.25, 9, 9, 7], f32), np.array([-1.5, 9])
    buffers = [run.put(x) for x in (a, u, l, s, f, d)]
    run.launch(1, threads, *buffers, i32(v))
    ea, eu, el, es, ef, ed = atomic_expectation(a, u, l, s, f, d, v, threads)
    alone = threads == 1
    pick = lambda every, fixed: list(range(every)) if alone else fixed
    for name, buffer, expected, which in (("a", buffers[0], ea, pick(11, [1, 2, 3, 4, 5, 6, 7])),
                                          ("u", buffers[1], eu, pick(4, [0, 1, 2])),
                                          ("l", buffers[2], el, pick(5, [1, 2])), ("sl", buffers[3],
                                                                                   [es], [0]),
                                          ("f", buffers[4], ef, pick(4,
                                                                     [0, 3])), ("d", buffers[5], ed,
                                                                                pick(2, [0]))):
        run.check(name, buffer.read()[which], np.array(expected, buffer.dtype)[which])


@entry("22_atomics", "cas_loop", [dict(n=1), dict(n=300)])
def cas_loop(run, random, n):
    x = random.hard_floats(n, np.float64)
    x[np.isnan(x)] = 1
    m = run.put(np.array([-1e300]))
    run.launch(1, 320, m, run.put(x), i32(n))
    run.check("m", m, max(x.max(), -1e300))


@entry("22_atomics", "spinlock", [dict(grid=1), dict(grid=5)])
def spinlock(run, random, grid):
    run.symbol("mutex_").write(np.zeros(1, i32))
    c = run.put(np.array([7], i32))
    run.launch(grid, 50, c)
    run.check("c", c, i32(7 + 50 * grid))


@entry("22_atomics", "spinlock_itS", [dict(grid=1), dict(grid=3)])
def spinlock_its(run, random, grid):
    run.symbol("mutex_").write(np.zeros(1, i32))
    c = run.put(np.array([-2], i32))
    run.launch(grid, 40, c)
    run.check("c",
              c,
              i32(40 * grid - 2),
              across=Bound(absolute=40 * grid, reason="*c is read without a fence behind the lock"))


@entry("22_atomics", "last_block", [dict(grid=1), dict(grid=70)])
def last_block(run, random, grid):
    values = random.hard_floats(grid, specials=False)
    run.symbol("ticket").write(np.zeros(1, u32))
    part, out = run.out(grid, f32), run.out(1, f32)
    run.launch(grid, 32, run.put(values), part, out)
    expected = f32(0)
    for x in values:
        expected = expected + x
    run.check("part", part, values)
    run.check("out", out, expected)


@entry("22_atomics", "fences")
def fences(run, random):
    f = run.put(np.array([0, 9], i32))
    run.launch(2, 64, f)
    run.check("f", f, np.array([1, 9], i32))


@entry("26_libcuxx", "cxx_atomic", [dict(other=5), dict(other=6)])
def cxx_atomic(run, random, other):
    p, o = run.put(np.array([41], i32)), run.put(np.array([0, other] + [3] * 62, i32))
    run.launch(1, 1, p, o)
    expected = np.array([41, 5] + [3] * 62, i32)
    expected[32] = 5
    run.check("o", o, expected)
    run.check("p", p, i32(9 if other == 5 else 5))


@entry("26_libcuxx", "cxx_misc")
def cxx_misc(run, random):
    o = run.out(64, f32)
    run.launch(1, 64, o)
    run.check("o", o, np.finfo(f32).max)


@entry("27_barriers", "cuda_barrier", [dict(n=1), dict(n=100), dict(n=1024)])
def cuda_barrier(run, random, n):
    d = run.out(n, i32)
    run.launch(1, n, d)
    run.check("d", d, i32(1))


@entry("27_barriers", "named_bar")
def named_bar(run, random):
    d = run.out(64, i32)
    run.launch(1, 64, d)
    run.check("d", d, i32(1))


@entry("30_cluster", "clus", [dict(grid=2), dict(grid=10)], least=90)
def clus(run, random, grid):
    o = run.out(grid, i32)
    run.launch(grid, 33, o)
    run.check("o", o, np.arange(grid, dtype=i32) ^ 1)


@entry("30_cluster", "dummy")
def dummy(run, random):
    run.launch((3, 2, 4), (5, 7, 2))
    run.check("lines printed", i32(len(run.launch_printing(1, 1))), i32(0))


@entry("34_cub", "f")
def cub(run, random):
    values = random.hard_integers(128, i32)
    a = run.put(values)
    run.launch(1, 128, a)
    expected = values.copy()
    expected[0] = values.sum(dtype=i32)
    run.check("a", a, expected)
