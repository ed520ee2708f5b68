# `warpmark grade --shard` and `warpmark merge` of its folders: the parts of a class are one class.
import csv
import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from assignment import ASSIGNMENT, KERNEL, NO_BOUND, SLOW, WRONG, GradeTest
from program import PROGRAM, SOURCE

try:
    import jsonschema
except ImportError:
    jsonschema = None

CLASS_ASSIGNMENT = ASSIGNMENT + """due: 2020-11-20T12:00:00Z
late: {days: 2, per_day: 25 %}
leaderboard: {by: points, top: 3}
"""
ROSTER = "student,username,email,id\n" + "".join(
    "%s Example,%s,%s@example.org,%d\n" % (name.title(), name, name, 100 + i)
    for i, name in enumerate(("ada", "bob", "cem", "dee", "eva", "fay", "gus", "hal", "ida", "jon", "kim")))
# Text that differs from run to run: seconds, and dates. Submissions here are of 2020.
DATE = r"20(2[1-9]|[3-9]\d)-\d\d-\d\d(T\d\d:\d\d:\d\dZ?| \d\d:\d\d)?"
TIMES = (r'"seconds": ?[0-9.e+-]+', r'"execution_time": ?"?[0-9.e+-]+"?', r' time="[0-9.]+"', DATE + "( to " + DATE + ")?",
         r"[0-9.]+ s(?=</)")
SHARDS = ("part1", "part2", "part3", "part4")


def steady(path):
    text = path.read_bytes()
    for pattern in TIMES:
        text = re.sub(pattern.encode(), b"T", text)
    if path.name == "changes.csv":  # a single run writes the rows in the order of grading
        text = b"\n".join(sorted(text.splitlines()))
    return text


class ShardTest(GradeTest):
    def setUp(self):
        super().setUp()
        self.write("hw1.yaml", CLASS_ASSIGNMENT)

    def files(self, folder):
        root = self.folder / folder
        return {str(path.relative_to(root)): steady(path)
                for path in sorted(root.rglob("*")) if path.is_file()}

    def assert_same_files(self, folder, other):
        files, others = self.files(folder), self.files(other)
        self.assertEqual(list(files), list(others))
        for name, text in files.items():
            lines = zip(text.splitlines(), others[name].splitlines())
            first = next((pair for pair in lines if pair[0] != pair[1]), None)
            self.assertTrue(text == others[name], (name, first))

    def grade_shards(self, *more, count=4, names="part{shard}", code=0):
        return [self.grade("-q", "--shard", "%d/%d" % (index, count), *more, out=names, code=code)
                for index in range(1, count + 1)]

    # The code is 5, because no file says when anything was handed in, and there is a `due`.
    def merge(self, *folders, out="merged", code=5, more=()):
        return self.run_program("merge", *(folders or SHARDS), "-o", out, *more, code=code)

    def refused_merge(self, *folders, more=()):
        shutil.rmtree(self.folder / "refused", ignore_errors=True)
        errors = self.merge(*folders, out="refused", code=2, more=more)[1]
        self.assertFalse((self.folder / "refused").exists())
        self.assertLessEqual(len(errors.splitlines()), 2, errors)  # a sentence and a hint
        return errors

    def record(self, name):
        return json.loads((self.folder / name / "shard.json").read_text())


