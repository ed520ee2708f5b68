#!/usr/bin/env python3
"""Measures grading: how long a class takes and of what, and whether a regrade changes anything.

    tests/figures/grading.py [PROGRAM] [--submissions 100] [--stream 100] [--regrades 20] [--jobs 2]
        [--device cpu] [--workers 1,2] [--repeats 3] [--pages]

Grades copies of the bundled course's solutions and mistakes for `doublify`, under names of their
own, then as many by `grade --stream`: processor time and rate are of those beyond the first ten,
so that what starts once counts for none. Then it grades 30 of them again and again, and compares all that results say but for dates
and times. With --pages it grades the class, compares all submissions (--similar) and prints the sizes of pages: a course of 300 is
`--submissions 300 --cases 12 --pages`. With --workers it only grades the class by each of these numbers of jobs, and in as many shards of one job each side by
side, with the merge; the numbers take turns, and medians of the repeats are compared.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COURSE = ROOT / "courses" / "first" / "doublify"
CASES = 9  # that the assignment has
TIMES = ("seconds", "date", "duration", "execution_time")


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    if isinstance(value, list):
        return [without_times(one) for one in value]
    return value


def differences(one, other, path=""):
    """Where two results differ, and how."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [text for key in one for text in differences(one[key], other[key], "%s/%s" % (path, key))]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [text for i, (a, b) in enumerate(zip(one, other))
                for text in differences(a, b, "%s/%d" % (path, i))]
    return [] if one == other else ["%s: %r, and then %r" % (path, one, other)]


def make_class(folder, count, pattern="**/*.cu"):
    """Every solution and mistake in turn, each with a comment of its own, so that no two are one."""
    sources = sorted(COURSE.glob(pattern))
    folder.mkdir()
    for number in range(count):
        source = sources[number % len(sources)]
        text = source.read_text() + "// submission %d\n" % number
        (folder / ("student%03d.cu" % number)).write_text(text)
    return len(sources)


def with_more_cases(folder, count):
    """The assignment in a copy of the course, with `count` hidden sizes more."""
    shutil.copytree(COURSE, folder)
    file = folder / "assignment.yaml"
    sizes = "".join(", %d" % (65 + 192 * k) for k in range(count))
    before = file.read_text()
    file.write_text(before.replace("n: [31, 129, 100003]", "n: [31, 129, 100003%s]" % sizes))
    assert file.read_text() != before
    return file


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.assignment = COURSE / "assignment.yaml"
        if arguments.cases > CASES:
            self.assignment = with_more_cases(folder / "course", arguments.cases - CASES)
        self.secret = folder / "secret"
        self.secret.write_text("a secret of the figures' own, and of no course\n")
        self.secret.chmod(0o600)

    def command(self, submissions, out, jobs, *more):
        words = [self.arguments.program, "grade", self.assignment, submissions, "-o", out, "--secret",
                 self.secret, "--jobs", jobs, "--device", self.arguments.device, "--regrade", "-q", *more]
        return [str(word) for word in words]

    def grade_in_shards(self, submissions, out, count):
        """Seconds of all shards at the same time, and of the merge."""
        parts = [out / ("part%d" % number) for number in range(1, count + 1)]
        start = time.monotonic()
        shards = [subprocess.Popen(self.command(submissions, part, 1, "--shard", "%d/%d" % (number, count)),
                                   stdout=sys.stderr) for number, part in enumerate(parts, 1)]
        assert not any([shard.wait() for shard in shards])
        middle = time.monotonic()
        subprocess.run([str(word) for word in (self.arguments.program, "merge", *parts, "-o", out / "merged")],
                       check=True, stdout=sys.stderr)
        return middle - start, time.monotonic() - middle

    def grade(self, submissions, out, jobs=None):
        command = self.command(submissions, out, jobs or self.arguments.jobs)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=sys.stderr)
        seconds = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = sum(getattr(after, name) - getattr(before, name)
                        for name in ("ru_utime", "ru_stime"))
        results = {path.parent.name: json.loads(path.read_text())
                   for path in sorted(out.glob("staff/*/result.json"))}
        return seconds, processor, results

    def stream(self, texts):
        """Seconds by the clock and of processor time."""
        command = [self.arguments.program, "grade", self.assignment, "--stream", "--secret",
                   self.secret, "--jobs", str(self.arguments.jobs), "--device", self.arguments.device,
                   "--without-lint", "-q"]
        requests = "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        done = subprocess.run([str(part) for part in command], check=True, input=requests.encode(),
                              stdout=subprocess.PIPE)
        seconds = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert len(done.stdout.splitlines()) == len(texts)
        return seconds, sum(getattr(after, name) - getattr(before, name)
                            for name in ("ru_utime", "ru_stime"))


def report_stream(bench, arguments, what, pattern):
    submissions = bench.folder / what
    make_class(submissions, arguments.stream, pattern)
    texts = [path.read_text() for path in sorted(submissions.glob("**/*.cu"))]
    first = bench.stream(texts[:10])
    whole = bench.stream(texts)
    count = len(texts) - 10
    print("%d by --stream, %s, %d jobs: %.1f a second, %.3f s of processor time each"
          % (count, what, arguments.jobs, count / (whole[0] - first[0]), (whole[1] - first[1]) / count))


