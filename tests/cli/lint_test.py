# `warpmark lint`: all problems of all suites at once, each with its place.
import os
import unittest

from program import DEMO, SOURCE, ProgramTest


class Lint(ProgramTest):
    def problems(self, *arguments):
        out, errors = self.run_program("lint", *arguments, code=2)
        lines = [line for line in errors.splitlines() if ": error: " in line]
        self.assertRegex(out, r": %d problems?\n$" % len(lines))
        return lines

    def test_shipped_suites_have_none(self):
        out, errors = self.run_program("lint", SOURCE / "suites")
        self.assertRegex(out, r"^\d+ suites, \d+ cases: no problems\n$")
        self.assertEqual(errors, "")

    def test_counts(self):
        self.assertEqual(self.run_program("lint", DEMO)[0], "2 suites, 5 cases: no problems\n")
        self.write_suite("a.yaml", axis="[4]")
        self.assertEqual(self.run_program("lint", "a.yaml")[0], "1 suite, 1 case: no problems\n")

    def test_every_suite_is_read_on(self):
        self.write_suite("suites/a.yaml", axis="[4, 4]")
        self.write_suite("suites/b.yaml", axis="[m]")
        self.write_suite("suites/c.yaml")
        self.write_suite("suites/d.yaml", reference="np.arange(n")
        lines = self.problems()
        self.assertEqual([line.split(":")[0] for line in lines],
                         ["suites/a.yaml", "suites/b.yaml", "suites/d.yaml"])

    def test_numpy_text_is_checked_at_its_column(self):
        suite = self.write("a.yaml", """warpmark: 1
kernel: {entry: k, source: "extern void k();"}
arguments:
  x: {in: rng.random(4)}
  y: {in: "rng.random(4 4)"}
  s: {scalar: 1 +, dtype: int32}
  z: {out: 4}
launch: {block: 4}
reference:
  z: |
    (x +
     y *)
tolerance: {rtol: 1e-6 *, atol: 0}
""")
        places = [line.split(": error: ")[0].rsplit("/", 1)[-1] for line in self.problems(suite)]
        self.assertEqual([place.split(":")[1] for place in places], ["5", "6", "12", "13"])
        # The first character of the quoted text is in column 12.
        self.assertIn(int(places[0].split(":")[2]), range(12, 27))

    def test_needs_no_numpy(self):
        self.environment["WARPMARK_PYTHON"] = str(self.make_python("raise SystemExit(9)\n"))
        self.run_program("lint", DEMO)

    def test_without_python_the_other_problems_are_still_told(self):
        self.environment["WARPMARK_PYTHON"] = "/nowhere/python3"
        self.write_suite("suites/a.yaml", axis="[4, 4]")
        self.write_suite("suites/b.yaml")
        _, errors = self.run_program("lint", code=3)
        self.assertIn("suites/a.yaml:6:", errors)
        self.assertIn("/nowhere/python3", errors)

    def test_cases_without_a_plan(self):
        self.write_suite("a.yaml", axis="[4, -1, -2]")
        lines = self.problems("a.yaml")
        self.assertGreaterEqual(len(lines), 1)
        self.assertEqual(len(lines), len(set(lines)))

    def test_bench_axes_are_checked(self):
        text = self.write_suite("a.yaml").read_text()
        self.write("a.yaml", text + "bench: {axes: {n: [-5]}}\n")
        self.assertEqual(len(self.problems("a.yaml")), 1)

    def test_kernel_files(self):
        text = (DEMO / "demo" / "suite.yaml").read_text()
        self.write("a.yaml", text)
        self.assertIn("there is no file `scale.cu`", self.problems("a.yaml")[0])

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_an_unreadable_kernel_file(self):
        self.write("a.yaml", (DEMO / "demo" / "suite.yaml").read_text())
        self.write("scale.cu", "").chmod(0)
        self.assertRegex(self.problems("a.yaml")[0], r"^a\.yaml:3:\d+: error: cannot read scale.cu")


if __name__ == "__main__":
    unittest.main()
