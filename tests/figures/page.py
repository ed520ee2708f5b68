#!/usr/bin/env python3
"""Writes docs/results/figures.md, and what README.md quotes of it, from the records in results/.

    tests/figures/page.py             writes both
    tests/figures/page.py --check     writes nothing, and fails if they are not what it would write
    tests/figures/page.py --records   first says anew of which day and commit the records are

results/records.json has the SHA-256 of each record that is used, with the day and the commit that it was made at.
A record that changed since is an error, until --records writes the day and the commit of the newest change to it.
"""
import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
PAGE = ROOT / "docs/results/figures.md"
README = ROOT / "README.md"
RECORDS = RESULTS / "records.json"
BLOCK = re.compile(r"(<!-- begin: tests/figures/page.py -->\n)(.*?)(<!-- end -->)", re.S)

HEAD = """# Figures

    python3 tests/figures/page.py --records

The figures that this manual and README quote. Times and rates on an H200 are medians of up to five runs.

| what | figure | device | day | commit | record |
|---|---|---|---|---|---|
"""


def load(name):
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


def share(of, part):
    return "%s of %s (%.3g %%)" % (format(part, ","), format(of, ","), 100 * part / of)


def defects():
    """(defects, repositories) of docs/defects-found.md."""
    text = (ROOT / "docs/defects-found.md").read_text(encoding="utf-8")
    return len(re.findall(r"^### \d+\. ", text, re.M)), len(re.findall(r"^\[\S+\]\(https://github.com/\S+\) at\scommit", text, re.M))


def orders(name, finds):
    """(bugs, found, right kernels, called wrong) of a record of kernels that lack one order."""
    kernels = load(name)["kernels"]
    bugs, twins = ([one for one in kernels if bool(one["missing"]) == missing] for missing in (True, False))
    return len(bugs), sum(map(finds, bugs)), len(twins), sum(map(finds, twins))


def by_device(kernel):
    return kernel["errors"] > 0


def by_tools(kernel):
    return "found" in [kernel[tool] for tool in ("memcheck", "initcheck", "synccheck", "racecheck")]


