# Runs the real program on libraries whose calls fail, and reads what they recorded.
import collections
import itertools
import json
import os
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from program import BUILD, PROGRAM, SANITIZED, SOURCE, CheckTest, of_today  # noqa: E402,F401

# Exhaustive sweeps take minutes; without this, each distinct function fails once, on half of all days.
EXHAUSTIVE = os.environ.get("WARPMARK_TEST_EXHAUSTIVE") == "1"
JOBS = max(1, min(4, os.cpu_count() or 1))

Run = collections.namedtuple("Run", "code out errors cases calls fired misuse leaks ended folder")


def documented(symbol):
    """The name that messages use: cuMemAlloc of cuMemAlloc_v2."""
    return re.sub(r"_v\d+$", "", symbol)


class FaultTest(CheckTest):
    """Suites `suites/t.yaml` with the cases t.n=100, t.n=101 and t.n=102, which pass."""
    OWN_KERNELS = True

    cases = ["t.n=100", "t.n=101", "t.n=102"]
    variable = "WARPMARK_FAULTY"

    def setUp(self):
        super().setUp()
        self.environment["WARPMARK_PLUGIN_PATH"] = "%s:%s" % (BUILD / "tests/drivers",
                                                              BUILD / "lib/warpmark")
        # Its threads would fail before any of ours, and end the process with a signal of its own.
        self.environment["OPENBLAS_NUM_THREADS"] = "1"
        # A worker that is to die of signal 11 dies of it, and no sanitizer handles it.
        self.environment.update(ASAN_OPTIONS="handle_segv=0", TSAN_OPTIONS="handle_segv=0")
        self.write_scale(axes="{n: [100, 101, 102]}")
        self.numbers = itertools.count()

    def run_faulty(self, spec, *arguments, timeout=120, **environment):
        """One run with a fault, in a folder of its own; the checks that hold for every run."""
        folder = self.folder / ("run%d" % next(self.numbers))
        folder.mkdir()
        log = folder / "calls"
        settings = dict(self.environment, **environment)
        settings.update({self.variable: spec, self.variable + "_LOG": str(log)})
        # The library notes its end when the process exits, which a fork does not do as the program does.
        own_calls = "--in-process" in arguments or arguments[0] in ("devices", "doctor")
        done = self.start(*arguments, env=settings, timeout=timeout, real=own_calls)
        out, errors = done.stdout.decode(), done.stderr.decode()
        what = "%s: %s\nexit %s\n%s%s" % (spec, " ".join(map(str, arguments)), done.returncode,
                                          out, errors)
        self.assertNotRegex(out + errors, r"Traceback|terminate called|Sanitizer|runtime error",
                            what)
        self.assertIn(done.returncode, (0, 1, 3, 77), what)
        words = [line.split(" ", 2)[1:] for line in
                 (log.read_text().splitlines() if log.exists() else [])]
        noted = collections.defaultdict(list)
        for word in words:
            noted[word[0]].append(word[1] if len(word) > 1 else "")
        return Run(done.returncode, out, errors, None,
                   [call.split()[1] for call in noted["call"]],
                   [call.split()[1] for call in noted["fault"]],
                   noted["misuse"], noted["leak"], bool(noted["end"]), folder), what

    def check_faulty(self, spec, *arguments, device="faulty", **environment):
        """`check` with its journal and JUnit file, which must be valid and agree."""
        name = "reports%d" % next(self.numbers)
        journal, junit = self.folder / name / "run.jsonl", self.folder / name / "junit.xml"
        done, what = self.run_faulty(spec, "check", "suites", "--device", device, "--journal",
                                     journal, "--junit", junit, *arguments, **environment)
        if not journal.exists():
            self.assertEqual(done.code, 3, what)
            self.assertFalse(junit.exists(), what)
            self.assertRegex(done.errors, r"(?m)^error: .*(\n.*)*\n  hint: ", what)
            return done._replace(cases=[]), what
        _, *cases, end = self.journal(journal)
        self.assertEqual([case["case"] for case in cases], self.cases, what)
        self.assertEqual(end["exit_code"], done.code, what)
        tests = list(ElementTree.parse(junit).getroot().iter("testcase"))
        for case, test in zip(cases, tests, strict=True):
            self.assertEqual(case["case"], "t." + test.get("name"), what)
            # The error that ends a run is a failure in JUnit, where skips alone would look good.
            failures = ("failed",) if done.code != 3 else ("failed", "interrupted")
            if case["verdict"] == "failed" or case["verdict"] not in failures:
                self.assertEqual(case["verdict"] == "failed", test.find("failure") is not None,
                                 what)
            if case["verdict"] == "failed":
                # Its own report, the first of one cause, or among those of that cause.
                report = r"\nFAILED %s( and \d+ more cases?)?\n|\n  the same in .*\b%s\b"
                name = re.escape(case["case"])
                self.assertRegex(done.out, report % (name, name), what)
                self.assertTrue(case["message"], what)
        failed = any(case["verdict"] == "failed" for case in cases)
        if done.code != 3:
            skipped = all(case["verdict"] == "skipped" for case in cases)
            self.assertEqual(done.code, 1 if failed else 77 if skipped else 0, what)
            for case in cases:
                self.assertIn(case["verdict"], ("passed", "failed", "skipped"), what)
        return done._replace(cases=cases), what

    def sweep(self, tests, jobs=JOBS):
        """Runs functions of no arguments, several at a time; fails with the first that failed. Of many that let one function
        fail each, half run on a day."""
        if not EXHAUSTIVE and len(tests) > 10:
            tests = of_today(list(tests), len(tests) // 2)
        with ThreadPoolExecutor(jobs) as pool:
            for finished in [pool.submit(test) for test in tests]:
                finished.result()
