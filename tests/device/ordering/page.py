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
ATOMIC = """
## Where all accesses are atomic

    python3 tests/device/ordering/ordering_test.py build/lib/warpmark/libwarpmark_cpu.so build/tests/compile_corpus --atomic --seed 1 --variants 4 --json results/cpu/ordering_atomic.json
    python3 tests/device/ordering/on_gpu.py libcuda.so.1 build/tests/compile_corpus --atomic --json results/h200/ordering_atomic.json

Kernels of %d idioms without a barrier, or a lock, between atomic or `volatile` accesses. They have no race, so that only a wrong
result shows that an order is missing: the CPU device runs them in [other orders of threads](../checks.md#schedules).

| who looks | bugs found | right kernels called wrong |
|---|---|---|
"""
TABLE = """
The card ran each kernel %d times; what it computed wrongly even once counts. The CPU device before November 2026 is commit
01dbc0b9.

## Each order

The orders of each idiom, which are left out one by one: who finds the kernel without it, of one variant on an H200. The CPU device
finds all but those of its column. A right twin that compute-sanitizer calls wrong is named `nothing`.

| idiom | orders | CPU device misses | compute-sanitizer finds | wrong results on the card |
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


def row_of_tools(name, kernels, finds):
    bugs, twins = ([k for k in kernels if bool(k["missing"]) == missing] for missing in (True, False))
    return "| %s | %s | %d of %d |\n" % (name, share(sum(map(finds, bugs)), len(bugs)), sum(map(finds, twins)), len(twins))


def any_tool(kernel):
    return any(kernel[tool] == "found" for tool in TOOLS)


def names(kernels):
    """The orders that these kernels lack."""
    found = [kernel["missing"] or "nothing" for kernel in kernels]
    return " ".join("`%s`" % name for name in found)


def atomic_part():
    """Kernels whose accesses are all atomic: only another order of threads shows what is missing."""
    ours, card = record("cpu/ordering_atomic.json")["kernels"], record("h200/ordering_atomic.json")["kernels"]
    text = ATOMIC % len({k["idiom"] for k in ours})
    text += row_of_device("the CPU device, in up to eight orders of threads", ours)
    text += row_of_tools("the same in the usual order alone", ours, lambda k: not k["values"])
    text += row_of_tools("compute-sanitizer, its four tools together", card, any_tool)
    return text + row_of_tools("the results themselves, on an H200", card, lambda k: k["card"] != "right")


def page():
    before, after, card = (record(path) for path in ("cpu/ordering_before.json", "cpu/ordering_after.json", "h200/ordering.json"))
    text = HEAD % len({k["idiom"] for k in after["kernels"]})
    text += row_of_device("the CPU device, in November 2026", after["kernels"])
    text += row_of_device("the CPU device before", before["kernels"])
    text += row_of_tools("compute-sanitizer, its four tools together", card["kernels"], any_tool)
    for tool in TOOLS:
        text += row_of_tools("`%s`" % tool, card["kernels"], lambda k, tool=tool: k[tool] == "found")
    text += row_of_tools("the results themselves, on an H200", card["kernels"], lambda k: k["card"] != "right")
    text += atomic_part()
    text += TABLE % card["runs"]
    ours = {}
    for kernel in after["kernels"]:
        ours.setdefault((kernel["idiom"], kernel["missing"]), []).append(kernel["errors"] > 0)
    for idiom in dict.fromkeys(kernel["idiom"] for kernel in card["kernels"]):
        kernels = [kernel for kernel in card["kernels"] if kernel["idiom"] == idiom]
        text += "| `%s` | %s | %s | %s | %s |\n" % (
            idiom, names(kernel for kernel in kernels if kernel["missing"]),
            names(kernel for kernel in kernels if kernel["missing"] and not all(ours.get((idiom, kernel["missing"]), [False]))),
            names(kernel for kernel in kernels if any_tool(kernel)), names(kernel for kernel in kernels if kernel["card"] != "right"))
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
