# A student with a hand-out: unpack, set up, write, try, hand in; by its README, its script and its notebook.
import base64
import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
import zipfile

from assignment import KERNEL, WRONG, GradeTest
from program import PROGRAM

TAG = "cp%d%d" % sys.version_info[:2]
WHEEL = "warpmark-0.1.0-%s-%s-manylinux_2_31_x86_64.whl" % (TAG, TAG)
OTHER = "https://example.invalid/warpmark-0.1.0-cp309-cp309-manylinux_2_31_x86_64.whl#sha256=" + "0" * 64
TEMPLATE = KERNEL.replace("  if (i < n) out[i] = f * src[i];\n", "  // your code\n")
START = """#!/bin/sh
exec '%s' "$@"
""" % (PROGRAM)
MAIN = """import os, sys
os.execv(%r, ["warpmark"] + sys.argv[1:])
""" % str(PROGRAM)


def write_wheel(path):
    """A wheel with this build's program in it: by its place."""
    files = {"warpmark/__init__.py": "", "warpmark/__main__.py": MAIN,
             "warpmark-0.1.0.data/scripts/warpmark": START,
             "warpmark-0.1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: warpmark\nVersion: 0.1.0\n",
             "warpmark-0.1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: %s-%s-linux_x86_64\n"
                                               % (TAG, TAG)}
    rows = ["%s,sha256=%s,%d" % (name, base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
                                 .rstrip("="), len(text)) for name, text in files.items()]
    files["warpmark-0.1.0.dist-info/RECORD"] = "\n".join(rows + ["warpmark-0.1.0.dist-info/RECORD,,"]) + "\n"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            wheel.writestr(entry, text)


