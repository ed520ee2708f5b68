#!/usr/bin/env python3
"""Checks that each source file compiles by itself, with what it includes and nothing else.

    files_alone.py SOURCE BUILD [--only TEXT] [--jobs N]

The default build compiles files together, behind a precompiled header, so that it does not notice a
missing #include. BUILD is a configured build folder; --only takes the files whose path has TEXT.
Exit status: 0 all do, 1 some do not.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def compile_alone(entry):
    """Returns the compiler's messages about a file, "" if there are none."""
    command = shlex.split(entry["command"])
    command = [word for word in command if not re.fullmatch(r"-O\w*|-g\w*", word)]
    # The precompiled header of warpmark_cpu is there without groups of files, too.
    for option in ("-include", "-o"):
        while option in command:
            place = command.index(option)
            del command[place:place + 2]
    command = [word for word in command if word != "-Winvalid-pch"]
    done = subprocess.run([*command, "-fsyntax-only", "-Werror", "-Wno-unused-function"],
                          cwd=entry["directory"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.stdout if done.returncode != 0 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    source = os.path.realpath(options.source)
    with tempfile.TemporaryDirectory(prefix="warpmark-alone-") as folder:
        subprocess.run([os.path.join(HERE, "single_files.sh"), source, options.build, folder],
                       check=True)
        with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
            entries = {entry["file"]: entry for entry in json.load(file)}
        chosen = [entry for path, entry in sorted(entries.items())
                  if path.startswith(source + os.sep) and options.only in path
                  and not path.startswith(folder)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            said = list(pool.map(compile_alone, chosen))
    bad = [entry["file"] for entry, text in zip(chosen, said) if text]
    for text in said:
        sys.stdout.write(text)
    print(f"{len(chosen)} files, {len(bad)} do not compile by themselves")
    for path in bad:
        print(f"  {os.path.relpath(path, source)}")
    return 1 if bad or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
