"""The check front from outside: console, exit codes, journal, JUnit, GoogleTest's variables, SIGINT.

Usage: check_test.py PROBE SCHEMA [unittest arguments]. PROBE is check_probe, which see.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import front
from front import PROBE, SCHEMA


class Front(front.Front):
    NAMES = (*front.Front.NAMES, "DISABLED_x.yaml")

    def junit(self, path="junit.xml"):
        return ElementTree.parse(self.root / path).getroot()


class Reports(Front):
    def test_console(self):
        done = self.run_probe("suites/doublify.yaml=pfs", "suites/reductions/dot.yaml=ppn")
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stderr, "")
        self.assertEqual(re.sub(r"in \d+\.\d+ s$", "in TIME", done.stdout, flags=re.M), """\
warpmark check: 2 suites, 6 cases on Warpmark CPU (sm_90, driver 13.0, NVRTC 13.0), seed 0
device: no GPU: no libcuda.so.1; using the CPU device

suite            cases  passed  failed  skipped         time
doublify             3       1       1        1       0.75 s
reductions/dot       3       3       -        -       0.75 s

FAILED doublify.n=16
  suites/doublify.yaml:14:3: 2 of 16 elements of `z` are wrong
    first: z[3] = 0.5, expected 1, bound 0 <\ufffd[31m\ufffd]]>&\uffff>
  reproduce: warpmark check suites/doublify.yaml --case doublify.n=16 --device cpu

NOTICE reductions/dot.n=2.5
  warning: unused variable

SKIPPED doublify.n=2.5: needs 80 GiB, the device has 4 GiB

