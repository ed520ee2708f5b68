"""Single PTX instructions as kernels, each with operands that are hard for it, and how near two devices must be.

There is no reference here: exactness_test.cpp and approximate_test.cpp of tests/device/machine have those.
"""
import numpy as np

from catalogue import EXACT, Bound
from video import video_forms

REGISTERS = {
    "f16": "b16",
    "bf16": "b16",
    "s16": "b16",
    "u16": "b16",
    "f16x2": "b32",
    "bf16x2": "b32",
    "s32": "b32",
    "u32": "b32",
    "s64": "b64",
    "u64": "b64",
    "f32": "f32",
    "f64": "f64"
}
DTYPES = {
    "f16": "f2",
    "bf16": "u2",
    "s16": "i2",
    "u16": "u2",
    "f16x2": "u4",
    "bf16x2": "u4",
    "s32": "i4",
    "u32": "u4",
    "s64": "i8",
    "u64": "u8",
    "f32": "f4",
    "f64": "f8"
}
CALL = "{ .reg .pred %p; .reg .b32 %t<4>; .reg .b16 %h<4>; .reg .b64 %w<4>; "


class Operation:
    """`body` is PTX with {d} {a} {b} {c}; `prepare` may change the operands (a list of arrays)."""

    def __init__(self, name, out, operands, body, bound=EXACT, prepare=None):
        self.name, self.out, self.operands, self.body, self.bound, self.prepare = name, out, operands, body, bound, prepare


def simple(instruction, out, *operands, **more):
    names = ", ".join("{%s}" % n for n in "abc"[:len(operands)])
    return Operation(instruction, out, operands, "%s {d}, %s;" % (instruction, names), **more)


def relative(exponent, mantissa=24):
    """A promised relative error of 2^exponent, of a result that the other device rounds correctly. What one
    of them flushes to zero the other may just not."""
    return Bound(ulp=np.ceil(2.0**(mantissa + exponent)) + 1,
                 absolute={
                     24: 2.0**-126,
                     53: 2.0**-1022
                 }.get(mantissa, 0),
                 reason="approximate: 2^%g relative" % exponent)


def absolute(exponent, mantissa=24):
    return Bound(ulp=1,
                 absolute=2.0**exponent + 2.0**-mantissa,
                 reason="approximate: 2^%g absolute" % exponent)


def nonzero(which, signed):
    """No division by zero, and none of the least integer by -1: the ISA leaves those open."""

    def prepare(operands):
        divisor = operands[which]
        divisor[divisor == 0] = 3
        if signed:
            divisor[divisor == -1] = 5
        return operands

    return prepare


def within(limit):

    def prepare(operands):
        values = operands[0]
        bad = ~(np.abs(values) <= limit)
        ramp = np.arange(np.count_nonzero(bad)) % 2001 - 1000
        values[bad] = ramp.astype(values.dtype) / values.dtype.type(1000) * values.dtype.type(limit)
        return operands

    return prepare


def divisors(operands):
    """div.approx and div.full promise 2 ulp for divisors of 2^-126 to 2^126."""
    size = np.abs(operands[1])
    operands[1][~((size >= 2.0**-126) & (size <= 2.0**126))] = 3
    return operands