def report_class(bench, arguments):
    submissions = bench.folder / "class"
    kinds = make_class(submissions, arguments.submissions)
    seconds, processor, results = bench.grade(submissions, bench.folder / "out")
    assert len(results) == arguments.submissions
    errors = [name for name, one in results.items() if one["state"] == "grader_error"]
    assert not errors, errors
    print("%d submissions (%d different) of %s, %d jobs: %.1f s by the clock, %.1f s of processor "
          "time (%.2f s each)" % (len(results), kinds, COURSE.name, arguments.jobs, seconds,
                                  processor, processor / len(results)))
    whole = [one["seconds"] for one in results.values()]
    items = [sum(item["seconds"] for case in one["cases"] for item in case["items"])
             for one in results.values()]
    first = [one["cases"][0]["items"][0]["seconds"] for one in results.values()]
    around = [a - b for a, b in zip(whole, items)]
    print("of one submission, median: %.3f s; starting and ending its two workers %.3f s, the "
          "first item with the compile %.3f s, the other items %.3f s"
          % (statistics.median(whole), statistics.median(around), statistics.median(first),
             statistics.median(b - c for b, c in zip(items, first))))
    slow = sorted(results.items(), key=lambda one: -one[1]["seconds"])[0]
    print("the slowest took %.1f s: %s" % (slow[1]["seconds"], sorted(
        {item["word"] for case in slow[1]["cases"] for item in case["items"]})))


def report_pages(bench):
    """The largest pages of a class that is graded, and what it takes to compare all submissions."""
    out, page = bench.folder / "out", bench.folder / "similar.html"
    command = [word for word in bench.command(bench.folder / "class", out, bench.arguments.jobs, "--similar", page)
               if word != "--regrade"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=sys.stderr)
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = sum(getattr(after, name) - getattr(before, name) for name in ("ru_utime", "ru_stime"))
    print("the same again, with all submissions compared: %.1f s by the clock, %.1f s of processor time" % (seconds, processor))
    for what, files in (("the page of similar submissions", [page]), ("the page of staff", [out / "report.html"]),
                        ("a student's page", out.glob("students/*/report.html")), ("grades.csv", [out / "grades.csv"]),
                        ("a result", out.glob("staff/*/result.json"))):
        sizes = [file.stat().st_size for file in files]
        print("%s: %.2f MB%s" % (what, max(sizes) / 1e6, " at most" if len(sizes) > 1 else ""))


def report_workers(bench, arguments):
    submissions = bench.folder / "class"
    make_class(submissions, arguments.submissions)
    counts = [int(count) for count in arguments.workers.split(",")]
    jobs, shards, merges = ({count: [] for count in counts} for _ in range(3))
    for _ in range(arguments.repeats):
        for count in counts:
            jobs[count].append(bench.grade(submissions, bench.folder / ("jobs%d" % count), count)[0])
            seconds, merge = bench.grade_in_shards(submissions, bench.folder / ("shards%d" % count), count)
            shards[count].append(seconds + merge)
            merges[count].append(merge)
    for what, times in (("jobs", jobs), ("shards", shards)):
        first = statistics.median(times[counts[0]])
        for count in counts:
            median = statistics.median(times[count])
            print("%d submissions by %d %s: %.2f s (%.2f to %.2f in %d runs), %.2f times as fast as by %d%s"
                  % (arguments.submissions, count, what, median, min(times[count]), max(times[count]),
                     arguments.repeats, first / median, counts[0],
                     "; %.2f s of it the merge" % statistics.median(merges[count]) if what == "shards" else ""))


def report_regrades(bench, arguments):
    submissions = bench.folder / "thirty"
    make_class(submissions, 30)
    known = None
    for _ in range(arguments.regrades):
        results = without_times(bench.grade(submissions, bench.folder / "again")[2])
        known = known or results
        if results != known:
            sys.exit("a regrade gave another result\n" + "\n".join(differences(known, results)[:20]))
    print("%d regrades of %d submissions: identical" % (arguments.regrades, len(known)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="?", default=os.path.join(ROOT, "build/bin/warpmark"))
    parser.add_argument("--submissions", type=int, default=100)
    parser.add_argument("--cases", type=int, default=CASES, help="of a submission, %d or more" % CASES)
    parser.add_argument("--stream", type=int, default=100, help="0, or more than 10")
    parser.add_argument("--regrades", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", help="only this: numbers of jobs and of shards, as 1,2")
    parser.add_argument("--pages", action="store_true", help="only the class, what is alike in it, and the sizes of pages")
    parser.add_argument("--repeats", type=int, default=3, help="of --workers")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, pathlib.Path(folder))
        if arguments.workers:
            report_workers(bench, arguments)
            return
        if arguments.submissions:
            report_class(bench, arguments)
        if arguments.pages:
            report_pages(bench)
            return
        if arguments.stream:
            report_stream(bench, arguments, "right ones", "solutions/*.cu")
            report_stream(bench, arguments, "right and wrong ones", "**/*.cu")
        if arguments.regrades:
            report_regrades(bench, arguments)


if __name__ == "__main__":
    main()
