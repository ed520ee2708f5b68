# Late days, extensions, adjustments by hand, extra credit: files of a course, without grading again.
import json
import shutil
import unittest

from assignment import ASSIGNMENT, KERNEL, WRONG, GradeTest

DUE = ASSIGNMENT.replace("fixed: [f]\n", "fixed: [f]\ndue: 2026-11-20T12:00:00+01:00\n"
                         "late: {per_day: 10%, days: 3, grace_min: 15}\n")


class Rules(GradeTest):
    def setUp(self):
        super().setUp()
        self.write("hw1.yaml", DUE)

    def points(self):
        return {row["student"]: row["points"] for row in self.rows()}

    def test_late_days_cost_points_and_say_so(self):
        self.hand_in(ada=KERNEL, bob=KERNEL, cem=KERNEL, dee=KERNEL, eva=KERNEL)
        self.write("times.csv", "student,time\nada,2026-11-20T11:00:00Z\nbob,2026-11-20 11:14 UTC\n"
                   "cem,2026-11-20T11:16:00Z\ndee,2026-11-22T20:00:00+09:00\neva,2026-11-24T00:00:00Z\n")
        self.grade("--times", "times.csv")
        # Bob is within the grace; Dee, from Tokyo, on the second day; Eva on the fourth.
        self.assertEqual(self.points(), {"ada": "6", "bob": "6", "cem": "5.4", "dee": "4.8", "eva": "0"})
        result = self.result("dee")
        self.assertEqual((result["points"], result["final_points"], result["handed_in"]),
                         (6, 4.8, "2026-11-22T11:00:00Z"))
        self.assertEqual(result["adjustments"], [
            {"name": "late", "points": -1.2000000000000002,
             "reason": "handed in 2 days after 2026-11-20T11:00:00Z: 2 late days, 0.6 points each"}])
        self.assertIn("more than 3 late days get no points", self.result("eva")["adjustments"][0]["reason"])
        student = self.folder / "out/students/dee"
        gradescope = json.loads((student / "results.json").read_text())
        self.assertEqual(gradescope["score"], 4.8)
        self.assertIn("cases: 6 points\nlate: -1.2 points, handed in 2 days", gradescope["output"])
        self.assertIn("late: -1.2 points", (student / "report.html").read_text())
        self.assertIn("late: -1.2 points", (self.folder / "out/report.html").read_text())
        row = self.rows()[3]
        self.assertEqual((row["case_points"], row["handed_in"]), ("6", "2026-11-22T11:00:00Z"))
        self.assertTrue(row["adjustments"].startswith("late: -1.2 points"))

    def test_rules_need_no_new_grade(self):
        self.hand_in(ada=KERNEL, bob=WRONG)
        self.write("times.csv", "student,time\nada,2026-11-21T11:00:00Z\n")
        self.grade("--times", "times.csv")
        self.assertEqual(self.points(), {"ada": "5.4", "bob": "0"})
        self.write("more.csv", "student,points,reason\nbob,1.5,explained it in person\nbob,-0.5,\n")
        self.write("extensions.csv", "student,days,reason\nada,2,was ill\n")
        out, _ = self.grade("--times", "times.csv", "--extensions", "extensions.csv", "--adjustments", "more.csv")
        self.assertIn("0 graded now, 2 known from before", out)
        self.assertEqual(self.points(), {"ada": "6", "bob": "1"})
        self.assertEqual([one["reason"] for one in self.result("ada")["adjustments"]],
                         ["until 2026-11-22T11:00:00Z: was ill"])
        self.assertIn("adjustment: +1.5 points, explained it in person",
                      (self.folder / "out/students/bob/report.html").read_text())
        # Without the files all is as before.
        self.assertIn("changed: bob: 0 points instead of 1", self.grade(code=5)[1])
        self.assertEqual(self.points(), {"ada": "6", "bob": "0"})

    def test_a_platform_says_when(self):
        self.write("autograder/submission/scale.cu", KERNEL)
        self.write("autograder/submission_metadata.json", json.dumps(
            {"users": [{"name": "Ada"}], "created_at": "2026-11-20T09:00:00.123456-07:00"}))
        self.grade(paths=("autograder/submission",))
        self.assertEqual(self.points(), {"Ada": "5.4"})

    def test_a_platform_extends_a_student_s_due_time(self):
        self.write("autograder/submission/scale.cu", KERNEL)
        everybody = "2026-11-20T12:00:00.000000+01:00"
        for own, points in ((None, "5.4"), (everybody, "5.4"), ("2026-11-20T11:00:00.000000+01:00", "5.4"),
                            ("2026-11-21T12:00:00.000000+01:00", "6")):
            student = {"name": "Ada", **({"assignment": {"due_date": own}} if own else {})}
            self.write("autograder/submission_metadata.json", json.dumps(
                {"users": [student], "created_at": "2026-11-20T09:00:00.123456-07:00",
                 "assignment": {"due_date": everybody, "late_due_date": None}}))
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            self.grade(paths=("autograder/submission",))
            self.assertEqual(self.points(), {"Ada": points}, own)
        self.assertEqual([one["reason"] for one in self.result("Ada")["adjustments"]],
                         ["until 2026-11-21T11:00:00Z: by the platform"])
        # The course's own row takes precedence.
        self.write("extensions.csv", "student,until,reason\nAda,2026-11-20T12:30:00Z,was ill\n")
        shutil.rmtree(self.folder / "out")
        self.grade("--extensions", "extensions.csv", paths=("autograder/submission",))
        self.assertEqual(self.points(), {"Ada": "5.4"})

    def test_extra_credit_counts_on_top(self):
        self.write("hw1.yaml", ASSIGNMENT.replace("  - {name: odd, points: 4, axes: {n: [100, 257]}, visibility: hidden, "
                                                  "credit: each, hint: any n}\n",
                                                  "  - {name: odd, points: 4, axes: {n: [100, 257]}, extra: true}\n"))
        self.hand_in(ada=KERNEL, bob=KERNEL.replace("i < n", "i < n / 4 * 4"))
        out, _ = self.grade()
        self.assertIn("6 of 2", out)
        self.assertEqual(self.points(), {"ada": "6", "bob": "2"})
        tests = json.loads((self.folder / "out/students/ada/results.json").read_text())["tests"]
        self.assertEqual([(one["score"], one["max_score"]) for one in tests], [(2, 2), (4, 0)])
        self.assertIn("extra credit", tests[1]["tags"])

    def test_mistakes_in_files_are_said_with_their_lines(self):
        self.hand_in(ada=KERNEL)
        for option, text, words in (
                ("--times", "student,time\nada,2026-11-20T11:00:00\n", "f.csv:2:1: error: `2026-11-20T11:00:00` is no time with"),
                ("--times", "student,time\nada,2026-02-30T11:00:00Z\n", "is no time"),
                ("--times", "student,when\nada,1\n", "unknown column `when`"),
                ("--times", "student,time\nada,2026-11-20T11:00Z\nada,2026-11-20T12:00Z\n", "`ada` has a time on line 2, too"),
                ("--extensions", "student,days,until\nada,1,2026-11-20T11:00Z\n", "either `until` or `days`"),
                ("--adjustments", "student,points\nada,lots\n", "`lots` is no number"),
                ("--adjustments", "student\nada\n", "has no column `points`"),
                ("--adjustments", "student,points\n,3\n", "names no student")):
            self.write("f.csv", text)
            _, errors = self.grade(option, "f.csv", code=2)
            self.assertIn(words, errors)
        self.write("f.csv", "student,points\nadda,3\n")
        _, errors = self.grade("--adjustments", "f.csv", code=5)
        self.assertIn("f.csv:2:1: there is no submission of `adda`; did you mean `ada`?", errors)
        self.write("hw1.yaml", DUE.replace("due: 2026-11-20T12:00:00+01:00\n", ""))
        _, errors = self.grade(code=2)
        self.assertIn("`late` needs `due`", errors)
        self.write("hw1.yaml", DUE.replace("+01:00", ""))
        _, errors = self.grade(code=2)
        self.assertIn("is no time with a zone", errors)


