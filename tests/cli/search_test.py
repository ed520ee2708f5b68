# `check --search`: ranges of axes, contents of arrays, failures made small, and what it says.
import json
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, CheckTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "search"))
import planted  # noqa: E402

LISTED = re.compile(r"add to `cases:` of (\S+):  - (\{.*?\})(?:  # fails with --trial (\d+))?$", re.M)
NEGATIVE = """extern "C" __global__ void k(float *out, const float *src, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = src[i] < 0 ? 0 : f * src[i];
}
"""


class Ranges(CheckTest):
    def ids(self):
        out, _ = self.run_program("list", "suites", "--json")
        return [case["id"] for suite in json.loads(out)["suites"] for case in suite["cases"]]

    def test_usual_cases_of_a_range(self):
        self.write_scale(axes="{n: {any: [1, 5000]}}")
        self.assertEqual(self.ids(), ["t.n=1", "t.n=71", "t.n=5000"])
        self.write_scale(axes="{n: {any: [20, 100], multiple_of: 32}}")
        self.assertEqual(self.ids(), ["t.n=32", "t.n=96"])
        self.write_scale(axes="{n: {any: [7, 7]}}")
        self.assertEqual(self.ids(), ["t.n=7"])

    def test_a_range_on_the_command_line(self):
        self.write_scale(axes="{n: [100]}")
        self.check("suites", "-a", "n=1..9", "--journal", "run.jsonl")
        self.assertEqual([record["case"] for record in self.journal() if "verdict" in record],
                         ["t.n=1", "t.n=3", "t.n=9"])
        _, errors = self.check("suites", "-a", "n=9..1", code=2)
        self.assertIn("`any` begins with 9, which is more than 1", errors)

    def test_any_case_within_a_range_runs_by_its_id(self):
        self.write_scale(axes="{dtype: [float32], n: {any: [4, 100], multiple_of: 4}}",
                         **{"src": "{in: rng.random(n), values: {any: finite}}"})
        out, _ = self.check("suites", "--case", "t.dtype=float32,n=48,src=last")
        self.assertIn("1 passed", out)
        for wrong in ("n=47", "n=104", "n=048", "n=48,src=nan", "n=48,out=last", "n=48,src=last,src=first"):
            _, errors = self.check("suites", "--case", "t.dtype=float32," + wrong, code=2)
            self.assertIn("no case is called", errors)

    def test_mistakes_have_their_place(self):
        for text, message in (
                ("{any: [1]}", "`any` of the axis `n` needs two bounds"),
                ("{any: 5000}", "`any` of the axis `n` needs two bounds"),
                ("{any: []}", "`any` of the axis `n` needs two bounds"),
                ("{any: [9, 1]}", "`any` begins with 9, which is more than 1"),
                ("{any: [1, 0.5]}", "a bound of `any` must be a whole number, and is 0.5"),
                ("{any: [1, 2**62]}", "a bound of `any` is beyond 2**60"),
                ("{any: [1, 5], multiple_of: 8}", "no multiple of 8 is from 1 to 5"),
                ("{any: [1, 5], multiple_of: 0}", "`multiple_of` must be at least 1"),
                ("{any: [1, 5], values: [1]}", "the axis `n` has both `any` and `values`"),
                ("{values: [1], multiple_of: 2}", "`multiple_of` is for `any`")):
            with self.subTest(text):
                self.write_scale(axes="{n: %s}" % text)
                _, errors = self.check("suites", code=2)
                self.assertIn(message, errors)
                self.assertRegex(errors, r"suites/t.yaml:3:\d+: error: ")

    def test_contents_have_their_place(self):
        for changes, message in (
                ({"src": "{in: rng.random(n), values: {any: odd}}"}, "known: finite, special, adversarial"),
                ({"src": "{in: rng.random(n), values: finite}"}, "`values`"),
                ({"out": "{out: n, values: {any: finite}}"}, "`values` is for arrays that are `in` or `inout`")):
            with self.subTest(message):
                self.write_scale(**changes)
                _, errors = self.check("suites", code=2)
                self.assertIn(message, errors)
        self.write_scale(axes=None, **{"cases": "[{n: 5, src: lost}]",
                                       "src": "{in: rng.random(n), values: {any: finite}}"})
        _, errors = self.check("suites", code=2)
        self.assertIn("pattern for the values of `src`", errors)
        self.assertIn("did you mean `last`?", errors)


