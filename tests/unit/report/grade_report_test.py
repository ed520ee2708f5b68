"""Reports of grades as the programs see them that read them: CSV, JUnit, Gradescope, HTML.

Usage: grade_report_test.py PROBE
"""
import csv
import html.parser
import io
import json
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

PROBE = sys.argv.pop()
STATES = ["graded", "graded", "refused", "compile_error", "limit", "fault", "grader_error", "grader_error"]


def reports(kind, students, cases=12):
    answer = subprocess.run([PROBE, kind, str(students), str(cases)], capture_output=True, check=True)
    parts = answer.stdout.decode("utf-8", "strict").split("\0")
    assert parts.pop() == ""
    return parts


def report(kind, students, cases=12):
    (only,) = reports(kind, students, cases)
    return only


class Csv(unittest.TestCase):
    def table(self, students):
        text = report("csv", students)
        self.assertEqual(text.count("\n"), text.count("\r\n"))
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    def test_a_class(self):
        rows = self.table(120)
        self.assertEqual(len(rows), 120)
        names = [key[:-len(": points")] for key in rows[0] if key.endswith(": points")]
        self.assertEqual(len(names), 12)
        for row in rows:
            self.assertNotIn(None, row)
            if row["state"] == "grader_error":
                self.assertEqual(row["points"], "")
                continue
            parts = [float(row[name + ": points"]) for name in names]
            self.assertAlmostEqual(sum(parts), float(row["points"]), delta=0.005 * 13)
            self.assertLessEqual(float(row["points"]), float(row["max_points"]))
            for name in names:
                self.assertIn(row[name + ": word"], ("pass", "wrong", "memory error", "race", "barrier",
                                                     "limit", "not launched"))

    def test_states(self):
        rows = self.table("states")
        self.assertEqual([row["state"] for row in rows], STATES)
        self.assertEqual(list(rows[0]), ["student", "state", "points", "max_points",
                                         "small sizes: points", "small sizes: word",
                                         "odd sizes: points", "odd sizes: word",
                                         "other data: points", "other data: word",
                                         "submission_sha256", "flags"])
        self.assertEqual(rows[0]["points"], "6.67")
        self.assertEqual(rows[0]["flags"], "uses clock64")
        self.assertEqual(rows[2]["points"], "0")
        self.assertEqual([rows[6]["points"], rows[6]["small sizes: points"]], ["", ""])
        self.assertEqual(rows[6]["flags"], "graded without a sandbox")
        self.assertEqual([rows[7]["points"], rows[7]["small sizes: word"]], ["", ""])

    def test_no_program_finds_a_formula(self):
        text = report("csv", "hostile")
        for separator in ",;\t":
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
            self.assertEqual(len(rows), 9, "each result is one row")
            for row in rows:
                for cell in row:
                    self.assertNotRegex(cell, r"^[\s\"]*[=+\-@\uff1d\uff0b\uff0d\uff20]", separator)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\u202e", text)
        self.assertIn("'=<script>", text)


class Junit(unittest.TestCase):
    def check_counts(self, root, what):
        self.assertEqual(root.tag, "testsuites")
        for part in [root, *root.iter("testsuite")]:
            self.assertEqual(int(part.get("tests")), len(list(part.iter("testcase"))))
            for tag in ("failure", "error", "skipped"):
                number = part.get(tag + "s" if tag != "skipped" else tag)
                self.assertEqual(int(number), len(list(part.iter(tag))), (what, tag))

    def test_counts_are_those_of_the_elements(self):
        for students in ("states", "hostile", 5, 120, 0):
            self.check_counts(xml.etree.ElementTree.fromstring(report("junit", students).encode()), students)

    def test_golden_files_of_all_who_use_the_writer(self):
        files = sorted((pathlib.Path(__file__).parent / "junit_golden").iterdir())
        self.assertEqual([file.name for file in files], ["bench.xml", "check.xml", "grade.xml"])
        for file in files:
            root = xml.etree.ElementTree.parse(file).getroot()
            self.check_counts(root, file)
            said = "".join(root.itertext())
            self.assertIn("first <a href=\"x\">&amp; it's --> ]]> -- \ufffd[31m\ufffd\ufffd\tend\n: :error::forged\n# #[x]", said)

    def test_states(self):
        suites = list(xml.etree.ElementTree.fromstring(report("junit", "states").encode()))
        self.assertEqual([suite.get("name") for suite in suites][:3], ["anna", "zoe", "ben"])
        properties = {each.get("name"): each.get("value") for each in suites[0].iter("property")}
        self.assertEqual(properties["points"], "6.67")
        self.assertEqual(properties["flag"], "uses clock64")
        failures = list(suites[0].iter("failure"))
        self.assertEqual([each.get("type") for each in failures], ["wrong", "race"])
        self.assertEqual(failures[0].get("message"), "wrong: 1.67 of 5 points")
        self.assertIn("reproduce: warpmark try doubling my.cu --case doublify/double_array.n=401",
                      failures[0].text)
        self.assertIn("doublify/double_array.n=78", failures[1].text, "staff see hidden items")
        self.assertIn("expected a `;`", suites[3].find("system-out").text)
        for suite in suites[6:]:  # the grader's fault is no student's failure
            self.assertEqual(len(list(suite.iter("failure"))), 0)
            self.assertEqual([case.get("name") for case in suite.iter("testcase")
                              if case.find("error") is not None], ["grading"])
            self.assertNotIn("points", [each.get("name") for each in suite.iter("property")])
        self.assertEqual(suites[6].find(".//skipped").text.strip(),
                         "doublify/double_array.n=16: out of memory")


