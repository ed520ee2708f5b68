#!/usr/bin/env python3
"""Suites of known verdict: what each file of the folder `verdicts` says in its first line, `check` must find.

    # passes                 every case passes
    # fails                  every case fails
    # fails: WORD            … and says WORD (a regular expression)
"""
import json
import re
import shutil
import unittest

from program import HERE, CheckTest

FOLDER = HERE / "verdicts"


class Verdicts(CheckTest):
    def test_each_file_has_the_verdict_that_it_says(self):
        shutil.copytree(FOLDER, self.folder / "suites")
        done = self.start("check", "suites", "--device", "cpu", "--json", "--journal", "run.jsonl")
        self.assertEqual(done.returncode, 1, done.stderr.decode())
        found = {}
        for record in self.journal():
            if "verdict" in record:
                found.setdefault(record["case"].split(".")[0], []).append(record)
        for file in sorted(FOLDER.glob("*.yaml")):
            line = file.read_text().split("\n")[0]
            passes, words = re.fullmatch(r"# (passes)?(?:fails(?:: (.*))?)?", line).groups()
            with self.subTest(file.stem):
                cases = found.get(file.stem, [])
                self.assertTrue(cases, "no case of it was run")
                for case in cases:
                    text = json.dumps([case["reason"], case["message"], case["findings"]])
                    self.assertEqual(case["verdict"], "passed" if passes else "failed", text)
                    self.assertRegex(text, words or ".")


if __name__ == "__main__":
    unittest.main()
