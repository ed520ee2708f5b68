# Classic mistakes of beginners: what each student is told names the cause, and nothing that the source contradicts.
#
# tests/cli/mistakes/ has a folder of submissions for each assignment, and expected.json what a tutor would say of each,
# with the words that an explanation needs, and those that would mislead. Those without needs are harmless and get
# all points. `known` says why an explanation falls short, where it does. said.txt beside the submissions is for reading: the
# tutor's sentence, and below it all that Warpmark says, but for values; WARPMARK_UPDATE_GOLDEN=1 writes it anew.
import json
import os
import re
import shutil
import unittest

from program import SOURCE, CheckTest

FILES = SOURCE / "tests" / "cli" / "mistakes"
EXPECTED = json.loads((FILES / "expected.json").read_text())


def all_said(result):
    said = [result["message"]] + [item["explanation"] for case in result["cases"] for item in case["items"]]
    return [text for text in said if text]


def for_reading(one, said):
    """The sentences about a submission, each once: without values, which another compiler may round otherwise."""
    lines = ["## %s: %s" % (one["file"], one["mistake"])]
    if one["tutor"]:
        lines.append("tutor:    " + one["tutor"])
    for text in said:
        text = re.sub(r"is \S+, but \S+ was expected", "is …, but … was expected", text)
        text = re.sub(r"(The first to do so was|It was) thread [^.]*\.", "…", text).replace("\n", "\n          ")
        text = re.sub(r"`[^`\[]*\[[^`\]]*\]` (got|is)", r"`…` \1", text)
        lines += ["Warpmark: " + text] if "Warpmark: " + text not in lines else []
    return "\n".join(lines) + "\n"


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

    def compare_golden(self, assignment, entries, results):
        text = "\n".join(for_reading(one, all_said(results[one["file"]])) for one in sorted(entries, key=lambda one: one["file"]))
        golden = FILES / assignment / "said.txt"
        if os.environ.get("WARPMARK_UPDATE_GOLDEN"):
            golden.write_text(text)
        self.assertEqual(text, golden.read_text())

    def check_all(self, assignment):
        results = self.grade(assignment)
        entries = [one for one in EXPECTED if one["assignment"] == assignment]
        self.assertEqual({one["file"] for one in entries}, set(results))
        self.compare_golden(assignment, entries, results)
        for one in entries:
            result = results[one["file"]]
            said = all_said(result)
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
