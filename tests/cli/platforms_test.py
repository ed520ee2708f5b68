# Files of platforms in their own forms, in and out: each result file is held against what its platform takes.
#
# tests/cli/platforms/ has exports as Canvas (lib/gradebook_exporter.rb), Moodle (mod/assign/gradingtable.php) and Gradescope
# (its manual of autograders) write them. What takes a file is written anew here by their rules: Canvas's gradebook importer,
# Moodle's import of a grading worksheet, and Gradescope's table of results.json.
import csv
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import zipfile

from assignment import ASSIGNMENT, KERNEL, WRONG, GradeTest
from ci_pipeline import GithubJob
from student_path_test import TAG, WHEEL, write_wheel

try:
    import yaml
except ImportError:
    yaml = None

FILES = pathlib.Path(__file__).resolve().parent / "platforms"
DUE = ASSIGNMENT.replace("fixed: [f]\n", "fixed: [f]\ndue: 2026-11-20T12:00:00+01:00\nlate: {per_day: 10%, days: 3}\n")
MOODLE = "%s_assignsubmission_file_/scale.cu"


def table(text):
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def packed_again(archive, files):
    """A renamed archive, as a Mac makes one of an unpacked export: with a folder around it, and files of its own."""
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("export 2/.DS_Store", "\0\0\0\1Bud1")
        for name, text in files.items():
            made.writestr("export 2/" + name, text)
            folder, _, file = name.rpartition("/")
            made.writestr("__MACOSX/export 2/%s._%s" % (folder + "/" if folder else "", file), "\0\5\x16\7")


class Platforms(GradeTest):
    def setUp(self):
        super().setUp()
        for file in FILES.iterdir():
            shutil.copy(file, self.folder)

    def put(self, files):
        for name, text in files.items():
            self.write("class/" + name, text)

    def points(self):
        return {row["student"]: row["points"] for row in self.rows()}


class Canvas(Platforms):
    SUBMITTED = {"lovelaceada_1001_501_scale.cu": KERNEL, "boolegeorge_LATE_1002_502_scale-1.cu": WRONG,
                 "liwei_1006_503_scale.cu": KERNEL, "liwei_1007_504_scale-2.cu": WRONG}

    def import_gradebook(self, text, gradebook):
        """Takes a file as the importer does: by the first columns' names, and users by their ids. Returns points by id."""
        rows, known = table(text), table((FILES / gradebook).read_text(encoding="utf-8-sig"))
        header = rows[0]
        self.assertEqual(header[:2], ["Student", "ID"])
        assignments = [name for name in header[2:] if name not in ("SIS User ID", "SIS Login ID", "Section")]
        self.assertEqual(len(assignments), 1, "each further column would be a new assignment")
        self.assertIn(assignments[0], known[0], "the column is not the gradebook's, and would be a new assignment")
        self.assertEqual({len(row) for row in rows}, {len(header)})
        self.assertRegex(rows[1][0], r"^\s*Points Possible$")
        possible = next(row for row in known if row[0].strip() == "Points Possible")
        self.assertEqual(float(rows[1][-1]), float(possible[known[0].index(assignments[0])]))
        users = {row[1]: row for row in known if row[1].isdigit()}
        points = {}
        for row in rows[2:]:
            self.assertEqual(row[:4], users[row[1]][:4])  # name, ID, SIS User ID, SIS Login ID
            points[row[1]] = float(row[-1])
        self.assertEqual(len(points), len(rows) - 2)
        return points

    def test_its_gradebook_comes_in_and_goes_out(self):
        self.put(self.SUBMITTED)
        _, errors = self.grade("--roster", "canvas.csv", "--canvas", "import.csv", code=5)
        self.assertIn("the platform says that `Boole, George` is late", errors)
        self.assertNotIn("Student, Test", errors)
        self.assertNotIn("Manual Posting", errors)
        points = self.import_gradebook((self.folder / "import.csv").read_text(), "canvas.csv")
        self.assertEqual(points, {"1001": 6, "1002": 0, "1006": 6, "1007": 0})

    def test_as_a_german_canvas_writes_it(self):
        self.put({"lovelaceada_1001_501_scale.cu": KERNEL})
        self.grade("--roster", "canvas-semicolons.csv", "--canvas", "import.csv", code=5)
        rows = table((self.folder / "import.csv").read_text())
        self.assertEqual((rows[0][-1], rows[2]), ("Scaling (4711)", ["Ada Lovelace", "1001", "S1001", "ada@example.edu",
                                                                   "CS-101-A", "6"]))

    def test_a_roster_of_last_year(self):
        self.put(self.SUBMITTED)
        old = (FILES / "canvas.csv").read_text().replace("100", "90")
        self.write("old.csv", old)
        _, errors = self.grade("--roster", "old.csv", "--canvas", "import.csv", code=5)
        for student in ("lovelaceada", "boolegeorge"):
            self.assertIn("`%s` is not in the roster, and is graded under that name" % student, errors)
        self.assertEqual(len(table((self.folder / "import.csv").read_text())), 2, "nobody gets another's grade")

    def test_a_renamed_export_that_was_packed_again(self):
        packed_again(self.folder / "hw1 (1).zip", self.SUBMITTED)
        _, errors = self.grade("--roster", "canvas.csv", "--canvas", "import.csv", paths=("hw1 (1).zip",), code=5)
        self.assertNotIn("left out", errors)
        points = self.import_gradebook((self.folder / "import.csv").read_text(), "canvas.csv")
        self.assertEqual(points, {"1001": 6, "1002": 0, "1006": 6, "1007": 0})

    def test_blind_marking(self):
        """Canvas exports no id of a user then, and its gradebook takes nothing before names are shown again."""
        self.put({"anon_Ab3dE_501_scale.cu": KERNEL, "LATE_anon_x9Yz1_502_scale.cu": WRONG})
        _, errors = self.grade("--roster", "canvas.csv", "--canvas", "import.csv", code=5)
        self.assertEqual(self.points(), {"anon Ab3dE": "6", "anon x9Yz1": "0"})
        self.assertIn("`anon Ab3dE` is not in the roster, and is graded under that name", errors)
        self.assertEqual(len(table((self.folder / "import.csv").read_text())), 2)

    def test_the_last_of_two_attempts_counts(self):
        # Canvas exports the last one, with its number; two exports in one folder have both.
        self.put({"lovelaceada_1001_501_scale.cu": WRONG, "lovelaceada_1001_602_scale-1.cu": KERNEL,
                  "boolegeorge_1002_701_scale-2.cu": KERNEL, "boolegeorge_1002_603_scale-1.cu": WRONG})
        self.grade("--roster", "canvas.csv", code=5)
        self.assertEqual(self.points(), {"Lovelace, Ada": "6", "Boole, George": "6"})
        self.assertIn("the last attempt was taken", self.results()["Lovelace, Ada"]["staff"])