def floats():
    for width, mantissa in (("f32", 24), ("f64", 53)):
        for rounding in ("rn", "rz", "rm", "rp"):
            for ftz in ("", ".ftz") if width == "f32" else ("", ):
                for name, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("div", 2),
                                    ("rcp", 1), ("sqrt", 1)):
                    yield simple("%s.%s%s.%s" % (name, rounding, ftz, width), width,
                                 *[width] * count)
        for name in ("min", "max"):
            yield simple("%s.%s" % (name, width), width, width, width)
        for name in ("abs", "neg"):
            yield simple("%s.%s" % (name, width), width, width)
        yield simple("copysign.%s" % width, width, width, width)
        for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield Operation(
                "testp.%s.%s" % (test, width), "u32", [width],
                CALL + "testp.%s.%s %%p, {a}; selp.u32 {d}, 1, 0, %%p; }" % (test, width))
        for relation in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
                         "geu", "num", "nan"):
            yield Operation(
                "setp.%s.%s" % (relation, width), "u32", [width, width],
                CALL + "setp.%s.%s %%p, {a}, {b}; selp.u32 {d}, 1, 0, %%p; }" % (relation, width))
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            yield simple("cvt.%s.%s.%s" % (rounding, width, width), width, width)
            for integer in ("s32", "u32", "s64", "u64", "s16", "u16"):
                yield simple("cvt.%s.%s.%s" % (rounding, integer, width), integer, width)
        for rounding in ("rn", "rz", "rm", "rp"):
            for integer in ("s32", "u32", "s64", "u64"):
                yield simple("cvt.%s.%s.%s" % (rounding, width, integer), width, integer)
    for name in ("add", "sub", "mul"):
        yield simple("%s.rn.sat.f32" % name, "f32", "f32", "f32")
    yield simple("fma.rn.sat.f32", "f32", "f32", "f32", "f32")
    for form in ("min.ftz", "max.ftz", "min.NaN", "max.NaN", "min.xorsign.abs",
                 "max.NaN.xorsign.abs", "min.ftz.NaN.xorsign.abs"):
        yield simple(form + ".f32", "f32", "f32", "f32")
    yield simple("abs.ftz.f32", "f32", "f32")
    yield simple("neg.ftz.f32", "f32", "f32")
    yield simple("slct.f32.f32", "f32", "f32", "f32", "f32")
    yield simple("slct.ftz.f64.f32", "f64", "f64", "f64", "f32")
    yield simple("set.lt.f32.f32", "f32", "f32", "f32")
    yield simple("set.ltu.ftz.u32.f32", "u32", "f32", "f32")
    for form in ("", ".ftz", ".sat", ".ftz.sat"):
        yield simple("cvt%s.f32.f32" % form, "f32", "f32")
        yield simple("cvt%s.f64.f32" % form, "f64", "f32")
    for rounding in ("rni", "rzi", "rmi", "rpi"):
        for form in (".ftz", ".sat", ".ftz.sat"):
            yield simple("cvt.%s%s.f32.f32" % (rounding, form), "f32", "f32")
        yield simple("cvt.%s.sat.f64.f64" % rounding, "f64", "f64")
    yield simple("cvt.f64.f64", "f64", "f64")
    yield simple("cvt.sat.f64.f64", "f64", "f64")
    yield simple("cvt.rn.sat.f32.f64", "f32", "f64")
    yield simple("cvt.rn.ftz.sat.f32.f64", "f32", "f64")
    for rounding in ("rn", "rz", "rm", "rp"):
        yield simple("cvt.%s.f32.f64" % rounding, "f32", "f64")
        yield simple("cvt.%s.ftz.f32.f64" % rounding, "f32", "f64")


def small_floats():
    for width in ("f16", "bf16"):
        pair = width + "x2"
        for name in ("add", "sub", "mul"):
            yield simple("%s.rn.%s" % (name, width), width, width, width)
            yield simple("%s.rn.%s" % (name, pair), pair, pair, pair)
        yield simple("fma.rn.%s" % width, width, width, width, width)
        yield simple("fma.rn.relu.%s" % width, width, width, width, width)
        yield simple("fma.rn.%s" % pair, pair, pair, pair, pair)
        for form in ("min", "max", "min.NaN", "max.NaN", "min.NaN.xorsign.abs"):
            yield simple("%s.%s" % (form, width), width, width, width)
        for name in ("abs", "neg"):
            yield simple("%s.%s" % (name, width), width, width)
        yield simple("cvt.f32.%s" % width, "f32", width)
        for rounding in ("rn", "rz"):
            yield simple("cvt.%s.%s.f32" % (rounding, width), width, "f32")
            yield simple("cvt.%s.relu.%s.f32" % (rounding, width), width, "f32")
            yield simple("cvt.%s.%s.f32" % (rounding, pair), pair, "f32", "f32")
        for relation in ("lt", "equ", "nan"):
            yield Operation(
                "setp.%s.%s" % (relation, width), "u32", [width, width],
                CALL + "setp.%s.%s %%p, {a}, {b}; selp.u32 {d}, 1, 0, %%p; }" % (relation, width))
    for form in ("add.rn.ftz", "mul.rn.ftz", "add.rn.sat", "mul.rn.sat", "sub.rn.ftz.sat"):
        yield simple(form + ".f16", "f16", "f16", "f16")
    yield simple("fma.rn.ftz.f16", "f16", "f16", "f16", "f16")
    yield simple("fma.rn.sat.f16", "f16", "f16", "f16", "f16")
    for rounding in ("rni", "rzi", "rmi", "rpi"):
        yield simple("cvt.%s.f16.f16" % rounding, "f16", "f16")
        for integer in ("s32", "u32", "s64", "u16"):
            yield simple("cvt.%s.%s.f16" % (rounding, integer), integer, "f16")
    for rounding in ("rn", "rz", "rm", "rp"):
        for integer in ("s32", "u32", "s64"):
            yield simple("cvt.%s.f16.%s" % (rounding, integer), "f16", integer)
    for form in ("", ".sat"):
        yield simple("cvt%s.f16.f16" % form, "f16", "f16")
        yield simple("cvt%s.f64.f16" % form, "f64", "f16")
    for form in (".ftz", ".sat", ".ftz.sat"):
        yield simple("cvt%s.f32.f16" % form, "f32", "f16")
    yield simple("cvt.rni.bf16.bf16", "bf16", "bf16")
    yield simple("cvt.rn.f16.f64", "f16", "f64")
    yield simple("cvt.rna.tf32.f32", "u32", "f32")
    for narrow in ("e4m3x2", "e5m2x2"):
        yield simple("cvt.rn.satfinite.%s.f32" % narrow, "u16", "f32", "f32")
        yield simple("cvt.rn.satfinite.relu.%s.f32" % narrow, "u16", "f32", "f32")
        yield simple("cvt.rn.satfinite.%s.f16x2" % narrow, "u16", "f16x2")
        yield simple("cvt.rn.f16x2.%s" % narrow, "f16x2", "u16")


