#!/usr/bin/env python3
"""Prints how many seeded bugs are found and how many correct kernels have no report, all together.

    count_kernels.py BUILD [SUITES]

A kernel counts once, however many cases, launches and architectures it has: those of the .cu files here, those of
tests/device/kernels whose threads do not race, and of the suites each entry of a source file and each suite whose kernels a
plugin makes.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def last_line(*command):
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        sys.exit("%s%s: exit status %d" % (run.stdout, " ".join(command), run.returncode))
    return (run.stdout.strip().splitlines() or [""])[-1]


def kernels_of_suites(folder):
    """Returns what the suites of a folder test: (file, entry), or the suite itself if a plugin makes its kernels."""
    kernels = set()
    for path in glob.glob(os.path.join(folder, "*", "*.yaml")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        entry, source = re.search(r"entry: (\w+)", text), re.search(r"file: ([\w.]+)", text)
        if entry and source:
            kernels.add((os.path.basename(os.path.dirname(path)), source[1], entry[1]))
        elif re.search(r"^plugin:", text, re.MULTILINE):
            kernels.add(path)
    return kernels


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = sys.argv[1]
    suites = sys.argv[2] if len(sys.argv) == 3 else os.path.join(HERE, "..", "..", "..", "suites")
    programs = [os.path.join(build, "lib", "warpmark", "libwarpmark_cpu.so"), os.path.join(build, "tests", "compile_corpus")]
    python = [sys.executable, "-B"]
    own = last_line(*python, os.path.join(HERE, "checks_test.py"), *programs)
    corpus = last_line(*python, os.path.join(HERE, "..", "catalogue", "corpus_test.py"), *programs)
    last_line(os.path.join(build, "bin", "warpmark"), "check", suites, "--device", "cpu", "--checks", "all", "--quiet")
    bugs, good = (int(n) for n in re.findall(r"\d+", own)[:2])
    clean, raced = (int(n) for n in re.findall(r"\d+", corpus)[:2])
    tested = len(kernels_of_suites(suites))
    print("seeded bugs found: %d, and the races of %d kernels of the corpus" % (bugs, raced))
    print("correct kernels without a report: %d = %d of tests/device/checks + %d of the corpus + %d of the suites" %
          (good + clean + tested, good, clean, tested))


if __name__ == "__main__":
    main()
