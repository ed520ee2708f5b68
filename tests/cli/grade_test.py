# `warpmark grade`: from files of students to points, again and with mistakes of everybody.
import json
import os
import re
import shutil
import unittest

from assignment import ASSIGNMENT, KERNEL, NO_BOUND, SUITE, WRONG, GradeTest
from program import PROGRAM


class AClass(GradeTest):
    def test_is_graded(self):
        self.hand_in(ada=KERNEL, bob=NO_BOUND, cem=WRONG,
                     dee=KERNEL.replace("i < n", "i < n / 4 * 4"), eva="int main() {}")
        out, errors = self.grade()
        self.assertEqual(errors, "")
        self.assertIn("5 submissions on Warpmark CPU device", out)
        self.assertIn("5 graded now, 0 known from before; files in out", out)
        points = {name: one["points"] for name, one in self.results().items()}
        self.assertEqual(points, {"ada": 6, "bob": 0, "cem": 0, "dee": 4, "eva": 0})
        self.assertEqual(self.words("bob"), ["memory error"] * 3)
        self.assertEqual(self.words("cem"), ["wrong"] * 3)
        self.assertEqual(self.words("dee"), ["pass", "pass", "wrong"])
        self.assertEqual(self.result("eva")["state"], "compile_error")
        files = sorted(path.name for path in (self.folder / "out/students/ada").iterdir())
        self.assertEqual(files, ["report.html", "results.json", "student.json"])
        files = sorted(path.name for path in (self.folder / "out/staff/ada").iterdir())
        self.assertEqual(files, ["junit.xml", "result.json"])
        for name in ("grades.csv", "report.html", "junit.xml"):
            self.assertGreater((self.folder / "out" / name).stat().st_size, 100)
        rows = self.rows()
        self.assertEqual([row["student"] for row in rows], ["ada", "bob", "cem", "dee", "eva"])

    def test_students_learn_nothing_of_hidden_cases(self):
        self.hand_in(dee=KERNEL.replace("i < n", "i < n / 4 * 4"))
        self.grade()
        folder = self.folder / "out/students/dee"
        for file in folder.iterdir():
            text = file.read_text()
            self.assertIn("any n", text)  # the lecturer's hint
            self.assertNotIn("n=257", text, file.name)
        self.assertIn("n=257", (self.folder / "out/staff/dee/result.json").read_text())

    def test_is_graded_the_same_again_and_by_any_number_of_processes(self):
        self.hand_in(bob=NO_BOUND, dee="int x = y;",
                     eva=KERNEL.replace("i < n", "i < n / 4 * 4"))
        self.grade("--jobs", "1")
        first = self.steady()
        self.grade("--jobs", "3", "--regrade")
        self.assertEqual(self.steady(), first)
        # Submissions are given one by one, under other paths.
        shutil.move(self.folder / "class", self.folder / "moved")
        self.grade(out="third", paths=sorted((self.folder / "moved").iterdir()))
        self.assertEqual(self.steady("third"), first)

    def test_another_secret_makes_other_inputs(self):
        self.hand_in(cem=WRONG)
        self.grade()
        first = self.result("cem")["cases"][0]["items"][0]["detail"]
        self.write("secret", "fedcba9876543210")
        out, _ = self.grade()
        self.assertIn("1 graded now", out)
        self.assertNotEqual(self.result("cem")["cases"][0]["items"][0]["detail"], first)
        self.assertNotIn("fedcba", (self.folder / "out/staff/cem/result.json").read_text())

    def test_the_secret_may_come_from_a_descriptor(self):
        self.REAL_STARTS = True
        self.hand_in(cem=WRONG)
        self.grade()
        first = self.steady()
        reader, writer = os.pipe()
        os.write(writer, b"0123456789abcdef")
        os.close(writer)
        arguments = self.arguments("--regrade", "--secret-fd", str(reader))
        del arguments[arguments.index("--secret"):arguments.index("--secret") + 2]
        self.run_program(*arguments, pass_fds=[reader])
        os.close(reader)
        self.assertEqual(self.steady(), first)


