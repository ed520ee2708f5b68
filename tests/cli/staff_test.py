# Files for the staff of a class: grade books, feedback for mails, receipts.
import csv
import hashlib
import html
import json
import re
import unittest

from assignment import ASSIGNMENT, KERNEL, NO_BOUND, WRONG, GradeTest

ROSTER = ("Student,ID,SIS User ID,SIS Login ID,Section,Email,Scaling (4711)\n"
          "    Points Possible,,,,,,6\n"
          '"Lovelace, Ada",11,u11,ada,CUDA 1,ada@example.edu,\n'
          "Боб Ё,12,u12,bob,CUDA 1,bob@example.edu,\n"
          "=cmd()|'x',13,-13,cem,@SUM(A1),+cem@example.edu,\n"
          "李小龙,,,,CUDA 2,,\n"
          "Eva,15,u15,eva,,eva@example.edu,\n")


class StaffTest(GradeTest):
    def table(self, path):
        with (self.folder / path).open(newline="", encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("\n"), text.count("\r\n"), path)
        for separator in ",;\t":
            for row in csv.reader(text.splitlines(keepends=True), delimiter=separator):
                for cell in row:
                    self.assertNotRegex(cell, r"^[\s\"]*[=+\-@\uff1d\uff0b\uff0d\uff20]", (path, separator))
        return list(csv.reader(text.splitlines(keepends=True), strict=True))


