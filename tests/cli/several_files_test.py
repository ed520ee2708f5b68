# Assignments of several kernels and files.
import io
import json
import subprocess
import unittest
import zipfile

from assignment import ASSIGNMENT, KERNEL, NO_BOUND, WRONG
from several_files import (
    ONE, SHIFT, SHIFT_SUITE, TWO, UTIL, WITH_UTIL, WRONG_SHIFT, SeveralTest, sha256, sha256_of_all)


class SeveralFiles(SeveralTest):
    def test_each_kernel_is_graded_in_its_file(self):
        self.hand_in("ada", {"scale.cu": KERNEL, "shift.cu": SHIFT})
        self.hand_in("bob", {"scale.cu": WRONG, "shift.cu": SHIFT})
        self.hand_in("cem", {"src/scale.cu": KERNEL, "old/test.cu": "no", "shift.cu": WRONG_SHIFT})
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as made:
            made.writestr("hw/scale.cu", KERNEL)
            made.writestr("hw/shift.cu", NO_BOUND)  # of the other kernel
        (self.folder / "class/dee.zip").write_bytes(stream.getvalue())
        out, _ = self.grade()
        self.assertIn("4 submissions on", out)
        self.assertEqual(self.points("ada"), [2, 2, 3, 3])
        self.assertEqual(self.points("bob"), [0, 0, 3, 3])
        self.assertEqual(self.points("cem"), [2, 2, 0, 0])
        self.assertEqual(self.points("dee"), [2, 2, 0, 0])
        for student in ("ada", "bob", "cem", "dee"):
            self.assertEqual(self.result(student)["state"], "graded", student)
        dee = self.result("dee")["cases"][2]["items"][0]
        self.assertEqual(dee["word"], "not launched")
        self.assertIn("shift", dee["explanation"])
        bob = self.result("bob")
        self.assertIn("warpmark try hw2.yaml scale.cu shift.cu --case", bob["cases"][0]["items"][0]["reproduce"])
        self.assertEqual(bob["file"], "scale.cu, shift.cu")
        files = {"scale.cu": WRONG, "shift.cu": SHIFT}
        self.assertEqual(bob["submission_sha256"], sha256_of_all(files))
        self.assertEqual(bob["files"], [{"name": name, "sha256": sha256(text), "problem": ""}
                                        for name, text in files.items()])

    def test_lint_says_of_each_kernel_what_it_says_of_one(self):
        self.write("hw2.yaml", TWO.replace("axes: {n: [257]}", "axes: {n: [64]}").replace("n: [32]}", "n: [128]}", 2).replace(
            "n: [100]", "n: [257]") + "self_test: {must_pass: [right]}\n")
        self.write("right/scale.cu", KERNEL)
        self.write("right/shift.cu", SHIFT)
        out, _ = self.run_program("grade", "--lint", "hw2.yaml", "--device", "cpu", "--no-sandbox")
        self.assertIn("note: every launch of `shift` has exactly as many threads as there are elements", out)
        self.assertNotIn("launch of `scale`", out)
        self.assertRegex(out, "(?m)^weakest margin of `scale`: ")
        self.assertRegex(out, "(?m)^weakest margin of `shift`: ")
        # A solution that lacks one of the files, or is wrong in one, is no solution.
        self.write("right/shift.cu", WRONG_SHIFT)
        _, errors = self.run_program("grade", "--lint", "hw2.yaml", "--device", "cpu", "--no-sandbox", code=2)
        self.assertIn("`right` must pass, and gets 4 of 10 points", errors)
        self.assertIn("`shifted` says wrong", errors)

    def test_a_missing_file_costs_its_cases_alone(self):
        self.hand_in("ada", {"scale.cu": KERNEL})
        self.hand_in("bob", {"shift.cu": SHIFT, "Scale.cu": KERNEL})
        self.hand_in("cem", {"scale.cu": "", "shift.cu": SHIFT})
        self.hand_in("dee", {"scale.cu": KERNEL, "a/shift.cu": SHIFT, "b/shift.cu": WRONG_SHIFT})
        self.hand_in("eva", {"mine.cu": KERNEL})
        self.hand_in("fay", {"readme.txt": "nothing"})
        self.write("class/gus/scale.cu", KERNEL)
        (self.folder / "class/gus/shift.cu").symlink_to("../ada/scale.cu")
        self.write("class/hal.cu", KERNEL)
        self.grade()
        self.assertEqual(self.points("ada"), [2, 2, 0, 0])
        ada = self.result("ada")
        self.assertEqual(ada["state"], "graded")
        missing = "There is no file `shift.cu`. Hand in a file called `shift.cu`."
        for case in ada["cases"][2:]:
            self.assertEqual(case["items"][0]["explanation"], missing)
            self.assertEqual(case["items"][0]["word"], "not launched")
        self.check_schema("ada")
        self.assertEqual(ada["files"][1], {"name": "shift.cu", "sha256": "", "problem": missing})
        student = json.loads((self.folder / "out/students/ada/student.json").read_text())
        self.assertEqual(student["files"], ada["files"])
        for student, points, case, words in (
                ("bob", [0, 0, 3, 3], 0, "There is no file `scale.cu`, only `Scale.cu`."),
                ("cem", [0, 0, 3, 3], 0, "`scale.cu` is empty"),
                ("dee", [2, 2, 0, 0], 2, "There are 2 files of that name: `a/shift.cu`, `b/shift.cu`."),
                ("gus", [2, 2, 0, 0], 2, "`shift.cu` is a symbolic link")):
            self.assertEqual(self.points(student), points, student)
            self.assertIn(words, self.result(student)["cases"][case]["items"][0]["explanation"])
        for student, words in (
                ("eva", "There is no file `scale.cu`, only `mine.cu`. Hand in a file called `scale.cu`. "
                        "There is no file `shift.cu`"),
                ("fay", "only `readme.txt`. Hand in files called `scale.cu` and `shift.cu`."),
                ("hal", "This is one file, `hal.cu`. Hand in files called `scale.cu` and `shift.cu`")):
            self.assertEqual(self.result(student)["state"], "refused")
            self.assertIn(words, self.result(student)["message"])

    def test_one_file_that_is_refused_or_does_not_compile_costs_its_cases_alone(self):
        self.write("hw2.yaml", TWO + "ptx: {forbid: [atom, entries], flag: [vprintf]}\n")
        atom = KERNEL.replace("out[i] = ", "atomicAdd(out, 0.f), out[i] = ")
        prints = SHIFT.replace("if (i < n)", 'if (n == 9) printf("x");\n  if (i < n)')
        self.hand_in("ada", {"scale.cu": atom, "shift.cu": prints})
        self.hand_in("bob", {"scale.cu": "not C++", "shift.cu": SHIFT})
        self.hand_in("cem", {"scale.cu": atom, "shift.cu": "not C++"})
        self.hand_in("dee", {"scale.cu": atom, "shift.cu": SHIFT + WRONG.replace("scale", "more")})
        self.grade()
        self.assertEqual(self.points("ada"), [0, 0, 3, 3])
        ada = self.result("ada")
        self.assertEqual(ada["state"], "graded")
        self.assertEqual(ada["message"], "")
        self.assertIn("atom", ada["cases"][0]["items"][0]["explanation"])
        self.assertEqual(ada["flags"], ["uses vprintf (shift.cu:3)"])
        self.assertEqual(self.points("bob"), [0, 0, 3, 3])
        self.assertIn("at line 1 of scale.cu", self.result("bob")["cases"][0]["items"][0]["explanation"])
        cem = self.result("cem")
        self.assertEqual(cem["state"], "compile_error")
        self.assertIn("atom", cem["message"])
        self.assertIn("at line 1 of shift.cu", cem["message"])
        dee = self.result("dee")
        self.assertEqual(dee["state"], "refused")
        self.assertIn("a further kernel, `more", dee["message"])

    def test_lines_bear_the_names_of_files(self):
        self.hand_in("ada", {"scale.cu": NO_BOUND, "shift.cu": SHIFT})
        self.grade()
        self.hand_in("ada", {"scale.cu": KERNEL, "shift.cu": SHIFT.replace("if (i < n)", "")})
        self.write("hw2.yaml", TWO.replace("axes: {n: [32]}", "axes: {n: [30]}"))
        self.grade()
        item = self.result("ada")["cases"][2]["items"][0]
        self.assertIn("Line 3 of shift.cu reads `src[30]`", item["explanation"])
        self.assertIn("shift.cu:3: ", item["detail"])

    def test_one_file_may_have_all_kernels(self):
        self.write("one.yaml", ONE + "ptx: {forbid: [entries]}\n")
        self.hand_in("ada", {"both.cu": KERNEL + SHIFT})
        self.hand_in("bob", {"both.cu": KERNEL})
        self.hand_in("cem", {"both.cu": KERNEL + SHIFT + WRONG.replace("scale", "third")})
        self.grade(assignment="one.yaml")
        self.assertEqual(self.points("ada"), [2, 2, 3, 3])
        self.assertEqual(self.points("bob"), [2, 2, 0, 0])
        self.assertEqual(self.result("bob")["state"], "graded")
        self.assertEqual(self.result("bob")["submission_sha256"], sha256(KERNEL))
        self.assertNotIn("files", self.result("bob"))
        self.assertEqual(self.result("cem")["state"], "refused")
        self.assertIn("`third", self.result("cem")["message"])

    def test_what_is_known_is_reused_until_any_file_changes(self):
        files = {"scale.cu": WITH_UTIL, "shift.cu": SHIFT, "util.cuh": UTIL}
        self.hand_in("ada", files)
        self.grade()
        self.assertEqual(self.points("ada"), [2, 2, 3, 3])
        self.assertEqual(self.result("ada")["submission_sha256"], sha256_of_all(files))
        out, _ = self.grade()
        self.assertIn("0 graded now, 1 known", out)
        for name, text in (("shift.cu", WRONG_SHIFT), ("util.cuh", UTIL + "\n")):
            self.write("class/ada/" + name, text)
            before = self.result("ada")["key"]
            out, _ = self.grade()
            self.assertIn("1 graded now, 0 known", out, name)
            self.assertNotEqual(self.result("ada")["key"], before)
        (self.folder / "class/ada/shift.cu").unlink()
        out, _ = self.grade()
        self.assertIn("1 graded now", out)
        self.write("class/ada/notes.txt", "not part of it")
        self.write("class/ada/unused.h", "neither is this")
        out, _ = self.grade()
        self.assertIn("0 graded now", out)

    def test_paths_of_a_student_are_one_submission(self):
        self.hand_in("ada", {"scale.cu": WITH_UTIL, "shift.cu": SHIFT, "util.cuh": UTIL})
        self.grade(paths=("class/ada",))
        self.grade(paths=("class/ada/scale.cu", "class/ada/shift.cu"), out="named")
        self.grade("--student", "ada", paths=("class/ada",), out="student")
        for out in ("out", "named", "student"):
            self.assertEqual(self.points("ada", out), [2, 2, 3, 3], out)
            self.assertEqual(self.result("ada", out)["key"], self.result("ada")["key"], out)

    def test_canvas_exports_have_each_file_apart(self):
        for name, text in (("scale.cu", WITH_UTIL), ("shift-1.cu", SHIFT), ("util.cuh", UTIL)):
            self.write("class/lovelaceada_11_50%d_%s" % (len(text), name), text)
        self.grade()
        self.assertEqual(self.points("lovelaceada"), [2, 2, 3, 3])

    def test_files_beside_others_are_refused_as_a_class(self):
        for name in ("scale.cu", "shift.cu", "bob.cu"):
            self.write("class/" + name, KERNEL)
        _, errors = self.grade(code=2)
        self.assertIn("`scale.cu`, beside `bob.cu`", errors)

    def test_try_takes_files_or_their_folder(self):
        self.hand_in("ada", {"scale.cu": WITH_UTIL, "shift.cu": WRONG_SHIFT, "util.cuh": UTIL})
        for paths in (["class/ada"], ["class/ada/scale.cu", "class/ada/shift.cu"]):
            out, _ = self.run_program("try", "hw2.yaml", *paths, "--device", "cpu", code=1)
            self.assertIn("2 of 5 points", out)
            self.assertIn("LOST 3 of 3 points: shifted", out)
            self.assertIn("reproduce: warpmark try hw2.yaml " + " ".join(paths) + " --case shift.n=32", out)
        out, _ = self.run_program("try", "hw2.yaml", "class/ada/scale.cu", "--device", "cpu", code=1)
        self.assertIn("There is no file `shift.cu`.", out)
        out, _ = self.run_program("try", "../../hw2.yaml", "scale.cu", "shift.cu", "--device", "cpu", code=1,
                                  cwd=self.folder / "class/ada")
        self.assertIn("2 of 5 points", out)
        _, errors = self.run_program("try", "hw2.yaml", "-", "--device", "cpu", code=2,
                                     stdin=subprocess.DEVNULL)
        self.assertIn("files called `scale.cu` and `shift.cu`", errors)

    def test_self_tests_are_folders(self):
        self.hand_in("right", {"scale.cu": WITH_UTIL, "shift.cu": SHIFT, "util.cuh": UTIL})
        self.hand_in("wrong", {"scale.cu": KERNEL, "shift.cu": WRONG_SHIFT})
        text = TWO + """self_test:
  must_pass: [class/right]
  must_fail:
    - {file: class/wrong, case: shifted, word: wrong}
    - {file: class/wrong/shift.cu, case: scaled, word: not launched}
"""
        self.write("hw2.yaml", text)
        out, _ = self.run_program("grade", "--lint", "hw2.yaml", "--device", "cpu", "--no-sandbox")
        self.assertIn("hw2: 10 points in 4 cases", out)
        self.write("hw2.yaml", text.replace("case: shifted", "case: scaled odd"))
        _, errors = self.run_program("grade", "--lint", "hw2.yaml", "--device", "cpu", "--no-sandbox", code=2)
        self.assertIn("must lose points in `scaled odd`, and loses none", errors)

    def test_values_built_in_are_those_of_one_kernel(self):
        self.write("hw2.yaml", TWO.replace(
            "  - {name: scaled odd, suite: suites/scale.yaml, points: 2, axes: {n: [100]}, visibility: hidden, "
            "hint: any n}\n", "").replace("points: 2, axes", "points: 4, axes"))
        _, errors = self.run_program("grade", "--lint", "hw2.yaml", "--device", "cpu", "--no-sandbox", code=2)
        self.assertIn("`n` of the kernel `scale` is 32 in every case and trial", errors)

    def test_similar_submissions_are_compared_whole(self):
        self.hand_in("ada", {"scale.cu": WITH_UTIL, "shift.cu": SHIFT, "util.cuh": UTIL})
        self.hand_in("bob", {"scale.cu": WITH_UTIL, "shift.cu": WRONG_SHIFT, "util.cuh": UTIL})
        self.grade("--similar", "similar.html", "--similar", "similar.json")
        page = (self.folder / "similar.html").read_text()
        json.loads((self.folder / "similar.json").read_text())
        self.assertIn("ada", page)