class Reuse(GradeTest):
    def stamps(self):
        return {name: os.stat(self.folder / "out/staff" / name / "result.json").st_mtime_ns
                for name in os.listdir(self.folder / "out/students")}

    def test_nothing_is_graded_twice(self):
        self.hand_in(ada=KERNEL, bob=WRONG)
        self.write("class/eva.cu", "")
        self.grade()
        before = self.stamps()
        out, _ = self.grade()
        self.assertIn("0 graded now, 3 known from before", out)
        self.assertEqual(self.stamps(), before)

    def test_what_changed_is_graded_again(self):
        self.hand_in(ada=KERNEL, bob=WRONG)
        self.grade()
        self.hand_in(bob=KERNEL)
        self.assertIn("1 graded now, 1 known from before", self.grade()[0])
        self.assertEqual(self.result("bob")["points"], 6)
        self.write("hw1.yaml", ASSIGNMENT.replace("n: [32]", "n: [33]"))
        self.assertIn("2 graded now", self.grade()[0])
        self.write("suites/scale.yaml", SUITE.replace("f * src", "f * src + 1"))
        self.assertIn("2 graded now", self.grade()[0])
        self.assertEqual(self.result("bob")["points"], 0)

    def test_one_student_can_be_graded_alone(self):
        self.hand_in(ada=KERNEL, bob=WRONG)
        self.grade()
        self.hand_in(bob=KERNEL)
        self.grade(paths=["class/bob"])
        rows = self.rows()
        self.assertEqual([row["student"] for row in rows], ["ada", "bob"])

    def test_a_damaged_result_is_graded_again(self):
        self.hand_in(ada=KERNEL)
        self.grade()
        self.write("out/staff/ada/result.json", '{"student": "ada"')
        self.assertIn("1 graded now", self.grade()[0])
        self.assertEqual(self.result("ada")["points"], 6)

    def test_the_folder_of_another_assignment_is_refused(self):
        self.hand_in(ada=KERNEL)
        self.grade()
        self.write("hw1.yaml", ASSIGNMENT.replace("hw1", "hw2"))
        self.assertIn("has grades of the assignment `hw1`, and this one is `hw2`",
                      self.grade(code=2)[1])


