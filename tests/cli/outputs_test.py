# A command must not write to a file that it reads.
import os
import unittest

from program import KERNEL, CheckTest

HEADER = "#define FACTOR f\n"
SOURCE = '#include "parts/more.cuh"\n' + KERNEL.replace("= f *", "= FACTOR *")


class Outputs(CheckTest):
    def setUp(self):
        super().setUp()
        self.write("suites/parts/more.cuh", '#include "factor.cuh"\n')
        self.write("suites/parts/factor.cuh", HEADER)
        self.write("suites/values.py", "def values(rng, n):\n    return rng.standard_normal(n)\n")
        self.write("suites/simple.cu", KERNEL)
        self.write_scale(kernel_text=SOURCE, src='{in: {function: "values.py:values"}}',
                         more="expect: {parallel: true}\nbaseline: {kernel: {file: simple.cu, entry: k}}\n")
        self.write_scale("suites/other.yaml", kernel_text=None, kernel="{file: simple.cu, entry: k}")
        self.write("run.yaml", "warpmark: 1\ncheck: {suites: [suites/t.yaml], device: cpu}\n")
        self.inputs = ("suites/t.yaml", "suites/other.yaml", "suites/k.cu", "suites/parts/more.cuh", "suites/parts/factor.cuh",
                       "suites/values.py", "suites/simple.cu")

    def kept(self, file, *command):
        before = (self.folder / file).read_bytes()
        errors = self.refused(*command, str(file))
        self.assertIn("error: %s would replace " % command[-1], errors)
        self.assertIn(", which this command reads", errors)
        self.assertEqual((self.folder / file).read_bytes(), before)

    def test_no_option_replaces_an_input(self):
        for file in self.inputs:
            self.kept(file, "check", "suites", "--device", "cpu", "--journal")
        self.kept("suites/t.yaml", "check", "suites", "-k", "other", "--device", "cpu", "--junit")
        for file in ("suites/t.yaml", "suites/parts/factor.cuh", "suites/values.py"):
            self.kept(file, "check", "suites", "--device", "cpu", "--junit")
            self.kept(file, "profile", "suites", "-o")
            self.kept(file, "bench", "suites/t.yaml", "--device", "cpu", "--journal")
            self.kept(file, "bench", "suites/t.yaml", "--device", "cpu", "--benchmark-out")
        self.kept("run.yaml", "run", "run.yaml", "--journal")
        self.kept("suites/k.cu", "run", "run.yaml", "--junit")

    def test_no_job_replaces_the_suite_of_another(self):
        self.write("run.yaml", "warpmark: 1\ncheck:\n- {name: a, suites: [suites/other.yaml], device: cpu, journal: a.jsonl}\n"
                               "- {name: b, suites: [suites/other.yaml], device: cpu, journal: suites/t.yaml}\n"
                               "- {name: c, suites: [suites/t.yaml], device: cpu}\n")
        before = (self.folder / "suites/t.yaml").read_bytes()
        self.assertIn("--journal would replace suites/t.yaml", self.refused("run", "run.yaml"))
        self.assertEqual((self.folder / "suites/t.yaml").read_bytes(), before)
        self.assertFalse((self.folder / "a.jsonl").exists())  # nothing ran

    def test_by_any_name(self):
        os.symlink("suites/k.cu", self.folder / "link")
        self.kept("link", "check", "suites", "--device", "cpu", "--journal")
        self.kept("suites/../suites/parts/../k.cu", "profile", "suites", "-o")

    def test_what_is_read_by_others_is_nobodys_input(self):
        self.write("mine.jsonl", "old")
        self.write("suites/notes.txt", "old")
        for file in ("mine.jsonl", "suites/notes.txt", "new/run.jsonl"):
            self.check("suites/other.yaml", "--journal", file)
            self.assertEqual(self.journal(file)[-1]["type"], "end")
        self.check("suites/other.yaml", "--journal", "/dev/null")

    def test_a_baseline_is_kept(self):
        self.write("base.jsonl", "old")
        for option in ("--journal", "--benchmark-out"):
            errors = self.refused("bench", "suites/other.yaml", "--device", "cpu", "--compare", "base.jsonl", option, "base.jsonl")
            self.assertIn("would replace", errors)
            self.assertEqual((self.folder / "base.jsonl").read_text(), "old")


if __name__ == "__main__":
    unittest.main()