class Handout(SeveralTest):
    def test_has_a_template_of_each_file(self):
        self.write("hw2.yaml", TWO.replace("file: shift.cu}", "file: shift.cu, template: start/shift.cu}"))
        start = SHIFT.replace("if (i < n) out[i] = src[i] + by;", "// yours")
        self.write("start/shift.cu", start)
        self.run_program("handout", "hw2.yaml", "-o", "hand", "--device", "cpu")
        self.assertEqual((self.folder / "hand/shift.cu").read_text(), start)
        self.assertIn("// TODO", (self.folder / "hand/scale.cu").read_text())
        assignment = (self.folder / "hand/assignment.yaml").read_text()
        self.assertNotIn("odd", assignment)
        readme = (self.folder / "hand/README.md").read_text()
        self.assertIn("warpmark try assignment.yaml scale.cu shift.cu", readme)
        self.hand_in("ada", {"scale.cu": KERNEL, "shift.cu": SHIFT})
        out, _ = self.run_program("try", "hand/assignment.yaml", "class/ada", "--device", "cpu")
        self.assertIn("5 of 5 points", out)
        wheel = "https://example.invalid/warpmark-0.1.0-cp312-cp312-manylinux_2_31_x86_64.whl#sha256=" + "0" * 64
        self.run_program("pack", "github", "hw2.yaml", "--wheel", wheel, "-o", "repository")
        workflow = (self.folder / "repository/.github/workflows/grade.yml").read_text()
        self.assertIn("warpmark try assignment.yaml scale.cu shift.cu --device cpu", workflow)

    def test_of_one_file_has_all_kernels(self):
        self.run_program("handout", "one.yaml", "-o", "hand", "--device", "cpu")
        start = (self.folder / "hand/both.cu").read_text()
        self.assertIn("scale(", start)
        self.assertIn("shift(", start)
        self.assertNotIn("src[i]", start)
        self.hand_in("ada", {"both.cu": KERNEL + SHIFT})
        out, _ = self.run_program("try", "hand/assignment.yaml", "class/ada/both.cu", "--device", "cpu")
        self.assertIn("5 of 5 points", out)

    def test_needs_a_visible_case_of_each_file(self):
        self.write("hw2.yaml", TWO.replace("axes: {n: [32]}}\n  - {name: shifted odd",
                                           "axes: {n: [32]}, visibility: hidden}\n  - {name: shifted odd"))
        _, errors = self.run_program("handout", "hw2.yaml", "-o", "hand", "--device", "cpu", code=2)
        self.assertIn("all cases of `shift.cu` are hidden", errors)

    def test_gives_no_solution_of_a_folder(self):
        self.hand_in("right", {"scale.cu": KERNEL, "shift.cu": SHIFT})
        self.write("hw2.yaml", TWO.replace("file: shift.cu}", "file: shift.cu, template: class/right/shift.cu}") +
                   "self_test: {must_pass: [class/right]}\n")
        _, errors = self.run_program("handout", "hw2.yaml", "-o", "hand", "--device", "cpu", code=2)
        self.assertIn("is a solution", errors)

    def test_archives_of_gradescope_have_the_folders(self):
        self.hand_in("right", {"scale.cu": KERNEL, "shift.cu": SHIFT})
        self.write("hw2.yaml", TWO + "self_test: {must_pass: [class/right]}\n")
        out, _ = self.run_program("pack", "gradescope", "hw2.yaml", "--list", "--secret", "secret")
        for name in ("assignment/class/right/scale.cu", "assignment/class/right/shift.cu",
                     "assignment/suites/shift.yaml"):
            self.assertIn(name, out)