class GradeBooks(StaffTest):
    def setUp(self):
        super().setUp()
        self.write("roster.csv", ROSTER)

    def test_canvas_imports_the_grades(self):
        self.hand_in(ada=KERNEL, bob=WRONG, cem=KERNEL, zoe=KERNEL, **{"李小龙": KERNEL})
        _, errors = self.grade("--roster", "roster.csv", "--canvas", "canvas.csv", code=5)
        self.assertEqual(self.table("canvas.csv"), [
            ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Scaling (4711)"],
            ["Points Possible", "", "", "", "", "6"],
            ["Lovelace, Ada", "11", "u11", "ada", "CUDA 1", "6"],
            ["Боб Ё", "12", "u12", "bob", "CUDA 1", "0"],
            # No id is changed: what a spreadsheet would evaluate is left out.
            ["'=cmd()|'x'", "13", "", "cem", "", "6"]])
        self.assertIn("warning: canvas.csv: `zoe` is not in the roster\n", errors)
        self.assertIn("warning: canvas.csv: `李小龙` has no id in the roster that Canvas could know", errors)
        self.assertNotIn("Eva` is", errors)

    def test_canvas_creates_a_column_that_it_does_not_have(self):
        self.write("roster.csv", "student,id\nada,11\n")
        self.hand_in(ada=NO_BOUND)
        self.grade("--roster", "roster.csv", "--canvas", "canvas.csv")
        self.assertEqual([row[-1] for row in self.table("canvas.csv")], ["Scaling", "6", "0"])

    def test_moodle_imports_grades_and_feedback(self):
        self.hand_in(ada=KERNEL, bob=KERNEL.replace("i < n", "i <= n"))
        self.write("class/cem/scale.cu", "int <b>x</b> = @;")
        self.grade("--roster", "roster.csv", "--moodle", "moodle.csv", code=5)
        table = self.table("moodle.csv")
        self.assertEqual(table[0], ["Email address", "ID number", "Full name", "Grade", "Maximum grade",
                                    "Feedback comments"])
        self.assertEqual([row[:5] for row in table[1:]], [
            ["ada@example.edu", "11", "Lovelace, Ada", "6", "6"],
            ["bob@example.edu", "12", "Боб Ё", "0", "6"],
            ["", "13", "'=cmd()|'x'", "0", "6"]])
        for row in table[1:]:
            self.assertEqual(set(re.findall("<.*?>", row[-1])), {"<br>"})
            self.assertNotIn("n=257", row[-1])
        self.assertIn("small: 0 of 2 points, memory error<br>", table[2][-1])
        self.assertIn("<b>x</b> = @;", html.unescape(table[3][-1].replace("<br>", "\n")))

    def test_moodle_reads_its_own_worksheet(self):
        self.write("roster.csv", "Identifier,Full name,Email address,Status,Grade,Last modified (grade)\n"
                   'Participant 11,ada,ada@x.edu,No submission,,"Monday, 2 November 2026, 9:00 AM"\n')
        self.hand_in(ada=KERNEL)
        self.grade("--roster", "roster.csv", "--moodle", "moodle.csv")
        row = dict(zip(*self.table("moodle.csv")))
        self.assertEqual((row["Identifier"], row["Grade"], row["Last modified (grade)"]),
                         ("Participant 11", "6", "Monday, 2 November 2026, 9:00 AM"))

    def test_late_days_and_no_grade(self):
        self.hand_in(ada=KERNEL, bob=KERNEL)
        self.write("more.csv", "student,points,reason\n\"Lovelace, Ada\",-1.5,copied the title\n")
        self.grade("--roster", "roster.csv", "--adjustments", "more.csv", "--canvas", "canvas.csv", code=5)
        self.assertEqual([row[-1] for row in self.table("canvas.csv")[2:]], ["4.5", "6"])
        # A result that the grader is to blame for does not count as 0.
        file = self.folder / "out/staff/old/result.json"
        old = json.loads((self.folder / "out/staff/Боб Ё/result.json").read_text())
        self.write(file, json.dumps(dict(old, student="Eva", state="grader_error")))
        _, errors = self.grade("--roster", "roster.csv", "--canvas", "canvas.csv", code=5)
        self.assertIn("warning: canvas.csv: `Eva` has no grade yet", errors)
        self.assertEqual(len(self.table("canvas.csv")), 4)

    def test_two_results_of_one_student_are_one_row(self):
        self.hand_in(bob=WRONG)
        self.grade()
        self.hand_in(bob=KERNEL)
        _, errors = self.grade("--roster", "roster.csv", "--canvas", "canvas.csv", code=5)
        self.assertIn("`bob` is `Боб Ё` of the roster, who has another grade", errors)
        self.assertEqual([row[-1] for row in self.table("canvas.csv")[2:]], ["6"])

    def test_mistakes_are_said_before_anything_is_graded(self):
        self.hand_in(ada=KERNEL)
        _, errors = self.grade("--canvas", "canvas.csv", code=2)
        self.assertIn("--canvas needs --roster", errors)
        _, errors = self.grade("--roster", "roster.csv", "--moodle", "roster.csv", code=2)
        self.assertIn("--moodle", errors)
        self.assertEqual((self.folder / "roster.csv").read_text(), ROSTER)
        _, errors = self.grade("--roster", "roster.csv", "--feedback", "class/mails", code=2)
        self.assertIn("the folder of --feedback, class/mails, lies among the submissions", errors)
        self.write("roster.csv", "student,id\nada,11\nbob,11\n")
        _, errors = self.grade("--roster", "roster.csv", "--canvas", "canvas.csv", code=2)
        self.assertIn("roster.csv:3:1: error: `11` is on line 2, too", errors)
        self.assertFalse((self.folder / "canvas.csv").exists())
        self.assertFalse((self.folder / "out").exists())


