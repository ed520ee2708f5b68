# Composites: what a person writes and sees, in `check` and in grading.
import json
import unittest

from program import CheckTest

TRANSPOSE = """#define K extern "C" __global__ void
#define XY int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
K naive(float *out, const float *src, int n) {
  XY
  for (int r = 0; r < 32; r += 8) out[x * n + y + r] = src[(y + r) * n + x];
}
K tiled(float *out, const float *src, int n) {
  __shared__ float tile[32][33];
  XY
  for (int r = 0; r < 32; r += 8) tile[threadIdx.y + r][threadIdx.x] = src[(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) out[(y + r) * n + x] = tile[threadIdx.x][threadIdx.y + r];
}
"""
SUITE = """warpmark: 1
kernel: {file: transpose.cu, entry: %s}
axes: {n: [64, 96]}
arguments:
  out: {out: src.shape}
  src: {in: 'rng.standard_normal((n, n))', dtype: float32}
  n: {scalar: n, dtype: int32}
launch: {block: [32, 8], grid: [n // 32, n // 32]}
reference: {out: src.T}
tolerance: exact
"""
BASELINE = "baseline: {kernel: {file: transpose.cu, entry: tiled}}\n"


class InASuite(CheckTest):
    def write_suite(self, more, entry="naive"):
        self.write("suites/transpose.cu", TRANSPOSE)
        return self.write("suites/t.yaml", SUITE % entry + more)

    def test_are_reported_with_both_numbers(self):
        self.write_suite(BASELINE + "expect: {coalesced: true, counters: {barriers: '>= 0'}}\n")
        out, _ = self.check("suites/t.yaml", "--journal", "run.jsonl", code=1)
        self.assertIn("FAILED t.n=64\n  suites/t.yaml:12:9: error: not coalesced: its requests "
                      "need 22.2 % of the sectors of 32 bytes that they move, 80 % at least", out)
        # 4096 floats: 512 sectors to load, one for each element to store.
        self.assertIn("  not coalesced: it moves 4608 sectors of 32 bytes, the baseline 1024; 1.25 "
                      "times as many at most", out)
        self.assertEqual([record["failure"] for record in self.journal()[1:-1]],
                         ["counter", "counter"])
        self.write_suite(BASELINE + "expect: {coalesced: true, conflict_free: true}\n", "tiled")
        self.check("suites/t.yaml")

    def test_are_in_the_plan(self):
        self.write_suite("expect: {tiled: 'n * 2', work_efficient: {work: src.size, smaller: "
                         "{n: n - 32}}}\n", "tiled")
        plan = json.loads(self.run_program("plan", "suites/t.yaml", "--case", "t.n=64")[0])
        self.assertEqual(plan["expect"],
                         {"tiled": 128, "work_efficient": {"arithmetic": "src.size",
                                                           "at": "/expect/work_efficient"}})
        self.assertEqual(plan["requires"], [])

    def test_a_wrong_result_is_reported_first(self):
        self.write_suite(BASELINE + "expect: {coalesced: true}\n")
        self.write("suites/transpose.cu", TRANSPOSE.replace("= src[", "= 2 * src[", 1))
        out, _ = self.check("suites/t.yaml", code=1)
        self.assertIn("elements of `out` are wrong", out)
        self.assertNotIn("coalesced", out)

    def test_a_baseline_that_fails(self):
        self.write_suite(BASELINE + "expect: {parallel: true}\n")
        self.write("suites/transpose.cu", TRANSPOSE.replace("= tile[", "= 2 * tile["))
        out, _ = self.check("suites/t.yaml", code=1)
        self.assertIn("the baseline fails: ", out)

    def test_work_that_only_arrays_have(self):
        for work, message in (("src.size - 1024", "the work of t.n=32 is 0: a number above 0 is needed"),
                              ("src.size // src.size", "the work at the smaller point t.n=32 is 1, and that of t.n=64 is 1: "
                                                       "it must be less there")):
            self.write_suite("expect: {work_efficient: {work: %s, smaller: {n: 32}}}\n" % work, "tiled")
            out, _ = self.check("suites/t.yaml", "--case", "t.n=64", code=1)
            self.assertIn("suites/t.yaml:11:33: error: " + message, out)
        # A rule that arrays decide may skip the point whose work is 0.
        self.write_suite("expect: {work_efficient: {work: n - 32, smaller: {n: 32}}}\n"
                         "skip: {when: src.size > 1, reason: never}\n", "tiled")
        out, _ = self.check("suites/t.yaml", "--case", "t.n=64", code=77)
        self.assertIn("SKIPPED t.n=64: never", out)

    def test_mistakes(self):
        for more, place, message in (
            ("expect: {coalesce: true}\n", "11:10", "did you mean `coalesced`?"),
            ("expect: {coalesced: yes}\n", "11:21", "unknown value of `coalesced` `yes`"),
            ("expect: {coalesced: false}\n" + BASELINE, "12:11", "or a composite to `expect`: parallel"),
            ("expect: {coalesced: true, fault: trap}\n", "11:27", "fault"),
            (BASELINE, "11:11", "nothing is held against the baseline"),
            ("expect: {tiled: m}\n", "11:17", "`m`"),
            ("expect: {tiled: 0 - n}\n", "11:17", "a number, 0 or more, is needed"),
            ("expect: {work_efficient: n}\n", "11:26", "`work_efficient` must be a map"),
            ("expect: {work_efficient: {work: n}}\n", "11:26", "needs `smaller`"),
            ("expect: {work_efficient: {work: n, smaller: {}}}\n", "11:45", "`smaller` is empty"),
            ("expect: {work_efficient: {work: n, smaller: {m: 1}}}\n", "11:46",
             "unknown axis in `smaller` `m`"),
            ("expect: {work_efficient: {work: n, smaller: {n: n}}}\n", "11:26",
             "`smaller` is the point of t.n=64 itself"),
            ("expect: {work_efficient: {work: n, smaller: {n: 32}}}\nskip: {when: n < 64, reason: "
             "small}\n", "11:26", "`smaller` is t.n=32, which the suite skips: small"),
            ("expect: {work_efficient: {work: n - 32, smaller: {n: 32}}}\n", "11:33",
             "the work of t.n=32 is 0: a number above 0 is needed"),
            ("expect: {work_efficient: {work: n, smaller: {n: 128}}}\n", "11:33",
             "the work at the smaller point t.n=128 is 128, and that of t.n=64 is 64: it must be less there"),
            ("expect: {work_efficient: {work: 4.5, smaller: {n: 32}}}\n", "11:33",
             "the work at the smaller point t.n=32 is 4.5, and that of t.n=64 is 4.5: it must be less"),
            ("expect: {parallel: true}\nbaseline: {kernel: {file: other.cu, entry: k}}\n", "12:27",
             "there is no file `other.cu`"),
            ("expect: {parallel: true}\nbaseline: {launch: {block: 32}}\n", "12:11",
             "`baseline` needs `kernel`"),
            ("expect: {parallel: true}\nbaseline: {kernel: {file: transpose.cu, entri: k}}\n",
             "12:41", "entri"),
        ):
            self.write_suite(more)
            errors = self.refused("check", "suites/t.yaml", "--device", "cpu")
            self.assertIn("suites/t.yaml:%s: " % place, errors)
            self.assertIn(message, errors)