def approximations():
    two_pi, hundred_pi = 6.2831853, 314.159265
    for ftz in ("", ".ftz"):
        for name, bound in (("rcp", relative(-23)), ("sqrt", relative(-23)),
                            ("rsqrt", relative(-22.9)), ("ex2", relative(-22.5))):
            yield simple("%s.approx%s.f32" % (name, ftz), "f32", "f32", bound=bound)
        lg2 = Bound(ulp=5,
                    absolute=2.0**-22 + 2.0**-24,
                    reason="approximate: 2^-22 relative, absolute on (0.5, 2)")
        yield simple("lg2.approx%s.f32" % ftz, "f32", "f32", bound=lg2)
        for name in ("sin", "cos"):
            yield simple("%s.approx%s.f32" % (name, ftz),
                         "f32",
                         "f32",
                         bound=absolute(-20.5),
                         prepare=within(two_pi))
        for name in ("div.approx", "div.full"):
            yield simple("%s%s.f32" % (name, ftz),
                         "f32",
                         "f32",
                         "f32",
                         bound=Bound(ulp=3, reason="approximate: 2 ulp"),
                         prepare=divisors)
    for name in ("sin", "cos"):
        far = simple("%s.approx.ftz.f32" % name,
                     "f32",
                     "f32",
                     bound=absolute(-14.7),
                     prepare=within(hundred_pi))
        far.name += " to 100pi"
        yield far
    yield simple("tanh.approx.f32", "f32", "f32", bound=relative(-11))
    for name in ("rcp", "rsqrt"):
        yield simple("%s.approx.ftz.f64" % name, "f64", "f64", bound=relative(-20, 53))
    yield simple("rsqrt.approx.f64", "f64", "f64", bound=relative(-20, 53))
    yield simple("ex2.approx.f16", "f16", "f16", bound=relative(-9.9, 11))
    yield simple("tanh.approx.f16", "f16", "f16", bound=absolute(-10.987, 11))


