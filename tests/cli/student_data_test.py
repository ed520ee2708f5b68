# Tests that `warpmark grade` keeps the files about students that docs/student-data.md names, and nothing else.
import fnmatch
import json
import re
import unittest
import zipfile

from assignment import ASSIGNMENT, KERNEL, WRONG, GradeTest
from program import SOURCE

MARK = "zyxw_of_ada"
PAGE = (SOURCE / "docs/student-data.md").read_text()


class StudentData(GradeTest):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        # Another cache than that of all tests, to see what one run leaves there.
        self.cache = self.folder / "cache_of_this_run"
        self.environment.update(TMPDIR=str(self.temporary), WARPMARK_CACHE_DIR=str(self.cache))
        self.write("hw1.yaml", ASSIGNMENT + "leaderboard: {names: chosen}\n")
        with zipfile.ZipFile(self.folder / "export.zip", "w") as archive:
            archive.writestr("lovelaceada_1001_1_scale.cu", "// leaderboard: %s\n%s" % (MARK, KERNEL))
            archive.writestr("boolegeorge_1002_2_scale.cu", WRONG)
            archive.writestr("churchalonzo_1003_3_scale.cu", KERNEL + "// other\n")
        self.write("roster.csv", "student,id,email\nAda Lovelace,1001,ada@x.edu\nGeorge Boole,1002,gb@x.edu\n"
                   "Alonzo Church,1003,ac@x.edu\n")

    def rows(self):
        """The names of files in the first column of the page's table."""
        names = []
        for line in PAGE.splitlines():
            if line.startswith("| `"):
                folder = ""
                for name in re.findall(r"`([^`]+)`", line.split("|")[1]):
                    if name.startswith("OUT/"):
                        folder = name.rpartition("/")[0]
                    names.append(name if name.startswith(("OUT/", "--")) else folder + "/" + name)
        return names

    def kept(self, folder):
        return sorted(str(path.relative_to(self.folder / folder)) for path in (self.folder / folder).rglob("*") if path.is_file())

    def assert_named(self, folder):
        patterns = [name[len("OUT/"):].replace("NAME", "*") for name in self.rows() if name.startswith("OUT/")]
        for path in self.kept(folder):
            self.assertTrue(any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns), (path, patterns))
        return patterns

    def assert_nothing_else(self):
        self.assertEqual([str(path) for path in self.temporary.rglob("*")], [])
        for path in self.cache.rglob("*"):
            if path.is_file():
                data = path.read_bytes()
                for word in (MARK, "lovelace", "Lovelace", "ada@x.edu"):
                    self.assertNotIn(word.encode(), data, path)

    def assert_absent(self, word, path):
        """A random digest may hold any digits."""
        self.assertNotRegex(path.read_text(), "(?<![0-9a-f])%s(?![0-9a-f])" % re.escape(word), path)

    def test_it_keeps_what_the_page_names(self):
        exports = {"--canvas": "canvas.csv", "--moodle": "moodle.csv", "--feedback": "mails", "--similar": "alike.html",
                   "--items": "items.csv", "--anonymous": "nameless"}
        self.assertEqual({name for name in self.rows() if name.startswith("--")}, set(exports))
        before = set(self.kept("."))
        options = [part for pair in exports.items() for part in pair]
        self.grade("--roster", "roster.csv", *options, paths=("export.zip",))
        self.write("more.csv", "student,points\n1001,-1\n")
        self.grade("--roster", "roster.csv", "--adjustments", "more.csv", *options, paths=("export.zip",))
        patterns = self.assert_named("out")
        named = {pattern for pattern in patterns if any(fnmatch.fnmatchcase(path, pattern) for path in self.kept("out"))}
        self.assertEqual(set(patterns) - named, {"staff/*/similar.txt", "staff/.template", "shard.json"})
        self.assert_nothing_else()
        written = {path for path in set(self.kept(".")) - before
                   if not path.startswith(("out/", "cache_of_this_run/", "cache/"))} - {"more.csv"}
        self.assertEqual({path.partition("/")[0] for path in written}, set(exports.values()))
        self.assertIn('"canvas:1001"', (self.folder / "out/staff/Ada Lovelace/result.json").read_text().replace(" ", ""))
        for path in (self.folder / "out/students/Ada Lovelace").iterdir():
            self.assert_absent("1001", path)
        for path in (self.folder / "nameless").iterdir():
            for word in ("Lovelace", "1001", "ada@"):
                self.assert_absent(word, path)

    def test_a_part_of_a_class(self):
        for number in (1, 2):
            self.grade("--roster", "roster.csv", "--shard", "%d/2" % number, "--similar", "x.html",
                       out="part%d" % number, paths=("export.zip",))
            self.assert_named("part%d" % number)
        self.assertTrue([path for path in self.kept("part1") if path.endswith("/similar.txt")])
        self.assert_nothing_else()

    def test_a_student_can_be_deleted(self):
        self.grade("--roster", "roster.csv", paths=("export.zip",))
        for folder in ("staff", "students"):
            for path in (self.folder / "out" / folder / "Ada Lovelace").iterdir():
                path.unlink()
            (self.folder / "out" / folder / "Ada Lovelace").rmdir()
        with zipfile.ZipFile(self.folder / "export.zip") as archive:
            rest = {name: archive.read(name) for name in archive.namelist() if not name.startswith("lovelace")}
        with zipfile.ZipFile(self.folder / "export.zip", "w") as archive:
            for name, text in rest.items():
                archive.writestr(name, text)
        self.write("roster.csv", "student,id\nGeorge Boole,1002\nAlonzo Church,1003\n")
        self.grade("--roster", "roster.csv", paths=("export.zip",))
        for path in (self.folder / "out").rglob("*"):
            if path.is_file():
                for word in ("Lovelace", MARK, "1001"):
                    self.assert_absent(word, path)

    def test_a_stream_keeps_nothing(self):
        self.write("requests", json.dumps({"id": "ada@x.edu", "text": "// %s\n%s" % (MARK, KERNEL)}) + "\n")
        before = set(self.kept("."))
        with open(self.folder / "requests", "rb") as requests:
            self.run_program("grade", "hw1.yaml", "--stream", "--secret", "secret", "--device", "cpu", "--no-sandbox",
                             stdin=requests)
        self.assertEqual([path for path in set(self.kept(".")) - before if not path.startswith("cache")], [])
        self.assert_nothing_else()


if __name__ == "__main__":
    unittest.main()
