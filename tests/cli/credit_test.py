# Points where a pass is not all that counts: dropped trials, degrees, performance, and the
# leaderboard.
import csv
import json
import re
import shutil
import unittest

from assignment import KERNEL, NO_BOUND, WRONG, GradeTest

HEAD = """warpmark: 1
assignment: hw1
title: Scaling
suite: suites/scale.yaml
fixed: [f]
"""
SMALL = "cases:\n  - {name: small, points: 4, axes: {n: [100, 257]}%s}\n"
# Results with the first ten of 100 elements wrong, and the first 26 of 257.
NINE_TENTHS = KERNEL.replace("f * src[i]", "(10 * i < n ? 2 : 1) * f * src[i]")
RACE = KERNEL.replace("if (i < n)", "if (i < n) out[0] = i; if (i < n)")
# Neighbouring threads store 32 elements apart.
STRIDED = KERNEL.replace("if (i < n)", "i = i % 32 * (n / 32) + i / 32; if (i < n)")
QUICK = """cases:
  - {name: right, points: 4, axes: {n: [32, 64]}}
  - name: quick
    points: 8
    axes: {n: [1024]}
    performance: {by: counters, counters: global_store_sectors, %s}
"""
TIMED = """cases:
  - {name: right, points: 4, axes: {n: [32, 64]}}
  - {name: fast, points: 6, axes: {n: [1024]}, performance: {by: gpu, full: 1.1, zero: 3}}
"""


class CreditTest(GradeTest):
    def assign(self, cases, more=""):
        self.write("hw1.yaml", HEAD + more + cases)

    def page(self, student):
        return (self.folder / "out/students" / student / "report.html").read_text()

    def gradescope(self, student):
        return json.loads((self.folder / "out/students" / student / "results.json").read_text())

    def lint(self, code):
        return self.run_program("grade", "--lint", "hw1.yaml", "--device", "cpu", "--no-sandbox",
                                code=code)


class Trials(CreditTest):
    def test_a_trial_is_dropped_and_shown(self):
        self.assign(SMALL % ", credit: each", "trials: {count: 5, drop: 1}\n")
        # Each is wrong with some inputs.
        self.hand_in(**{"s%d" % k: KERNEL.replace("src[i];", "src[i] + (src[0] > 0.%df);" % k)
                        for k in range(2, 10)})
        self.grade()
        passed = failed = 0
        for student, result in self.results().items():
            for item in result["cases"][0]["items"]:
                dropped = item.get("dropped", [])
                self.assertLessEqual(len(dropped), 1)
                if item["word"] != "pass":
                    failed += 1
                    self.assertTrue(dropped or item["trial"] == 4)
                    continue
                self.assertEqual(item["trials"], 5)
                for one in dropped:
                    passed += 1
                    # The inputs of the last trial cannot be known in advance.
                    self.assertLess(one["trial"], 4)
                    self.assertEqual(one["word"], "wrong")
                    line = "%s: trial %d of 5 is dropped, wrong" % (item["case"], one["trial"] + 1)
                    self.assertIn(line, self.page(student))
                    self.assertIn(line, self.gradescope(student)["tests"][0]["output"])
                    self.assertIn(line, (self.folder / "out/staff" / student / "junit.xml").read_text())
                    self.assertIn(line, self.rows()[int(student[1]) - 2]["credit"])
        self.assertGreater(passed, 0)
        self.assertGreater(failed, 0)

    def test_what_is_worse_than_wrong_is_never_dropped(self):
        self.assign(SMALL % "", "trials: {count: 3, drop: 2}\n")
        self.hand_in(ada=RACE, bob=NO_BOUND)
        self.grade()
        for student, word in ("ada", "race"), ("bob", "memory error"):
            case = self.result(student)["cases"][0]
            self.assertEqual((case["points"], case["word"]), (0, word))
            self.assertNotIn("dropped", case["items"][0])

    def test_lint_says_how_many(self):
        self.assign(SMALL % "", "trials: {count: 2, drop: 1}\n")
        out, errors = self.lint(0)
        self.assertIn("2 trials each, of which 1 may be dropped", out)
        self.assertIn("1 of 2 trials may fail", out + errors)


