# The bundled course: every solution gets all points, every typical mistake the word it should.
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from program import SEED, SOURCE, CheckTest, of_today

COURSE = SOURCE / "courses" / "first"
NAMES = sorted(path.parent.name for path in COURSE.glob("*/assignment.yaml"))
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

FLOW = re.compile(r"- \{file: (?P<file>[^,]+), case: (?P<case>[^,}]+), word: (?P<word>[^}]+)\}")


def expectations(assignment):
    """The files of must_pass, and (file, case, word) of must_fail. The course's own style of YAML,
    so that no parser is needed where there is none."""
    text = assignment.read_text()
    passing = re.search(r"must_pass: \[([^\]]*)\]", text).group(1)
    failing = [(m["file"], m["case"], m["word"]) for m in FLOW.finditer(text)]
    return [name.strip() for name in passing.split(",")], failing


class Course(CheckTest):
    def grade(self, name):
        folder = COURSE / name
        submissions = self.folder / name
        submissions.mkdir()
        template, = folder.glob("*.cu")
        for file in sorted(folder.rglob("*.cu")):
            # A folder for each: the template's name beside others would be refused.
            (submissions / file.stem).mkdir()
            shutil.copy(file, submissions / file.stem / template.name)
        secret = self.folder / "secret"
        secret.write_bytes(b"the course's secret of 32 bytes..")
        out = self.folder / f"out-{name}"
        self.run_program("grade", folder / "assignment.yaml", submissions, "-o", out,
                         "--secret", secret, "--device", "cpu", "--jobs", "2", timeout=240)
        return {path.parent.name: json.loads(path.read_text())
                for path in sorted(out.glob("staff/*/result.json"))}

    def check_course(self, name):
        if name not in of_today(NAMES, 4):
            self.skipTest("of another day than seed %d" % SEED)
        results = self.grade(name)
        passing, failing = expectations(COURSE / name / "assignment.yaml")
        files = sorted(path.relative_to(COURSE / name).as_posix()
                       for path in (COURSE / name).rglob("*.cu"))
        self.assertEqual(files, sorted(passing + [file for file, _, _ in failing]),
                         "each file of the course is in self_test")
        for file in passing:
            result = results[pathlib.Path(file).stem]
            self.assertEqual(result["points"], result["max_points"], (file, result))
        for file, case, word in failing:
            with self.subTest(file=file):
                result = results[pathlib.Path(file).stem]
                self.assertLess(result["points"], result["max_points"])
                self.assertIn(result["state"], ("graded", "compile_error"))
                graded = next(one for one in result["cases"] if one["name"] == case)
                words = [item["word"] for item in graded["items"] if item["word"] != "pass"]
                # If several words are listed, the first is the CPU device's.
                expected = word.strip("[]").split(",")[0]
                self.assertEqual(words[:1] or ["not launched"], [expected], file)
                if result["state"] == "compile_error":
                    self.assertNotEqual(result["message"], "")
                for item in graded["items"]:
                    if item["word"] not in ("pass", "not launched"):
                        self.assertNotEqual(item["explanation"], "", file)

    def test_lint_has_nothing_to_say(self):
        for name in of_today(NAMES, 2):
            out, _ = self.run_program("grade", "--lint", COURSE / name / "assignment.yaml",
                                      "--device", "cpu", timeout=240)
            self.assertRegex(out, "10 points in [45] cases")

    def test_doublify(self):
        self.check_course("doublify")

    def test_multiply_them(self):
        self.check_course("multiply_them")

    def test_linear_combination(self):
        self.check_course("linear_combination")

    def test_reduction(self):
        self.check_course("reduction")

    def test_transpose(self):
        self.check_course("transpose")

    def test_matmul(self):
        self.check_course("matmul")

    def test_softmax(self):
        self.check_course("softmax")

    def test_each_assignment_has_its_test(self):
        self.assertGreaterEqual(len(NAMES), 6)
        for name in NAMES:
            self.assertTrue(hasattr(self, "test_" + name), name)

    @unittest.skipUnless(pathlib.Path(NVCC).exists(), "no nvcc on this machine")
    def test_templates_compile_with_nvcc(self):
        with tempfile.TemporaryDirectory() as folder:
            for file in of_today(sorted(COURSE.glob("*/*.cu")), 3):
                done = subprocess.run([NVCC, "-arch=sm_90", "-c", file, "-o",
                                       pathlib.Path(folder) / "x.o"],
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, (SEED, done.stderr))


if __name__ == "__main__":
    unittest.main()