# Gradescope's own list: https://gradescope-autograders.readthedocs.io/en/latest/specs/
NUMBER = (int, float)
FORMATS = ("text", "html", "simple_format", "md", "ansi")
VISIBILITY = ("visible", "hidden", "after_due_date", "after_published")
TOP = {"score": NUMBER, "execution_time": NUMBER, "output": str, "output_format": FORMATS,
       "test_output_format": FORMATS, "test_name_format": FORMATS, "visibility": VISIBILITY,
       "stdout_visibility": VISIBILITY, "extra_data": dict, "tests": list, "leaderboard": list}
ROW = {"name": str, "value": NUMBER, "order": ("asc", "desc")}
TEST = {"score": NUMBER, "max_score": NUMBER, "status": ("passed", "failed"), "name": str,
        "name_format": FORMATS, "number": str, "output": str, "output_format": FORMATS, "tags": list,
        "visibility": VISIBILITY, "extra_data": dict}


class Gradescope(unittest.TestCase):
    def check(self, value, fields):
        self.assertEqual(set(value), set(fields))
        for name, kind in fields.items():
            if isinstance(kind, tuple) and isinstance(kind[0], str):
                self.assertIn(value[name], kind, name)
            else:
                self.assertIsInstance(value[name], kind, name)
            if name.endswith("_format"):
                self.assertEqual(value[name], "text", "of a log nothing may become markup")

    def results(self, students):
        def refuse(name):
            raise ValueError("no strict JSON: " + name)
        return [json.loads(text, parse_constant=refuse) for text in reports("gradescope", students)]

    def test_fields_and_kinds(self):
        for students in ("states", "hostile", 120):
            for result in self.results(students):
                graded = result["extra_data"]["state"] != "grader_error"
                self.check(result, {name: kind for name, kind in TOP.items()
                                    if graded or name not in ("score", "tests", "leaderboard")})
                for row in result.get("leaderboard", []):
                    self.check(row, ROW)
                for number, test in enumerate(result.get("tests", []), 1):
                    self.check(test, TEST)
                    self.assertEqual(test["number"], str(number))
                    self.assertTrue(test["output"])
                    self.assertTrue(all(isinstance(tag, str) for tag in test["tags"]))

    def test_scores(self):
        results = self.results("states")
        self.assertEqual([result.get("score") for result in results],
                         [6.67, 20, 0, 0, 0, 0, None, None])
        self.assertEqual([result.get("leaderboard") for result in results[:7:6]],
                         [[{"name": "points", "value": 6.67, "order": "desc"}], None])
        self.assertEqual([test["score"] for test in results[0]["tests"]], [5, 1.67, 0])
        self.assertEqual([test["max_score"] for test in results[0]["tests"]], [5, 5, 10])
        self.assertEqual([test["status"] for test in results[0]["tests"]], ["passed", "failed", "failed"])
        self.assertEqual({test["status"] for test in results[3]["tests"]}, {"failed"})

    def test_texts(self):
        results = self.results("states")
        wrong, hidden = results[0]["tests"][1:]
        self.assertIn("2 of 401 elements of `a` have the wrong value.", wrong["output"])
        self.assertIn("first: a[400] = 0.5, expected 1", wrong["output"])
        self.assertEqual(hidden["output"].splitlines()[0].partition(":")[0], "race")
        self.assertEqual(hidden["output"].splitlines()[1], "hint: What if n is no multiple of 128?")
        self.assertEqual(hidden["tags"], ["race", "hidden"])
        self.assertEqual(hidden["visibility"], "visible", "a hidden one would hide the total")
        self.assertIn("expected a `;`", results[3]["output"])
        self.assertEqual({test["output"] for test in results[3]["tests"]},
                         {"not launched: the message for the whole submission says why."})
        self.assertIn("not your fault", results[6]["output"])

    def test_no_command_to_a_runner(self):
        for text in reports("gradescope", "hostile"):
            self.assertNotIn("##[", text)
            self.assertNotRegex(text, r"(?m)^\s*::")


