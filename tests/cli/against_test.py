# `warpmark bench --against`: cases take turns with another kernel, suite or revision, or with the baseline.
import json
import subprocess
import unittest

from program import KERNEL, CheckTest

SLOW = KERNEL.replace("if (i < n)", "for (int j = 0; j < 5000 && i < n; ++j) out[i] = f + j;\n  if (i < n)")
WRONG = KERNEL.replace("f * src[i]", "f + src[i]")
BASELINE = "baseline: {kernel: {file: slow.cu, entry: k}}\nbench: {against_baseline: %s}\n"


class AgainstTest(CheckTest):
    def setUp(self):
        super().setUp()
        self.write_scale(axes="{n: [64, 128]}", more=BASELINE % "true")
        self.write("suites/slow.cu", SLOW)
        self.write("wrong.cu", WRONG)

    def bench(self, *arguments, code=0, device="cpu"):
        return self.run_program("bench", "suites", "--device", device, "--max-samples", "40", "--budget-s", "1",
                                "--journal", "run.jsonl", *arguments, code=code)

    def cases(self):
        return [record["measurement"] for record in self.journal() if record["type"] == "case"]

    def verdicts(self, code=0):
        out, _ = self.run_program("compare", "run.jsonl", "--json", code=code)
        return [one["verdict"] for one in json.loads(out)["points"]]


class Counts(AgainstTest):
    """A device that counts runs one after the other, and compares exactly."""

    def test_another_kernel_file(self):
        out, _ = self.bench("--against", "suites/slow.cu")
        self.assertIn("2 faster (every change counts)", out)
        self.assertEqual([one["against"] for one in self.cases()], 2 * ["suites/slow.cu"])
        self.assertGreater(self.cases()[0]["against_counters"][1]["value"],
                           self.cases()[0]["counters"][1]["value"])
        self.bench("--against", "suites/k.cu")
        self.assertEqual(self.verdicts(), ["same", "same"])

    def test_a_slower_one_fails(self):
        self.write("suites/k.cu", SLOW)
        self.write("old.cu", KERNEL)
        out, _ = self.bench("--against", "old.cu", "--junit", "junit.xml", code=1)
        self.assertIn("2 slower", out)
        self.assertIn("slower", (self.folder / "junit.xml").read_text())
        # The journal has all of it.
        self.assertEqual(self.verdicts(code=1), ["slower", "slower"])
        out, _ = self.run_program("compare", "run.jsonl", "--markdown", code=1)
        self.assertIn("old.cu", out)

    def test_the_baseline(self):
        out, _ = self.bench("--against", "baseline")
        self.assertIn("2 faster", out)
        self.write_scale(axes="{n: [64, 128]}")
        _, errors = self.bench("--against", "baseline", code=2)
        self.assertIn("held against nothing", errors)

    def test_another_suite(self):
        self.write_scale("other/t.yaml", kernel_text=SLOW, axes="{n: [1]}")
        out, _ = self.bench("--against", "other/t.yaml")
        self.assertIn("2 faster", out)
        out, _ = self.bench("--against", "other")
        self.assertIn("2 faster", out)
        self.write_scale("other/t.yaml", kernel_text=SLOW, axes="{m: [1], n: [64]}")
        _, errors = self.bench("--against", "other", code=2)
        self.assertIn("held against nothing", errors)

    def test_a_wrong_one_is_lost(self):
        out, _ = self.bench("--against", "wrong.cu", code=1)
        self.assertIn("2 lost", out)
        self.assertIn("wrong.cu could not be timed: ", out)

    def test_a_revision(self):
        def git(*words):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.folder,
                           check=True, stdout=subprocess.DEVNULL, env=self.environment)
        try:
            git("init", "-q")
        except FileNotFoundError:
            self.skipTest("no git")
        git("add", "suites")
        git("commit", "-q", "-m", "one")
        self.write("suites/k.cu", SLOW)
        out, _ = self.bench("--against", "HEAD", code=1)
        self.assertIn("2 slower", out)
        git("commit", "-q", "-a", "-m", "two")
        self.bench("--against", "HEAD")
        self.assertEqual(self.verdicts(), ["same", "same"])
        out, _ = self.bench("--against", "HEAD~1", code=1)
        self.assertIn("2 slower", out)
        _, errors = self.bench("--against", "HEAD~7", code=2)
        self.assertIn("git knows no such revision", errors)

    def test_mistakes(self):
        _, errors = self.bench("--against", "nothing.cu", code=2)
        self.assertIn("there is no such file, and", errors)
        _, errors = self.bench("--against", "wrong.cu", "--compare", "x.jsonl", code=2)
        self.assertIn("are two answers", errors)
        _, errors = self.bench("--against", "wrong.cu", "--shard", "1/2", code=2)
        self.assertIn("--against needs all cases", errors)
        self.write("plain.jsonl", "")
        self.bench()
        _, errors = self.run_program("compare", "run.jsonl", code=2)
        self.assertIn("held against nothing", errors)


class Times(AgainstTest):
    """On a device that takes times, both are in each process, and take turns there."""

    def setUp(self):
        super().setUp()
        self.misbehave()

    def test_a_ratio_for_each_mode(self):
        out, _ = self.bench("--against", "suites/slow.cu", "--cache", "both", device="timing")
        self.assertIn("4 faster", out)
        self.assertRegex(out, r"0\.\d+ of suites/slow.cu's [\d.]+ [mµ]s \(0\.\d+ to 0\.\d+\), hot 0\.\d+ of")
        for one in self.cases():
            for series in one["series"]:
                relative = series["relative"]
                self.assertEqual(relative["rounds"], 10, "two loadings in each of five processes")
                self.assertLess(relative["ratio"], 0.9)
                self.assertLessEqual(relative["low"], relative["ratio"])
                self.assertLess(relative["tail"], 0.01)
                self.assertEqual(len(series["processes"]), 5)

    def test_what_was_timed_was_checked(self):
        out, _ = self.bench("--against", "wrong.cu", device="timing", code=1)
        self.assertIn("2 lost", out)
        self.assertNotIn("relative", self.cases()[0]["series"][0])

    def test_the_suite_can_ask_for_it(self):
        self.write_scale(axes="{n: [64, 128]}", more=BASELINE % "1.05")
        out, _ = self.bench(device="timing")
        self.assertRegex(out, r"0\.\d+ of its baseline's ")


if __name__ == "__main__":
    unittest.main()