class Moodle(Platforms):
    def import_worksheet(self, text, worksheet, maximum=6):
        """Takes a worksheet as Moodle does. Returns grades and feedback by participant."""
        rows, known = table(text), table((FILES / worksheet).read_text())
        header = rows[0]
        for name in ("Identifier", "Grade", "Last modified (grade)"):
            self.assertEqual(header.count(name), 1, name)
        self.assertGreater(header.index("Feedback comments"), 0, "Moodle takes a column 0 for none")
        at = {name: header.index(name) for name in header}
        times = {row[0]: row[known[0].index("Last modified (grade)")] for row in known[1:]}
        taken = {}
        for row in rows[1:]:
            self.assertEqual(len(row), len(header))
            identifier = row[at["Identifier"]]
            self.assertIn(identifier, times)
            self.assertTrue(identifier[len("Participant "):].isdigit())
            self.assertIn(row[at["Last modified (grade)"]] or "-", (times[identifier], "-"), "it would be taken for stale")
            self.assertTrue(0 <= float(row[at["Grade"]]) <= maximum)
            taken[identifier] = (float(row[at["Grade"]]), row[at["Feedback comments"]])
        return taken

    def test_its_worksheet_comes_in_and_goes_out(self):
        self.put({MOODLE % "Team 1-Ada Lovelace_5001": KERNEL, MOODLE % "Team 1-George Boole_5002": KERNEL,
                  MOODLE % "Team 2-Wei Li_5006": WRONG})
        _, errors = self.grade("--roster", "moodle.csv", "--moodle", "import.csv", code=5)
        self.assertIn("of 1 student of the roster there is no submission: Wei Li (Participant 5007)", errors)
        taken = self.import_worksheet((self.folder / "import.csv").read_text(), "moodle.csv")
        self.assertEqual({one: grade for one, (grade, _) in taken.items()},
                         {"Participant 5001": 6, "Participant 5002": 6, "Participant 5006": 0})
        self.assertIn("small: 0 of 2 points, wrong<br>", taken["Participant 5006"][1])

    def test_a_renamed_export_that_was_packed_again(self):
        packed_again(self.folder / "CS101-Scaling-77 (2).zip", {MOODLE % "Team 1-Ada Lovelace_5001": KERNEL,
                                                                MOODLE % "Team 2-Wei Li_5007": WRONG})
        self.grade("--roster", "moodle.csv", "--moodle", "import.csv", paths=("CS101-Scaling-77 (2).zip",), code=5)
        taken = self.import_worksheet((self.folder / "import.csv").read_text(), "moodle.csv")
        self.assertEqual({one: grade for one, (grade, _) in taken.items()}, {"Participant 5001": 6, "Participant 5007": 0})

    def test_a_roster_of_last_year(self):
        """The participants of another assignment, with the same names and other ids."""
        self.put({MOODLE % "Team 1-Ada Lovelace_5001": KERNEL, MOODLE % "Team 2-Wei Li_5006": WRONG})
        self.write("old.csv", (FILES / "moodle.csv").read_text().replace("Participant 50", "Participant 40"))
        _, errors = self.grade("--roster", "old.csv", "--moodle", "import.csv", code=5)
        for student in ("Ada Lovelace", "Wei Li"):
            self.assertRegex(errors, "`[^`]*%s` is not in the roster, and is graded under that name" % student)
        self.assertEqual(len(table((self.folder / "import.csv").read_text())), 1, "nobody gets another's grade")

    def test_a_late_group(self):
        """Each member has a grade, and lateness of a member's own, as the extension of one is not the other's."""
        self.write("hw1.yaml", DUE)
        self.put({MOODLE % "Team 1-Ada Lovelace_5001": KERNEL, MOODLE % "Team 1-George Boole_5002": KERNEL})
        self.write("times.csv", "student,time\nAda Lovelace,2026-11-21T10:00:00+01:00\nGeorge Boole,2026-11-21T10:00:00+01:00\n")
        self.write("extensions.csv", "student,days,reason\nGeorge Boole,1,was ill\n")
        self.grade("--roster", "moodle.csv", "--times", "times.csv", "--extensions", "extensions.csv", "--moodle", "import.csv",
                   code=5)
        taken = self.import_worksheet((self.folder / "import.csv").read_text(), "moodle.csv")
        self.assertEqual({one: grade for one, (grade, _) in taken.items()}, {"Participant 5001": 5.4, "Participant 5002": 6})
        self.assertIn("late: -0.6 points", taken["Participant 5001"][1])

    def test_blind_marking(self):
        self.put({MOODLE % "Participant_5001": KERNEL, MOODLE % "Participant_5002": WRONG})
        self.grade("--roster", "moodle-blind.csv", "--moodle", "import.csv")
        taken = self.import_worksheet((self.folder / "import.csv").read_text(), "moodle-blind.csv")
        self.assertEqual({one: grade for one, (grade, _) in taken.items()},
                         {"Participant 5001": 6, "Participant 5002": 0})


