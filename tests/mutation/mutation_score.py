#!/usr/bin/env python3
"""How many single-token mutants of the code that judges are noticed by its unit tests.

    mutation_score.py BUILD [--file WORD] [--line TEXT] [--jobs N] [--at-least PERCENT] [--list]
                      [--output FILE]

For each file that judged.json names: compiles each mutant with the flags that BUILD (a Ninja build
folder whose tests are built) has for the file, links the tests with it in place of the library's
own and runs them. A mutant is killed if a test fails or runs ten times as long; one that does not
compile is not counted. judged.json also names the mutants that mean the same as the original, with
the reason; an entry that fits no mutant, or one that is killed, is an error. Score: killed of
those that compile and are not equivalent. Exit status: 0 each file has the score, 1 one has not,
2 the tests fail without a mutant, or judged.json is wrong.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from mutants import mutants_of

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from registered_tests import registered_tests  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def fail(message):
    print(f"mutation_score: error: {message}", file=sys.stderr)
    sys.exit(2)


def sources_of(compiled):
    """The source files of a compilation: several, where the build compiles them together."""
    if not compiled.endswith("_cxx.cxx"):
        return [os.path.realpath(compiled)]
    with open(compiled, encoding="utf-8") as file:
        return [os.path.realpath(path) for path in re.findall(r'^#include "(.*)"$', file.read(), re.M)]


class Build:
    """A build folder as Ninja and CTest know it: how to compile, link and run."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        with open(os.path.join(self.folder, "compile_commands.json"), encoding="utf-8") as file:
            self.commands = {}
            for entry in json.load(file):
                command = shlex.split(entry["command"])
                for source in sources_of(entry["file"]):
                    self.commands.setdefault(source, []).append(command)
        self.tests = {test["name"]: test for test in registered_tests(self.folder)}

    def compile_command(self, source, output, folders, program=""):
        """The unoptimised compilation of a file, or of its copy; `folders` are looked in first.

        A test's own file may be compiled for several programs: then the one of `program`.
        """
        found = self.commands[os.path.realpath(source)]
        command = next((c for c in found if f"/{program}.dir/" in c[c.index("-o") + 1]), found[0])
        while os.path.basename(command[0]) in ("ccache", "sccache", "distcc"):
            command = command[1:]
        command = [word for word in command if not re.fullmatch(r"-O\w*|-g\w*|-Werror", word)]
        command[command.index("-o") + 1] = output
        command[command.index("-c") + 1] = os.path.realpath(source)
        includes = [f"-I{folder}" for folder in folders]
        return command[:1] + ["-O0", "-w"] + includes + command[1:]

    def others_of(self, source, without, program=""):
        """The files that the build compiles together with this one, but for those in `without`."""
        found = self.commands[os.path.realpath(source)]
        command = next((c for c in found if f"/{program}.dir/" in c[c.index("-o") + 1]), found[0])
        left_out = {os.path.realpath(path) for path in without}
        return tuple(s for s in sources_of(command[command.index("-c") + 1]) if s not in left_out)

    def compile_together(self, source, others, output, program):
        """The compilation of several files, as the build compiles `source`."""
        together = os.path.splitext(output)[0] + ".cxx"
        with open(together, "w", encoding="utf-8") as file:
            file.writelines(f'#include "{other}"\n' for other in others)
        command = self.compile_command(source, output, [], program)
        command[command.index("-c") + 1] = together
        return command

    def object_of(self, source, program):
        """The object file of a test's own source in its link command, or None."""
        for command in self.commands[os.path.realpath(source)]:
            built = command[command.index("-o") + 1]
            if f"/{program}.dir/" in built:
                return built
        return None

    def program_of(self, test):
        if test not in self.tests or "command" not in self.tests[test]:
            fail(f"there is no test {test}: build all tests first")
        return self.tests[test]["command"][0]

    def link_command(self, program):
        """Returns the shell command, in the build folder, by which Ninja links a program."""
        target = os.path.relpath(program, self.folder)
        shown = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "-s", target],
                               check=True, stdout=subprocess.PIPE, text=True).stdout
        command = shlex.split(shown.strip().split("\n")[-1])
        begin = command.index("&&") + 1
        return command[begin:command.index("&&", begin)]

    def environment_of(self, test):
        extra = {}
        for item in self.tests[test].get("properties", []):
            if item["name"] == "ENVIRONMENT":
                extra.update(line.split("=", 1) for line in item["value"])
        return {**os.environ, **extra}


