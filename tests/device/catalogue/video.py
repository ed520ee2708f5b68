"""The video instructions as operations to compare: each operation with each combination of types, and by turns each
modifier, selector, second operation and mask (PTX ISA 9.7.19 and 9.7.20)."""
import itertools

TYPES = ("u32", "s32")
SELECTORS = ("", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1")
RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


class Turns:
    """Goes through the choices of each kind one after another; the kinds have coprime lengths where they meet."""

    def __init__(self):
        self.counts = {}

    def of(self, kind, choices):
        count = self.counts.get(kind, 0)
        self.counts[kind] = count + 1
        return choices[count % len(choices)]


def scalar_forms():
    """Instructions on one number of each register, as (name, third operand)."""
    turns = Turns()
    # Uses of the result: none, a second operation with c, or a part of c that it replaces.
    ends = ("", ".add", ".min", ".max", "merge")

    def form(name):
        for end in ("", turns.of("end", ends[1:])):
            a, b = (turns.of("a", SELECTORS), turns.of("b", SELECTORS[::-1])) if end else ("", "")
            d = turns.of("d", SELECTORS[1:]) if end == "merge" else ""
            second = "" if end == "merge" else end
            yield "%s%s {d}%s, {a}%s, {b}%s%s;" % (name, second, d, a, b, ", {c}" if end else "")

    for operation in ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr"):
        shift = operation in ("vshl", "vshr")
        for d, a, b, saturate in itertools.product(TYPES, TYPES, ("u32",) if shift else TYPES,
                                                   ("", ".sat")):
            for mode in (".clamp", ".wrap") if shift else ("",):
                yield from form("%s.%s.%s.%s%s%s" % (operation, d, a, b, saturate, mode))
    for relation, a, b in itertools.product(RELATIONS, TYPES, TYPES):
        yield from form("vset.%s.%s.%s" % (a, b, relation))


def product_forms():
    turns = Turns()
    for d, a, b in itertools.product(TYPES, TYPES, TYPES):
        for minus_a, minus_b, minus_c, plus in (("", "", "", ""), ("-", "", "", ""), ("", "-", "", ""),
                                                ("-", "-", "", ""), ("", "", "-", ""), ("", "", "", ".po")):
            yield "vmad.%s.%s.%s%s%s%s {d}, %s{a}%s, %s{b}%s, %s{c};" % (
                d, a, b, plus, turns.of("saturate", ("", ".sat")),
                turns.of("shift", ("", ".shr7", ".shr15")), minus_a,
                turns.of("a", SELECTORS), minus_b, turns.of("b", SELECTORS[::-1]), minus_c)


def lane_forms():
    """Instructions on two or four numbers of each register."""
    turns = Turns()

    def form(count, name, saturate):
        letter = "h" if count == 2 else "b"
        pick = lambda kind, step: "." + letter + "".join(
            str((turns.of(kind, range(2 * count)) + step * i) % (2 * count)) for i in range(count))
        mask = turns.of("mask%d" % count, range(1, 2**count))
        d = "." + letter + "".join(str(i) for i in range(count)[::-1] if mask >> i & 1)
        add = "" if saturate else turns.of("add", ("", ".add"))
        yield "%s%s {d}, {a}, {b}, {c};" % (name, add)
        yield "%s%s {d}%s, {a}%s, {b}%s, {c};" % (name, add, d, pick("a", 1), pick("b", 3))

    for count in (2, 4):
        for operation in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            for d, a, b, saturate in itertools.product(TYPES, TYPES, TYPES, ("", ".sat")):
                yield from form(count, "%s%d.%s.%s.%s%s" % (operation, count, d, a, b, saturate),
                                saturate)
        for relation, a, b in itertools.product(RELATIONS, TYPES, TYPES):
            yield from form(count, "vset%d.%s.%s.%s" % (count, a, b, relation), "")


def video_forms():
    """The text of each instruction, with {d}, {a}, {b} and perhaps {c} for its registers."""
    return [*scalar_forms(), *product_forms(), *lane_forms()]
