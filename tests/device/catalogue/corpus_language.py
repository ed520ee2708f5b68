"""The corpus's kernels about the language: printf, assert, malloc, calls, templates, constants, structs, textures."""
import numpy as np

from catalogue import Bound, entry
from driver import linear_texture

i32, u32, f32 = np.int32, np.uint32, np.float32


def lines_of(run, name, lines, expected):
    """Printed lines as a result: bytes, so that two devices can be compared."""
    text = lambda words: np.frombuffer("\n".join(words).encode() + b"\n", np.uint8)
    run.check(name + ", bytes", i32(len(text(lines))), i32(len(text(expected))))
    if len(text(lines)) == len(text(expected)):
        run.check(name, text(lines), text(expected))


@entry("12_printf", "hello",
       [dict(n=0, f=1.5),
        dict(n=3, f=-0.0),
        dict(n=40, f=1e30),
        dict(n=2, f=float("nan"))])
def hello(run, random, n, f):
    printed = sorted(run.launch_printing(2, 40, i32(n), f32(f)))
    number = "%f" % np.float64(f32(f))
    expected = sorted("hello block %d thread %d f=%s s=str ll=%d" % (b, t, number, n)
                      for b in range(2) for t in range(n))
    lines_of(run, "printed", printed, expected)


@entry("12_printf", "plain")
def plain(run, random):
    lines_of(run, "printed", run.launch_printing(3, 33), ["no args"] * 99)


@entry("31_cassert_stdio", "f", [dict(a=0), dict(a=2**32 - 1)])
def stdio(run, random, a):
    lines_of(run, "printed", run.launch_printing(1, 2, run.put(np.array([a], u32))), [str(a)] * 2)


def assertion(run, random):
    a = random.integers(64, -100, 9)
    buffer = run.put(a)
    run.launch(1, 64, buffer, i32(10))
    run.check("a", buffer, i32(1))


@entry("13_assert_malloc", "with_assert")
def with_assert(run, random):
    assertion(run, random)


@entry("13b_assert_include", "with_assert")
def with_assert_header(run, random):
    assertion(run, random)


def fault(run, name, got, expected):
    text = lambda word: np.frombuffer(word.encode().ljust(64), np.uint8)
    run.check(name, text(got), text(expected))


@entry("13_assert_malloc", "with_assert", [dict(fails=i) for i in (0, 63)], fatal=True)
def with_assert_failing(run, random, fails):
    a = np.zeros(64, i32)
    a[fails] = 10
    fault(run, "error", run.fault_of(1, 64, run.put(a), i32(10)), "CUDA_ERROR_ASSERT")


@entry("13_assert_malloc", "dev_malloc", [dict(n=0), dict(n=1), dict(n=1000)])
def dev_malloc(run, random, n):
    out = run.out(48, np.uint64)
    size = max(n, 1)
    run.launch(1, 48, out, i32(size))
    pointers = out.read()
    run.check("not null", pointers != 0, True)
    apart = np.diff(np.sort(pointers).astype(np.int64))
    run.check("apart", apart >= 4 * size, True)
    run.check("aligned", pointers % np.uint64(16) == 0, True)
    run.launch(1, 48, out, kernel="dev_free")


@entry("13_assert_malloc", "dev_free", [dict(rounds=3)])
def dev_free(run, random, rounds):
    out = run.out(48, np.uint64)
    for _ in range(rounds):  # 4 MB a round: what is not freed would not fit into the heap of 8 MB
        run.launch(1, 48, out, i32(20000), kernel="dev_malloc")
        run.check("not null", out.read() != 0, True)
        run.launch(1, 48, out)
    run.launch(1, 48, run.put(np.zeros(48, np.uint64)))  # free(nullptr) does nothing


@entry("13_assert_malloc", "dev_new")
def dev_new(run, random):
    head = run.out(1, np.uint64)
    run.launch(1, 1, head)
    run.check("not null", head.read() != 0, True)


@entry("13_assert_malloc", "traps", [dict(x=0), dict(x=3)])
def traps_not(run, random, x):
    fault(run, "error", run.fault_of(1, 32, i32(x)), "CUDA_SUCCESS")