class Feedback(StaffTest):
    def test_is_a_text_for_each_student_and_a_table_of_mails(self):
        self.write("roster.csv", ROSTER)
        self.hand_in(ada=KERNEL, bob=KERNEL.replace("i < n", "i < n / 4 * 4"), cem=KERNEL, zoe=KERNEL,
                     **{"李小龙": "int x = y;"})
        _, errors = self.grade("--roster", "roster.csv", "--feedback", "mails", code=5)
        table = self.table("mails/mailmerge.csv")
        self.assertEqual(table[0], ["email", "name", "file", "points", "subject"])
        rows = {row[1]: row for row in table[1:]}
        self.assertEqual(set(rows), {"Lovelace, Ada", "Боб Ё"})
        self.assertEqual(rows["Боб Ё"][0], "bob@example.edu")
        self.assertEqual(rows["Боб Ё"][3:], ["4 of 6 points", "Scaling: 4 of 6 points"])
        for words in ("`zoe` is not in the roster, and gets no mail",
                      "`李小龙` has no e-mail address in the roster, and gets no mail"):
            self.assertIn("warning: mails: " + words, errors)
        files = {path.name for path in (self.folder / "mails").glob("*.txt")}
        self.assertEqual(len(files), 5)
        for name in files:
            self.assertRegex(name, r"^[a-z0-9-]{1,53}-[0-9a-f]{16}\.txt$")
        text = (self.folder / "mails" / rows["Боб Ё"][2]).read_text()
        self.assertIn("Scaling\nБоб Ё\n\n4 of 6 points\n", text)
        self.assertIn("small: 2 of 2 points, pass\nodd: 2 of 4 points, in part\n", text)
        self.assertIn("hint: any n", text)
        for path in (self.folder / "mails").glob("*.txt"):
            for hidden in ("n=257", "n=100", "--seed", "secret"):
                self.assertNotIn(hidden, path.read_text(), path.name)
        self.assertNotIn("Ada", text)

    def test_names_of_files_are_of_one_student_each(self):
        names = ["Ada", "ada", "ÄDA", "con", "a b", "a-b", "a" * 190, "a" * 191, "é", "e\u0301"]
        self.hand_in(**{name: KERNEL for name in names})
        _, errors = self.grade("--feedback", "mails")
        files = [path.name.lower() for path in (self.folder / "mails").glob("*.txt")]
        self.assertEqual(len(set(files)), len(names))
        self.assertLess(max(map(len, files)), 61)
        self.assertIn("without --roster, mailmerge.csv has no e-mail address and no row", errors)
        self.assertEqual(len(self.table("mails/mailmerge.csv")), 1)


class Items(StaffTest):
    def test_are_analysed_without_what_did_not_compile(self):
        students = {"s%02d" % i: KERNEL if i < 6 else KERNEL.replace("i < n", "i < n / 4 * 4") for i in range(10)}
        self.hand_in(**students, eva="int x = y;", fay="int main() {}")
        self.grade("--items", "items.csv")
        with (self.folder / "items.csv").open(newline="") as file:
            small, odd = csv.DictReader(file, strict=True)
        self.assertEqual((small["students"], small["passed"], small["mean_share"], small["correlation"]),
                         ("10", "10", "1.0000", ""))  # nothing differs
        self.assertEqual((odd["case"], odd["visibility"], odd["passed"], odd["wrong"], odd["not launched"]),
                         ("odd", "hidden", "6", "4", "0"))
        self.assertEqual((odd["mean_share"], odd["upper_lower"], odd["not_run"]), ("0.8000", "0.50", "2"))
        self.assertRegex(odd["commonest failures"], "^4 × wrong: .*elements? of `out`")
        self.assertEqual((odd["retried"], odd["mended"]), ("0", "0"))
        page = (self.folder / "out/report.html").read_text()
        self.assertIn("Of 10 submissions that ran. Left out: 2 submissions that did not compile or run.", page)
        self.assertIn("4 × wrong: ", page)


    def test_say_what_was_mended_after_a_hint(self):
        self.hand_in(ada=WRONG, bob=WRONG, cem=NO_BOUND, dee=WRONG)
        self.grade()
        self.hand_in(ada=KERNEL, bob=WRONG.replace("2 *", "4 *"), cem=KERNEL)
        self.grade("--items", "items.csv")
        with (self.folder / "items.csv").open(newline="") as file:
            small, odd = csv.DictReader(file, strict=True)
        # Bob's points are the same, so that nothing was kept of his first file; Dee handed in once.
        self.assertEqual((odd["retried"], odd["mended"]), ("2", "2"))
        self.assertRegex(odd["commonest failures"], "wrong: .*; 1 of 1 who handed in again mended it")
        self.assertRegex(odd["commonest failures"], "0 × memory error: .*; 1 of 1 who handed in again mended it")


HELPER = """__device__ float part(const float *values, int at, int count, float by) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) { if (at + k < count) sum += values[at + k] * by; }
  while (sum > 1e30f || sum < -1e30f) { sum = sum / 2; }
  return at < count ? values[at] * by : sum;
}
"""
OWN = """extern "C" __global__ void scale(float *out, const float *src, float f, int n) {
  __shared__ float tile[64];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    tile[threadIdx.x] = part(src, i, n, f);
    if (tile[threadIdx.x] != 0 || i >= 0) { out[i] = tile[threadIdx.x]; } else { out[i] = 0; }
  }
}
"""


