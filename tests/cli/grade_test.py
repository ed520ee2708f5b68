# `warpmark grade` and `warpmark try`: from files of students to points, whatever happens meanwhile.
import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from program import PROGRAM, CheckTest

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
SLOW = KERNEL.replace("if (i < n)", "float zero = 0; for (int k = 0; k < 4000000; ++k) "
                      "zero = zero * f; if (i < n)").replace("src[i];", "src[i] + zero;")
WRONG = KERNEL.replace("f *", "2 *")
NO_BOUND = KERNEL.replace("if (i < n)", "")


class GradeTest(CheckTest):
    SHARES_KERNELS = True

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
                "--without-walls", *more]

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
        # By file names and paths of their own.
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
        self.write("hw1.yaml", ASSIGNMENT.replace("points: 4", "points: 5"))
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
        self.grade()
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
        # That a reference raises shows when it is needed; nobody loses a point of it.
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
        self.assertIn("nobody was graded", errors)
        self.assertIn("--without-lint", errors)
        self.assertFalse((self.folder / "out/staff/ada").exists())
        self.grade("--without-lint")
        self.assertEqual(self.result("ada")["points"], 6)
        # What was found good is not looked at again.
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
        # What is written to this device meets a disk without room.
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
    """A student who computes nothing, and hands in again what the failures before have told."""
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
        """Tells an input by two of its elements; of one that it does not know it gives these."""
        known = "".join("  if (key == %sf) { out[0] = %sf; return; }\n" % entry
                        for entry in sorted(table.items()))
        return self.SUM % ("  float key = x[0] * 1000.0f + x[1];\n" + known + "  out[0] = key;\n")

    def hand_in_and_read(self, text):
        self.write("class/eve/total.cu", text)
        self.run_program("grade", "hw2.yaml", "class", "-o", "out", "--secret", "secret",
                         "--device", "cpu", "--without-walls")
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
                         "--device", "cpu", "--without-walls", "--regrade")
        self.assertEqual(self.result("eve")["cases"][0]["items"][0]["explanation"],
                         item["explanation"])
        command = item["reproduce"].replace(" total.cu ", " class/eve/total.cu ").split()
        out, _ = self.run_program(*command[1:], "--device", "cpu", code=1)
        self.assertIn(item["explanation"].split(".")[0], " ".join(out.split()))
        self.assertEqual(self.hand_in_and_read(self.RIGHT)["points"], 10)