class Degrees(CreditTest):
    def test_a_part_is_worth_a_part(self):
        self.assign(SMALL % ", credit: {degree: elements, from: 0.5}")
        self.hand_in(ada=KERNEL, bob=NINE_TENTHS, cem=WRONG, dee=RACE)
        self.grade()
        self.assertEqual([row["points"] for row in self.rows()], ["4", "3.58", "0", "0"])
        # 231 of 257 are 89.88 %.
        self.assertEqual([item["degree"] for item in self.result("bob")["cases"][0]["items"]],
                         [{"share": 0.9, "what": "of the elements of `out` are right"},
                          {"share": 0.89, "what": "of the elements of `out` are right"}])
        self.assertIn("scale.n=100: 90 % of the elements of <code>out</code> are right: 1.8 of 2 points",
                      self.page("bob"))
        self.assertNotIn("degree", self.result("dee")["cases"][0]["items"][0])
        # How much must be right changes without a kernel.
        self.assign(SMALL % ", credit: {degree: elements, from: 0.9}")
        out, _ = self.grade()
        self.assertIn("0 graded now, 4 known from before", out)
        self.assertEqual(self.rows()[1]["points"], "1.8")
        self.assertIn("less than 90 %: 0 of 2 points", self.page("bob"))

    def test_lint_finds_what_zeros_get(self):
        suite = (self.folder / "suites/scale.yaml").read_text()
        self.write("suites/scale.yaml", suite.replace("f * src", "f * src * (np.arange(n) % 2)"))
        kernel = KERNEL.replace("f * src[i]", "i % 2 * (f * src[i])")
        self.write("suites/scale.cu", kernel)
        self.assign(SMALL % ", credit: {degree: elements, from: 0.25}")
        _, errors = self.lint(2)
        self.assertIn("hw1.yaml:7:5: error: a kernel that leaves zeros as `out` has 50 % of scale.n=100 "
                      "and a part of 1 more, and gets 2 of the 4 points of `small`", errors)
        self.assertIn("`from` more than 0.5", errors)
        self.assign(SMALL % ", credit: {degree: elements, from: 0.6}")
        self.lint(0)

    def test_of_composites(self):
        suite = (self.folder / "suites/scale.yaml").read_text()
        self.write("suites/scale.yaml", suite + "expect: {coalesced: true}\n")
        self.assign("cases: [{name: a, points: 10, axes: {n: [1024, 2048]}, credit: degree}]\n")
        self.hand_in(ada=KERNEL, bob=STRIDED, cem=WRONG)
        self.grade()
        result = self.result("bob")
        item = result["cases"][0]["items"][0]
        self.assertEqual(item["word"], "wrong")
        # 128 of 1152 sectors are needed where 80 % must be: what it is far from most is the baseline.
        self.assertEqual(item["degree"]["what"],
                         "of what the composite `coalesced` asks for is met")
        self.assertGreater(item["degree"]["share"], 0.1)
        self.assertLess(item["degree"]["share"], 0.6)
        self.assertAlmostEqual(result["points"], 10 * item["degree"]["share"])
        self.assertEqual([row["points"] for row in self.rows()][::2], ["10", "0"])


