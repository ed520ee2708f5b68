"""Builds programs by their own Makefiles under warpmark-cpu, and runs them there.

    programs.py --folder FOLDER [--most N] [--only NAME,...] [--seconds S] [--jobs N] [--memory SIZE]
        [--json FILE [--resume]] [LAUNCHER]
    programs.py --require [LAUNCHER]

FOLDER is a checkout of github.com/zjin-lcf/HeCBench, whose src/*-cuda each have a Makefile with the goal `run`. Each
program is built by `warpmark-cpu make -B` in a copy of its folder, with none of its options changed, and run by
`warpmark-cpu make run`. Programs that need a library beside CUDA's runtime are named and not built. Of the others at
most N are taken, spread evenly over the alphabet. A program passes if it says so itself; one that only prints times has no
verdict. The second form takes FOLDER from WARPMARK_HECBENCH, tries 20 programs, and fails if less than 95 % are built,
or if less than 95 % of those with a verdict pass; without the folder its exit code is 77.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from figures import add_json, write_record

# Libraries that a Makefile links, headers that a source includes, and compilers that it calls.
LIBRARIES = re.compile(r"-l(cublas\w*|cusparse\w*|cusolver\w*|curand|cufft|cudnn|nccl|nvml|nvidia-ml|mpi\w*|gsl\w*|boost_\w+|gdal|"
                       r"parmetis|metis|gfortran|bz2?|z|png|oras)\b|\b(mpi)(?:cc|cxx|c\+\+)\b|(setup\.py|torch)\b")
HEADERS = re.compile(r"#\s*include\s*[<\"](cublas\w*|cusparse|cusolver\w*|curand(?!_)\w*|cufft\w*|cudnn\w*|nccl|nvml|mpi|gsl/\w+|"
                     r"boost/[\w/]+|gdal\w*|metis|zlib|bzlib|png|opencv\w*|cudf|cutlass)(\.h\w*)?[>\"/]")
PASSED = re.compile(r"\bpass(ed)?\b|\bsuccess(ful(ly)?)?\b|\bcorrect\b|\bOK\b|results? match|no errors?\b", re.IGNORECASE)
FAILED = re.compile(r"\bfail(ed|ure)?\b|\bmismatch|\bincorrect\b|\bwrong\b|segmentation fault|cuda error|core dumped", re.IGNORECASE)
NO_FAILURE = re.compile(r"\b(0|no) (fail|mismatch|wrong|incorrect)|(fail\w*|mismatch\w*|errors?)\s*[:=]\s*0\b", re.IGNORECASE)
MISSING = re.compile(r"no such file|(can ?not|can't|could not|couldn't|unable to|failed to|error) (open|read|load|find)", re.IGNORECASE)
# Programs that fail by themselves, as docs/results/programs.md says.
KNOWN = {"histogram-cuda": "defect", "layernorm-cuda": "defect", "tqs-cuda": "defect", "groupnorm-cuda": "defect", "lif-cuda": "defect",
         "gmm-cuda": "input", "cm-cuda": "input", "bitcracker-cuda": "input"}
# A refused allocation of more than the device has.
TOO_LARGE = re.compile(r"WARPMARK_CPU_MEMORY|out of memory", re.IGNORECASE)
# A program that tests assertions prints them.
EXPECTED = {"assert-cuda"}


def sources_of(folder):
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".cu", ".cuh", ".h", ".hpp", ".cpp", ".c"):
            yield path.read_text(encoding="latin-1")


def library_of(folder):
    """A library that the program needs beside CUDA's runtime, or None."""
    makefile = re.sub(r"#.*", "", (folder / "Makefile").read_text(encoding="latin-1"))
    found = LIBRARIES.search(makefile)
    for text in sources_of(folder) if not found else ():
        found = HEADERS.search(text)
        if found:
            break
    return next((group for group in found.groups() if group), found.group(0)) if found else None


def within(command, folder, seconds, environment=None):
    """The command's exit code, None where it took longer, its output, and its time."""
    begin = time.monotonic()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          env={**os.environ, **(environment or {})}, start_new_session=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))) as process:
        try:
            output = process.communicate(timeout=seconds)[0]
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, code = process.communicate()[0], None
    return code, output.decode(errors="replace"), time.monotonic() - begin


def findings_of(report):
    """How many reports of each kind there are, and the first of each."""
    kinds = collections.Counter()
    first = {}
    for line in report.read_text(errors="replace").splitlines() if report.exists() else ():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if record.get("kind") and record.get("severity") != "warning":
            kinds[record["kind"]] += 1
            first.setdefault(record["kind"], record.get("message", "")[:300])
    return [{"kind": kind, "count": count, "first": first[kind]} for kind, count in sorted(kinds.items())]


def missing_files(output, folder):
    """Files that the program's command line names and that the checkout does not have."""
    for line in output.splitlines():
        if line.startswith("./"):
            yield from (word for word in line.split()[1:]
                        if re.search(r"/|\.[A-Za-z]\w*$", word) and not (folder / word).exists())


def verdict_of(code, output, folder):
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith("make")]
    bad = [line for line in lines if FAILED.search(line) and not NO_FAILURE.search(line)]
    if code is None:
        return "time", ""
    if code != 0:
        missing = next((line for line in lines if MISSING.search(line)), None) or next(missing_files(output, folder), None)
        return ("input", missing) if missing else ("failed", (bad or lines or [""])[-1])
    if bad:
        return "failed", bad[0]
    return ("passed" if any(PASSED.search(line) for line in lines) else "ended"), ""


