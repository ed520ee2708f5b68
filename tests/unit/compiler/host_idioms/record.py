"""Records what nvcc makes of each file in idioms.txt: `record.py [--check] [NVCC]`.

With --check nothing is written, and a difference is exit code 1.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

IDIOMS = pathlib.Path(__file__).resolve().parent / "idioms.txt"


def entries_of(nvcc, text):
    """Symbols of the file's kernels in order, or "refused"."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "k.cu"), os.path.join(folder, "k.ptx")
        pathlib.Path(source).write_text(text, encoding="utf-8")
        done = subprocess.run([nvcc, "-arch=sm_90", "-std=c++17", "-ptx", "-o", made, source], cwd=folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            return "refused"
        ptx = pathlib.Path(made).read_text(encoding="utf-8")
    # Only host code instantiates kernels of libraries, which no suite names.
    return " ".join(sorted(re.findall(r"\.entry ((?!_ZN3cub|_ZN6thrust)\w+)", ptx)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("nvcc", nargs="?", default="nvcc")
    options = parser.parse_args()
    text = IDIOMS.read_text(encoding="utf-8")
    head, *sections = re.split(r"^(?==== )", text, flags=re.M)
    parts = [re.match(r"(=== \w+\nentries:)[^\n]*\n(.*)", section, re.S).groups() for section in sections]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda part: entries_of(options.nvcc, part[1]), parts))
    made = head + "".join("%s %s\n%s" % (name, entries, source) for (name, source), entries in zip(parts, found))
    if not options.check:
        IDIOMS.write_text(made, encoding="utf-8")
    elif made != text:
        sys.stderr.write("nvcc makes something else of idioms.txt: record.py writes it\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
