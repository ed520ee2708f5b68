#!/usr/bin/env python3
"""Writes the pages of docs/reference from the JSON Schemas, the program's own help, the tables of `warpmark export` and
the CPU device's table of instructions; before that, the list of checks in schema/report.json from checks.def.

    reference.py PROGRAM ROOT            writes ROOT/docs/reference/*.md and ROOT/schema/report.json
    reference.py --check PROGRAM ROOT    fails if that would change one

Releases of CLI11 break the lines of a help text differently and write its headings in other cases, so
the check of that page compares words only.
"""
import html
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import links

NOTE = "<!-- Made by tests/docs/reference.py. Do not edit: change %s and run it again. -->\n"

# Names of the schemas' shared definitions in a table.
NAMES = {"arithmetic": "arithmetic", "numpy": "NumPy", "python": "NumPy, or a Python function", "text": "text",
         "generatedText": "CUDA C++", "ptxName": "name", "name": "name", "tuneNumber": "whole number"}

SCRIPTS = {"plugins/cpu/run/warpmark-cpu": "warpmark-cpu"}

SCHEMAS = {
    "suite": ("Keys of a suite", "Every key of a suite file, from `schema/suite.json`. [The suite format](../suite-format.md) "
              "explains what they do together, with examples."),
    "assignment": ("Keys of an assignment", "Every key of an assignment, from `schema/assignment.json`. "
                   "[The assignment format](../assignment-format.md) explains what they do together."),
    "run": ("Keys of a run configuration", "Every key of the file that `warpmark run` reads, from `schema/run.json`. "
            "[Run configurations](../commands.md#run-configurations) explains what they do together."),
    "grade": ("Members of a grade", "Every member of `result.json`, from `schema/grade.json`. [Results of grading]"
              "(../grade-results.md) explains the files beside it."),
    "judgement": ("Members of a judgement", "Every member of a verdict of `warpmark judge`, from `schema/judgement.json`. "
                  "[Judge kernels that machines write](../judge.md) explains what they do together."),
}


