"""Prints how the tree is divided: lines by folder, and how deep the calls of the main ways go.

    structure.py [--revision REV] [--since REV] [--program PROGRAM] [--json FILE]
    structure.py --page PAGE BEFORE.json AFTER.json

Lines are those of C++ in harness/ and plugins/, of a revision or of the work tree. PROGRAM is one that was built with
`-DCMAKE_BUILD_TYPE=Debug`; gdb stops it where each way ends, and the frames of our own functions are counted there, as
well as the folders that they lie in. Since a revision, commits that leave the product shorter are counted, and the lines
that they took away; commits that take back another one do not count.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from figures import ROOT, add_json, write_record
import argparse

FOLDERS = re.compile(r"(harness/(?:report|grade|cli)/\w+|harness/\w+|plugins/cpu/\w+|plugins/\w+)/")
FRAME = re.compile(r"^#\d+ .* at (?:\./)?((?:harness|plugins)/[\w/]+)/\w+\.[ch]pp:\d+")
CASE = ["suites/doublify", "--case", "doublify/double_array.n=1", "--device", "cpu"]
# Ways: a name, the function where it ends, and the command that goes there.
WAYS = [("a case, from main to the comparison of its outputs", "warpmark::CaseLaunch::judge", ["check", *CASE, "--in-process"]),
        ("a case, from main to its launch", "warpmark::Executor::verify", ["check", *CASE, "--in-process"]),
        ("an item of an assignment, from main to the grader", "warpmark::SubmissionGrader::grade",
         ["try", "courses/first/reduction/assignment.yaml", "courses/first/reduction/solutions/tree.cu", "--device", "cpu"])]


def sources(revision):
    """Pairs of a path and its text."""
    git = ["git", "-C", ROOT]
    command = [*git, "ls-tree", "-r", "--name-only", revision] if revision else [*git, "ls-files"]
    names = subprocess.run([*command, "harness", "plugins"] if not revision else [*command, "--", "harness", "plugins"],
                           stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    for name in names:
        if not name.endswith((".cpp", ".hpp", ".h", ".def")):
            continue
        if revision:
            text = subprocess.run([*git, "show", "%s:%s" % (revision, name)], stdout=subprocess.PIPE, text=True, check=True).stdout
        else:
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                text = file.read()
        yield name, text


def lines_of(revision):
    """Files, lines of code and lines of comments alone, by folder."""
    folders = collections.defaultdict(lambda: {"files": 0, "code": 0, "comments": 0})
    for name, text in sources(revision):
        found = FOLDERS.match(name)
        row = folders[found[1] if found else os.path.dirname(name)]
        row["files"] += 1
        for line in text.split("\n"):
            words = line.strip()
            if words:
                row["comments" if words.startswith(("//", "/*", "*")) else "code"] += 1
    return dict(sorted(folders.items()))


def shortened(since):
    """The commits since a revision that took more lines of the product than they added, and the difference."""
    log = subprocess.run(["git", "-C", ROOT, "log", "--no-merges", "--format=@%s", "--numstat", since + "..HEAD", "--",
                          *("%s/*.%s" % (room, kind) for room in ("harness", "plugins") for kind in ("cpp", "hpp", "h", "def"))],
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    commits = []
    for line in log.split("\n"):
        if line.startswith("@"):
            commits.append(0)
            taken_back = line.startswith(("@Take back", "@Revert"))
        elif line and not taken_back:
            added, removed, _ = line.split("\t")
            commits[-1] += int(added) - int(removed)
    shorter = [-lines for lines in commits if lines < 0]
    return {"since": since, "commits": len(shorter), "lines": sum(shorter)}


def depth_of(program, function, arguments):
    """The frames of our own on the way to a function, and their folders, outermost first."""
    # The front is a child of the program's parent, and starts Python to ask for its version: without a cache, which knows it.
    commands = ["set pagination off", "set breakpoint pending on", "set print frame-arguments none",
                "set follow-fork-mode child", "catch vfork", "run", "set follow-fork-mode parent", "delete",
                "break " + function, "continue", "bt", "kill"]
    given = [part for command in commands for part in ("-ex", command)]
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(["gdb", "-batch", *given, "--args", program, *arguments], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=600,
                              check=False, env={**os.environ, "WARPMARK_CACHE_DIR": cache})
    frames = [found[1] for found in map(FRAME.match, done.stdout.split("\n")) if found]
    rooms = []
    for room in reversed(frames):
        if not rooms or rooms[-1] != room:
            rooms.append(room)
    return {"frames": len(frames), "rooms": rooms}


def page(before, after):
    def total(record, key):
        return sum(row[key] for row in record["folders"].values())

    yield "# How the tree is divided\n"
    yield "    python3 tests/figures/structure.py --revision 9e18c20a --program DEBUG_BUILD/bin/warpmark --json results/cpu/structure_before.json"
    yield "    python3 tests/figures/structure.py --since 9e18c20a --program DEBUG_BUILD/bin/warpmark --json results/cpu/structure_after.json"
    yield ("    python3 tests/figures/structure.py --page PAGE results/cpu/structure_before.json "
           "results/cpu/structure_after.json\n")
    yield "C++ of `harness/` and `plugins/`, before one thing got one place (November 2026), and today, with what was added since.\n"
    yield "| what | before | after |\n|---|---|---|"
    for key in ("files", "code", "comments"):
        yield "| %s | %d | %d |" % ({"files": "files"}.get(key, "lines of " + key), total(before, key), total(after, key))
    most = [max(record["folders"].items(), key=lambda item: item[1]["files"]) for record in (before, after)]
    yield "| files of the largest folder | %s | %s |" % tuple("%d (`%s`)" % (row["files"], name) for name, row in most)
    for way in after.get("ways", {}):
        old, new = before.get("ways", {}).get(way), after["ways"][way]
        yield "| frames of %s | %s | %d |" % (way, old["frames"] if old else "", new["frames"])
    if "shortened" in after:
        yield "\n%(commits)d commits since then left the product shorter, by %(lines)d lines together." % after["shortened"]
    yield "\nThe largest folders after it:\n\n| folder | files | code | comments |\n|---|---|---|---|"
    for name, row in sorted(after["folders"].items(), key=lambda item: -item[1]["code"])[:10]:
        yield "| `%s` | %d | %d | %d |" % (name, row["files"], row["code"], row["comments"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--revision", help="of a commit instead of the work tree")
    parser.add_argument("--since", help="count commits since that one that leave the product shorter")
    parser.add_argument("--program", help="a debug build, for the depth of calls")
    parser.add_argument("--page", nargs=3, metavar=("PAGE", "BEFORE", "AFTER"), help="write a page of two records")
    add_json(parser)
    options = parser.parse_args()
    if options.page:
        records = []
        for name in options.page[1:]:
            with open(name, encoding="utf-8") as file:
                records.append(json.load(file))
        with open(options.page[0], "w", encoding="utf-8") as file:
            file.write("\n".join(page(*records)) + "\n")
        return 0
    record = {"folders": lines_of(options.revision)}
    if options.since:
        record["shortened"] = shortened(options.since)
        print("%(commits)d commits since %(since)s left the product shorter, by %(lines)d lines" % record["shortened"])
    if options.program:
        record["ways"] = {name: depth_of(options.program, end, arguments) for name, end, arguments in WAYS}
    for name, row in record["folders"].items():
        print("%-28s %4d files %6d lines of code %6d of comments" % (name, row["files"], row["code"], row["comments"]))
    for name, depth in record.get("ways", {}).items():
        print("%s: %d frames in %d folders" % (name, depth["frames"], len(set(depth["rooms"]))))
    write_record(options.json, record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
