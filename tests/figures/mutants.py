#!/usr/bin/env python3
"""Says which mutants of the shipped suites' kernels their cases kill, and which live and why.

    mutants.py [PROGRAM] [PATH …] [--mutants N] [--jobs N] [--seconds S] [--page docs/results/mutants.md] [--json FILE] [--go-on]

Runs `warpmark lint --mutate` for each folder of suites, so that suites which share a kernel are judged together; --jobs runs
several folders at a time.
With --seconds no folder is begun after that time, and the page says which were not; --go-on runs those that the record
of --json lacks. Page and record are written after each folder.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time

import figures
from figures import this_machine, write_record

ROOT = pathlib.Path(figures.ROOT)


def folders_of(paths):
    """Folders with suites, each on its own: kernels are shared within one."""
    found = []
    for path in paths:
        inside = sorted({one.parent for one in path.rglob("*.yaml")}) if path.is_dir() else [path]
        found += [one for one in inside if one not in found]
    return found


def mutants_of(program, folder, most):
    """The suites of one folder; or the reason why there are none."""
    command = [program, "lint", "--mutate", "--json", *(["--mutants", str(most)] if most else []), str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        told = json.loads(done.stdout)
    except ValueError:
        return None, done.stderr.strip()
    if "mutants" not in told:
        problems = told["problems"] + ([told["unchecked"]] if "unchecked" in told else [])
        return None, "; ".join(one["message"] for one in problems)
    return told, ""


def counted(suite):
    return suite["killed"] + suite["accepted"] + len(suite["live"])


def page_of(told, left, command):
    """The page for docs/results."""
    suites = [suite for one in told.values() for suite in one["mutants"] if "note" not in suite and counted(suite)]
    killed = sum(suite["killed"] for suite in suites)
    whole = sum(counted(suite) for suite in suites)
    good = [suite for suite in suites if suite["killed"] >= 0.95 * counted(suite)]
    lines = ["# Mutants of the shipped suites", "", "    " + command, "",
             "The cases of %d suites kill %d of %d mutants (%.1f %%). %d suites kill all of theirs, and %d at least 95 %%. The table has "
             "the others, and below it is all that lives, with the reason ([Mutation](../mutation.md))."
             % (len(suites), killed, whole, 100 * killed / max(1, whole), sum(not suite["live"] for suite in suites), len(good)), "",
             "| suite | killed | of | equivalent | not executed | left out |", "|---|---|---|---|---|---|"]
    for suite in suites:
        if suite["killed"] < 0.95 * counted(suite):
            lines.append("| %s | %d | %d | %d | %d | %d |" % (suite["suite"], suite["killed"], counted(suite),
                                                              suite["equivalent"], suite["not_executed"], suite["left_out"]))
    lines += ["", "```diff"]
    for suite in suites:
        for one in suite["live"]:
            more = "; `%s` kills it" % one["killed_by"] if "killed_by" in one else ""
            lines += ["@@ %s:%d, %s: %s%s" % (one["file"], one["line"], suite["suite"], one["reason"], more),
                      "- " + one["before"], "+ " + one["after"]]
    lines.append("```")
    notes = [(suite["suite"], suite["note"]) for one in told.values() for suite in one["mutants"] if "note" in suite]
    for note in dict.fromkeys(note for _, note in notes):
        lines += ["", "%s: %s." % (note[0].upper() + note[1:], ", ".join("`%s`" % name for name, one in notes if one == note))]
    for why in dict.fromkeys(left.values()):
        folders = ", ".join("`%s`" % folder for folder, reason in left.items() if reason == why)
        lines += ["", "Not run%s: %s." % (", as " + why if why else "", folders)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/bin/warpmark"))
    parser.add_argument("paths", nargs="*", default=["suites"])
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--go-on", action="store_true")
    given = parser.parse_args()
    begin, told, left = time.monotonic(), {}, {}
    if given.go_on:
        told = json.loads(given.json.read_text(encoding="utf-8"))["mutants"]
    folders = [folder.relative_to(ROOT) for folder in folders_of([ROOT / path for path in given.paths])]
    left = {str(folder): "no time was left" for folder in folders if str(folder) not in told}
    command = "python3 tests/figures/mutants.py" + (" --mutants %d" % given.mutants if given.mutants else "")
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        def begun(folder):
            return None if time.monotonic() - begin > given.seconds else mutants_of(given.program, folder, given.mutants)

        asked = {pool.submit(begun, folder): folder for folder in left}
        for done in concurrent.futures.as_completed(asked):
            folder = asked[done]
            if done.result() is None:
                continue
            found, why = done.result()
            if found is None:
                left[folder] = why
            else:
                told[folder] = found
                del left[folder]
                for suite in found["mutants"]:
                    print("%s: %d of %d" % (suite["suite"], suite["killed"], counted(suite)), flush=True)
            told = dict(sorted(told.items()))
            if given.page:
                given.page.write_text(page_of(told, left, command), encoding="utf-8")
            if given.json:
                write_record(given.json, {"machine": this_machine(), "mutants": told, "left": left})
    print(page_of(told, left, command))


if __name__ == "__main__":
    sys.exit(main())