class Contents(CheckTest):
    PATTERNS = {  # of five elements of float32
        "zeros": "[0, 0, 0, 0, 0]", "ones": "[1, 1, 1, 1, 1]", "ascending": "[0, 1, 2, 3, 4]",
        "descending": "[4, 3, 2, 1, 0]", "first": "[1, 0, 0, 0, 0]", "last": "[0, 0, 0, 0, 1]",
        "negative": "[-1, -2, -3, -4, -5]", "alternating": "[1, -1, 1, -1, 1]"}

    def test_listed_patterns(self):
        """A case may name a pattern, and references see what the kernel gets."""
        cases = ", ".join("{n: 5, src: %s}" % name for name in self.PATTERNS)
        self.write_scale(axes=None, **{"cases": "[%s]" % cases, "src": "{in: rng.random(n), values: {any: finite}}"})
        for name, values in self.PATTERNS.items():
            text = (self.folder / "suites/t.yaml").read_text()
            text = re.sub(r"reference: .*", "reference: {out: '3 * np.array(%s)'}" % values, text)
            (self.folder / "suites/t.yaml").write_text(text)
            out, _ = self.check("suites", "--case", "t.n=5,src=" + name)
            self.assertIn("1 passed", out, name)

    def test_every_pattern_of_every_type(self):
        """All patterns can be made for all types that a kernel may have, and integers refuse NaN."""
        for dtype, c_name, more in (("float32", "float", 0), ("float64", "double", 0), ("int32", "int", 9),
                                    ("uint8", "unsigned char", 9), ("int64", "long long", 9)):
            kernel = ('extern "C" __global__ void k(%s *out, const %s *src, int n) {\n'
                      "  if (threadIdx.x < n) out[threadIdx.x] = src[threadIdx.x];\n}\n" % (c_name, c_name))
            names = self.names()
            cases = ", ".join("{n: 33, src: %s}" % name for name in names)
            self.write_scale(axes=None, kernel_text=kernel, **{
                "cases": "[%s]" % cases, "f": None, "reference": "{out: src}", "launch": "{block: 64}",
                "src": "{in: np.zeros(n), dtype: %s, values: {any: adversarial}}" % dtype
                if "float" in dtype else "{in: 'np.zeros(n, int)', dtype: %s, values: {any: adversarial}}" % dtype})
            out, errors = self.check("suites", code=1 if more else 0)
            if more:
                self.assertIn("integers have no", out + errors)
                self.assertRegex(out, r"%d passed, %d failed|%d failed, %d passed" % ((len(names) - 7, 7) * 2)[:4])
            else:
                self.assertIn("%d passed" % len(names), out)

    def names(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "harness/suite/contents.cpp").read_text()
        return re.findall(r'^ +\{"(\w+)", (?:finite|special|adversarial)', text, re.M)