class Merged(ShardTest):
    EXPORTS = {"--canvas": "canvas.csv", "--moodle": "moodle.csv", "--items": "items.csv", "--similar": "similar.json",
               "--feedback": "mails", "--anonymous": "anonymous"}

    def hand_in_a_class(self):
        right = ["// leaderboard: name %d\n%s" % (i, KERNEL) for i in range(4)]
        self.hand_in(ada=right[0], bob=WRONG, cem=right[1] + "// late\n", dee="", eva=NO_BOUND, gus=right[2])
        self.write("class/fay/scale.cu", right[3])
        self.write("class/fay/old.cu", WRONG)  # two files of one student
        self.write("class/hal.cu", "this is no C++\n")
        self.write("class/ida.zip", "this is no archive\n")
        self.write("class/jon.cu", KERNEL + "\n")
        self.write("class/Jon Example.cu", WRONG)  # two that bear one name
        self.write("class/stranger.cu", KERNEL)
        self.write("class/notes.txt", "what is no submission\n")
        self.write("roster.csv", ROSTER)
        self.write("times.csv", "student,time\nAda Example,2020-11-20T11:00:00Z\nCem Example,2020-11-21T18:00:00Z\n"
                   "Nobody,2020-11-20T11:00:00Z\n")
        self.write("more.csv", "student,points,reason\nGus Example,1,a bug report\n")

    def options(self):
        return ("--roster", "roster.csv", "--times", "times.csv", "--adjustments", "more.csv")

    def exports(self, folder):
        return [part for option, name in self.EXPORTS.items() for part in (option, "%s/%s" % (folder, name))]

    def test_four_shards_are_one_class(self):
        self.hand_in_a_class()
        whole = self.grade("-q", *self.options(), *self.exports("of_one"), out="whole", code=5)
        options = (*self.options(), *self.exports("of_shards"))
        _, errors = self.grade("--shard", "1/4", *options, out="part1")
        self.assertEqual(errors, "note: this is shard 1 of 4, with 3 of 11 submissions; left to `warpmark merge`: the files "
                         "of the whole class, the leaderboard, --canvas, --moodle, --feedback, --anonymous, --items, "
                         "--similar, who handed in nothing, warnings about the class\n")
        for index in (2, 3, 4):
            self.assertEqual(self.grade("-q", "--shard", "%d/4" % index, *options, out="part{shard}")[1], "")
        self.check_record()
        self.assertFalse((self.folder / "of_shards").exists())
        students = [len(list((self.folder / name / "staff").glob("*/result.json"))) for name in SHARDS]
        self.assertEqual(students, [3, 3, 3, 2])
        self.assertFalse(list(self.folder.glob("part?/leaderboard.*")))
        out, errors = self.merge("part3", "part1", "part4", "part2", more=(
            "--roster", "roster.csv", "--secret", "secret", *self.exports("of_shards")))
        self.assert_same_files("merged", "whole")
        self.assert_same_files("of_shards", "of_one")
        self.assertIn("leaderboard.csv", self.files("merged"))
        self.assertNotIn("shard", " ".join(self.files("merged")))
        self.assertEqual(out.splitlines()[-1], "merged: the grades of 4 shards")
        self.assertEqual(out.splitlines()[:-1], whole[0].splitlines())
        with (self.folder / "merged/grades.csv").open(newline="") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        self.assertEqual(len(rows), 11)
        self.assertIn("late", rows["Cem Example"]["adjustments"])
        # The merge gives the messages that shards leave out: those of one run with -q.
        said = [line.replace("of_one", "of_shards") for line in whole[1].splitlines()]
        missing = [line for line in errors.splitlines() if line not in said]
        self.assertEqual(missing, [])
        self.assertEqual([line for line in said if line not in errors], [])
        # The merged folder is as good as that of one run: nothing is graded again.
        self.assertIn("0 graded now, 11 known", self.grade(*self.options(), out="merged", code=5)[0])
        self.assert_same_files("merged", "whole")

    def check_record(self):
        record = self.record("part1")
        self.assertEqual((record["index"], record["count"], record["class"], record["finished"]), (1, 4, 11, True))
        self.assertEqual([one["position"] for one in record["submissions"]], [0, 4, 8])
        self.assertEqual(record["notes"]["missing"], ["Kim Example"])
        if jsonschema:
            jsonschema.validate(record, json.loads((SOURCE / "schema/grade_shard.json").read_text()))
        self.assertNotIn("0123456789abcdef", (self.folder / "part1/shard.json").read_text())

    def test_later_parts(self):
        """A class that hands in again: what shards kept is what one run keeps."""
        self.hand_in(ada=WRONG, bob=KERNEL, cem=NO_BOUND)
        for _ in range(2):
            self.grade("-q", out="whole", code=5)
            self.grade_shards(count=2)
            self.merge("part1", "part2", out="again")
            self.hand_in(ada=KERNEL, cem=KERNEL + "//\n")
        self.merge("part1", "part2", out="fresh")
        for name in ("again", "fresh"):
            self.assert_same_files(name, "whole")
            self.assertEqual(len((self.folder / name / "changes.csv").read_text().splitlines()), 3)

    def test_a_killed_shard(self):
        self.hand_in(ada=SLOW.replace("4000000", "400000"), bob=KERNEL, cem=WRONG)
        self.grade("-q", out="whole", code=5)
        self.grade("-q", "--shard", "2/2", out="part2")
        process = subprocess.Popen([PROGRAM, *self.arguments("--shard", "1/2", "--jobs", "1", out="part1")],
                                   cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not (self.folder / "part1/shard.json").exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        process.kill()
        process.wait()
        self.assertIn("part1 has not finished", self.refused_merge("part1", "part2"))
        self.grade("-q", "--shard", "1/2", out="part1")
        self.merge("part1", "part2")
        self.assert_same_files("merged", "whole")


class Refused(ShardTest):
    """Refused merges of a class in two shards, which is graded once for all tests."""
    graded = None

    def setUp(self):
        super().setUp()
        self.hand_in(ada=KERNEL, bob=KERNEL + "//\n", cem=WRONG)
        if Refused.graded is None:
            self.grade_shards(count=2)
            Refused.graded = tempfile.TemporaryDirectory(prefix="warpmark-shards-")
            self.addClassCleanup(Refused.graded.cleanup)
            shutil.copytree(self.folder, Refused.graded.name, dirs_exist_ok=True)
        for name in ("part1", "part2", "cache"):
            shutil.copytree(pathlib.Path(Refused.graded.name) / name, self.folder / name, dirs_exist_ok=True)

    def test_what_is_no_whole_class(self):
        self.assertIn("of 2 shards one is missing: 2", self.refused_merge("part1"))
        shutil.copytree(self.folder / "part1", self.folder / "again")
        self.assertIn("shard 1 of 2 is there twice: again and part1", self.refused_merge("again", "part1", "part2"))
        shutil.rmtree(self.folder / "part2/staff/bob")
        self.assertIn("part2 has no result of `bob`", self.refused_merge("part1", "part2"))
        record = self.record("part2")
        record["submissions"][0]["position"] = 0
        self.write("part2/shard.json", json.dumps(record))
        self.assertIn("part2: submission 1 of 3 is there twice", self.refused_merge("part1", "part2"))
        self.write("a.jsonl", '{"type":"run"}\n')
        self.assertIn("different kinds", self.refused_merge("part1", "a.jsonl"))
        self.assertIn("class is no shard's", self.refused_merge("class", "part1"))

    def test_parts_of_other_runs(self):
        arguments = self.arguments("-q", "--shard", "2/2", out="b")
        (self.folder / "part1").rename(self.folder / "a")

        def other(wanted, replaced={}):
            shutil.rmtree(self.folder / "b", ignore_errors=True)
            self.run_program(*[replaced.get(word, word) for word in arguments])
            self.assertIn(wanted, self.refused_merge("a", "b"))

        self.write("other", "another secret than that\n").chmod(0o600)
        other("a and b have different secrets", {"secret": "other"})
        self.write("hw3.yaml", CLASS_ASSIGNMENT.replace("points: 4", "points: 5"))
        other("b: the hash of the assignment and its files is", {"hw1.yaml": "hw3.yaml"})
        other("the number of shards is 3, and in a it is 2", {"2/2": "2/3"})
        self.hand_in(dee=KERNEL)
        other("the number of submissions of all shards is 4")
        shutil.rmtree(self.folder / "class/bob")
        other("a and b divide the submissions in different ways")

    def test_what_the_records_say(self):
        record = self.record("part2")
        for name, value, wanted in (("assignment", "hw2", 'the assignment is "hw2", and in part1 it is "hw1"'),
                                    ("files", {"times": "0"}, "part1 and part2 had different files for --times"),
                                    ("device", "NVIDIA H100 (sm_90)", "the device is"),
                                    ("warpmark", "9.0.0", "the version of Warpmark is"),
                                    ("nvrtc_version", "1.2", "the version of NVRTC is"),
                                    ("driver_version", "1.2", "the driver's version is"),
                                    ("grade_shard", 7, "`grade_shard` must be 1"),
                                    ("index", 9, "`index` is of no shard of 2"),
                                    ("submissions", [], "1 of 3 submissions are in no shard")):
            self.write("part2/shard.json", json.dumps({**record, name: value}))
            self.assertIn(wanted, self.refused_merge("part1", "part2"))
        for text in ("{}", "[", ""):
            self.write("part2/shard.json", text)
            self.assertIn("part2", self.refused_merge("part1", "part2"))

    def test_damaged_records_are_named(self):
        seed = random.randrange(1 << 32)
        print("seed %d" % seed)
        dice = random.Random(seed)
        record = (self.folder / "part1/shard.json").read_bytes()
        for number in range(15):
            text = bytearray(record)
            at = dice.randrange(len(text))
            if dice.random() < 0.5:
                del text[at:at + dice.randrange(1, 60)]
            else:
                text[at:at] = dice.choice([b'"', b"{", b"}", b"0", b"-1", b"9" * 20, b"null"])
            (self.folder / "part1/shard.json").write_bytes(text)
            done = self.start("merge", "part1", "part2", "-o", "damaged%d" % number)
            # A name in it may have changed, which is what it says.
            self.assertIn(done.returncode, (2, 5), (seed, number, done.stderr))
        self.write("part1/shard.json", json.dumps({**json.loads(record), "count": 1, "class": 10 ** 15}))
        self.assertIn("999999999999998 of 1000000000000000 submissions are in no shard", self.refused_merge("part1"))

    def test_what_is_asked_of_the_whole_class(self):
        self.write("other", "another secret than that\n").chmod(0o600)
        self.write("roster.csv", ROSTER)
        for more, wanted in ((("--similar", "x.html"), "--similar: part1 has no texts"),
                             (("--anonymous", "x"), "--anonymous needs --secret"),
                             (("--anonymous", "x", "--secret", "other"), "other is not the secret"),
                             (("--canvas", "x"), "--canvas needs --roster")):
            self.assertIn(wanted, self.refused_merge("part1", "part2", more=more))
        self.write("a.jsonl", '{"type":"run"}\n')
        self.assertIn("--items is of a class", self.refused_merge("a.jsonl", more=("--items", "x.csv")))
        for name in ("part1", "part2"):
            self.write(name + "/shard.json", json.dumps({**self.record(name), "files": {"roster": "0" * 64}}))
        self.assertIn("roster.csv is not the roster", self.refused_merge("part1", "part2", more=("--roster", "roster.csv")))

    def test_folders(self):
        self.assertIn("part1, is of shard 1 of 2", self.merge("part1", "part2", out="part1", code=2)[1])
        self.assertIn("part1, is of shard 1 of 2", self.grade(out="part1", code=2)[1])
        self.assertIn("part1, is of shard 1 of 2", self.grade("--shard", "2/2", out="part1", code=2)[1])
        self.write("hw2.yaml", CLASS_ASSIGNMENT.replace("hw1", "hw2"))
        self.run_program("grade", "hw2.yaml", "class", "-o", "hw2", "--secret", "secret", "--device", "cpu", "--no-sandbox", code=5)
        before = self.files("hw2")
        self.assertIn("grades of the assignment `hw2`", self.merge("part1", "part2", out="hw2", code=2)[1])
        self.assertEqual(self.files("hw2"), before)

    def test_usage(self):
        self.assertIn("4 shards are too many for 3 submissions", self.grade("--shard", "1/4", code=2)[1])
        self.assertIn("must be I/N", self.grade("--shard", "one", code=2)[1])
        self.assertIn("--shard is missing", self.grade("--shard-times", "out", code=2)[1])
        self.assertIn("--shard-times: there are no grades in nowhere",
                      self.grade("--shard", "1/2", "--shard-times", "nowhere", code=2)[1])
        self.assertIn("--shard is of a class", self.refused("grade", "hw1.yaml", "--stream", "--shard", "1/2"))
        self.assertIn("takes no submissions", self.refused("grade", "hw1.yaml", "--lint", "--shard", "1/2"))
        self.assertFalse((self.folder / "out").exists())


class Divided(ShardTest):
    def test_by_the_times_of_an_earlier_run(self):
        self.hand_in(**{name: KERNEL + "// %s\n" % name for name in ("ada", "bob", "cem", "dee", "eva")})
        self.grade("-q", out="before", code=5)
        for name, one in self.results("before").items():
            one["seconds"] = 10.0 if name == "cem" else 1.0
            self.write("before/staff/%s/result.json" % name, json.dumps(one))
        self.hand_in(new=KERNEL)  # takes the mean
        self.grade_shards("--shard-times", "before", count=2)
        self.assertEqual([one["student"] for one in self.record("part1")["submissions"]], ["cem"])
        self.assertEqual(len(self.record("part2")["submissions"]), 5)
        self.merge("part1", "part2")

    def test_by_the_environment(self):
        self.hand_in(ada=KERNEL, bob=KERNEL, cem=KERNEL)
        self.environment.update(SLURM_ARRAY_TASK_ID="1", SLURM_ARRAY_TASK_COUNT="2", SLURM_ARRAY_TASK_MIN="0",
                                SLURM_ARRAY_TASK_MAX="1")
        self.grade("-q", "--shard", "auto", out="part{shard}")
        self.assertEqual([one["student"] for one in self.record("part2")["submissions"]], ["bob"])


if __name__ == "__main__":
    unittest.main()