@entry("13_assert_malloc", "traps", [dict(x=1)], fatal=True)
def traps(run, random, x):
    fault(run, "error", run.fault_of(1, 32, i32(x)), "CUDA_ERROR_LAUNCH_FAILED")


@entry("13_assert_malloc", "clocks")
def clocks(run, random):
    out = run.out(3, np.int64)
    run.launch(1, 1, out)
    clock64, clock, timer = out.read()
    run.check("clock() is the low word of clock64(), a little later", ((clock - clock64) % 2**32)
              < 2**20, True)
    run.check("there is a time", timer > 0, True)


@entry("14_calls", "calls")
def calls(run, random):
    fib = [0, 1, 1, 2, 3, 5, 8, 13]
    for n in (1, 7, 32):
        # v[i] is made from v[i + 1], which the next thread overwrites meanwhile: a race. But the last
        # thread's neighbour is nobody's, and a NaN is all that comes of NaN, first or last.
        v, c = random.uniform((n + 1) * 3, -9, 9).reshape(n + 1, 3), random.uniform(4, -2, 2)
        v[:n - 1] = np.nan
        o, f, buffer = run.out((2, 32), i32), run.out(n, f32), run.put(v)
        run.launch(1, n, o, f, buffer, run.put(c))
        i = np.arange(n)
        values = np.array(fib, i32)[i & 7]
        run.check("o of %d" % n, o.read()[:, :n], np.stack([values, values]))
        r = np.zeros(n, f32)
        for k in (3, 2, 1, 0):
            r = run.fma(r, i.astype(f32), c[k] + np.zeros(n, f32))
        run.check("f of %d" % n, f, r)
        a, b = v[n - 1], v[n]
        cross = [
            a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
        ]
        run.check("v of %d" % n, buffer, np.concatenate([v[:n - 1], [cross], v[n:]]))


@entry("14_calls", "indirect")
def indirect(run, random):
    x, choice = random.hard_floats(64), random.hard_integers(64, i32)
    buffer = run.put(x)
    run.launch(1, 64, buffer, run.put(choice))
    with np.errstate(all="ignore"):
        run.check("x", buffer, np.where(choice & 1, x * f32(2), x + f32(1)))


@entry("14_calls", "virt", [dict(k=0), dict(k=1)])
def virtual(run, random, k):
    o = run.out(40, f32)
    run.launch(1, 40, o, i32(k))
    run.check("o", o, np.where((np.arange(40) + k) & 1, f32(4), f32(3.14) * f32(3) * f32(3)))


