# Finds registrations and scripts of tests that can be green for the wrong reason.
#
# Usage: honest_tests.py SOURCE_DIR
#
# ctest judges by one thing only where it is told to look at another: SKIP_REGULAR_EXPRESSION hides
# a failure beside a skip, PASS_REGULAR_EXPRESSION the exit status, WILL_FAIL takes any failure for
# the one that is meant, and a SKIP_RETURN_CODE other than 77 is one that mistakes have, too. A
# GoogleTest or unittest program that skipped everything reports success by itself. Shell scripts
# go on after a failure unless told to stop, and a pipe forgets all but its last part.
import pathlib
import re
import sys

SKIPPED = "77"
REFUSED = {
    "SKIP_REGULAR_EXPRESSION": "a skip by words hides a failure beside it; use SKIP_RETURN_CODE 77",
    "PASS_REGULAR_EXPRESSION": "ctest then ignores the exit status; use tests/support/run_and_match.py",
    "WILL_FAIL": "any failure passes, a missing file's too; test for the one that is meant",
    "GTest::gtest_main": "its programs exit 0 when all was skipped; use warpmark_gtest_main",
}
# A default or a question may fail: what reads it copes. Others say so.
MAY_FAIL = re.compile(r"\$\(.*\|\| true\)|<\(.*\|\| true\)|\bread -|2>/dev/null \|\| true$|# may fail")


def without_comment(line):
    return line.split("#")[0]


def cmake_faults(path):
    # Arguments are what is registered; text in [[ ]] and lines that pass them on are not.
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code = without_comment(line)
        for word, why in REFUSED.items():
            if re.search(r"(?<![A-Za-z_:])%s(?![A-Za-z_])" % re.escape(word), code):
                yield path, number, "%s: %s" % (word, why)
        for value in re.findall(r"SKIP_RETURN_CODE\s+(\S+?)[\s)\"]", code + " "):
            if value != SKIPPED:
                yield path, number, "SKIP_RETURN_CODE %s: a skip exits with %s" % (value, SKIPPED)
        if re.search(r"COMMAND\s.*-B\s+\S*_test\.py.*\bOnGpu\b", code):
            yield path, number, "unittest exits 0 when all was skipped; use run_unittest.py"


def shell_faults(path):
    lines = path.read_text().splitlines()
    strict = [line for line in lines if re.match(r"set -\S*e", line)]
    # A file that others read in (`source`) has no first line of its own to run.
    if not strict and lines and lines[0].startswith("#!"):
        yield path, 1, "it goes on after a failure: `set -euo pipefail`"
    piped = any(re.search(r"[^|]\|[^|&]", without_comment(line)) for line in lines)
    if strict and piped and not any("pipefail" in line for line in lines):
        number = next(number for number, line in enumerate(lines, 1)
                      if re.search(r"[^|]\|[^|&]", without_comment(line)))
        yield path, number, "a pipe forgets the failure of its first part: `set -o pipefail`"
    for number, line in enumerate(lines, 1):
        code = line.strip()
        if re.search(r"\|\|\s*(true|:|exit 0)\b", code) and not MAY_FAIL.search(code):
            yield path, number, "a failure is thrown away"


def source_faults(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if re.search(r"\breturn RUN_ALL_TESTS\(\)", line):
            yield path, number, "use run_tests() of tests/support/run_tests.hpp, which knows skips"


def faults(root):
    for folder in ("cmake", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
                yield from cmake_faults(path)
    for path in sorted((root / "tests").rglob("*.sh")):
        yield from shell_faults(path)
    for path in sorted((root / "tests").rglob("*.cpp")):
        yield from source_faults(path)


def main(root):
    count = 0
    for path, line, words in faults(root):
        count += 1
        print("%s:%d: error: %s" % (path.relative_to(root), line, words))
    print("%d faults" % count)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
