#!/usr/bin/env python3
"""Makes the Markdown tables of a comparison of devices.

    compare_table.py RESULTS.jsonl
    compare_table.py --page PAGE.md     renews what stands there between `begin: compare_table.py RESULTS` and `end`
    compare_table.py --check PAGE.md    fails if that would change the page
"""
import json
import os
import re
import sys

STATES = ("equal", "within", "differs", "error", "skipped", "recorded", "unknown")


def counts(records):
    return {state: sum(record["status"] == state for record in records) for state in STATES}


def states(records):
    return ", ".join("%d %s" % (number, state) for state, number in counts(records).items() if number)


def summary(header, records):
    """A line for each group."""
    lines = ["%s; %.0f s" % (" against ".join(header["devices"]), header.get("seconds", 0))]
    for group in dict.fromkeys(record["group"] for record in records):
        of_group = [record for record in records if record["group"] == group]
        lines.append("%-10s %5d pairs: %s" % (group, len(of_group), states(of_group)))
    return "\n".join(lines)


def problem(record):
    words = "%s/%s %s: %s" % (record["group"], record["kernel"], record["input"], record["status"])
    if record["status"] == "error":
        return "%s: %s" % (words, record.get("error", "").split("\n")[0])
    for output in record["outputs"]:
        if output["status"] == "differs":
            first = output.get("first", {})
            words += "; %s: %s of %d, the first at %s: %s; greatest %g ulp, %g" % (
                output["name"], output.get(
                    "beyond", "hashes"), output["elements"], first.get("index"), " against ".join(
                        first.get("values", [])), output.get("ulp", 0), output.get("absolute", 0))
    return words


def number(value):
    return "0" if not value else "%.3g" % value


def rows(records):
    """One for each kernel that is not equal to the bit for all inputs, which are summed up."""
    for kernel in dict.fromkeys(record["kernel"] for record in records):
        of_kernel = [record for record in records if record["kernel"] == kernel]
        outputs = [output for record in of_kernel for output in record.get("outputs", [])]
        state = counts(of_kernel)
        if state["equal"] == len(of_kernel):
            continue
        words = "; ".join("%d %s" % (n, s) for s, n in state.items()
                          if n) if len(of_kernel) > 1 else of_kernel[0]["status"]
        # Only approximate functions and instructions have bounds.
        reasons = dict.fromkeys(o["reason"].removeprefix("of approximate instructions: ").removeprefix("approximate: ")
                                for o in outputs if o.get("reason"))
        yield "| `%s` | %d | %d | %d | %s | %s | %s |" % (
            kernel, len(of_kernel), sum(
                o["elements"] for o in outputs), sum(o.get("differing", 0) for o in outputs),
            number(max([o.get("ulp", 0)
                        for o in outputs if not o["exact"]], default=0)), words, "; ".join(reasons))


TITLES = {
    "suites": "Shipped suites",
    "corpus": "Kernels of tests/device/kernels",
    "functions": "Functions of CUDA's headers",
    "operations": "Single instructions"
}


def markdown(header, records):
    lines = [
        "%s (driver %s), %s points of each function and instruction, %s; commit %s" %
        (" against ".join(header["devices"]), ", ".join(map(str, header["driver"])),
         format(header["points"], ","), header["date"][:10], header.get("commit", "")[:12]), "",
        "| what | pairs | equal to the bit | within their bound | differ | errors | skipped |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    ]
    groups = list(dict.fromkeys(record["group"] for record in records))
    for group in groups:
        state = counts([record for record in records if record["group"] == group])
        lines.append("| %s | %d | %d | %d | %d | %d | %d |" %
                     (TITLES[group], sum(state.values()), state["equal"], state["within"],
                      state["differs"], state["error"], state["skipped"]))
    for group in groups:
        of_group = [record for record in records if record["group"] == group]
        others = list(rows(of_group))
        equal = len({record["kernel"] for record in of_group}) - len(others)
        lines += ["", "## " + TITLES[group], "", "%d are equal to the bit for all inputs; the others:" % equal, ""]
        lines += [
            "| kernel | inputs | elements | elements that differ | greatest distance, ulp | verdict | why not exact |",
            "| --- | ---: | ---: | ---: | ---: | --- | --- |"
        ]
        lines += others
    return "\n".join(lines) + "\n"


BLOCK = re.compile(r"(<!-- begin: compare_table.py (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def renewed(page, root):
    """A page's text with each block made anew from its results; one without results stays as it is."""

    def block(match):
        try:
            with open(os.path.join(root, match[2]), encoding="utf-8") as file:
                first, *others = map(json.loads, file)
        except FileNotFoundError:
            return match[0]
        return match[1] + markdown(first, others) + match[4]

    return BLOCK.sub(block, page)


def main():
    root = os.path.dirname(
        os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    if sys.argv[1] in ("--page", "--check"):
        with open(sys.argv[2], encoding="utf-8") as file:
            old = file.read()
        new = renewed(old, root)
        if not BLOCK.search(old) or (sys.argv[1] == "--check" and new != old):
            sys.exit(
                "%s: its tables are not those of its results; make them with compare_table.py --page"
                % sys.argv[2])
        if new != old:
            with open(sys.argv[2], "w", encoding="utf-8") as file:
                file.write(new)
        return
    with open(sys.argv[1], encoding="utf-8") as results:
        first, *others = map(json.loads, results)
    sys.stdout.write(markdown(first, others))


if __name__ == "__main__":
    main()
