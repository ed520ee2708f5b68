# `warpmark handout`: what students get works as the whole assignment does, and tells nothing else.
import json
import pathlib
import re
import shutil
import unittest

from assignment import ASSIGNMENT, ENDLESS, KERNEL, SUITE, GradeTest
from program import SEED, SOURCE, CheckTest, of_today

COURSE = SOURCE / "courses" / "first"
TEMPLATE = KERNEL.replace("if (i < n) out[i] = f * src[i];", "// your code")
TEMPLATE = TEMPLATE.replace("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n", "")


class Texts:
    """Reads the texts of a written folder."""

    def texts(self, folder):
        root = self.folder / folder
        return {path.relative_to(root).as_posix(): path.read_text()
                for path in sorted(root.rglob("*")) if path.is_file()}

    def verdicts(self, assignment, file, *more):
        """The state, and of each case points and the words of its items, explanations included."""
        done = self.start("try", assignment, file, "--json", "--device", "cpu", *more)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        grade = json.loads(done.stdout)
        return grade["state"], grade["message"], grade["points"], [
            (case["name"], case["points"], case["hint"], item["case"], item["word"],
             item["explanation"], item["detail"])
            for case in grade["cases"] for item in case["items"]]


class Courses(Texts, CheckTest):
    """The bundled courses: each file of self_test gets what it gets with the whole assignment."""
    # Sizes, hints and factors of hidden cases that no visible case has.
    HIDDEN = {
        "doublify": ["hidden sizes", "Which threads have no element?", "31", "129", "100003"],
        "linear_combination": ["hidden sizes", "n need not be a multiple", "1000"],
        "multiply_them": ["hidden sizes", "Look at the last element", "7", "1000", "65537"],
        "reduction": ["hidden sizes", "65", "193", "10001"],
    }

    def hand_out(self, name):
        whole = COURSE / name / "assignment.yaml"
        _, errors = self.run_program("handout", whole, "-o", name)
        self.assertEqual(errors, "")
        return whole, self.folder / name / "assignment.yaml"

    def check_course(self, name):
        whole, given = self.hand_out(name)
        texts = self.texts(name)
        everything = "\n".join(texts.values())
        for word in self.HIDDEN[name]:
            self.assertNotRegex(everything, r"(?<![\w.])%s(?![\w.])" % re.escape(word))
        template = next(text for place, text in texts.items() if place.endswith(".cu"))
        self.assertEqual([place for place in texts if "solution" in place or "wrong" in place], [])
        for file in (COURSE / name / "solutions").glob("*.cu"):
            for line in file.read_text().splitlines():
                if len(line.strip()) > 4 and line not in template:
                    self.assertNotIn(line.strip(), everything)
        self.assertNotIn("self_test", everything)
        for word in ("flag", "visibility", "hidden", "#"):
            self.assertNotIn(word, texts["assignment.yaml"])
        files = sorted((COURSE / name).rglob("*.cu"))
        solutions = [file for file in files if file.parent.name == "solutions"]
        for file in solutions + of_today([file for file in files if file not in solutions], 2):
            with self.subTest(file=file.name, seed=SEED):
                expected = self.verdicts(whole, file)
                self.assertEqual(self.verdicts(given, file), expected)
                if file.parent.name == "solutions":
                    self.assertEqual((expected[0], expected[2]), ("graded", 8))

    def test_doublify(self):
        self.check_course("doublify")

    def test_multiply_them(self):
        self.check_course("multiply_them")

    def test_linear_combination(self):
        self.check_course("linear_combination")

    def test_reduction(self):
        self.check_course("reduction")


