#!/usr/bin/env python3
"""Compares the products of matrices of two devices, bit for bit, over random tiles.

    compare_matrices.py LIBRARY LIBRARY [--tiles N]         two devices
    compare_matrices.py LIBRARY --record FILE [--tiles N]   digests of what one device gives
    compare_matrices.py LIBRARY --against FILE              compares it with what was recorded elsewhere

Each form of `mma`, `mma.sp` and `wgmma` of sm_90a multiplies N tiles on each device; of `wgmma` a tile is eight
columns of its n. Tiles are of six kinds, by turns:
numbers of about one magnitude, of all magnitudes, the smallest, the largest, with infinities and NaN among them, and
any bits. --only takes a pattern of forms, --every one of so many, another each day. --save FILE keeps inputs and
results of the first --most tiles of each form as arrays of NumPy, to find out how a device adds up.

Exit status: 0 all equal; 1 something differs; 77 there is no NumPy, or no such device.
"""
import argparse
import datetime
import hashlib
import itertools
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)
import driver

KINDS = ["alike", "all", "small", "large", "special", "bits"]
# Each type's bits, bits of the fraction, bias, and greatest exponent field of a number.
FIELDS = {
    "f16": (16, 10, 15, 30), "bf16": (16, 7, 127, 254), "tf32": (32, 23, 127, 254), "e4m3": (8, 3, 7, 14),
    "e5m2": (8, 2, 15, 30), "f32": (32, 23, 127, 254), "f64": (64, 52, 1023, 2046)
}
BITS = {name: fields[0] for name, fields in FIELDS.items()} | {"s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "s32": 32}
REALS = list(range(8, 257, 8))
INTEGERS = [8, 24] + list(range(16, 257, 16))
ORDERED = np.array([0x4, 0x8, 0xc, 0x9, 0xd, 0xe], np.uint32)  # two ascending places of four
SINGLE = np.array([0x4, 0xe], np.uint32)  # one place of two, of numbers of 32 bits
BLOCK = 4092  # tiles of a launch at most, as many of each kind
HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
TODAY = datetime.date.today().strftime("%Y%m%d")


class Random:
    """Numbers that any version of NumPy makes alike: the raw ones of its Philox generator."""

    def __init__(self, *key):
        self.generator = np.random.Philox(key=np.array(key, np.uint64))

    def words(self, shape):
        """64 random bits each."""
        return self.generator.random_raw(int(np.prod(shape))).reshape(shape)

    def below(self, most, shape=()):
        return (self.words(shape) >> np.uint64(11)) % np.uint64(most)


def patterns(random, kind, tile_kind, shape, center=0):
    """Patterns of a type, as unsigned integers of at least 8 bits. `center` is the exponent of about one magnitude."""
    word = np.dtype(f"u{max(BITS[kind] // 8, 1)}")
    anything = random.words(shape)
    if kind not in FIELDS or tile_kind == "bits":
        return anything.astype(word)
    bits, fraction, bias, most = FIELDS[kind]
    middle = min(max(bias + center, 4), most - 4)
    chance = random.words(shape)
    spread = sum(chance >> np.uint64(at) & np.uint64(1) for at in range(8))  # 0 to 8, mostly 4
    exponents = {
        "alike": lambda: middle - 4 + spread,
        "all": lambda: chance % np.uint64(most + 1),
        "small": lambda: chance % np.uint64(min(6, most) + 1),
        "large": lambda: np.uint64(most) - chance % np.uint64(4),
        "special": lambda: middle - 4 + spread
    }[tile_kind]()
    sign, below, infinity = 1 << bits - 1, (1 << fraction) - 1, (1 << bits - 1) - (1 << fraction)
    result = anything & np.uint64(below | sign) | np.clip(exponents, 0, most).astype(np.uint64) << np.uint64(fraction)
    if tile_kind == "special":
        result = np.where(chance >> np.uint64(20) & np.uint64(127) == 0, anything & np.uint64(below | sign) | np.uint64(infinity), result)
        result = np.where(chance >> np.uint64(40) & np.uint64(7) == 0, result & np.uint64(sign), result)  # zeros
    return result.astype(word)


class Form:
    """One instruction: how many words of operands a thread has, or bytes in shared memory, and the text that does it."""

    def __init__(self, text, threads, d, a, b, c, sizes, shared=(0, 0), sparse=False):
        self.text, self.name, self.threads, self.sparse = text, text.split(" ")[0], threads, sparse
        self.types = dict(a=a, b=b, c=c, d=d)
        self.words = dict(zip("abcd", sizes))  # of 32 bits, in registers
        self.shared = dict(zip("ab", shared))  # bytes

    def inputs(self, random, tiles, first):
        """Arrays of words: operands of (tiles, words, threads), or images of (tiles, words)."""
        center = {"f16": 3, "e4m3": 1, "e5m2": 2}.get(self.types["a"], 3)
        result = {}
        for name in "abc":
            kind = self.types[name]
            words = self.words[name] * self.threads or self.shared[name] // 4
            parts = [
                patterns(random, kind, KINDS[(first + tile) % len(KINDS)], words * 32 // max(BITS[kind], 8),
                         center if name != "c" else 2 * center + int(random.below(20)) * (tile % 2) - 10 * (tile % 2))
                for tile in range(tiles)
            ]
            if kind == "s32":  # half of the sums stay within 32 bits
                parts = [one if tile % 2 else one >> 12 for tile, one in enumerate(parts)]
            result[name] = np.stack(parts).view(np.uint32)
        chosen = SINGLE if BITS[self.types["a"]] == 32 else ORDERED
        nibbles = chosen[random.below(len(chosen), (tiles, self.threads, 8))]
        result["meta"] = np.bitwise_or.reduce(nibbles << np.arange(0, 32, 4, dtype=np.uint32), axis=2).astype(np.uint32)
        return result

    def kernel(self, name):
        t4 = self.threads * 4
        wide = {n: self.types[n] == "f64" for n in "abcd"}
        lines = [f".visible .entry {name}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pm, .param .u64 pd)", "{"]
        for n in "abcd":
            if self.words[n]:
                count = self.words[n] // (2 if wide[n] else 1)
                kind = "f64" if wide[n] else "f32" if self.types[n] == "f32" else "b32"
                lines.append(f".reg .{kind} %{n}<{count}>;")
        lines.append(".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b64 %da, %db, %at; .reg .b32 %meta; .reg .pred %p, %q;")
        if self.shared["b"]:
            lines.append(f".shared .align 1024 .b8 sh[{self.shared['a'] + self.shared['b']}];")
        lines += ["mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;"]
        for at, n in enumerate("abcd"):
            in_registers = self.words[n]
            tile_bytes = in_registers * t4 or self.shared.get(n, 0)
            each = 8 if wide[n] else 4
            lines += [f"ld.param.u64 %rd{at}, [p{n}]; mul.wide.u32 %rd5, %r2, {tile_bytes}; add.u64 %rd{at}, %rd{at}, %rd5;",
                      f"mul.wide.u32 %rd5, %r1, {each}; add.u64 %rd{at}, %rd{at}, %rd5;"]
            if n == "d":
                continue
            if in_registers:
                stride = each * self.threads
                lines += [f"ld.global.{'f64' if wide[n] else 'b32'} %{n}{i}, [%rd{at}+{i * stride}];"
                          for i in range(in_registers * 4 // each)]
            else:
                base = 0 if n == "a" else self.shared["a"]
                lines += [f"mov.u32 %r3, sh; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4; mov.u32 %r5, %r4;",
                          f"fill_{n}: setp.ge.u32 %q, %r5, {tile_bytes}; @%q bra done_{n};",
                          f"ld.global.b32 %r6, [%rd{at}]; st.shared.b32 [%r3+{base}], %r6;",
                          f"add.u64 %rd{at}, %rd{at}, {t4}; add.u32 %r3, %r3, {t4}; add.u32 %r5, %r5, {t4};",
                          f"bra fill_{n};", f"done_{n}:"]
        lines += [f"ld.param.u64 %rd4, [pm]; mul.wide.u32 %rd5, %r2, {t4}; add.u64 %rd4, %rd4, %rd5; mul.wide.u32 %rd5, %r1, 4;",
                  "add.u64 %rd4, %rd4, %rd5; ld.global.b32 %meta, [%rd4];"]
        if self.shared["b"]:
            lines += ["fence.proxy.async; bar.sync 0;", f"mov.u32 %r3, sh; shr.u32 %r4, %r3, 4; cvt.u64.u32 %at, %r4;"]
            for n in "ab":
                if self.shared[n]:
                    # Pieces of 128 bytes, those of eight rows one after another: no swizzle.
                    rows = 64 if n == "a" else self.columns
                    base = 0 if n == "a" else self.shared["a"]
                    stride = self.shared[n] // (rows // 8)
                    word = base >> 4 | 128 >> 4 << 16 | stride >> 4 << 32
                    lines.append(f"add.u64 %d{n}, %at, {word};")
            lines += ["setp.eq.u32 %p, 0, 0;", "wgmma.fence.sync.aligned;", self.text + ";",
                      "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
        else:
            lines.append(self.text + ";")
        out = "c" if self.shared["b"] else "d"  # wgmma changes its sums in place
        each = 8 if wide["d"] else 4
        lines += [f"st.global.{'f64' if wide['d'] else 'b32'} [%rd3+{i * each * self.threads}], %{out}{i};"
                  for i in range(self.words["d"] * 4 // each)]
        return "\n".join([*lines, "ret;", "}"])

    @property
    def columns(self):
        return int(re.search(r"n(\d+)k", self.text)[1])

    def results(self, device, function, inputs):
        tiles = len(inputs["a"])
        buffers = [driver.Buffer(device, inputs[n]).write(inputs[n]) for n in ("a", "b", "c", "meta")]
        out = driver.Buffer(device, np.empty((tiles, self.words["d"] * self.threads), np.uint32)).poison()
        try:
            driver.launch(device, function, tiles, self.threads, [*buffers, out])
            device.synchronize()
            return out.read()
        finally:
            for one in [*buffers, out]:
                one.free()


def listed(name, count):
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def mma(m, n, k, d, a, b, c, sparse="", tail="", head="mma", alternate=None):
    """`alternate`: words that do not follow from the shape."""
    wide = 2 if d == "f64" else 1
    words = alternate or [
        max(m * (k // 2 if sparse else k) * BITS[a] // 1024, 1), max(k * n * BITS[b] // 1024, 1), max(m * n * BITS[c] // 1024, 1),
        max(m * n * BITS[d] // 1024, 1)
    ]
    operands = [listed(name, words[at] // wide) for name, at in (("d", 3), ("a", 0), ("b", 1), ("c", 2))]
    text = f"{head}{sparse}.sync.aligned.m{m}n{n}k{k}.row.col.{d}.{a}.{b}.{c}{tail} " + ", ".join(operands)
    return Form(text + (", %meta, 0" if sparse else ""), 32, d, a, b, c, words, sparse=bool(sparse))


def forms():
    """Each form that differs in its arithmetic."""
    sums = [("f32", "f32"), ("f16", "f16")]
    for d, c in sums + [("f32", "f16")]:
        yield mma(8, 8, 4, d, "f16", "f16", c,
                  alternate=[2, 2, 8 if c == "f32" else 4, 8 if d == "f32" else 4])
    for k, (d, c) in itertools.product((8, 16), sums):
        yield mma(16, 8, k, d, "f16", "f16", c)
    for k in (8, 16):
        yield mma(16, 8, k, "f32", "bf16", "bf16", "f32")
    for k in (4, 8):
        yield mma(16, 8, k, "f32", "tf32", "tf32", "f32")
    eights = list(itertools.product(("e4m3", "e5m2"), repeat=2))
    for k, (d, c), (a, b) in itertools.product((16, 32), sums, eights):
        yield mma(16, 8, k, d, a, b, c)
    for m, n, k in ((8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)):
        yield mma(m, n, k, "f64", "f64", "f64", "f64")
    for bits, shapes in ((8, ((8, 8, 16), (16, 8, 16), (16, 8, 32))), (4, ((8, 8, 32), (16, 8, 32), (16, 8, 64)))):
        for (m, n, k), a, b in itertools.product(shapes, "su", "su"):
            yield mma(m, n, k, "s32", f"{a}{bits}", f"{b}{bits}", "s32")
    for (m, n, k), how in itertools.product(((8, 8, 128), (16, 8, 128), (16, 8, 256)), ("xor", "and")):
        yield mma(m, n, k, "s32", "b1", "b1", "s32", tail=f".{how}.popc")
    ordered = ".sp::ordered_metadata"
    for k, (d, c) in itertools.product((16, 32), sums):
        yield mma(16, 8, k, d, "f16", "f16", c, ordered)
    for k in (16, 32):
        yield mma(16, 8, k, "f32", "bf16", "bf16", "f32", ordered)
    for k in (8, 16):
        yield mma(16, 8, k, "f32", "tf32", "tf32", "f32", ordered)
    for a, b in eights:
        yield mma(16, 8, 64, "f32", a, b, "f32", ordered)
    for bits, sizes in ((8, (32, 64)), (4, (64, 128))):
        for k, a, b in itertools.product(sizes, "su", "su"):
            yield mma(16, 8, k, "s32", f"{a}{bits}", f"{b}{bits}", "s32", ordered)
    yield from warpgroup_forms()


def warpgroup_forms():
    types = [(d, "f16", "f16", REALS) for d in ("f32", "f16")]
    types += [("f32", "bf16", "bf16", REALS), ("f32", "tf32", "tf32", REALS)]
    types += [(d, a, b, REALS) for d, a, b in itertools.product(("f32", "f16"), *[("e4m3", "e5m2")] * 2)]
    types += [("s32", a, b, INTEGERS) for a, b in itertools.product(("s8", "u8"), repeat=2)] + [("s32", "b1", "b1", INTEGERS)]
    for (d, a, b, columns), sparse in itertools.product(types, (False, True)):
        if sparse and a == "b1":
            continue
        for n in columns:
            k = 256 // BITS[a] * (2 if sparse else 1)
            kept = k // 2 if sparse else k
            name = f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.m64n{n}k{k}.{d}.{a}.{b}"
            name += ".and.popc" if a == "b1" else ""
            words = n // 4 if d == "f16" else n // 2
            registers = not sparse and n % 16 == 0  # a of every second n
            text = f"{name} {listed('c', words)}, {listed('a', 4) if registers else '%da'}, %db"
            text += (", %meta, 0" if sparse else "") + ", %p"
            text += "" if d == "s32" else ", 1, 1"
            if BITS[a] == 16:
                text += ", 0" if registers else ", 0, 0"
            shared = (0 if registers else 64 * kept * BITS[a] // 8, n * k * BITS[a] // 8)
            yield Form(text, 128, d, a, b, d, [4 if registers else 0, 0, words, words], shared, sparse)


def numbers_of(kind, words):
    """Bits as they are compared: of sums."""
    return words.view(np.uint16) if kind == "f16" else words.view(np.uint64) if kind == "f64" else words


def compare(form, results):
    """Counts of elements that differ, by kind of tile, and the greatest distance in units of the last place."""
    one, other = (numbers_of(form.types["d"], words) for words in results)
    differ = one != other
    by_kind = {KINDS[at]: int(differ[at::len(KINDS)].sum()) for at in range(len(KINDS))}
    wide = np.int64
    distance = np.abs(one[differ].astype(wide) - other[differ].astype(wide)) if differ.any() else np.zeros(1)
    return differ.sum(), differ.size, {k: v for k, v in by_kind.items() if v}, int(np.median(distance)), int(distance.max())


def read_records(path):
    """Seed, tiles and the digest of each form."""
    with open(path) as file:
        header, *lines = [line.split() for line in file if not line.startswith("#")]
    return int(header[1]), int(header[3]), dict(lines)


def digest(results):
    return hashlib.sha256(results.tobytes()).hexdigest()[:16]


class Comparison:
    """One form on the devices, in launches of some tiles."""

    def __init__(self, form, devices, random):
        self.form, self.devices, self.random = form, devices, random
        self.differ, self.size, self.kinds, self.median, self.most = 0, 0, {}, 0, 0
        self.first = None  # inputs and results of the first launch

    def run(self, tiles):
        columns = self.form.columns // 8 if self.form.shared["b"] else 1
        tiles = max(-(-tiles // columns), 2 * len(KINDS))  # of eight columns
        text = HEAD + self.form.kernel("k")
        modules = []
        for device in self.devices:
            device.enter()
            modules.append(device.module(text))
        for first in range(0, tiles, BLOCK):
            self.launch(modules, min(tiles - first, BLOCK), first)
        for device, module in zip(self.devices, modules):
            device.enter()
            module.unload()

    def launch(self, modules, tiles, first):
        inputs, results = self.form.inputs(self.random, tiles, first), []
        for device, module in zip(self.devices, modules):
            device.enter()
            results.append(self.form.results(device, module.function("k"), inputs))
        self.first = self.first or (inputs, results)
        if len(results) < 2:
            return
        differ, size, kinds, median, most = compare(self.form, results)
        self.differ, self.size, self.median, self.most = (self.differ + differ, self.size + size, max(self.median, median),
                                                          max(self.most, most))
        for kind, count in kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count

    def __str__(self):
        text = f"{self.form.name}: {self.differ} of {self.size} differ"
        if self.differ:
            kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.items())
            text += f" ({kinds}), by {self.median} units of the last place, at most {self.most}"
        return text

    def saved(self, most):
        inputs, results = self.first
        kept = {n: words for n, words in inputs.items() if n != "meta" or self.form.sparse} | {"d": results[0]}
        return {f"{self.form.name}/{n}": words[:most] for n, words in kept.items()}


def devices_of(paths):
    """The devices, or None after a sentence."""
    try:
        devices = [driver.Device(path) for path in paths]
    except (OSError, driver.DriverError) as error:
        print("there is no device: %s" % error)
        return None
    for device in devices:
        device.enter()
        if (device.attribute(75), device.attribute(76)) != (9, 0):  # its compute capability
            print("%s has no wgmma" % device.name)
            return None
    return devices


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="+")
    parser.add_argument("--tiles", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--record")
    parser.add_argument("--against")
    parser.add_argument("--save")
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPMARK_TEST_SEED", TODAY)))
    options = parser.parse_args()
    devices, known = devices_of(options.library), {}
    if devices is None:
        return 77
    first = options.seed % options.every  # another one each day
    if options.against:
        options.seed, options.tiles, known = read_records(options.against)
    numbered = [(at, form) for at, form in enumerate(forms()) if re.search(options.only, form.text)]
    failed, saved, lines = 0, {}, [f"seed {options.seed} tiles {options.tiles}"]
    for at, form in numbered[first::options.every]:
        comparison = Comparison(form, devices, Random(options.seed, at))
        comparison.run(options.tiles)
        made = digest(comparison.first[1][0])
        lines.append(f"{form.name} {made}")
        if options.against and known.get(form.name) != made:
            failed += 1
            print(f"{form.name}: {made}, not {known.get(form.name)} as recorded", flush=True)
        if len(devices) == 2:
            failed += bool(comparison.differ)
            print(comparison, flush=True)
        if options.save:
            saved |= comparison.saved(options.most)
    if options.save:
        np.savez_compressed(options.save, **saved)
    if options.record:
        with open(options.record, "w") as file:
            file.write(f"# Results of {devices[0].name}: compare_matrices.py --record\n" + "\n".join(lines) + "\n")
    print(f"{len(lines) - 1} forms, seed {options.seed}, {options.tiles} tiles each: {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
