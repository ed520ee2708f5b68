"""`--format`: what check, bench, lint and compare give to code hosts; and suppressions of check.

report/sarif-schema-2.1.0.json is the schema that OASIS publishes with SARIF 2.1.0 (oasis-tcs/sarif-spec).
"""
import json
import re
import unittest
import xml.etree.ElementTree

from program import HERE, KERNEL, SOURCE, CheckTest, ProgramTest

try:
    import jsonschema
except ImportError:
    jsonschema = None

WRONG = KERNEL.replace("f * src[i]", "i < 28 ? f * src[i] : src[i]")
RACE = """warpmark: 1
kernel:
  entry: k
  source: |
    extern "C" __global__ void k(float *a) { a[0] = threadIdx.x % 2; }
    extern "C" __global__ void again(float *a) { a[1] = threadIdx.x % 2; }
arguments: {a: {inout: np.zeros(2), dtype: float32}}
launch: {block: 64}
reference: {a: a}
tolerance: {atol: 2}
"""
FORMATS = ("gitlab=out/q.json", "sarif=out/a.sarif", "html=out/p.html", "junit=out/j.xml")


def formats(*kinds):
    return [word for kind in kinds for word in ("--format", kind)]


class Formats(CheckTest):
    def setUp(self):
        super().setUp()
        (self.folder / "out").mkdir()

    def file(self, name):
        return (self.folder / "out" / name).read_text(encoding="utf-8")

    def sarif(self):
        whole = json.loads(self.file("a.sarif"))
        if jsonschema is not None:
            schema = json.loads((HERE / "report/sarif-schema-2.1.0.json").read_text())
            jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(whole)
        (run,) = whole["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            self.assertEqual(len(result["partialFingerprints"]["warpmarkProblem/v1"]), 32)
        return run

    def test_failures_of_check(self):
        self.write_scale(axes="{n: [4, 100, 200]}", kernel_text=WRONG)
        self.check("suites", *formats(*FORMATS), code=1)
        run = self.sarif()
        (invocation,) = run["invocations"]
        self.assertEqual((invocation["exitCode"], invocation["executionSuccessful"]), (1, True))
        self.assertEqual([one["ruleId"] for one in run["results"]], ["wrong", "wrong"])
        place = run["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"], {"uri": "suites/t.yaml", "uriBaseId": "%SRCROOT%"})
        self.assertEqual(place["region"]["startLine"], 10)
        issues = json.loads(self.file("q.json"))
        self.assertEqual(len({one["fingerprint"] for one in issues}), 2)
        self.assertEqual([one["location"] for one in issues], [{"path": "suites/t.yaml", "lines": {"begin": 10}}] * 2)
        self.assertEqual({one["severity"] for one in issues}, {"critical"})
        page = self.file("p.html")
        self.assertIn("<h1>2 problems</h1>", page)
        self.assertIn("1 passed, 2 failed", page)
        self.assertIn("suites/t.yaml:10", page)
        cases = xml.etree.ElementTree.fromstring(self.file("j.xml")).findall(".//testcase")
        self.assertEqual([one.find("failure") is not None for one in cases], [False, True, True])

    def test_fingerprints_stay_when_lines_move(self):
        self.write_scale(axes="{n: [100]}", kernel_text=WRONG)
        self.check("suites", *formats("sarif=out/a.sarif"), code=1)
        before = self.sarif()["results"][0]
        self.write_scale(axes="{n: [100]}", kernel_text="// a comment\n" + WRONG)
        file = self.folder / "suites/t.yaml"
        file.write_text("# a comment\n" + file.read_text())
        self.check("suites", *formats("sarif=out/a.sarif"), code=1)
        after = self.sarif()["results"][0]
        self.assertEqual(before["partialFingerprints"], after["partialFingerprints"])

    def test_a_good_run_has_no_problems(self):
        self.write_scale(axes="{n: [100]}")
        self.check("suites", *formats(*FORMATS))
        self.assertEqual(self.sarif()["results"], [])
        self.assertEqual(json.loads(self.file("q.json")), [])
        self.assertIn("<h1>No problems</h1>", self.file("p.html"))

    def test_names_are_those_of_the_checkout(self):
        self.write_scale(axes="{n: [100]}", kernel_text=WRONG)
        (self.folder / "suites").rename(self.folder / "suites of #1")
        for variable in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
            self.environment[variable] = str(self.folder.parent)
            self.check("suites of #1", *formats(*FORMATS), code=1)
            del self.environment[variable]
            folder = self.folder.name
            self.assertEqual(json.loads(self.file("q.json"))[0]["location"]["path"], folder + "/suites of #1/t.yaml")
            uri = self.sarif()["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            self.assertEqual(uri, folder + "/suites%20of%20%231/t.yaml")

    def test_text_of_others_stays_text(self):
        self.write_scale(axes="{n: [100]}", kernel_text=KERNEL + '#error "</pre><script>alert(1)</script>\\n::error::x"\n')
        self.check("suites", *formats(*FORMATS), code=1)
        self.sarif()
        self.assertNotIn("<script", self.file("p.html"))

    def test_what_cannot_be_loaded(self):
        self.write("suites/bad.yaml", "warpmark: 1\nkernl: {}\n")
        self.check("suites", *formats(*FORMATS), code=2)
        (result,) = self.sarif()["results"]
        self.assertEqual(result["ruleId"], "load")
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"]["startLine"], 2)

    def test_mistakes(self):
        self.write_scale(axes="{n: [100]}")
        for word, message in (("sarf=x", "did you mean `sarif`?"), ("sarif", "--format sarif needs a file: sarif=FILE"),
                              ("html=", "--format html needs a file"), ("github=x", "--format github names no file"),
                              ("sarif=/proc/no/such/x", "/proc/no/such"), ("teamcity=y", "there are github, gitlab=FILE")):
            for command in ("check", "lint"):
                _, errors = self.run_program(command, "suites", "--format", word, code=3 if "/proc" in word else 2)
                self.assertIn(message, errors, (command, word))
        _, errors = self.check("suites", *formats("sarif=out/x", "html=out/x"), code=2)
        self.assertIn("--format sarif and --format html name one file", errors)
        _, errors = self.check("suites", *formats("sarif=suites/t.yaml"), code=2)
        self.assertIn("--format sarif would replace suites/t.yaml", errors)

    def test_lint(self):
        self.write_scale(axes="{n: [100]}", kernel_text="int x\n" + KERNEL)
        self.run_program("lint", "suites", *formats(*FORMATS), code=2)
        (result,) = self.sarif()["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("lint", "error"))
        self.assertEqual(xml.etree.ElementTree.fromstring(self.file("j.xml")).get("failures"), "1")
        self.write_scale(axes="{n: [100]}")
        self.run_program("lint", "suites", *formats(*FORMATS))
        self.assertEqual(self.sarif()["results"], [])
        self.assertEqual(xml.etree.ElementTree.fromstring(self.file("j.xml")).get("tests"), "1")

    def test_changes_of_bench_and_compare(self):
        self.write_scale(axes="{n: [100, 200]}")
        options = ("suites", "--device", "cpu", "--max-samples", "1", "--compare", "base")
        self.run_program("bench", *options, "--update-baseline")
        self.write_scale(axes="{n: [100, 200]}", kernel_text=KERNEL.replace("f * src[i]", "f * src[i] + 0 * src[i + 0] * f"))
        self.run_program("bench", *options, "--journal", "now.jsonl", *formats("sarif=out/a.sarif", "html=out/p.html"), code=1)
        of_bench = self.sarif()["results"]
        self.assertTrue(of_bench)
        self.assertEqual({one["ruleId"] for one in of_bench}, {"slower"})
        self.run_program("compare", "base", "now.jsonl", *formats("sarif=out/a.sarif", "junit=out/j.xml"), code=1)
        self.assertEqual([one["ruleId"] for one in self.sarif()["results"]], [one["ruleId"] for one in of_bench])
        self.assertNotEqual(xml.etree.ElementTree.fromstring(self.file("j.xml")).get("failures"), "0")

    def test_a_run_configuration_has_them(self):
        self.write_scale(axes="{n: [100]}", kernel_text=WRONG)
        self.write("ci.yaml", "warpmark: 1\ncheck:\n  suites: [suites]\n  device: cpu\n"
                              "  formats: ['sarif=out/a.sarif', 'gitlab=out/q.json', 'junit=out/j.xml']\n")
        self.run_program("run", "ci.yaml", code=1)
        self.assertEqual(len(self.sarif()["results"]), 1)
        self.assertEqual(len(json.loads(self.file("q.json"))), 1)
        self.assertIn('failures="1"', self.file("j.xml"))


class DeviceReports(ProgramTest):
    LINES = (
        {"launch": 1, "kind": "race", "kernel": "add", "severity": "error", "message": "race at a[3], by thread (1,0,0)",
         "file": "add.cu", "line": 7},
        {"launch": 2, "kind": "race", "kernel": "add", "severity": "error", "message": "race at a[4], by thread (2,0,0)",
         "file": "add.cu", "line": 7},
        {"launch": 2, "kind": "race", "name": "order-by-barrier", "kernel": "add", "severity": "warning", "message": "order",
         "file": "add.cu", "line": 9},
        {"kind": "api_error", "severity": "error", "call": "cuMemFree_v2", "code": "CUDA_ERROR_INVALID_VALUE",
         "message": "cuMemFree_v2 is refused: <b>"},
    )

    def test_they_become_what_code_hosts_read(self):
        self.write("reports.jsonl", "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in self.LINES))
        self.run_program("report", "reports.jsonl", "-o", "out.sarif")
        run = json.loads((self.folder / "out.sarif").read_text())["runs"][0]
        self.assertEqual([(one["ruleId"], one["level"]) for one in run["results"]],
                         [("race", "error"), ("order-by-barrier", "warning")])
        self.assertEqual(len(run["invocations"][0]["toolExecutionNotifications"]), 1)
        out, _ = self.run_program("report", "reports.jsonl", "--format", "gitlab")
        self.assertEqual([one["check_name"] for one in json.loads(out)], ["race", "order-by-barrier", "api_error"])
        out, _ = self.run_program("report", "reports.jsonl")
        self.assertIn("<h1>3 problems</h1>", out)
        self.assertIn("add.cu:7", out)
        self.assertNotIn("<b>\n", out)

    def test_mistakes(self):
        self.write("reports.jsonl", json.dumps(self.LINES[0], separators=(",", ":")) + "\nno report\n")
        _, errors = self.run_program("report", "reports.jsonl", code=2)
        self.assertIn("reports.jsonl:2: error: the line is no report", errors)
        self.write("reports.jsonl", json.dumps(self.LINES[0], separators=(",", ":")) + "\n")
        _, errors = self.run_program("report", "reports.jsonl", "--format", "markdown", code=2)
        self.assertIn("must be gitlab, sarif or html", errors)


class Editor(CheckTest):
    def found(self, label, out):
        """The places that the problem matchers of a task of examples/vscode find in a text."""
        text = (SOURCE / "examples/vscode/tasks.json").read_text()
        tasks = json.loads("\n".join(line for line in text.split("\n") if not line.strip().startswith("//")))
        (task,) = (one for one in tasks["tasks"] if one["label"] == label)
        matchers = task["problemMatcher"] if isinstance(task["problemMatcher"], list) else [task["problemMatcher"]]
        places = []
        for line in out.split("\n"):
            for matcher in matchers:
                pattern = matcher["pattern"]
                if match := re.search(pattern["regexp"], line):
                    places.append((match[pattern["file"]], int(match[pattern["line"]])))
        return places

    def test_tasks_find_the_lines(self):
        check, lint = "warpmark: check this suite", "warpmark: lint all suites"
        self.write_scale(axes="{n: [100]}", kernel_text=WRONG)
        self.assertEqual(self.found(check, self.check("suites/t.yaml", "--show", "0", code=1)[0]), [("suites/t.yaml", 10)])
        self.write_scale(axes="{n: [100]}", kernel_text=KERNEL.replace("f * src", "g * src"))
        out, _ = self.check("suites/t.yaml", "--show", "0", code=1)
        self.assertIn(("suites/k.cu", 3), self.found(check, out))
        self.assertTrue(all(line == 3 for _, line in self.found(check, out)), out)
        self.write_scale(axes="{n: [100]}", reference="{outt: src}")
        out, errors = self.run_program("lint", "suites", code=2)
        self.assertEqual(self.found(lint, out + errors), [("suites/t.yaml", 10)])
        self.write_scale(axes="{n: [100]}")
        self.assertEqual(self.found(check, self.check("suites/t.yaml", "--show", "0")[0]), [])


class Suppressions(CheckTest):
    def setUp(self):
        super().setUp()
        self.write("suites/race.yaml", RACE)

    def check_with(self, rules, code, *options):
        self.write("accepted", rules)
        return self.check("suites", "--suppressions", "accepted", *options, code=code)[0]

    def test_a_finding_is_accepted(self):
        self.check("suites", code=1)
        for rule in ("race # one", "race kernel=k # one", "race kernel=k file=race.yaml # one",
                     "race kernel=* file=*ace.y* # one"):
            for jobs in ("1", "2"):
                out = self.check_with("# a comment\n\n" + rule + "\n", 0, "-j", jobs)
                self.assertRegex(out, r"1 finding suppressed by accepted")
        for rule in ("race kernel=again # other", "uninitialised # other", "race file=x.cu # other"):
            out = self.check_with(rule + "\n", 1)
            self.assertRegex(out, r"accepted:1: the suppression of `\w+` matched nothing in this run")

    def test_they_are_written(self):
        out, _ = self.check("suites", "--gen-suppressions", "new", code=1)
        self.assertIn("1 suppression written to new", out)
        line = (self.folder / "new").read_text()
        self.assertEqual(line, "race kernel=k file=race.yaml # TODO: why is this right?\n")
        _, errors = self.check("suites", "--suppressions", "new", code=2)
        self.assertIn("new:1: error: the reason is not yet written", errors)
        self.check_with(line.replace("TODO: why is this right?", "any of both values will do"), 0)

    def test_mistakes(self):
        for text, message in (("race\n", "accepted:1: error: the reason is missing"),
                              ("# x\nrace knl=k # y\n", "accepted:2: error: `knl=k` is neither kernel=PATTERN nor file=PATTERN"),
                              ("kernel=k # y\n", "the kind of report is missing"),
                              ("illegal_address # y\n", "`illegal_address` ends a launch"),
                              ("rase # y\n", "no check finds `rase`")):
            self.write("accepted", text)
            _, errors = self.check("suites", "--suppressions", "accepted", code=2)
            self.assertIn(message, errors)
        _, errors = self.check("suites", "--suppressions", "none", code=2)
        self.assertIn("cannot read none", errors)


if __name__ == "__main__":
    unittest.main()