class NewAssignment(SeveralTest):
    def test_over_several_suites_works_at_once(self):
        out, errors = self.run_program("new", "assignment", "hw3", "--from", "suites/scale.yaml", "--from",
                                       "suites/shift.yaml")
        self.assertEqual(errors, "")
        files = sorted(path.relative_to(self.folder / "hw3").as_posix()
                       for path in (self.folder / "hw3").rglob("*") if path.is_file())
        wrong = ["wrong/%s/%s" % (folder, file)
                 for folder in ("scale_first_block", "scale_lost_thread", "shift_first_block", "shift_lost_thread")
                 for file in ("scale.cu", "shift.cu")]
        self.assertEqual(files, ["assignment.yaml", "scale.cu", "shift.cu", "solutions/right/scale.cu",
                                 "solutions/right/shift.cu"] + [one for one in sorted(wrong) if one in files])
        self.assertTrue(set(files) & set(wrong))
        out, errors = self.run_program("grade", "--lint", "hw3/assignment.yaml", "--device", "cpu", "--no-sandbox")
        self.assertIn("hw3: 200 points in 4 cases", out)
        self.run_program("handout", "hw3/assignment.yaml", "-o", "given")

    def test_files_of_one_name_get_that_of_the_suite(self):
        self.write("other/scale.yaml", SHIFT_SUITE.replace("shift.cu", "scale.cu"))
        self.write("other/scale.cu", SHIFT)
        _, errors = self.run_program("new", "assignment", "hw3", "--from", "suites/scale.yaml", "--from",
                                     "other/scale.yaml", code=2)
        self.assertIn("two suites have a kernel in a file called `scale.cu`", errors)
        (self.folder / "other/scale.yaml").rename(self.folder / "other/moved.yaml")
        self.run_program("new", "assignment", "hw3", "--from", "suites/scale.yaml", "--from", "other/moved.yaml")
        text = (self.folder / "hw3/assignment.yaml").read_text()
        self.assertIn('{suite: "../other/moved.yaml", file: "moved.cu"}', text)


