"""The pages of docs/guide, docs/grading.md and README.md are followed to the letter: files written, commands run, output compared.

In a page a block whose first line is a comment with a path is that file, and a `console` block is a
session: `$ COMMAND`, what it prints on both streams, `[exit N]` if it is not 0. In the output `…`
stands for any text within a line, and alone in a line for any lines.
"""
import re
import shlex
import subprocess
import unittest

import program

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"(?:#|//) ([\w/.-]+\.(?:yaml|py|cuh?))\n")


def pattern_of(lines):
    """A regular expression for the output that a page shows."""
    text = ""
    for line in lines:
        if line == "…":
            text += r"(?:.*\n)*?"
        else:
            text += ".*?".join(re.escape(part) for part in line.split("…")) + r"[ ]*\n"
    return re.compile(text)


def sessions(text):
    """(command, expected lines, exit code) of each command of a console block."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], [], [0]))
        elif re.fullmatch(r"\[exit \d+\]", line):
            steps[-1][2][0] = int(line[6:-1])
        else:
            steps[-1][1].append(line)
    return [(command, lines, code[0]) for command, lines, code in steps]


class GuideTest(program.CheckTest):
    def follow(self, page):
        commands = 0
        for language, text in BLOCK.findall((program.SOURCE / "docs/guide" / page).read_text()):
            name = FILE.match(text)
            if name:
                self.write(name.group(1), text)
            elif language == "console":
                for command, lines, code in sessions(text):
                    self.step(page, command, lines, code)
                    commands += 1
            else:
                self.assertEqual(language, "text", "%s: a block that nothing runs:\n%s" % (page, text))
        return commands

    def step(self, page, command, lines, code):
        words = shlex.split(command)
        self.environment["LC_ALL"] = "C.UTF-8"  # the order of `ls`
        self.assertIn(words[0], ("warpmark", "build/bin/warpmark", "ls"), page)
        if words[0] != "ls":
            words[0] = program.PROGRAM
        done = subprocess.run(words, cwd=self.folder, env=self.environment, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        shown = "%s: $ %s\n%s" % (page, command, done.stdout)
        self.assertEqual(done.returncode, code, shown)
        self.assertTrue(pattern_of(lines).fullmatch(done.stdout),
                        "%s\nis not as the page says:\n%s" % (shown, "\n".join(lines)))

    def test_write_a_suite(self):
        self.assertGreaterEqual(self.follow("write-a-suite.md"), 3)

    def test_read_a_failure(self):
        self.assertGreaterEqual(self.follow("read-a-failure.md"), 5)

    def test_ask_for_coalesced_access(self):
        self.assertGreaterEqual(self.follow("ask-for-coalesced-access.md"), 2)

    def test_read_a_benchmark(self):
        self.assertGreaterEqual(self.follow("read-a-benchmark.md"), 4)

    def test_tune_a_kernel(self):
        self.assertGreaterEqual(self.follow("tune-a-kernel.md"), 2)

    def test_first_kernel(self):
        self.write("secret", "0123456789abcdef").chmod(0o600)
        self.write("warpmark-0.1.0-cp312-cp312-manylinux_2_31_x86_64.whl", "PK of a wheel")
        self.assertGreaterEqual(self.follow("first-kernel.md"), 7)

    def test_course_kernels(self):
        (self.folder / "suites").symlink_to(program.SOURCE / "suites")
        self.assertGreaterEqual(self.follow("course-kernels.md"), 2)

    def test_pycuda(self):
        self.assertGreaterEqual(self.follow("pycuda.md"), 1)

    def test_grade_a_class(self):
        self.write("secret", "0123456789abcdef").chmod(0o600)
        self.write("warpmark-0.1.0-cp312-cp312-manylinux_2_31_x86_64.whl", "PK of a wheel")
        self.assertGreaterEqual(self.follow("../grading.md"), 4)

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

    def test_every_page_is_followed(self):
        pages = sorted(path.name for path in (program.SOURCE / "docs/guide").glob("*.md"))
        followed = re.findall(r'self\.follow\("([\w.-]+)"\)', open(__file__).read())
        self.assertEqual(pages, sorted(followed))


if __name__ == "__main__":
    unittest.main()