class Page:
    """The sections of one schema: one for each mapping with keys of its own."""

    def __init__(self, schema):
        self.schema = schema
        self.sections = []
        self.done = {}

    def resolve(self, node):
        """A node with what it refers to; keys beside the reference win."""
        name = None
        while "$ref" in node or "$ref" in node.get("allOf", [{}])[0]:
            inner = node if "$ref" in node else node["allOf"][0]
            rest = {key: value for key, value in node.items() if key not in ("$ref", "allOf")}
            parts = inner["$ref"].lstrip("#/").split("/")
            target = self.schema
            for part in parts:
                target = target[part]
            name = name or (parts[-1] if parts[0] == "definitions" else None)
            node = {**target, **rest}
        return node, name

    def kind(self, node, path):
        """Returns what a value may be, in words."""
        node, name = self.resolve(node)
        if name in NAMES:
            return NAMES[name]
        for choice in ("anyOf", "oneOf"):
            if choice in node and "properties" not in node:
                kinds = list(filter(None, dict.fromkeys(self.kind(one, path) for one in node[choice])))
                if kinds[-1] == "list of (%s)" % " or ".join(kinds[:-1]):
                    kinds[-1] = "a list of these"
                return " or ".join(kinds)
        if "const" in node:
            return "`%s`" % literal(node["const"])
        if "enum" in node:
            return self.choice(node["enum"])
        types = node.get("type", [])
        types = {types} if isinstance(types, str) else set(types)
        if "array" in types and "object" not in types:
            items = self.kind(node["items"], path) if node.get("items") else "values"
            return "list of %s" % (items if " or " not in items else "(%s)" % items)
        if "object" in types or "properties" in node:
            return self.mapping(node, path) + (" or list" if "array" in types else "")
        if "boolean" in types and "string" not in types:
            return "`true` or `false`"
        bounds = self.bounds(node)
        if types & {"integer", "number"} and (bounds or "string" not in types):
            whole = "number" not in types or node.get("multipleOf") == 1
            return ("whole number" if whole else "number") + bounds
        return "text"

    @staticmethod
    def choice(values):
        if {True, False} <= {value for value in values if isinstance(value, bool)}:
            return "`true` or `false`"
        texts = dict.fromkeys(literal(value) for value in values)
        return ", ".join("`%s`" % text for text in texts)

    @staticmethod
    def bounds(node):
        words = []
        if "exclusiveMinimum" in node:
            words.append("more than %d" % node["exclusiveMinimum"])
        if "minimum" in node:
            words.append("at least %d" % node["minimum"])
        if 0 < node.get("maximum", 0) < 2**53:
            words.append("at most %d" % node["maximum"])
        return ", " + ", ".join(words) if words else ""

    def mapping(self, node, path):
        others = node.get("additionalProperties")
        if node.get("properties"):
            title, anchor = self.section(node, path)
            return "[keys%s](#%s)" % (title[title.find(",") + 1:] if ", with " in title else "", anchor)
        if not isinstance(others, dict):
            patterns = node.get("patternProperties", {})
            others = next(iter(patterns.values()), None)
        if isinstance(others, dict):
            return "by name: " + self.kind(others, path + ".NAME")
        return "mapping"

    def section(self, node, path):
        """Adds the table of a mapping, and gives its title and anchor."""
        identity = json.dumps(node.get("properties"), sort_keys=True)
        if identity in self.done:
            return self.done[identity]
        title = path or "The file"
        if any(one[0] == title for one in self.sections):  # another form of the same key
            title = "%s, with %s" % (title, next(iter(node["properties"])))
        anchor = links.slug(title)
        self.done[identity] = title, anchor
        place = len(self.sections)
        self.sections.append([title, node.get("description", ""), []])
        required = node.get("required", ())
        rows = []
        for key, value in node["properties"].items():
            if value is False:
                continue
            inner, _ = self.resolve(value)
            kind = self.kind(value, "%s.%s" % (path, key) if path else key)
            # A key that looks like another one of the file need not have its default.
            alike = value.get("allOf", [{}])[0].get("$ref", "").startswith("#/properties/")
            default = "`%s`" % literal(inner["default"]) if "default" in inner and not alike else ""
            meaning = markdown(inner.get("description", ""))
            rows.append(("`%s`" % key, kind, "required" if key in required else default, meaning))
        self.sections[place][2] = rows
        return title, anchor

    def text(self, title, about, source):
        self.section(self.schema, "")
        for rule in self.schema.get("allOf", ()):
            plugin = rule["if"]["properties"]["plugin"]["const"]
            node, _ = self.resolve(rule["then"]["properties"]["kernel"])
            self.section({**node, "description": "With `plugin: %s`." % plugin}, "kernel of the plugin " + plugin)
        lines = ["# " + title, NOTE % ("`%s`" % source), about, ""]
        first = {}  # where a key is explained in the same words
        for heading, description, rows in self.sections:
            lines += ["## " + heading, ""]
            if description:
                lines += [markdown(description), ""]
            own = [row for row in rows if first.setdefault(row, heading) == heading]
            if own:
                lines += table(("key", "value", "default", "meaning"), own) + [""]
            places = {}
            for row in rows:
                if row not in own:
                    places.setdefault(first[row], []).append(row[0])
            for place, keys in places.items():
                lines += ["%s: as in [%s](#%s)." % (", ".join(keys), place, links.slug(place)), ""]
        return "\n".join(lines).rstrip() + "\n"


