"""Kernels with one mistake each, and correct ones, and what the CPU device must report of them.

Each kernel of the .cu files here, with the functions that it alone calls, is preceded by a line

    //@ bug NAME KIND [key=value …]
    //@ good NAME [key=value …]

Kernels of the files twins_*.cu stand in pairs, with one body, a template of whether it is right. A file for newer devices only has a line `//@ least 90`, one for what only sm_90a has `//@ specific`, too. Keys say how a kernel is launched: grid=2x3 block=64 (1 each
unless given), shared=BYTES, cooperative=1, budget=INSTRUCTIONS in place of 5000000, strict=1 for
strict_proxies, most=90 if the compiler puts the branches of later architectures in another
order, and args="…", one word for each argument:

    int32[64]            memory of the device without values; TYPE is a NumPy dtype
    int32[64]=           … with the values 1, 2, 3, …; =0 are zeros, =first63 the same but for the last element
    int32[64]freed       … given back before the launch
    int32[64]ro          with values, read-only to kernels
    float32[64]/16       what the memory holds to the kernel (warpmark_device.elements), behind all else: bytes of a number or
                         of a built-in vector, or /record; unknown unless given
    7:int32              a number
    bytes:24             a struct of so many bytes by value, 32-bit numbers 1, 2, 3, …
    texture:64           a texture over memory of so many float32; surface:8x4 one of so many int32, image:8x4 a texture of so
                         many float32 with linear filtering; behind it first31 or last31 if only so many have a value
    same                 the memory before it, or that of the texture before it
    map:64x40:32x16      a tensor map of so many float32 over the memory of the argument before it, of boxes of so many; the
                         innermost dimension comes first; behind a third colon what it swizzles, 0 (as unless given) to 3,
                         and map16: is of so many float16
    multicast            memory of the device by an address of a multicast object, and as the next argument by its own

`//!` stands at the end of a line that a report must name. Behind it may be the report's kind, if it is not KIND, and
what else it must say; `;` separates several reports of one line:

    //! race hazard=write_after_read thread=32 ; uninitialised thread=0

A report that has no line (limit) is expected at any. Keys that stand in the `//@` line hold for every report of KIND. Each report that is expected must come, with everything
that is said of it, and no other may come. `thread` and `in_block` are the first that made the mistake, x,y,z; `hazard` and
`says` are part of the report's words, with _ for blanks; `other_line` and `uses`, the lines of further uses of an undefined value, are relative to the line itself. All other keys are
those of the report (warpmark/device.h), or of its `other` or `allocation`: other_thread, distance, side. `//~` stands at the
lines of the other side of races, where that is one for all of them.

With -G the compiler takes structs apart, calls what it inlines otherwise, and lays branches out in another order. What such
code does differently is said by keys with `debug_` before them, which take the place of those without it, and by `only=debug`
or `only=optimised` for a report, or in the `//@` line for a kernel.
"""
import re

import driver
import numpy as np

LAUNCH = {"most", "grid", "block", "shared", "args", "cooperative", "only", "budget", "strict"}
NAMES = b"abcdefgh"  # of the arguments


def lines_of(report):
    """Lines of the .cu file: of functions of headers, those that call them."""
    places = [report] + report.get("inlined_at", [])
    return [place["line"] for place in places if place.get("file", "").endswith(".cu")]


def in_mode(keys, mode):
    """Returns the keys that hold in a mode of compiling."""
    own = {key[len("debug_"):]: value for key, value in keys.items() if key.startswith("debug_")} if mode == "debug" else {}
    return {**{key: value for key, value in keys.items() if not key.startswith("debug_")}, **own}


def is_of(mode, keys):
    return keys.get("only", mode) == mode or (keys.get("only") == "optimised" and mode != "debug")


class Expected:
    """A report that must come."""

    def __init__(self, line, kind, keys):
        self.line, self.kind, self.keys = line, kind, keys

    def __str__(self):
        return "%s at line %d%s" % (self.kind, self.line, "".join(" %s=%s" % pair for pair in self.keys.items()))

    def differs(self, report, others):
        """Why the report is not this one; "" if it is."""
        if report["kind"] != self.kind or ("line" in report and self.line not in lines_of(report)):
            return "%s at line %s" % (report["kind"], report.get("line"))
        other = report.get("other", {})
        for key, value in self.keys.items():
            if key in ("thread", "in_block", "other_thread", "other_block"):
                wanted = [int(n) for n in value.split(",")]
                wanted += [0] * (3 - len(wanted))
                found = (other if "other" in key else report).get(re.sub("^(other|in)_", "", key))
            elif key in ("hazard", "says"):
                wanted, found = value.replace("_", " "), report.get("message" if key == "says" else "hazard", "")
                found = wanted if wanted in found else found
            elif key == "other_line":
                wanted = self.line + int(value)
                found = wanted if wanted in lines_of(other) else other.get("line")
            elif key == "uses":
                wanted = sorted(self.line + int(line) for line in value.split(","))
                found = sorted(lines_of(use)[0] for use in report.get("uses", []))
            elif key in ("distance", "side", "freed", "read_only"):
                wanted, found = value, str(report.get("allocation", {}).get(key))
            else:
                wanted, found = value, str(report.get(key))
            if wanted != found:
                return "%s %s, not %s" % (key, found, wanted)
        if others and self.kind == "race" and "other_line" not in self.keys and not set(others) & set(lines_of(other)):
            return "the other side at line %s, not %s" % (other.get("line"), others)
        return ""


