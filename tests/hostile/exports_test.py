# Tests that each student gets the own grade: exports in the platforms' own forms, with names that students may choose.
"""Usage: exports_test.py. Each test is an export, a roster, files of the course, and the points that each student must have.

A submission is one of three kernels, worth 6, 2 and 0 points, so that a grade that is lost, or lent to somebody else, shows.
The exports' names are as Canvas (user, LATE, user's id, attachment's id, file), Moodle (mod/assign/classes/downloader.php),
Gradescope (submission_metadata.yml) and GitHub Classroom (ASSIGNMENT-USER) write them.
"""
import io
import pathlib
import sys
import time
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from assignment import ASSIGNMENT, KERNEL, WRONG, GradeTest

PART = KERNEL.replace("if (i < n)", "if (i < n && n < 50)")
KERNELS = {6: KERNEL, 2: PART, 0: WRONG}
NOBODY = 5  # the exit code
DUE = ASSIGNMENT.replace("fixed: [f]\n", "fixed: [f]\ndue: 2026-11-20T12:00:00+01:00\nlate: {per_day: 50%, days: 3}\n")
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Scaling (4711)
    Points Possible,,,,,6
"Lovelace, Ada",1001,S1001,ada@example.edu,CS-101,
"Boole, George",1002,S1002,gb2@example.edu,CS-101,
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum grade
Participant 1001,Ada Lovelace,ada@example.edu,Submitted,,6
Participant 1002,George Boole,gb2@example.edu,Submitted,,6
"""


def archive(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return stream.getvalue()


class Exports(GradeTest):
    def put(self, files, folder="class"):
        """A number stands for the kernel that is worth it; a dict for an archive."""
        for name, content in files.items():
            path = self.folder / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            content = self.content(content)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def content(self, content):
        if isinstance(content, dict):
            return archive({name: self.content(text) for name, text in content.items()})
        return KERNELS[content] if isinstance(content, int) else content

    def grade_export(self, files, expected, roster=None, code=0, more=(), words=(), paths=("class",), **texts):
        """Grades files, and holds points and exit code against what is expected. Returns the messages."""
        self.put(files)
        if roster is not None:
            more = ("--roster", self.write("roster.csv", roster).name, *more)
        for option, text in texts.items():
            more = ("--" + option, self.write(option + ".csv", text).name, *more)
        _, errors = self.grade("--without-lint", *more, code=code, paths=paths)
        if expected is not None:
            self.assertEqual({row["student"]: float(row["points"]) for row in self.rows()}, expected)
        for word in words:
            self.assertIn(word, errors)
        return errors


class Canvas(Exports):
    def test_names_of_the_platform(self):
        self.grade_export({"lovelaceada_1001_501_scale.cu": 6, "boolegeorge_1002_502_scale-1.cu": 2},
                          {"lovelaceada": 6, "boolegeorge": 2})

    def test_names_of_a_gradebook(self):
        self.grade_export({"lovelaceada_1001_501_scale.cu": 6, "boolegeorge_1002_502_scale.cu": 2},
                          {"Lovelace, Ada": 6, "Boole, George": 2}, CANVAS)

    def test_homonyms(self):
        files = {"weili_1006_1_scale.cu": 6, "weili_1007_2_scale.cu": 2}
        self.grade_export(files, {"weili (1006)": 6, "weili (1007)": 2})

    def test_homonyms_of_a_roster(self):
        files = {"weili_1006_1_scale.cu": 6, "weili_1007_2_scale.cu": 2}
        self.grade_export(files, {"Li Wei (1006)": 6, "Li Wei (1007)": 2},
                          "name,id,email\nLi Wei,1006,lw@x.edu\nLi Wei,1007,lw2@x.edu\n")

    def test_homonyms_without_ids_in_the_roster(self):
        files = {"lovelaceada_1_1_scale.cu": 6, "lovelaceada_2_2_scale.cu": 0}
        self.grade_export(files, {"lovelaceada (1)": 6, "lovelaceada (2)": 0}, "student\nAda Lovelace\n", NOBODY,
                          words=["the roster needs the platform's ids"])

    def test_a_roster_of_names_serves(self):
        self.grade_export({"lovelaceada_1001_501_scale.cu": 6}, {"Ada Lovelace": 6}, "student\nAda Lovelace\n")

    def test_an_id_that_the_roster_does_not_have_is_nobodys(self):
        # A second Ada Lovelace, who is not in the course, gets nothing of the first.
        self.grade_export({"lovelaceada_6666_501_scale.cu": 2}, {"lovelaceada": 2}, CANVAS, NOBODY,
                          words=["`lovelaceada` is not in the roster, and is graded under that name",
                                 "of 2 students of the roster there is no submission: Lovelace, Ada; Boole, George"])

    def test_a_family_name_that_is_late(self):
        roster = CANVAS + '"Late, Max",1008,S1008,ml@example.edu,CS-101,\n'
        self.grade_export({"latemax_LATE_1008_78_scale.cu": 6, "lovelaceada_1001_1_scale.cu": 2,
                           "boolegeorge_1002_2_scale.cu": 0},
                          {"Late, Max": 6, "Lovelace, Ada": 2, "Boole, George": 0}, roster, NOBODY,
                          words=["the platform says that `Late, Max` is late, and that costs nothing: the assignment has no `due`"])

    def test_late_with_times_is_used(self):
        self.write("hw1.yaml", DUE)
        self.grade_export({"lovelaceada_LATE_1001_501_scale.cu": 6, "boolegeorge_1002_2_scale.cu": 2},
                          {"Lovelace, Ada": 3, "Boole, George": 2}, CANVAS,
                          times="student,time\nAda Lovelace,2026-11-20T20:00:00+01:00\n")

    def test_late_without_a_time(self):
        self.write("hw1.yaml", DUE)
        self.grade_export({"lovelaceada_LATE_1001_501_scale.cu": 6, "boolegeorge_1002_2_scale.cu": 2},
                          {"Lovelace, Ada": 6, "Boole, George": 2}, CANVAS, NOBODY,
                          times="student,time\n1002,2026-11-20T10:00:00+01:00\n",
                          words=["that costs nothing: nobody says when it was handed in; --times FILE says it"])

    def test_a_file_called_as_a_classmates(self):
        self.grade_export({"thirdkim_666_90_boolegeorge_1002_91_scale.cu": 0, "boolegeorge_1002_502_scale.cu": 6,
                           "lovelaceada_1001_1_scale.cu": 2},
                          {"thirdkim": 0, "Boole, George": 6, "Lovelace, Ada": 2}, CANVAS, NOBODY)

    def test_a_name_that_ends_in_a_classmates_number(self):
        self.grade_export({"kim_1002_666_90_scale.cu": 0, "boolegeorge_1002_502_scale.cu": 6, "a_b_1001_501_scale.cu": 2},
                          {"kim_1002_666_90_scale": 0, "Boole, George": 6, "Lovelace, Ada": 2}, CANVAS, NOBODY,
                          words=["`kim_1002_666_90_scale` is not in the roster"])

    def test_an_archive_with_others_folders(self):
        self.grade_export({"thirdkim_666_90_hw.zip": {"boolegeorge_1002_502_scale.cu": 0, "scale.cu": 2},
                           "boolegeorge_1002_502_scale.cu": 6}, {"thirdkim": 2, "boolegeorge": 6})

    def test_several_files_of_one(self):
        self.grade_export({"lovelaceada_1001_501_scale.cu": 6, "lovelaceada_1001_502_notes.txt": "notes"},
                          {"Lovelace, Ada": 6}, CANVAS, NOBODY)

    def test_numbers_of_another_column(self):
        # George's number of the school is Ada's number of Canvas.
        roster = ("Student,ID,SIS User ID\n\"Lovelace, Ada\",1001,2001\n\"Boole, George\",1002,1001\n")
        self.grade_export({"lovelaceada_1001_501_scale.cu": 6, "boolegeorge_1002_502_scale.cu": 2},
                          {"Lovelace, Ada": 6, "Boole, George": 2}, roster)

    def test_the_test_student_is_nobody(self):
        self.grade_export({"lovelaceada_1001_501_scale.cu": 6, "boolegeorge_1002_502_scale.cu": 2},
                          {"Lovelace, Ada": 6, "Boole, George": 2},
                          CANVAS + '"Student, Test",9999,,abcdef123,CS-101,\n')

    def test_anonymous_grading(self):
        self.grade_export({"anon_Ab3dE_501_scale.cu": 6, "LATE_anon_Zz9xY_502_scale.cu": 2},
                          {"anon Ab3dE": 6, "anon Zz9xY": 2}, code=NOBODY)

    def test_as_an_archive(self):
        self.put({"submissions.zip": {"lovelaceada_1001_501_scale.cu": 6, "boolegeorge_1002_502_scale.cu": 2}}, ".")
        self.grade_export({}, {"Lovelace, Ada": 6, "Boole, George": 2}, CANVAS, paths=("submissions.zip",))

    def test_particles_of_names(self):
        roster = CANVAS + '"de la Cruz, Anna Maria",1004,S1004,amc@example.edu,CS-101,\n'
        self.write("hw1.yaml", DUE)
        self.grade_export({"delacruzannamaria_1004_1_scale.cu": 6, "lovelaceada_1001_2_scale.cu": 6,
                           "boolegeorge_1002_3_scale.cu": 6},
                          {"de la Cruz, Anna Maria": 3, "Lovelace, Ada": 6, "Boole, George": 6}, roster,
                          times="student,time\nAnna Maria de la Cruz,2026-11-20T18:10:00-05:00\n")

    def test_the_gradebook_that_comes_of_homonyms(self):
        self.grade_export({"weili_1006_1_scale.cu": 6, "weili_1007_2_scale.cu": 2}, None,
                          "name,id\nLi Wei,1006\nLi Wei,1007\n", more=("--canvas", "canvas.csv"))
        rows = [line.split('",')[:2] + line.rsplit(",", 1)[1:] for line in
                (self.folder / "canvas.csv").read_text().splitlines()[2:]]
        self.assertEqual(rows, [['"Li Wei', '"1006', "6"], ['"Li Wei', '"1007', "2"]])


class Moodle(Exports):
    FOLDER = "_assignsubmission_file_/scale.cu"

    def test_folders(self):
        self.grade_export({"Ada Lovelace_1001" + self.FOLDER: 6, "George Boole_1002" + self.FOLDER: 2},
                          {"Ada Lovelace": 6, "George Boole": 2}, MOODLE)

    def test_files(self):
        self.grade_export({"Ada Lovelace_1001_assignsubmission_file_scale.cu": 6,
                           "George Boole_1002_assignsubmission_file_scale.cu": 2},
                          {"Ada Lovelace": 6, "George Boole": 2})

    def test_blind_marking(self):
        self.grade_export({"Participant_1001" + self.FOLDER: 6, "Participant_1002" + self.FOLDER: 2},
                          {"Participant 1001": 6, "Participant 1002": 2})

    def test_blind_marking_in_another_language(self):
        self.grade_export({"Teilnehmer-in_1001" + self.FOLDER: 6, "Teilnehmer-in_1002" + self.FOLDER: 2},
                          {"Teilnehmer-in (1001)": 6, "Teilnehmer-in (1002)": 2})

    def test_blind_marking_with_the_worksheet(self):
        self.grade_export({"Participant_1001" + self.FOLDER: 6, "Participant_1002" + self.FOLDER: 2},
                          {"Ada Lovelace": 6, "George Boole": 2}, MOODLE)

    def test_groups(self):
        self.grade_export({"Group 1-Ada Lovelace_1001" + self.FOLDER: 6, "Tutorial B-George Boole_1002" + self.FOLDER: 2},
                          {"Ada Lovelace": 6, "George Boole": 2}, MOODLE)

    def test_groups_and_a_roster_of_names(self):
        self.grade_export({"Group 1-Ada Lovelace_1001" + self.FOLDER: 6, "B-2-Jean-Luc Picard_1002" + self.FOLDER: 2},
                          {"Ada Lovelace": 6, "Jean-Luc Picard": 2}, "name\nAda Lovelace\nJean-Luc Picard\n")

    def test_a_team_hands_in_once(self):
        self.grade_export({"Team A-Ada Lovelace_1001" + self.FOLDER: 6, "Team A-George Boole_1002" + self.FOLDER: 6},
                          {"Ada Lovelace": 6, "George Boole": 6}, MOODLE)

    def test_a_group_that_is_called_as_a_student(self):
        # A group may be called as a classmate is, and then a roster of names cannot tell; ids can.
        files = {"George Boole-Ada Lovelace_1001" + self.FOLDER: 6, "George Boole_1002" + self.FOLDER: 2}
        self.grade_export(files, {"Ada Lovelace": 6, "George Boole": 2}, MOODLE)

    def test_a_file_called_as_a_classmates(self):
        self.grade_export({"Kim Third_666_assignsubmission_file_George Boole_1002_assignsubmission_file_scale.cu": 0,
                           "George Boole_1002_assignsubmission_file_scale.cu": 6,
                           "Ada Lovelace_1001_assignsubmission_file_scale.cu": 2},
                          {"Kim Third": 0, "George Boole": 6, "Ada Lovelace": 2}, MOODLE, NOBODY)

    def test_a_folder_called_as_a_classmates(self):
        self.grade_export({"Kim Third_666_assignsubmission_file_/George Boole_1002" + self.FOLDER: 0,
                           "George Boole_1002" + self.FOLDER: 6}, {"Kim Third": 0, "George Boole": 6})

    def test_homonyms(self):
        self.grade_export({"Li Wei_1006" + self.FOLDER: 6, "Li Wei_1007" + self.FOLDER: 2},
                          {"Li Wei (1006)": 6, "Li Wei (1007)": 2})

    def test_a_text_beside_the_file(self):
        self.grade_export({"Ada Lovelace_1001" + self.FOLDER: 6,
                           "Ada Lovelace_1001_assignsubmission_onlinetext_/onlinetext.html": "<p>done</p>"},
                          {"Ada Lovelace": 6})

    def test_another_schools_numbers(self):
        # The list of participants has the school's numbers, which are not the participants'.
        roster = "name,id number\nAda Lovelace,1002\nGeorge Boole,1001\n"
        self.grade_export({"Ada Lovelace_1001" + self.FOLDER: 6, "George Boole_1002" + self.FOLDER: 2},
                          {"Ada Lovelace": 6, "George Boole": 2}, roster)

    def test_an_archive_of_one_student(self):
        self.put({"hw1.zip": {"Ada Lovelace_1001" + self.FOLDER: 6}}, ".")
        self.grade_export({}, {"Ada Lovelace": 6}, paths=("hw1.zip",))


class Gradescope(Exports):
    def metadata(self, *submissions):
        text = ""
        for number, people in enumerate(submissions, 1):
            text += "submission_%d:\n  :submitters:\n" % number
            for name, sid, email in people:
                text += "  - :name: %s\n    :sid: '%s'\n    :email: %s\n" % (name, sid, email)
        return text

    def test_folders(self):
        self.grade_export({"submission_1/scale.cu": 6, "submission_2/scale.cu": 2,
                           "submission_metadata.yml": self.metadata([("Ada", "1", "a@x")], [("Bob", "2", "b@x")])},
                          {"Ada": 6, "Bob": 2})

    def test_a_group(self):
        self.grade_export({"submission_1/scale.cu": 6,
                           "submission_metadata.yml": self.metadata([("Ada", "1", "a@x"), ("Bob", "2", "b@x")])},
                          {"Ada": 6, "Bob": 6})

    def test_homonyms(self):
        self.grade_export({"submission_1/scale.cu": 6, "submission_2/scale.cu": 2,
                           "submission_metadata.yml": self.metadata([("Li Wei", "6", "a@x")], [("Li Wei", "7", "b@x")])},
                          {"Li Wei (6)": 6, "Li Wei (7)": 2})

    def test_by_address(self):
        self.grade_export({"submission_1/scale.cu": 6, "submission_2/scale.cu": 2,
                           "submission_metadata.yml": self.metadata([("ada l", "", "A@x.edu")], [("x", "", "b@x.edu")])},
                          {"Ada": 6, "Bob": 2}, "student,email\nAda,a@x.edu\nBob,b@x.edu\n")

    def test_a_name_that_is_a_classmates(self):
        # Gradescope's names can be changed by students; numbers cannot.
        self.grade_export({"submission_1/scale.cu": 0, "submission_2/scale.cu": 6,
                           "submission_metadata.yml": self.metadata([("Ada", "3", "k@x")], [("Ada", "1", "a@x")])},
                          {"Ada": 6, "Kim": 0}, "student,sid\nAda,1\nKim,3\n")


class GitHub(Exports):
    ROSTER = "identifier,github_username,name\nada@x.edu,ada,Ada Lovelace\ngb@x.edu,g-boole,George Boole\n"

    def test_a_classroom(self):
        self.grade_export({"hw1-ada/scale.cu": 6, "hw1-g-boole/scale.cu": 2}, {"Ada Lovelace": 6, "George Boole": 2},
                          self.ROSTER)

    def test_one_repository(self):
        self.grade_export({"hw1-g-boole/scale.cu": 2}, {"George Boole": 2}, self.ROSTER, NOBODY)

    def test_a_user_whose_name_ends_as_anothers(self):
        self.grade_export({"hw1-x-ada/scale.cu": 0, "hw1-ada/scale.cu": 6, "hw1-g-boole/scale.cu": 2},
                          {"Kim": 0, "Ada Lovelace": 6, "George Boole": 2}, self.ROSTER + "k@x.edu,x-ada,Kim\n")

    def test_a_user_who_is_not_in_the_course(self):
        self.grade_export({"hw1-x-ada/scale.cu": 0, "hw1-g-boole/scale.cu": 2},
                          {"hw1-x-ada": 0, "George Boole": 2}, self.ROSTER, NOBODY,
                          words=["`hw1-x-ada` is not in the roster"])

    def test_an_assignment_with_dashes(self):
        self.grade_export({"hw-1-ada/scale.cu": 6, "hw-1-g-boole/scale.cu": 2},
                          {"Ada Lovelace": 6, "George Boole": 2}, self.ROSTER)


class Folders(Exports):
    def test_an_archive_is_one_students(self):
        self.put({"kim.zip": {"ada/scale.cu": 6, "bob/other.cu": 0}, "ada.zip": {"scale.cu": 2}}, ".")
        self.grade_export({}, {"kim": 6, "ada": 2}, paths=("kim.zip", "ada.zip"))

    def test_an_archive_of_a_class(self):
        self.put({"class.zip": {"ada/scale.cu": 6, "bob/scale.cu": 2}}, ".")
        self.grade_export({}, {"class": 0}, paths=("class.zip",))
        self.grade_export({}, {"ada": 6, "bob": 2, "class": 0}, more=("--class",), paths=("class.zip",))

    def test_two_folders_of_one_name(self):
        self.put({"ada/scale.cu": 6}, "monday")
        self.put({"ada/scale.cu": 6}, "tuesday")
        self.grade_export({}, {"ada": 0}, code=NOBODY, paths=("monday", "tuesday"),
                          words=["`ada` handed in 2 times, and none of these counts"])


class Budget(Exports):
    def test_a_submission_has_a_budget_of_time(self):
        # Each of nine items would take a minute in vain, which is the least that the CPU device allows.
        slow = KERNEL.replace('extern "C"', "__device__ __noinline__ float fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }\n"
                              'extern "C"').replace("src[i]", "src[i] + 0 * fib(60)")
        self.write("hw1.yaml", ASSIGNMENT.replace("[100, 257]", "[100, 101, 102, 103, 104, 105, 106, 257]").replace(
            "timeout_s: 60", "timeout_s: 2, total_s: 3").replace("visibility: hidden, ", "").replace("instructions: 4e9", "instructions: 4e12"))
        self.write("suites/scale.yaml", (self.folder / "suites/scale.yaml").read_text() + "limits: {timeout_s: 2}\n")
        self.put({"ada/scale.cu": 6, "bob/scale.cu": slow})
        begin = time.monotonic()
        self.grade()
        self.assertEqual({row["student"]: row["points"] for row in self.rows()}, {"ada": "6", "bob": "0"})
        self.assertEqual(set(self.words("bob")), {"limit"})
        items = [item for case in self.result("bob")["cases"] for item in case["items"]]
        self.assertIn("It was not run: a case before it ran into a limit", items[-1]["explanation"])
        self.assertGreater(sum(item["explanation"].startswith("It was not run") for item in items), 3)
        print("%.1f s" % (time.monotonic() - begin))


class CourseFiles(Exports):
    CLASS = {"weili_1006_1_scale.cu": 6, "weili_1007_2_scale.cu": 2}
    ROSTER = "name,id\nLi Wei,1006\nLi Wei,1007\n"

    def test_rows_by_the_platforms_ids(self):
        expected = {"Li Wei (1006)": 6, "Li Wei (1007)": 3}
        self.grade_export(self.CLASS, expected, self.ROSTER, adjustments="student,points\n1007,1\n")
        self.grade_export({}, expected, self.ROSTER, adjustments="student,points\nLi Wei (1007),1\n")

    def test_rows_by_ids_without_a_roster(self):
        self.grade_export(self.CLASS, {"weili (1006)": 6, "weili (1007)": 3}, adjustments="student,points\n1007,1\n")

    def test_a_row_that_fits_two(self):
        for roster in (self.ROSTER, None):
            self.grade_export(self.CLASS, None, roster, 2, adjustments="student,points\n%s,1\n" % (
                "Li Wei" if roster else "weili"), words=["adjustments.csv:2:1: error: `", "fits several students"])

    def test_rows_that_fit_nobody(self):
        for option, header, row in (("adjustments", "student,points", "zoe,1"),
                                    ("times", "student,time", "zoe,2026-11-20T10:00:00Z"),
                                    ("extensions", "student,days", "zoe,1")):
            self.write("hw1.yaml", DUE)
            self.grade_export({"zoey/scale.cu": 6}, {"zoey": 6}, code=NOBODY, **{option: header + "\n" + row + "\n"},
                              words=["%s.csv:2:1: there is no submission of `zoe`; did you mean `zoey`?" % option,
                                     "nobody's: exit code 5"])

    def test_two_rows_that_mean_one(self):
        self.write("hw1.yaml", DUE)
        self.grade_export(self.CLASS, None, self.ROSTER, 2, extensions="student,days\n1006,1\nLi Wei (1006),2\n",
                          words=["extensions.csv:3:1: error: the student of this row is that of line 2, too"])

    def test_an_extension_of_who_has_not_handed_in(self):
        self.write("hw1.yaml", DUE)
        errors = self.grade_export(self.CLASS, None, self.ROSTER + "Ada,1008\n", NOBODY,
                                   extensions="student,days\nAda,1\n",
                                   times="student,time\n1006,2026-11-20T10:00:00Z\n")
        self.assertNotIn("extensions.csv", errors)

    def test_due_without_any_time(self):
        self.write("hw1.yaml", DUE)
        self.grade_export({"ada/scale.cu": 6}, {"ada": 6}, code=NOBODY,
                          words=["the assignment has `due`, and nobody says when anything was handed in"])


class LaterRuns(Exports):
    def test_a_homonym_who_comes_later(self):
        self.grade_export({"weili_1006_1_scale.cu": 6}, {"weili": 6})
        self.grade_export({"weili_1007_2_scale.cu": 2}, {"weili (1006)": 6, "weili (1007)": 2})

    def test_a_homonym_who_comes_alone(self):
        self.grade_export({"weili_1006_1_scale.cu": 6}, {"weili": 6})
        self.put({"weili_1007_2_scale.cu": 2}, "second")
        self.grade_export({}, {"weili": 6, "weili (1007)": 2}, paths=("second",))

    def test_a_roster_that_comes_later(self):
        self.grade_export({"lovelaceada_1001_501_scale.cu": 6}, {"lovelaceada": 6})
        self.grade_export({"boolegeorge_1002_502_scale.cu": 2}, {"Lovelace, Ada": 6, "Boole, George": 2}, CANVAS,
                          words=["the student of earlier results called `lovelaceada` is now `Lovelace, Ada`"])

    def test_what_an_earlier_run_gave_is_not_taken_in_silence(self):
        self.grade_export({"ada/scale.cu": 2}, {"ada": 5}, adjustments="student,points\nada,3\n")
        self.grade_export({}, {"ada": 2}, words=["changed: ada: 2 points instead of 5"])


if __name__ == "__main__":
    unittest.main()
