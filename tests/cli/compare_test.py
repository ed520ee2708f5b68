# `warpmark compare`: verdicts, exit codes and reports of the journals in tests/results.
import json
import shutil
import xml.etree.ElementTree as ElementTree

import unittest

from program import HERE, SOURCE, ProgramTest

RESULTS = SOURCE / "tests/results"
GOLDEN = HERE / "compare"


class Compare(ProgramTest):
    def setUp(self):
        super().setUp()
        for file in RESULTS.glob("*.jsonl"):
            shutil.copy(file, self.folder)

    def compare(self, baseline, contender, *options, code=0):
        out, errors = self.run_program("compare", baseline + ".jsonl", contender + ".jsonl",
                                       *options, code=code)
        self.assertEqual(errors, "")
        return out

    def assert_golden(self, name, text):
        self.assertEqual(text, (GOLDEN / name).read_text())

    def test_golden_reports(self):
        for name, pair, options in (("slower.txt", ("h200", "h200_slower"), ()),
                                    ("slower.md", ("h200", "h200_slower"), ("--markdown",)),
                                    ("failures.txt", ("h200", "h200_failures"), ("--all",)),
                                    ("counted.txt", ("cpu", "cpu_trade"), ()),
                                    ("counted_effects.txt", ("cpu", "cpu_trade"),
                                     ("--min-effect", "instructions=1")),
                                    ("counted.md", ("cpu", "cpu_more"), ("--markdown",)),
                                    ("lines.txt", ("cpu_baseline", "cpu_lines"), ()),
                                    ("lines.md", ("cpu_baseline", "cpu_lines"), ("--markdown",)),
                                    ("lines_now.txt", ("cpu", "cpu_lines"), ()),
                                    ("lines_now.md", ("cpu", "cpu_lines"), ("--markdown",))):
            with self.subTest(name):
                self.assert_golden(name, self.compare(*pair, *options, code=1))

    def test_json_golden_and_schema(self):
        for name, pair in (("failures.json", ("h200", "h200_failures")),
                           ("counted.json", ("cpu", "cpu_trade")),
                           ("lines.json", ("cpu_baseline", "cpu_lines"))):
            text = self.compare(*pair, "--json", code=1)
            self.assert_golden(name, text)
            self.validate(json.loads(text), "compare.json")

    def validate(self, document, schema):
        try:
            import jsonschema
        except ImportError:
            return
        jsonschema.validate(document, json.loads((SOURCE / "schema" / schema).read_text()))

    def test_the_fixtures_follow_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema in this Python")
        for file in RESULTS.glob("*.jsonl"):
            name = "baseline" if "baseline" in file.name else "outcome"
            schema = json.loads((SOURCE / "schema" / (name + ".json")).read_text())
            for line in file.read_text().split("\n")[:-1]:
                record = json.loads(line)
                jsonschema.validate(record, {**schema["definitions"][record["type"]],
                                             "definitions": schema["definitions"]})

    def test_equal_files_are_the_same(self):
        self.assertTrue(self.compare("cpu", "cpu").endswith("\n3 the same (every change counts)\n"))
        # A point that is too noisy is inconclusive, even against itself.
        self.assertEqual(self.compare("h200", "h200", "-q"),
                         "1 inconclusive, 17 the same (a change counts from 2 % on)\n")

    def test_fail_on(self):
        self.compare("h200", "h200", "--fail-on", "inconclusive", code=1)
        self.compare("h200", "h200", "--fail-on", "missing,added,faster")
        self.compare("cpu_more", "cpu")
        self.compare("cpu", "cpu_more", code=1)
        self.compare("cpu_more", "cpu", "--fail-on", "missing,faster", code=1)
        errors = self.refused("compare", "cpu.jsonl", "cpu.jsonl", "--fail-on", "mising")
        self.assertIn("did you mean `missing`?", errors)

    def test_what_fails_is_named_to_code_hosts_and_in_junit(self):
        for pair, code, names in ((("h200", "h200_failures"), 1,
                                   {"copy.dtype=float32,n=1048576", "copy.dtype=float32,n=268435456",
                                    "copy.dtype=float64,n=268435456"}),
                                  (("cpu", "cpu_more"), 1, None), (("cpu", "cpu"), 0, set())):
            out, errors = self.run_program("compare", pair[0] + ".jsonl", pair[1] + ".jsonl", "-q",
                                           "--junit", "x.xml", "--annotations", "github", code=code)
            root = ElementTree.parse(self.folder / "x.xml").getroot()
            failed = {"%s.%s" % (test.get("classname"), test.get("name"))
                      for test in root.iter("testcase") if test.find("failure") is not None}
            if names is not None:
                self.assertEqual(failed, names)
            self.assertEqual(int(root.get("failures")), len(failed))
            annotations = [line for line in errors.splitlines() if line.startswith("::error ")]
            self.assertEqual(len(annotations), len(failed))
            for line in annotations:
                self.assertRegex(line, r"^::error file=%s\.jsonl,line=\d+,title=" % pair[0])
            for name in failed:
                self.assertIn(name, out)  # quiet, too
        text = (self.folder / "cpu.jsonl").read_text()
        self.assertIn("would replace cpu.jsonl", self.refused("compare", "cpu.jsonl", "cpu.jsonl",
                                                              "--junit", "cpu.jsonl"))
        self.assertEqual((self.folder / "cpu.jsonl").read_text(), text)

    def test_min_effect(self):
        self.assertIn("4 slower", self.compare("h200", "h200_slower", "-q", code=1))
        out = self.compare("h200", "h200_slower", "-q", "--min-effect", "20")
        self.assertEqual(out, "18 the same (a change counts from 20 % on)\n")
        self.compare("cpu", "cpu_trade", "--min-effect", "2.5")
        for bad in ("-1", "nan", "inf", "two", "", "atomic=", "atomic=-1", "=2", "2,,3"):
            self.assertIn("--min-effect", self.refused("compare", "cpu.jsonl", "cpu.jsonl",
                                                       "--min-effect=" + bad))

    def test_a_counter_has_a_min_effect_of_its_own(self):
        for effects, code, verdict in ((("instructions=3",), 0, "faster"),
                                       (("5", "*instructions=1"), 1, "mixed"),
                                       (("instructions=3,bytes=101",), 0, "same"),
                                       (("*_bytes=1000",), 1, "slower")):
            options = [word for effect in effects for word in ("--min-effect", effect)]
            found = json.loads(self.compare("cpu", "cpu_trade", *options, "--json", code=code))
            self.assertGreater(found["verdicts"][verdict], 0, (effects, found["verdicts"]))
        errors = self.refused("compare", "cpu.jsonl", "cpu.jsonl", "--min-effect", "instrutions=1")
        self.assertIn("--min-effect knows no counter `instrutions`", errors)
        self.assertIn("did you mean `instructions`?", errors)
        # It holds for counters, and times are not them.
        self.assertIn("the minimum effect of `atomic` has no effect: times are compared",
                      self.compare("h200", "h200", "--min-effect", "atomic=2"))

    def test_lines_that_grew_are_annotated(self):
        self.write("suites/doublify.cu", "a kernel\n")
        _, errors = self.run_program("compare", "cpu_baseline.jsonl", "cpu_lines.jsonl", "-q",
                                     "--junit", "x.xml", "--annotations", "github", code=1)
        # All three cases grew at one line.
        (line,) = [one for one in errors.splitlines() if one.startswith("::error ")]
        self.assertTrue(line.startswith("::error file=suites/doublify.cu,line=5,title=doublify.n=4 "
                                        "and 2 more cases::slower%0A"), line)
        self.assertIn("%0Asuites/doublify.cu:5: +44 ptx_thread_instructions (17 → 61), "
                      "+11 ptx_warp_instructions (4 → 15)%0A", line)
        root = ElementTree.parse(self.folder / "x.xml").getroot()
        failures = [test.find("failure").text for test in root.iter("testcase")]
        self.assertEqual(len(failures), 3)
        self.assertIn("\nsuites/doublify.cu:5: +44 ptx_thread_instructions (17 → 61)", failures[0])
        # The sources are elsewhere: the baseline's lines are annotated, as ever.
        (self.folder / "suites/doublify.cu").unlink()
        _, errors = self.run_program("compare", "cpu_baseline.jsonl", "cpu_lines.jsonl", "-q",
                                     "--annotations", "github", code=1)
        self.assertEqual(errors.count("::error file=cpu_baseline.jsonl,line="), 3)

    def test_what_cannot_be_compared(self):
        for contender, message, hint in (
                ("a100", "NVIDIA H200 (h200.jsonl) and NVIDIA A100-SXM4-80GB (a100.jsonl)",
                 "--across-devices"),
                ("cpu", "NVIDIA H200 (h200.jsonl) and Warpmark CPU device (cpu.jsonl)",
                 "--across-devices"),
                ("check", "check.jsonl is the journal of a check", "`warpmark bench`"),
                ("nothing", "cannot read nothing.jsonl", "")):
            errors = self.refused("compare", "h200.jsonl", contender + ".jsonl")
            self.assertIn(message, errors)
            self.assertIn(hint, errors)
        out = self.compare("h200", "a100", "--across-devices", code=1)
        self.assertIn("WARNING the devices differ: NVIDIA H200 and NVIDIA A100", out)
        self.assertIn("8 missing, 4 the same", out)
        self.compare("h200", "a100", "--across-devices", "--allow-missing")

    def test_files_that_are_no_journals(self):
        for text, message in (("", "bad.jsonl: error: the journal has no whole line"),
                              ("{}\n", "bad.jsonl:1: error: this is no record"),
                              ("[1,\n", "bad.jsonl:1: error: this line of the journal is not JSON"),
                              ('{"type":"run","record":1}\n',
                               "bad.jsonl:1: error: the record has no `warpmark`")):
            self.write("bad.jsonl", text)
            self.assertIn(message, self.refused("compare", "bad.jsonl", "cpu.jsonl"))
        (self.folder / "folder").mkdir()
        self.assertIn("the folder folder has no journal",
                      self.refused("compare", "folder", "cpu.jsonl"))

    def test_a_torn_contender_fails(self):
        out = self.compare("h200", "h200_torn", code=1)
        self.assertIn("WARNING the run of h200_torn.jsonl did not come to its end", out)
        self.assertIn("the run ended before it", out)

    def test_control_characters_of_a_file_are_not_echoed(self):
        text = (self.folder / "cpu.jsonl").read_text()
        self.write("odd.jsonl", text.replace("Warpmark CPU device", "Warp\\u001b[31mmark"))
        for options in ((), ("--markdown",), ("--json",)):
            out, _ = self.run_program("compare", "odd.jsonl", "odd.jsonl", *options)
            self.assertNotIn("\x1b", out)


if __name__ == "__main__":
    unittest.main()
