"""warpmark_discover_tests in a project of its own, with a stand-in for the program.

Usage: discover_test.py SOURCE_FOLDER CMAKE CTEST [unittest arguments]
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, CMAKE, CTEST = (pathlib.Path(argument) for argument in sys.argv[1:4])
HERE = pathlib.Path(__file__).resolve().parent

LISTS = """cmake_minimum_required(VERSION 3.25)
project(nested NONE)
enable_testing()
include([[%s/cmake/WarpmarkDiscoverTests.cmake]])
"""


class Discovery(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="warpmark discover ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.program = self.root / "my program"
        shutil.copy(HERE / "fake_warpmark.py", self.program)
        self.program.chmod(0o755)
        self.write("suites/first one.yaml", "input my kernel.cu\ncase first.dtype=float32,n=~1 0\n"
                   "case first.dtype=float32,n=2.5 77\n")
        self.write("suites/dot.yaml", "case reductions/dot.n=1 1\n")
        self.write("my kernel.cu", "")
        self.call = ('warpmark_discover_tests("suites/first one.yaml" suites/dot.yaml '
                     'PROGRAM "my program" DEVICE cpu LABELS quick "two words" PREFIX nested. '
                     'WORKING_DIRECTORY . TIMEOUT 30)\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def configure(self, call=None, generator="Ninja"):
        self.write("CMakeLists.txt", LISTS % SOURCE + (call or self.call))
        return subprocess.run([CMAKE, "-S", self.root, "-B", self.root / "build", "-G", generator],
                              text=True, timeout=60, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    def ctest(self, *arguments):
        return subprocess.run([CTEST, *arguments], cwd=self.root / "build", text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout

    def names(self, *arguments):
        return re.findall(r"Test +#\d+: (.*)", self.ctest("-N", *arguments))

    def lists_made(self):
        """How often the program was asked for its list."""
        lines = (self.root / "calls.log").read_text().splitlines()
        return sum(json.loads(line)[0] == "list" for line in lines)

    def test_names_commands_and_properties(self):
        self.assertEqual(self.configure().returncode, 0)
        tests = json.loads(self.ctest("--show-only=json-v1"))["tests"]
        self.assertEqual([test["name"] for test in tests],
                         ["nested.first.dtype=float32,n=~1", "nested.first.dtype=float32,n=2.5",
                          "nested.reductions/dot.n=1"])
        self.assertEqual(tests[0]["command"],
                         [str(self.program), "check", str(self.root / "suites/first one.yaml"),
                          "--case", "first.dtype=float32,n=~1", "--device", "cpu",
                          "--share", str(self.root / "build/warpmark_tests_1.shared")])
        properties = {item["name"]: item["value"] for item in tests[0]["properties"]}
        self.assertEqual(properties, {"LABELS": ["quick", "two words"], "SKIP_RETURN_CODE": 77,
                                      "TIMEOUT": 30.0, "WORKING_DIRECTORY": str(self.root)})

    def test_verdicts(self):
        self.configure()
        output = self.ctest("--output-on-failure")
        self.assertRegex(output, r"nested\.first\.dtype=float32,n=~1 \.+ +Passed")
        self.assertRegex(output, r"nested\.first\.dtype=float32,n=2\.5 \.+\*\*\*Skipped")
        self.assertRegex(output, r"nested\.reductions/dot\.n=1 \.+\*\*\*Failed")
        self.assertIn("checking reductions/dot.n=1 on cpu", output)

    def test_list_is_made_anew_exactly_when_something_changed(self):
        self.configure()
        self.assertEqual(len(self.names()), 3)
        self.names()
        self.assertEqual(self.lists_made(), 1)
        expected = 1
        for change in ("suites/dot.yaml", "my kernel.cu", "my program"):
            with self.subTest(change):
                time.sleep(0.05)  # more than a tick of the file system's clock
                (self.root / change).touch()
                time.sleep(0.05)  # equal times count as changed
                self.names()
                expected += 1
                self.assertEqual(self.lists_made(), expected)
                self.names()
                self.assertEqual(self.lists_made(), expected)
        time.sleep(0.05)
        self.write("suites/dot.yaml", "case reductions/dot.n=2 0\ncase reductions/dot.n=4 0\n")
        self.assertEqual(self.names()[2:], ["nested.reductions/dot.n=2",
                                            "nested.reductions/dot.n=4"])
        (self.root / "my kernel.cu").unlink()
        before = self.lists_made()
        self.names()
        self.assertEqual(self.lists_made(), before + 1)

    def test_changed_call_counts_at_once(self):
        self.configure()
        self.names()
        self.configure(self.call.replace("PREFIX nested.", ""))
        self.assertEqual(self.names()[2], "reductions/dot.n=1")

    def test_broken_suite_fails_by_name_and_leaves_the_others(self):
        self.configure()
        self.names()
        time.sleep(0.05)
        self.write("suites/dot.yaml", "broken unknown key `blocks`; [see]\n")
        self.assertEqual(self.names(), ["nested.first.dtype=float32,n=~1",
                                        "nested.first.dtype=float32,n=2.5",
                                        "nested.suites/dot_NOT_DISCOVERED"])
        output = self.ctest("--output-on-failure")
        self.assertRegex(output, r"nested\.suites/dot_NOT_DISCOVERED \.+\*\*\*Failed")
        self.assertIn("error: unknown key `blocks`; [see]", output)
        self.write("suites/dot.yaml", "case reductions/dot.n=2 0\n")  # mended: no trace remains
        self.assertEqual(self.names()[2:], ["nested.reductions/dot.n=2"])

    FAILURE = ('print2 {"suites": [{"name": "good", "file": "good.yaml", "inputs": [], "cases": '
               '[{"id": "good.n=1", "skip": null}]}], "failures": [{"name": "sub/bad", '
               '"file": "/x/bad.yaml", "error": "bad.yaml:3:1: error: a; [b] ${c}\\n  hint: d"}]}')

    def test_a_bad_suite_of_a_folder_is_one_failing_test(self):
        self.write("suites/first one.yaml", self.FAILURE + "\n")
        for per, names in (("case", ["nested.good.n=1", "nested.sub/bad_NOT_DISCOVERED"]),
                           ("suite", ["nested.good", "nested.sub/bad"])):
            self.configure(self.call.replace(" suites/dot.yaml", "").replace(
                "TIMEOUT", "PER %s PROPERTIES WILL_FAIL TRUE TIMEOUT" % per))
            self.assertEqual(sorted(self.names()), names)
            # A pattern for the suite must also select the failing test.
            output = self.ctest("--output-on-failure", "-R", "sub/bad")
            self.assertRegex(output, re.escape(names[1]) + r" \.+\*\*\*Failed")
            self.assertIn("bad.yaml:3:1: error: a; [b] ${c}", output)
            before = self.lists_made()
            self.names()  # asked again until it is mended
            self.assertGreater(self.lists_made(), before)

    def test_a_code_without_failures_is_none_of_a_list(self):
        self.configure()
        self.write("suites/dot.yaml", 'print2 {"suites": [{"name": "x", "file": "x", "cases": []}]}')
        self.assertIn("nested.suites/dot_NOT_DISCOVERED", self.names())

    def test_useless_lists_fail(self):
        self.configure()
        for text in ("print nonsense", 'print {"suites": []}', 'print {"suites": [{}]}',
                     'print {"suites": [{"file": "x", "cases": []}]}', "",
                     'print {"suites": [{"file": "x", "cases": [{"name": "a.n=1"}]}]}',
                     'print {"suites": [{"file": "x", "cases": [{"id": "a;b"}]}]}'):
            with self.subTest(text):
                self.write("suites/dot.yaml", text + "\n")
                self.assertIn("nested.suites/dot_NOT_DISCOVERED", self.names())

    def test_missing_program_fails(self):
        self.configure()
        self.program.unlink()
        self.assertEqual(self.names(), ["nested.suites/first one_NOT_DISCOVERED",
                                        "nested.suites/dot_NOT_DISCOVERED"])
        self.assertIn("my program does not exist", self.ctest("--output-on-failure"))

    def test_folder_finds_new_files(self):
        # The stand-in reads files only; what counts is that it is asked each time.
        self.configure('warpmark_discover_tests(suites PROGRAM "my program")\n')
        self.names()
        before = self.lists_made()
        self.names()
        self.assertGreater(self.lists_made(), before)

    def test_several_calls_and_refused_ones(self):
        other = self.call.replace("nested.", "other.")
        self.assertEqual(self.configure(self.call + other).returncode, 0)
        self.assertEqual(len(set(self.names())), 6)
        for call, words in ((self.call * 2, "is discovered twice"),
                            ("warpmark_discover_tests()\n", "no suite is given"),
                            ("warpmark_discover_tests(no.yaml)\n", "there is no"),
                            (self.call.replace("DEVICE", "PER file DEVICE"), "not `file`"),
                            (self.call + "warpmark_discover_tests(suites PROPERTIES COST)",
                             "PROPERTIES are pairs")):
            done = self.configure(call)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stdout)

    def test_per_suite(self):
        self.write("suites/none.yaml", "case none.n=1 77\ncase none.n=2 77\n")
        self.configure(self.call.replace("PROGRAM", "suites/none.yaml PER suite PROGRAM"))
        tests = json.loads(self.ctest("--show-only=json-v1"))["tests"]
        self.assertEqual([test["name"] for test in tests],
                         ["nested.first one", "nested.dot", "nested.none"])
        self.assertEqual(tests[1]["command"], [str(self.program), "check",
                                               str(self.root / "suites/dot.yaml"), "--device", "cpu"])
        output = self.ctest()
        self.assertRegex(output, r"nested\.first one \.+ +Passed")  # one of its two cases is skipped
        self.assertRegex(output, r"nested\.dot \.+\*\*\*Failed")
        self.assertRegex(output, r"nested\.none \.+\*\*\*Skipped")

    def test_own_starts_and_resources(self):
        for words, shared, resources in (("OWN_START TIMEOUT", False, False),
                                         ("RESOURCE TIMEOUT", True, True),
                                         ("TIMEOUT 19 COST", False, False)):
            self.configure(self.call.replace("TIMEOUT", words).replace("COST 30", ""))
            test = json.loads(self.ctest("--show-only=json-v1"))["tests"][0]
            self.assertEqual("--share" in test["command"], shared, words)
            properties = {item["name"]: item["value"] for item in test["properties"]}
            self.assertEqual("RESOURCE_GROUPS" in properties, resources, words)

    def test_resources_are_those_of_the_specification(self):
        self.configure(self.call.replace("DEVICE", "RESOURCE DEVICE"))
        spec = {"version": {"major": 1, "minor": 0}, "local": [{"gpus": [{"id": "3", "slots": 1}]}]}
        self.write("spec.json", json.dumps(spec))
        output = self.ctest("--verbose", "--resource-spec-file", str(self.root / "spec.json"))
        self.assertEqual(output.count("given id:3,slots:1\n"), 3, output)
        self.assertIn("given None\n", self.ctest("--verbose"))
        self.write("spec.json", json.dumps(dict(spec, local=[{"gpus": []}])))
        output = self.ctest("--resource-spec-file", str(self.root / "spec.json"))
        self.assertNotIn("Passed", output)

    def test_properties(self):
        self.configure(self.call.replace("TIMEOUT", '''PROPERTIES WILL_FAIL TRUE COST 7
            ENVIRONMENT "A=1;B=2" ENVIRONMENT_MODIFICATION "C=set:a b" TIMEOUT'''))
        properties = json.loads(self.ctest("--show-only=json-v1"))["tests"][0]["properties"]
        properties = {item["name"]: item["value"] for item in properties}
        self.assertEqual((properties["WILL_FAIL"], properties["COST"]), (True, 7))
        self.assertEqual(properties["ENVIRONMENT"], ["A=1", "B=2"])
        self.assertEqual(properties["ENVIRONMENT_MODIFICATION"], ["C=set:a b"])
        self.assertRegex(self.ctest(), r"nested\.reductions/dot\.n=1 \.+ +Passed")
        time.sleep(0.05)
        self.write("suites/dot.yaml", "broken beyond repair\n")  # and no property makes that good
        self.assertRegex(self.ctest(), r"nested\.suites/dot_NOT_DISCOVERED \.+\*\*\*Failed")

    def test_plugins_are_known_whichever_call_comes_first(self):
        # The commands by which warpmark_add_plugin() registers a plugin's folder.
        plugin = """if(NOT TARGET _warpmark_plugins)
          add_library(_warpmark_plugins INTERFACE IMPORTED GLOBAL)
        endif()
        set_property(TARGET _warpmark_plugins APPEND PROPERTY WARPMARK_PLUGIN_FOLDERS
          "$<1:${CMAKE_BINARY_DIR}/my plugins>" "${CMAKE_BINARY_DIR}/my plugins")\n"""
        with_environment = self.call.replace(
            "TIMEOUT", 'PROPERTIES ENVIRONMENT_MODIFICATION "C=set:a b" TIMEOUT')
        for call in (plugin + self.call, self.call + plugin, with_environment + plugin):
            done = self.configure(call)
            self.assertEqual(done.returncode, 0, done.stdout)
            (self.root / "calls.log").unlink(missing_ok=True)
            output = self.ctest("--verbose", "-R", "dot")
            folder = "%s/build/my plugins" % self.root
            self.assertRegex(output, "with plugins of %s\n" % re.escape(folder))
            logged = (self.root / "calls.log").read_text().splitlines()
            self.assertEqual({json.loads(line)[-1] for line in logged}, {folder})

    @unittest.skipUnless(shutil.which("ninja"), "no ninja on PATH")
    def test_multi_config(self):
        done = self.configure(generator="Ninja Multi-Config")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(self.names("-C", "Debug")), 3)
        self.assertEqual(len(self.names("-C", "Release")), 3)
        self.assertEqual(self.names(), ["nested.warpmark_tests_1_NOT_DISCOVERED"])
        self.assertIn("***Failed", self.ctest())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