class Streams(SeveralTest):
    def stream(self, requests, assignment="hw2.yaml", code=0):
        self.write("requests", "".join(json.dumps(one) + "\n" for one in requests))
        with open(self.folder / "requests", "rb") as lines:
            out, _ = self.run_program("grade", assignment, "--stream", "--secret", "secret", "--device", "cpu",
                                      "--no-sandbox", "-q", code=code, stdin=lines)
        return {one["id"]: one for one in map(json.loads, out.splitlines())}

    def test_take_several_texts_by_name(self):
        self.REAL_STARTS = True
        files = {"scale.cu": WITH_UTIL, "shift.cu": SHIFT, "util.cuh": UTIL}
        answers = self.stream([{"id": "ada", "files": files},
                               {"id": "bob", "files": {"scale.cu": KERNEL}},
                               {"id": "cem", "files": {"readme.h": "x"}}])
        self.assertEqual(answers["ada"]["result"]["points"], 10)
        self.assertEqual(answers["bob"]["result"]["points"], 4)
        self.assertIn("There is no file `shift.cu`", json.dumps(answers["bob"]["result"]))
        self.assertEqual(answers["cem"]["result"]["state"], "refused")
        self.hand_in("ada", files)
        self.grade()
        self.assertEqual(self.result("ada")["key"], answers["ada"]["result"]["key"])

    def test_say_what_is_no_request(self):
        answers = self.stream([{"id": 1, "text": KERNEL}, {"id": 2, "files": {}}, {"id": 3, "files": {"scale.cu": 1}},
                               {"id": 4, "files": {"other.cu": ""}}, {"id": 5, "text": "", "files": {"a": ""}}],
                              code=2)
        for number, words in ((1, "needs `files`"), (2, "an object of texts"), (3, "`scale.cu` in `files` is no text"),
                              (4, "neither a file of the assignment (scale.cu, shift.cu) nor a header"),
                              (5, "not both")):
            self.assertIn(words, answers[number]["error"])

    def test_of_one_file_may_have_headers(self):
        answers = self.stream([{"id": "ada", "files": {"mine.cu": WITH_UTIL, "util.cuh": UTIL}},
                               {"id": "bob", "files": {"util.cuh": UTIL}}], assignment="hw1.yaml")
        self.assertEqual(answers["ada"]["result"]["points"], 6)
        self.assertEqual(answers["bob"]["result"]["state"], "refused")


