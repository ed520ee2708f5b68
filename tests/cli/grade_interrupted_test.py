# `warpmark grade` that is interrupted, or loses its processes: no result is lost.
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from assignment import ASSIGNMENT, KERNEL, SLOW, GradeTest
from program import PROGRAM


# Slow enough to be met at work twice, on a busy machine too, and allowed to be.
SLOWER = SLOW.replace("4000000", "60000000")
PATIENT = ASSIGNMENT.replace("4e9", "1e12")


class Interruptions(GradeTest):
    REAL_STARTS = True  # other builds of the program have grades of their own

    def begin(self, *more, out="out"):
        return subprocess.Popen([PROGRAM, *self.arguments(*more, out=out)], cwd=self.folder,
                                env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def children(self, process):
        """The processes that grade for it, or for the process that it guards."""
        parents, graders = {}, []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                status = (entry / "stat").read_text()
                name = (entry / "comm").read_text()
            except (OSError, UnicodeDecodeError):
                continue
            parents[int(entry.name)] = int(status.rsplit(")", 1)[1].split()[1])
            if name == "warpmark-grader\n":
                graders.append(int(entry.name))
        return [one for one in graders
                if process.pid in (parents[one], parents.get(parents[one]))]

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)

    def end_graders(self, process, number, meanwhile=lambda: None):
        """Ends those that grade, and then those that do their work once more."""
        for _ in range(2):
            self.wait_for(lambda: self.children(process))
            time.sleep(2.5)  # they have started, and a slow submission is under way
            meanwhile()
            ended = self.children(process)
            for child in ended:
                os.kill(child, number)
            self.wait_for(lambda: not set(ended) & set(self.children(process)))

    def test_sigkill_at_any_moment_loses_nothing(self):
        students = ["s%d" % i for i in range(8)]
        self.hand_in(**{name: KERNEL + "// %s\n" % name for name in students})
        self.write("class/bad.cu", "")
        self.grade("--jobs", "2", out="whole")
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        graded = {}
        for _ in range(6):
            process = self.begin("--jobs", "2")
            time.sleep(chance.uniform(0, 0.9))
            process.kill()
            process.communicate()
            if not (self.folder / "out/students").exists():
                continue
            for name, one in self.results().items():
                if one["state"] != "grader_error":
                    date = (one["context"]["date"], one["seconds"])
                    self.assertEqual(graded.setdefault(name, date), date,
                                     "graded twice, seed %d" % seed)
                else:
                    self.assertNotIn(name, graded, "lost, seed %d" % seed)
        out, _ = self.grade("--jobs", "2")
        self.assertIn("%d known from before" % len(graded), out, "seed %d" % seed)
        self.assertEqual(self.steady(), self.steady("whole"), "seed %d" % seed)

    def test_every_student_has_a_result_before_the_first_is_graded(self):
        self.hand_in(ada=SLOW, bob=SLOW)
        process = self.begin("--jobs", "1")
        self.wait_for(lambda: (self.folder / "out/staff/bob/result.json").exists())
        process.kill()
        process.communicate()
        result = self.result("bob")
        self.assertEqual((result["state"], result["staff"]), ("grader_error", "not finished"))
        scores = json.loads((self.folder / "out/students/bob/results.json").read_text())
        self.assertNotIn("score", scores)

    def test_ctrl_c(self):
        self.interrupted_by(signal.SIGINT)

    def test_sigterm(self):
        self.interrupted_by(signal.SIGTERM)

    def interrupted_by(self, sign):
        self.hand_in(ada=KERNEL, bob=SLOW)
        process = self.begin("--jobs", "1")
        self.wait_for(lambda: self.folder.joinpath("out/staff/ada/result.json").exists()
                      and self.result("ada")["state"] == "graded")
        process.send_signal(sign)
        _, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 128 + sign, errors)
        self.assertIn(b"the same command goes on", errors)
        self.assertEqual(self.result("bob")["state"], "grader_error")
        rows = self.rows()
        self.assertEqual([row["points"] for row in rows], ["6", ""])
        self.assertEqual(self.children(process), [])

    def test_a_process_that_dies_costs_one_submission(self):
        self.write("hw1.yaml", PATIENT)
        self.hand_in(ada=KERNEL, bob=SLOWER, cem=KERNEL)
        process = self.begin("--jobs", "1")
        self.wait_for(lambda: self.folder.joinpath("out/staff/ada/result.json").exists()
                      and self.result("ada")["state"] == "graded")
        self.end_graders(process, signal.SIGABRT)  # sanitizers handle SIGSEGV themselves
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, errors)
        self.assertIn(b"1 submission could not be graded, through no fault", errors)
        self.assertIn("was ended by signal 6", self.result("bob")["staff"])
        self.assertEqual(self.result("cem")["points"], 6)
        self.hand_in(bob=KERNEL)
        self.assertIn("1 graded now, 2 known", self.grade()[0])

    def test_a_grade_outlives_a_failure_of_the_grader(self):
        self.write("hw1.yaml", PATIENT)
        self.hand_in(ada=KERNEL)
        self.grade()
        before = self.result("ada")
        self.hand_in(ada=SLOWER)
        for _ in range(2):  # the note of the first failure makes way for the second's
            process = self.begin()
            self.end_graders(process, signal.SIGKILL,
                             lambda: self.assertEqual(self.result("ada")["points"], 6))
            process.communicate(timeout=60)
            self.assertIn(process.returncode, (3, 4))
        after = self.result("ada")
        self.assertEqual((after["state"], after["points"]), ("graded", 6))
        self.assertEqual(after["submission_sha256"], before["submission_sha256"])
        if process.returncode == 4:
            self.assertEqual(after["staff"].count("grading again failed"), 1)
            self.assertIn("has no grade yet", after["staff"])

    def test_two_at_once_in_one_folder(self):
        self.hand_in(ada=SLOW)
        process = self.begin()
        self.wait_for(lambda: (self.folder / "out/staff/ada/result.json").exists())
        self.assertIn("another process grades into out", self.grade(code=3)[1])
        process.kill()
        process.communicate()


if __name__ == "__main__":
    unittest.main()
