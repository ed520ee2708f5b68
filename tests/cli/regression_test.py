# A bench held against a baseline in one run: `bench --compare`, `compare:` of run configurations.
import json
import re
import shutil
import unittest
import xml.etree.ElementTree as ElementTree

from program import KERNEL, SOURCE, CheckTest

CONFIG = """warpmark: 1
bench:
  suites: [../suites]
  device: cpu
  max_samples: 1
  compare: ../baseline.jsonl
  %s
"""
MORE_WORK = KERNEL.replace("f * src[i]", "f * src[i] + 0.f * src[(i + 1) % n]")
BASELINE = SOURCE / "results/cpu/regression.baseline"


class Regression(CheckTest):
    def setUp(self):
        super().setUp()
        self.write_scale(axes="{n: [32, 100]}", src="{in: 'rng.random(n)'}")
        self.run_program("bench", "suites", "--device", "cpu", "--max-samples", "1", "--journal",
                         "baseline.jsonl")
        self.config = self.write("configs/regression.yaml", CONFIG % "quiet: true")

    def test_the_unchanged_kernel_passes(self):
        out, _ = self.run_program("run", self.config)
        self.assertTrue(out.endswith("\n2 the same (every change counts)\n"), out)

    def test_a_kernel_that_does_more_fails_by_its_case(self):
        self.write_scale(axes="{n: [32, 100]}", src="{in: 'rng.random(n)'}", kernel_text=MORE_WORK)
        self.config = self.write("configs/regression.yaml", CONFIG % "journal: ../new.jsonl")
        out, _ = self.run_program("run", self.config, code=1)
        self.assertRegex(out, r"\nslower +t\.n=100 +(global_load|ptx_)\w+ +[\d,]+ +[\d,]+ +\+")
        self.assertIn("\n2 slower (every change counts)\n", out)
        self.assertRegex(out, r"\nif that is meant: \S*warpmark run \S+ --update-baseline\n")
        # And with more room, it is no regression.
        self.run_program("run", self.config, "--min-effect", "1000")
        # Back again is faster, which only fails when it is asked to.
        shutil.copy(self.folder / "new.jsonl", self.folder / "baseline.jsonl")
        self.write_scale(axes="{n: [32, 100]}", src="{in: 'rng.random(n)'}")
        self.run_program("run", self.config)
        self.run_program("run", self.config, "--fail-on", "faster", code=1)

    def test_each_counter_may_have_a_min_effect(self):
        # A load more, and the same work otherwise.
        self.write_scale(axes="{n: [32, 100]}", src="{in: 'rng.random(n)'}", kernel_text=MORE_WORK)
        self.config = self.write("configs/regression.yaml",
                                 CONFIG % "min_effect: {load: 100, instructions: 200, flops: 250}")
        out, _ = self.run_program("run", self.config, code=1)
        self.assertRegex(out, r"\nslower +t\.n=32 +global_load_bytes ")
        self.assertRegex(out, r"\n +ptx_thread_instructions .* within 200 %\n")
        self.assertIn("2 slower (every change counts, of load from 100 % on, of instructions", out)
        self.run_program("run", self.config, "--min-effect", "load=101,instructions=200,flops=250")

    def test_a_kernel_that_fails_is_lost(self):
        self.write_scale(axes="{n: [32, 100]}", kernel_text=KERNEL.replace("f * src", "2 * src"))
        out, _ = self.run_program("bench", "suites", "--device", "cpu", "--max-samples", "1",
                                  "--compare", "baseline.jsonl", code=1)
        self.assertRegex(out, r"\nlost +t\.n=32\n +failed: ")

    def test_what_fails_is_named_also_by_a_quiet_gate(self):
        self.write_scale(axes="{n: [32, 100]}", src="{in: 'rng.random(n)'}", kernel_text=MORE_WORK)
        out, errors = self.run_program("run", self.config, "--junit", "x.xml", "--annotations",
                                       "github", code=1)
        self.assertRegex(out, r"\nslower +t\.n=32 +\w+ +[\d,]+ +[\d,]+ +\+")
        self.assertTrue(out.endswith("\n2 slower (every change counts)\n"), out)
        # At the line of the suite that names the kernel.
        self.assertRegex(errors, r"::error file=suites/t\.yaml,line=2,col=\d+,title=t\.n=32::slower"
                                 r".*%0A\w+: [\d,]+ before, [\d,]+ now")
        tests = self.failures("x.xml")
        self.assertEqual(set(tests), {"t.n=32", "t.n=100"})
        self.assertRegex(tests["t.n=32"], r"slower[^\n]*\n(global_|ptx_)\w+: [\d,]+ before")

    def failures(self, path):
        root = ElementTree.parse(self.folder / path).getroot()
        return {"%s.%s" % (test.get("classname"), test.get("name")):
                test.find("failure").get("message")
                for test in root.iter("testcase") if test.find("failure") is not None}

    def test_a_suite_that_is_gone_fails(self):
        self.write_scale("suites/u.yaml", axes="{n: [8]}", src="{in: 'rng.random(n)'}",
                         kernel_text=None)
        self.run_program("bench", "suites", "--device", "cpu", "--max-samples", "1", "--journal",
                         "baseline.jsonl")
        self.run_program("run", self.config)
        (self.folder / "suites/u.yaml").unlink()
        out, errors = self.run_program("run", self.config, "--junit", "x.xml", "--annotations",
                                       "github", code=1)
        self.assertRegex(out, r"\nmissing +u\.n=8\b")
        self.assertIn("1 missing, 2 the same", out)
        self.assertRegex(errors, r"::error file=baseline\.jsonl,line=4,title=u\.n=8::missing")
        self.assertEqual(list(self.failures("x.xml")), ["u.n=8"])
        # It is meant: for once, and for good.
        self.run_program("run", self.config, "--allow-missing")
        self.run_program("run", self.config, "--journal", "new.jsonl", code=1)
        shutil.copy(self.folder / "new.jsonl", self.folder / "baseline.jsonl")
        self.run_program("run", self.config)

    def test_a_point_or_a_counter_that_is_gone_fails(self):
        self.write_scale(axes="{n: [32]}", src="{in: 'rng.random(n)'}")
        out, _ = self.run_program("run", self.config, code=1)
        self.assertRegex(out, r"\nmissing +t\.n=100\b")
        self.write_scale(axes="{n: [32, 100]}", src="{in: 'rng.random(n)'}")
        text = (self.folder / "baseline.jsonl").read_text()
        self.write("baseline.jsonl", text.replace('"name":"ptx_thread_instructions"',
                                                  '"name":"of_old"', 1))
        out, _ = self.run_program("run", self.config, code=1)
        self.assertIn("the counter of_old is gone", out)
        self.assertRegex(out, r"1 lost, 1 the same")

    def test_what_was_not_asked_for_is_not_missing(self):
        for choice in (("-k", "n=32"), ("--case", "t.n=32")):
            out, _ = self.run_program("run", self.config, *choice)
            self.assertTrue(out.endswith("\n1 the same, 1 deselected (every change counts)\n"), out)
        # Nor later, when the journals are compared.
        self.run_program("run", self.config, "-k", "n=32", "--journal", "part.jsonl")
        out, _ = self.run_program("compare", "baseline.jsonl", "part.jsonl")
        self.assertIn("1 the same, 1 deselected", out)

    def test_a_gate_that_could_not_compare_leaves_no_good_junit(self):
        self.write_scale(axes="{n: [7]}", src="{in: 'rng.random(n)'}")
        _, errors = self.run_program("run", self.config, "--junit", "x.xml", code=2)
        self.assertIn("no case in common", errors)
        root = ElementTree.parse(self.folder / "x.xml").getroot()
        self.assertEqual(root.get("errors"), "1")

    def test_json_stays_alone(self):
        out, errors = self.run_program("bench", "suites", "--device", "cpu", "--max-samples", "1",
                                       "--json", "--compare", "baseline.jsonl")
        self.assertEqual([json.loads(line)["type"] for line in out.splitlines()],
                         ["run", "case", "case", "end"])
        self.assertIn("2 the same", errors)

    def test_mistakes_are_reported_before_a_case_runs(self):
        run = ("bench", "suites", "--device", "cpu")
        for arguments, message in (
                (("--compare", "none.jsonl"), "there is no baseline none.jsonl"),
                (("--compare", "suites/t.yaml"), "not JSON"),
                (("--compare", "baseline.jsonl", "--journal", "baseline.jsonl"),
                 "the journal would replace the baseline"),
                (("--compare", "baseline.jsonl", "--min-effect", "-2"), "--min-effect"),
                (("--compare", "baseline.jsonl", "--fail-on", "slow"), "--fail-on")):
            self.assertIn(message, self.refused(*run, *arguments))
        self.write("configs/regression.yaml", CONFIG % "min_effect: {lod: 2}")
        self.assertRegex(self.refused("run", self.config),
                         r"^configs/regression\.yaml:7:21: error: .*no counter `lod`\n.*`load`")
        self.write("configs/regression.yaml", CONFIG % "fail_on: [mising]")
        self.assertRegex(self.refused("run", self.config),
                         r"^configs/regression\.yaml:7:13: error: .*`mising`\n.*`missing`")


class Shipped(CheckTest):
    """configs/regression.yaml; counts are those of one NVRTC."""

    def setUp(self):
        super().setUp()
        version = re.search(r"^nvrtc: (.*)$", BASELINE.read_text(), re.M).group(1)
        nvrtc = re.search(r"NVRTC +(\d+\.\d+)", self.doctor)
        if nvrtc is None or nvrtc.group(1) != version:
            self.skipTest("the baseline is of NVRTC %s" % version)

    def run_shipped(self, *arguments):
        return self.run_program("run", SOURCE / "configs/regression.yaml", "--journal",
                                "run.jsonl", *arguments, timeout=280)[0]

    def test_some_of_it(self):
        self.assertNotIn(str(SOURCE), BASELINE.read_text())
        self.assertRegex(self.run_shipped("-k", "multiply_them/grid"),
                         r"\n1 the same, \d+ deselected \(every change counts\)\n$")


class ShippedWhole(Shipped):
    """Compiles the kernels of every suite: takes long."""

    def test_some_of_it(self):
        self.assertRegex(self.run_shipped(), r"\n\d+ the same \(every change counts\)\n$")


if __name__ == "__main__":
    unittest.main()