class Similar(StaffTest):
    def test_copies_are_side_by_side_and_cost_nothing(self):
        copied = (HELPER.replace("part", "helper").replace("sum", "s").replace("values", "v") + OWN.replace("part", "helper")
                  .replace("tile", "t").replace("{", "{ // mine </pre><script>\n"))
        self.hand_in(ada=HELPER + OWN, bob="// <b>mine</b>\n" + copied, cem=KERNEL)
        # Kernels of five lines are alike, and say nothing.
        self.write("class/<i>dee/scale.cu", KERNEL.replace("i ", "me ").replace("i]", "me]"))
        self.grade("--similar", "pairs.html", "--similar", "pairs.json")
        found = json.loads((self.folder / "pairs.json").read_text())
        self.assertEqual([pair["students"] for pair in found["pairs"]], [["ada", "bob"]])
        self.assertGreater(min(found["pairs"][0]["shares"]), 0.9)
        self.assertEqual(found["too_short"], ["<i>dee", "cem"])
        page = (self.folder / "pairs.html").read_text()
        for words in ("Too short to tell: 2", "ada and bob", 'class="same"', "&lt;script&gt;", "no points depend on it"):
            self.assertIn(words, page)
        for markup in ("<script", "<b>mine", "<i>dee"):
            self.assertNotIn(markup, page)
        self.assertEqual([row["points"] for row in self.rows()], ["6"] * 4)
        for file in (self.folder / "out/students/bob").iterdir():
            self.assertNotIn("similar", file.read_text().lower())

    def test_macros_hide_no_copy_from_compiled_code(self):
        text = HELPER + OWN
        for name, mark in (("BEGIN", "{"), ("END", "}"), ("STOP", ";"), ("IS", "="), ("OPEN", "("), ("UP", "[")):
            text = text.replace(mark, " %s " % name)
            self.assertIn(name, text)
        text = "".join("#define %s %s\n" % pair for pair in
                       (("BEGIN", "{"), ("END", "}"), ("STOP", ";"), ("IS", "="), ("OPEN", "("), ("UP", "["))) + text
        text = text.replace(" IS  IS ", "==").replace("> IS ", ">=").replace("! IS ", "!=").replace("+ IS ", "+=")
        self.hand_in(ada=HELPER + OWN, bob=text, cem=KERNEL)
        self.grade("--similar", "pairs.json", "--similar", "pairs.html")
        (pair,) = json.loads((self.folder / "pairs.json").read_text())["pairs"]
        self.assertEqual((pair["students"], pair["shared"], pair["ptx_share"]), (["ada", "bob"], 0, 1))
        self.assertIn("%d, 100 %%" % pair["ptx_shared"], (self.folder / "pairs.html").read_text())
        # Known results have it, too, and students' files do not.
        self.grade("--similar", "again.json")
        self.assertEqual((self.folder / "again.json").read_text(), (self.folder / "pairs.json").read_text())
        self.assertEqual(json.loads((self.folder / "out/students/ada/student.json").read_text())["ptx_prints"], [])

    def test_the_template_does_not_count(self):
        self.write("hw1.yaml", ASSIGNMENT + "template: start.cu\n")
        self.write("start.cu", HELPER + OWN.replace("!= 0", "== 0"))
        self.hand_in(ada=HELPER + OWN, bob=HELPER + OWN)
        self.grade("--similar", "pairs.json")
        found = json.loads((self.folder / "pairs.json").read_text())
        self.assertEqual((found["pairs"], found["too_short"]), ([], ["ada", "bob"]))

    def test_the_page_is_no_submission(self):
        self.hand_in(ada=KERNEL)
        self.write("more.csv", "student,points\nada,1\n")
        _, errors = self.grade("--adjustments", "more.csv", "--similar", "more.csv", code=2)
        self.assertIn("--similar", errors)