def try_program(launcher, folder, place, seconds, environment):
    """One row: how the program was built and what it said."""
    row = {"program": folder.name, "library": library_of(folder)}
    if row["library"]:
        return {**row, "result": "library"}
    for other in folder.parent.iterdir():  # a program reads files of its neighbours
        (place / other.name).symlink_to(other)
    copy = place / folder.name
    copy.unlink()
    shutil.copytree(folder, copy)
    code, output, took = within([launcher, "make", "-B"], copy, 600)
    row["build_s"] = round(took, 1)
    row["notes"] = len(re.findall(r"nvcc \(of warpmark-cpu\): note", output))
    if code != 0:
        lines = [line for line in output.splitlines() if "error" in line or "fatal" in line] or output.splitlines()[-1:]
        return {**row, "result": "build", "why": (lines or [""])[0][:300]}
    report = place / "report.jsonl"
    code, output, took = within([launcher, "--report", str(report), "make", "run"], copy, seconds, environment)
    result, why = verdict_of(code, output, copy)
    if result == "failed" and TOO_LARGE.search(output):
        result = "memory"
    elif result == "failed" and folder.name in EXPECTED and code == 0:
        result = "passed"
    elif result in ("failed", "ended"):
        result = KNOWN.get(folder.name, result)
    return {**row, "run_s": round(took, 1), "limit_s": seconds, "result": result, "why": why.strip()[:300], "findings": findings_of(report)}


def summary(rows):
    """The sums that a page gives."""
    count = collections.Counter(row["result"] for row in rows)
    tried = [row for row in rows if row["result"] != "library"]
    judged = count["passed"] + count["failed"]
    return {"programs": len(tried), "built": len(tried) - count["build"], "passed": count["passed"], "failed": count["failed"],
            "failed by a defect of its own": count["defect"],
            "ended without a verdict": count["ended"], "input is missing": count["input"], "more memory than --memory": count["memory"], "longer than the limit": count["time"],
            "with findings": sum(1 for row in tried if row.get("findings")), "need a library": count["library"],
            "share built": (len(tried) - count["build"]) / max(1, len(tried)), "share passed": count["passed"] / max(1, judged)}


def spread(folders, most):
    """At most so many, spread evenly; any beginning of the list is spread, too."""
    most = min(most, len(folders))
    chosen = [folders[index * len(folders) // most] for index in range(most)] if most else []
    stride = next((s for s in (37, 41, 43) if most % s), 1)
    return [chosen[index * stride % most] for index in range(most)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    add_json(parser)
    parser.add_argument("--folder", default=os.environ.get("WARPMARK_HECBENCH"))
    parser.add_argument("--most", type=int)
    parser.add_argument("--only")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1, help="programs at the same time, each on one processor if there are several")
    parser.add_argument("--memory", help="of the device, as in 32G")
    parser.add_argument("--resume", action="store_true", help="leave out what the file of --json has")
    parser.add_argument("--require", action="store_true")
    parser.add_argument("launcher", nargs="?", default="build/bin/warpmark-cpu")
    arguments = parser.parse_args()
    if not arguments.folder or shutil.which("nvcc") is None:
        print("skipped: " + ("there is no nvcc" if arguments.folder else "WARPMARK_HECBENCH names no checkout of HeCBench"))
        return 77
    launcher = os.path.abspath(arguments.launcher)
    folders = [path.parent for path in sorted(pathlib.Path(arguments.folder).resolve().glob("src/*-cuda/Makefile"))]
    if arguments.only:
        folders = [folder for folder in folders if folder.name in arguments.only.split(",")]
    folders = spread(folders, arguments.most or (20 if arguments.require else len(folders)))
    rows = []
    if arguments.resume and os.path.exists(arguments.json):
        with open(arguments.json, encoding="utf-8") as file:
            rows = json.load(file)["programs"]
    done = {row["program"] for row in rows}
    environment = {"WARPMARK_CPU_WORKERS": "1"} if arguments.jobs > 1 else {}
    if arguments.memory:
        environment["WARPMARK_CPU_MEMORY"] = arguments.memory

    def tried(folder):
        with tempfile.TemporaryDirectory() as place:
            return try_program(launcher, folder, pathlib.Path(place), arguments.seconds, environment)

    pool = concurrent.futures.ThreadPoolExecutor(arguments.jobs)
    for row in pool.map(tried, [folder for folder in folders if folder.name not in done]):
        rows.append(row)
        found = ", ".join(f"{finding['count']} {finding['kind']}" for finding in row.get("findings", ()))
        print(f"{row['result']:8}{row.get('build_s', 0):6.1f}{row.get('run_s', 0):7.1f}  {row['program']}: "
              f"{row.get('why') or row.get('library') or ''}{' [' + found + ']' if found else ''}", flush=True)
        if arguments.json:
            record = {"summary": summary(rows), "programs": sorted(rows, key=lambda r: r["program"])}
            write_record(arguments.json, record)
    sums = summary(rows)
    print("\n".join(f"{name}: {value:.3f}" if isinstance(value, float) else f"{name}: {value}" for name, value in sums.items()))
    return 1 if arguments.require and min(sums["share built"], sums["share passed"]) < 0.95 else 0


if __name__ == "__main__":
    sys.exit(main())