4 passed, 1 failed, 1 skipped in TIME
""")

    def test_junit(self):
        (self.root / "junit.xml").write_text("old")
        self.run_probe("--junit", "junit.xml", "suites/doublify.yaml=pfs",
                       "suites/DISABLED_x.yaml=ppp")
        root = self.junit()
        cases = {case.get("classname") + "." + case.get("name"): case
                 for case in root.iter("testcase")}
        self.assertEqual(list(cases), ["doublify.n=~1", "doublify.n=16", "doublify.n=2.5",
                                       "DISABLED_x.n=~1", "DISABLED_x.n=16", "DISABLED_x.n=2.5"])
        self.assertEqual((root.get("tests"), root.get("failures")), ("6", "1"))
        # GoogleTest would not run a suite of that name.
        self.assertEqual(cases["DISABLED_x.n=16"].get("status"), "run")
        self.assertEqual(len(cases["doublify.n=~1"]), 0)
        failure = cases["doublify.n=16"].find("failure")
        self.assertIn("suites/doublify.yaml:14\n", failure.get("message"))
        self.assertIn("z[3] = 0.5, expected 1, bound 0 <\ufffd[31m\ufffd]]>&\ufffd>", failure.text)
        self.assertIn("reproduce: warpmark check", failure.text)
        self.assertIn("needs 80 GiB", cases["doublify.n=2.5"].find("skipped").get("message"))
        self.assertNotIn("check/", (self.root / "junit.xml").read_text().replace(str(self.root), ""))

    def test_junit_is_readable_by_others(self):
        self.run_probe("--junit", "new/junit.xml", "suites/doublify.yaml")
        umask = os.umask(0)
        os.umask(umask)
        self.assertEqual((self.root / "new/junit.xml").stat().st_mode & 0o777, 0o666 & ~umask)
        self.assertEqual(os.listdir(self.root / "new"), ["junit.xml"])

    def test_journal(self):
        self.run_probe("--journal", "run.jsonl", "suites/doublify.yaml=pfs")
        run, *cases, end = self.journal()
        self.assertEqual((run["type"], run["cases"], run["seed"]), ("run", 3, 0))
        self.assertEqual([case["verdict"] for case in cases], ["passed", "failed", "skipped"])
        self.assertEqual((end["passed"], end["failed"], end["skipped"], end["exit_code"]),
                         (1, 1, 1, 1))

    def test_records_keep_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema")
        schema = json.loads(SCHEMA.read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        self.run_probe("--journal", "run.jsonl", "suites/doublify.yaml=nfs",
                       "suites/reductions/dot.yaml=pe")
        for record in self.journal():
            self.assertEqual([error.message for error in validator.iter_errors(record)], [], record)
            del record["type"]
            self.assertFalse(validator.is_valid(record))


class ExitCodes(Front):
    def test_verdicts(self):
        self.assertEqual(self.code("suites/doublify.yaml=ppp"), 0)
        self.assertEqual(self.code("suites/doublify.yaml=pps"), 0)
        # Where nothing passed or failed, nothing was found to be right.
        self.assertEqual(self.code("suites/doublify.yaml=sss"), 77)
        self.assertEqual(self.code("suites/doublify.yaml=sss", "suites/reductions/dot.yaml=sps"), 0)
        self.assertEqual(self.code("suites/doublify.yaml=spf"), 1)

    def test_single_case(self):
        one = ["--case", "doublify.n=16"]
        self.assertEqual(self.code(*one, "suites/doublify.yaml=psp"), 77)
        self.assertEqual(self.code(*one, "suites/doublify.yaml=fpf"), 0)
        self.assertEqual(self.code(*one, "suites/doublify.yaml=pfp"), 1)

    def test_a_run_of_skips_only_says_why_it_is_no_success(self):
        done = self.run_probe("--journal", "run.jsonl", "suites/doublify.yaml=sss")
        self.assertIn("\nexit code 77: nothing passed or failed, because every case was skipped\n",
                      done.stdout)
        self.assertEqual(self.journal()[-1]["exit_code"], 77)
        done = self.run_probe("suites/doublify.yaml=psp")
        self.assertNotIn("exit code", done.stdout)

    def test_fail_on_skipped(self):
        done = self.run_probe("--fail-on-skipped", "--journal", "run.jsonl", "--junit", "junit.xml",
                              "suites/doublify.yaml=psp")
        self.assertEqual(done.returncode, 1)
        self.assertIn("\nexit code 1: 1 case skipped, and --fail-on has `skipped`\n", done.stdout)
        _, *cases, end = self.journal()
        self.assertEqual([case["verdict"] for case in cases], ["passed", "skipped", "passed"])
        self.assertEqual((end["failed"], end["skipped"], end["exit_code"]), (0, 1, 1))
        tests = list(self.junit().iter("testcase"))
        self.assertIn("needs 80 GiB", tests[1].find("failure").text)
        one = ["--fail-on-skipped", "--case", "doublify.n=16"]
        self.assertEqual(self.code(*one, "suites/doublify.yaml=psp"), 1)
        self.assertEqual(self.code(*one, "suites/doublify.yaml=sps"), 0)
        self.assertEqual(self.code("--fail-on-skipped", "suites/doublify.yaml=sss"), 1)

    def test_fail_on_notices(self):
        done = self.run_probe("--fail-on-notices", "--junit", "junit.xml",
                              "suites/doublify.yaml=pnp")
        self.assertEqual(done.returncode, 1)
        self.assertIn("\nexit code 1: 1 case with a notice, and --fail-on has `notices`\n",
                      done.stdout)
        tests = list(self.junit().iter("testcase"))
        self.assertIn("unused variable", tests[1].find("failure").text)
        self.assertEqual(self.code("--fail-on-notices", "suites/doublify.yaml=pps"), 0)
        self.assertEqual(self.code("suites/doublify.yaml=pnp"), 0)

    def test_selection(self):
        done = self.run_probe("--case", "doublify.n=1", "suites/doublify.yaml")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no case is called `doublify.n=1`", done.stderr)
        self.assertIn("did you mean `doublify.n=", done.stderr)

    def test_unwritable_reports_before_any_case(self):
        (self.root / "folder").mkdir()
        for option in ("--journal", "--junit"):
            done = self.run_probe(option, "folder", "suites/doublify.yaml")
            self.assertEqual((done.returncode, done.stdout), (3, ""), done)
            self.assertIn("folder", done.stderr)

    def test_environment_error_finishes_the_reports(self):
        done = self.run_probe("--journal", "run.jsonl", "--junit", "junit.xml",
                              "suites/doublify.yaml=fep")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, "error: the device is gone\n  hint: plug it in\n")
        self.assertIn("0 passed, 1 failed, 2 interrupted", done.stdout)
        _, *cases, end = self.journal()
        self.assertEqual([case["verdict"] for case in cases],
                         ["failed", "interrupted", "interrupted"])
        self.assertEqual(cases[2]["reason"], "not run: the device is gone")
        self.assertEqual((end["exit_code"], end["error"]), (3, "the device is gone"))
        tests = list(self.junit().iter("testcase"))
        self.assertIn("the device is gone", tests[1].find("failure").text)
        self.assertIn("not run", tests[2].find("skipped").get("message"))

    def test_other_exceptions_are_internal(self):
        done = self.run_probe("--journal", "run.jsonl", "suites/doublify.yaml=xpp")
        self.assertEqual(done.returncode, 4)
        self.assertEqual(self.journal()[-1]["error"], "a mistake")

    def test_journal_that_fills_its_disk(self):
        # A limit on file sizes in a child of its own stands in for a full disk.
        script = ("import os, resource, signal, sys\n"
                  "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
                  "resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))\n"
                  "os.execv(sys.argv[1], sys.argv[1:])\n")
        done = subprocess.run([sys.executable, "-c", script, PROBE, "--journal", "run.jsonl",
                               "suites/doublify.yaml=ppp"], cwd=self.root, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("cannot write the journal run.jsonl: File too large", done.stderr)
        self.assertIn("interrupted", done.stdout)
        self.assertGreaterEqual(len(self.journal()), 1)  # whole lines only


    def test_stopping(self):
        for limit, verdicts in (("1", "pfnnnn"), ("2", "pfpfnn"), ("3", "pfpfpp"), ("0", "pfpfpp")):
            done = self.run_probe("--maxfail", limit, "--journal", "run.jsonl",
                                  "suites/doublify.yaml=pfp", "suites/reductions/dot.yaml=fpp")
            self.assertEqual(done.returncode, 1)
            _, *cases, end = self.journal()
            self.assertEqual("".join(case["verdict"][0] for case in cases), verdicts)
            self.assertEqual(end["not_run"], verdicts.count("n"))
            self.assertEqual(end["passed"], verdicts.count("p"))

    def test_trials(self):
        for letter, words, decided, code in (
                ("2", ["--trials", "3"], 2, 1), ("2", ["--trials", "2"], None, 0),
                ("2", [], None, 0), ("f", ["--trials", "3"], 0, 1), ("f", [], None, 1),
                ("7", ["--first-trial", "7"], 7, 1), ("p", ["--trials", "3"], None, 0)):
            done = self.run_probe("--journal", "run.jsonl", *words,
                                  "suites/doublify.yaml=%spp" % letter)
            self.assertEqual(done.returncode, code, (letter, words))
            case = self.journal()[1]
            self.assertEqual(case["trial"], decided)
            self.assertEqual(case["reproduce"].endswith(" --trial %s" % decided),
                             decided is not None)
        # All trials count for the time, those that are skipped, too.
        self.run_probe("--journal", "run.jsonl", "--trials", "4", "suites/doublify.yaml=ps2")
        self.assertEqual([case["seconds"] for case in self.journal()[1:-1]], [1.0, 1.0, 0.75])

    def test_a_skip_in_a_trial_hides_no_failure(self):
        done = self.run_probe("--journal", "run.jsonl", "--trials", "6", "suites/doublify.yaml=FSp")
        self.assertEqual(done.returncode, 1)
        failed, skipped, passed = self.journal()[1:-1]
        self.assertEqual((failed["verdict"], failed["trial"]), ("failed", 4))
        reason = "needs 80 GiB, the device has 4 GiB"
        which = "skipped in 3 of 6 trials (0 to 1, 3): "
        self.assertEqual(failed["notices"], [which + reason])
        self.assertTrue(failed["reproduce"].endswith(" --trial 4"))
        # A skip is worse than a pass, and says how much was left out.
        self.assertEqual((skipped["verdict"], skipped["reason"]), ("skipped", which + reason))
        self.assertEqual(skipped["seconds"], 1.5)
        self.assertEqual(passed["verdict"], "passed")
        # With a single trial there is nothing to count.
        self.run_probe("--journal", "run.jsonl", "--first-trial", "3", "suites/doublify.yaml=Spp")
        self.assertEqual(self.journal()[1]["reason"], reason)

    def test_the_notices_of_any_trial_are_reported(self):
        self.run_probe("--journal", "run.jsonl", "--trials", "3", "suites/doublify.yaml=Nnp")
        self.assertEqual([case["notices"] for case in self.journal()[1:-1]],
                         [["warning: unused variable"]] * 2 + [[]])

    def test_json(self):
        done = self.run_probe("--json", "--journal", "run.jsonl", "suites/doublify.yaml=pfs")
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()], self.journal())

    def test_a_report_that_cannot_write_ends_the_run_and_loses_nothing(self):
        done = self.run_probe("--broken", "--journal", "run.jsonl", "--junit", "junit.xml",
                              "suites/doublify.yaml=pfp")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, "error: no room for the report\n")
        self.assertIn("\na note of a report\n", done.stdout)
        self.assertEqual([case["verdict"] for case in self.journal()[1:-1]],
                         ["passed", "failed", "interrupted"])
        tests = list(self.junit().iter("testcase"))
        self.assertEqual([[child.tag for child in test] for test in tests],
                         [[], ["failure"], ["skipped"], ["error"]])
        self.assertIn("no room for the report", tests[3].find("error").get("message"))

    def test_annotations(self):
        done = self.run_probe("--annotate", "suites/doublify.yaml=pff")
        self.assertNotIn("::", done.stdout)
        stop, _, resume, *lines = done.stderr.splitlines()
        self.assertEqual(resume, stop.replace("stop-commands::", "") + "::")
        self.assertEqual(len(lines), 2)
        for line, name in zip(lines, ("16", "2.5")):
            self.assertTrue(line.startswith("::error file=suites/doublify.yaml,line=14,col=3,"
                                            "title=doublify.n=%s::" % name), line)


class Ends(Front):
    """The process ends as journal and JUnit say, whatever fails after the last case."""

    def start_limited(self, bytes_of_files, *arguments, **options):
        script = ("import os, resource, signal, sys\n"
                  "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
                  "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)\n"
                  "os.execv(sys.argv[2], sys.argv[2:])\n")
        return subprocess.run([sys.executable, "-c", script, str(bytes_of_files), PROBE, *arguments],
                              cwd=self.root, text=True, timeout=60, stderr=subprocess.PIPE,
                              **{"stdout": subprocess.PIPE, **options})

    def end(self):
        return self.journal()[-1] if self.journal()[-1]["type"] == "end" else None

    def run_error(self):
        """The message of the test that JUnit has beside the cases."""
        root = self.junit()
        found = [case for case in root.iter("testcase") if case.get("classname") == "warpmark"]
        if not found:
            return None
        self.assertEqual(root.get("errors"), "1")
        self.assertEqual(int(root.get("tests")), len(list(root.iter("testcase"))))
        self.assertEqual([case.get("name") for case in found], ["run"])
        return found[0].find("error").get("message")

    def test_standard_output_is_full(self):
        for words in ([], ["--json"], ["--annotate"]):
            with open("/dev/full", "w") as full:
                done = self.start_limited(1 << 20, *words, "--journal", "run.jsonl", "--junit",
                                          "junit.xml", "suites/doublify.yaml=ppp", stdout=full)
            self.assertEqual(done.returncode, 3, done)
            self.assertIn("error: standard output cannot be written\n", done.stderr)
            self.assertEqual((self.end()["exit_code"], self.end()["error"]),
                             (3, "standard output cannot be written"))
            self.assertEqual(self.run_error(), "exit code 3: standard output cannot be written")

    def test_junit_cannot_be_replaced(self):
        for words in ([], ["--json"]):
            done = self.run_probe(*words, "--journal", "run.jsonl", "--junit", "out/junit.xml",
                                  "suites/doublify.yaml=pjp")
            self.assertEqual(done.returncode, 3, done)
            self.assertIn("junit.xml", done.stderr)
            self.assertEqual(self.end()["exit_code"], 3)
            self.assertIn("junit.xml", self.end()["error"])
            self.assertEqual((self.end()["passed"], self.end()["interrupted"]), (3, 0))
            if words:
                self.assertEqual([json.loads(line) for line in done.stdout.splitlines()],
                                 self.journal())
            (self.root / "out/junit.xml/in the way").rmdir()
            (self.root / "out/junit.xml").rmdir()

    def test_a_disk_that_fills_at_any_byte(self):
        words = ["--journal", "run.jsonl", "--junit", "junit.xml", "suites/doublify.yaml=pfp",
                 "suites/reductions/dot.yaml=ppp", "suites/DISABLED_x.yaml=ppp"]
        self.run_probe(*words)
        whole = (self.root / "run.jsonl").stat().st_size
        last = whole - len((self.root / "run.jsonl").read_bytes().splitlines()[-1]) - 1
        # JUnit fits into all of these but the first.  The last record has a time, and so no certain length.
        enough = whole + 100
        for size in (800, last - 1, last, last + 1, enough):
            done = self.start_limited(size, *words)
            with self.subTest(size):
                self.assertEqual(done.returncode, 1 if size == enough else 3, done)
                if self.end():
                    self.assertEqual(self.end()["exit_code"], done.returncode)
                if size == last:
                    self.assertIsNone(self.end())
                    self.assertIn("exit code 3: cannot write the journal run.jsonl",
                                  self.run_error())
                elif size == enough:
                    self.assertIsNone(self.run_error())

    def test_an_error_that_a_case_has_is_reported_once(self):
        self.run_probe("--junit", "junit.xml", "suites/doublify.yaml=pep")
        self.assertIsNone(self.run_error())
        self.assertIn("the device is gone", (self.root / "junit.xml").read_text())

    def test_junit_into_a_pipe_is_written_once(self):
        done = self.run_probe("--junit", "/dev/stderr", "--broken", "suites/doublify.yaml=pfp")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("<testsuites "), 1, done.stderr)
        self.assertEqual(done.stderr.count("</testsuites>"), 1)


class GoogleTestVariables(Front):
    def test_none_has_an_effect(self):
        flags = self.root / "flags"
        flags.write_text("--gtest_filter=nothing\n")
        done = self.run_probe(
            "--junit", "junit.xml", "suites/doublify.yaml=fpp", GTEST_FILTER="nothing",
            GTEST_TOTAL_SHARDS="3", GTEST_SHARD_INDEX="1", GTEST_SHUFFLE="1", GTEST_REPEAT="2",
            GTEST_OUTPUT="json:other.json", XML_OUTPUT_FILE=str(self.root / "bazel.xml"),
            GTEST_FAIL_FAST="1", GTEST_BREAK_ON_FAILURE="1", GTEST_THROW_ON_FAILURE="1",
            GTEST_BRIEF="1", GTEST_FLAGFILE=str(flags), TESTBRIDGE_TEST_ONLY="nothing",
            GTEST_SHARD_STATUS_FILE=str(self.root / "shard"), GTEST_COLOR="yes",
            TEST_PREMATURE_EXIT_FILE=str(self.root / "premature"),
            GTEST_STREAM_RESULT_TO="localhost:1")
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stderr, "")
        self.assertIn("2 passed, 1 failed in", done.stdout)
        self.assertEqual(len(list(self.junit().iter("testcase"))), 3)
        self.assertEqual(sorted(os.listdir(self.root)), ["flags", "junit.xml", "suites"])


class Interrupts(Front):
    def test_first_finishes_the_reports(self):
        process = self.start("--journal", "run.jsonl", "--junit", "junit.xml",
                             "suites/doublify.yaml=fwp")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn("0 passed, 1 failed, 2 interrupted", output)
        _, *cases, end = self.journal()
        self.assertEqual([case["verdict"] for case in cases],
                         ["failed", "interrupted", "interrupted"])
        self.assertEqual(end["exit_code"], 130)
        tests = list(self.junit().iter("testcase"))
        self.assertEqual([[child.tag for child in test] for test in tests],
                         [["failure"], ["skipped"], ["skipped"]])
        self.assertIn("interrupted", tests[2].find("skipped").get("message"))

    def test_kill_leaves_a_whole_journal_and_junit(self):
        (self.root / "junit.xml").write_text("<old/>")
        process = self.start("--journal", "run.jsonl", "--junit", "junit.xml",
                             "suites/doublify.yaml=pwp")
        process.kill()
        process.communicate(timeout=30)
        records = self.journal()
        self.assertEqual([record["type"] for record in records], ["run", "case"])
        text = (self.root / "junit.xml").read_text()
        self.assertIn("the run did not come to its end", text)
        self.assertTrue(text.endswith("</testsuites>\n"))
        self.assertEqual(sorted(os.listdir(self.root)), ["junit.xml", "run.jsonl", "suites"])


if __name__ == "__main__":
    front.main()