class ByCounters(CreditTest):
    def test_points_follow_from_the_ratio(self):
        self.assign(QUICK % "full: 1, zero: 9")
        self.hand_in(ada=KERNEL, bob=STRIDED, cem=NINE_TENTHS)
        self.grade()
        self.assertEqual([row["points"] for row in self.rows()], ["12", "5", "0"])
        item = self.result("bob")["cases"][1]["items"][0]
        self.assertEqual(item["performance"], {"value": 1024, "baseline": 128, "ratio": 8})
        line = "scale.n=1024: global store sectors: 1024, baseline 128 (8 ×): 1 of 8 points"
        self.assertIn(line, self.page("bob"))
        self.assertIn(line, self.gradescope("bob")["tests"][1]["output"])
        self.assertEqual(self.gradescope("bob")["tests"][1]["score"], 1)
        self.assertIn("quick: " + line, self.rows()[1]["credit"])
        # All points say why, too.
        self.assertIn("baseline 128 (1 ×): 8 of 8 points", self.gradescope("ada")["tests"][1]["output"])
        # A wrong result has no performance.
        self.assertNotIn("performance", self.result("cem")["cases"][1]["items"][0])

    def test_what_moves_by_other_instructions_is_moved(self):
        """Each asks 32 times for its warp's input, by instructions that loads and stores do not count."""
        copies = ('unsigned to = (unsigned)__cvta_generic_to_shared(part + threadIdx.x); asm volatile("cp.async.ca.shared'
                  '.global [%0], [%1], 4; cp.async.wait_all;" :: "r"(to), "l"(src + first + k) : "memory");')
        prefetches = 'asm volatile("prefetch.global.L2 [%0];" :: "l"(src + first + k));'
        texts = {kind: KERNEL.replace("  if (i < n)", "  __shared__ float part[1024];\n  part[threadIdx.x] = 0;\n"
                                      "  const int first = i & ~31;\n  for (int k = 0; k < 32 && i < n; ++k) { %s }\n"
                                      "  if (i < n)" % move).replace("f * src[i]", "f * src[i] + 0 * part[threadIdx.x]")
                 for kind, move in (("ann", copies), ("ben", prefetches))}
        listed = "counters: [global_load_sectors, global_store_sectors]"
        for counters, points in ((listed, {"12"}), ("counters: moved_sectors", {"4"})):
            self.assign((QUICK % "full: 1.1, zero: 3").replace("counters: global_store_sectors", counters))
            self.hand_in(**texts)
            self.grade("--regrade")
            self.assertEqual({row["points"] for row in self.rows()}, points, counters)

    def test_lint_refuses_points_that_tell_hidden_data(self):
        hidden = "axes: {n: [1024]}\n    visibility: hidden"
        for points, results in (("full: 1, zero: 9", 107), ("steps: [{ratio: 1, points: 8}, {ratio: 8, points: 3}]", 9)):
            self.assign((QUICK % points).replace("axes: {n: [1024]}", hidden))
            _, errors = self.lint(2)
            self.assertIn("an attempt at `quick`, which is hidden, has one of %d results" % results, errors)
        self.assign((QUICK % "steps: [{ratio: 1.5, points: 8}]").replace("axes: {n: [1024]}", hidden))
        self.lint(0)
        self.assign(SMALL % ", credit: {degree: elements, from: 0.5}, visibility: hidden")
        _, errors = self.lint(2)
        self.assertIn("tells 6.7 bits of its data, and three are the most", errors)

    def test_lint_names_what_a_list_leaves_out(self):
        self.assign(QUICK % "full: 1, zero: 9")
        out, _ = self.lint(0)
        self.assertIn("the performance of `quick` leaves out `global_load_sectors`, `global_atomic_sectors`, ", out)
        self.assertIn("`async_global_load_sectors`", out)
        for counters in ("moved_sectors", "shared_load_conflicts"):
            self.assign((QUICK % "full: 1, zero: 9").replace("global_store_sectors", counters))
            out, _ = self.lint(0)
            self.assertNotIn("leaves out", out)

    def test_a_scale_changes_without_a_kernel(self):
        self.assign(QUICK % "full: 1, zero: 9")
        self.hand_in(bob=STRIDED)
        self.grade()
        before = self.steady()
        self.assign(QUICK % "steps: [{ratio: 1, points: 8}, {ratio: 8, points: 3}]")
        out, _ = self.grade()
        self.assertIn("0 graded now, 1 known from before", out)
        self.assertEqual(self.result("bob")["points"], 4 + 3)
        self.assign(QUICK % "full: 1, zero: 9")
        self.grade("--regrade")
        after = self.steady()
        self.assertEqual(after["bob"]["cases"], before["bob"]["cases"])

    def test_students_see_it_at_home(self):
        self.assign(QUICK % "full: 1, zero: 9")
        self.run_program("handout", "hw1.yaml", "-o", "public", "--device", "cpu")
        stored = json.loads((self.folder / "public/handout.json").read_text())
        self.assertEqual(stored["items"]["scale.n=1024"]["counters"]["global_store_sectors"], 128)
        self.write("mine.cu", STRIDED)
        out, _ = self.run_program("try", "public/assignment.yaml", "mine.cu", "--device", "cpu", code=1)
        self.assertIn("global store sectors: 1024, baseline 128 (8 ×): 1 of 8 points", " ".join(out.split()))

    def test_students_see_all_that_moves(self):
        self.assign((QUICK % "full: 1, zero: 9").replace("global_store_sectors", "moved_sectors"))
        self.run_program("handout", "hw1.yaml", "-o", "public", "--device", "cpu")
        self.write("mine.cu", STRIDED)
        out, _ = self.run_program("try", "public/assignment.yaml", "mine.cu", "--device", "cpu", code=1)
        self.assertRegex(" ".join(out.split()), r"moved sectors: \d+, baseline 256 ")

    def test_a_hidden_case_shows_points_alone(self):
        self.assign((QUICK % "steps: [{ratio: 1.5, points: 8}]").replace("axes: {n: [1024]}",
                                                                        "axes: {n: [1024]}\n    visibility: hidden"))
        self.hand_in(bob=STRIDED)
        self.grade()
        for name in "student.json", "results.json", "report.html":
            text = (self.folder / "out/students/bob" / name).read_text()
            self.assertNotIn("sectors", text, name)
            self.assertNotIn("1024", text, name)


