# `compare` and `report` of folders of journals.
import json
import pathlib
import shutil
import unittest

from program import SOURCE, ProgramTest

RESULTS = SOURCE / "tests/results"


class Folders(ProgramTest):
    def setUp(self):
        super().setUp()
        for name in ("h200", "h200_slower", "cpu"):
            shutil.copy(RESULTS / (name + ".jsonl"), self.folder)

    def split(self, name, folder):
        """The same cases in one journal for each, and files that are none."""
        run, *records = [json.loads(line) for line in
                         (self.folder / (name + ".jsonl")).read_text().splitlines()]
        cases = [record for record in records if record["type"] == "case"]
        others = [record for record in records if record["type"] != "case"]
        self.assertGreater(len(cases), 2)
        for number, case in enumerate(cases):
            lines = [dict(run, cases=1), case, *others]
            self.write("%s/%d.jsonl" % (folder, number),
                       "".join(json.dumps(line) + "\n" for line in lines))
        self.write(folder + "/.hidden.jsonl", "no journal")
        self.write(folder + "/page.html", "no journal")
        return len(cases)

    def test_compared_as_one_bench(self):
        self.split("h200", "before")
        self.split("h200_slower", "after")
        whole, _ = self.run_program("compare", "h200.jsonl", "h200_slower.jsonl", "--json", code=1)
        parts, _ = self.run_program("compare", "before", "after", "--json", code=1)
        mixed, _ = self.run_program("compare", "h200.jsonl", "after", "--json", code=1)

        def points(text):
            return sorted(json.dumps(point) for point in json.loads(text)["points"])
        self.assertEqual(points(parts), points(whole))
        self.assertEqual(points(mixed), points(whole))

    def test_a_missing_file_is_missing_cases(self):
        self.split("h200", "before")
        self.split("h200", "after")
        (self.folder / "after/1.jsonl").unlink()
        out, _ = self.run_program("compare", "before", "after", code=1)
        self.assertIn("missing", out)
        self.run_program("compare", "before", "after", "--allow-missing")

    def test_reported_as_their_files(self):
        count = self.split("h200", "parts")
        options = ("--layout", "side-by-side", "--format", "markdown")
        files = sorted((self.folder / "parts").glob("[0-9]*.jsonl"))
        by_folder, _ = self.run_program("report", "parts", *options)
        by_files, _ = self.run_program("report", *files, *options)
        self.assertEqual(len(files), count)
        self.assertEqual(by_folder, by_files)
        self.run_program("report", "h200_slower.jsonl", "parts", *options)

    def test_an_input_is_not_replaced(self):
        self.split("h200", "parts")
        before = (self.folder / "parts/0.jsonl").read_text()
        for command in (("report", "parts", "-o", "parts/0.jsonl"),
                        ("compare", "parts", "parts", "--junit", "parts/0.jsonl")):
            self.refused(*command)
        self.assertEqual((self.folder / "parts/0.jsonl").read_text(), before)

    def test_what_is_no_bench(self):
        for command in ("compare", "report"):
            more = ["h200.jsonl"] if command == "compare" else []
            (self.folder / "empty").mkdir(exist_ok=True)
            self.assertIn("the folder empty has no journal",
                          self.refused(command, "empty", *more))
            self.split("h200", "parts")
            self.write("parts/3.jsonl", "{}\n")
            self.assertIn("parts/3.jsonl", self.refused(command, "parts", *more))
            self.assertIn("nowhere", self.refused(command, "nowhere", *more))

    def test_journals_that_are_not_of_one_bench(self):
        pathlib.Path(self.folder, "both").mkdir()
        shutil.copy(self.folder / "h200.jsonl", self.folder / "both/a.jsonl")
        shutil.copy(self.folder / "h200.jsonl", self.folder / "both/b.jsonl")
        errors = self.refused("compare", "both", "h200.jsonl")
        self.assertIn("is in both both/a.jsonl and both/b.jsonl", errors)
        shutil.copy(self.folder / "cpu.jsonl", self.folder / "both/b.jsonl")
        self.assertIn("the devices differ", self.refused("compare", "both", "h200.jsonl"))


if __name__ == "__main__":
    unittest.main()
