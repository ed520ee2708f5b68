# Right files as beginners write them, in many styles: each gets all points of its assignment.
import json
import shutil
import unittest

from program import SOURCE, CheckTest

FILES = SOURCE / "tests" / "cli" / "beginners"
COURSE = SOURCE / "courses" / "first"


class Beginners(CheckTest):
    def check(self, name, assignment):
        """Grades the files of one folder as one class."""
        secret = self.folder / "secret"
        secret.write_bytes(b"the course's secret of 32 bytes..")
        secret.chmod(0o600)
        students = self.folder / "class"
        students.mkdir()
        for file in sorted((FILES / name).glob("*.cu")):
            shutil.copy(file, students)
        _, errors = self.run_program("grade", assignment, students, "-o", "out", "--secret",
                                     secret, "--device", "cpu", "--jobs", "2", "-q", timeout=240)
        self.assertEqual(errors, "")
        seen = set()
        for path in sorted((self.folder / "out/staff").glob("*/result.json")):
            result = json.loads(path.read_text())
            seen.add(result["student"])
            with self.subTest(file=f"{name}/{result['student']}.cu"):
                said = [result["message"]] + [item["explanation"] for case in result["cases"]
                                              for item in case["items"]]
                self.assertEqual(result["state"], "graded", said)
                self.assertEqual(result["points"], result["max_points"], said)
                self.assertEqual([text for text in said if text], [])
                self.assertEqual(result["flags"], [])
                self.assertEqual(result["staff"], "")
        self.assertEqual(seen, {file.stem for file in students.glob("*.cu")})

    def test_doublify(self):
        self.check("doublify", COURSE / "doublify/assignment.yaml")

    def test_multiply_them(self):
        self.check("multiply_them", COURSE / "multiply_them/assignment.yaml")

    def test_linear_combination(self):
        self.check("linear_combination", COURSE / "linear_combination/assignment.yaml")

    def test_reduction(self):
        self.check("reduction", COURSE / "reduction/assignment.yaml")

    def test_what_new_assignment_makes(self):
        shutil.copytree(FILES / "transpose/suite", self.folder / "suites")
        self.run_program("new", "assignment", "hw1", "--from", "suites/transpose.yaml")
        self.check("transpose", "hw1/assignment.yaml")


if __name__ == "__main__":
    unittest.main()
