# The cell magic %%warpmark: what a cell may be, what it shows, and what it does with mistakes.
import contextlib
import io
import subprocess
import sys
import unittest

import warpmark
from package import BROKEN, KERNEL, PRINTING, SUITE, WRONG, PackageTest, missing

INSIDE = SUITE.replace("{file: scale.cu, entry: scale}",
                       "\n  entry: scale\n  source: |\n    " + KERNEL.replace("\n", "\n    "))


class Shell:
    """As much of IPython as the magic needs."""

    def __init__(self):
        self.user_ns = {}
        self.magics = {}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = function

    def cell(self, line, cell):
        """The cell's value and what it prints."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            value = self.magics["cell", "warpmark"](line + " --device cpu", cell)
        return value, printed.getvalue()


class Cells(PackageTest):
    def setUp(self):
        super().setUp()
        self.shell = Shell()
        warpmark.load_ipython_extension(self.shell)

    def test_a_kernel_for_a_suite(self):
        self.write_suite("hw 1/scale.yaml", kernel="none")
        results, printed = self.shell.cell("'hw 1/scale.yaml'", KERNEL)
        self.assertTrue(results.ok)
        self.assertEqual(printed, "")
        self.assertEqual((self.folder / "hw 1/scale.cu").read_text(), "none")

    def test_an_assignment(self):
        self.write_suite()
        (self.folder / "hw.yaml").write_text(
            "warpmark: 1\nassignment: hw\nsuite: scale.yaml\n"
            "cases: [{name: all, points: 4, hint: think}]\n")
        grade, printed = self.shell.cell("try hw.yaml -o mine", KERNEL)
        self.assertEqual((grade.ok, grade.points, grade.max_points, printed), (True, 4, 4, ""))
        self.assertIs(self.shell.user_ns["mine"], grade)
        self.assertEqual(str(grade), "hw: 4 of 4 points")
        files = {"mine.cu": '#include "inc/none.cuh"\n' + KERNEL, "inc/none.cuh": ""}
        self.assertEqual(warpmark.try_("hw.yaml", files, device="cpu").points, 4)
        with self.assertRaisesRegex(warpmark.UsageError, "is no name of a file below a folder"):
            warpmark.try_("hw.yaml", {"../mine.cu": KERNEL})
        grade, _ = self.shell.cell("try hw.yaml --case scale.n=1", WRONG)
        self.assertEqual((grade.ok, grade.state, len(grade.cases[0]["items"])), (False, "graded", 1))
        self.assertIn("LOST 4 of 4 points: all\n  scale.n=1: Line 4 ", str(grade))
        self.assertIn("hint: think", str(grade))
        grade, _ = self.shell.cell("try hw.yaml", BROKEN)
        self.assertEqual(grade.state, "compile_error")
        self.assertIn(grade.message, str(grade))
        for line, message in (("try none.yaml", "cannot read none.yaml"), ("try", "ASSIGNMENT"),
                              ("try hw.yaml --case x", "no visible case `x`")):
            grade, printed = self.shell.cell(line, KERNEL)
            self.assertIsNone(grade)
            self.assertIn(message, printed)
        with self.assertRaises(warpmark.UsageError):
            warpmark.try_("none.yaml", KERNEL)

    def test_texts_by_the_thousand(self):
        self.write_suite()
        (self.folder / "hw.yaml").write_text(
            "warpmark: 1\nassignment: hw\nsuite: scale.yaml\n"
            "cases: [{name: all, points: 4, visibility: hidden}]\n")
        options = ["--no-sandbox", "--without-lint"]
        with warpmark.Grader("hw.yaml", device="cpu", jobs=2, options=options) as grader:
            texts = [KERNEL, WRONG, BROKEN, KERNEL]
            self.assertEqual([one.state for one in grader.grades(iter(texts))],
                             ["graded", "graded", "compile_error", "graded"])
            self.assertEqual([one.points for one in grader.grades(texts)], [4, 0, 0, 4])
            self.assertEqual(grader.grade(KERNEL).points, 4)
            with self.assertRaises(ZeroDivisionError):
                list(grader.grades(1 / 0 if n == 1 else KERNEL for n in range(3)))
            self.assertEqual(grader.grade(WRONG).points, 0)
            files = {"scale.cu": '#include "inc/none.cuh"\n' + KERNEL, "inc/none.cuh": ""}
            self.assertEqual([one.points for one in grader.grades([files, WRONG])], [4, 0])
            self.assertEqual(grader.grade(files).record["files"][1]["name"], "inc/none.cuh")
        with warpmark.Grader("none.yaml", device="cpu") as grader:
            with self.assertRaises(warpmark.UsageError):
                grader.grade(KERNEL)

    def test_candidates_are_judged(self):
        self.write_suite()
        with warpmark.Judge("scale.yaml", jobs=2, trials=2, speed=["moved_sectors"], options=["--no-sandbox"]) as judge:
            made = list(judge.judgements([KERNEL, WRONG, BROKEN, {"scale.cu": '#include "none.cuh"\n' + KERNEL, "none.cuh": ""}]))
            self.assertEqual([one.verdict for one in made], ["right", "unclean", "not compiled", "right"])
            self.assertEqual([one.ok for one in made], [True, False, False, True])
            self.assertEqual((made[0].ratio, made[1].ratio, made[0].record["trials"]), (1, None, 2))
            self.assertIn("memory error", str(made[1]))
            self.assertEqual(judge.judge(KERNEL).verdict, "right")
        with self.assertRaises(warpmark.UsageError):
            warpmark.Judge("none.yaml").judge(KERNEL)

    def test_lines_are_those_of_the_cell(self):
        self.write_suite()
        results, _ = self.shell.cell("scale.yaml", BROKEN)
        # The magic is line 1.
        self.assertIn("\n  <cell>:4: error: scale.cu does not compile", str(results))
        results, _ = self.shell.cell("", INSIDE.replace("= factor;", "= fctor;"))
        self.assertIn("\n  scale.yaml:8: error: scale.yaml does not compile", str(results))

    def test_a_suite_in_a_variable(self):
        self.shell.user_ns["text"] = SUITE
        results, _ = self.shell.cell("text -k n=1 -o mine", WRONG)
        self.assertIn("<cell>:4: error: out-of-bounds", str(results))
        self.assertIs(self.shell.user_ns["mine"], results)
        self.assertEqual(list(results[0].outputs), ["x"])  # of failures without asking
        self.shell.user_ns["suite"] = {
            "warpmark": 1, "kernel": {"entry": "scale"}, "launch": {"block": 32},
            "arguments": {"x": {"inout": "np.arange(3.0)"}, "factor": {"scalar": 2},
                          "n": {"scalar": 3}}, "reference": {"x": "2 * x"}}
        self.assertTrue(self.shell.cell("suite", KERNEL)[0].ok)

    def test_a_whole_suite_and_options(self):
        results, _ = self.shell.cell("-a n=3,5 --seed 2 --trials 2 --checks memory --counters "
                                     "--arrays all --case scale.n=5", INSIDE)
        self.assertEqual([outcome.id for outcome in results], ["scale.n=5"])
        self.assertTrue(results.ok and results[0].counters and results[0].outputs)

    def test_what_the_kernel_prints(self):
        self.write_suite()
        self.assertEqual(self.shell.cell("scale.yaml -k n=1", PRINTING)[1], "from the kernel\n")

    def test_mistakes_are_reported_without_a_traceback(self):
        self.write_suite()
        for line, cell, words in (
                ("no.yaml", KERNEL, "cannot read no.yaml: No such file"),
                ("", "warpmark: 1\noops: 1\n", "suite.yaml:3:1: error: unknown key of a suite"),
                ("scale.yaml --foo", KERNEL, "unrecognized arguments: --foo\nusage: %%warpmark"),
                ("scale.yaml 'x", KERNEL, "No closing quotation"),
                ("scale.yaml -k zzz", KERNEL, "-k selects no case"),
                ("--help", "x", "the cell is a whole suite")):
            with self.subTest(line):
                self.shell.user_ns["old"] = 1
                value, printed = self.shell.cell("-o old " + line, cell)
                self.assertIsNone(value)
                self.assertIn(words, printed)
        self.assertEqual(self.left(), [])


@unittest.skipIf(missing("IPython"), missing("IPython"))
class InIPython(PackageTest):
    def test_a_session(self):
        self.write_suite()
        self.write("cell.txt", "%%warpmark scale.yaml --device cpu\n" + WRONG)
        code = "\n".join([
            "from traitlets.config import Config",
            "from IPython.core.interactiveshell import InteractiveShell",
            "config = Config(); config.HistoryManager.enabled = False",
            "shell = InteractiveShell(config=config)",
            "shell.run_cell('%load_ext warpmark').raise_error()",
            "result = shell.run_cell(open('cell.txt').read())",
            "result.raise_error()",
            "data, _ = shell.display_formatter.format(result.result)",
            "print(sorted(data)); print(data['text/plain']); print(data['text/html'])"])
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("['text/html', 'text/plain']\n", done.stdout)
        self.assertIn("FAILED scale.n=1\n  <cell>:4: error: out-of-bounds", done.stdout)
        self.assertIn("<pre>FAILED scale.n=1\n  &lt;cell&gt;:4: error", done.stdout)


if __name__ == "__main__":
    unittest.main()