class Tags(html.parser.HTMLParser):
    """A page as a browser would parse it: its elements, attributes and text."""

    VOID = {"meta", "input"}

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open, self.wrong = set(), {}, [], []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attributes:
            self.attributes.setdefault(name, []).append(value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text += data


class Pages(unittest.TestCase):
    def check(self, page):
        tags = Tags(page)
        self.assertEqual((tags.open, tags.wrong), ([], []), "every element ends")
        self.assertLessEqual(tags.tags, set(
            "html head meta title style body h1 h2 h3 p div span b i table thead tbody tfoot tr th td "
            "details summary section pre code a footer dl dt dd input label".split()))
        self.assertLessEqual(set(tags.attributes), set(
            "lang charset http-equiv content name class id style scope title href open type for checked".split()))
        self.assertEqual(len(tags.attributes.get("id", [])), len(set(tags.attributes.get("id", []))))
        for label in tags.attributes.get("for", []):
            self.assertIn(label, tags.attributes["id"])
        for link in tags.attributes.get("href", []):
            self.assertRegex(link, r"^#student-[0-9]+$")
            self.assertIn(link[1:], tags.attributes["id"])
        for style in tags.attributes.get("style", []):
            self.assertRegex(style, r"^(width|height):[0-9.]+%(;background:var\(--[a-z0-9]+\))?$")
        self.assertIn("default-src 'none'; style-src 'unsafe-inline'", tags.attributes["content"])
        for bad in ("\x1b", "\u202e", "<script", "url(", "@import", "http://", "https://"):
            self.assertNotIn(bad, page)
        return tags

    def test_every_page_is_well_formed_and_loads_nothing(self):
        for students in ("states", "hostile", 0, 1, 5, 120):
            self.check(report("page", students))
        for students in ("states", "hostile", 5):
            for page in reports("student", students):
                self.check(page)
        for cases in (0, 1):
            self.check(report("page", 5, cases))
            self.check(reports("student", 5, cases)[-1])

    def test_hostile_texts_are_shown_and_nothing_more(self):
        text = self.check(report("page", "hostile")).text
        self.assertIn("=<script>alert('x')</script>&\"]]>", text)
        plain, hostile = Tags(report("page", "states")), Tags(report("page", "hostile"))
        self.assertLessEqual(hostile.tags, plain.tags)

    def test_staff_see_all_of_everyone(self):
        text = self.check(report("page", 120)).text
        for i in range(120):
            self.assertRegex(text, rf"[a-z]+_{i:03}")
        text = self.check(report("page", "states")).text
        for part in ("worker 3 was killed", "out of memory", "uses clock64", "Graded without a sandbox",
                     "doublify/double_array.n=78", "expected a `;`", "Not graded: 2",
                     "worst error nan, bound inf", "landlock abi 7", "Of 2 submissions that ran.",
                     "Left out: 4 submissions that did not compile or run.", "Your kernel ended with a race"):
            self.assertIn(part, text)

    def test_a_long_class_has_orders_and_filters(self):
        page = report("page", 120)
        tags = self.check(page)
        self.assertEqual(tags.attributes["checked"], ["", ""])
        for part in ("all 120", "by name", "that lost points"):
            self.assertIn(part, tags.text)
        bodies = re.findall(r'<tbody class="by-(points|name)">\n(.*?)</tbody>', page, re.S)
        self.assertEqual([name for name, _ in bodies], ["points", "name"])
        rows = [re.findall(r'<tr class="([a-z -]*)">.*?href="#(student-[0-9]+)">(.*?)</a>', body) for _, body in bodies]
        self.assertEqual(sorted(rows[0]), sorted(rows[1]))
        self.assertEqual(len(rows[1]), 120)
        self.assertEqual([row[1] for row in rows[1]], ["student-%d" % i for i in range(120)])
        # The style sheet hides and shows what is chosen, for rows and submissions alike.
        details = dict(re.findall(r'<details class="student ([a-z -]*)" id="(student-[0-9]+)"', page))
        self.assertEqual({row[0] for row in rows[0]}, set(details))
        lost = int(re.search(r"([0-9]+) that lost points", tags.text).group(1))
        self.assertEqual(sum("is-lost" in row[0] for row in rows[0]), lost)
        for rule in ("#order-name:checked~.tall tbody.by-points", "#show-lost:checked~.tall tbody tr:not(.is-lost)",
                     "#show-stopped:checked~details.student:not(.is-stopped)"):
            self.assertIn(rule, page)
        # Rules of other tables' rows would hide those of cases.
        self.assertNotRegex(page, r":checked~\.scroll")
        self.assertEqual(page.count('class="scroll tall"'), 1)
        self.assertNotIn('type="radio"', report("page", 5))

    def test_students_see_their_own_cases(self):
        pages = [self.check(page).text for page in reports("student", "states")]
        for part in ("6.67 of 20 points", "2 of 401 elements of a have the wrong value.",
                     "first: a[400] = 0.5", "What if n is no multiple of 128?",
                     "This case is hidden", "warpmark try doubling my.cu"):
            self.assertIn(part, pages[0])
        self.assertIn("expected a `;`", pages[3])
        self.assertEqual(pages[3].count("Your file does not compile."), 1, "the message is said once")
        self.assertIn("Not graded", pages[6])
        self.assertNotIn("0 of 20", pages[6])


if __name__ == "__main__":
    unittest.main()
