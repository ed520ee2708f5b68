# Files that are no suites, among good ones: each is one failure of its own name, and takes no other
# away, in `check`, `bench`, `list` and `lint`.
import json
import os
import unittest
import xml.etree.ElementTree as ElementTree

from program import KERNEL, CheckTest

PLAIN = "{in: 'rng.random(n)'}"
BAD = {
    "syntax": "warpmark: 1\nkernel: {file: k.cu\n",
    "schema": "warpmark: 1\nkernel: {file: k.cu, entry: k}\nblocks: 3\n",
    "empty": "",
    "list": "- 1\n- 2\n",
    "binary": "\x00\x01\x7fELF\x02",
    "version": "warpmark: 99\n",
}


class BadFiles(CheckTest):
    def setUp(self):
        super().setUp()
        self.write_scale("suites/good.yaml", src=PLAIN, axes="{n: [4, 8]}")

    def write_bad(self):
        """Every kind of bad file; returns the names of their suites."""
        names = list(BAD)
        for name, text in BAD.items():
            self.write("suites/%s.yaml" % name, text)
        self.write("suites/latin.yaml", "")
        (self.folder / "suites/latin.yaml").write_bytes(b"warpmark: 1\nabout: \xff\xfe\n")
        self.write_scale("suites/no_kernel.yaml", kernel="{file: gone.cu, entry: k}")
        self.write_scale("suites/no_axis.yaml", axes="{n: {python: '[]'}}")
        self.write_scale("suites/bad_axis.yaml", axes="{n: [4, 8 // 0]}")
        (self.folder / "suites/dangling.yaml").symlink_to("nowhere.yaml")
        (self.folder / "suites/circle").symlink_to(".")
        self.write("suites/a b.yaml", "warpmark: 1\n")
        return names + ["latin", "no_kernel", "no_axis", "bad_axis", "dangling", "a_b"]

    def outcomes(self, path="run.jsonl"):
        _, *cases, end = self.journal(path)
        return {case["case"]: case for case in cases}, end

    def test_each_kind_is_one_failure_and_the_good_one_runs(self):
        names = self.write_bad()
        out, _ = self.check("suites", "--journal", "run.jsonl", "--junit", "junit.xml", code=1)
        cases, end = self.outcomes()
        bad = {case for case, outcome in cases.items() if outcome["verdict"] == "failed"}
        self.assertEqual(bad, {name + ".not_loaded" for name in names})
        self.assertEqual({cases[case]["failure"] for case in bad}, {"load"})
        self.assertEqual((end["passed"], end["failed"], end["exit_code"]), (2, len(names), 1))
        for name in names:
            self.assertIn("\nFAILED %s.not_loaded\n" % name, out)
        self.assertIn("suites/schema.yaml:3:1: error: unknown key of a suite `blocks`", out)
        root = ElementTree.parse(self.folder / "junit.xml").getroot()
        failed = {"%s.%s" % (test.get("classname"), test.get("name"))
                  for test in root.iter("testcase") if test.find("failure") is not None}
        self.assertEqual(failed, bad)
        self.assertEqual(root.get("failures"), str(len(names)))

    def test_bench(self):
        self.write("suites/schema.yaml", BAD["schema"])
        out, _ = self.run_program("bench", "suites", "--device", "cpu", "--max-samples", "1",
                                  "--journal", "run.jsonl", "--junit", "junit.xml", code=1)
        cases, end = self.outcomes()
        self.assertEqual({name: case["verdict"] for name, case in cases.items()},
                         {"good.n=4": "passed", "good.n=8": "passed",
                          "schema.not_loaded": "failed"})
        self.assertIn("FAILED schema.not_loaded\n  suites/schema.yaml:3:1: error: ", out)
        root = ElementTree.parse(self.folder / "junit.xml").getroot()
        self.assertEqual((root.get("tests"), root.get("failures")), ("3", "1"))

    def test_alone_it_is_a_mistake_of_usage_with_reports(self):
        for number, kind in enumerate(BAD):
            self.write("only/%s.yaml" % kind, BAD[kind])
            for command in ("check", "bench"):
                junit, journal = "%s%d.xml" % (command, number), "%s%d.jsonl" % (command, number)
                errors = self.refused(command, "only/%s.yaml" % kind, "--device", "cpu",
                                      "--junit", junit, "--journal", journal)
                self.assertEqual(errors.count("error: "), 1, errors)
                root = ElementTree.parse(self.folder / junit).getroot()
                self.assertEqual((root.get("tests"), root.get("failures")), ("1", "1"))
                cases, end = self.outcomes(journal)
                self.assertEqual(list(cases), [kind + ".not_loaded"])
                self.assertEqual(end["exit_code"], 2)

    def test_a_point_that_cannot_be_planned_fails_alone(self):
        self.write_scale("suites/t.yaml", axes="{n: [4, 0, 8]}", src=PLAIN,
                         launch="{block: 32, grid: '32 // n + 1'}")
        out, _ = self.check("suites", "--journal", "run.jsonl", code=1)
        cases, end = self.outcomes()
        self.assertEqual((end["passed"], end["failed"]), (4, 1))
        self.assertEqual((cases["t.n=0"]["verdict"], cases["t.n=0"]["failure"]), ("failed", "load"))
        self.assertRegex(out, r"FAILED t\.n=0\n  suites/t\.yaml:\d+:\d+: error: .*zero")
        # The printed command gives the same error: by itself the case cannot run.
        self.assertIn("reproduce: warpmark check suites/t.yaml --case t.n=0 --device cpu", out)
        self.assertIn("zero", self.refused("check", "suites/t.yaml", "--case", "t.n=0"))

    def test_plugins(self):
        self.environment["WARPMARK_PLUGIN_PATH"] = str(self.folder / "plugins")
        self.write("plugins/warpmark-plugin-bad.so", "no library")
        for name in ("unheard", "bad"):
            self.write_scale("suites/%s.yaml" % name, src=PLAIN, axes="{n: [4, 8]}", plugin=name)
        self.check("suites", "--journal", "run.jsonl", code=1)
        cases, end = self.outcomes()
        self.assertEqual((end["passed"], end["failed"]), (2, 4))
        self.assertEqual({case["failure"] for case in cases.values()}, {"none", "load"})

    def test_two_files_of_one_name(self):
        for path in ("suites/twice.yaml", "suites/twice/suite.yaml"):
            self.write_scale(path, src=PLAIN)
        out, _ = self.check("suites", "--journal", "run.jsonl", code=1)
        cases, end = self.outcomes()
        self.assertEqual((end["passed"], end["failed"]), (2, 1))
        self.assertIn("two files make the suite `twice`", cases["twice.not_loaded"]["reason"])
        self.assertIn("FAILED twice.not_loaded\n", out)

    def test_paths_that_are_not_there(self):
        (self.folder / "bare").mkdir()
        self.check("suites", "goods", "bare", "--journal", "run.jsonl", code=1)
        cases, _ = self.outcomes()
        self.assertIn("there is no file or folder `goods`", cases["goods.not_loaded"]["reason"])
        self.assertIn("the folder bare has no suite", cases["bare.not_loaded"]["reason"])

    def test_what_permissions_forbid(self):
        drop = self.permissions_count()
        self.write_scale("suites/kernel/t.yaml", src=PLAIN)
        self.write_scale("suites/file/t.yaml", src=PLAIN)
        self.write_scale("suites/folder/t.yaml", src=PLAIN)
        for path in ("suites/kernel/k.cu", "suites/file/t.yaml", "suites/folder"):
            os.chmod(self.folder / path, 0)
        try:
            self.check("suites", "--journal", "run.jsonl", code=1, preexec_fn=drop)
        finally:
            os.chmod(self.folder / "suites/folder", 0o755)
        cases, end = self.outcomes()
        self.assertEqual({name for name, case in cases.items() if case["verdict"] == "failed"},
                         {"kernel/t.n=100", "file/t.not_loaded", "folder.not_loaded"})
        self.assertEqual(end["passed"], 2)

    def test_a_choice_of_cases(self):
        self.write("suites/schema.yaml", BAD["schema"])
        # A case that is selected by name is not affected by a mistake elsewhere.
        out, _ = self.check("suites", "--case", "good.n=4")
        self.assertIn("1 passed in ", out)
        # A case that the bad file may have is not reported as missing, but the file as bad.
        self.assertIn("unknown key of a suite `blocks`", self.refused("check", "suites", "--case",
                                                           "schema.n=4", "--device", "cpu"))
        self.check("suites", "--case", "schema.n=4", "--case", "good.n=4", code=1)
        self.assertIn("no case is called `god.n=4`",
                      self.refused("check", "suites", "--case", "god.n=4", "--device", "cpu"))
        # The cases of the bad file are unknown, so an expression always selects the file.
        out, _ = self.check("suites", "-k", "n=4", code=1)
        self.assertIn("1 passed, 1 failed, 1 deselected", out)
        out, _ = self.check("suites", "--last-failed", code=1)

    def test_list(self):
        names = self.write_bad()
        out, errors = self.run_program("list", "suites", code=2)
        self.assertIn("1 suite, 2 cases", out)
        self.assertEqual(errors.count("error: "), len(names), errors)
        out, _ = self.run_program("list", "--json", "suites", code=2)
        document = json.loads(out)
        self.assertEqual([suite["name"] for suite in document["suites"]], ["good"])
        self.assertEqual({one["name"] for one in document["failures"]}, set(names))
        self.assertEqual(set(document["failures"][0]), {"name", "file", "error"})

    def test_lint(self):
        names = self.write_bad()
        out, errors = self.run_program("lint", "--static", "suites", "none.yaml", code=2)
        for words in ("a b", "schema.yaml:3:1", "no file or folder `none.yaml`", "gone.cu"):
            self.assertIn(words, errors)
        self.assertGreaterEqual(errors.count("error: "), len(names))

    def test_a_run_configuration(self):
        self.write("suites/schema.yaml", BAD["schema"])
        self.write("configs/mine.yaml", "warpmark: 1\ncheck: {suites: [../suites], device: cpu, "
                   "junit: ../junit.xml}\n")
        self.run_program("run", "configs/mine.yaml", code=1)
        root = ElementTree.parse(self.folder / "junit.xml").getroot()
        self.assertEqual((root.get("tests"), root.get("failures")), ("3", "1"))


