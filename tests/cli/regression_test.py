# A bench held against a baseline in one run: `bench --compare`, `compare:` of run configurations.
import json
import re
import shutil
import unittest

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
BASELINE = SOURCE / "results/cpu/regression.jsonl"


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
        self.assertIn("let new.jsonl take the place of baseline.jsonl", out)
        # And with more room, it is no regression.
        self.run_program("run", self.config, "--min-effect", "1000")
        # Back again is faster, which only fails when it is asked to.
        shutil.copy(self.folder / "new.jsonl", self.folder / "baseline.jsonl")
        self.write_scale(axes="{n: [32, 100]}", src="{in: 'rng.random(n)'}")
        self.run_program("run", self.config)
        self.run_program("run", self.config, "--fail-on", "faster", code=1)

    def test_a_kernel_that_fails_is_lost(self):
        self.write_scale(axes="{n: [32, 100]}", kernel_text=KERNEL.replace("f * src", "2 * src"))
        out, _ = self.run_program("bench", "suites", "--device", "cpu", "--max-samples", "1",
                                  "--compare", "baseline.jsonl", code=1)
        self.assertRegex(out, r"\nlost +t\.n=32\n +failed: ")

    def test_json_stays_alone(self):
        out, errors = self.run_program("bench", "suites", "--device", "cpu", "--max-samples", "1",
                                       "--json", "--compare", "baseline.jsonl")
        self.assertEqual([json.loads(line)["type"] for line in out.splitlines()],
                         ["run", "case", "case", "end"])
        self.assertIn("2 the same", errors)

    def test_mistakes_are_told_before_a_case_runs(self):
        run = ("bench", "suites", "--device", "cpu")
        for arguments, message in (
                (("--compare", "none.jsonl"), "there is no baseline none.jsonl"),
                (("--compare", "suites/t.yaml"), "not JSON"),
                (("--compare", "baseline.jsonl", "--journal", "baseline.jsonl"),
                 "the journal would replace the baseline"),
                (("--compare", "baseline.jsonl", "--min-effect", "-2"), "--min-effect"),
                (("--compare", "baseline.jsonl", "--fail-on", "slow"), "--fail-on")):
            self.assertIn(message, self.refused(*run, *arguments))
        self.write("configs/regression.yaml", CONFIG % "fail_on: [mising]")
        self.assertRegex(self.refused("run", self.config),
                         r"^configs/regression\.yaml:7:13: error: .*`mising`\n.*`missing`")


class Shipped(CheckTest):
    """configs/regression.yaml; counts are those of one NVRTC."""

    def setUp(self):
        super().setUp()
        run = json.loads(BASELINE.read_text().split("\n", 1)[0])
        nvrtc = re.search(r"NVRTC +(\d+\.\d+)", self.doctor)
        if nvrtc is None or nvrtc.group(1) != run["device"]["nvrtc_version"]:
            self.skipTest("the baseline is of NVRTC %s" % run["device"]["nvrtc_version"])

    def run_shipped(self, *arguments):
        return self.run_program("run", SOURCE / "configs/regression.yaml", "--journal",
                                "run.jsonl", *arguments, timeout=280)[0]

    def test_some_of_it(self):
        self.assertNotIn(str(SOURCE), BASELINE.read_text())
        self.assertRegex(self.run_shipped("-k", "multiply_them/grid"),
                         r"\n1 the same, \d+ missing \(every change counts\)\n$")


class ShippedWhole(Shipped):
    """Compiles the kernels of every suite: takes long."""

    def test_some_of_it(self):
        self.assertRegex(self.run_shipped(), r"\n\d+ the same \(every change counts\)\n$")


if __name__ == "__main__":
    unittest.main()
