# `warpmark grade --expect` and `warpmark pack audit`: grading again gives what there was, here and elsewhere.
import json
import shutil
import subprocess
import unittest
import zipfile

from assignment import KERNEL, NO_BOUND, WRONG, GradeTest
from program import PYTHON


class Expected(GradeTest):
    def setUp(self):
        super().setUp()
        self.hand_in(Ada=KERNEL, Bob=NO_BOUND)
        self.grade()

    def test_the_same_again(self):
        out, errors = self.grade("--expect", "out", out="again")
        self.assertEqual(errors, "")
        self.assertIn("all 2 results are those of out, but for dates and seconds\n", out)

    def test_in_place(self):
        self.assertIn("all 2 results are", self.grade("--expect", "out", "--regrade")[0])

    def test_another_result(self):
        self.write("class/Bob/scale.cu", WRONG)
        out, errors = self.grade("--expect", "out", out="again", code=1)
        self.assertNotIn("all 2", out)
        self.assertRegex(errors, r'^not as in out: Bob: /\S+: .* instead of .*, and \d+ more diff')
        self.assertNotIn("Ada", errors)

    def test_who_is_missing_and_who_is_new(self):
        shutil.move(self.folder / "class/Bob", self.folder / "class/Cy")
        _, errors = self.grade("--expect", "out", out="again", code=1)
        self.assertIn("not as in out: Cy: had no result\n", errors)
        self.assertIn("not as in out: Bob: has no result now\n", errors)
        self.grade("--expect", "out", "--only", "Ada", out="one")

    def edit_version(self):
        for file in (self.folder / "out").rglob("result.json"):
            file.write_text(file.read_text().replace('"warpmark": "0.1.0"', '"warpmark": "0.0.9"').replace(
                '"warpmark":"0.1.0"', '"warpmark":"0.0.9"'))

    def test_another_version_with_the_same_results(self):
        self.edit_version()
        self.assertIn("all 2 results are those of out", self.grade("--expect", "out", out="again")[0])

    def test_another_version_is_named_with_what_changed(self):
        self.write("class/Bob/scale.cu", WRONG)
        self.edit_version()
        errors = self.grade("--expect", "out", out="again", code=1)[1]
        self.assertRegex(errors, r"^not as in out: Bob: /\S+: .* \(by Warpmark 0.1.0 instead of 0.0.9, which may be why\)\n$")

    def test_an_assignment_may_pin_the_version(self):
        text = (self.folder / "hw1.yaml").read_text()
        self.write("hw1.yaml", text + "made_with: 0.1.0\n")
        self.grade(out="same")
        self.write("hw1.yaml", text + "made_with: 0.0.9\n")
        errors = self.grade(out="other", code=3)[1]
        self.assertIn("the assignment is made with Warpmark 0.0.9, and this is 0.1.0", errors)
        self.assertIn("then change `made_with`", errors)

    def test_no_grades(self):
        self.assertIn("no grades in nothing", self.grade("--expect", "nothing", code=2)[1])


class Audit(GradeTest):
    def setUp(self):
        super().setUp()
        self.hand_in(Ada=KERNEL, Bob=NO_BOUND)
        (self.folder / "class/Empty").mkdir()
        self.write("adjustments.csv", "student,points,reason\nBob,1,a good try\n")
        self.grade("--adjustments", "adjustments.csv")

    def pack(self, *more, code=0, assignment="hw1.yaml", grades="out"):
        return self.run_program("pack", "audit", assignment, "class", "--grades", grades, "--secret",
                                "secret", *more, code=code)

    def unpacked(self):
        _, errors = self.pack("--adjustments", "adjustments.csv")
        self.assertEqual(errors, "")
        folder = self.folder / "elsewhere"
        with zipfile.ZipFile(self.folder / "hw1-audit.zip") as archive:
            archive.extractall(folder)  # without permissions
        (self.folder / "hw1-audit.zip").unlink()
        for name in ("class", "out", "suites", "hw1.yaml", "secret", "adjustments.csv"):
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return folder

    def regrade(self, folder, *more):
        done = subprocess.run(["bash", folder / "regrade", *more], cwd=self.folder, timeout=300,
                              env=dict(self.environment, WARPMARK_PYTHON=PYTHON), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr

    def test_the_same_elsewhere(self):
        folder = self.unpacked()
        code, out, errors = self.regrade(folder)
        self.assertEqual((code, errors), (0, ""), out)
        self.assertIn("all 3 results are those of grades, but for dates and seconds\n", out)
        code, out, _ = self.regrade(folder, "new")
        self.assertEqual(code, 0, out)
        for student in ("Ada", "Bob", "Empty"):
            old, new = [json.loads((path / "staff" / student / "result.json").read_text())
                        for path in (folder / "grades", self.folder / "new")]
            for one in (old, new):
                one.pop("seconds")
                one.pop("key")  # has the option --no-sandbox
                one["context"].pop("date")
                for case in one["cases"]:
                    for item in case["items"]:
                        item.pop("seconds")
            self.assertEqual(old, new)

    def test_what_was_tampered_with(self):
        folder = self.unpacked()
        file = folder / "grades/staff/Bob/result.json"
        file.write_text(file.read_text().replace('"a good try"', '"a friend"'))
        code, _, errors = self.regrade(folder)
        self.assertEqual(code, 1, errors)
        self.assertRegex(errors, r'not as in grades: Bob: /adjustments/0/\w+: "a good try" instead '
                                 r'of "a friend"\n$')

    def test_what_is_in_it(self):
        out, _ = self.pack("--list", "--adjustments", "adjustments.csv")
        places = [line.split(None, 1)[1] for line in out.splitlines()][:-1]
        for place in ("regrade", "secret", "submissions/class/Ada/scale.cu", "rules/adjustments.csv",
                      "submissions/class/Empty/", "grades/staff/Ada/result.json", "grades/grades.csv",
                      "assignment/hw1.yaml", "assignment/suites/scale.cu", "program/bin/warpmark"):
            self.assertIn(place, places)

    def test_refused(self):
        self.assertIn("no grades in nothing", self.pack(grades="nothing", code=2)[1])
        self.write("hw2.yaml", (self.folder / "hw1.yaml").read_text().replace("hw1", "hw2"))
        self.assertIn("grades of the assignment `hw1`", self.pack(assignment="hw2.yaml", code=2)[1])
        file = self.folder / "out/staff/Ada/result.json"
        file.write_text(file.read_text().replace("Warpmark CPU device", "NVIDIA H200"))
        self.assertIn("grade with --device cpu", self.pack(code=2)[1])
        self.run_program("pack", "audit", "hw1.yaml", "class", "out/../class", "--grades", "out",
                         "--secret", "secret", code=2)


if __name__ == "__main__":
    unittest.main()