class OneCause(CheckTest):
    """One mistake that affects many cases is reported once."""
    AXES = "{n: [4, 8, 16, 32, 64, 100, 200, 300, 400]}"

    def test_a_kernel_that_does_not_compile(self):
        self.write_scale(axes=self.AXES, src=PLAIN, kernel_text=KERNEL.replace("f * src", "g * src"))
        out, _ = self.check("suites", "--junit", "junit.xml", "--annotations", "github", code=1)
        self.assertEqual(out.count('identifier "g" is undefined'), 1, out)
        self.assertIn("\nFAILED t.n=4 and 8 more cases\n", out)
        self.assertIn("the same in t.n=8, t.n=16, t.n=32, t.n=64, t.n=100, t.n=200 and 2 more", out)
        self.assertIn("0 passed, 9 failed", out)
        root = ElementTree.parse(self.folder / "junit.xml").getroot()
        self.assertEqual(root.get("failures"), "9")  # each test fails for itself
        for failure in root.iter("failure"):
            self.assertIn('identifier "g" is undefined', failure.get("message"))

    def test_annotations_are_one_for_a_cause(self):
        self.write_scale(axes=self.AXES, src=PLAIN, kernel_text=KERNEL.replace("f * src", "g * src"))
        _, errors = self.check("suites", "--annotations", "github", code=1)
        self.assertEqual(errors.count("::error "), 1)
        self.assertIn("title=t.n=4 and 8 more cases::", errors)

    def test_other_mistakes_are_reported_each(self):
        self.write_scale(axes="{n: [4, 8]}", src=PLAIN,
                         kernel_text=KERNEL.replace("f * src[i]", "src[i]"))
        self.write_scale("suites/u.yaml", axes="{n: [4]}", src=PLAIN, kernel_text=None,
                         kernel="{file: u.cu, entry: k}")
        self.write("suites/u.cu", "oops\n")
        out, _ = self.check("suites", code=1)
        # Outputs that are wrong in every element are one failure of the two cases.
        self.assertEqual(out.count("\nFAILED "), 2)
        self.assertIn("the same in t.n=8", out)
        # Cases that could not run are reported first.
        self.assertLess(out.index("FAILED u.n=4"), out.index("FAILED t.n=4"))


if __name__ == "__main__":
    unittest.main()
