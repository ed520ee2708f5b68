# Classic mistakes of beginners: what each student is told names the cause, and nothing that the source contradicts.
#
# tests/cli/mistakes/ has a folder of submissions for each assignment, and expected.json what a tutor would say of each,
# with the words that an explanation needs, and those that would mislead. Those without needs are harmless and get
# all points. `known` says why an explanation falls short, where it does.
import json
import re
import shutil
import unittest

from program import SOURCE, CheckTest

FILES = SOURCE / "tests" / "cli" / "mistakes"
EXPECTED = json.loads((FILES / "expected.json").read_text())


class Mistakes(CheckTest):
    def grade(self, assignment):
        """Results by the names of the files."""
        secret = self.folder / "secret"
        secret.write_bytes(b"the course's secret of 32 bytes..")
        secret.chmod(0o600)
        students = self.folder / "class"
        students.mkdir()
        for file in sorted((FILES / assignment).glob("*.cu")):
            shutil.copy(file, students)
        self.run_program("grade", FILES / assignment / "assignment.yaml", students, "-o", "out", "--secret", secret,
                         "--device", "cpu", "--jobs", "2", "-q", timeout=240)
        return {path.parent.name + ".cu": json.loads(path.read_text()) for path in (self.folder / "out/staff").glob("*/result.json")}

    def check_all(self, assignment):
        results = self.grade(assignment)
        entries = [one for one in EXPECTED if one["assignment"] == assignment]
        self.assertEqual({one["file"] for one in entries}, set(results))
        for one in entries:
            result = results[one["file"]]
            said = [result["message"]] + [item["explanation"] for case in result["cases"] for item in case["items"]]
            said = [text for text in said if text]
            with self.subTest(file=assignment + "/" + one["file"], mistake=one["mistake"], said=said):
                self.assertNotEqual(result["state"], "grader_error")
                if not one["needs"]:
                    self.assertEqual((result["points"], said), (result["max_points"], []))
                    continue
                self.assertLess(result["points"], result["max_points"])
                for words in one["never"]:
                    self.assertIsNone(re.search(words, " ".join(said)), words)
                for words in one["needs"]:
                    met = re.search(words, " ".join(said)) is not None
                    self.assertEqual(met, "known" not in one or words not in one["known"], words)


def test_of(assignment):
    return lambda self: self.check_all(assignment)


for name in sorted({one["assignment"] for one in EXPECTED}):
    setattr(Mistakes, "test_" + name, test_of(name))


if __name__ == "__main__":
    unittest.main()