class WhatStudentsHandIn(GradeTest):
    def refusal(self, student):
        result = self.result(student)
        self.assertEqual((result["state"], result["points"]), ("refused", 0), result)
        return result["message"]

    def test_files_that_are_no_kernel(self):
        self.write("class/empty.cu", "")
        (self.folder / "class/binary.cu").write_bytes(PROGRAM.read_bytes()[:5000])
        self.write("class/large.cu", "//" + "x" * (10 << 20))
        self.write("class/other/report.pdf", "%PDF")
        self.write("class/two/a.cu", KERNEL)
        self.write("class/two/b.cu", KERNEL)
        (self.folder / "class/none").mkdir()
        self.write("class/wrongname/my kernel.cu", KERNEL)
        self.write("class/nokernel.cu", "__device__ int f() { return 1; }")
        self.write("class/signature.cu", KERNEL.replace("float f, int n", "int n, float f"))
        self.write("class/crlf.cu", "\ufeff" + KERNEL.replace("\n", "\r\n"))
        self.write("class/notes.txt", "late: eva")
        out, errors = self.grade()
        self.assertIn("warning: left out: class/notes.txt is no .cu file", errors)
        self.assertIn("is empty", self.refusal("empty"))
        self.assertIn("is no text", self.refusal("binary"))
        self.assertIn("has 10 MiB, and no more than 64 KiB", self.refusal("large"))
        self.assertIn("no file `scale.cu`, only `report.pdf`", self.refusal("other"))
        self.assertIn("There are 2 files", self.refusal("two"))
        self.assertIn("Nothing was handed in", self.refusal("none"))
        self.assertEqual(self.result("wrongname")["points"], 6)
        self.assertIn("`my kernel.cu` was taken", self.result("wrongname")["staff"])
        self.assertEqual(self.result("crlf")["points"], 6)
        for student in ("nokernel", "signature"):
            self.assertEqual(self.result(student)["state"], "compile_error")
            self.assertEqual(self.words(student), ["not launched"] * 3)

    def test_links_are_not_followed(self):
        self.hand_in(ada=KERNEL)
        (self.folder / "class/bob").symlink_to("ada")
        (self.folder / "class/cem.cu").symlink_to("ada/scale.cu")
        (self.folder / "class/dee").mkdir()
        (self.folder / "class/dee/scale.cu").symlink_to("/etc/passwd")
        os.mkfifo(self.folder / "class/eva.cu")
        self.grade()
        for student in ("bob", "cem", "dee"):
            self.assertIn("symbolic link", self.refusal(student))
        self.assertIn("is no file", self.refusal("eva"))
        self.assertNotIn("root:", (self.folder / "out/staff/dee/result.json").read_text())

    def test_names_of_every_kind(self):
        names = ["李雷 العربية 😀", "Zoë \"Z\" O'Hara", "a\nb", "-rf", "$(touch x)", "100%",
                 "<b>;&|", "::error::x", "=1+1", " " + "x" * 200]
        self.write("hw1.yaml", ASSIGNMENT + "trials: 1\n")
        for name in names:
            (self.folder / "class" / name).mkdir(parents=True)
            (self.folder / "class" / name / "scale.cu").write_text(KERNEL)
        odd = os.fsencode(self.folder / "class") + b"/na\xefve"
        os.mkdir(odd)
        (self.folder / "class" / "scale.cu").write_text(KERNEL)
        os.rename(self.folder / "class" / "scale.cu", odd + b"/scale.cu")
        self.environment["GITHUB_ACTIONS"] = "true"
        out, _ = self.grade()
        self.assertNotRegex(out, r"(?m)^::")
        results = self.results()
        self.assertEqual(set(results), set(names) - {"a\nb"} | {"na\\xEFve", "a\\u{A}b"})
        self.assertEqual({one["points"] for one in results.values()}, {6})
        self.assertFalse((self.folder / "x").exists())
        self.assertEqual(len(self.rows()), len(names) + 1)
        self.assertIn("0 graded now", self.grade()[0])  # and each is found again

    def test_a_path_named_twice_is_one_submission(self):
        self.hand_in(ada=KERNEL)
        self.grade(paths=["class", "class/ada", "./class/ada/scale.cu"])
        self.assertEqual(self.result("ada")["points"], 6)

    def test_a_name_twice_counts_for_neither(self):
        self.hand_in(ada=KERNEL)
        self.write("class/ada.cu", WRONG)
        _, errors = self.grade(code=5)
        self.assertIn("`ada` handed in 2 times, and none of these counts", errors)
        self.assertIn("2 submissions bear your name", self.refusal("ada"))