class Notebook:
    """Runs the cells of a notebook as IPython does, as far as ours have need of it."""

    def __init__(self, path, folder, environment):
        self.cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        self.folder, self.environment = folder, environment

    def run(self):
        """Returns what the last command printed."""
        out = ""
        python = self.environment["NOTEBOOK_PYTHON"]
        for cell in self.cells:
            source = cell["source"]
            if source.startswith("%%writefile "):
                name, text = source[len("%%writefile "):].split("\n", 1)
                (self.folder / name).write_text(text)
                continue
            words = [python, "-c", source]
            if source.startswith("!"):
                words = shlex.split(source[1:].replace("{python}", python))
            done = subprocess.run(words, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            out = done.stdout
        return out


class Student(GradeTest):
    def setUp(self):
        super().setUp()
        if importlib.util.find_spec("ensurepip") is None:
            self.skipTest("this Python makes no environments: it has no ensurepip")
        self.write("scale.cu", TEMPLATE)
        self.wheel = self.folder / WHEEL
        write_wheel(self.wheel)

    def hand_out(self, *more):
        self.run_program("handout", "hw1.yaml", "--wheel", WHEEL, *more, "-o", "given")
        shutil.make_archive(str(self.folder / "given"), "zip", self.folder, "given")
        home = self.folder / "laptop of ada"
        with zipfile.ZipFile(self.folder / "given.zip") as archive:
            archive.extractall(home)
        return home / "given"

    def shell(self, command, folder, code=0, **environment):
        done = subprocess.run(["sh", "-c", command], cwd=folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, **environment}, check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def test_the_readme_s_commands(self):
        given = self.hand_out("--wheel", OTHER.replace("309", "310"))
        readme = (given / "README.md").read_text()
        setup, activate = re.search(r"^\| Linux.*`(sh [^`]*)`, then `([^`]*)`", readme, re.M).groups()
        out = self.shell(setup, given)
        self.assertIn("Warpmark can check kernels", out)
        tried = re.search(r"^ +(warpmark try .*)$", readme, re.M).group(1)
        self.assertIn("0 of 2 points", self.shell(activate + " && " + tried, given, code=1))
        (given / "scale.cu").write_text(KERNEL)
        self.assertIn("2 of 2 points", self.shell(activate + " && " + tried, given))
        commands = re.findall(r"`(warpmark (?:check|profile|debug) [^`]*)`", readme)
        self.assertEqual([command.split()[1] for command in commands], ["check", "profile", "debug"])
        for command in commands:
            self.shell("%s && %s </dev/null" % (activate, command), given)
        debug, typed = re.search(r"`(warpmark debug [^`]*)`[^:]*:((?:\s*`[^`]*`,?)+)", readme).groups()
        typed = re.findall("`([^`]*)`", typed)
        self.assertEqual((typed[0], typed[-1]), ("break 4", "quit"))
        out = self.shell("%s && printf '%%s\\n' 'break 3' %s | %s" % (
            activate, " ".join(shlex.quote(one) for one in typed[1:]), debug), given)
        self.assertRegex(out, r"scale\.cu:3")
        self.assertNotIn("error", out)
        # The program need not be where it was written: it is found from any folder.
        self.assertIn("2 of 2", self.shell("'%s/venv/bin/warpmark' try '%s/assignment.yaml' '%s/scale.cu'" % (
            (given,) * 3), self.folder))

    def test_machines_that_cannot(self):
        given = self.hand_out()
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in ("sh", "dirname", "cat", "tail"):
            (tools / tool).symlink_to(shutil.which(tool))
        (tools / "uname").write_text("#!/bin/sh\nif [ \"$1\" = -s ]; then echo Darwin; else echo arm64; fi\n")
        (tools / "uname").chmod(0o755)
        out = self.shell("sh setup.sh", given, code=1, PATH=str(tools))
        self.assertIn("this is Darwin on arm64, and Warpmark needs Linux on x86-64. Use the container", out)
        (tools / "uname").write_text("#!/bin/sh\nif [ \"$1\" = -s ]; then echo Linux; else echo x86_64; fi\n")
        (tools / "python3").write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo Python 3.8.10 || exit 1\n")
        (tools / "python3").chmod(0o755)
        out = self.shell("sh setup.sh", given, code=1, PATH=str(tools))
        self.assertIn("there is no Python 3.%d here, but Python 3.8.10" % sys.version_info[1], out)

    def test_the_notebook_needs_no_folder(self):
        given = self.hand_out()
        place = self.folder / "colab"
        place.mkdir()
        environment = {**os.environ, "NOTEBOOK_PYTHON": str(self.folder / "kernel/bin/python")}
        subprocess.run([sys.executable, "-m", "venv", self.folder / "kernel"], check=True)
        notebook = Notebook(given / "hw1.ipynb", place, environment)
        self.assertIn("Upload " + WHEEL, subprocess.run(
            [environment["NOTEBOOK_PYTHON"], "-c", notebook.cells[0]["source"]], cwd=place, text=True,
            stderr=subprocess.PIPE, check=False).stderr)
        shutil.copy(self.wheel, place)
        self.assertIn("0 of 2 points", notebook.run())
        notebook.cells[1]["source"] = "%%writefile scale.cu\n" + KERNEL
        self.assertIn("2 of 2 points", notebook.run())

    def test_the_notebook_is_a_submission(self):
        given = self.hand_out()
        made = json.loads((given / "hw1.ipynb").read_text())
        cell = next(cell for cell in made["cells"] if cell["source"].startswith("%%writefile"))
        for student, text in (("ada", KERNEL), ("bob", WRONG), ("cyd", None)):
            cell["source"] = "%%writefile scale.cu\n" + text if text else "print('hello')"
            self.write("class/%s/%s.ipynb" % (student, student), json.dumps(made))
        self.write("class/dee.ipynb", json.dumps({**made, "cells": [
            {"cell_type": "code", "source": ["%%writefile scale.cu\n", *KERNEL.splitlines(keepends=True)],
             "outputs": [{"text": "x" * 200_000}]}]}))
        self.write("class/eve/notes.ipynb", "{")
        self.write("class/fay/scale.cu", KERNEL)
        self.write("class/fay/hw1.ipynb", json.dumps(made))  # the file of the assignment's name counts
        self.grade()
        points = {name: self.result(name)["points"] for name in ("ada", "bob", "cyd", "dee", "eve", "fay")}
        self.assertEqual(points, {"ada": 6, "bob": 0, "cyd": 0, "dee": 6, "eve": 0, "fay": 6})
        self.assertIn("No cell of the notebook begins with the line `%%writefile scale.cu`",
                      self.result("cyd")["message"])
        self.assertIn("`notes.ipynb` is no notebook", self.result("eve")["message"])
        self.write("compile.ipynb", json.dumps({**made, "cells": [
            {"cell_type": "code", "source": "%%writefile scale.cu\n" + KERNEL.replace("blockDim", "blockDin")}]}))
        out, _ = self.run_program("try", "hw1.yaml", "compile.ipynb", "--device", "cpu", code=1)
        self.assertRegex(out, r"\b[Ll]ine 3\b|:3")  # as the cell counts, with the line of %%writefile

    def test_the_rubric(self):
        self.write("hw1.yaml", (self.folder / "hw1.yaml").read_text().replace(
            "fixed: [f]", """  - {name: parts, points: 3, axes: {n: [64, 65]}, credit: {degree: elements, from: 0.5}}
  - {name: "bonus | 1", points: 1, axes: {n: [128]}, extra: true,
     performance: {by: counters, counters: moved_sectors, full: 1.1, zero: 4}}
due: 2026-11-20T23:59:00+01:00
late: {per_day: 10%, days: 3, grace_min: 15}
trials: {count: 3, drop: 1}
fixed: [f]"""))
        self.run_program("handout", "hw1.yaml", "-o", "given")
        readme = (self.folder / "given/README.md").read_text()
        for text in ("**Due 2026-11-20 22:59 UTC.** Up to 15 minutes later is in time. Each day begun costs 10 % of all "
                     "points; more than 3 days later there are no points.",
                     "| small | 2 | it must be right |",
                     "| parts | 3 | 2 items, each with its share; a wrong one gives the part that is right of its "
                     "elements, if that is 50 % or more |",
                     r"| bonus \| 1 | 1 (extra credit) | points by its number of `moved_sectors`, over that of the "
                     "course's kernel: all up to 1.1 ×, none from 4 ×, and in a line between |",
                     "Items have 3 trials each, of which 1 may be dropped, with other inputs each time."):
            self.assertIn(text, readme)
        self.assertNotIn("odd", readme)

    def test_two_wheels_of_one_python(self):
        _, errors = self.run_program("handout", "hw1.yaml", "--wheel", WHEEL, "--wheel", WHEEL, "-o", "given", code=2)
        self.assertIn("are both for Python 3.", errors)
        self.assertFalse((self.folder / "given").exists())


if __name__ == "__main__":
    unittest.main()
