"""An assignment with submissions to it, for tests of `warpmark grade` and of `warpmark try`."""
import csv
import json

from program import CheckTest

KERNEL = """extern "C" __global__ void scale(float *out, const float *src, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f * src[i];
}
"""
SUITE = """warpmark: 1
kernel: {file: scale.cu, entry: scale}
axes: {n: [32, 100, 257]}
arguments:
  out: {out: n, dtype: float32}
  src: {in: rng.standard_normal(n), dtype: float32}
  f: {scalar: 3, dtype: float32}
  n: {scalar: n, dtype: int32}
launch: {block: 64, grid: 'ceil_div(n, 64)'}
reference: {out: f * src}
"""
ASSIGNMENT = """warpmark: 1
assignment: hw1
title: Scaling
suite: suites/scale.yaml
cases:
  - {name: small, points: 2, axes: {n: [32]}}
  - {name: odd, points: 4, axes: {n: [100, 257]}, visibility: hidden, credit: each, hint: any n}
fixed: [f]
limits: {instructions: 4e9, timeout_s: 60}
"""
# About two seconds in each launch, right in the end.
# Loops for ever without an access to memory, whose checks take most of the time.
ENDLESS = KERNEL.replace("if (i < n)", 'for (int k = 1; k != 0;) asm volatile("add.s32 %0, %0, 2;" : "+r"(k));\n  if (i < n)')
SLOW = KERNEL.replace("if (i < n)", "float zero = 0; for (int k = 0; k < 4000000; ++k) "
                      "zero = zero * f; if (i < n)").replace("src[i];", "src[i] + zero;")
WRONG = KERNEL.replace("f *", "2 *")
NO_BOUND = KERNEL.replace("if (i < n)", "")


class GradeTest(CheckTest):
    def setUp(self):
        super().setUp()
        self.write("suites/scale.yaml", SUITE)
        self.write("suites/scale.cu", KERNEL)
        self.write("hw1.yaml", ASSIGNMENT)
        self.write("secret", "0123456789abcdef\n").chmod(0o600)

    def hand_in(self, **files):
        for student, text in files.items():
            self.write("class/%s/scale.cu" % student, text)

    def arguments(self, *more, out="out", paths=("class",)):
        return ["grade", "hw1.yaml", *paths, "-o", out, "--secret", "secret", "--device", "cpu",
                "--no-sandbox", *more]

    def grade(self, *more, code=0, out="out", paths=("class",), **options):
        return self.run_program(*self.arguments(*more, out=out, paths=paths), code=code, **options)

    def result(self, student, out="out"):
        return json.loads((self.folder / out / "staff" / student / "result.json").read_text())

    def results(self, out="out"):
        """Every result there is; each must be valid JSON."""
        found = {}
        for file in (self.folder / out / "staff").glob("*/result.json"):
            whole = json.loads(file.read_text())
            found[whole["student"]] = whole
        return found

    def steady(self, out="out"):
        """The results without what a regrade may change."""
        results = self.results(out)
        for one in results.values():
            one["context"].pop("date")
            one.pop("seconds")
            for case in one["cases"]:
                for item in case["items"]:
                    item.pop("seconds")
        return results

    def rows(self):
        with (self.folder / "out/grades.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def words(self, student, out="out"):
        return [item["word"] for case in self.result(student, out)["cases"]
                for item in case["items"]]
