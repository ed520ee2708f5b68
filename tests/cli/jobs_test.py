# `warpmark run`: overrides on the command line, several jobs, and the shipped configurations.
import json
import os
import re
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as ElementTree

from program import KERNEL, PROGRAM, SOURCE, THREADS_SANITIZED, CheckTest

CONFIG = """warpmark: 1
check:
  - name: small
    suites: [../suites]
    device: cpu
    select: n=4
    journal: ../small.jsonl
  - name: large
    suites: [../suites]
    device: cpu
    cases: [t.n=100]
    seed: 3
    journal: ../large.jsonl
"""


class Jobs(CheckTest):
    def setUp(self):
        super().setUp()
        self.write_scale(axes="{n: [4, 100]}",
                         kernel_text=KERNEL.replace("f * src[i]", "i < 28 ? f * src[i] : src[i]"))
        self.write("configs/mine.yaml", CONFIG)

    def test_all_run_and_the_gravest_code_counts(self):
        out, errors = self.run_program("run", "configs/mine.yaml", code=1)
        self.assertEqual(errors, "")
        self.assertEqual(out.count("warpmark check: "), 2)
        self.assertLess(out.index("1 passed, 1 deselected"), out.index("0 passed, 1 failed"))
        self.assertEqual([self.journal(name)[1]["case"] for name in ("small.jsonl", "large.jsonl")],
                         ["t.n=4", "t.n=100"])
        # A failure in a job of a configuration file can be reproduced without the file.
        self.assertIn("reproduce: warpmark check suites/t.yaml --case t.n=100 --device cpu --seed 3",
                      out)

    def test_one_job(self):
        out, _ = self.run_program("run", "configs/mine.yaml", "--job", "small")
        self.assertEqual(out.count("warpmark check: "), 1)
        errors = self.refused("run", "configs/mine.yaml", "--job", "smal")
        self.assertIn("the configuration has no job `smal`", errors)
        self.assertIn("did you mean `small`?", errors)

    def test_a_file_of_another_kind_is_named(self):
        self.assertIn("this is a suite, and no run configuration", self.refused("run", "suites/t.yaml"))
        self.write("hw.yaml", "warpmark: 1\nassignment: hw\nsuite: suites/t.yaml\n")
        for command in ("check", "bench"):
            self.assertIn("this is an assignment, and no suite", self.refused(command, "hw.yaml"))

    def test_the_line_goes_before_the_file(self):
        out, _ = self.run_program("run", "configs/mine.yaml", "--job=large", "--case", "t.n=4",
                                  "--seed", "8", "--journal", "here.jsonl", "-v")
        self.assertIn("passed      t.n=4 ", out)
        self.assertEqual(self.journal("here.jsonl")[0]["seed"], 8)
        self.assertFalse((self.folder / "large.jsonl").exists())
        out, _ = self.run_program("run", "configs/mine.yaml", "-k", "t", "--case", "t.n=4")
        self.assertEqual(out.count("\n1 passed in "), 2)
        # Before the first job runs.
        self.assertIn("-k: ", self.refused("run", "configs/mine.yaml", "-k", "t and"))

    def test_mistakes(self):
        for change, place, words in (
                (("name: large", "name: small"), "8:5", "two jobs are called `small`"),
                (("  - name: large\n    suites", "  - suites"), "8:5", "needs `name`"),
                (("name: large", "name: a b"), "8:11", "`a b` is no name of a job"),
                (("../large", "../small"), "13:14", "small.jsonl` is written twice"),
                (("    cases: [t.n=100]\n", "    maxfail: few\n"), "11:14", "a whole number"),
                (("select: n=4", "select: n=4 or"), "6:19", "a word is missing at the end"),
                (("select: n=4", "axes: {n: [4, m + 1]}"), "6:19", "an axis value cannot use `m`"),
                (("select: n=4", "exitfirst: perhaps"), "6:16", "perhaps"),
                (("select: n=4", "annotations: gitlab"), "6:18", "auto, github or off")):
            self.write("configs/mine.yaml", CONFIG.replace(*change))
            errors = self.refused("run", "configs/mine.yaml")
            self.assertTrue(errors.startswith("configs/mine.yaml:%s: error: " % place), errors)
            self.assertIn(words, errors)

    def test_an_axis_of_no_suite_has_its_place(self):
        self.write("configs/mine.yaml", CONFIG.replace("select: n=4", "axes: {nn: [4]}"))
        out, errors = self.run_program("run", "configs/mine.yaml", "--job=small", code=2)
        self.assertIn("configs/mine.yaml:6:12: error: no suite has an axis `nn`", errors)

    def test_schema(self):
        try:
            import jsonschema
            import yaml
        except ImportError as missing:
            self.skipTest(str(missing))
        schema = json.loads((SOURCE / "schema/run.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        for text in (CONFIG, (SOURCE / "configs/ci.yaml").read_text(),
                     (SOURCE / "configs/demo.yaml").read_text()):
            jsonschema.validate(yaml.safe_load(text), schema)
        for change in (("name: large", "nam: large"), ("device: cpu", "device: ''"),
                       ("seed: 3", "seed: -3"), ("cases: [t.n=100]", "cases: t.n=100"),
                       ("    select: n=4\n", "    axes: [n]\n")):
            with self.assertRaises(jsonschema.ValidationError, msg=change):
                jsonschema.validate(yaml.safe_load(CONFIG.replace(*change)), schema)

    def test_an_interrupt_leaves_the_later_jobs_out(self):
        self.misbehave()
        self.write_scale(axes="{shared: [1003]}", out="{out: 100}", n="{scalar: 100}",
                         src="{in: rng.standard_normal(100)}",
                         launch="{block: 32, grid: 'ceil_div(100, 32)', shared: shared}")
        self.write("configs/mine.yaml", "warpmark: 1\ncheck:\n" + "".join(
            "  - {name: %s, suites: [../suites], device: misbehaving, journal: ../%s.jsonl}\n"
            % (name, name) for name in ("one", "two")))
        process = subprocess.Popen(
            [PROGRAM, "run", "configs/mine.yaml"], cwd=self.folder, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        line = process.stdout.readline()
        while line and not line.startswith("suite "):
            line = process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, out)
        self.assertIn("1 interrupted in ", out)
        self.assertIn("job two is not run", out)
        self.assertFalse((self.folder / "two.jsonl").exists())


class OneReport(CheckTest):
    """Reports that the command line names are written by all jobs together."""
    BOTH = ("""warpmark: 1
check:
  - {name: bad, suites: [../suites/t.yaml], device: cpu}
  - {name: good, suites: [../suites/t.yaml], device: cpu, cases: [t.n=4]}
bench:
  - {name: times, suites: [../suites/u.yaml], device: cpu, max_samples: 1}
""")

    def setUp(self):
        super().setUp()
        self.write_scale(axes="{n: [4, 100]}",
                         kernel_text=KERNEL.replace("f * src[i]", "i < 28 ? f * src[i] : src[i]"))
        self.write_scale("suites/u.yaml", axes="{n: [8]}", kernel_text=None)
        self.write("configs/mine.yaml", self.BOTH)

    def read_tests(self, path="x.xml"):
        root = ElementTree.parse(self.folder / path).getroot()
        tests = {}
        for test in root.iter("testcase"):
            name = "%s.%s" % (test.get("classname"), test.get("name"))
            self.assertNotIn(name, tests)  # a reader would take one for the other
            tests[name] = [child.tag for child in test]
        self.assertEqual(int(root.get("tests")), len(tests))
        return root, tests

    def test_junit_and_journal(self):
        self.write("x.xml", "<testsuites/>\n")
        self.write("x.jsonl", "of another run\n")
        self.run_program("run", "configs/mine.yaml", "--junit", "x.xml", "--journal", "x.jsonl",
                         code=1)
        root, tests = self.read_tests()
        self.assertEqual(tests, {"bad/t.n=4": [], "bad/t.n=100": ["failure"], "good/t.n=4": [],
                                 "u.n=8": []})
        self.assertEqual((root.get("failures"), root.get("errors")), ("1", "0"))
        records = self.journal("x.jsonl")
        self.assertEqual([record["type"] for record in records],
                         ["run", "case", "case", "end", "run", "case", "end", "run", "case", "end"])
        self.assertEqual([record["exit_code"] for record in records if record["type"] == "end"],
                         [1, 0, 0])
        # The one bench in it can be compared.
        out, _ = self.run_program("compare", "x.jsonl", "x.jsonl")
        self.assertIn("1 the same", out)

    def test_a_job_without_a_report_is_an_error(self):
        self.write("configs/mine.yaml", self.BOTH.replace("cases: [t.n=4]", "cases: [t.n=5]"))
        self.run_program("run", "configs/mine.yaml", "--junit", "x.xml", code=2)
        root, tests = self.read_tests()
        self.assertEqual(tests["warpmark.good"], ["error"])
        self.assertEqual((root.get("tests"), root.get("errors")), ("4", "1"))

    def test_a_suite_that_cannot_be_loaded(self):
        self.write("suites/u.yaml", "warpmark: 1\n")
        self.run_program("run", "configs/mine.yaml", "--junit", "x.xml", "--journal", "x.jsonl",
                         code=2)
        root, tests = self.read_tests()
        self.assertEqual(tests["u.not_loaded"], ["failure"])
        self.assertEqual(root.get("failures"), "2")
        self.assertEqual(self.journal("x.jsonl")[-1]["exit_code"], 2)

    def test_a_gate_among_the_jobs(self):
        self.run_program("bench", "suites/u.yaml", "--device", "cpu", "--max-samples", "1",
                         "--journal", "base.jsonl")
        text = (self.folder / "base.jsonl").read_text()
        self.write("base.jsonl", re.sub(r'("name":"ptx_thread_instructions","value":)\d+', r"\g<1>1",
                                        text))
        self.write("configs/mine.yaml", self.BOTH.replace(
            "max_samples: 1", "max_samples: 1, compare: ../base.jsonl"))
        out, _ = self.run_program("run", "configs/mine.yaml", "--junit", "x.xml", "--journal",
                                  "x.jsonl", code=1)
        self.assertIn("1 slower", out)
        self.assertEqual(self.read_tests()[1]["u.n=8"], ["failure"])

    def test_files_that_cannot_be_shared(self):
        two = self.BOTH.replace("\nbench:", "\nbench:\n  - {name: more, suites: [../suites/u.yaml]}")
        self.write("configs/mine.yaml", two)
        errors = self.refused("run", "configs/mine.yaml", "--benchmark-out", "x.json")
        self.assertIn("the jobs `more` and `times` both write x.json", errors)
        self.assertIn("--junit and", self.refused("run", "configs/mine.yaml", "--junit", "x.xml",
                                                  "--journal", "x.xml").replace("--journal and",
                                                                                "--junit and"))
        # In the file, by another spelling, and across options.
        self.write("configs/mine.yaml", self.BOTH.replace(
            "device: cpu}", "device: cpu, junit: ../x.xml}", 1).replace(
            "max_samples: 1", "max_samples: 1, journal: ../configs/../x.xml"))
        self.assertIn("x.xml", self.refused("run", "configs/mine.yaml"))

    def test_kept_files_stand_apart(self):
        self.write("configs/mine.yaml", self.BOTH.replace("cases: [t.n=4]", "cases: [t.n=100]"))
        self.run_program("run", "configs/mine.yaml", "--keep", "kept", code=1)
        self.assertEqual(sorted(os.listdir(self.folder / "kept")), ["bad", "good"])
        self.assertEqual(os.listdir(self.folder / "kept/good"), ["t.n=100"])

    @unittest.skipIf(THREADS_SANITIZED, "its runtime keeps signals back from a thread in waitid")
    def test_sigterm_reaches_the_job_and_the_rest_is_marked(self):
        self.misbehave()
        self.write_scale(axes="{shared: [0, 1003]}", out="{out: 100}", n="{scalar: 100}",
                         src="{in: rng.standard_normal(100)}", kernel_text=KERNEL,
                         launch="{block: 32, grid: 'ceil_div(100, 32)', shared: shared}")
        self.write("configs/mine.yaml", "warpmark: 1\ncheck:\n" + "".join(
            "  - {name: %s, suites: [../suites/t.yaml], device: misbehaving}\n" % name
            for name in ("one", "two")))
        process = subprocess.Popen(
            [PROGRAM, "run", "configs/mine.yaml", "--junit", "x.xml", "--journal", "x.jsonl"],
            cwd=self.folder, env=self.environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        journal, end = self.folder / "x.jsonl", time.monotonic() + 60
        while not (journal.exists() and journal.read_bytes().count(b"\n") == 2):
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)  # to this process alone
        out, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143, out + errors)
        self.assertIn("job two is not run", out)
        self.assertEqual(self.journal("x.jsonl")[-1]["exit_code"], 143)
        _, tests = self.read_tests()
        self.assertEqual(tests, {"t.shared=0": [], "t.shared=1003": ["skipped"],
                                 "warpmark.two": ["skipped"]})