class Regrading(GradeTest):
    def test_what_changes_no_verdict_runs_no_kernel(self):
        self.hand_in(ada=KERNEL, dee=KERNEL.replace("i < n", "i < n / 4 * 4"))
        self.grade()
        self.assertEqual([row["points"] for row in self.rows()], ["6", "4"])
        self.write("hw1.yaml", ASSIGNMENT.replace("points: 4", "points: 10").replace("any n", "think of n = 257")
                   .replace("Scaling", "Scale it").replace("small", "tiny"))
        out, errors = self.grade()
        self.assertIn("0 graded now, 2 known from before", out)
        self.assertIn("changed: dee: 7 points instead of 4: the assignment changed", errors)
        result = self.result("dee")
        self.assertEqual((result["title"], result["cases"][0]["name"]), ("Scale it", "tiny"))
        self.assertIn("think of n = 257", (self.folder / "out/students/dee/report.html").read_text())
        kept = json.loads((self.folder / "out/staff/dee/previous.json").read_text())
        self.assertEqual((kept["points"], kept["title"]), (4, "Scaling"))
        lines = (self.folder / "out/changes.csv").read_text().splitlines()
        self.assertEqual(lines[0], '"date","student","before","after","why"')
        self.assertRegex(lines[2], r'^"20..-.*","dee",4,7,"the assignment changed"$')
        # Nothing is new.
        _, errors = self.grade()
        self.assertEqual(errors, "")
        self.assertEqual(len((self.folder / "out/changes.csv").read_text().splitlines()), 3)

    def test_what_changes_verdicts_does(self):
        self.hand_in(ada=KERNEL)
        self.grade()
        for changed in (ASSIGNMENT.replace("n: [32]", "n: [33]"), ASSIGNMENT + "trials: 4\n",
                        ASSIGNMENT + "ptx: {flag: [vprintf]}\n", ASSIGNMENT.replace("visibility: hidden, ", "")):
            self.write("hw1.yaml", changed)
            out, _ = self.grade()
            self.assertIn("1 graded now", out, changed)
        self.write("suites/scale.yaml", (self.folder / "suites/scale.yaml").read_text() + "about: Scales.\n")
        self.assertIn("1 graded now", self.grade()[0])

    def test_another_file_says_so(self):
        self.hand_in(ada=WRONG)
        self.grade()
        self.hand_in(ada=KERNEL)
        _, errors = self.grade()
        self.assertIn("changed: ada: 6 points instead of 0: another file was handed in", errors)

    def test_one_student_alone_may_be_graded(self):
        self.hand_in(ada=KERNEL, bob=KERNEL)
        out, _ = self.grade("--only", "bob")
        self.assertIn("1 graded now", out)
        self.assertEqual([row["student"] for row in self.rows()], ["bob"])
        self.grade()
        out, _ = self.grade("--only", "ada", "--regrade")
        self.assertIn("1 graded now, 0 known", out)
        self.assertEqual(len(self.rows()), 2)
        _, errors = self.grade("--only", "bop", code=2)
        self.assertIn("did you mean `bob`?", errors)


if __name__ == "__main__":
    unittest.main()
