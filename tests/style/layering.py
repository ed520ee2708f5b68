# Checks who includes whom, and that nothing above harness/driver asks which device it has.
"""Usage: layering.py SOURCE_DIR. Prints file:line: error: … for each fault.

A folder of harness/ includes itself, folders of lower layers and the public headers. What must
stay out of a folder altogether is not reached through other headers either. A plugin
includes public headers and its own files, so that it can be built outside this tree; those that
write kernels share plugins/codegen, which is built into each of them. The grader reads PTX with
the parser of the CPU device, a library that it shares and that needs nothing else of the device.
Rooms of a folder have an order, too, and a folder has few files. A type of the harness has a name of its own.
"""
import pathlib
import re
import sys

LAYERS = {"base": 1, "driver": 2, "compiler": 2, "python": 2, "ranks": 2, "suite": 2, "plan": 3, "worker": 4,
          "runtime": 5, "results": 6, "report": 7, "jobs": 8, "check": 9, "bench": 9, "debug": 9, "grade": 9, "mutate": 9, "cli": 10}
# A worker runs what is not trusted: nothing of Python, of what is expected, or of the session that
# judges is in there. Its own layer would allow plans and Python, which are below.
OUT_OF_REACH = {"worker": {"plan", "python", "runtime"}}
# Folders with rooms: a room includes itself and the rooms before it.
CPU_ROOMS = ("ptx", "program", "memory", "inspect", "machine", "api")
CLI_ROOMS = ("program", "request", "jobs", "lint", "draft", "grading", "completion", "watch")  # below the commands
REPORT_ROOMS = ("page", "pictures", "run", "problems", "bench", "comparison", "history", "grade")
GRADE_ROOMS = ("assignment", "submission", "feedback", "similarity", "grader", "handout",
               "leaderboard", "class", "judge", "pack")
# Headers that others may include of these rooms, which keep the rest private.
DOORS = {"similarity": ("similarity.hpp",), "leaderboard": ("leaderboard.hpp",),
         "pack": ("pack.hpp", "audit.hpp")}
# The headers through which plugins/cpu/machine tells the checks what happens, and is told of faults.
# It names no check: no class of inspect that is one, and none of the parts of an observer.
EVENTS = ("access_lanes.hpp", "fault.hpp", "observer.hpp", "policy.hpp")
CHECK_CLASS = re.compile(r"\bclass (\w+)[^;{]*: public Check\b")
CHECK_PARTS = r"(?:->|\.)(?:races|values|checks)\(\)|\bchecks\.(?!any\(\))\w+"
# The definition of a type outside of other types.
TYPE = re.compile(r"(?:class|struct|enum class) (\w+)(?: final)?(?: : [^;]*)?(?: \{|$)")
# A folder with more files than that is hard to survey: it needs rooms.
MOST_FILES = 40
MOST_COMMAND_LINES = 165  # a command parses, calls and returns an exit code
SURVEYED = ("cli", "grade", "report")
# Files of plugins/cpu that harness/compiler may include, without suffixes: the library
# warpmark_ptx.
SHARED_BY = "compiler"
SHARED = {"ptx/" + name for name in ("characters", "debug_info", "debug_sections", "error", "families", "instruction_forms",
                                     "instruction_set", "lexer", "merged_lines", "module", "opcode_words",
                                     "numbers", "old_spellings", "parse_constant",
                                     "parse_function", "parse_operand", "parse_registers",
                                     "parse_state", "parse_variable", "parser",
                                     "read_tolerantly", "scopes", "special_registers", "types")}
# Behind the parser an opcode is InstructionFacts' enums. What still compares words, by lines: these two
# read no opcodes.
OPCODE_TEXT = re.compile(r'\b(has\(|(name|opcode|mnemonic|word|from|operation|relation'
                         r'|words(\.front\(\)|\.back\(\)|\[\d\])) [!=]= )"')
