#!/usr/bin/env python3
"""Builds extensions of PyTorch from public repositories, and runs their kernels on the CPU device with all checks.

    extensions.py FOLDER --environment VENV [--build build] [--work FOLDER] [--only TEXT] [--together] [--json RECORD]
    extensions.py --page PAGE [--check]

FOLDER has the repositories, unmodified; without it that of WARPMARK_EXTENSIONS. VENV has PyTorch, as pip installs it; without it
tests/support/languages.py finds one. Each extension is built by PyTorch's own `load` under `warpmark-cpu`, with nvcc; objects are kept in the folder --work. With --together a text includes the sources of an extension,
so that PyTorch's headers are read once for all. The functions of extensions/*.py call the kernels with small tensors under
`warpmark-cpu --check all`, and compare with what PyTorch's CPU operators compute, or the extension's own code for the CPU. The kernels
that count are those that the process launched. Exit status: 0; 1 if one did not build, differs, or was reported without being in FINDINGS;
77 if there is no nvcc or no folder.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import figures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from languages import environment_with  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests/figures/extensions"
RECORD = ROOT / "results/cpu/extensions.json"
MODULES = ("openpcdet", "others", "ngp", "cluster")
# Judgements of reports, by reading the kernels: by the case and the kind.
FINDINGS = {
    ("farthest_point_sampling", "race"): "true: `sampling_gpu.cu:147` writes what `:212` reads, without a barrier between",
    ("farthest_points", "race"): "true: a round of the reduction reads what it writes, `fps_cuda.cu:54`",
}


def preload(work):
    """The library that notes launches."""
    library = work / "launches.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "launches.c", "-ldl"], check=True)
    return library


def names_of(symbols):
    """Names of kernels as their sources have them."""
    shown = subprocess.run(["c++filt", "-p"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout.split("\n")
    made = []
    for text in shown:
        while "<" in text:
            inner = re.sub(r"<[^<>]*>", "", text)
            if inner == text:
                break
            text = inner
        made.append(text.split()[-1].split("::")[-1] if text.split() else "")
    return sorted({name for name in made if name})


class Run:
    """The extensions of a module: built and run in one process, and in another after a case that broke the device."""

    def __init__(self, arguments, module):
        self.arguments, self.module, self.rows = arguments, module, []
        self.files = {name: arguments.work / (module + "." + name) for name in ("launches", "jsonl")}

    def command(self, what, *cases):
        launcher = self.arguments.build / "bin/warpmark-cpu"
        check = [] if what == "build" else ["--check", "all", "--error-exitcode", "0", "--report", self.files["jsonl"]]
        python = self.arguments.environment / "bin/python"
        return [launcher, *check, python, HERE / "extension.py", what, self.module, self.arguments.folder, self.arguments.work,
                "together" if self.arguments.together else "apart", *cases]

    def environment(self, what):
        changes = {"PATH": "%s:%s" % (self.arguments.environment / "bin", os.environ["PATH"]), "LAUNCHES": str(self.files["launches"])}
        if what == "run":
            changes["LD_PRELOAD"] = str(self.arguments.work / "launches.so")
        return {**os.environ, **changes}

    def build(self):
        done = subprocess.run(self.command("build"), env=self.environment("build"), stdout=subprocess.PIPE, text=True, check=False)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def run(self):
        left = None
        while left is None or left:
            for file in self.files.values():
                file.unlink(missing_ok=True)
            process = subprocess.Popen(self.command("run", *(left or ())), env=self.environment("run"), stdout=subprocess.PIPE, text=True)
            began, ended = None, set()
            for line in process.stdout:
                one = json.loads(line) if line.startswith("{") else {}
                if "begin" in one:
                    began = one
                if "end" in one:
                    self.add(began, one)
                    ended.add(one["end"])
                    began = None
                    print(json.dumps(self.rows[-1]), file=sys.stderr, flush=True)
            code = process.wait()
            if began:
                self.add(began, {"wrong": "the process ended with code %d" % code, "seconds": 0, "launched": [], "reports": []})
                ended.add(began["begin"])
            broken = code != 0 or any("CUDA error" in one["wrong"] for one in self.rows[-1:])
            names = self.case_names() if left is None and broken else left or []
            left = [name for name in names if name not in ended] if broken else []
        return self.rows

    def case_names(self):
        text = (HERE / (self.module + ".py")).read_text()
        return re.findall(r"\.case\ndef (\w+)", text)

    def add(self, began, ended):
        self.rows.append({"repository": began["repository"], "extension": began["extension"], "case": began["begin"],
                          "kernels": names_of(ended["launched"]), "wrong": ended["wrong"],
                          "reports": dict(sorted(collections.Counter(ended["reports"]).items())), "seconds": round(ended["seconds"], 1)})


def commit_of(folder):
    done = subprocess.run(["git", "-C", folder, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def is_as_it_must(row):
    return not row["wrong"] and all(FINDINGS.get((row["case"], kind)) for kind in row["reports"])


def page(record):
    rows = record["cases"]
    of_extension = collections.defaultdict(list)
    for row in rows:
        of_extension[row["repository"], row["extension"]].append(row)
    kernels = {place: sorted({kernel for row in made for kernel in row["kernels"]}) for place, made in of_extension.items()}
    lines = ["# Extensions of PyTorch without a GPU", "",
             "    python3 tests/figures/extensions.py FOLDER --environment VENV%s --json results/cpu/extensions.json" % (
                 " --together" if record["together"] else ""),
             "    python3 tests/figures/extensions.py --page docs/results/extensions.md", "",
             "%d kernels of %d extensions, built unmodified with PyTorch %s, run with all checks. Cases compare with PyTorch on the CPU, or the extension's "
             "own code for it; %d of %d are right." % (
                 sum(map(len, kernels.values())), len(kernels), record["pytorch"].split("+")[0], sum(not row["wrong"] for row in rows), len(rows)),
             "", "| extension | commit | kernels | reported |", "|---|---|---|---|"]
    seen = set()
    for (repository, extension), made in of_extension.items():
        commit = "" if repository in seen else "%s `%s`" % (repository, record["commits"][repository][:10])
        seen.add(repository)
        told = ["wrong: " + row["case"] for row in made if row["wrong"]]
        told += ["%s, %s" % (kind, FINDINGS.get((row["case"], kind), "not judged")) for row in made for kind in row["reports"]]
        lines.append("| `%s` | %s | %s | %s |" % (extension, commit, len(kernels[repository, extension]), "; ".join(told)))
    # A block: these are no words of the manual.
    lines += ["", "```text", *("%s: %s" % (place[1], ", ".join(names)) for place, names in kernels.items()), "```"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("WARPMARK_EXTENSIONS"))
    parser.add_argument("--environment", default=environment_with("torch"))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/extensions"))
    parser.add_argument("--only", default="")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, help="write the record there")
    parser.add_argument("--page", type=pathlib.Path, help="write the page there, of results/cpu/extensions.json, and run nothing")
    parser.add_argument("--check", action="store_true", help="with --page: fail if the page is another")
    arguments = parser.parse_args()
    if arguments.page:
        text = page(json.loads(RECORD.read_text()))
        if arguments.check:
            return 0 if arguments.page.read_text() == text else "%s is not what extensions.py writes" % arguments.page
        arguments.page.write_text(text)
        return 0
    if shutil.which("nvcc") is None or arguments.folder is None or arguments.environment is None:
        print("there is no nvcc" if arguments.folder else "FOLDER and --environment are needed")
        return 77
    for name in ("folder", "environment", "build", "work"):
        setattr(arguments, name, pathlib.Path(os.path.abspath(getattr(arguments, name))))
    arguments.work.mkdir(parents=True, exist_ok=True)
    preload(arguments.work)
    cases, unbuilt = [], []
    for module in MODULES:
        if arguments.only in module:
            run = Run(arguments, module)
            unbuilt += [one for one in run.build() if one["build"]]
            cases += run.run()
    for one in unbuilt:
        print("%s is not built: %s" % (one["extension"], one["build"]), file=sys.stderr)
    wrong = [row for row in cases if not is_as_it_must(row)]
    for row in wrong:
        print("%s: %s %s" % (row["case"], row["wrong"], row["reports"]), file=sys.stderr)
    version = subprocess.run([arguments.environment / "bin/python", "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True,
                             check=True).stdout.strip()
    repositories = sorted({row["repository"] for row in cases})
    figures.write_record(arguments.json, {"command": "tests/figures/extensions.py", "pytorch": version, "together": arguments.together,
                                          "commits": {name: commit_of(arguments.folder / name) for name in repositories}, "cases": cases})
    kernels = {(row["extension"], kernel) for row in cases for kernel in row["kernels"]}
    print("%d cases, %d kernels; %d not as they must be; %d extensions not built" % (len(cases), len(kernels), len(wrong), len(unbuilt)))
    return 1 if wrong or unbuilt else 0


if __name__ == "__main__":
    sys.exit(main())
