"""The thirty recipes of docs/guide/recipes.md, and README.md, are followed to the letter."""
import re
import unittest

import program
from followed import FollowTest


class RecipesTest(FollowTest):
    def test_recipes(self):
        page = (program.SOURCE / "docs/guide/recipes.md").read_text()
        recipes = re.findall(r"^### (\d+)\. .*\n((?:(?!###? ).*\n)*)", page, re.M)
        self.assertEqual([int(number) for number, _ in recipes], list(range(1, 31)))
        for number, text in recipes:
            self.assertIn("```console\n$ warpmark ", text, "recipe %s runs nothing" % number)
        self.assertGreaterEqual(self.follow("recipes.md"), 30)

    def test_readme(self):
        for folder in ("suites", "examples"):
            (self.folder / folder).symlink_to(program.SOURCE / folder)
        self.assertGreaterEqual(self.follow("../../README.md"), 2)
        # A reader sees so much without scrolling.
        first = (program.SOURCE / "README.md").read_text().split("\n## ")[0].splitlines()
        self.assertLessEqual(len(first), 25)


if __name__ == "__main__":
    unittest.main()
