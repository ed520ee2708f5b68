#!/usr/bin/env python3
"""Writes the table of docs/guide/course-kernels.md: what each suite of suites/course teaches, and the counters that show it.

    course_kernels.py PROGRAM ROOT            writes the table
    course_kernels.py --check PROGRAM ROOT    fails if that would change it

Counts belong to one version of NVRTC, which the table names: with another one --check exits with 77.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

PAGE = "docs/guide/course-kernels.md"
TABLE = re.compile(r"(<!-- made by tests/docs/course_kernels\.py -->\n).*?(<!-- until here -->\n)", re.S)

# Folders of suites/course in a course's order: the suites from naive to good, and the counters that tell them apart.
TOPICS = {
    "transpose": ("naive unpadded tiled", "global_store_sectors shared_load_conflicts"),
    "matmul": ("naive tiled register_tiled tensor_core no_barrier",
               "global_load_sectors shared_load_requests ptx_warp_instructions"),
    "reduction": ("divergent bank_conflicts sequential shuffled warp_synchronous",
                  "ptx_divergent_branches shared_load_conflicts barriers"),
    "histogram": ("global_atomics privatised not_atomic", "global_atomic_turns shared_atomic_turns"),
    "scan": ("hillis_steele blelloch shuffled", "shared_load_bytes shared_load_conflicts"),
    "stencil": ("naive marching", "global_load_bytes"),
    "convolution": ("naive tiled", "global_load_requests"),
    "softmax": ("naive online", "global_load_sectors"),
    "layer_norm": ("naive welford", "global_load_sectors"),
    "attention": ("naive online", "global_load_sectors global_store_bytes"),
    "spmv": ("scalar vector", "global_load_sectors ptx_longest_warp_instructions"),
    "bitonic_sort": ("naive shared", "launches global_load_bytes"),
    "radix_sort": ("one_bit four_bits", "launches global_load_bytes"),
    "nbody": ("naive tiled", "global_load_sectors"),
    "mandelbrot": ("rows tiles", "ptx_warp_instructions"),
    "life": ("bytes words", "ptx_thread_instructions global_load_bytes"),
}


def records(program, root, *arguments):
    done = subprocess.run([program, *arguments], cwd=root, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit("warpmark %s: exit %d\n%s" % (" ".join(arguments), done.returncode, done.stdout[-2000:]))
    return done.stdout


def measured(program, root):
    """NVRTC's version, and of each suite's last case the sums of its launches' counters; {} if it is to report a race."""
    nvrtc, last = "", {}
    for line in records(program, root, "check", "suites/course", "--device", "cpu", "--counters", "--json").splitlines():
        record = json.loads(line)
        if record["type"] == "run":
            nvrtc = record["device"]["nvrtc_version"]
        elif record["type"] == "case":
            total = {}
            for launch in record.get("counters", []):
                for name, value in launch.items():
                    if isinstance(value, int):
                        total[name] = total.get(name, 0) + value
            for name in [name for name in total if name.endswith("_ideal_wavefronts")]:
                kind = name[: -len("_ideal_wavefronts")]
                total[kind + "_conflicts"] = total[kind + "_wavefronts"] - total[name]
            last[record["suite"]] = {} if record["findings"] else total
    return nvrtc, last


def change(value, first):
    """How much less or more it is than the first suite's."""
    if value == first or value == 0 or first == 0:
        return ""
    if value < first:
        return " (÷ %s)" % rounded(first / value)
    return " (× %s)" % rounded(value / first)


def rounded(factor):
    return "%.0f" % factor if factor >= 10 else "%.1f" % factor


def table(program, root):
    nvrtc, last = measured(program, root)
    listed = json.loads(records(program, root, "list", "suites/course", "--json"))["suites"]
    about = {suite["name"]: suite["about"] for suite in listed}
    made = {"course/%s/%s" % (topic, name) for topic, (names, _) in TOPICS.items() for name in names.split()}
    if made != set(about):
        raise SystemExit("TOPICS lacks, or has too much: %s" % ", ".join(sorted(made ^ set(about))))
    lines = ["Counts of NVRTC %s, of the last case of each suite; in parentheses compared with the topic's first suite." % nvrtc,
             "", "| suite | what it teaches | what shows it |", "|---|---|---|"]
    for topic, (names, counters) in TOPICS.items():
        first = None
        for name in names.split():
            suite = "course/%s/%s" % (topic, name)
            total = last[suite]
            first = first or total
            shown = "<br>".join("`%s` %s%s" % (counter, format(total[counter], ","), change(total[counter], first[counter]))
                                for counter in counters.split() if total)
            lines.append("| `%s` | %s | %s |" % (suite, about[suite], shown or "the report of a race"))
    return nvrtc, "\n".join(lines) + "\n"


def main(arguments):
    check = arguments[:1] == ["--check"]
    program, root = arguments[check:]
    program, root = os.path.abspath(program), pathlib.Path(root).resolve()
    page = root / PAGE
    kept = page.read_text(encoding="utf-8")
    nvrtc, rows = table(program, root)
    text, found = TABLE.subn(lambda match: match[1] + rows + match[2], kept)
    if found != 1:
        raise SystemExit("%s: error: it has %d places for the table" % (PAGE, found))
    if not check:
        page.write_text(text, encoding="utf-8")
        return 0
    if text == kept:
        return 0
    if "NVRTC %s," % nvrtc not in kept:
        print("skipped: the table is not of NVRTC %s" % nvrtc)
        return 77
    print("%s: error: it is not what tests/docs/course_kernels.py makes: run it again" % PAGE)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