def integers():
    for width in ("s32", "u32", "s64", "u64"):
        signed, bits = width[0] == "s", width[1:]
        for form in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            yield simple("%s.%s" % (form, width), width, width, width)
        for form in ("mad.lo", "mad.hi"):
            yield simple("%s.%s" % (form, width), width, width, width, width)
        for form in ("div", "rem"):
            yield simple("%s.%s" % (form, width), width, width, width, prepare=nonzero(1, signed))
        yield simple("shr.%s" % width, width, width, "u32")
        yield simple("bfe.%s" % width, width, width, "u32", "u32")
        yield simple("bfind.%s" % width, "u32", width)
        yield simple("bfind.shiftamt.%s" % width, "u32", width)
        yield simple("sad.%s" % width, width, width, width, width)
        if signed:
            yield simple("abs.%s" % width, width, width)
            yield simple("neg.%s" % width, width, width)
            yield simple("shl.b%s" % bits, width, width, "u32")
            for name in ("popc", "clz"):
                yield simple("%s.b%s" % (name, bits), "u32", width)
            for name in ("brev", "not", "cnot"):
                yield simple("%s.b%s" % (name, bits), width, width)
            yield Operation(
                "bfi.b%s" % bits, width, [width, width, "u32"],
                CALL + "shr.u32 %%t0, {c}, 9; bfi.b%s {d}, {a}, {b}, {c}, %%t0; }" % bits)
            for name in ("and", "or", "xor"):
                yield simple("%s.b%s" % (name, bits), width, width, width)
    for width in ("s32", "u32"):
        wide = width[0] + "64"
        yield simple("mul.wide.%s" % width, wide, width, width)
        yield simple("mad.wide.%s" % width, wide, width, width, wide)
        for form in ("mul24.lo", "mul24.hi"):
            yield simple("%s.%s" % (form, width), width, width, width)
        for form in ("mad24.lo", "mad24.hi"):
            yield simple("%s.%s" % (form, width), width, width, width, width)
        for form in ("bmsk.clamp", "bmsk.wrap"):
            if width == "u32":
                yield simple("%s.b32" % form, "u32", "u32", "u32")
        for form in ("szext.clamp", "szext.wrap"):
            yield simple("%s.%s" % (form, width), width, width, "u32")
        for other in ("s32", "u32"):
            yield simple("dp4a.%s.%s" % (width, other), "s32", "s32", "s32", "s32")
            for half in ("lo", "hi"):
                yield simple("dp2a.%s.%s.%s" % (half, width, other), "s32", "s32", "s32", "s32")
        for narrow in ("s8", "u8", "s16", "u16"):
            yield Operation(
                "cvt.sat.%s.%s" % (narrow, width), width, [width],
                CALL + "cvt.sat.%s.%s %%h0, {a}; cvt.%s32.%s16 {d}, %%h0; }" %
                (narrow, width, narrow[0], narrow[0]))
        yield simple("cvt.sat.%s.s64" % width, width, "s64")
        yield simple("cvt.sat.%s.u64" % width, width, "u64")
    yield simple("add.sat.s32", "s32", "s32", "s32")
    yield simple("sub.sat.s32", "s32", "s32", "s32")
    yield simple("mad.hi.sat.s32", "s32", "s32", "s32", "s32")
    for form in ("shf.l.clamp", "shf.l.wrap", "shf.r.clamp", "shf.r.wrap"):
        yield simple("%s.b32" % form, "u32", "u32", "u32", "u32")
    yield simple("prmt.b32", "u32", "u32", "u32", "u32")
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield simple("prmt.b32.%s" % mode, "u32", "u32", "u32", "u32")
    for table in (0xE8, 0x96, 0x1B):
        yield Operation("lop3.b32 %#x" % table, "u32", ["u32"] * 3,
                        "lop3.b32 {d}, {a}, {b}, {c}, %d;" % table)
    yield simple("slct.s32.s32", "s32", "s32", "s32", "s32")
    for width in ("u32", "u64"):
        low = "%t0" if width == "u32" else "%w0"
        for first, second in (("add.cc", "addc"), ("sub.cc", "subc")):
            yield Operation(
                "%s, %s.%s" % (first, second, width), width, [width] * 3, CALL +
                "%s.%s %s, {a}, {b}; %s.%s {d}, {c}, {a}; }" % (first, width, low, second, width))
        yield Operation(
            "mad.lo.cc, madc.hi.%s" % width, width, [width] * 3, CALL +
            "mad.lo.cc.%s %s, {a}, {b}, {c}; madc.hi.%s {d}, {a}, {b}, 0; }" % (width, low, width))
    for form in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
        for width in ("s16", "u16"):
            yield simple("%s.%s" % (form, width), width, width, width)


def video():
    for form in video_forms():
        operands = ["u32"] * (3 if "{c}" in form else 2)
        yield Operation(form.replace("{", "").replace("}", "").rstrip(";"), "u32", operands, form)


def all_operations():
    return [*floats(), *small_floats(), *approximations(), *integers(), *video()]


HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"