KNOWN_TEXTS = {"program/decode_runtime.cpp": 1, "program/uses.cpp": 1}
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".inc", ".def"}
LAYER_ROW = re.compile(r"\| (\d+) \| ([^:|]*)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# device.has(capability) is the question to ask: a comparison with a device's name, or a predicate
# of that kind, decides by what a device is instead of by what it can do. Choosing a device by name
# is the job of harness/driver, which is below, and of harness/cli.
DEVICE_QUESTION = re.compile(r'\b(is|on|uses|using)_(cpu|gpu)\b'
                             r'|[=!]=\s*"(cpu|gpu)"|"(cpu|gpu)"\s*[=!]=|libwarpmark_cpu')
MAY_NAME_DEVICES = {"base", "driver", "cli"}


def sources(folder):
    return (path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES)


def includes(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def resolve(name, folders):
    """The file that an include finds in `folders`, or None if it is a system header."""
    for folder in folders:
        path = (folder / name).resolve()
        if path.is_file():
            return path
    return None


def harness_faults(harness):
    for folder in sorted(path.name for path in harness.iterdir() if path.is_dir()):
        if folder == "include":
            continue
        if folder not in LAYERS:
            yield harness / folder, 0, "has no layer: give it one here and in the design"
            continue
        for path in sources(harness / folder):
            for number, target in headers_of(path, harness):
                other = target.relative_to(harness).parts[0]
                if other in (folder, "include"):
                    continue
                if LAYERS.get(other, 99) >= LAYERS[folder]:
                    yield path, number, ("%s (layer %d) includes %s, not of a lower layer (%d)"
                                         % (folder, LAYERS[folder], target.relative_to(harness),
                                            LAYERS.get(other, 99)))


def headers_of(path, harness):
    """The files of harness/ that one includes, with the line of each."""
    for number, _, name in includes(path):
        target = resolve(name, [path.parent, harness])
        if target is not None and harness in target.parents:
            yield number, target


def reach_faults(harness):
    for folder, banned in OUT_OF_REACH.items():
        for path in sources(harness / folder):
            for number, first in headers_of(path, harness):
                way = way_to(first, banned, harness)
                if way:
                    yield path, number, ("%s must not reach %s: %s" % (
                        folder, way[-1].relative_to(harness).parts[0],
                        " includes ".join(str(part.relative_to(harness)) for part in way)))


def way_to(start, banned, harness):
    """The shortest chain of includes from a file into one of those folders; None if there is none."""
    seen = {start}
    ways = [[start]]
    for way in ways:
        if way[-1].relative_to(harness).parts[0] in banned:
            return way
        for _, header in headers_of(way[-1], harness):
            if header not in seen:
                seen.add(header)
                ways.append([*way, header])
    return None


def table_faults(contributing):
    """The table for people has every folder of LAYERS in its row, and no other."""
    if not contributing.is_file():
        return
    listed = {}
    for number, line in enumerate(contributing.read_text().splitlines(), 1):
        row = LAYER_ROW.match(line)
        if row and row.group(1) != "0":  # the public headers
            for folder in re.findall("`([^`]+)`", row.group(2)):
                listed[folder] = int(row.group(1))
                if LAYERS.get(folder) != listed[folder]:
                    yield contributing, number, "%s is not in layer %s" % (folder, row.group(1))
    for folder in sorted(set(LAYERS) - set(listed)):
        yield contributing, 0, "the table of layers lacks %s" % folder


def plugin_faults(plugins, harness):
    if not plugins.is_dir():
        return
    for plugin in sorted(path for path in plugins.iterdir() if path.is_dir()):
        for path in sources(plugin):
            for number, quote, name in includes(path):
                if name.startswith("warpmark/"):
                    continue
                if name.startswith("codegen/") and (plugins / name).is_file():
                    continue
                own = resolve(name, [path.parent, plugin])
                if own is not None and plugin in own.parents:
                    continue
                if own is not None or resolve(name, [harness, plugins]) is not None:
                    yield path, number, "a plugin includes %s, which is not public" % name
                elif quote == '"':
                    yield path, number, "%s is no file of this plugin" % name


def is_shared(name):
    return name.rpartition(".")[0] in SHARED


def shared_faults(harness, device):
    """The harness includes nothing of the CPU device but the library, and the library includes nothing else of it."""
    for path in sources(harness):
        for number, _, name in includes(path):
            target = resolve(name, [path.parent, harness, device])
            if target is None or device not in target.parents:
                continue
            if path.relative_to(harness).parts[0] != SHARED_BY:
                yield path, number, "only harness/%s may include %s" % (SHARED_BY, name)
            elif not is_shared(str(target.relative_to(device))):
                yield path, number, "%s is not shared with the harness" % name
    for path in sources(device / "ptx"):
        if not is_shared(str(path.relative_to(device))):
            continue
        for number, _, name in includes(path):
            if resolve(name, [path.parent, device]) and not is_shared(name):
                yield path, number, "what the harness shares includes %s, which it does not" % name


def room_faults(home, rooms, root):
    """A room does not include the rooms above it; `root` is the folder of includes."""
    for place, room in enumerate(rooms):
        for path in sources(home / room):
            for number, _, name in includes(path):
                target = resolve(name, [path.parent, root])
                if target is None:
                    continue
                if any(home / above in target.parents for above in rooms[place + 1:]):
                    yield path, number, "%s includes %s, a room above it" % (room, name)
                elif target.parent == home:
                    yield path, number, "%s includes %s, which is above all rooms" % (room, name)


def home_faults(home, rooms, contributing, commands=False):
    """Every file lies in a room, but for commands, and people read the order of the rooms."""
    for path in sources(home):
        inside = path.relative_to(home).parts
        if inside[0] not in rooms and not (commands and len(inside) == 1):
            yield path, 0, "lies in no room of %s: give it one of %s" % (home.name, ", ".join(rooms))
    order = ", ".join("`%s`" % room for room in rooms)
    used = any((home / room).is_dir() for room in rooms)
    if used and contributing.is_file() and order not in " ".join(contributing.read_text().split()):
        yield contributing, 0, "lacks the rooms of %s in their order: %s" % (home.name, order)


def door_faults(harness):
    """Only the door of a room is included by others."""
    for path in sources(harness):
        for number, target in headers_of(path, harness):
            room = target.parent
            doors = DOORS.get(room.name, ()) if room.parent == harness / "grade" else ()
            if doors and target.name not in doors and room not in path.parents:
                yield path, number, "%s is private to its room, whose door is %s" % (
                    target.relative_to(harness), " or ".join(doors))


def check_faults(device):
    """The machine knows the interface of the checks, and no check."""
    checks = sorted({name for path in sources(device / "inspect") for name in CHECK_CLASS.findall(path.read_text())})
    named = re.compile("|".join([CHECK_PARTS, *(r"\b%s\b" % name for name in checks)]))
    for path in sources(device / "machine"):
        for number, _, name in includes(path):
            folder, _, header = name.rpartition("/")
            if folder.startswith("inspect") and (folder != "inspect" or header not in EVENTS):
                yield path, number, "%s is private to the checks, whose interface is %s" % (name, ", ".join(EVENTS))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if found := named.search(line):
                yield path, number, "the machine names a check by %s" % found.group().strip()


def size_faults(harness):
    for name in SURVEYED:
        for folder in (harness / name, *sorted((harness / name).rglob("*/"))):
            count = sum(1 for path in folder.glob("*.?pp")) if folder.is_dir() else 0
            if count > MOST_FILES:
                yield folder, 0, "has %d files, more than %d: give them rooms" % (count, MOST_FILES)
    for path in sorted((harness / "cli").glob("*_command.cpp")):
        count = len(path.read_text().splitlines())
        if count > MOST_COMMAND_LINES:
            yield path, 0, "has %d lines, more than %d: its work belongs into a room" % (count, MOST_COMMAND_LINES)


def text_faults(device):
    """Code behind the parser does not compare texts of opcodes."""
    for room in sorted(set(CPU_ROOMS) - {"ptx", "api"}):
        for path in sources(device / room):
            known = KNOWN_TEXTS.get(str(path.relative_to(device)), 0)
            lines = [number for number, line in enumerate(path.read_text().splitlines(), 1)
                     if OPCODE_TEXT.search(line)]
            for number in lines[known:]:
                yield path, number, "compares an opcode's text; ask for a Mnemonic, Modifier or Type"
            if len(lines) < known:
                yield path, 0, "compares less of opcodes' texts than KNOWN_TEXTS says: count anew"


def device_faults(harness):
    for folder in sorted(set(LAYERS) - MAY_NAME_DEVICES):
        for path in sources(harness / folder):
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if DEVICE_QUESTION.search(line.split("//")[0]):
                    yield path, number, "asks which device it has; ask device.has(capability)"


def name_faults(harness):
    """Two types of one name in the namespace: the linker keeps one of their functions, and nothing warns of it."""
    places = {}
    for path in sources(harness):
        hidden = space = False
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if line == "namespace warpmark {":
                space = True
            hidden = line == "namespace {" or hidden and line != "}  // namespace"
            found = TYPE.match(line)
            if not found or hidden or not space:
                continue
            first = places.setdefault(found.group(1), path)
            if first != path:
                yield path, number, "%s is a type in %s, too" % (found.group(1), first.relative_to(harness.parent))


def main(root):
    root = root.resolve()
    harness = root / "harness"
    count = 0
    for path, line, words in [*harness_faults(harness), *reach_faults(harness),
                              *table_faults(root / "CONTRIBUTING.md"),
                              *plugin_faults(root / "plugins", harness),
                              *shared_faults(harness, root / "plugins/cpu"),
                              *room_faults(root / "plugins/cpu", CPU_ROOMS, root / "plugins/cpu"),
                              *text_faults(root / "plugins/cpu"), *check_faults(root / "plugins/cpu"),
                              *room_faults(harness / "grade", GRADE_ROOMS, harness),
                              *room_faults(harness / "report", REPORT_ROOMS, harness),
                              *room_faults(harness / "cli", CLI_ROOMS, harness),
                              *home_faults(harness / "grade", GRADE_ROOMS, root / "CONTRIBUTING.md"),
                              *home_faults(harness / "report", REPORT_ROOMS, root / "CONTRIBUTING.md"),
                              *home_faults(harness / "cli", CLI_ROOMS, root / "CONTRIBUTING.md", True),
                              *door_faults(harness), *size_faults(harness), *name_faults(harness),
                              *device_faults(harness)]:
        count += 1
        print("%s:%d: error: %s" % (path.relative_to(root), line, words))
    print("%d files read, %d faults"
          % (sum(1 for part in ("harness", "plugins") for _ in sources(root / part)), count))
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