class Mistakes(GradeTest):
    def mistake(self, *arguments, code=2):
        return self.refused("grade", *arguments, code=code)

    def test_of_the_command_line(self):
        self.hand_in(ada=KERNEL)
        base = ["hw1.yaml", "class", "-o", "out", "--device", "cpu"]
        self.assertIn("needs the course's secret", self.mistake(*base))
        self.assertIn("No such file", self.mistake(*base, "--secret", "none"))
        self.write("short", "12345")
        self.assertIn("has 5 bytes, and needs 16", self.mistake(*base, "--secret", "short"))
        self.write("open", "0123456789abcdef").chmod(0o644)
        self.assertIn("chmod 600", self.run_program("grade", *base, "--secret", "open")[1])
        self.assertIn("-o OUT", self.mistake("hw1.yaml", "class", "--secret", "secret"))
        self.assertIn("which submissions", self.mistake("hw1.yaml", "-o", "x", "--secret", "secret"))
        self.assertIn("there is no nobody", self.mistake("hw1.yaml", "nobody", "-o", "x",
                                                         "--secret", "secret"))
        (self.folder / "nobody").mkdir()
        self.assertIn("there is no submission", self.mistake("hw1.yaml", "nobody", "-o", "x",
                                                             "--secret", "secret"))
        self.assertIn("none.yaml", self.mistake("none.yaml", "class", "-o", "x", "--secret",
                                                "secret"))
        self.assertIn("lies among the submissions",
                      self.mistake("hw1.yaml", "class", "-o", "class/out", "--secret", "secret"))
        for jobs in ("0", "-1", "2000", "two"):
            errors = self.mistake(*base, "--secret", "secret", "--jobs", jobs)
            self.assertIn("--jobs", errors)
            self.assertLess(len(errors), 200)

    def test_of_the_course(self):
        self.hand_in(ada=KERNEL)
        self.write("suites/scale.cu", "not C++")
        self.write("suites/scale.yaml", SUITE.replace(", dtype: float32", ""))
        self.assertIn("suite's own kernel", self.grade("--without-lint", code=2)[1])
        self.assertIn("does not compile", self.grade(code=2)[1])
        self.write("suites/scale.cu", KERNEL)
        # A reference that raises is noticed when it is needed; no student loses a point by it.
        self.write("suites/scale.yaml", SUITE.replace("f * src", "'f * src[:n // (n - 100)]'"))
        self.assertIn("ZeroDivisionError", self.grade(code=2)[1])
        self.assertFalse((self.folder / "out/staff/ada").exists())
        _, errors = self.grade("--without-lint", code=4)
        self.assertIn("ada: not graded: scale.n=", errors)
        result = self.result("ada")
        self.assertEqual(result["state"], "grader_error")
        self.assertIn("no fault of yours", result["message"])
        self.assertIn("ZeroDivisionError", result["staff"])
        self.assertNotIn("ZeroDivisionError",
                         (self.folder / "out/students/ada/student.json").read_text())

    def test_an_assignment_that_lint_refuses(self):
        self.hand_in(ada=KERNEL)
        self.write("hw1.yaml", ASSIGNMENT.replace("fixed: [f]\n", ""))
        out, errors = self.grade(code=2)
        self.assertIn("hw1.yaml:1:1: error: `f` is 3 in every case and trial", errors)
        self.assertIn("nothing was graded", errors)
        self.assertIn("--without-lint", errors)
        self.assertFalse((self.folder / "out/staff/ada").exists())
        self.grade("--without-lint")
        self.assertEqual(self.result("ada")["points"], 6)
        # An assignment that was found good is not checked again.
        self.write("hw1.yaml", ASSIGNMENT)
        self.grade()
        self.assertIn("1 known from before", self.grade()[0])

    def test_of_the_assignment_are_found_by_lint(self):
        self.write("good.cu", KERNEL)
        self.write("bad.cu", WRONG)
        tests = "self_test: {must_pass: [%s], must_fail: [%s]}\n"
        self.write("hw1.yaml", ASSIGNMENT + tests % ("good.cu", "bad.cu"))
        out, errors = self.run_program("grade", "--lint", "hw1.yaml", "--device", "cpu")
        self.assertIn("6 points in 2 cases, 3 items", out + errors)
        self.write("hw1.yaml", ASSIGNMENT + tests % ("bad.cu", "good.cu"))
        _, errors = self.run_program("grade", "--lint", "hw1.yaml", "--device", "cpu", code=2)
        self.assertEqual(errors.count("error: "), 2, errors)
        self.assertRegex(errors, r"hw1\.yaml:\d+:\d+: error: ")
        self.assertIn("takes no submissions", self.mistake("--lint", "hw1.yaml", "class"))

    def test_of_the_machine(self):
        self.hand_in(ada=KERNEL)
        self.hide_gpu()
        arguments = self.arguments()
        arguments[arguments.index("cpu")] = "gpu"
        self.run_program(*arguments, code=3)
        self.write("file", "")
        self.assertIn("cannot make the folder", self.grade(out="file", code=3)[1])

    def test_a_full_disk(self):
        self.hand_in(ada=KERNEL, bob=KERNEL)
        self.grade()
        # Writing to /dev/full fails as on a full disk.
        (self.folder / "out/grades.csv").unlink()
        (self.folder / "out/grades.csv").symlink_to("/dev/full")
        self.assertIn("No space left on device", self.grade(code=3)[1])
        (self.folder / "out/students/bob/student.json").unlink()
        (self.folder / "out/students/bob/student.json").symlink_to("/dev/full")
        before = self.steady()
        self.assertIn("No space left on device", self.grade("--regrade", code=3)[1])
        self.assertEqual(self.steady(), before)
        for name in ("out/grades.csv", "out/students/bob/student.json"):
            (self.folder / name).unlink()
        self.grade("--regrade")
        self.assertEqual(self.steady(), before)