class Handout(Texts, GradeTest):
    def setUp(self):
        super().setUp()
        self.write("scale.cu", TEMPLATE)

    def hand_out(self, *more, out="given", assignment="hw1.yaml", code=0):
        return self.run_program("handout", assignment, "-o", out, *more, code=code)

    def refused_handout(self, *more, code=2):
        out, errors = self.hand_out(*more, code=code)
        self.assertEqual(out, "")
        self.assertFalse((self.folder / "given").exists())
        self.assertEqual(list(self.folder.glob(".given*")), [])
        return errors

    def change(self, old, new, file="hw1.yaml"):
        path = self.folder / file
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new))

    def test_what_is_written(self):
        out, errors = self.hand_out()
        self.assertEqual(errors, "")
        texts = self.texts("given")
        self.assertEqual(list(texts), ["README.md", "assignment.yaml", "handout.json", "scale.cu",
                                       "suites/scale.yaml"])
        self.assertEqual(out.splitlines(), ["given/" + place for place in texts])
        self.assertEqual(texts["scale.cu"], TEMPLATE)
        self.assertIn("axes: {n: [32]}", texts["suites/scale.yaml"])
        self.assertIn('file: "../scale.cu"', texts["suites/scale.yaml"])
        self.assertIn("warpmark try assignment.yaml scale.cu", texts["README.md"])
        for text in texts.values():
            self.assertNotIn("odd", text)
            self.assertNotRegex(text, r"\b(100|257)\b")
        self.hand_out("--hidden-points", out="more")
        self.assertIn("give 4 points", self.texts("more")["README.md"])

    def test_types_need_no_solution(self):
        for name in ("float32", "int32"):
            self.change(", dtype: " + name, "", "suites/scale.yaml")
        self.hand_out()
        suite = self.texts("given")["suites/scale.yaml"]
        for line in ("out: {out: n, dtype: float32}", "n: {scalar: n, dtype: int32}"):
            self.assertIn(line, suite)
        # Types do not come from the students' file either, which may have no kernel.
        (self.folder / "given/scale.cu").write_text("// nothing\n")
        self.write("my.cu", KERNEL)
        self.assertEqual(self.verdicts("given/assignment.yaml", "my.cu")[2], 2)
        self.write("my.cu", KERNEL.replace("float", "double"))
        self.assertEqual(self.verdicts("given/assignment.yaml", "my.cu")[0], "compile_error")

    def test_types_may_differ(self):
        self.change("axes: {n: [32, 100, 257]}",
                    "axes: {n: [32, 100, 257], type: [float32, float64]}", "suites/scale.yaml")
        self.change("entry: scale", "entry: scale, define: {T: ctype(type)}", "suites/scale.yaml")
        for name in ("out: {out: n", "src: {in: rng.standard_normal(n)"):
            self.change(name + ", dtype: float32", name, "suites/scale.yaml")
        text = KERNEL.replace("float *", "T *")
        self.write("suites/scale.cu", text)
        self.write("scale.cu", TEMPLATE.replace("float *", "T *"))
        self.hand_out()
        self.write("my.cu", text)
        self.assertEqual(self.verdicts("given/assignment.yaml", "my.cu"),
                         self.verdicts("hw1.yaml", "my.cu"))

    def test_a_template_is_made(self):
        (self.folder / "scale.cu").unlink()
        self.hand_out()
        template = self.texts("given")["scale.cu"]
        self.assertIn("void scale(float *out, const float *src, float f, int n) {\n  // TODO: ",
                      template)
        self.assertNotIn("blockIdx", template)
        # A solution with the students' file name beside the assignment is no template, either.
        self.write("scale.cu", KERNEL)
        self.change("limits:", "self_test: {must_pass: [scale.cu]}\nlimits:")
        self.hand_out(out="again")
        self.assertEqual(self.texts("again")["scale.cu"], template)

    def test_templates_that_are_none(self):
        self.write("scale.cu", KERNEL)
        self.assertIn("gets points for the visible case `small`", self.refused_handout())
        self.change("limits:", "template: start/my.cu\nlimits:")
        self.assertIn("hw1.yaml:9:11: error: there is no file `start/my.cu`", self.refused_handout())
        self.write("start/my.cu", KERNEL)
        self.write("right.cu", KERNEL)
        self.change("limits:", "self_test: {must_pass: [right.cu]}\nlimits:")
        self.assertIn("the template start/my.cu is a solution", self.refused_handout())
        self.write("start/my.cu", TEMPLATE)
        self.hand_out()
        self.assertEqual(self.texts("given")["scale.cu"], TEMPLATE)
        self.write("course/hw1.yaml", ASSIGNMENT.replace("suites/", "../suites/") +
                   "template: ../scale.cu\n")
        errors = self.hand_out(assignment="course/hw1.yaml", out="other", code=2)[1]
        self.assertIn("`template` must be a file in the assignment's folder", errors)
        self.write("start/my.cu", TEMPLATE.replace("{", "{ what?", 1))
        self.assertIn("warning: the template scale.cu is not launched", self.hand_out(out="bad")[1])

    def test_what_cannot_be_handed_out(self):
        self.write("given/mine", "")
        self.assertIn("there is already given", self.hand_out(code=2)[1])
        shutil.rmtree(self.folder / "given")
        self.assertIn("-o DIR", self.run_program("handout", "hw1.yaml", code=2)[1])
        self.change("- {name: small, points: 2,", "- {name: small, visibility: hidden, points: 2,")
        self.assertIn("all cases of the assignment are hidden", self.refused_handout())

    def test_a_baseline_may_be_no_reference(self):
        self.change("reference: {out: f * src}", "reference: {out: baseline.out}\n"
                    "baseline: {kernel: {file: best.cu, entry: scale}}", "suites/scale.yaml")
        self.write("suites/best.cu", KERNEL)
        self.assertIn("which is a solution", self.refused_handout())

    def test_nobody_grades_with_it(self):
        self.hand_out()
        self.hand_in(ada=KERNEL)
        for words in (["class", "-o", "out", "--secret", "secret"], ["--lint"]):
            errors = self.run_program("grade", "given/assignment.yaml", *words, "--device", "cpu",
                                      code=2)[1]
            self.assertIn("this is what students got", errors)
        self.assertIn("this is what students got",
                      self.hand_out(assignment="given/assignment.yaml", out="more", code=2)[1])

    def test_broken_stores(self):
        self.hand_out()
        self.write("my.cu", KERNEL)
        for text, message in (("{", "is not as `warpmark handout` wrote it"),
                              ('{"warpmark_handout": 2}', "another version"),
                              ('{"warpmark_handout": 1, "items": {}}', "has nothing of `scale.n=32`")):
            self.write("given/handout.json", text)
            self.assertIn(message, self.run_program("try", "given/assignment.yaml", "my.cu",
                                                    code=2)[1])

    def test_counters_are_stored(self):
        # The worst case of `coalesced` with a baseline of the suite's, and with the own kernel.
        self.change("reference: {out: f * src}", "reference: {out: f * src}\n"
                    "expect: {coalesced: true}", "suites/scale.yaml")
        slow = KERNEL.replace("if (i < n) out[i] = f * src[i];",
                              "if (i == 0) for (int k = 0; k < n; ++k) out[k] = f * src[k];")
        for given, more in (("own", ""),
                            ("theirs", "\nbaseline: {kernel: {file: best.cu, entry: scale}}")):
            self.write("suites/best.cu", "// the best\n" + KERNEL)
            self.change("expect: {coalesced: true}", "expect: {coalesced: true}" + more,
                        "suites/scale.yaml")
            self.hand_out(out=given)
            everything = "\n".join(self.texts(given).values())
            self.assertNotIn("baseline", everything)
            self.assertNotIn("best", everything)
            store = json.loads(self.texts(given)["handout.json"])["items"]["scale.n=32"]
            self.assertGreater(store["counters"]["ptx_thread_instructions"], 32)
            for text in (KERNEL, slow):
                self.write("my.cu", text)
                expected = self.verdicts("hw1.yaml", "my.cu")
                self.assertEqual(self.verdicts(given + "/assignment.yaml", "my.cu"), expected)
                self.assertEqual(expected[2], 2 if text == KERNEL else 0)

    def test_the_course_s_kernel_limits_instructions_there_too(self):
        self.change("limits: {instructions: 4e9, timeout_s: 60}", "limits: {timeout_s: 60}")
        self.hand_out()
        self.assertGreater(json.loads(self.texts("given")["handout.json"])["items"]["scale.n=32"]["instructions"], 32)
        self.write("my.cu", ENDLESS)
        for assignment in ("hw1.yaml", "given/assignment.yaml"):
            out, _ = self.run_program("try", assignment, "my.cu", "--case", "scale.n=32", "--device", "cpu", code=1)
            self.assertIn("more than 100 times the instructions of the assignment's own kernel", " ".join(out.split()))

    def test_a_doubtful_failure_is_the_file_s(self):
        # If the course's check raises, the whole assignment also runs its own kernel.
        self.write("suites/ref.py", "def is_right(out):\n    assert out[0] != 0\n    return True\n")
        self.change("reference: {out: f * src}", "reference: {out: f * src}\n"
                    'check: {function: "ref.py:is_right"}', "suites/scale.yaml")
        self.hand_out()
        self.write("my.cu", KERNEL.replace("f * src[i]", "0 * src[i]"))
        expected = self.verdicts("hw1.yaml", "my.cu")
        self.assertEqual(self.verdicts("given/assignment.yaml", "my.cu"), expected)
        # The template fails alike, and is not asked.
        self.write("given/scale.cu", (self.folder / "my.cu").read_text())
        self.assertEqual(self.verdicts("given/assignment.yaml", "my.cu"), expected)

    def test_files_that_a_suite_needs(self):
        self.write("suites/ref.py", "def expected(f, src):\n    return f * src\n")
        self.change("reference: {out: f * src}",
                    'reference: {out: {function: "ref.py:expected"}}', "suites/scale.yaml")
        self.write("course.h", "#define TWICE 2\n")
        self.change("limits:", "submission: {headers: [course.h], max_kib: 2**3}\n"
                    "ptx: {forbid: [malloc], flag: [vprintf]}\nlimits:")
        self.hand_out()
        texts = self.texts("given")
        self.assertEqual(texts["suites/ref.py"], (self.folder / "suites/ref.py").read_text())
        self.assertEqual(texts["course.h"], "#define TWICE 2\n")
        self.assertIn("headers: [course.h]", texts["assignment.yaml"])
        self.assertIn("max_kib: 2**3", texts["assignment.yaml"])
        self.assertNotIn("vprintf", texts["assignment.yaml"])
        self.write("my.cu", '#include "course.h"\n' + KERNEL)
        self.assertEqual(self.verdicts("given/assignment.yaml", "my.cu")[2], 2)
        # A Python file that lies elsewhere comes along under its name.
        (self.folder / "suites/ref.py").rename(self.folder / "ref.py")
        self.change("ref.py:expected", "../ref.py:expected", "suites/scale.yaml")
        self.hand_out(out="again")
        self.assertIn('"ref.py:expected"', self.texts("again")["suites/scale.yaml"])
        self.assertEqual(self.verdicts("again/assignment.yaml", "my.cu")[2], 2)

    def test_macros(self):
        self.change("reference:", "skip: {when: n > 257, reason: too large}\n"
                    "bench: {axes: {n: [257]}}\nreference:", "suites/scale.yaml")
        self.change("entry: scale", "entry: scale, define: {SIZE: n}, options: [-DNAME=a_b, "
                    "--fmad=false]", "suites/scale.yaml")
        self.hand_out()
        self.write("my.cu", KERNEL.replace("i < n", "i < SIZE"))
        self.assertEqual(self.verdicts("given/assignment.yaml", "my.cu")[2], 2)
        self.assertNotIn("257", "\n".join(self.texts("given").values()))

    def test_another_suite(self):
        self.write("suites/deep-er/other.yaml", SUITE.replace("scale.cu", "../scale.cu").replace(
            "f: {scalar: 3", "f: {scalar: 5"))
        self.change("credit: each, hint: any n}", "credit: each, hint: any n}\n"
                    "  - {name: other, points: 3, suite: suites/deep-er/other.yaml, "
                    "axes: {n: [5, 100]}, where: not n=100}")
        self.hand_out()
        self.assertIn("suites/deep-er/other.yaml", self.texts("given"))
        self.write("my.cu", KERNEL)
        expected = self.verdicts("hw1.yaml", "my.cu")
        self.assertEqual(expected[2], 5)
        self.assertEqual(self.verdicts("given/assignment.yaml", "my.cu"), expected)

    def test_cases_that_are_no_product(self):
        self.change("axes: {n: [32, 100, 257]}", """axes:
  n: [32, 100, 257]
  m: {zip: n, values: [1, 2, 3]}
  word: ['"a b"', {value: '"c"', label: see}]
cases: [{n: 1000, m: 7, word: {value: '"d e"', label: de}}]""".replace(
            "['\"a b\"',", "[{value: '\"a b\"', label: ab},"), "suites/scale.yaml")
        self.change("{name: small, points: 2, axes: {n: [32]}}",
                    "{name: small, points: 2, where: n=32 and see or n=1000}")
        self.change("axes: {n: [100, 257]}", "where: '*n=100,* or n=257'")
        self.hand_out()
        self.write("my.cu", KERNEL)
        expected = self.verdicts("hw1.yaml", "my.cu")
        self.assertEqual(len(expected[3]), 2)
        self.assertEqual(self.verdicts("given/assignment.yaml", "my.cu"), expected)
        self.assertNotRegex("\n".join(self.texts("given").values()), r"\b(100|257)\b")

    def test_unusual_characters(self):
        self.change("title: Scaling", 'title: "Skalieren: \\"100 %\\" | ä #1"')
        self.change("name: small", 'name: "klein, {größe}: ä | \'x\'"')
        self.change("limits:", "submission: {file: mein kernel (ä).cu}\nlimits:")
        self.write("mein kernel (ä).cu", TEMPLATE)
        self.hand_out(out="für alle")
        texts = self.texts("für alle")
        self.assertIn("mein kernel (ä).cu", texts)
        self.assertIn("'mein kernel (ä).cu'", texts["README.md"])
        self.write("my.cu", KERNEL)
        self.assertEqual(self.verdicts("für alle/assignment.yaml", "my.cu"),
                         self.verdicts("hw1.yaml", "my.cu"))

    def test_words_of_hidden_cases_are_reported(self):
        self.change("title: Scaling", "title: Scaling of odd sizes")
        errors = self.hand_out()[1]
        self.assertIn("warning: assignment.yaml has the words of a hidden case: odd", errors)

    def test_it_may_be_moved(self):
        self.hand_out()
        shutil.move(self.folder / "given", self.folder / "suites/deep")
        self.write("my.cu", KERNEL)
        self.assertEqual(self.verdicts("suites/deep/assignment.yaml", "my.cu"),
                         self.verdicts("hw1.yaml", "my.cu"))


if __name__ == "__main__":
    unittest.main()