class InAnAssignment(CheckTest):
    """The course's own solution is the baseline of what is handed in."""

    ENTRY = TRANSPOSE.replace("K naive", "__device__ void unused_").replace("K tiled", "K transpose")

    def setUp(self):
        super().setUp()
        self.write("suites/transpose.cu", self.ENTRY)
        self.write("suites/transpose.yaml", SUITE % "transpose" +
                   "expect: {coalesced: true, conflict_free: true, work_efficient: {work: n * n, "
                   "smaller: {n: 32}}}\n")
        self.write("naive.cu", TRANSPOSE.replace("K naive", "K transpose"))
        self.write("again.cu", self.ENTRY + "// mine\n")
        # Right, and with perfect requests: one thread in 32 does the work of all.
        self.write("lonely.cu", """extern "C" __global__
void transpose(float *out, const float *src, int n) {
  if (threadIdx.x) return;
  for (int r = threadIdx.y; r < 32; r += 8)
    for (int c = 0; c < 32; ++c)
      out[(blockIdx.x * 32 + c) * n + blockIdx.y * 32 + r] =
          src[(blockIdx.y * 32 + r) * n + blockIdx.x * 32 + c];
}
""")
        self.write("only.cu", self.ENTRY.replace("  x = blockIdx.y", "  if (n == 32) return;\n"
                                                 "  x = blockIdx.y"))
        self.write("hw.yaml", """warpmark: 1
assignment: hw
suite: suites/transpose.yaml
cases:
  - {name: visible, points: 1, axes: {n: [64]}}
  - {name: hidden, points: 1, axes: {n: [96]}, visibility: hidden}
self_test:
  must_pass: [again.cu]
  must_fail: [{file: naive.cu, word: wrong}, {file: lonely.cu, word: wrong}]
""")

    def test_lint_runs_them_and_says_what_solutions_reach(self):
        out, _ = self.run_program("grade", "--lint", "hw.yaml", "--device", "cpu")
        notes = [line for line in out.splitlines() if line.startswith("note: `")]
        self.assertEqual([line.split(":")[2].strip() for line in notes],
                         ["parallel", "coalesced", "conflict_free", "work_efficient"])
        self.assertTrue(all("`again.cu`" in line for line in notes), "of what must fail nothing is said")
        for words in ("its requests need 100.0 % of the sectors that they move (80 % at least) at transpose.n=64",
                      "it moves 1 × as many sectors as the baseline (1.25 × at most) at transpose.n=64",
                      "0.0 % of the passes over shared memory are for bank conflicts (5 % at most)",
                      "its threads execute 1 × as many instructions as those of the baseline (2 × at most)",
                      "where the work grows "):
            self.assertIn(words, out)

    def test_lint_tells_what_a_worse_solution_reaches(self):
        """Each value is that of the item in which it is nearest to its bound."""
        self.write("again.cu", self.ENTRY.replace("  __syncthreads();", """  if (n == 96 && blockIdx.x + blockIdx.y == 0) {
    float far = src[threadIdx.x * 9];
    if (far == 12345.f) out[0] = far;
  }
  __syncthreads();"""))
        self.write("suites/transpose.yaml", SUITE % "transpose" + "expect: {coalesced: true}\n")
        out, _ = self.run_program("grade", "--lint", "hw.yaml", "--device", "cpu")
        self.assertIn("coalesced: its requests need 91.2 % of the sectors that they move (80 % at least) at transpose.n=96; "
                      "it moves 1.11 × as many sectors as the baseline (1.25 × at most) at transpose.n=96", out)

    def test_what_students_read(self):
        out, _ = self.run_program("try", "hw.yaml", "naive.cu", "--device", "cpu", code=1)
        said = " ".join(out.split())
        self.assertIn("The results are right, but the kernel does not work as this case asks: not coalesced: its requests "
                      "need 22.2 % of the sectors", said)
        self.assertIn("; not conflict_free: it does not use shared memory", said)
        self.assertEqual(said.count("22.2 %"), 1)
        out, _ = self.run_program("try", "hw.yaml", "lonely.cu", "--device", "cpu", code=1)
        self.assertIn("not parallel: ", out)
        out, _ = self.run_program("try", "hw.yaml", "only.cu", "--device", "cpu", code=1)
        self.assertIn("transpose.n=32: ", out)
        self.run_program("try", "hw.yaml", "again.cu", "--device", "cpu")

    def test_another_baseline_grades_anew(self):
        """Its file decides verdicts, as the suite's own kernel does."""
        self.write("secret", "0123456789abcdef\n").chmod(0o600)
        suite = self.folder / "suites/transpose.yaml"
        suite.write_text(suite.read_text() + "baseline: {kernel: {file: b.cu, entry: transpose}}\n")
        self.write("suites/b.cu", self.ENTRY)
        self.write("class/ada/transpose.cu", (self.folder / "again.cu").read_text())
        grade = ["grade", "hw.yaml", "class", "-o", "out", "--secret", "secret", "--device", "cpu",
                 "--no-sandbox"]
        self.assertIn("1 graded now", self.run_program(*grade)[0])
        self.assertIn("1 known from before", self.run_program(*grade)[0])
        self.write("suites/b.cu", self.ENTRY + "// faster\n")
        self.assertIn("1 graded now", self.run_program(*grade)[0])
        listed = json.loads(self.run_program("list", "suites/transpose.yaml", "--json")[0])
        names = [name.rsplit("/", 1)[1] for name in listed["suites"][0]["inputs"]]
        self.assertEqual(names[:3], ["transpose.yaml", "transpose.cu", "b.cu"])

    def test_a_baseline_with_options_of_its_own(self):
        suite = self.folder / "suites/transpose.yaml"
        suite.write_text(suite.read_text() + "baseline: {kernel: {file: transpose.cu, entry: "
                         "transpose, options: [--pre-include=/etc/passwd]}}\n")
        errors = self.refused("grade", "--lint", "hw.yaml", "--device", "cpu")
        self.assertIn("has the option `--pre-include=/etc/passwd`", errors)

    def test_in_the_sandbox(self):
        self.write("secret", "0123456789abcdef\n").chmod(0o600)
        for student in ("naive", "again"):
            self.write("class/%s/transpose.cu" % student,
                       (self.folder / (student + ".cu")).read_text())
        self.run_program("grade", "hw.yaml", "class", "-o", "out", "--secret", "secret",
                         "--device", "cpu")
        points = {}
        for student in ("naive", "again"):
            result = json.loads((self.folder / "out/staff" / student / "result.json").read_text())
            points[student] = (result["state"], result["points"])
            if student == "naive":
                self.assertEqual([one["items"][0]["word"] for one in result["cases"]],
                                 ["wrong", "wrong"])
        self.assertEqual(points, {"naive": ("graded", 0), "again": ("graded", 2)})


if __name__ == "__main__":
    unittest.main()