class GrowingTable(GradeTest):
    """A student who computes nothing, and hands in the values that earlier failures have shown."""
    SUITE = """warpmark: 1
kernel: {file: total.cu, entry: total}
axes: {n: [32, 64]}
arguments:
  out: {out: 1, dtype: float32}
  x: {in: "rng.integers(-99, 100, n)", dtype: float32}
  n: {scalar: n, dtype: int32}
launch: {block: 32}
reference: {out: np.sum(x)}
"""
    ASSIGNMENT = """warpmark: 1
assignment: hw2
title: A sum
suite: suites/total.yaml
cases:
  - {name: one warp, points: 4, axes: {n: [32]}}
  - {name: two warps, points: 4, axes: {n: [64]}}
  - {name: hidden, points: 2, axes: {n: [50]}, visibility: hidden, hint: any n}
"""
    SUM = """extern "C" __global__ void total(float *out, const float *x, int n) {
  if (threadIdx.x != 0) return;
%s}
"""
    RIGHT = SUM % "  float sum = 0;\n  for (int i = 0; i < n; ++i) sum += x[i];\n  out[0] = sum;\n"

    def setUp(self):
        super().setUp()
        self.write("suites/total.yaml", self.SUITE)
        self.write("suites/total.cu", self.RIGHT)
        self.write("hw2.yaml", self.ASSIGNMENT)

    def submission(self, table):
        """Recognises an input by two of its elements; returns these for one that it does not know."""
        known = "".join("  if (key == %sf) { out[0] = %sf; return; }\n" % entry
                        for entry in sorted(table.items()))
        return self.SUM % ("  float key = x[0] * 1000.0f + x[1];\n" + known + "  out[0] = key;\n")

    def hand_in_and_read(self, text):
        self.write("class/eve/total.cu", text)
        self.run_program("grade", "hw2.yaml", "class", "-o", "out", "--secret", "secret",
                         "--device", "cpu", "--no-sandbox")
        return json.loads((self.folder / "out/students/eve/student.json").read_text())

    def test_earns_nothing(self):
        table = {}
        for attempt in range(6):
            text = self.submission(table)
            seen = self.hand_in_and_read(text)
            self.assertEqual(seen["points"], 0, "hand-in %d\n%s" % (attempt + 1, text))
            for case in seen["cases"][:2]:
                said = case["items"][0]["explanation"]
                key, total = re.search(r"`out\[0\]` is (\S+), but (\S+) was", said).groups()
                for number in (key, total):
                    self.assertEqual(float(number), int(float(number)))
                table["%.1f" % float(key)] = "%.1f" % float(total)
        # The table did get past all trials but the one that belongs to the file.
        self.assertEqual([item["trial"] for case in self.result("eve")["cases"][:2]
                          for item in case["items"]], [2, 2])
        # The same file has the same inputs, in a regrade and where its author repeats a failure.
        item = self.result("eve")["cases"][0]["items"][0]
        self.run_program("grade", "hw2.yaml", "class", "-o", "out", "--secret", "secret",
                         "--device", "cpu", "--no-sandbox", "--regrade")
        self.assertEqual(self.result("eve")["cases"][0]["items"][0]["explanation"],
                         item["explanation"])
        command = item["reproduce"].replace(" total.cu ", " class/eve/total.cu ").split()
        out, _ = self.run_program(*command[1:], "--device", "cpu", code=1)
        self.assertIn(item["explanation"].split(".")[0], " ".join(out.split()))
        self.assertEqual(self.hand_in_and_read(self.RIGHT)["points"], 10)


