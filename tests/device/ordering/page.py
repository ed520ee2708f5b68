#!/usr/bin/env python3
"""Writes docs/results/ordering.md from the records of ordering_test.py (before and after) and on_gpu.py.

    page.py PAGE [--check]    with --check it writes nothing, and fails if the page is not what it would write
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "../../../results")
TOOLS = ("memcheck", "initcheck", "synccheck", "racecheck")
HEAD = """# One order missing

    python3 tests/device/ordering/ordering_test.py build/lib/warpmark/libwarpmark_cpu.so build/tests/compile_corpus --seed 1 --variants 4 --json results/cpu/ordering_after.json
    python3 tests/device/ordering/on_gpu.py libcuda.so.1 build/tests/compile_corpus --json results/h200/ordering.json
    python3 tests/device/ordering/page.py docs/results/ordering.md

Kernels of %d idioms, each right by the PTX memory model, and each without exactly one of its orders: a barrier, a fence, an
acquire or release, a wait, a commit, a scope. `tests/device/ordering` makes them from a seed.

| who looks | bugs found | right kernels called wrong |
|---|---|---|
"""
TABLE = """
The card ran each kernel %d times; what it computed wrongly even once counts. The CPU device before November 2026 is commit
01dbc0b9.

## Each order

What each finds of one variant on an H200. `wrong values`: the results of the card are wrong in some run.

| idiom | what is missing | CPU device | compute-sanitizer | the card |
|---|---|---|---|---|
"""


def record(path):
    with open(os.path.join(RESULTS, path), encoding="utf-8") as file:
        return json.load(file)


def share(found, of):
    return "%d of %d (%.0f %%)" % (found, of, 100 * found / of)


def row_of_device(name, kernels):
    bugs = [k for k in kernels if k["missing"]]
    twins = [k for k in kernels if not k["missing"]]
    found, flagged = sum(k["errors"] > 0 for k in bugs), sum(k["errors"] > 0 for k in twins)
    return "| %s | %s | %d of %d |\n" % (name, share(found, len(bugs)), flagged, len(twins))


def page():
    before, after, card = (record(path) for path in ("cpu/ordering_before.json", "cpu/ordering_after.json", "h200/ordering.json"))
    text = HEAD % len({k["idiom"] for k in after["kernels"]})
    text += row_of_device("the CPU device, in November 2026", after["kernels"])
    text += row_of_device("the CPU device before", before["kernels"])
    bugs = [k for k in card["kernels"] if k["missing"]]
    twins = [k for k in card["kernels"] if not k["missing"]]

    def any_tool(kernel):
        return any(kernel[tool] == "found" for tool in TOOLS)

    text += "| compute-sanitizer, its four tools together | %s | %d of %d |\n" % (
        share(sum(map(any_tool, bugs)), len(bugs)), sum(map(any_tool, twins)), len(twins))
    for tool in TOOLS:
        text += "| `%s` | %s | %d of %d |\n" % (tool, share(sum(k[tool] == "found" for k in bugs), len(bugs)),
                                              sum(k[tool] == "found" for k in twins), len(twins))
    text += "| the results themselves, on an H200 | %s | %d of %d |\n" % (
        share(sum(k["card"] != "right" for k in bugs), len(bugs)), sum(k["card"] != "right" for k in twins), len(twins))
    text += TABLE % card["runs"]
    ours = {}
    for kernel in after["kernels"]:
        ours.setdefault((kernel["idiom"], kernel["missing"]), []).append(kernel["errors"] > 0)
    for kernel in card["kernels"]:
        key = kernel["idiom"], kernel["missing"]
        tools = ", ".join(tool for tool in TOOLS if kernel[tool] == "found")
        if kernel["missing"] or tools:
            text += "| `%s` | %s | %s | %s | %s |\n" % (
                kernel["idiom"], "`%s`" % kernel["missing"] if kernel["missing"] else "nothing",
                "found" if all(ours.get(key, [False])) else "" if not any(ours.get(key, [])) else "found in some",
                tools, {"right": "", "wrong": "wrong values"}.get(kernel["card"], kernel["card"]))
    return text


def main():
    path = sys.argv[1]
    text = page()
    if "--check" not in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(path, encoding="utf-8") as file:
        same = file.read() == text
    if not same:
        print("%s is not what page.py writes" % path)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