class Gradescope(Platforms):
    FORMATS = ("text", "html", "simple_format", "md", "ansi")
    VISIBILITY = ("hidden", "after_due_date", "after_published", "visible")

    def setUp(self):
        super().setUp()
        self.write("hw1.yaml", DUE)
        self.write("autograder/submission/scale.cu", KERNEL)
        self.metadata = json.loads((FILES / "gradescope.json").read_text())

    def grade_it(self, code=0):
        self.write("autograder/submission_metadata.json", json.dumps(self.metadata))
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        out, errors = self.grade(paths=("autograder/submission",), code=code)
        for file in (self.folder / "out/students").glob("*/results.json"):
            self.check_results(json.loads(file.read_text()))
        return out + errors

    def check_results(self, results):
        """Each field of the manual, with its type; no others."""
        number = (int, float)
        fields = {"score": number, "execution_time": number, "output": str, "output_format": str,
                  "test_output_format": str, "test_name_format": str, "visibility": str, "stdout_visibility": str,
                  "extra_data": dict, "tests": list, "leaderboard": list}
        of_test = {"score": number, "max_score": number, "status": str, "name": str, "name_format": str, "number": str,
                   "output": str, "output_format": str, "tags": list, "visibility": str, "extra_data": dict}
        for fields_of, record in [(fields, results)] + [(of_test, test) for test in results["tests"]]:
            for name, value in record.items():
                self.assertIsInstance(value, fields_of[name], name)
                if name.endswith("format"):
                    self.assertIn(value, self.FORMATS)
                if name.endswith("visibility"):
                    self.assertIn(value, self.VISIBILITY)
                if name == "status":
                    self.assertIn(value, ("passed", "failed"))
        self.assertTrue("score" in results or all("score" in test for test in results["tests"]))
        for entry in results.get("leaderboard", []):
            self.assertLessEqual({"name", "value"}, set(entry))

    def test_due_dates_of_each_student(self):
        # A group that is 11 hours late for Ada; George has an extension.
        self.grade_it()
        self.assertEqual(self.points(), {"Ada Lovelace": "5.4", "George Boole": "6"})

    def test_without_due_dates(self):
        self.metadata["assignment"].update(due_date=None, late_due_date=None)
        for user in self.metadata["users"]:
            user["assignment"].update(due_date=None, late_due_date=None)
        self.grade_it()
        self.assertEqual(self.points(), {"Ada Lovelace": "5.4", "George Boole": "5.4"}, "the assignment's own counts")
        for user in self.metadata["users"]:
            del user["assignment"]
        del self.metadata["assignment"]
        self.grade_it()
        self.assertEqual(self.points(), {"Ada Lovelace": "5.4", "George Boole": "5.4"})

    def test_daylight_saving_between_hand_out_and_due(self):
        # 12:00 in Berlin is 10:00 UTC before 25 October 2026 and 11:00 UTC after it.
        self.write("hw1.yaml", DUE.replace("2026-11-20T12:00:00+01:00", "2026-10-26T12:00:00+01:00"))
        due = {"due_date": "2026-10-26T12:00:00.000000+01:00", "release_date": "2026-10-19T00:00:00.000000+02:00"}
        self.metadata["assignment"].update(due)
        self.metadata["users"] = [dict(self.metadata["users"][0], assignment=due)]
        for time, points in (("2026-10-26T12:59:00.000000+02:00", "6"), ("2026-10-26T11:59:59.000000+01:00", "6"),
                             ("2026-10-26T12:00:01.000000+01:00", "5.4")):
            self.metadata["created_at"] = time
            self.grade_it()
            self.assertEqual(self.points(), {"Ada Lovelace": points}, time)