class ByTime(CreditTest):
    def test_without_a_gpu_the_points_are_open(self):
        self.assign(TIMED)
        self.hand_in(ada=KERNEL, bob=WRONG)
        out, _ = self.grade()
        result = self.result("ada")
        self.assertEqual((result["state"], result["points"], result["max_points"]), ("graded", 4, 10))
        self.assertIn("on a GPU", result["cases"][1]["open"])
        self.assertIn("points are open", out)
        tests = self.gradescope("ada")["tests"]
        self.assertNotIn("score", tests[1])
        self.assertNotIn("status", tests[1])
        self.assertIn("6 points are open, and not lost", tests[1]["output"])
        self.assertIn("4 of 10 points, 6 open", self.gradescope("ada")["output"])
        self.assertEqual((self.rows()[0]["fast: points"], self.rows()[0]["open_points"]), ("", "6"))
        self.assertIn("open, of 6", self.page("ada"))
        # A wrong result has lost its open points.
        self.assertNotIn("open", self.result("bob")["cases"][1])
        self.assertEqual(self.gradescope("bob")["tests"][1]["score"], 0)

    def test_a_grade_book_says_what_it_lacks(self):
        self.assign(TIMED)
        self.write("roster.csv", "student,id\nada,11\nbob,12\n")
        self.hand_in(ada=KERNEL, bob=WRONG)
        _, errors = self.grade("--roster", "roster.csv", "--canvas", "canvas.csv")
        self.assertIn("warning: canvas.csv: `ada` has 6 open points, which count as 0 here\n", errors)
        self.assertNotIn("`bob` has", errors)

    def test_a_solution_may_leave_them_open(self):
        self.write("good.cu", KERNEL)
        self.assign(TIMED, "self_test: {must_pass: [good.cu]}\n")
        out, errors = self.lint(0)
        self.assertIn("the 6 points of `fast` stay open where there is no GPU", out + errors)


