"""Follows a page to the letter: files written, commands run, output compared. Shared by the tests of guides, recipes and README.

In a page a block whose first line is a comment with a path is that file, and a `console` block is a
session: `$ COMMAND`, what it prints on both streams, `[exit N]` if it is not 0. In the output `…`
stands for any text within a line, and alone in a line for any lines. A `sh` block is run by a shell, and
prints what a comment behind its last command says.
"""
import re
import shlex
import subprocess

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


class FollowTest(program.CheckTest):
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
            elif language == "sh":
                self.shell(page, text)
                commands += 1
            else:
                self.assertEqual(language, "text", "%s: a block that nothing runs:\n%s" % (page, text))
        return commands

    def shell(self, page, text):
        done = subprocess.run(["sh", "-e", "-c", text], cwd=self.folder, env=self.environment, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, "%s: %s\n%s" % (page, text, done.stdout))
        _, comment, said = text.strip().splitlines()[-1].partition(" # ")
        if comment:
            self.assertRegex(done.stdout, pattern_of([said]).pattern.rstrip("\n"))

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