class GradescopeExport(Platforms):
    """All submissions at once: a folder for each, and submission_metadata.yml as Ruby writes it."""

    METADATA = """---
submission_9001:
  :submitters:
  - :name: Ada Lovelace
    :sid: 'S1001'
    :email: ada@example.edu
  - :name: George Boole
    :sid: 'S1002'
    :email: gb2@example.edu
  :created_at: 2026-11-20 21:30:00.000000000 Z
  :score: 0.0
  :status: processed
  :results: {}
  :history:
  - :id: 8999
    :created_at: 2026-11-20 10:30:00.000000000 Z
    :score: 0.0
submission_9002:
  :submitters:
  - &1
    :name: Wei Li
    :sid: 'S1006'
    :email: lw6@example.edu
  :created_at: 2026-11-20 10:30:00.000000000 Z
  :owner: *1
submission_9003:
  :submitters:
  - :name: Wei Li
    :sid: 'S1007'
    :email: lw7@example.edu
  :created_at: 2026-11-20 10:30:00.000000000 Z
"""
    FILES = {"submission_9001/scale.cu": KERNEL, "submission_9002/scale.cu": KERNEL, "submission_9003/scale.cu": WRONG,
             "submission_metadata.yml": METADATA}
    ROSTER = ("First Name,Last Name,SID,Email,Sections\nAda,Lovelace,S1001,ada@example.edu,A\nGeorge,Boole,S1002,gb2@example.edu,A\n"
              "Wei,Li,S1006,lw6@example.edu,A\nWei,Li,S1007,lw7@example.edu,B\n")

    def setUp(self):
        super().setUp()
        self.write("hw1.yaml", DUE)
        self.put(self.FILES)

    def test_a_late_group_two_attempts_and_homonyms(self):
        """The active submission counts, by its own time; an earlier one in time is not it."""
        self.write("roster.csv", self.ROSTER)
        self.grade("--roster", "roster.csv")
        self.assertEqual(self.points(), {"Ada Lovelace": "5.4", "George Boole": "5.4", "Wei Li (S1006)": "6",
                                         "Wei Li (S1007)": "0"})

    def test_a_renamed_export_that_was_packed_again(self):
        packed_again(self.folder / "assignment_77_export (1).zip", self.FILES)
        self.grade(paths=("assignment_77_export (1).zip",))
        self.assertEqual(sorted(self.points().values()), ["0", "5.4", "5.4", "6"])

    def test_a_roster_of_last_year(self):
        self.write("roster.csv", self.ROSTER.replace("S10", "S09").replace("@example", "@alumni.example"))
        _, errors = self.grade("--roster", "roster.csv", code=5)
        self.assertIn("`Ada Lovelace` is not in the roster, and is graded under that name", errors)
        self.assertEqual(len(self.points()), 4)

    def test_metadata_without_times(self):
        self.put({"submission_metadata.yml": "\n".join(line for line in self.METADATA.splitlines() if "created_at" not in line)})
        _, errors = self.grade(code=5)
        self.assertIn("nobody says when anything was handed in", errors)
        self.assertEqual(self.points()["Ada Lovelace"], "6")