class Anonymous(StaffTest):
    def test_pages_name_nobody(self):
        self.write("roster.csv", "student,login\nAda Lovelace,ada\nGeorge Boole,bob\nEva Secret,eva\n")
        self.write("class/ada/scale.cu", KERNEL)
        self.write("class/bob/boole_own.cu", NO_BOUND)
        self.write("class/eva/scale.cu", "// by Eva Secret\nint eva_secret = y;")
        self.write("more.csv", "student,points,reason\nGeorge Boole,1,George was ill\n")
        self.write("times.csv", "student,time\nGeorge Boole,2026-11-20T11:00Z\n")
        extra = ["--roster", "roster.csv", "--adjustments", "more.csv", "--times", "times.csv"]
        self.grade(*extra, "--anonymous", "shown")
        files = sorted(path.name for path in (self.folder / "shown").iterdir())
        self.assertEqual(files, ["grades.csv", "report.html"])
        hashes = [one["submission_sha256"] for one in self.results().values()]
        for path in (self.folder / "shown").iterdir():
            text = path.read_text()
            for name in ("Ada", "Lovelace", "George", "Boole", "boole", "Eva", "eva_secret", "2026-11-20T11",
                         *(one[:16] for one in hashes)):
                self.assertNotIn(name, text, path.name)
        rows = self.table("shown/grades.csv")
        names = [row[0] for row in rows[1:]]
        self.assertEqual(names, sorted(names))
        for name in names:
            self.assertRegex(name, "^student-[0-9a-f]{10}$")
        self.assertEqual(sorted(row[2] for row in rows[1:]), ["0", "1", "6"])
        # The same with the same secret, and others with another.
        self.grade(*extra, "--anonymous", "again")
        self.assertEqual(self.table("again/grades.csv"), rows)
        self.write("secret", "fedcba9876543210")
        self.grade(*extra, "--anonymous", "other")
        self.assertEqual(set(names) & {row[0] for row in self.table("other/grades.csv")}, set())

    def test_the_folder_of_the_class_is_kept(self):
        self.hand_in(ada=KERNEL)
        _, errors = self.grade("--anonymous", "./out", code=2)
        self.assertIn("--anonymous and -o name the same folder", errors)


class Receipts(StaffTest):
    def test_a_student_can_check_what_was_graded(self):
        text = "\ufeff" + KERNEL
        self.write("class/ada/scale.cu", text)
        self.write("class/bob/scale.cu", WRONG)
        self.grade("--feedback", "mails")
        hashed = hashlib.sha256((self.folder / "class/ada/scale.cu").read_bytes()).hexdigest()
        result = self.result("ada")
        context = result["context"]
        self.assertRegex(context["assignment_version"], "^[0-9a-f]{16}$")
        (mail,) = (self.folder / "mails").glob("ada-*.txt")
        student = self.folder / "out/students/ada"
        texts = [mail.read_text(), json.loads((student / "results.json").read_text())["output"]]
        for whole in texts:
            for line in ("file: scale.cu", "SHA-256: " + hashed, "graded: " + context["date"],
                         "points: 6 of 6 points", "assignment: hw1, version " + context["assignment_version"],
                         "Warpmark: " + context["warpmark"], "NVRTC: " + context["nvrtc_version"]):
                self.assertIn(line, whole)
            # Its hash would confirm a guess of the hidden cases.
            self.assertNotIn(context["assignment_sha256"], whole)
        page = (student / "report.html").read_text()
        self.assertIn("<td>%s</td>" % hashed, page)
        self.assertIn("sha256sum", page)
        self.assertNotIn(context["assignment_sha256"], page)
        # One version for all; another one for another assignment, and with another secret.
        self.assertEqual(self.result("bob")["context"]["assignment_version"], context["assignment_version"])
        self.write("hw1.yaml", ASSIGNMENT.replace("any n", "any size"))
        self.grade()
        other = self.result("ada")["context"]["assignment_version"]
        self.assertNotEqual(other, context["assignment_version"])
        self.write("secret", "fedcba9876543210")
        self.grade()
        self.assertNotIn(self.result("ada")["context"]["assignment_version"],
                         (other, context["assignment_version"]))


if __name__ == "__main__":
    unittest.main()
