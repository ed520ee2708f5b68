# `warpmark schema`, and what editors make of the schemas: the files that we ship, a stranger's, and bad ones.
import json
import pathlib
import re
import shutil
import unittest
import urllib.parse

from program import PROGRAM, SOURCE, CheckTest, ProgramTest

try:
    import jsonschema
    import yaml
except ImportError as missing:
    jsonschema, why_not = None, str(missing)

SCHEMAS = SOURCE / "schema"
NAMES = sorted(path.stem for path in SCHEMAS.glob("*.json"))
LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")
SUITE = """warpmark: 1
kernel: {source: 'extern "C" __global__ void k(int *a) { a[0] = 7; }', entry: k}
arguments: {a: {out: 1, dtype: int32}}
launch: {block: 1}
reference: {a: '[7]'}
"""

# Mistakes of each format that a schema sees, as changes of a good file.
BAD_SUITES = (("warpmark: 1", "warpmark: 2"), ("kernel:", "kernl:"), ("entry: k", "entri: k"),
              ("{out: 1,", "{output: 1,"), ("{out: 1, dtype: int32}", "{dtype: int32}"),
              ("dtype: int32", "dtype: 32"), ("{block: 1}", "{block: {}}"),
              ("{block: 1}", "{grid: 1}"), ("launch: {block: 1}\n", ""), ("warpmark: 1\n", ""),
              ("{a: '[7]'}", "[7]"), ("'[7]'}", "[7]}"), ("'[7]'}", "'[7]'}\ntolerance: tight"),
              ("'[7]'}", "'[7]'}\nbench: {sizes: 3}"), ("'[7]'}", "'[7]'}\nchecks: [nothing]"))
RUN = "warpmark: 1\ncheck: {suites: [suites], device: cpu}\n"
BAD_RUNS = (("warpmark: 1", "warpmark: 2"), ("check:", "chek:"), ("suites: [", "suite: ["),
            ("cpu}", "cpu, seed: -1}"), ("cpu}", "cpu, exitfirst: perhaps}"),
            ("cpu}", "cpu, trials: 0}"), ("[suites]", "7"))
ASSIGNMENT = "warpmark: 1\nassignment: a\nsuite: s.yaml\npoints: 10\ncases:\n  - {name: all, points: 10}\n"
BAD_ASSIGNMENTS = (("warpmark: 1", "warpmark: 2"), ("assignment: a", "assignment: a b"),
                   ("suite: s.yaml\n", ""), ("points: 10\ncases", "points: [10]\ncases"),
                   ("cases:", "case:"), ("{name: all, points: 10}", "{name: all, point: 10}"))


class Schema(ProgramTest):
    def test_the_list(self):
        out, _ = self.run_program("schema")
        self.assertEqual([line.split()[0] for line in out.splitlines()], NAMES)
        for name in NAMES:
            title = json.loads((SCHEMAS / (name + ".json")).read_text())["title"]
            self.assertRegex(out, r"(?m)^%s +%s$" % (name, re.escape(title)))

    def test_one(self):
        for name in NAMES:
            file = SCHEMAS / (name + ".json")
            self.assertEqual(self.run_program("schema", name)[0], file.read_text())
            path, _ = self.run_program("schema", name, "--path")
            self.assertEqual(path, "%s\n" % file.resolve())

    def test_mistakes(self):
        self.assertIn("did you mean `suite`?", self.refused("schema", "suites"))
        self.assertIn("the schemas are: assignment, ", self.refused("schema", "../x"))
        self.assertIn("--path and --line need the name of a schema", self.refused("schema", "--path"))
        self.assertIn("--line", self.refused("schema", "suite", "--path", "--line"))
        errors = self.refused("schema", "suite", program=self.lonely_program(), code=3)
        self.assertIn("there are no schemas in ", errors)

    def test_a_moved_program_finds_its_own(self):
        prefix = self.folder / "a place" / "prefix"
        shutil.copytree(SCHEMAS, prefix / "share/warpmark/schema")
        (prefix / "bin").mkdir()
        shutil.copy(PROGRAM, prefix / "bin/warpmark")
        file = (prefix / "share/warpmark/schema/suite.json").resolve()
        out, _ = self.run_program("schema", "suite", "--path", program=prefix / "bin/warpmark")
        self.assertEqual(out, "%s\n" % file)
        out, _ = self.run_program("schema", "suite", "--line", program=prefix / "bin/warpmark")
        self.assertEqual(LINE.fullmatch(out).group(1), file.as_uri())
        # In one tree with it the way is relative.
        (prefix / "share/warpmark/mine").mkdir()
        out, _ = self.run_program("schema", "suite", "--line", program=prefix / "bin/warpmark",
                                  cwd=prefix / "share/warpmark/mine")
        self.assertEqual(LINE.fullmatch(out).group(1), "../schema/suite.json")