class DaylightSaving(Platforms):
    """In Berlin a day in October 2026 has 25 hours: from 24 October 12:00 on, 24 hours end at 11:00."""

    def setUp(self):
        super().setUp()
        self.write("hw1.yaml", DUE.replace("2026-11-20T12:00:00+01:00", "2026-10-24T12:00:00+02:00"))
        self.hand_in(ada=KERNEL, bob=KERNEL, cem=KERNEL, dee=KERNEL)

    def test_days_have_24_hours(self):
        self.write("times.csv", "student,time\nada,2026-10-25T11:00:00+01:00\nbob,2026-10-25T11:00:01+01:00\n"
                   "cem,2026-10-25T11:00:00+01:00\ndee,2026-10-25T11:00:01+01:00\n")
        self.write("extensions.csv", "student,days,until,reason\ncem,1,,\ndee,,2026-10-25T12:00:00+01:00,a day by the clock\n")
        self.grade("--times", "times.csv", "--extensions", "extensions.csv")
        self.assertEqual(self.points(), {"ada": "5.4", "bob": "4.8", "cem": "6", "dee": "6"})


class Classroom(Platforms):
    def test_the_workflow_runs_as_it_is_delivered(self):
        """Its own steps, by the Python that it asks for, with its wheel: without a network."""
        if importlib.util.find_spec("ensurepip") is None:
            self.skipTest("this Python makes no environments: it has no ensurepip")
        if yaml is None:
            self.skipTest("no module yaml, which reads the workflow")
        write_wheel(self.folder / WHEEL)
        self.write("scale.cu", KERNEL.replace("  if (i < n) out[i] = f * src[i];\n", "  // your code\n"))
        self.run_program("pack", "github", "hw1.yaml", "--wheel", WHEEL, "-o", "repository")
        repository = self.folder / "repository"
        workflow = yaml.safe_load((repository / ".github/workflows/grade.yml").read_text())
        self.assertEqual(set(workflow[True]), {"push", "workflow_dispatch"})  # YAML 1.1 takes `on` for true
        job, = workflow["jobs"]
        uses = [step["uses"] for step in workflow["jobs"][job]["steps"] if "uses" in step]
        for one, action in zip(uses, ("checkout", "setup-python"), strict=True):
            self.assertRegex(one, "^actions/%s@[0-9a-f]{40}$" % action)
        subprocess.run([sys.executable, "-m", "venv", self.folder / "python"], check=True)
        environment = {**self.environment, "PIP_NO_INDEX": "1",
                       "PATH": "%s:%s" % (self.folder / "python/bin", os.environ["PATH"])}

        def run():
            ran = GithubJob(workflow, job, repository, environment, {"event_name": "push", "workspace": str(repository)})
            self.assertEqual(ran.python_version, "3." + TAG[3:])
            return ran
        ran = run()
        self.assertEqual(ran.codes(), {"Install Warpmark": 0, "Try the visible cases": 1}, ran.steps)
        self.assertIn("0 of 2 points", ran.output("Try the visible cases"))
        self.assertRegex(ran.output("Try the visible cases"), "(?m)^::error file=scale.cu,title=0 of 2 points")
        (repository / "scale.cu").write_text(KERNEL)
        ran = run()
        self.assertEqual(ran.codes(), {"Install Warpmark": 0, "Try the visible cases": 0}, ran.steps)
        self.assertIn("2 of 2 points", ran.output("Try the visible cases"))


if __name__ == "__main__":
    unittest.main()
