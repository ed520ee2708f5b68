#!/usr/bin/env python3
"""Judges every hostile submission of tests/hostile, and writes docs/results/cheats.md.

    tests/figures/cheats.py [PROGRAM] [--device cpu] [--jobs 1] [--json RECORD]
    tests/figures/cheats.py --page PAGE [--check]

Each candidate is judged for the task that tests/hostile/manifest.json gives it. Right ones among them
must be right, and every other one must not; the command fails if not.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

import figures

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HOSTILE = ROOT / "tests" / "hostile"
# The judge gives these a verdict that depends on what they meet, and both are fair.
EITHER = "any"
# The kinds of cheats that others were tricked by, or test for, as their repositories have it.
OTHERS = (
    ("zeros within the tolerance", "T3", "KernelBench: 4 of 60 problems (issue 165)"),
    ("replayed answers", "T4", "reference-kernels: issues 148, 162"),
    ("right at first alone", "T5", "llm.c: for 10 launches (issue 852)"),
    ("outputs not compared", "T6", "reference-kernels: 49 of 50 (pull request 104)"),
    ("lines kept in L2", "T27", "llm.c: 3530 for 714 GB/s (issue 851)"),
    ("impossible times", "T29", "reference-kernels: issues 159, 162"),
    ("forged results and timers", "T36", "pygpubench: 4 of 6 passed (pull request 7)"),
)


def text_of(entry):
    """The request of a candidate: a file, or a folder with headers of its own."""
    path = HOSTILE / entry["name"]
    if not path.is_dir():
        return {"text": (HOSTILE / (entry["name"] + ".cu")).read_text(errors="replace")}
    files = {str(file.relative_to(path)): file.read_text(errors="replace") for file in sorted(path.rglob("*")) if file.is_file()}
    return {"files": files}


def about(entry):
    """The first comment of the candidate: what it tries."""
    request = text_of(entry)
    source = request.get("text") or next(text for name, text in request["files"].items() if name.endswith(".cu"))
    first = source.lstrip().splitlines()[0] if source.strip() else ""
    return first.removeprefix("//").strip() or entry["name"].replace("_", " ")


def judge(program, task, entries, arguments):
    """The judgements of the candidates, by name."""
    lines = "".join(json.dumps({"id": entry["name"], **text_of(entry)}) + "\n" for entry in entries)
    done = subprocess.run([program, "judge", str(task), "--stream", "-q", "--jobs", str(arguments.jobs), "--device", arguments.device],
                          input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(entries):
        sys.exit("%s: %d answers to %d candidates, exit code %d\n%s" % (task.name, len(answers), len(entries), done.returncode, done.stderr))
    return {one["id"]: one["judgement"] for one in answers}


def part(made):
    """The part of the record that does not hold, with the reason in a few words."""
    for name in ("compiled", "honest", "clean", "right"):
        if made[name]["holds"] is False:
            words = ", ".join(found["word"] for found in made["findings"]) if name == "clean" else made["verdict"]
            return name, words
    return "", made["verdict"]


def is_wrong(entry, made):
    if made["verdict"] == "not judged":
        return "the judge failed: " + made["problem"]
    if entry["points"] in ("none", "less") and made["verdict"] == "right":
        return "a cheat is right"
    if entry["points"] == "full" and made["verdict"] != "right":
        return "a right one is " + made["verdict"]
    return ""


def record_of(judged):
    """The record of --json: each cheat with the part that catches it."""
    cheats = []
    for entry, made in judged:
        if entry["points"] in ("none", "less"):
            caught_by, words = part(made)
            cheats.append({"name": entry["name"], "threats": entry["threats"], "caught_by": caught_by, "words": words})
    cheats.sort(key=lambda one: (int(one["threats"][0][1:]), one["name"]))
    return {"command": "tests/figures/cheats.py", "device": judged[0][1]["device"], "cheats": cheats}


def page(record):
    """A row for each threat: how many candidates try it first of all, and which parts catch them."""
    cheats = record["cheats"]
    kinds = collections.Counter(one["caught_by"] for one in cheats)
    rows = collections.defaultdict(list)
    for one in cheats:
        rows[one["threats"][0]].append(one)
    lines = ["# Cheats", "",
             "    python3 tests/figures/cheats.py --json results/cpu/cheats.json",
             "    python3 tests/figures/cheats.py --page docs/results/cheats.md", "",
             "Candidates of `tests/hostile` that want points or times that they do not earn, or to break or spy, and the part of",
             "[the judge](../judge.md) that catches them, on the %s. [The threat model](../threat-model.md#threats) names the" % record["device"],
             "candidates of each threat with the answer to it, and `results/cpu/cheats.json` has the part that catches each.", "",
             "%d cheats: %s; none is right." % (len(cheats), ", ".join("%d by `%s`" % (count, name) for name, count in kinds.most_common())), "",
             "| threat | candidates | caught by |", "|---|---|---|"]
    for threat, ones in rows.items():
        caught = collections.Counter(one["caught_by"] for one in ones)
        lines.append("| %s | %d | %s |" % (threat, len(ones), ", ".join("`%s` %d" % pair for pair in caught.most_common())))
    lines += ["", "Other judges by their own trackers:", "", "| kind | threat | seen |", "|---|---|---|"]
    lines += ["| %s | %s | %s |" % row for row in OTHERS]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", nargs="?", default=str(ROOT / "build" / "bin" / "warpmark"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, help="write the record there")
    parser.add_argument("--page", type=pathlib.Path, help="write the page there, of results/cpu/cheats.json, and judge nothing")
    parser.add_argument("--check", action="store_true", help="with --page: fail if the page is another")
    arguments = parser.parse_args()
    if arguments.page:
        text = page(json.loads((ROOT / "results/cpu/cheats.json").read_text()))
        if arguments.check:
            return 0 if arguments.page.read_text() == text else "%s is not what cheats.py writes" % arguments.page
        arguments.page.write_text(text)
        return 0
    entries = json.loads((HOSTILE / "manifest.json").read_text())["submissions"]
    judged, wrong = [], []
    for task in sorted({entry["assignment"] for entry in entries}):
        mine = [entry for entry in entries if entry["assignment"] == task]
        made = judge(arguments.program, HOSTILE / (task + ".yaml"), mine, arguments)
        judged += [(entry, made[entry["name"]]) for entry in mine]
    for entry, made in judged:
        why = is_wrong(entry, made) if entry["points"] != EITHER else ""
        if why:
            wrong.append("%s: %s" % (entry["name"], why))
    figures.write_record(arguments.json, record_of(judged))
    print("%d candidates, %d wrong" % (len(judged), len(wrong)), *wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