def row_sums(run, random, values, columns):
    out = run.out(len(values) // columns, values.dtype)
    run.launch(1, len(values) // columns, run.put(values), out)
    expected = np.zeros(len(values) // columns, values.dtype)
    with np.errstate(all="ignore"):
        for column in values.reshape(-1, columns).T:
            expected = expected + column
    run.check("out", out, expected)


@entry("15_templates", "_Z4tsumIfLi4EEvPKT_PS0_")
def tsum_float(run, random):
    row_sums(run, random, random.hard_floats(4 * 50), 4)


@entry("15_templates", "_Z4tsumIiLi8EEvPKT_PS0_")
def tsum_int(run, random):
    row_sums(run, random, random.hard_integers(8 * 50, i32), 8)


@entry("15_templates", "_Z4tsumIdLi3EEvPKT_PS0_")
def tsum_double(run, random):
    row_sums(run, random, random.hard_floats(3 * 50, np.float64), 3)


@entry("15_templates", "_Z4tmapI2SqEvPfiT_", [dict(n=1), dict(n=333)])
def tmap(run, random, n):
    x = random.hard_floats(n, span=70)
    buffer = run.put(x)
    run.launch(-(-n // 64), 64, buffer, i32(n), f32(0.7))
    with np.errstate(all="ignore"):
        run.check("x", buffer, f32(0.7) * x * x)


@entry("18_constant", "use_const", [dict(n=1), dict(n=200)])
def use_const(run, random, n):
    lut, index = random.uniform(256, -9, 9), random.bits(n, np.uint8)
    run.symbol("lut").write(lut)
    run.symbol("dims").write(np.array([4, 5, 6], i32))
    run.symbol("counter").write(np.array([7], i32))
    run.symbol("dbuf").write(np.zeros(128, f32))
    o = run.out(n, f32)
    run.launch(1, n, o, run.put(index))
    expected = run.fma(lut[index], f32(5), lut[3] + np.zeros(n, f32))
    run.check("o", o, expected)
    run.check("counter", run.symbol("counter").read(i32), i32(7 + 4 * n))
    # Where two threads write, either may come last.
    where = slice(max(n - 128, 0), min(n, 128))
    run.check("dbuf", run.symbol("dbuf").read(f32)[where], expected[where])


@entry("19_switch_local", "sw")
def switch(run, random):
    n = 64
    op, x = random.integers(n, -1, 10), random.hard_integers(n + 1, i32)
    for i in np.flatnonzero(
            op == 2):  # what a thread subtracts must not be what its neighbour writes
        if i + 1 < n:
            op[i + 1], x[i + 1] = 1, 0
    x[:n][(op == 6) & (x[:n] == x.min())] = 4
    buffer = run.put(x)
    run.launch(1, n, run.put(op), buffer)
    expected = x.copy()
    wrap = lambda value: (value + 2**31) % 2**32 - 2**31
    cut = lambda value, by: abs(value) // by * (1 if value >= 0 else -1)
    actions = {
        0: lambda v, w: v + 1,
        1: lambda v, w: v * 3,
        2: lambda v, w: v - w,
        3: lambda v, w: v ^ 0x55,
        4: lambda v, w: v << 2,
        5: lambda v, w: v >> 1,
        6: lambda v, w: -v,
        7: lambda v, w: cut(v, 7),
        8: lambda v, w: v - cut(v, 5) * 5
    }
    for i in range(n):
        expected[i] = wrap(actions.get(int(op[i]), lambda v, w: 0)(int(x[i]), int(x[i + 1])))
    run.check("x", buffer, expected)


@entry("19_switch_local", "local_array", [dict(n=32), dict(n=64)])
def local_array(run, random, n):
    order = np.argsort(random.words(32)).astype(i32)
    index = np.concatenate([order, order[::-1]])[:n] + i32(64) * random.integers(n, -9, 9)
    o = run.out(n, i32)
    run.launch(1, n, run.put(index), o, i32(n))
    a = np.zeros(32, np.int64)
    a[index & 31] = np.arange(n)  # each is written; NumPy's last one wins, as in the loop
    expected = [sum(int(a[(int(v) + i) & 31]) for i in range(n)) for v in index]
    run.check("o", o, np.array(expected, i32))


@entry("19_switch_local", "insertion_sort", [dict(n=n) for n in (0, 1, 9, 16)])
def insertion_sort(run, random, n):
    d = random.hard_integers(16 * 40, i32).reshape(40, 16)
    buffer = run.put(d)
    run.launch(1, 40, buffer, i32(n))
    expected = d.copy()
    expected[:, :n] = np.sort(d[:, :n], axis=1)
    run.check("d", buffer, expected)


def parameters(n, weights, source, target, tag, d):
    kind = np.dtype([("n", i32), ("w", f32, 9), ("in", np.uint64), ("out", np.uint64),
                     ("tag", np.int8), ("d", np.float64)],
                    align=True)
    assert kind.itemsize == 72
    value = np.zeros((), kind)
    value["n"], value["w"], value["in"], value["out"], value["tag"], value[
        "d"] = n, weights, source.address, target.address, tag, d
    return value


@entry("29_byval_struct", "byval", [dict(n=1), dict(n=100)])
def byval(run, random, n):
    x, w = random.hard_floats(n), random.uniform(9, -5, 5)
    out = run.out(n, f32)
    source = run.put(x)
    run.launch(1, n + 5, parameters(n, w, source, out, -7, 0.125), i32(4))
    with np.errstate(all="ignore"):
        inner = run.fma(x, w[np.arange(n) % 9], f32(-7) + np.zeros(n, f32))
        run.check("out", out, (inner.astype(np.float64) + 0.125).astype(f32))


@entry("29_byval_struct", "gridconst")
def gridconst(run, random):
    w = random.uniform(9, -5, 5)
    out = run.out(40, f32)
    run.launch(1, 40, parameters(1, w, out, out, 0, 0))
    run.check("out", out, w[np.arange(40) % 9])


@entry(
    "29_byval_struct", "bounded",
    [dict(x=2**24 + 1, b=True),
     dict(x=-2**63, b=True), dict(x=3, b=False)])
def bounded(run, random, x, b):
    o = run.out((256, 3), f32)
    run.launch(1, 256, o, np.array([7, 255, 1], np.uint8), np.int64(x), np.bool_(b))
    run.check("o", o, np.array([7, 255, f32(x) if b else 0], f32))


@entry("29_byval_struct", "ldst_widths")
def ldst_widths(run, random):
    n = 32
    a, d = random.bits(2 * n, np.int8).reshape(n,
                                               2), random.hard_floats(2 * n,
                                                                      np.float64,
                                                                      specials=False).reshape(n, 2)
    b, c, e = run.out((n, 4), np.int16), run.out(2 * n, i32), run.out((n, 2), np.uint64)
    run.launch(1, n, run.put(a), b, c, run.put(d), e)
    i = np.arange(n)
    run.check("b", b, np.stack([a[:, 0], a[:, 1], 0 * i, 0 * i + 1], axis=1).astype(np.int16))
    run.check("e", e, np.stack([i, 0 * i + 2], axis=1).astype(np.uint64))
    words, expected = d.ravel().view(i32), d.astype(i32).ravel()
    # One warp: all have stored pairs before one stores a word of them, and all of those before one adds.
    expected[:n] = words[:n]
    with np.errstate(over="ignore"):
        expected[::2] += words[:n]
    run.check("c", c, expected)


@entry("32_managed", "f")
def managed(run, random):
    a = run.out(1, i32)
    run.launch(1, 1, a)
    run.check("initial", a, i32(3))
    run.symbol("mg").write(np.array([-77], i32))
    run.launch(1, 1, a)
    run.check("written", a, i32(-77))


@entry(
    "09_texture", "tex2d",
    [dict(w=1, h=1, linear=False),
     dict(w=37, h=19, linear=False),
     dict(w=37, h=19, linear=True)])
def tex2d(run, random, w, h, linear):
    values = random.hard_floats(w * h, specials=not linear).reshape(h, w, 1)
    texture = run.image(values, 2).texture(linear=linear)
    o = run.out((h, w), f32)
    run.launch((-(-w // 16), -(-h // 8)), (16, 8), texture, o, i32(w), i32(h))
    run.check("o", o, values[:, :, 0])  # in the middle of a texel the others weigh nothing


@entry("09_texture", "tex_more")
def tex_more(run, random):
    n = 16
    line, plane = random.integers(n, -99,
                                  99).astype(f32), random.integers(4 * 4 * 4, -99,
                                                                   99).astype(f32).reshape(4, 4, 4)
    space = random.integers(4 * 4 * 4, -99, 99).astype(f32).reshape(4, 4, 4, 1)
    one = linear_texture(run.device, run.put(line))  # tex1Dfetch of an array is undefined
    two, three = run.image(plane, 2).texture(), run.image(space, 3).texture()
    o, o2, o3 = run.out((n, 4), f32), run.out((n, 4), np.uint8), run.out(n, i32)
    run.launch(1, n, one, two, three, o, o2, o3)
    i = np.arange(n)
    column = np.minimum((i * f32(0.1)).astype(np.int64), 3)
    expected = plane[0, column].copy()
    expected[:, 0] += line
    expected[:, 1] += space[0, 0, column, 0]
    run.check("o", o, expected)  # o2 and o3 read textures as what they are not: undefined


@entry("09_texture", "surf_rw", [dict(w=1, h=1), dict(w=32, h=20)])
def surf_rw(run, random, w, h):
    values = random.hard_floats(w * h).reshape(h, w, 1)
    image = run.image(values, 2, surface=True)
    run.launch(1, (w, h), image.surface(), i32(w), i32(h))
    with np.errstate(all="ignore"):
        run.check("s", image.read(), values * f32(2))