class Shipped(CheckTest):
    # The tests cpu/* check every case of every suite; this run is about the file.
    SELECTION = ("-k", "doublify or multiply_them")

    def test_demo_with_options(self):
        out, _ = self.run_program("run", SOURCE / "configs/demo.yaml", "--device", "cpu", "-k",
                                  "doublify and not out")
        self.assertRegex(out, r"\n[\d,]+ passed, [\d,]+ deselected in ")

    def test_ci(self):
        out, _ = self.run_program("run", SOURCE / "configs/ci.yaml", "--device", "cpu",
                                  "--trials", "1", "--journal", "ci.jsonl", "--junit", "ci.xml",
                                  "--keep", "kept", *self.SELECTION)
        self.assertRegex(out, r"\nslowest 5 cases\n")
        self.assertEqual(self.journal("ci.jsonl")[-1]["exit_code"], 0)
        root = ElementTree.parse(self.folder / "ci.xml").getroot()
        cases = sum(int(count.replace(",", "")) for count in re.findall(r"([\d,]+) (?:passed|skipped)", out))
        self.assertEqual(int(root.get("tests")), cases)
        self.assertGreater(cases, 20)
        self.assertEqual(os.listdir(self.folder / "kept"), [])


class ShippedWhole(Shipped):
    SELECTION = ()


if __name__ == "__main__":
    unittest.main()
