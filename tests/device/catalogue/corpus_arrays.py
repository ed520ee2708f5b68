"""The corpus's kernels over arrays: elements, matrices, sums, histograms, scans, stencils, graphs."""
import numpy as np

from catalogue import EXACT, Bound, entry

f32 = np.float32
SIZES = [dict(n=n) for n in (1, 31, 257, 1000)]


def blocks(n, size):
    return -(-n // size)


@entry("01_vecadd", "vecadd", SIZES)
def vecadd(run, random, n):
    a, b = random.hard_floats(n), random.hard_floats(n)
    c = run.out(n + 3, f32)
    run.launch(blocks(n, 128), 128, run.put(a), run.put(b), c, np.int32(n))
    with np.errstate(all="ignore"):
        run.check("c", c.read()[:n], a + b)
    run.check("behind", c.read()[n:].view(np.uint8), np.uint8(0xCB))


@entry("01_vecadd", "scale_inplace", SIZES)
def scale_inplace(run, random, n):
    a = random.hard_floats(n, span=140)
    buffer = run.put(a)
    run.launch(blocks(n, 96), 96, buffer, f32(3e-5), np.uint64(n))
    with np.errstate(all="ignore"):
        run.check("a", buffer, a * f32(3e-5))


@entry("01_vecadd", "vecadd4", SIZES)
def vecadd4(run, random, n):
    a, b = random.hard_floats(4 * n), random.hard_floats(4 * n)
    c = run.out(4 * n, f32)
    run.launch(blocks(n, 64), 64, run.put(a), run.put(b), c, np.int32(n))
    with np.errstate(all="ignore"):
        run.check("c", c, a + b)


@entry("02_saxpy", "saxpy", SIZES)
def saxpy(run, random, n):
    x, y = random.hard_floats(n, span=60), random.hard_floats(n, span=60)
    buffer = run.put(y)
    run.launch(2, 128, f32(-1.7), run.put(x), buffer, np.int32(n))
    run.check("y", buffer, run.fma(f32(-1.7), x, y))


def matmul(run, random, m, n, k):
    a, b = random.hard_floats(m * k, specials=False).reshape(m, k), random.hard_floats(
        k * n, specials=False).reshape(k, n)
    a[0, 0], b[-1, -1] = np.inf, np.nan
    c = run.out((m, n), f32)
    run.launch((blocks(n, 16), blocks(m, 16)), (16, 16), run.put(a), run.put(b), c, np.int32(m),
               np.int32(n), np.int32(k))
    expected = np.zeros((m, n), f32)
    for i in range(k):
        expected = run.fma(a[:, i:i + 1] + np.zeros((m, n), f32), b[i:i + 1, :] + np.zeros(
            (m, n), f32), expected)
    return c, expected


SHAPES = [dict(m=1, n=1, k=1), dict(m=17, n=33, k=40), dict(m=32, n=16, k=16)]


@entry("03_matmul", "matmul_naive", SHAPES)
def matmul_naive(run, random, m, n, k):
    run.check("C", *matmul(run, random, m, n, k))


@entry("03_matmul", "matmul_tiled", SHAPES)
def matmul_tiled(run, random, m, n, k):
    # Padding adds 0 * x: the finite ones change nothing, and no other is padding's partner.
    run.check("C", *matmul(run, random, m, n, k))


@entry("04_reduce", "reduce_shfl", SIZES)
def reduce_shfl(run, random, n):
    values = random.integers(n, -1000,
                             1000).astype(f32)  # sums of small integers are exact in any order
    out = run.put(np.zeros(1, f32))
    run.launch(3, 160, run.put(values), out, np.int32(n))
    run.check("out", out, values.sum(dtype=np.float64).astype(f32))
    values = random.uniform(n, -1, 1)
    out = run.put(np.zeros(1, f32))
    run.launch(3, 160, run.put(values), out, np.int32(n))
    run.check(
        "of fractions", out,
        np.float64(values).sum().astype(f32),
        Bound(absolute=2e-7 * np.abs(values).sum() * np.log2(n + 2),
              reason="atomics add in the order of blocks"))


@entry("04_reduce", "reduce_smem", SIZES)
def reduce_smem(run, random, n):
    values = random.hard_integers(n, np.int32)
    grid = blocks(n, 128)
    out = run.out(grid, np.int32)
    run.launch(grid, 128, run.put(values), out, np.int32(n), shared=512)
    padded = np.zeros(grid * 128, np.int32)
    padded[:n] = values
    run.check("out", out, padded.reshape(grid, 128).sum(axis=1, dtype=np.int32))


@entry("04_reduce", "reduce_volatile")
def reduce_volatile(run, random):
    values = random.hard_integers(64, np.int32)
    out = run.out(1, np.int32)
    run.launch(1, 64, run.put(values), out)
    run.check("out", out, values.sum(dtype=np.int32))


def histogram(run, random, n):
    values = (random.words(n) % np.uint64(7) * np.uint64(40)).astype(np.uint8)
    values[::3] = random.bits(len(values[::3]), np.uint8)
    bins = run.put(np.full(256, 2**32 - 3, np.uint32))
    run.launch(3, 96, run.put(values), bins, np.int32(n))
    run.check("bins", bins,
              np.bincount(values, minlength=256).astype(np.uint32) + np.uint32(2**32 - 3))


@entry("05_histogram", "hist_global", SIZES)
def hist_global(run, random, n):
    histogram(run, random, n)


@entry("05_histogram", "hist_shared", SIZES)
def hist_shared(run, random, n):
    histogram(run, random, n)


@entry("06_scan", "scan_hs", [dict(n=n) for n in (1, 33, 500, 1024)])
def scan_hs(run, random, n):
    values = random.hard_integers(n, np.int32)
    out = run.out(n, np.int32)
    run.launch(1, n, run.put(values), out, np.int32(n), shared=8 * n)
    run.check("out", out, np.cumsum(values, dtype=np.int32))


@entry("06_scan", "scan_blelloch", [dict(n=n) for n in (2, 64, 2048)])
def scan_blelloch(run, random, n):
    values = random.hard_floats(n, specials=False)
    data = run.put(values)
    run.launch(1, n // 2, data, np.int32(n), shared=4 * n)
    s, offset = values.copy(), 1
    while offset < n:  # the up-sweep, then the down-sweep, in the kernel's own order of additions
        s[2 * offset - 1::2 * offset] += s[offset - 1::2 * offset]
        offset *= 2
    s[n - 1] = 0
    while offset > 1:
        offset //= 2
        left, right = s[offset - 1::2 * offset].copy(), s[2 * offset - 1::2 * offset].copy()
        s[offset - 1::2 * offset], s[2 * offset - 1::2 * offset] = right, right + left
    run.check("d", data, s)


@entry("06_scan", "scan_warp")
def scan_warp(run, random):
    values = random.hard_integers(96, np.int32)
    data = run.put(values)
    run.launch(1, 96, data)
    run.check("d", data, np.cumsum(values.reshape(3, 32), axis=1, dtype=np.int32).ravel())


@entry("07_transpose", "transpose", [dict(w=1, h=1), dict(w=40, h=70), dict(w=64, h=32)])
def transpose(run, random, w, h):
    values = random.bits(w * h, np.uint32).reshape(h, w)
    out = run.out((w, h), np.uint32)
    run.launch((blocks(w, 32), blocks(h, 32)), (32, 8), run.put(values), out, np.int32(w),
               np.int32(h))
    run.check("out", out, values.T)


@entry("08_stencil", "stencil1d", [dict(n=n) for n in (1, 256, 700)])
def stencil1d(run, random, n):
    values, weights = random.hard_floats(n, specials=False), random.uniform(7, -1, 1)
    run.symbol("coef").write(weights)
    out = run.out(n, f32)
    run.launch(blocks(n, 256), 256, run.put(values), out, np.int32(n))
    padded = np.concatenate([np.zeros(3, f32), values, np.zeros(3, f32)])
    expected = np.zeros(n, f32)
    for i in range(7):
        expected = run.fma(padded[i:i + n], weights[i] + np.zeros(n, f32), expected)
    run.check("out", out, expected)


@entry("08_stencil", "jacobi2d", [dict(nx=3, ny=3), dict(nx=37, ny=21)])
def jacobi2d(run, random, nx, ny):
    u = random.hard_floats(nx * ny, np.float64, specials=False).reshape(ny, nx)
    v, error = run.put(u), run.put(np.zeros(1))
    run.launch((blocks(nx, 16), blocks(ny, 8)), (16, 8), run.put(u), v, np.int32(nx), np.int32(ny),
               error)
    expected = u.copy()
    inner = 0.25 * (((u[1:-1, :-2] + u[1:-1, 2:]) + u[:-2, 1:-1]) + u[2:, 1:-1])
    expected[1:-1, 1:-1] = inner
    run.check("v", v, expected)
    total = np.abs(inner - u[1:-1, 1:-1]).sum()
    run.check("err", error, total,
              Bound(absolute=1e-15 * nx * ny * total, reason="atomics add in the order of blocks"))


@entry("24_async", "pipe_copy")
def pipe_copy(run, random):
    values = random.bits(4 * 128, np.uint32).reshape(128, 4)
    out = run.out((128, 4), np.uint32)
    run.launch(1, 128, run.put(values), out, np.int32(128))
    run.check("out", out, values[::-1])


@entry("25_nbody_mandel", "mandelbrot", [dict(w=37, h=21, most=60), dict(w=1, h=1, most=700)])
def mandelbrot(run, random, w, h, most):
    x0, y0, dx = f32(-2.1), f32(-1.2), f32(0.08)
    image = run.out((h, w), np.uint8)
    run.launch((blocks(w, 16), blocks(h, 8)), (16, 8), image, np.int32(w), np.int32(h), x0, y0, dx,
               np.int32(most))
    px, py = np.meshgrid(np.arange(w, dtype=f32), np.arange(h, dtype=f32))
    cx, cy = run.fma(px, dx, x0), run.fma(py, dx, y0)
    x, y, count, on = np.zeros((h, w), f32), np.zeros((h, w), f32), np.zeros(
        (h, w), np.int32), np.ones((h, w), bool)
    with np.errstate(all="ignore"):
        for _ in range(most):
            on = on & (x * x + y * y < f32(4))
            if not on.any():
                break
            nx, ny = x * x - y * y + cx, run.fma(f32(2) * x, y, cy)
            x, y, count = np.where(on, nx, x), np.where(on, ny, y), count + on
    run.check("img", image, (count & 255).astype(np.uint8))


@entry("25_nbody_mandel", "nbody", [dict(n=128), dict(n=384)])
def nbody(run, random, n):
    p, v = random.uniform(4 * n, -1, 1).reshape(n, 4), random.uniform(4 * n, -1, 1).reshape(n, 4)
    speed = run.put(v)
    run.launch(n // 128, 128, run.put(p), speed, np.int32(n), f32(0.01))
    d = np.float64(p)[None, :, :3] - np.float64(p)[:, None, :3]
    k = np.float64(p)[None, :,
                      3:] / (np.square(d).sum(axis=2, keepdims=True) + np.float64(f32(1e-9)))**1.5
    expected = np.float64(v)
    expected[:, :3] += np.float64(f32(0.01)) * (d * k).sum(axis=1)
    scale = 0.01 * np.abs(d * k).sum(axis=1).max() + 1
    run.check("v", speed, expected.astype(f32),
              Bound(absolute=scale * 4e-6, reason="rsqrt.approx, and sums of f32 against f64"))


def graph(random, n, most):
    degree = random.integers(n, 0, most, np.int64)
    degree[::5] = 0
    rows = np.concatenate([[0], np.cumsum(degree)]).astype(np.int32)
    return rows, random.integers(max(rows[-1], 1), 0, n - 1, np.int32)


@entry("25_nbody_mandel", "spmv_csr", SIZES)
def spmv_csr(run, random, n):
    rows, columns = graph(random, n, 9)
    values, x = random.hard_floats(len(columns)), random.hard_floats(n)
    y = run.out(n, f32)
    run.launch(blocks(n, 64), 64, run.put(rows), run.put(columns), run.put(values), run.put(x), y,
               np.int32(n))
    expected = np.zeros(n, f32)
    for step in range(9):
        at = rows[:-1] + step
        on = at < rows[1:]
        at = np.where(on, at, 0)
        expected = np.where(on, run.fma(values[at], x[columns[at]], expected), expected)
    run.check("y", y, expected)


@entry("25_nbody_mandel", "bfs", SIZES)
def bfs(run, random, n):
    rows, columns = graph(random, n, 4)
    distance = np.full(n, -1, np.int32)
    distance[n // 2] = 0
    rp, ci, dist = run.put(rows), run.put(columns), run.put(distance)
    for level in range(6):
        changed = run.put(np.zeros(1, np.int32))
        run.launch(blocks(n, 64), 64, rp, ci, dist, np.int32(level), np.int32(n), changed)
        found = [
            c for u in np.flatnonzero(distance == level) for c in columns[rows[u]:rows[u + 1]]
            if distance[c] == -1
        ]
        distance[found] = level + 1
        run.check("dist %d" % level, dist, distance)
        run.check("changed %d" % level, changed, np.int32(bool(found)))


@entry("25_nbody_mandel", "bitonic", [dict(n=64), dict(n=1024)])
def bitonic(run, random, n):
    values = random.hard_floats(n)
    values[np.isnan(values)] = 5
    data = run.put(values)
    k = 2
    while k <= n:
        j = k // 2
        while j:
            run.launch(n // 64, 64, data, np.int32(j), np.int32(k))
            j //= 2
        k *= 2
    got = data.read()
    run.check("sorted", got + f32(0),
              np.sort(values) + f32(0))  # zeros of either sign are equal to the kernel
    run.check("bits", np.sort(got.view(np.uint32)), np.sort(values.view(np.uint32)))


@entry("39_bigswitch", "vm", [dict(threads=1), dict(threads=32)])
def vm(run, random, threads):
    steps = 40
    program, state = random.integers(steps * 32, -1,
                                     24).reshape(steps, 32), random.hard_integers(32, np.int32)
    buffer = run.put(state)
    run.launch(1, threads, run.put(program), buffer, np.int32(steps))
    acc = np.zeros(threads, np.int32)
    for row in program[:, :threads]:
        known = (row >= 0) & (row < 24)
        code = np.where(known, row, 0).astype(np.int32)
        with np.errstate(over="ignore"):
            new = (acc * (code + np.int32(3))) ^ (state[(acc + code) & 31] >> (code & 7))
        acc = np.where(known, new, acc).astype(np.int32)
    expected = state.copy()
    expected[:threads] = acc
    # All threads read before one writes: they are one warp, which comes together after each step.
    run.check("st", buffer, expected)