def agreement():
    """(compared, equal to the bit, within their bound, different) of the CPU device and an H200."""
    lines = (RESULTS / "h200/compare_devices.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    states = [json.loads(line)["status"] for line in lines]
    compared = [state for state in states if state != "skipped"]
    return len(compared), compared.count("equal"), compared.count("within"), len(compared) - compared.count("equal") - compared.count("within")


def passed(name):
    suites = load(name)["suites"].values()
    return "%s of %s" % (format(sum(one["passed"] for one in suites), ","),
                         format(sum(one["passed"] + one["failed"] for one in suites), ","))


def self_test():
    """(points without a change, called changed, least and greatest share of the changes found) of `bench --self-test`."""
    text = (RESULTS / "h200/self_test.txt").read_text(encoding="utf-8")
    rows = [[int(word) for word in row.split()] for row in re.findall(r"^no change +([\d ]+)$", text, re.M)]
    power = [float(one) for one in re.findall(r"^power: ([\d.]+) %", text, re.M)]
    return sum(row[0] for row in rows), sum(row[1] + row[2] for row in rows), min(power), max(power)


def shares(suites):
    cold = {one["suite"]: one["share"] for one in load("h200/bench_share.json")["figures"] if one["cache"] == "cold"}
    return ", ".join("%.2f" % cold[suite] for suite in suites)


def scans():
    found = {one["name"]: one["share"] for one in load("h200/scan_libraries.json")["figures"] if one["dtype"] == "float32"}
    return "%.2f, %.2f, %.2f" % (found["warpmark scan"], found["CUB DeviceScan"], found["PyTorch cumsum"])


CHECK_OF_ONE = "F5 check of one suite"


def starts():
    return {one["figure"]: one["median_s"] for one in load("h200/startup.json")["figures"]}


def by_turns():
    """Points from 2 µs on: unchanged ones called changed, changes of about 5 % found, and inconclusive ones."""
    rows = [row for row in load("h200/against.json")["verdicts"] if row["kernel"] != "shorter than 2 us"]
    verdicts = ("longer", "shorter", "same", "inconclusive")

    def count(more_time, words):
        return sum(row[word] for row in rows for word in words if more_time in (None, row["more_time"]))

    share_of = 100 / count(None, verdicts)
    return "%d of %d; %.0f %%; %.1f %%" % (count("none", verdicts[:2]), count("none", verdicts),
                                           100 * count("4.5 to 7 %", ("longer",)) / count("4.5 to 7 %", verdicts),
                                           share_of * count(None, ("inconclusive",)))


def large_cases():
    """Seconds of a benchmark of 2^28 elements, from start to verdict, and shares of a CuPy script's seconds."""
    found = load("h200/large_case.json")["figures"]
    return "%s s; %s" % (", ".join("%.1f" % one["bench"]["median_s"] for one in found),
                         ", ".join("%.2f" % (one["bench"]["median_s"] / one["cupy"]["median_s"]) for one in found))


def native():
    """Thread-instructions a second, and how many times as fast native code is."""
    means = load("cpu/native.json")["geometric_means"]
    return "%.1f G thread-instructions/s; %.0f and %.0f times as fast" % (
        means["six of F7"]["giga_a_second"], means["six of F7"]["times_native"], means["all"]["times_native"])


def replays():
    rows = load("h200/replays.json")["rows"]
    false = [row for row in rows if row["name"] != "honest"]
    return len({row["name"] for row in false}), len(false), sum(row["accepted"] for row in false)


def rows():
    """(what, figure, device, record) of each figure."""
    ours, tools = "the CPU device", "compute-sanitizer on an H200"
    bugs, found, twins, wrong = orders("cpu/ordering_after.json", by_device)
    yield "kernels that lack one order: found; right twins called wrong", "%s; %d of %d" % (share(bugs, found), wrong, twins), ours, "cpu/ordering_after.json"
    bugs, found, twins, wrong = orders("h200/ordering.json", by_tools)
    yield "the same by memcheck, racecheck, initcheck and synccheck together", "%s; %d of %d" % (share(bugs, found), wrong, twins), tools, "h200/ordering.json"
    compared, equal, within, other = agreement()
    yield ("the same PTX and inputs on both devices: equal to the bit; within the bound; different",
           "%s; %d; %d" % (share(compared, equal), within, other), "the CPU device and an H200", "h200/compare_devices.jsonl")
    yield "cases of the shipped suites that pass", passed("cpu/suites.json"), ours, "cpu/suites.json"
    yield "the same on a GPU", passed("h200/suites.json"), "H200", "h200/suites.json"
    published = load("cpu/published_files.json")
    yield "unmodified `.cu` files of 12 repositories that load", share(published["files"], published["load"]), ours, "cpu/published_files.json"
    yield ("their kernels for which `new suite` drafts a suite",
           share(published["suites"] + published["kernels_without"], published["suites"]), ours, "cpu/published_files.json")
    cheats = load("cpu/cheats.json")["cheats"]
    yield "candidates that cheat, break or spy; judged right", "%d; %d" % (len(cheats), sum(not one["caught_by"] for one in cheats)), ours, "cpu/cheats.json"
    kinds, timed, accepted = replays()
    yield "kernels that keep answers for later runs, in several modes; times accepted", "%d, %d; %d" % (kinds, timed, accepted), "H200", "h200/replays.json"
    points, called, least, most = self_test()
    yield ("comparisons of unchanged kernels; called changed; 5 % found from 5 µs on",
           "%s; %d; %.1f to %.1f %%" % (format(points, ","), called, least, most), "H200", "h200/self_test.txt")
    yield "`bench --against`, from 2 µs on: unchanged called changed; 5 % found; inconclusive", by_turns(), "H200", "h200/against.json"
    start = starts()
    yield ("`warpmark check` of one suite, whole process; share of CuPy's time; a process that only makes a context",
           "%.2f s; %.2f; %.2f s" % (start[CHECK_OF_ONE], start[CHECK_OF_ONE] / start["CuPy, the same kernel"],
                                     start["a context, made and given back"]), "H200", "h200/startup.json")
    yield "`warpmark list` of all suites", "%.3f s" % start["F6 list of all suites"], "H200", "h200/startup.json"
    yield ("`warpmark bench` of `a*x + b*y`, sum, dot product, 2^28 float32, whole process; share of CuPy's time",
           large_cases(), "H200", "h200/large_case.json")
    yield ("`z = a*x + b*y`, 2^28 float32, out of place and in place: rate over that of a copy",
           shares(("linear_combination", "linear_combination/in_place")), "H200", "h200/bench_share.json")
    yield "sum, maximum, dot product: the same", shares(("reductions/sum", "reductions/max", "reductions/dot")), "H200", "h200/bench_share.json"
    yield "running sum, beside CUB's and PyTorch's: the same", scans(), "H200", "h200/scan_libraries.json"
    run = load("cpu/bootstrap_run.json")["clean"]
    yield "`./bootstrap run` from a clean clone, two cores", "%d s" % run["clock_s"], ours, "cpu/bootstrap_run.json"
    test = load("cpu/bootstrap_test_after.json")["bootstrap_test"]
    yield "`./bootstrap test`, likewise", "%.1f min, %d tests" % (test["clock_s"] / 60, test["tests"]), ours, "cpu/bootstrap_test_after.json"
    yield "a step of the debugger in 2^20 threads, forwards, backwards; the largest page with pictures", debugger(), ours, "cpu/debugger.json"
    yield ("one thread of the CPU device, six kernels without checks; beside native C++, twelve kernels", native(), ours, "cpu/native.json")
    lines = load("cpu/coverage.json")["folders"]["all"]
    yield "lines of `harness/` and `plugins/` that the tests run", share(lines["lines"], lines["run"]), ours, "cpu/coverage.json"


def digest(name):
    return hashlib.sha256((RESULTS / name).read_bytes()).hexdigest()


def records_now(names, kept):
    """The records with their days and commits: of git for those that changed since."""
    made = {}
    for name in sorted(names):
        if kept.get(name, {}).get("sha256") == digest(name):
            made[name] = kept[name]
            continue
        clean = not subprocess.run(["git", "status", "--porcelain", "--", "results/" + name], cwd=ROOT, capture_output=True, check=True).stdout
        words = subprocess.run(["git", "log", "-1", "--format=%as %h", "--abbrev=8", *(["--", "results/" + name] if clean else [])],
                               cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        made[name] = {"sha256": digest(name), "day": words[0], "commit": words[1]}
    return made


def page(made):
    lines = [HEAD]
    for what, figure, device, record in rows():
        about = made.get(record, {"day": "", "commit": "", "sha256": ""})
        if about["sha256"] != digest(record):
            sys.exit("results/%s is not the one of results/records.json: run tests/figures/page.py --records" % record)
        lines.append("| %s | %s | %s | %s | `%s` | `%s` |\n" % (what, figure, device, about["day"], about["commit"], record))
    many, repositories = defects()
    lines.append("\n[Defects found in published kernels](../defects-found.md) lists %d defects in %d repositories, each confirmed by reading the code.\n"
                 % (many, repositories))
    return "".join(lines)


def debugger():
    """The slowest of all steps, the slowest kind of step back, and the largest page with pictures."""
    record = load("cpu/debugger.json")
    back = max(one["median_s"] for one in record["figures"] if ": back" in one["figure"])
    steps = max(one["max_s"] for one in record["figures"] if ": back" not in one["figure"] and "breakpoint" not in one["figure"])
    return "%.1f ms, %.1f s; %.2f MB" % (1e3 * steps, back, max(one["bytes"] for one in record["pages"]) / 1e6)


def quoted():
    """The line of README."""
    many, repositories = defects()
    bugs, found, _, _ = orders("cpu/ordering_after.json", by_device)
    theirs, theirs_found, _, _ = orders("h200/ordering.json", by_tools)
    compared, equal, within, other = agreement()
    return ("**Figures** ([device, day and commit of each](docs/results/figures.md)): %d [defects found](docs/defects-found.md) in %d well-known "
            "repositories; %.0f %% of %d missing orders found, compute-sanitizer %.0f %% of %d; of %s comparisons with an H200 %s "
            "equal to the bit, %d within their bound, %d different; a suite is checked in %.2f s.\n") % (
                many, repositories, 100 * found / bugs, bugs, 100 * theirs_found / theirs, theirs, format(compared, ","), format(equal, ","), within,
                other, starts()[CHECK_OF_ONE])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--records", action="store_true")
    arguments = parser.parse_args()
    kept = json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.exists() else {}
    if arguments.records:
        kept = records_now({row[3] for row in rows()}, kept)
        RECORDS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    readme = README.read_text(encoding="utf-8")
    texts = {PAGE: page(kept), README: BLOCK.sub(lambda match: match[1] + quoted() + match[3], readme)}
    if not BLOCK.search(readme):
        sys.exit("README.md quotes no figures")
    for path, text in texts.items():
        if arguments.check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            sys.exit("%s: its figures are not those of results/: run tests/figures/page.py" % path.relative_to(ROOT))
        if not arguments.check:
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