def named_schema(path):
    """The file that an editor reads for a YAML file, by its first line."""
    way = LINE.match(path.read_text()).group(1)
    if way.startswith("file:"):
        return pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(way).path))
    return (path.parent / way).resolve()


@unittest.skipIf(jsonschema is None, "no jsonschema or yaml in this Python")
class Validated(CheckTest):
    def validator(self, file):
        schema = json.loads(pathlib.Path(file).read_text())
        kind = jsonschema.validators.validator_for(schema, default=None)
        self.assertIsNotNone(kind, "%s does not say which JSON Schema it is" % file)
        kind.check_schema(schema)
        return kind(schema)

    def good(self, path, file=None):
        problems = self.validator(file or named_schema(path)).iter_errors(
            yaml.safe_load(path.read_text()))
        self.assertEqual([problem.message for problem in problems], [], path)

    def test_the_schemas_are_schemas(self):
        for name in NAMES:
            self.validator(SCHEMAS / (name + ".json"))

    def test_what_we_ship_is_good(self):
        files = [path for folder in ("suites", "courses", "configs")
                 for path in (SOURCE / folder).rglob("*.yaml")]
        self.assertGreater(len(files), 25)
        kinds = set()
        for path in files:
            schema = named_schema(path)
            kinds.add(schema)
            self.assertEqual(schema.parent, SCHEMAS.resolve(), path)
            self.good(path)
        self.assertEqual({path.stem for path in kinds}, {"suite", "assignment", "run"})

    def test_a_strangers_folder(self):
        """As docs/editors.md says: by a line of the program, or by a copy."""
        line, _ = self.run_program("schema", "suite", "--line")
        path = self.write("mine/s.yaml", line + SUITE)
        self.assertEqual(named_schema(path), (SCHEMAS / "suite.json").resolve())
        self.good(path)
        self.assertEqual(self.run_program("lint", "--static", "mine")[1], "")
        copy, _ = self.run_program("schema", "suite")
        self.write("copied/suite.schema.json", copy)
        self.good(self.write("copied/s.yaml",
                             "# yaml-language-server: $schema=suite.schema.json\n" + SUITE))

    def test_a_new_assignment(self):
        self.run_program("new", "assignment", "hw1", "--from",
                         SOURCE / "suites/doublify/double_array.yaml")
        path = self.folder / "hw1/assignment.yaml"
        self.assertEqual(named_schema(path), (SCHEMAS / "assignment.json").resolve())
        self.good(path)

    def refused_by_schema(self, name, text):
        document = yaml.safe_load(text)
        self.assertFalse(self.validator(SCHEMAS / name).is_valid(document), text)

    def changed(self, text, change):
        self.assertIn(change[0], text)
        return text.replace(*change)

    def test_bad_suites_are_bad_to_the_schema_and_to_lint(self):
        self.good(self.write("good.yaml", SUITE), SCHEMAS / "suite.json")
        self.run_program("lint", "--static", "good.yaml")
        for number, change in enumerate(BAD_SUITES):
            text = self.changed(SUITE, change)
            self.refused_by_schema("suite.json", text)
            self.write("bad/%02d.yaml" % number, text)
        out, _ = self.run_program("lint", "--static", "--json", "bad", code=2)
        blamed = {problem["file"] for problem in json.loads(out)["problems"]}
        self.assertEqual(blamed, {"bad/%02d.yaml" % number for number in range(len(BAD_SUITES))})

    def test_the_loaders_bad_suites_are_bad_to_lint(self):
        """Those that the schema is tested with, in tests/unit/suite."""
        folder = SOURCE / "tests/unit/suite/files/bad"
        out, _ = self.run_program("lint", "--static", "--json", folder, code=2)
        blamed = {pathlib.Path(problem["file"]).name for problem in json.loads(out)["problems"]}
        self.assertEqual({path.name for path in folder.glob("*.yaml")} - blamed, set())

    def test_bad_configurations_are_bad_to_the_schema_and_to_run(self):
        self.write("suites/s.yaml", SUITE)
        self.good(self.write("good.yaml", RUN), SCHEMAS / "run.json")
        self.run_program("run", "good.yaml")
        for change in BAD_RUNS:
            text = self.changed(RUN, change)
            self.refused_by_schema("run.json", text)
            self.write("bad.yaml", text)
            self.assertIn("bad.yaml:", self.refused("run", "bad.yaml"))

    def test_bad_assignments_are_bad_to_the_schema_and_to_lint(self):
        self.write("s.yaml", SUITE)
        self.good(self.write("good.yaml", ASSIGNMENT), SCHEMAS / "assignment.json")
        for change in BAD_ASSIGNMENTS:
            text = self.changed(ASSIGNMENT, change)
            self.refused_by_schema("assignment.json", text)
            self.write("bad.yaml", text)
            _, errors = self.run_program("grade", "--lint", "bad.yaml", code=2)
            self.assertRegex(errors, r"(?m)^bad\.yaml:\d+:\d+: error: ")


if __name__ == "__main__":
    unittest.main()
