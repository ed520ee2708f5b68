#!/usr/bin/env python3
"""Shows that `warpmark judge --device all` uses every GPU, and what the crash of a process on one of them costs.

    tests/figures/several_gpus.py [PROGRAM] [--count 24] [--device all] [--json RECORD]

Candidates that are right, wrong, or do not compile go through one stream, and in the middle of it one of the processes that grade is killed.
The command fails if a GPU's memory stays as it was before, if a candidate gets no verdict, several, or another one than it must, or if the
crash costs more than one candidate. With `--device cpu` it tries all of this but the GPUs' memory, in two processes.
"""
import collections
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import figures
import judge_rate

SUITE = judge_rate.SUITE.replace("[1, 255, 1000]", "[1000, 2000000]").replace("block: 64", "block: 256").replace("(n, 64)", "(n, 256)")
KINDS = (("right", judge_rate.KERNEL), ("wrong", judge_rate.KERNEL.replace("2 *", "3 *")), ("right", judge_rate.KERNEL.replace("2 * x[i]", "x[i] + x[i]")),
         ("not compiled", judge_rate.KERNEL.replace("2 *", "two *")))


def memory_used():
    """MiB by GPU."""
    done = subprocess.run(["nvidia-smi", "--query-gpu=index,memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True, check=True)
    return {index.strip(): int(mib) for index, mib in (line.split(",") for line in done.stdout.splitlines())}


def graders(root):
    """The processes that grade: children of the command, the first of them first."""
    found = []
    for one in sorted(judge_rate.family(root)):
        try:
            if pathlib.Path("/proc/%d/comm" % one).read_text() == "warpmark-grader\n":
                found.append(one)
        except OSError:
            continue  # it has just ended
    return found


class Watch(threading.Thread):
    """Keeps the most memory of each GPU while the judge works."""

    def __init__(self):
        super().__init__(daemon=True)
        self.before, self.most, self.ended = memory_used(), {}, threading.Event()

    def run(self):
        while not self.ended.wait(0.3):
            for index, mib in memory_used().items():
                self.most[index] = max(self.most.get(index, 0), mib)

    def grown(self):
        self.ended.set()
        self.join()
        return {index: self.most.get(index, 0) - mib for index, mib in self.before.items()}


def run(arguments, folder):
    suite = folder / "scale.yaml"
    suite.write_text(SUITE)
    (folder / "scale.cu").write_text(judge_rate.KERNEL)
    wanted = {number: KINDS[number % len(KINDS)] for number in range(arguments.count)}
    watch = Watch() if arguments.device == "all" else None
    if watch:
        watch.start()
    command = [arguments.program, "judge", str(suite), "--stream", "--device", arguments.device, *([] if watch else ["-j", "2"])]
    judge = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lines = [json.dumps({"id": number, "text": "// candidate %d\n%s" % (number, text)}) + "\n" for number, (_, text) in wanted.items()]
    threading.Thread(target=lambda: (judge.stdin.writelines(lines), judge.stdin.close()), daemon=True).start()
    answers, processes, start = collections.defaultdict(list), [], time.monotonic()
    for line in judge.stdout:
        one = json.loads(line)
        answers[one["id"]].append(one["judgement"])
        if len(answers) == arguments.count // 4:
            processes = graders(judge.pid)
            os.kill(processes[-1], signal.SIGKILL)
    judge.wait()
    return wanted, answers, len(processes), watch.grown() if watch else {}, time.monotonic() - start


def main():
    parser = figures.parser_of(__doc__)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--device", default="all", choices=("all", "cpu"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warpmark-gpus-") as folder:
        wanted, answers, processes, grown, seconds = run(arguments, pathlib.Path(folder))
    lost = [number for number, made in answers.items() if made[0]["verdict"] == "not judged"]
    ratios = [made[0]["fast"]["ratio"] for made in answers.values() if made[0]["fast"]["ratio"]]
    wrong = ["candidate %d has %d verdicts" % (number, len(answers[number])) for number in wanted if len(answers[number]) != 1]
    wrong += ["candidate %d is %s and must be %s" % (number, made[0]["verdict"], wanted[number][0])
              for number, made in answers.items() if number not in lost and made[0]["verdict"] != wanted[number][0]]
    wrong += ["GPU %s was not used" % index for index, mib in grown.items() if mib < 100]
    if processes != (len(grown) or 2):
        wrong.append("%d processes grade" % processes)
    if len(lost) > 1:
        wrong.append("%d candidates were lost" % len(lost))
    record = {"command": "tests/figures/several_gpus.py", "gpus": len(grown), "mib_by_gpu": grown, "processes": processes, "candidates": len(wanted),
              "lost": len(lost), "seconds": round(seconds, 1), "median_ratio": round(statistics.median(ratios), 3) if ratios else None}
    figures.write_record(arguments.json, record)
    print(json.dumps(record), *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
