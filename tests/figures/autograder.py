#!/usr/bin/env python3
"""Measures the cost of a submission in a packed autograder, for every assignment of the bundled course.

    tests/figures/autograder.py [PROGRAM] [--only NAME]

Packs each assignment for Gradescope, unpacks it, and runs its run_autograder for each solution and each
mistake of the course, one at a time. Prints, of the costliest submission, processor time, the seconds that
half a processor takes for it (Gradescope's smallest container: half a processor, 768 MB), and the most
memory that all of its processes had at one time."""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COURSE = ROOT / "courses" / "first"


def group_kib(group):
    """Proportional memory of all processes of a session, in KiB."""
    total = 0
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if os.getsid(int(folder.name)) != group:
                continue
            rollup = (folder / "smaps_rollup").read_text()
        except (OSError, ProcessLookupError):
            continue
        total += sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total


def run(script, environment):
    """Processor seconds, and the most memory that was seen, in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([script], env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    most = [0]

    def watch():
        while process.poll() is None:
            most[0] = max(most[0], group_kib(process.pid))
            time.sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    process.wait()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, most[0] / 1000


def measure(program, name, folder):
    archive = folder / "pack.zip"
    subprocess.run([program, "pack", "gradescope", COURSE / name / "assignment.yaml", "-o", archive,
                    "--no-sandbox"], check=True, stdout=subprocess.DEVNULL)
    source = folder / "source"
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            opened.extract(member, source)
            (source / member.filename).chmod(member.external_attr >> 16 & 0o777)
    (source / "secret").write_text("0123456789abcdef0123456789abcdef\n")
    (source / "secret").chmod(0o600)
    template, = (COURSE / name).glob("*.cu")
    environment = dict(os.environ, AUTOGRADER_ROOT=str(folder))
    costs = []
    for file in sorted((COURSE / name).rglob("*.cu")):
        submission = folder / "submission"
        submission.mkdir()
        shutil.copy(file, submission / template.name)
        (folder / "submission_metadata.json").write_text('{"users": [{"name": "Ada"}]}')
        costs.append((*run(source / "run_autograder", environment), file.name))
        if '"score"' not in (folder / "results" / "results.json").read_text():
            sys.exit("%s: %s has no score" % (name, file.name))
        shutil.rmtree(submission)
    return costs, archive.stat().st_size / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default=ROOT / "build/bin/warpmark", type=pathlib.Path)
    parser.add_argument("--only", help="one assignment")
    arguments = parser.parse_args()
    names = sorted(path.parent.name for path in COURSE.glob("*/assignment.yaml"))
    print("%-20s %11s %13s %8s %10s %9s" % ("assignment", "submissions", "processor s", "at half",
                                            "memory MB", "archive MB"))
    for name in [arguments.only] if arguments.only else names:
        with tempfile.TemporaryDirectory(prefix="warpmark-autograder-") as folder:
            costs, size = measure(arguments.program.resolve(), name, pathlib.Path(folder))
        worst = max(costs)
        print("%-20s %11d %13.2f %8.1f %10.0f %9.0f   %s"
              % (name, len(costs), worst[0], 2 * worst[0], max(cost[1] for cost in costs), size,
                 worst[2]), flush=True)


if __name__ == "__main__":
    main()