class Search(CheckTest):
    def search(self, *arguments, limit="200", code=1, **options):
        return self.check(*(arguments or ("suites",)), "--search", limit, code=code, **options)

    def write_planted(self, *names):
        (self.folder / "suites").mkdir(exist_ok=True)
        planted.write(self.folder / "suites", names)

    def test_failures_are_found_and_made_small(self):
        for name in ("map_magic", "map_short_index", "transpose_one_tile", "block_power_of_two",
                     "maximum_without_nan", "stencil_halo_thread"):
            with self.subTest(name):
                self.write_planted(name)
                out, _ = self.search("suites/%s.yaml" % name, limit="200")
                points = [dict(re.findall(r"(\w+): (\w+)", listed)) for _, listed, _ in LISTED.findall(out)]
                wanted = {key: str(value) for key, value in planted.BUGS[name].smallest.items()}
                self.assertTrue(any(wanted.items() <= point.items() for point in points), out)

    def test_right_kernels_pass(self):
        self.write_planted(*planted.RIGHT)
        out, _ = self.search(limit="300", code=0)
        self.assertIn("no failure", out)

    def test_the_line_for_the_suite_repeats_the_failure(self):
        self.write_planted("map_short_index")
        out, _ = self.search(limit="200")
        _, listed, _ = LISTED.search(out).groups()
        suite = self.folder / "suites/map_short_index.yaml"
        suite.write_text(suite.read_text() + "cases: [%s]\n" % listed)
        out, _ = self.check("suites", code=1)
        self.assertIn("FAILED map_short_index.n=4097", out)

    def test_the_failure_is_a_case_of_every_report(self):
        self.write_planted("map_magic")
        out, _ = self.search("suites", "--junit", "j.xml", "--journal", "run.jsonl", limit="200")
        self.assertIn("map_magic.n=1000", (self.folder / "j.xml").read_text())
        ids = [record["case"] for record in self.journal() if record.get("verdict") == "failed"]
        self.assertEqual(ids, ["map_magic.n=1000"])
        command = re.search(r"reproduce: warpmark (check .*)", out).group(1).split()
        again, _ = self.run_program(*command, code=1)
        self.assertIn("map_magic.n=1000", again)

    def test_the_seed_decides(self):
        self.write_planted("map_short_index", "right_sum")
        outs = [re.sub(r"in [\d.]+ s|[\d.]+ s$", "", self.search(limit="200", code=code)[0], flags=re.M)
                for code in (1, 1)]
        self.assertEqual(outs[0], outs[1])
        self.assertIn("seed 0", outs[0])

    def test_negative_numbers_are_contents(self):
        self.write_scale(axes="{n: {any: [1, 200]}}", kernel_text=NEGATIVE,
                         src="{in: rng.random(n), values: {any: finite}}")
        out, _ = self.search(limit="200")
        self.assertIn("- {n: 1, src: negative}", out)

    def test_an_order_of_threads_is_a_trial(self):
        """A failure that only other random numbers show names the trial that repeats it."""
        self.write_scale(axes="{n: [64]}", kernel_text="""
extern "C" __global__ void k(float *out, const float *src, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = src[0] > 0.9f ? 0 : f * src[i];
}""", src="{in: rng.random(n)}")
        out, _ = self.search(limit="80")
        trial = re.search(r"only --trial (\d+) shows it", out).group(1)
        again, _ = self.check("suites", "--trial", trial, code=1)
        self.assertIn("trial: " + trial, again)
        self.assertNotIn("add to `cases:`", out)

    def test_suites_without_ranges_say_so(self):
        self.write_scale()
        out, _ = self.search(limit="5", code=0)
        self.assertIn("no axis has `any` and no argument `values`, so only trials differed", out)

    def test_a_kernel_that_hangs(self):
        self.write_scale(axes="{n: {any: [1, 40]}}", kernel_text="""
extern "C" __global__ void k(float *out, const float *src, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n == 33) while (*(volatile float *)out != -1) continue;
  if (i < n) out[i] = f * src[i];
}""", more="limits: {instructions: 100000}\n")
        out, _ = self.search("suites", limit="60")
        self.assertIn("- {n: 33}", out)

    def test_the_time_ends_it(self):
        self.write_scale(axes="{n: {any: [1, 2**20]}}")
        began = time.monotonic()
        out, _ = self.search(limit="2s", code=0)
        self.assertLess(time.monotonic() - began, 60)
        self.assertRegex(out, r"search: \d+ cases of 1 suite in ")

    def test_ctrl_c_ends_it_with_whole_reports(self):
        self.write_scale(axes="{n: {any: [1, 2**18]}}")
        process = subprocess.Popen([PROGRAM, "check", "suites", "--search", "300s", "--device", "cpu", "--journal",
                                    "run.jsonl"], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, out)
        self.assertIn("search:", out)

    def test_limits_that_are_none(self):
        self.write_scale()
        for text in ("0", "fast", "10 s", "-3", "5d"):
            _, errors = self.check("suites", "--search", text, code=2)
            self.assertIn("a time, as 60s, 5m or 1h, or a number of cases from 1", errors)
        _, errors = self.check("suites", "--search", "5", "--jobs", "2", code=2)
        self.assertIn("--search is for one process", errors)


if __name__ == "__main__":
    unittest.main()