class Interruptions(GradeTest):
    def begin(self, *more, out="out"):
        return subprocess.Popen([PROGRAM, *self.arguments(*more, out=out)], cwd=self.folder,
                                env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def children(self, process):
        """The processes that grade for it."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                status = (entry / "stat").read_text()
                name = (entry / "cmdline").read_bytes()
            except (OSError, UnicodeDecodeError):
                continue
            parent = int(status.rsplit(")", 1)[1].split()[1])
            if parent == process.pid and b"grade-worker" in name:
                found.append(int(entry.name))
        return found

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)

    def test_sigkill_at_any_moment_loses_nothing(self):
        students = ["s%d" % i for i in range(8)]
        self.hand_in(**{name: KERNEL + "// %s\n" % name for name in students})
        self.write("class/bad.cu", "")
        self.grade("--jobs", "2", out="whole")
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        graded = {}
        for _ in range(6):
            process = self.begin("--jobs", "2")
            time.sleep(chance.uniform(0, 0.9))
            process.kill()
            process.communicate()
            if not (self.folder / "out/students").exists():
                continue
            for name, one in self.results().items():
                if one["state"] != "grader_error":
                    date = (one["context"]["date"], one["seconds"])
                    self.assertEqual(graded.setdefault(name, date), date,
                                     "graded twice, seed %d" % seed)
                else:
                    self.assertNotIn(name, graded, "lost, seed %d" % seed)
        out, _ = self.grade("--jobs", "2")
        self.assertIn("%d known from before" % len(graded), out, "seed %d" % seed)
        self.assertEqual(self.steady(), self.steady("whole"), "seed %d" % seed)

    def test_every_student_has_a_result_before_the_first_is_graded(self):
        self.hand_in(ada=SLOW, bob=SLOW)
        process = self.begin("--jobs", "1")
        self.wait_for(lambda: (self.folder / "out/staff/bob/result.json").exists())
        process.kill()
        process.communicate()
        result = self.result("bob")
        self.assertEqual((result["state"], result["staff"]), ("grader_error", "not finished"))
        scores = json.loads((self.folder / "out/students/bob/results.json").read_text())
        self.assertNotIn("score", scores)

    def test_ctrl_c(self):
        self.interrupted_by(signal.SIGINT)

    def test_sigterm(self):
        self.interrupted_by(signal.SIGTERM)

    def interrupted_by(self, sign):
        self.hand_in(ada=KERNEL, bob=SLOW)
        process = self.begin("--jobs", "1")
        self.wait_for(lambda: self.folder.joinpath("out/staff/ada/result.json").exists()
                      and self.result("ada")["state"] == "graded")
        process.send_signal(sign)
        _, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 128 + sign, errors)
        self.assertIn(b"the same command goes on", errors)
        self.assertEqual(self.result("bob")["state"], "grader_error")
        rows = self.rows()
        self.assertEqual([row["points"] for row in rows], ["6", ""])
        self.assertEqual(self.children(process), [])

    def test_a_process_that_dies_costs_one_submission(self):
        self.hand_in(ada=KERNEL, bob=SLOW, cem=KERNEL)
        process = self.begin("--jobs", "1")
        self.wait_for(lambda: self.folder.joinpath("out/staff/ada/result.json").exists()
                      and self.result("ada")["state"] == "graded")
        time.sleep(0.2)  # the next one is under way
        for child in self.children(process):
            os.kill(child, signal.SIGABRT)  # sanitizers handle SIGSEGV themselves
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, errors)
        self.assertIn(b"1 submission could not be graded, through no fault", errors)
        self.assertIn("was ended by signal 6", self.result("bob")["staff"])
        self.assertEqual(self.result("cem")["points"], 6)
        self.hand_in(bob=KERNEL)
        self.assertIn("1 graded now, 2 known", self.grade()[0])

    def test_a_grade_outlives_a_failure_of_the_grader(self):
        self.hand_in(ada=KERNEL)
        self.grade()
        before = self.result("ada")
        self.hand_in(ada=SLOW)
        for _ in range(2):  # the note of the first failure makes way for the second's
            process = self.begin()
            self.wait_for(lambda: self.children(process))
            time.sleep(0.8)
            self.assertEqual(self.result("ada")["points"], 6)
            for child in self.children(process):
                os.kill(child, signal.SIGKILL)
            process.communicate(timeout=60)
            self.assertIn(process.returncode, (3, 4))
        after = self.result("ada")
        self.assertEqual((after["state"], after["points"]), ("graded", 6))
        self.assertEqual(after["submission_sha256"], before["submission_sha256"])
        if process.returncode == 4:
            self.assertEqual(after["staff"].count("grading again failed"), 1)
            self.assertIn("has no grade yet", after["staff"])

    def test_two_at_once_in_one_folder(self):
        self.hand_in(ada=SLOW)
        process = self.begin()
        self.wait_for(lambda: (self.folder / "out/staff/ada/result.json").exists())
        self.assertIn("another process grades into out", self.grade(code=3)[1])
        process.kill()
        process.communicate()


class Try(GradeTest):
    def try_out(self, *arguments, code=0):
        return self.run_program("try", "hw1.yaml", *arguments, "--device", "cpu", code=code)

    def test_shows_visible_cases_alone(self):
        self.write("my.cu", KERNEL)
        out, _ = self.try_out("my.cu")
        self.assertIn("2 of 2 points", out)
        self.assertNotIn("odd", out)
        self.write("my.cu", KERNEL.replace("i < n", "i < n / 4 * 4"))
        self.try_out("my.cu")
        out, _ = self.try_out("my.cu", "--hidden", code=1)
        self.assertIn("257", out)

    def test_explains_and_repeats_what_failed(self):
        self.write("my.cu", NO_BOUND)
        out, _ = self.try_out("my.cu", code=1)
        self.assertIn("if (i < n)", out)
        command = next(line for line in out.splitlines() if "warpmark try" in line)
        words = command.split("warpmark try ")[1].split()
        self.assertEqual(words[0], "hw1.yaml")
        again, _ = self.run_program("try", *words, "--device", "cpu", code=1)
        self.assertIn("if (i < n)", again)

    def test_repeats_a_failure_of_the_grade(self):
        self.hand_in(cem=WRONG)
        self.grade()
        item = self.result("cem")["cases"][0]["items"][0]
        words = item["reproduce"].split()
        self.assertEqual(words[:4], ["warpmark", "try", "hw1.yaml", "scale.cu"])
        self.write("scale.cu", WRONG)
        out, _ = self.run_program(*words[1:], "--device", "cpu", "--json", code=1)
        again = json.loads(out)["cases"][0]["items"][0]
        self.assertEqual(again["detail"], item["detail"])
        # Those of a hidden case are for staff.
        hidden = self.result("cem")["cases"][1]["items"][0]
        out, _ = self.run_program(*hidden["reproduce"].split()[1:], "--device", "cpu", "--json",
                                  code=1)
        self.assertEqual(json.loads(out)["cases"][0]["items"][0]["detail"], hidden["detail"])

    def test_mistakes(self):
        self.assertIn("there is no file my.cu", self.try_out("my.cu", code=2)[1])
        self.write("my.cu", "")
        self.assertIn("is empty", self.try_out("my.cu", code=1)[0])
        self.write("my.cu", KERNEL)
        errors = self.try_out("my.cu", "--case", "smal", code=2)[1]
        self.assertIn("did you mean `small`?", errors)
        self.assertIn("no visible case `odd`", self.try_out("my.cu", "--case", "odd", code=2)[1])
        self.assertIn("--seed needs --case", self.try_out("my.cu", "--seed", "1", code=2)[1])
        self.assertIn("from 0 to 2**64", self.try_out("my.cu", "--case", "small", "--seed", "-4",
                                                      code=2)[1])
        self.write("my.cu", "int main() {}")
        self.assertIn("main", self.try_out("my.cu", code=1)[0])


if __name__ == "__main__":
    unittest.main()
