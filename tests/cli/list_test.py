# `warpmark list`: its text and JSON, and that it needs neither NumPy nor, mostly, Python.
import json
import os
import unittest

from program import BUILD, DEMO, HERE, SOURCE, ProgramTest

PLUGIN = BUILD / "lib" / "warpmark" / "warpmark-plugin-source.so"


class List(ProgramTest):
    def test_text_is_golden(self):
        out, errors = self.run_program("list", DEMO)
        self.assertEqual(out, (HERE / "list.txt").read_text())
        self.assertEqual(errors, "")

    def test_json_is_golden(self):
        out, _ = self.run_program("list", "--json", DEMO)
        golden = (HERE / "list.json").read_text()
        self.assertEqual(out.replace(str(PLUGIN), "PLUGIN").replace(str(DEMO), "SUITES"), golden)
        json.loads(out)

    def test_inputs_are_absolute_files_that_exist(self):
        out, _ = self.run_program("list", "--json", os.path.relpath(SOURCE / "suites", self.folder))
        suites = json.loads(out)["suites"]
        self.assertGreater(len(suites), 6)
        for suite in suites:
            self.assertIn(suite["file"], suite["inputs"])
            self.assertIn(str(PLUGIN.parent), [os.path.dirname(file) for file in suite["inputs"]])
            for file in suite["inputs"]:
                self.assertTrue(os.path.isabs(file) and os.path.isfile(file), file)

    def test_inputs_are_all_files_that_a_suite_is_made_of(self):
        self.write("k.cu", "#include <a.cuh>\nextern \"C\" __global__ void k(int *p) {}\n")
        self.write("more.cu", "#include \"b.cuh\"\n")
        self.write("v.py", "")
        for header in ("headers/a.cuh", "b.cuh", "headers/unused.cuh"):
            self.write(header, "")
        self.write("s.yaml", "warpmark: 1\nkernel: {file: k.cu, entry: k, link: [more.cu], "
                   "include: [headers]}\narguments: {p: {inout: {function: v.py:f}}}\n"
                   "launch: {block: 1}\nreference: {p: p}\n")
        self.write("gen.yaml", "warpmark: 1\nplugin: elementwise\nkernel: {parameters: int *p, "
                   "operation: 'p[i] = 1', preamble: '#include \"b.cuh\"'}\n"
                   "arguments: {p: {out: 1}}\nreference: {p: 1}\n")
        out, _ = self.run_program("list", "--json", ".")
        names = {suite["name"]: [os.path.relpath(file, self.folder) for file in suite["inputs"]
                                 if file.startswith(str(self.folder))]
                 for suite in json.loads(out)["suites"]}
        self.assertEqual(names, {"s": ["s.yaml", "k.cu", "headers/a.cuh", "more.cu", "b.cuh", "v.py"],
                                 "gen": ["gen.yaml", "b.cuh"]})

    def test_a_plugin_in_the_suites_folder_hides_the_programs_own(self):
        self.write_suite("one/suite.yaml")
        own = self.write("one/warpmark-plugin-source.so", "never opened by list")
        out, _ = self.run_program("list", "--json", "one")
        inputs = json.loads(out)["suites"][0]["inputs"]
        self.assertIn(str(own), inputs)
        self.assertNotIn(str(PLUGIN), inputs)

    def test_json_stays_valid_whatever_the_suite_says(self):
        text = self.write_suite("odd.yaml").read_text()
        self.write("odd.yaml", text + 'about: "a \\"quoted\\" \\\\ word, \\u00e9 and <b>"\n')
        out, _ = self.run_program("list", "--json", "odd.yaml")
        self.assertEqual(json.loads(out)["suites"][0]["about"], 'a "quoted" \\ word, \xe9 and <b>')

    def test_suites_alone(self):
        out, _ = self.run_program("list", "--suites", DEMO)
        self.assertEqual([line.split(" ")[0] for line in out.splitlines()],
                         ["demo/single", "demo", "2"])

    def test_default_is_the_folder_suites(self):
        self.write_suite("suites/mine.yaml")
        out, _ = self.run_program("list")
        self.assertIn("\n  mine.n=4\n", out)

    def test_nothing_named_and_nothing_there(self):
        errors = self.refused("list")
        self.assertIn("no PATHS were given, and there is no folder `suites` here", errors)
        self.assertIn("hint: name suite files or folders", errors)

    def test_the_same_from_any_working_directory(self):
        self.assertEqual(self.run_program("list", DEMO), self.run_program("list", DEMO, cwd="/"))

    def test_a_suite_named_twice_is_listed_once(self):
        out, _ = self.run_program("list", DEMO / "demo" / "single.yaml", DEMO)
        self.assertEqual(out, (HERE / "list.txt").read_text())

    def test_a_broken_suite_is_reported_with_its_place(self):
        self.write_suite("a.yaml", axis="[4, 8")
        self.assertRegex(self.refused("list", "a.yaml"), r"^a\.yaml:\d+:\d+: error: ")


class ListWithoutPython(ProgramTest):
    """NumPy is a package that leaves a trace when it is imported."""

    def setUp(self):
        super().setUp()
        self.trace = self.folder / "imported"
        self.python = self.make_python("open(%r, 'w')\n__version__ = '1.26.0'\n" % str(self.trace))

    def test_literal_axes_start_no_python(self):
        self.environment["WARPMARK_PYTHON"] = "/nowhere/python3"
        self.run_program("list", DEMO, SOURCE / "suites")
        # The setting is one that is seen where Python is started.
        self.write_suite("computed.yaml", axis='{python: "[2, 3]"}')
        self.assertIn("/nowhere/python3", self.refused("list", "computed.yaml", code=3))

    def test_computed_axes_start_python_and_import_no_numpy(self):
        self.environment["WARPMARK_PYTHON"] = str(self.python)
        self.write_suite("computed.yaml", axis='{python: "[2**k for k in range(3)]"}')
        out, _ = self.run_program("list", "computed.yaml")
        self.assertIn("  computed.n=1\n  computed.n=2\n  computed.n=4\n", out)
        self.assertFalse(self.trace.exists())
        # The trace is one that an import leaves.
        self.start("doctor")
        self.assertTrue(self.trace.exists())

    def test_a_computed_axis_that_fails_is_reported_with_its_place(self):
        self.environment["WARPMARK_PYTHON"] = str(self.python)
        self.write_suite("computed.yaml", axis='{python: "[1/0]"}')
        errors = self.refused("list", "computed.yaml")
        self.assertRegex(errors, r"computed\.yaml:6:\d+: error: .*ZeroDivisionError")


if __name__ == "__main__":
    unittest.main()
