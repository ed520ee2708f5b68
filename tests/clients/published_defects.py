#!/usr/bin/env python3
"""Runs programs of public repositories on the CPU device, and compares its reports with docs/defects-found.md.

published_defects.py LAUNCHER [FOLDER] [--only NAME,...] [--show]

FOLDER, by default that of the environment variable WARPMARK_PUBLISHED_DEFECTS, has the built programs, with the names that
published_defects.json gives them. The page says of which commit each is made, and what was changed. A program that is not in
the folder is left out. Each of the others must report each finding of the table, in the words of the page.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "defects-found.md"


def sparse_rows():
    """40 rows with a label and 21 of 301 features, in the format of LIBSVM."""
    rows = []
    for row in range(40):
        columns = sorted({(row * 37 + k * 13) % 300 + 1 for k in range(20)} | {301})
        rows.append(" ".join(["+1" if row % 3 else "-1"] + ["%d:%.2f" % (c, (row + c) % 10 / 10) for c in columns]))
    return "\n".join(rows) + "\n"


def expression_table():
    """14 genes with 24 samples each."""
    lines = ["\t".join(["id"] + ["s%d" % sample for sample in range(24)])]
    lines += ["\t".join(["g%d" % gene] + ["%.3f" % ((gene * 31 + sample * 17) % 29 / 29) for sample in range(24)])
              for gene in range(14)]
    return "\n".join(lines) + "\n"


INPUTS = {"sparse_rows": sparse_rows, "expression_table": expression_table}


def shortened(message):
    """The report without the folders of this machine: headers by their name in the toolkit, sources by their own."""
    message = re.sub(r"(?<=[ (])/[^:,()]*?/include/(cccl/)?", "", message)
    return re.sub(r"(?<=[ (])/[^:,()]*/([^/:,()]+:\d)", r"\1", message)


def reports_of(launcher, program, arguments, timeout):
    """Returns the device's reports of a run, each once and shortened."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        words = []
        for word in arguments:
            name = word.strip("{}")
            if name in INPUTS:
                (place / name).write_text(INPUTS[name]())
                word = str(place / name)
            words.append(word)
        file = place / "reports.jsonl"
        try:
            subprocess.run([launcher, "--check", "all", "--report", str(file), str(program), *words], cwd=folder, timeout=timeout,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            pass  # what was reported until then counts
        lines = file.read_text().splitlines() if file.exists() else []
    reports = {}
    for line in lines:
        report = json.loads(line)
        reports.setdefault(shortened(report.get("message", "")), report)
    return reports


def complaints(entry, reports, page):
    """Yields what is wrong with the reports of a program."""
    for finding in entry["findings"]:
        place = "in %s at %s" % (finding["kernel"], finding["at"])
        found = [text for text, report in reports.items() if report["kind"] == finding["kind"] and place in text]
        if not found:
            yield "no %s %s" % (finding["kind"], place)
        elif not any(text in page for text in found):
            yield "the page does not have: " + found[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("launcher")
    parser.add_argument("folder", nargs="?", default=os.environ.get("WARPMARK_PUBLISHED_DEFECTS"))
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true", help="print the reports")
    parser.add_argument("--timeout", type=float, default=300)
    options = parser.parse_args()
    if not options.folder:
        print("skipped: WARPMARK_PUBLISHED_DEFECTS names no folder of programs")
        return SKIP
    # Reports are one line each there; the page may break none of them.
    page = PAGE.read_text(encoding="utf-8")
    launcher = os.path.abspath(options.launcher)
    run = failed = 0
    for entry in json.loads((HERE / "published_defects.json").read_text(encoding="utf-8")):
        program = pathlib.Path(options.folder).resolve() / entry["program"]
        title = " ".join([entry["program"], *entry["arguments"]])
        if options.only and entry["program"] not in options.only.split(","):
            continue
        if not program.exists():
            print("not there: " + title)
            continue
        run += 1
        reports = reports_of(launcher, program, entry["arguments"], options.timeout)
        wrong = list(complaints(entry, reports, page))
        failed += bool(wrong)
        print("%s %s" % ("FAILED" if wrong else "ok    ", title), *wrong, sep="\n    ", flush=True)
        if options.show:
            print(*("  %s: %s" % (report["kind"], text) for text, report in reports.items()), sep="\n")
    print("%d programs run, %d failed" % (run, failed))
    return SKIP if not run else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