def literal(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def markdown(text):
    """A description as prose; the kind of its value stands in a column of its own."""
    text = re.sub(r" \((arithmetic|NumPy)\)", "", text)
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([_*\[\]])", r"\\\1", html.escape(part, quote=False)) for part in parts[::2]]
    return "".join(parts)


def table(head, rows):
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = ["| %s |" % " | ".join(head), "|%s|" % "|".join("---" for _ in head)]
    return lines + ["| %s |" % " | ".join(row) for row in rows]


def help_of(program, *command):
    """Returns the program's help for a command, in an environment that changes nothing of it."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": "/", "LC_ALL": "C.UTF-8"}
    for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    done = subprocess.run([program, *command, "--help"], env=environment, capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip("\n").replace(program, "warpmark")


def commands_in(text):
    """The commands that a help text lists."""
    part = re.search(r"^(?:SUB)?COMMANDS:\n(.*?)(?=^\S|\Z)", text, re.M | re.S | re.I)
    return re.findall(r"^ {2}(\w[\w-]*)\b", part.group(1), re.M) if part else []


OPTION = re.compile(r"^  (-[^ ]+)(?:.*\n)(?:^ {4,}(?!-).*\n)*", re.M)


def without_known(text, known):
    """A help text whose options that an earlier command has, in the same words, are only named. Adds the others to `known`."""
    named = []

    def option(match):
        words = " ".join(match.group().split())
        if words in known:
            named.append(match.group(1).split("{")[0])
            return ""
        known.add(words)
        return match.group()

    text = OPTION.sub(option, text + "\n").rstrip("\n")
    named = [name for name in named if name != "-h,--help"]
    return re.sub(r"Options:\n*\Z", "", text).rstrip("\n") + ("\n\nAs above: %s" % " ".join(named) if named else "")


def command_page(program, root):
    lines = ["# Commands and options", NOTE % "the help texts",
             "What `warpmark --help`, `warpmark COMMAND --help` and `warpmark-cpu --help` print. [Commands](../commands.md)",
             "explains how the options work together. Options that an earlier command explains in the same words are only named.", ""]
    known = set()

    def add(*command):
        text = without_known(help_of(program, *command), known)
        lines.extend(["## " + " ".join(("warpmark", *command)), "", "```text", text, "```", ""])
        for name in commands_in(text):
            add(*command, name)

    add()
    for script, name in SCRIPTS.items():
        if (root / script).is_file():
            text = help_of(str(root / script)).replace(str(root / script), name)
            lines.extend(["## " + name, "", "```text", text, "```", ""])
    return "\n".join(lines).rstrip() + "\n"


def database_page(program, root):
    """The tables that `warpmark export` makes, as a database has them."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "results.sqlite")
        subprocess.run([program, "export", str(root / "tests/results/check.jsonl"), "-o", file],
                       stdout=subprocess.DEVNULL, check=True)
        connection = sqlite3.connect(file)
        statements = [row[0] for row in connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")]
        statements[:0] = ["PRAGMA %s = %d" % (name, connection.execute("PRAGMA " + name).fetchone()[0])
                          for name in ("application_id", "user_version")]
        connection.close()
    return "\n".join([
        "# Tables of exported results",
        NOTE % "`harness/results/database.sql` and the tables of members that it is filled from",
        "The tables and views of a database that `warpmark export` writes. [Queries over results](../commands.md#queries-over-results)",
        "has examples. Names and meanings are those of journals (`schema/outcome.json`): a column is called like its member,",
        "units are in the names, and what a journal does not say is NULL. `sqlite3 FILE .schema` prints the same.", "",
        "```sql", "\n\n".join(statement + ";" for statement in statements), "```", ""])


SETS = re.compile(r'\{"(\w+)",\s*((?:"[^"]*"\s*)+)(?:,\s*WordSet::\w+)?\}')
_FORM = re.compile(r'FORM\("([^"]*)", (\d+), (\w+(?:\([^)]*\))?), (\w+), (\w+)\)')


def needs_text(needs):
    """Returns what a form needs by instruction_forms.def, as PTX says it."""
    numbers = [int(number) for number in re.findall(r"\d+", needs)]
    if needs.startswith("ptx"):
        numbers.insert(0, 0)
    architecture, version = (numbers + [0, 0])[:2]
    target = "sm_%d%s" % (architecture, "a" if needs.startswith("sm_a") else "") if architecture else ""
    return ", ".join(filter(None, [target, "PTX %d.%d" % divmod(version, 10) if version else ""]))


def instruction_page(root):
    """All instructions of PTX, and what the CPU device does with them, from its own table."""
    folder = root / "plugins/cpu/ptx"
    source = (folder / "instruction_set.cpp").read_text(encoding="utf-8")
    sets = {name: " ".join(re.findall(r'"([^"]*)"', words)).split()
            for name, words in SETS.findall(source[source.index("kSets"):source.index("struct WordNeeds")])}
    lines = ["# Instructions", NOTE % "`plugins/cpu/ptx/instruction_forms.def`",
             "Every instruction of PTX 9.5 as the PTX ISA writes it, what it needs of a module, the class that the",
             "[counters](../counters.md) count it in, and what the CPU device refuses. `{.word}` may be left out,",
             "`.<a b>` is one of several, and `.$name` is one of a set below the table. Some words need more wherever they",
             "stand: `.bf16` needs sm_80, `.shared::cluster` sm_90, `.b128` PTX 8.3.", ""]
    section = re.compile(r"^// --- (.*)$", re.M)
    text = (folder / "instruction_forms.def").read_text(encoding="utf-8")
    used = set()
    parts = section.split(text)[1:]
    for heading, forms in zip(parts[::2], parts[1::2]):
        rows = []
        for syntax, operands, needs, which, family in _FORM.findall(forms):
            used.update(re.findall(r"\$(\w+)", syntax))
            rows.append(("`%s`%s" % (re.sub("[*!]", "", syntax), " with %s operands" % operands if operands != "0" else ""),
                         needs_text(needs), ("by type" if which == "typed" else which) + (", refused" if family == "none" else "")))
        lines += ["## " + heading, ""] + table(("syntax", "needs", "class"), rows) + [""]
    lines += ["## Sets", ""]
    rows = [("`$%s`" % name, " ".join("`%s`" % word for word in sets[name])) for name in sorted(used - {"shape"})]
    rows.append(("`$shape`", "`m16n8k16` and the like"))
    return "\n".join(lines + table(("set", "words"), sorted(rows))).rstrip() + "\n"


def words(text):
    return text.lower().split()


def schema_texts(root):
    """The schemas of pages, and that of reports with the kinds of checks.def."""
    text = (root / "harness/include/warpmark/checks.def").read_text(encoding="utf-8")
    rows = re.findall(r"^CHECK\((\w+), (\w+),", text, re.MULTILINE)
    kinds = [json.dumps(kind) for _, kind in rows]
    texts = {name: (root / "schema" / (name + ".json")).read_text(encoding="utf-8") for name in (*SCHEMAS, "report")}
    texts["report"], found = re.subn(r'("waiting", )("[^\]]*?)(, "incomplete")',
                                     lambda match: match[1] + ", ".join(kinds) + match[3], texts["report"])
    if found != 1:
        raise SystemExit("schema/report.json: error: %d lists of checks are before `incomplete`" % found)
    return texts


def main(arguments):
    check = arguments[:1] == ["--check"]
    program, root = arguments[check:]
    root = pathlib.Path(root).resolve()
    files = {"docs/reference/commands.md": command_page(program, root)}
    schemas = schema_texts(root)
    for name, text in schemas.items():
        files["schema/%s.json" % name] = text
    for name, (title, about) in SCHEMAS.items():
        page = Page(json.loads(schemas[name])).text(title, about, "schema/%s.json" % name)
        files["docs/reference/%s-schema.md" % name] = page
    if (root / "harness/results/database.sql").is_file():
        files["docs/reference/database-tables.md"] = database_page(program, root)
    if (root / "plugins/cpu/ptx").is_dir():
        files["docs/reference/instructions.md"] = instruction_page(root)
    old = 0
    for name, text in files.items():
        path = root / name
        kept = path.read_text(encoding="utf-8") if path.is_file() else ""
        if kept == text or (check and name.endswith("/commands.md") and words(kept) == words(text)):
            continue
        old += 1
        if check:
            print("%s: error: it is not what tests/docs/reference.py makes: run it again" % name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print("wrote " + name)
    return 1 if check and old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