class Leaderboard(CreditTest):
    def board(self):
        with open(self.folder / "out/leaderboard.csv", newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def test_names_nobody(self):
        self.assign(QUICK % "full: 1, zero: 9", "leaderboard: {by: quick, top: 2}\n")
        self.hand_in(ada=KERNEL, bob=STRIDED, cem=WRONG, dee=KERNEL.replace("int i", "int  i"),
                     eva=NO_BOUND)
        self.grade()
        rows = self.board()
        self.assertEqual(rows[0], ["place", "name", "quick"])
        # Equal values have equal places.
        self.assertEqual([(row[0], row[2]) for row in rows[1:]], [("1", "1"), ("1", "1")])
        page = (self.folder / "out/leaderboard.html").read_text()
        for row in rows[1:]:
            self.assertRegex(row[1], "^student-[0-9a-f]{10}$")
            self.assertIn(row[1], page)
        for name in "ada", "bob", "cem", "dee", "eva":
            self.assertNotIn(name, page.split("<body>")[1])
        # A student's page shows the student's own place, and no other.
        self.assertIn("Leaderboard: place 3 of 3 by quick, as student-", self.page("bob"))
        for row in rows[1:]:
            self.assertNotIn(row[1], self.page("bob"))
        self.assertNotIn("Leaderboard", self.page("cem"))
        # Right in `quick`, and without the bound that another case needs.
        self.assertEqual(self.result("eva")["cases"][1]["items"][0]["word"], "pass")
        self.assertNotIn("Leaderboard", self.page("eva"))
        self.assertEqual(self.gradescope("bob")["leaderboard"],
                         [{"name": "quick", "value": 8, "order": "asc"},
                          {"name": "points", "value": 5, "order": "desc"}])
        # The same names in every run.
        self.grade("--regrade")
        self.assertEqual(self.board(), rows)

    def test_names_that_students_choose(self):
        self.assign(SMALL % "", "leaderboard: {names: chosen}\n")
        self.hand_in(ada="// leaderboard: Fast Fox\n" + KERNEL,
                     bob="  //leaderboard: <b>=cmd</b>\n" + KERNEL,
                     cem="// leaderboard: ADA\n" + KERNEL,
                     dee="// leaderboard: fast  fox\n" + KERNEL, eva=KERNEL)
        # A name that looks like a pseudonym, with whatever letters, gives the student's own pseudonym.
        claimed = ["student-1f0e3dad99", "STUDENT 1f0e3dad99", "ѕtudеnt-1f0e3dad99", "ştüdent1f0e3dad99",
                   "s.t.u.d.e.n.t-1f0e3dad99", "ｓtudent-1f0e3dad99", "stu\u0308dent-1f0e3dad99"]
        self.hand_in(**{"claims%d" % i: "// leaderboard: %s\n%s" % (name, KERNEL) for i, name in enumerate(claimed)})
        self.hand_in(fay="// leaderboard: Fast Fox (1f0e)\n" + KERNEL, gus="// leaderboard: 李小龙 stu\n" + KERNEL)
        self.grade()
        names = sorted(row[1] for row in self.board()[1:])
        self.assertEqual(len(names), 7 + len(claimed))
        self.assertEqual(sum(re.fullmatch(r"student-[0-9a-f]{10}", name) is not None for name in names), 1 + len(claimed), names)
        self.assertNotIn("student-1f0e3dad99", names)
        self.assertIn("李小龙 stu", names)
        self.assertIn("Fast Fox 1f0e", names)
        # No one gets another student's name, and no name is given twice.
        for start in "ADA (", "Fast Fox (", "fast  fox (":
            self.assertEqual(sum(name.startswith(start) for name in names), 1, names)
        page = (self.folder / "out/leaderboard.html").read_text()
        self.assertIn("&lt;b&gt;=cmd&lt;/b&gt;", page)

    def test_a_hidden_case_is_no_leaderboard(self):
        self.assign((QUICK % "full: 1, zero: 9").replace("points: 8", "points: 8\n    visibility: hidden"),
                    "leaderboard: {by: quick}\n")
        _, errors = self.lint(2)
        self.assertIn("`quick` is hidden, and a leaderboard would show its ratios", errors)


class Speed(CreditTest):
    """Times of a GPU elsewhere: `--speed-only` writes records, and here what a GPU would write is put into them."""

    def setUp(self):
        super().setUp()
        self.assign(TIMED)
        self.hand_in(ada=KERNEL, bob=WRONG, cem=KERNEL + "// mine\n")

    def take_times(self, **changes):
        """The records of a GPU: ratios by student, or the word of a failure while it was timed."""
        self.grade("--speed-only", out="times")
        self.fill_times("times", **changes)

    def fill_times(self, folder, **changes):
        for file in (self.folder / folder / "staff").glob("*/result.json"):
            result = json.loads(file.read_text())
            self.assertEqual([case["name"] for case in result["cases"]], ["fast"])
            case, = result["cases"]
            item, = case["items"]
            change = changes.get(result["student"])
            if isinstance(change, str):
                item.update(word=change, explanation="After it had run many times, to be timed: wrong.")
                case["word"] = change
            elif change is not None:
                item["performance"] = {"value": change, "baseline": 1, "ratio": change, "median": change + 0.1,
                                       "low": change, "high": change + 0.2, "rounds": 11}
            if change is not None:
                item.pop("open", None)
                case.pop("open", None)
                result["context"]["device"] = "Big GPU (sm_90)"
            file.write_text(json.dumps(result))

    def points(self, out="out"):
        return {student: (round(one["points"], 6), [case["name"] for case in one["cases"] if case.get("open")])
                for student, one in self.results(out).items()}

    def test_they_join_later(self):
        self.take_times(ada=1.0, cem=2.05)
        self.grade()
        self.assertEqual(self.points(), {"ada": (4, ["fast"]), "bob": (0, []), "cem": (4, ["fast"])})
        out, errors = self.grade("--speed", "times")
        self.assertIn("0 graded now, 3 known from before", out)
        self.assertIn("changed: ada: 10 points instead of 4", errors)
        self.assertEqual(self.points(), {"ada": (10, []), "bob": (0, []), "cem": (7, [])})
        self.assertIn("timed on Big GPU (sm_90), 20", self.page("ada"))
        # They stay without the folder, and where all is graded anew.
        for more in ((), ("--regrade",)):
            self.grade(*more)
            self.assertEqual(self.points()["ada"], (10, []))
        # Points and hints may change; no student learns of hashes.
        self.assign(TIMED.replace("points: 6", "points: 12"))
        self.grade("--speed", "times")
        self.assertEqual(self.points()["ada"], (16, []))
        self.assertNotIn("verdict_version", (self.folder / "out/students/ada/student.json").read_text())

    def test_a_failure_while_timed_costs_the_points_for_speed_alone(self):
        self.take_times(ada="wrong", cem=1.0)
        self.grade("--speed", "times")
        self.assertEqual(self.points(), {"ada": (4, []), "bob": (0, []), "cem": (10, [])})
        self.assertIn("to be timed", json.dumps(self.result("ada")))

    def test_a_file_handed_in_since_then_is_said(self):
        self.take_times(ada=1.0, cem=1.0)
        self.hand_in(ada=KERNEL + "// better\n")
        _, errors = self.grade("--speed", "times")
        self.assertIn("note: ada: points for speed are open: another file was handed in since the times were taken", errors)
        self.assertEqual(self.points()["ada"], (4, ["fast"]))
        self.assertEqual(self.points()["cem"], (10, []))

    def test_no_times_yet(self):
        self.take_times(ada=1.0, cem=1.0)
        self.hand_in(dee=KERNEL)
        _, errors = self.grade("--speed", "times")
        self.assertIn("note: dee: points for speed are open: there are no times yet", errors)

    def test_a_stranger_is_an_error(self):
        self.take_times(ada=1.0)
        shutil.rmtree(self.folder / "class/cem")
        _, errors = self.grade("--speed", "times", code=5)
        self.assertIn("--speed: `cem` of times is nobody of this class", errors)
        self.assertEqual(self.points()["ada"], (10, []))

    def test_ids_decide(self):
        exported = {"lovelaceada_1001_7_scale.cu": KERNEL, "booleg_1002_8_scale.cu": KERNEL + "// g\n"}
        for name, text in exported.items():
            self.write("export/" + name, text)
        self.grade("--speed-only", out="times", paths=("export",))
        roster = self.write("roster.csv", "student,canvas id\nAda,1001\nGeorge,1002\n")
        self.grade("--roster", roster, "--speed", "times", paths=("export",))
        self.assertEqual(set(self.results()), {"Ada", "George"})

    def test_other_folders_are_refused(self):
        self.take_times(ada=1.0)
        self.grade()
        for arguments, words in ((("--speed", "out"), "has the grades of whole submissions"),
                                 (("--speed", "class"), "has no results"),
                                 (("--speed-only",), "the folder of -o, out, has the grades of whole submissions")):
            self.assertIn(words, self.grade(*arguments, code=2)[1])
        self.assertIn("the folder of -o, times, has times alone", self.grade(out="times", code=2)[1])
        self.write("secret", "another secret of theirs\n").chmod(0o600)
        self.assertIn("with another secret, or of an assignment", self.grade("--speed", "times", code=2)[1])

    def merge(self, *arguments, code=0):
        return self.run_program("merge", *arguments, code=code)

    def test_merge_joins_them_to_a_whole_class(self):
        """Without the assignment, the submissions or the secret."""
        self.take_times(ada=1.0, cem=2.05)
        self.grade()
        out, errors = self.merge("out", "--speed", "times", "-o", "out")
        self.assertIn("out: the grades of out", out)
        self.assertIn("changed: ada: 10 points instead of 4", errors)
        self.assertEqual(self.points(), {"ada": (10, []), "bob": (0, []), "cem": (7, [])})
        self.assertIn("timed on Big GPU (sm_90), 20", self.page("ada"))
        self.assertIn("cem,graded,7,10", (self.folder / "out/grades.csv").read_text().replace('"', ""))
        self.assertEqual(len((self.folder / "out/changes.csv").read_text().splitlines()), 3)
        # The next run of `grade` knows them, and so does a copy of the class.
        self.assertIn("3 known from before", self.grade()[0])
        self.assertEqual(self.points()["ada"], (10, []))
        shutil.rmtree(self.folder / "out")
        self.grade()
        self.assertIn("changed: ada: 10 points instead of 4", self.merge("out", "--speed", "times", "-o", "copy")[1])
        self.assertEqual(self.points("copy"), {"ada": (10, []), "bob": (0, []), "cem": (7, [])})
        self.assertEqual(self.points()["ada"], (4, ["fast"]))

    def test_merge_joins_them_to_shards_and_they_stay(self):
        for index in (1, 2):
            self.grade("-q", "--speed-only", "--shard", "%d/2" % index, out="queue{shard}")
        self.merge("queue1", "queue2", "-o", "times")
        self.fill_times("times", ada=1.0, cem=2.05)
        for index in (1, 2):
            self.grade("-q", "--shard", "%d/2" % index, out="part{shard}")
        self.merge("part1", "part2", "--speed", "times", "-o", "merged")
        self.assertEqual(self.points("merged"), {"ada": (10, []), "bob": (0, []), "cem": (7, [])})
        # Merged again without them, and with a submission that is another since then.
        self.merge("part1", "part2", "-o", "merged")
        self.assertEqual(self.points("merged")["ada"], (10, []))
        self.hand_in(ada=KERNEL + "// better\n")
        for index in (1, 2):
            self.grade("-q", "--shard", "%d/2" % index, out="part{shard}")
        _, errors = self.merge("part1", "part2", "--speed", "times", "-o", "merged")
        self.assertIn("note: ada: points for speed are open: another file was handed in since the times were taken", errors)
        self.assertEqual(self.points("merged"), {"ada": (4, ["fast"]), "bob": (0, []), "cem": (7, [])})

    def test_late_days_and_the_leaderboard_follow_the_points(self):
        """As if one run had had them from the start: each late day takes 5 points, of which there are 4 before."""
        self.take_times(ada=1.0, cem=2.05)
        self.assign(TIMED, "due: 2026-11-20T12:00:00Z\nlate: {per_day: 50%, days: 1}\nleaderboard: {by: fast}\n")
        times = self.write("when.csv", "student,time\nada,2026-11-20T13:00:00Z\nbob,2026-11-20T11:00:00Z\n"
                           "cem,2026-11-22T13:00:00Z\n")
        self.grade("--times", times)
        self.assertEqual(self.result("ada")["final_points"], 0)
        self.assertFalse((self.folder / "out/leaderboard.csv").exists())
        self.merge("out", "--speed", "times", "-o", "merged")
        self.assertEqual({student: one["final_points"] for student, one in self.results("merged").items()},
                         {"ada": 5, "bob": 0, "cem": 0})
        self.grade("--times", times, "--speed", "times")
        for student, one in self.results("merged").items():
            self.assertEqual(one, self.result(student), student)
        for name in ("leaderboard.csv", "grades.csv"):
            self.assertEqual((self.folder / "merged" / name).read_text(), (self.folder / "out" / name).read_text())
        self.assertEqual([row.split(",")[2] for row in (self.folder / "out/leaderboard.csv").read_text().splitlines()],
                         ['"fast"', "1", "2.05"])
        # Worse times of a later run take some of them back, and the late days no more than there is.
        self.fill_times("times", ada=2.9, cem=2.05)
        self.merge("merged", "--speed", "times", "-o", "merged")
        self.assertEqual(self.results("merged")["ada"]["final_points"], 0)

    def test_merge_refuses_what_does_not_join(self):
        self.take_times(ada=1.0, cem=2.05)
        self.grade()
        for arguments, words in ((("out", "--speed", "class"), "has no results"),
                                 (("out", "--speed", "out"), "has the grades of whole submissions"),
                                 (("class", "--speed", "times"), "there are no grades in class"),
                                 (("times", "--speed", "times"), "times has times alone"),
                                 (("out",), "out is no shard's"),
                                 (("out", "times", "--speed", "times"), "out is no shard's")):
            errors = self.merge(*arguments, "-o", "merged", code=2)[1]
            self.assertIn(words, errors)
            self.assertFalse((self.folder / "merged").exists(), arguments)
        shutil.rmtree(self.folder / "times/staff/cem")
        shutil.copytree(self.folder / "times/staff/ada", self.folder / "times/staff/zoe")
        file = self.folder / "times/staff/zoe/result.json"
        file.write_text(json.dumps(dict(json.loads(file.read_text()), student="zoe")))
        _, errors = self.merge("out", "--speed", "times", "-o", "out", code=5)
        self.assertIn("--speed: `zoe` of times is nobody of this class", errors)
        self.assertIn("note: cem: points for speed are open: there are no times yet", errors)
        self.write("secret", "another secret of theirs\n").chmod(0o600)
        shutil.rmtree(self.folder / "out")
        self.grade()
        self.assertIn("with another secret, or of an assignment", self.merge("out", "--speed", "times", "-o", "out", code=2)[1])

    def test_an_assignment_without_times(self):
        self.assign(SMALL % "")
        self.assertIn("no case of the assignment has points for times", self.grade("--speed-only", out="times", code=2)[1])


if __name__ == "__main__":
    unittest.main()
