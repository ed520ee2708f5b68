#!/usr/bin/env python3
"""Imports problems of KernelBench, judges a right and three wrong candidates for each, and writes docs/results/judged.md.

    VENV/bin/python tests/figures/kernelbench.py PROBLEMS [PROGRAM] [--elements 4096] [--only NAME] [--most N] [--json RECORD]
    tests/figures/kernelbench.py --page PAGE [--check]

PROBLEMS is a checkout of the problems, with folders level1 and level2; VENV has PyTorch. examples/judge/import_task.py makes a task of each, and
aten_kernels.py a kernel of what PyTorch computes for it: a right one, one that writes zeros, one whose results are rounded to
bfloat16, and one that leaves a round of each sum out, or an element where there is no sum. The command fails if a verdict
is not the one that the candidate must get.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import figures

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RECORD = ROOT / "results/cpu/kernelbench.json"


def module_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def candidates(importer, problem, folder):
    """The texts by what they are: right, and as `aten_kernels.WRONG`."""
    import torch

    import aten_kernels

    model = module_of(folder / (problem.name + "_task.py")).model()
    names, count = list(problem.weights), len(problem.inputs)

    def compute(*values):
        return torch.func.functional_call(model, dict(zip(names, values[count:])), tuple(values[:count]))

    kernel = aten_kernels.Kernel(compute, [(name, one) for name, one, _ in problem.arguments()], problem.name)
    return {"right": kernel.text(), **{wrong: kernel.text(wrong) for wrong in aten_kernels.WRONG}}


def verdicts(program, task, texts, python):
    lines = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items())
    environment = {**os.environ, "VIRTUAL_ENV": str(python.parent.parent)}
    done = subprocess.run([program, "judge", str(task), "--stream", "-q", "--jobs", "1", "--device", "cpu", "--speed", "none"],
                          input=lines, capture_output=True, text=True, check=False, env=environment)
    answers = {one["id"]: one["judgement"] for one in map(json.loads, done.stdout.splitlines())}
    if len(answers) != len(texts):
        sys.exit("%s: %d answers to %d candidates\n%s" % (task, len(answers), len(texts), done.stderr))
    return answers


def judge(importer, path, arguments, folder):
    """The row of a problem."""
    row = {"name": path.stem, "level": path.parent.name}
    for elements in (arguments.elements, 8 * arguments.elements):
        try:
            problem = importer.KernelBench(path, elements)
            importer.write(problem, folder)
            break
        except Exception as error:
            why = str(error).split("\n")[0][:200]
    else:
        return {**row, "not_taken": why}
    try:
        texts = candidates(importer, problem, folder)
    except Exception as error:
        return {**row, "elements": problem.count(), "no_candidate": "%s: %s" % (type(error).__name__, str(error).split("\n")[0][:200])}
    if arguments.keep:
        for name, text in texts.items():
            (folder / ("%s.%s.cu" % (problem.name, name))).write_text(text)
    made = verdicts(arguments.program, folder / (problem.name + ".yaml"), texts, pathlib.Path(sys.executable))
    row.update(elements=problem.count(), verdicts={name: one["verdict"] for name, one in made.items()})
    if made["right"]["verdict"] != "right":
        print(made["right"]["feedback"], made["right"].get("problem", ""), file=sys.stderr)
    return row


def is_as_it_must(row):
    made = row.get("verdicts")
    return made is None or made["right"] == "right" and all(one != "right" for name, one in made.items() if name != "right")


def page(record):
    """The page: a row for each of the three records."""
    rows = record["problems"]
    judged = [one["verdicts"] for one in rows if "verdicts" in one]
    refused = sum(name != "right" and verdict != "right" for one in judged for name, verdict in one.items())
    stream = json.loads((RECORD.parent / "judge_rate.json").read_text())
    held = ["%(lasting_mib)d, %(processes)d, %(descriptors)d" % one for one in (stream["tenths"][1], stream["tenths"][-2])]
    lines = ["# Candidates judged", "", "    VENV/bin/python tests/figures/kernelbench.py PROBLEMS --json results/cpu/kernelbench.json",
             *command(),
             "    python3 %s --json results/cpu/judge_rate.json" % stream["command"],
             "    python3 tests/figures/kernelbench.py --page docs/results/judged.md", "", "On the CPU device, by [the judge](../judge.md):", "", "| | figure |", "|---|---|",
             "| KernelBench's problems of the record; imported and judged | %d; %d |" % (len(rows), len(judged)),
             "| their right candidates; right | %d; %d |" % (len(judged), sum(one["right"] == "right" for one in judged)),
             "| wrong ones (zeros, bfloat16, short sums); refused | %d; %d |" % (3 * len(judged), refused),
             *styles(),
             "| stream of %d, %g of which crash the compiler, %d ms each: MiB, processes, descriptors; at the end | %s; %s |"
             % (stream["candidates"], stream["candidates"] * stream["crashes"], stream["processor_ms"], *held)]
    return "\n".join(lines) + "\n"


def command():
    file = RECORD.parent / "odd_styles.json"
    return ["    python3 %s --json results/cpu/odd_styles.json" % json.loads(file.read_text())["command"]] if file.exists() else []


def styles():
    """The row about right candidates in odd styles, where there is a record."""
    file = RECORD.parent / "odd_styles.json"
    if not file.exists():
        return []
    record = json.loads(file.read_text())
    return ["| right candidates in %d odd styles; lost | %d; %d |" % (record["styles"], record["candidates"], len(record["lost"]))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("problems", nargs="?", type=pathlib.Path)
    parser.add_argument("program", nargs="?", default=str(ROOT / "build" / "bin" / "warpmark"))
    parser.add_argument("--elements", type=int, default=4096)
    parser.add_argument("--only", action="append", help="names of files without .py, or their beginnings")
    parser.add_argument("--levels", default="level1,level2")
    parser.add_argument("--most", type=int, help="stop after so many are judged")
    parser.add_argument("--keep", type=pathlib.Path, help="leave tasks and candidates there, and rows in rows.jsonl, from which a further run goes on")
    parser.add_argument("--json", type=pathlib.Path, help="write the record there")
    parser.add_argument("--page", type=pathlib.Path, help="write the page there, of results/cpu/kernelbench.json, and judge nothing")
    parser.add_argument("--check", action="store_true", help="with --page: fail if the page is another")
    arguments = parser.parse_args()
    if arguments.page:
        text = page(json.loads(RECORD.read_text()))
        if arguments.check:
            return 0 if arguments.page.read_text() == text else "%s is not what kernelbench.py writes" % arguments.page
        arguments.page.write_text(text)
        return 0
    if arguments.problems is None:
        parser.error("PROBLEMS is the folder of the problems")
    importer = module_of(ROOT / "examples/judge/import_task.py")
    temporary = tempfile.TemporaryDirectory(prefix="warpmark-kernelbench-")
    folder = arguments.keep or pathlib.Path(temporary.name)
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "rows.jsonl"
    rows = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    paths = [path for level in arguments.levels.split(",") for path in sorted((arguments.problems / level).glob("*.py"), key=lambda one: int(one.stem.split("_")[0]))]
    for path in paths:
        if arguments.most and sum("verdicts" in one for one in rows) >= arguments.most:
            break
        if any((one["level"], one["name"]) == (path.parent.name, path.stem) for one in rows):
            continue
        if arguments.only and not any(path.stem.startswith(name) for name in arguments.only):
            continue
        start = time.monotonic()
        rows.append(judge(importer, path, arguments, folder / path.parent.name))
        with kept.open("a") as file:
            file.write(json.dumps(rows[-1]) + "\n")
        print("%s%s %.1f s" % ("" if is_as_it_must(rows[-1]) else "WRONG ", json.dumps(rows[-1]), time.monotonic() - start), file=sys.stderr, flush=True)
    wrong = [one["name"] for one in rows if not is_as_it_must(one)]
    figures.write_record(arguments.json, {"command": "tests/figures/kernelbench.py", "elements": arguments.elements, "problems": rows})
    print("%d problems, %d judged, %d with a verdict that must not be" % (len(rows), sum("verdicts" in one for one in rows), len(wrong)), *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