class Kernel:
    """A `//@` line and the kernel behind it."""

    def __init__(self, line, text, source, mode):
        pairs, words = keys_and_words(text)
        self.good, self.name = words[0] == "good", words[1]
        kind = "" if self.good else words[2]
        self.launch = {key: value for key, value in pairs.items() if key in LAUNCH}
        common = {key: value for key, value in pairs.items() if key not in LAUNCH}
        self.expected, self.others, self.multicast = [], [], None
        for number, code in enumerate(source[line + 1:], line + 2):
            if code.startswith("//@"):
                break
            if "//~" in code:
                self.others.append(number)
            if "//!" in code:
                for part in code.split("//!")[1].split("//~")[0].split(";"):
                    keys, words = keys_and_words(part)
                    own = words[0] if words else kind
                    keys = in_mode({**(common if own == kind else {}), **keys}, mode)
                    if is_of(mode, keys):
                        keys.pop("only", None)
                        self.expected.append(Expected(number, own, keys))
        if self.good == bool(self.expected) and is_of(mode, self.launch):
            raise ValueError("%s: //! stands in bugs, and only there" % self.name)

    def size(self, key):
        return tuple(int(n) for n in self.launch.get(key, "1").split("x"))

    def arguments(self, device, extension):
        made, freed = [], []
        for number, word in enumerate(self.launch.get("args", "").split()):
            array = re.fullmatch(r"(\w+)\[(\d+)\](=0|=first\d+|=|freed|ro)?(?:/(\d+|record))?", word)
            if word == "same":
                made.append(getattr(made[-1], "memory", made[-1]))
            elif word == "multicast":
                self.multicast = driver.Multicast(device)
                made += self.multicast.addresses
            elif re.match("map(16)?:", word):
                name, dims, box, *swizzle = word.split(":")
                sizes = [[int(n) for n in size.split("x")] for size in (dims, box)]
                made.append(driver.tensor_map(device, made[-1], *sizes, *map(int, swizzle), half=name == "map16"))
            elif re.match("texture:|surface:|image:", word):
                made.append(image_of(device, extension, word))
            elif not array:
                made.append(value_of(word))
            if not array:
                continue
            kind, count, values = array[1], int(array[2]), array[3] or ""
            like = np.zeros(count, kind)
            buffer = driver.Buffer(device, like)
            numbers = np.arange(1, count + 1).astype(kind)
            if values == "=0":
                buffer.write(like)
            elif values:
                buffer.write(numbers[:int(values[6:])] if values.startswith("=first") else numbers)
            extension.label(None, buffer.address, like.nbytes, NAMES[number:number + 1], kind.encode())
            if array[4]:
                extension.elements(None, buffer.address, 0 if array[4] == "record" else int(array[4]))
            if values == "ro":
                extension.protect(None, buffer.address, like.nbytes, 1)
            freed += [buffer] if values == "freed" else []
            made.append(buffer)
        for buffer in freed:
            buffer.free()
        return made

    def complaint(self, reports):
        """Returns what is wrong with the reports; "" if nothing is."""
        text = []
        for wanted in self.expected:
            if all(wanted.differs(report, self.others) for report in reports):
                near = [wanted.differs(r, self.others) for r in reports if wanted.line in lines_of(r)]
                text.append("there is no %s (%s)" % (wanted, ", ".join(near)))
        for report in reports:
            if all(wanted.differs(report, self.others) for wanted in self.expected):
                text.append("unexpected: %s" % report["message"])
        return "; ".join(text)


def keys_and_words(text):
    found = re.findall(r'(\w+)="([^"]*)"|(\w+)=(\S+)|(\S+)', text)
    keys = {a or c: b or d for a, b, c, d, _ in found if a or c}
    return keys, [word for *_, word in found if word]


def value_of(word):
    value, kind = word.split(":")
    if value == "bytes":
        return np.arange(1, int(kind) // 4 + 1, dtype=np.uint32).view(np.uint8)
    return np.dtype(kind).type(float(value) if "float" in kind else int(value))


class Handle(np.uint64):
    """A texture's, with the memory that it lies over."""
    memory = None


def image_of(device, extension, word):
    """A texture or surface, some of whose texels may have no value."""
    what, size, rest, count = re.fullmatch(r"(\w+):([\dx]+?)(?:(first|last)(\d+))?", word).groups()
    width, height = (int(n) for n in (size + "x1").split("x")[:2])
    known = np.ones(width * height, bool)
    if rest:
        known[slice(int(count), None) if rest == "first" else slice(None, -int(count))] = False
    values = np.arange(width * height, dtype=np.int32 if what == "surface" else np.float32)
    if what == "texture":
        buffer = driver.Buffer(device, values).write(values)
        for at in np.flatnonzero(~known):
            extension.forget(None, buffer.address + int(at) * 4, 4)
        handle = Handle(driver.linear_texture(device, buffer))
        handle.memory = buffer
        return handle
    image = driver.Image(device, values.reshape(height, width, 1), 2, surface=what == "surface", known=known)
    return image.surface() if what == "surface" else image.texture(linear=True)


def kernels_of(path, mode="lines"):
    """The kernels of a file for a mode, in their order, and the least architecture that it is for."""
    with open(path, encoding="utf-8") as file:
        source = file.read().splitlines()
    least, kernels, specific = 75, [], "//@ specific" in source
    for number, line in enumerate(source):
        if line.startswith("//@ least"):
            least = int(line.split()[2])
        elif line.startswith("//@") and line != "//@ specific":
            kernels.append(Kernel(number, line[3:].strip(), source, mode))
    for kernel in kernels if specific else []:
        kernel.launch["specific"] = "1"
    return [kernel for kernel in kernels if is_of(mode, kernel.launch)], least