class Others:
    """Object files of what the build compiles together with judged files, compiled without these, once."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.made = {}

    def object_for(self, source, without, program):
        """Its object file, or None if there is nothing."""
        others = self.build.others_of(source, without, program)
        if not others:
            return None
        key = others, program
        if key not in self.made:
            output = os.path.join(self.folder, f"others-{len(self.made)}.o")
            command = self.build.compile_together(source, others, output, program)
            subprocess.run(command, cwd=self.build.folder, check=True)
            self.made[key] = output
        return self.made[key]


class Trial:
    """One text of a judged file, built into its tests and run."""

    def __init__(self, build, others, entry, source_text, seconds):
        self.build, self.others, self.entry = build, others.object_for, entry
        self.text, self.seconds = source_text, seconds
        self.ran_s = 0  # of the tests alone

    def run(self):
        """("killed" | "survived" | "invalid", why)."""
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            return self.run_in(folder)

    def run_in(self, folder):
        # A copy for each name by which a header may be included: "c.hpp", "b/c.hpp", "a/b/c.hpp".
        path = os.path.join(ROOT, self.entry["file"])
        steps = self.entry["file"].split("/")
        for begin in range(len(steps)):
            copy = os.path.join(folder, *steps[begin:])
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            with open(copy, "w", encoding="utf-8") as file:
                file.write(self.text)
        parts = self.entry.get("compile", [self.entry["file"]])
        originals = [os.path.join(ROOT, part) for part in parts]
        for test in self.entry["tests"]:
            program = self.build.program_of(test)
            name = os.path.basename(program)
            replaced, objects = {}, []
            for number, part in enumerate(parts):
                original = os.path.join(ROOT, part)
                output = os.path.join(folder, f"{name}-{number}.o")
                command = self.build.compile_command(
                    original, output, [folder, os.path.dirname(path)], name)
                if part == self.entry["file"]:
                    command[command.index("-c") + 1] = copy
                done = subprocess.run(command, cwd=self.build.folder, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, text=True, check=False)
                if done.returncode != 0:
                    return "invalid", done.stderr
                made = [output]
                others = self.others(original, originals, name)
                if others is not None and others not in [*objects, *sum(replaced.values(), [])]:
                    made.append(others)
                own = self.build.object_of(original, name)
                if own is None:
                    objects += made
                else:
                    replaced[own] = made
            mutated = os.path.join(folder, name)
            link = [made for word in self.build.link_command(program)
                    for made in replaced.get(word, [word])]
            place = link.index("-o")
            link = link[:place] + objects + ["-o", mutated] + link[place + 2:]
            done = subprocess.run(link, cwd=self.build.folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode != 0:
                return "invalid", done.stderr
            command = [mutated, *self.build.tests[test]["command"][1:], "--gtest_fail_fast",
                       "--gtest_brief=1"]
            begin = time.monotonic()
            try:
                done = subprocess.run(command, cwd=folder, env=self.build.environment_of(test),
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, timeout=self.seconds, check=False)
            except subprocess.TimeoutExpired:
                return "killed", f"{test} runs too long"
            self.ran_s = max(self.ran_s, time.monotonic() - begin)
            if done.returncode != 0:
                return "killed", done.stdout.decode(errors="replace")
        return "survived", ""


def is_named(entry, equivalent, mutant):
    return (equivalent["file"] == entry["file"] and equivalent["line"] == mutant.text
            and equivalent["change"] == mutant.change
            and equivalent.get("nth", mutant.nth) == mutant.nth)


def measure(build, others, entry, equivalents, options):
    """The counts and survivors of one file."""
    with open(os.path.join(ROOT, entry["file"]), encoding="utf-8") as file:
        source = file.read()
    mutants = list(mutants_of(source))
    named = [e for e in equivalents if e["file"] == entry["file"]]
    unfit = [e for e in named if not any(is_named(entry, e, m) for m in mutants)]
    if unfit:
        fail(f"{entry['file']} has no mutant {unfit[0]['change']} in: {unfit[0]['line']}")
    if options.line is not None:
        mutants = [m for m in mutants if m.text == options.line]
    if options.list:
        for mutant in mutants:
            print(f"{entry['file']}:{mutant.line}:{mutant.column}: {mutant.change}")
        return {"mutants": len(mutants)}
    original = Trial(build, others, entry, source, 600)
    verdict, why = original.run()
    if verdict != "survived":
        fail(f"the tests of {entry['file']} fail without a mutant\n{why}")
    if Trial(build, others, entry, "#error this is the copy\n" + source, 600).run()[0] != "invalid":
        fail(f"the tests of {entry['file']} are not compiled with its copy")
    seconds = 5 + 10 * original.ran_s
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        verdicts = list(pool.map(
            lambda mutant: Trial(build, others, entry, mutant.apply(source), seconds).run()[0], mutants))
    result = {"file": entry["file"], "mutants": 0, "killed": 0, "equivalent": 0, "survivors": []}
    for mutant, verdict in zip(mutants, verdicts):
        same = any(is_named(entry, e, mutant) for e in named)
        if verdict == "invalid":
            continue
        if same and verdict == "killed":
            fail(f"{entry['file']}:{mutant.line}: {mutant.change} is named equivalent, and is killed")
        if same:
            result["equivalent"] += 1
            continue
        result["mutants"] += 1
        if verdict == "killed":
            result["killed"] += 1
        else:
            result["survivors"].append({"line": mutant.line, "column": mutant.column,
                                        "nth": mutant.nth, "change": mutant.change,
                                        "text": mutant.text})
    return result


def measure_all(build, others, judged, options):
    """The results of the chosen files, and whether one of them has too low a score."""
    results, low = [], False
    for entry in judged["files"]:
        if options.file not in entry["file"]:
            continue
        result = measure(build, others, entry, judged["equivalent"], options)
        if options.list:
            continue
        results.append(result)
        score = 100.0 * result["killed"] / result["mutants"] if result["mutants"] else 100.0
        low = low or score < options.at_least
        print(f"{entry['file']}: {result['killed']} of {result['mutants']} killed, {score:.1f} %; "
              f"{result['equivalent']} equivalent", flush=True)
        for survivor in result["survivors"]:
            print(f"{entry['file']}:{survivor['line']}:{survivor['column']}: survived: "
                  f"{survivor['change']} in: {survivor['text']}", flush=True)
    return results, low


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--file", default="", help="only files whose path contains this")
    parser.add_argument("--line", help="only mutants of lines with this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--at-least", type=float, default=98.0, metavar="PERCENT")
    parser.add_argument("--list", action="store_true", help="print the mutants and run none")
    parser.add_argument("--output", help="write the results as JSON")
    parser.add_argument("--judged", default=os.path.join(HERE, "judged.json"))
    options = parser.parse_args()
    if shutil.which("ninja") is None:
        fail("needs ninja")
    with open(options.judged, encoding="utf-8") as file:
        judged = json.load(file)
    build = Build(options.build)
    with tempfile.TemporaryDirectory(prefix="mutants-others-") as folder:
        results, low = measure_all(build, Others(build, folder), judged, options)
    if results:
        killed, counted = sum(r["killed"] for r in results), sum(r["mutants"] for r in results)
        print(f"all: {killed} of {counted} killed, {100.0 * killed / max(counted, 1):.1f} %")
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