class Variables(GradeTest):
    """Variables of the module, which the grader sets: a submission's must be what the suite's are."""
    LOOK = """__constant__ float table[16];
__device__ int hits;
extern "C" __global__ void look(const int *i, float *y, int n) {
  if (threadIdx.x < n) { y[threadIdx.x] = table[i[threadIdx.x]]; atomicAdd(&hits, 1); }
}
"""
    LOOKS = """warpmark: 1
kernel: {file: look.cu, entry: look}
axes: {n: [32, 100]}
arguments:
  i: {in: "rng.integers(0, 16, n)", dtype: int32}
  y: {out: n}
  n: {scalar: n}
constants: {table: np.arange(16) / 4}
globals: {hits: {inout: 5}}
launch: {block: 128}
reference: {y: "table[i]", hits: hits + n}
"""
    ALL = """warpmark: 1
assignment: hw3
title: A table
suite: suites/look.yaml
cases:
  - {name: all, points: 4, axes: {n: [32, 100]}%s}
limits: {instructions: 4e9, timeout_s: 60}
"""

    def graded(self, cases="", **changes):
        """The messages to students, of the suite's kernel with replacements."""
        self.write("suites/look.yaml", self.LOOKS)
        self.write("suites/look.cu", self.LOOK)
        self.write("hw3.yaml", self.ALL % cases)
        for student, (old, new) in changes.items():
            self.assertIn(old, self.LOOK)
            self.write("class/%s/look.cu" % student, self.LOOK.replace(old, new))
        self.run_program("grade", "hw3.yaml", "class", "-o", "out", "--secret", "secret", "--device", "cpu",
                         "--no-sandbox")
        return {name: (one["state"], one["message"]) for name, one in self.results().items()}

    def test_that_do_not_fit_are_the_submissions_own(self):
        missing = "The file has no variable `%s` that the grader can set. Declare it outside of the kernel, with `%s` and the type `%s`."
        said = self.graded(
            ada=("[16]", "[17]"), bob=("[16]", "[8]"), cem=("float table[16]", "float table[1]"), dee=("table", "tabel"),
            eva=("hits", "hit"), fay=("float table", "double table"))
        self.assertEqual(said, {
            "ada": ("graded", ""),
            "bob": ("compile_error", "`table` has 8 elements, the assignment needs 16."),
            "cem": ("compile_error", "`table` has 1 element, the assignment needs 16."),
            "dee": ("compile_error", missing % ("table", "__constant__", "float")),
            "eva": ("compile_error", missing % ("hits", "__device__", "int")),
            "fay": ("compile_error", "The variable `table` outside of the kernel has the type `double [16]`, the assignment "
                                     "needs `float`.")})
        self.assertEqual({name: one["points"] for name, one in self.results().items() if one["points"]}, {"ada": 4})
        item = self.result("bob")["cases"][0]["items"][0]
        self.assertEqual(item["word"], "not launched")
        self.assertIn("the variable `table` has 8 elements, and the suite gives 16", item["detail"])

    def test_say_no_size_of_a_hidden_case(self):
        said = self.graded(", visibility: hidden, hint: any n", bob=("[16]", "[8]"))
        state, message = said["bob"]
        self.assertEqual(state, "compile_error")
        self.assertIn("could not be launched for a hidden case", message)
        self.assertNotIn("16", message)


if __name__ == "__main__":
    unittest.main()
