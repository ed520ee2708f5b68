"""Checks that no function is too long or too complex to be read: usage: function_size.py ROOT

Over harness/ and plugins/, by lizard (https://github.com/terryyin/lizard): at most 80 lines and a
cyclomatic complexity of 30. With the lizard of build/deps/tools, which ./bootstrap test makes, or the
one that is installed; exit code 77 where there is none.
"""
import csv
import importlib.util
import pathlib
import subprocess
import sys

SKIPPED = 77
MOST_LINES, MOST_COMPLEXITY = 80, 30
TABLE, TEXT = "a table", "a text of CUDA code"

# Functions that may be larger, and why.
EXCEPTIONS = {
    ("harness/cli/request/job_options.cpp", "job_options"): TABLE,
    ("plugins/codegen/reduction_prelude.cpp", "reduction_prelude"): TEXT,
    ("plugins/scan/prelude.cpp", "scan_prelude"): TEXT,
}


def lizard_of(root):
    """The command that is lizard; None if there is none."""
    ours = root / "build/deps/tools/bin/python3"
    for python in [str(ours)] if ours.exists() else []:
        if subprocess.run([python, "-I", "-c", "import lizard"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return [python, "-I", "-B", "-m", "lizard"]
    return [sys.executable, "-B", "-m", "lizard"] if importlib.util.find_spec("lizard") else None


def large_functions(lizard, root):
    """(file, name, line, lines, complexity) of each function over a limit; no namespace in the name."""
    folders = [folder for folder in ("harness", "plugins") if (root / folder).is_dir()]
    said = subprocess.run([*lizard, "--csv", "-l", "cpp", *folders], cwd=root, stdout=subprocess.PIPE,
                          text=True, check=False).stdout
    for row in csv.reader(said.splitlines()):
        complexity, lines, file, name, line = int(row[1]), int(row[4]), row[6], row[7], int(row[9])
        if lines > MOST_LINES or complexity > MOST_COMPLEXITY:
            *around, own = name.split("::")
            classes = [part for part in around if part[0].isupper()]  # namespaces are lower case
            yield file, "::".join(classes + [own]), line, lines, complexity


def mistakes(lizard, root, exceptions):
    unused = dict(exceptions)
    for file, name, line, lines, complexity in large_functions(lizard, root):
        if unused.pop((file, name), None) is None:
            yield "%s:%d: %s has %d lines (at most %d) and a complexity of %d (at most %d)" % (
                file, line, name, lines, MOST_LINES, complexity, MOST_COMPLEXITY)
    for file, name in unused:
        yield "%s: %s is small enough now, and no exception any more" % (file, name)


def main(root):
    root = pathlib.Path(root).resolve()
    lizard = lizard_of(root)
    if lizard is None:
        print("skipped: lizard is not here; ./bootstrap test brings it")
        return SKIPPED
    found = list(mistakes(lizard, root, EXCEPTIONS))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