def kernel_text(operation, name):
    """out[i] = operation(a[i], b[i], c[i]) for i below n."""
    lines = [
        ".visible .entry %s(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{"
        % name, ".reg .pred %q; .reg .b32 %i<4>; .reg .b64 %x<3>;"
    ]
    for letter, kind in zip("abc", operation.operands):
        lines.append(".reg .%s %%%s;" % (REGISTERS[kind], letter))
    lines += [
        ".reg .%s %%d;" % REGISTERS[operation.out],
        "ld.param.u32 %i0, [n]; mov.u32 %i1, %ctaid.x; mov.u32 %i2, %ntid.x; mov.u32 %i3, %tid.x;",
        "mad.lo.s32 %i1, %i1, %i2, %i3; setp.ge.u32 %q, %i1, %i0; @%q ret;"
    ]
    for letter, kind in zip("abc", operation.operands):
        size = np.dtype(DTYPES[kind]).itemsize
        lines += [
            "ld.param.u64 %%x0, [%s]; cvta.to.global.u64 %%x0, %%x0; mul.wide.u32 %%x1, %%i1, %d; add.s64 %%x0, %%x0, %%x1;"
            % (letter, size),
            "ld.global.%s %%%s, [%%x0];" % (REGISTERS[kind], letter)
        ]
    lines.append(
        operation.body.format(d="%d", a="%a", b="%b", c="%c") if "{ .reg" not in
        operation.body else "{" + operation.body[1:-1].format(d="%d", a="%a", b="%b", c="%c") + "}")
    lines += [
        "ld.param.u64 %%x0, [out]; cvta.to.global.u64 %%x0, %%x0; mul.wide.u32 %%x1, %%i1, %d; add.s64 %%x0, %%x0, %%x1;"
        % np.dtype(DTYPES[operation.out]).itemsize,
        "st.global.%s [%%x0], %%d;" % REGISTERS[operation.out], "ret;\n}\n"
    ]
    return "\n".join(lines)


def operand(random, kind, points):
    """Half of them any bits, half numbers as programs have them, with special ones."""
    dtype = np.dtype(DTYPES[kind])
    half = points // 2
    bits = random.bits(half, dtype)
    if dtype.kind == "f":
        usual = random.hard_floats(points - half, dtype, {2: 8, 4: 20, 8: 30}[dtype.itemsize])
    elif "f16" in kind:
        usual = random.bits(points - half, dtype)
    else:
        usual = random.hard_integers(points - half, dtype)
    return np.concatenate([bits, usual])


def beside_the_least_normal(operation, values, random, part):
    """Results that .ftz must decide about: within some units of the least normal number."""
    first, count = operation.name.split(".")[0], part.stop - part.start
    near = lambda value, dtype, span: np.array([value], dtype).view("u%d" % np.dtype(dtype).itemsize)[
        0].astype(np.int64) + (random.words(count) % np.uint64(2 * span)).astype(np.int64) - span
    if first == "cvt" and list(operation.operands) == ["f64"]:
        values[0][part] = near(2.0**-126, np.float64, 2**31).view(np.float64)
    elif first in ("mul", "fma") and values[0].dtype.kind == "f":
        dtype = values[0].dtype
        raw = "u%d" % dtype.itemsize
        values[0][part] = np.abs(near(np.finfo(dtype).tiny, dtype, 8)).astype(raw).view(dtype)
        values[1][part] = near(1, dtype, 8).astype(raw).view(dtype)
        values[1][part] *= np.where(random.words(count) % np.uint64(2), dtype.type(1), dtype.type(-1))
        if first == "fma":
            values[2][part] = 0


def operands_of(operation, random, points):
    values = [operand(random, kind, points) for kind in operation.operands]
    if len(values
           ) > 1 and values[0].dtype == values[1].dtype:  # neighbours, for cancellation and ties
        near = slice(points // 4, points // 2)
        raw = "u%d" % values[0].itemsize
        values[1][near] = (
            values[0][near].view(raw) ^
            (random.words(points // 2 - points // 4) % np.uint64(4)).astype(raw)).view(
                values[0].dtype)
    if len(operation.operands) == 1 and values[0].itemsize == 2:  # all there are
        values[0][:65536] = np.arange(min(65536, points), dtype=np.uint16).view(values[0].dtype)
    if ".ftz" in operation.name and ".approx" not in operation.name:
        beside_the_least_normal(operation, values, random, slice(points * 3 // 4, points * 7 // 8))
    return operation.prepare(values) if operation.prepare else values