class Mistakes(SeveralTest):
    def test_schemas_take_what_the_program_takes(self):
        for text, fits in ((TWO, True), (ONE, True), (ASSIGNMENT, True),
                           (TWO.replace("suites:\n", "suite: suites/scale.yaml\nsuites:\n", 1), False),
                           (TWO.replace("file: shift.cu}", "name: shift.cu}"), False),
                           (ASSIGNMENT.replace("suite: ", "about: "), False),
                           (ASSIGNMENT + "submission: {own_headers: 0}\n", True),
                           (ASSIGNMENT + "submission: {own_headers: -1}\n", False)):
            self.check_assignment_schema(text, fits)
            self.write("a.yaml", text)
            done = self.start("grade", "--lint", "a.yaml", "--device", "cpu", "--no-sandbox")
            self.assertEqual(done.returncode, 0 if fits else 2, done.stderr)

    def refused(self, text):
        self.write("hw2.yaml", text)
        _, errors = self.run_program("grade", "--lint", "hw2.yaml", "--device", "cpu", code=2)
        return errors

    def test_of_the_file_are_said(self):
        for old, new, words in (
                ("suite: suites/shift.yaml, points: 3", "points: 3", "does not say of which suite it is"),
                ("suites:\n", "suite: suites/scale.yaml\nsuites:\n", "`suite` and `suites` are both here"),
                ("file: shift.cu}", "file: Scale.cu}", "differ in upper and lower case"),
                ("file: shift.cu}", "name: shift.cu}", "known: suite, file, template"),
                ("file: shift.cu}", "file: ../shift.cu}", "is no name for a submitted file"),
                ("points: 10\n", "points: 10\nsubmission: {file: all.cu}\n", "has a name here, and in"),
                ("points: 10\n", "points: 10\ntemplate: suites/scale.cu\n", "`template` is for an assignment of one"),
                ("- {suite: suites/shift.yaml, file: shift.cu}", "- suites/scale.yaml", "is here a second time"),
                ("- {suite: suites/shift.yaml, file: shift.cu}", "- {file: a.cu}", "needs `suite`"),
                ("  - {suite: suites/shift.yaml, file: shift.cu}\n", "", "`suites/shift.yaml` is not in `suites`")):
            self.assertIn(words, self.refused(TWO.replace(old, new, 1)), new)
        unused = TWO[:TWO.index("  - {name: shifted,")] + "fixed: [f]\n"
        self.assertIn("no case is of the suite `shift`", self.refused(unused.replace("points: 10\n", "")))


if __name__ == "__main__":
    unittest.main()
