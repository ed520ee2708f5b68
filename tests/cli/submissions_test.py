# Files that platforms hand over: archives with and without traps, exports, names of a roster.
import io
import json
import stat
import unittest
import zipfile

from assignment import KERNEL, WRONG, GradeTest


def archive(files):
    """A zip file's bytes, of names and texts; a text may be a ZipInfo's contents."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in files:
            made.writestr(name, text)
    return stream.getvalue()


def link(name, target):
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info, target


class Archives(GradeTest):
    def hand_in_zip(self, student, files):
        path = self.folder / "class" / (student + ".zip")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(files if isinstance(files, bytes) else archive(files))

    def test_are_opened(self):
        self.hand_in_zip("ada", [("scale.cu", KERNEL)])
        self.hand_in_zip("bob", [("hw1/src/scale.cu", WRONG), ("hw1/report.pdf", "%PDF"),
                                 ("__MACOSX/hw1/._scale.cu", "x")])
        self.hand_in_zip("cem", [("all.zip", archive([("scale.cu", KERNEL)]))])
        self.write("class/dee/readme.txt", "see the archive")
        (self.folder / "class/dee/hw.ZIP").write_bytes(archive([("mine.cu", KERNEL)]))
        self.grade()
        self.assertEqual({name: one["points"] for name, one in self.results().items()},
                         {"ada": 6, "bob": 0, "cem": 6, "dee": 6})

    def test_have_all_that_may_be_handed_in(self):
        """Headers of each ending, and notebooks."""
        cell = {"cell_type": "code", "source": "%%writefile scale.cu\n" + KERNEL}
        header = "__device__ int my_index() { return blockIdx.x * blockDim.x + threadIdx.x; }\n"
        for student, files in (("ada", {"hw.ipynb": json.dumps({"nbformat": 4, "cells": [cell]})}),
                               *((ending, {"scale.cu": '#include "index.%s"\n' % ending + KERNEL.replace(
                                   "blockIdx.x * blockDim.x + threadIdx.x", "my_index()"), "index." + ending: header})
                                 for ending in ("cuh", "h", "hpp", "hh", "hxx", "inl", "inc"))):
            (self.folder / "class").mkdir(exist_ok=True)
            with zipfile.ZipFile(self.folder / "class" / (student + ".zip"), "w") as archive:
                for name, text in files.items():
                    archive.writestr("hw/" + name, text)
        self.grade()
        self.assertEqual({name: result["points"] for name, result in self.results().items()},
                         dict.fromkeys(("ada", "cuh", "h", "hpp", "hh", "hxx", "inl", "inc"), 6))

    def test_with_traps_cost_nobody_else_anything(self):
        bomb = archive([("scale.cu", " " * (200 << 20))])
        self.assertLess(len(bomb), 1 << 20)
        self.hand_in_zip("ada", bomb)
        self.hand_in_zip("bob", [("../../class/eva/scale.cu", KERNEL), ("/tmp/scale.cu", KERNEL)])
        self.hand_in_zip("cem", [link("scale.cu", "/etc/passwd")])
        self.hand_in_zip("dee", b"PK\x03\x04 but no more")
        self.hand_in_zip("eva", [("scale.cu", KERNEL)])
        self.hand_in_zip("fay", [("%d.cu" % i, KERNEL) for i in range(12000)])
        damaged = bytearray(archive([("scale.cu", KERNEL)]))
        damaged[45] ^= 0xff
        self.hand_in_zip("gus", bytes(damaged))
        self.hand_in_zip("hal", [])
        newer = bytearray(archive([("scale.cu", KERNEL)]))
        newer[newer.index(b"PK\x01\x02") + 6] = 148  # the version of ZIP that reading it needs
        self.hand_in_zip("ian", bytes(newer))
        self.grade()
        results = self.results()
        self.assertEqual({name: one["points"] for name, one in results.items() if one["points"]}, {"eva": 6})
        for name, words in (("ada", "has 16 MiB"), ("bob", "leads out of the archive"), ("cem", "is a link"),
                            ("dee", "is no zip archive that can be read"), ("fay", "has 12000 files"),
                            ("gus", "In `gus.zip` `scale.cu`"), ("hal", "Nothing was handed in"),
                            ("ian", "is no zip archive that can be read (zip file version 14.8)")):
            self.assertEqual(results[name]["state"], "refused", name)
            self.assertIn(words, results[name]["message"], name)
        self.assertFalse((self.folder.parent / "class/eva").exists())

    def test_of_a_class_are_opened(self):
        path = self.folder / "submissions.zip"
        path.write_bytes(archive([("lovelaceada_11_501_scale-1.cu", KERNEL),
                                  ("boolegeorge_LATE_12_502_scale.cu", WRONG),
                                  ("churchalonzo_13_503_hw.zip", archive([("hw/scale.cu", KERNEL)]))]))
        self.write("roster.csv", "student,id\nAda Lovelace,11\nGeorge Boole,12\nAlonzo Church,13\nKurt G,14\n")
        _, errors = self.grade("--roster", "roster.csv", paths=("submissions.zip",), code=5)
        self.assertIn("of 1 student of the roster there is no submission: Kurt G", errors)
        self.assertEqual({name: one["points"] for name, one in self.results().items()},
                         {"Ada Lovelace": 6, "Alonzo Church": 6, "George Boole": 0})
        self.assertIn("late", self.result("George Boole")["staff"])
        self.assertEqual(self.result("George Boole")["ids"], ["canvas:12"])

    def test_of_a_class_that_cannot_be_read_are_said(self):
        (self.folder / "class.zip").write_bytes(b"nothing")
        _, errors = self.grade(code=2, paths=("class.zip",))
        self.assertIn("`class.zip` is no zip archive that can be read", errors)


class Layouts(GradeTest):
    def test_gradescope_names_the_student_by_its_metadata(self):
        self.write("autograder/submission/scale.cu", KERNEL)
        self.write("autograder/submission/other.cu", WRONG)
        self.write("autograder/submission_metadata.json", json.dumps({
            "id": 123, "created_at": "2026-11-01T10:00:00.000000-07:00", "assignment": {"title": "hw1"},
            "users": [{"email": "ada@x.edu", "id": 7, "name": "Ada Lovelace"}]}))
        self.grade(paths=("autograder/submission",))
        self.assertEqual([row["student"] for row in self.rows()], ["Ada Lovelace"])
        self.assertEqual(self.result("Ada Lovelace")["points"], 6)

    def test_a_student_may_be_named(self):
        self.write("handed/a.cu", WRONG)
        self.write("handed/scale.cu", KERNEL)
        self.grade("--student", "Ada", paths=("handed",))
        self.assertEqual([row["student"] for row in self.rows()], ["Ada"])
        self.assertEqual(self.result("Ada")["points"], 6)

    def test_an_unmatched_student_is_graded_and_said(self):
        self.hand_in(ada=KERNEL, eve=KERNEL)
        self.write("roster.csv", "student,login\nAda Lovelace,ada\n")
        _, errors = self.grade("--roster", "roster.csv", code=5)
        self.assertIn("`eve` is not in the roster, and is graded under that name", errors)
        self.assertEqual(sorted(row["student"] for row in self.rows()), ["Ada Lovelace", "eve"])

    def test_a_roster_with_duplicates_is_refused(self):
        self.hand_in(ada=KERNEL)
        self.write("roster.csv", "student,login\nAda,ada\nBob,ADA\n")
        _, errors = self.grade("--roster", "roster.csv", code=2)
        self.assertIn("roster.csv:3:1: error: `ADA` is on line 2, too", errors)


if __name__ == "__main__":
    unittest.main()
