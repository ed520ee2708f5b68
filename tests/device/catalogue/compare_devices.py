#!/usr/bin/env python3
"""Runs the same PTX with the same inputs on two devices and compares every output, bit for bit or within a bound.

    compare_devices.py [--devices cpu,gpu] [--out FOLDER] [--build build] [--points 1000000]
    compare_devices.py --devices cpu --out FOLDER           records one device: hashes of all it gave
    compare_devices.py --devices cpu --against FILE         compares it with what was recorded elsewhere

What is run: every case of the shipped suites (by `warpmark check`), every kernel of tests/device/kernels with
the catalogue's inputs, functions of CUDA's headers, and single instructions. FOLDER gets results.jsonl, one
record for each kernel and input, and results.md with the table. PTX is given explicit roundings first
(add.f32 becomes add.rn.f32, which means the same), because without them ptxas may contract.

Exit status: 0 all as it must be; 1 something differs; 77 there is no such device, no NVRTC or no NumPy.
"""
import argparse
import collections
import glob
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)

import catalogue
import compare_table
import driver
import functions
import operations
from corpus import compile_corpus, compile_files, load_catalogue
from recordings import CorpusJob, against, compare, corpus_jobs, explicit_roundings, sha

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
CORPUS = "75:plain,80:plain,90:plain,90:debug"
KERNELS_A_MODULE = 40  # of single instructions: few enough for the driver's compiler
JOBS_A_STEP = 8  # of one module, handed to one process


class PointsJob:
    """out[i] = f(a[i], …) for many points."""
    fatal = False

    def __init__(self, group, kernel, points, bound, text, symbol):
        self.group, self.kernel, self.bound, self.symbol, self.points = group, kernel, bound, symbol, points
        self.input, self.text = "%d points" % points, text

    def module(self):
        return self.text

    def ptx(self):
        return self.text

    def results(self, device, module):
        operands, out, arguments = self.prepare()
        result = driver.Buffer(device, np.empty(self.points, out)).poison()
        buffers = [driver.Buffer(device, operand).write(operand) for operand in operands]
        try:
            driver.launch(device, module.function(self.symbol), -(-self.points // 256), 256,
                          arguments(buffers, result))
            device.synchronize()
            got = result.read()
        finally:
            for buffer in [result, *buffers]:
                buffer.free()
        return sha(*operands).encode(), [("out", got, self.bound)]


class OperationJob(PointsJob):

    def __init__(self, operation, points, text, symbol):
        super().__init__("operations", operation.name, points, operation.bound, text, symbol)
        self.operation = operation

    def prepare(self):
        operands = operations.operands_of(self.operation, catalogue.Random(self.kernel),
                                          self.points)
        pad = lambda buffers: (buffers + buffers[-1:] * 3)[:3]
        return operands, operations.DTYPES[
            self.operation.out], lambda buffers, out: [out, *pad(buffers),
                                                       np.uint32(self.points)]


class FunctionJob(PointsJob):

    def __init__(self, name, points, bound, text):
        super().__init__("functions", name[2:] + (" (double)" if name[0] in "db" else " (float)"),
                         points, bound, text, name)

    def prepare(self):
        operands = functions.points_of(self.symbol, catalogue.Random(self.symbol), self.points)
        return operands, functions.dtype_of(
            self.symbol), lambda buffers, out: [*buffers, out,
                                                np.uint32(self.points)]


def compile_all(options):
    """Compiles what every process needs of NVRTC; returns records of the compiled files."""
    compiler = os.path.join(options.build, "tests", "compile_corpus")
    return {
        "corpus":
        compile_corpus(compiler, CORPUS) if "corpus" in options.groups else [],
        "functions":
        compile_files(compiler, "90:plain", [functions.SOURCE])
        if "functions" in options.groups else []
    }


def all_jobs(options, units):
    """The same list in every process."""
    jobs = corpus_jobs(units["corpus"], load_catalogue())
    if "functions" in options.groups:
        with open(units["functions"][0]["ptx"], encoding="utf-8") as file:
            text = explicit_roundings(file.read())
        jobs += [
            FunctionJob(name, options.points, functions.bound_of(name, text), text)
            for name in functions.names(text)
        ]
    if "operations" in options.groups:
        every = operations.all_operations()
        for start in range(0, len(every), KERNELS_A_MODULE):
            part = every[start:start + KERNELS_A_MODULE]
            text = operations.HEADER + "".join(
                operations.kernel_text(o, "k%d" % i) for i, o in enumerate(part))
            jobs += [OperationJob(o, options.points, text, "k%d" % i) for i, o in enumerate(part)]
    if options.devices == ["cpu",
                           "cpu"]:  # one library, one context: a fault would be the other's, too
        jobs = [job for job in jobs if not job.fatal]
    jobs.sort(key=lambda job: job.fatal)
    assert len({(job.group, job.kernel, job.input)
                for job in jobs}) == len(jobs), "two jobs of one name"
    return [job for job in jobs if options.word in "%s/%s %s" % (job.group, job.kernel, job.input)]


def work(options):
    """A child: does the jobs whose numbers come in, prints a record for each, and ends after a fatal one."""
    np.seterr(all="ignore")
    jobs = all_jobs(options, json.loads(sys.stdin.readline()))
    devices = [open_device(name, options) for name in options.devices]
    loaded = {}
    for line in sys.stdin:
        job = jobs[int(line)]
        ptx = job.ptx()
        sides = []
        for number, device in enumerate(devices):
            device.enter()
            try:
                key = (number, ptx)
                if isinstance(job, CorpusJob):
                    module = device.module(
                        ptx)  # a module of its own: a kernel may change its module's variables
                else:
                    if key not in loaded:
                        loaded[key] = device.module(ptx)
                    module = loaded[key]
                sides.append(job.results(device, module))
                if isinstance(job, CorpusJob) and not job.fatal:
                    module.unload()
            except Exception as error:  # noqa: BLE001  a defect of a device is a result
                sides.append("%s: %s" % (options.devices[number], error))
        record = compare(job, ptx, sides)
        print(json.dumps(record), flush=True)
        if ends_process(record, job):
            os._exit(0)


def ends_process(record, job):
    """Returns whether the contexts may be of no use now."""
    return record["status"] == "error" or job.fatal


def open_device(name, options):
    if name == "cpu":
        return driver.Device(os.path.join(options.build, "lib", "warpmark", "libwarpmark_cpu.so"))
    return driver.Device("libcuda.so.1")


class Worker(threading.Thread):
    """Feeds a child with jobs; a child that ended is replaced, and what it ended in is an error."""

    def __init__(self, jobs, queue, records, command, units):
        super().__init__(daemon=True)
        self.jobs, self.queue, self.records, self.command, self.units = jobs, queue, records, command, units

    def numbers(self):
        while True:
            try:
                step = self.queue.popleft()
            except IndexError:
                return
            yield from step

    def run(self):
        child = None
        for number in self.numbers():
            if child is None:
                child = subprocess.Popen(self.command,
                                         stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE,
                                         text=True)
                child.stdin.write(self.units + "\n")
            child.stdin.write("%d\n" % number)
            child.stdin.flush()
            line = child.stdout.readline()
            record = json.loads(line) if line else {
                "status": "error",
                "error": "the process ended with status %s" % child.wait()
            }
            self.records[number] = record
            if ends_process(record, self.jobs[number]):
                child.stdin.close()
                child.wait()
                child = None
        if child is not None:
            child.stdin.close()
            child.wait()


def run_jobs(options):
    units = compile_all(options)
    jobs, records = all_jobs(options, units), {}
    queue = collections.deque()
    for _, of_module in itertools.groupby(range(len(jobs)),
                                          key=lambda number: jobs[number].module()):
        of_module = list(of_module)
        queue.extend(of_module[i:i + JOBS_A_STEP] for i in range(0, len(of_module), JOBS_A_STEP))
    command = [sys.executable, "-B", os.path.abspath(__file__), "--child", *options.forwarded]
    workers = [
        Worker(jobs, queue, records, command, json.dumps(units)) for _ in range(options.processes)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    result = []
    for number, job in enumerate(jobs):
        record = {"group": job.group, "kernel": job.kernel, "input": job.input}
        record.update(records.get(number, {"status": "error", "error": "was not run"}))
        result.append(record)
    return result


def run_suites(options):
    """Every case of the shipped suites on each device, by the program itself; compares the arrays it kept."""
    program = os.path.join(options.build, "bin", "warpmark")
    with tempfile.TemporaryDirectory() as folder:
        children, sides = [], []
        for number, device in enumerate(options.devices):
            here = os.path.join(folder, str(number))
            command = [
                program, "check", "--device", device, "--keep", here, "--keep-all", "--journal",
                here + ".jsonl", "-q"
            ]
            command += ["-k", options.word[len("suites/"):]
                        ] if options.word.startswith("suites/") else []
            children.append(subprocess.Popen(command, cwd=ROOT, stdout=sys.stderr))
            sides.append(here)
        for child in children:
            child.wait()
        outcomes = [read_journal(here + ".jsonl") for here in sides]
        return [
            compare_case(name, sides, outcomes) for name in sorted(set.union(*map(set, outcomes)))
        ]


def read_journal(path):
    """The record of each case by its name."""
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return {record["case"]: record for record in records if record["type"] == "case"}


class SuiteCase:
    group = "suites"

    def __init__(self, name):
        self.kernel, _, self.input = name.partition(".")


def compare_case(name, folders, outcomes):
    """Exact outputs must be equal; others passed the suite's own tolerance on either device already."""
    sides, plan = [], ""
    for folder, of_device in zip(folders, outcomes):
        outcome = of_device.get(name, {"verdict": "was not run", "reason": ""})
        if outcome["verdict"] == "skipped":
            return {
                "group": "suites",
                "kernel": SuiteCase(name).kernel,
                "input": SuiteCase(name).input,
                "status": "skipped",
                "error": outcome["reason"]
            }
        kept = os.path.join(folder, name.replace("/", "+"))
        if outcome["verdict"] != "passed":
            sides.append("%s: %s %s" %
                         (os.path.basename(folder), outcome["verdict"], outcome.get("message", "")))
            continue
        arrays = lambda part: {
            os.path.basename(file)[:-4]: np.load(file)
            for file in sorted(glob.glob(os.path.join(kept, part, "*.npy")))
        }
        with open(os.path.join(kept, "plan.json"), encoding="utf-8") as file:
            plan = file.read()
        expected = json.loads(plan).get("expected", [])
        outputs = arrays("outputs")
        sides.append((sha(*arrays("inputs").values()).encode(), [(e["output"], outputs[e["output"]],
                                                                  suite_bound(e["tolerance"], name))
                                                                 for e in expected
                                                                 if outputs[e["output"]].size]))
    return compare(SuiteCase(name), plan, sides)


# Suites whose kernels hand NaNs through `a > b || a != a ? a : b`. ptxas makes a max or min
# instruction of that where one operand is a constant (the -infinity that a thread starts from), and
# its NaN is the canonical one, whatever the operand carried: no payload is promised.
HAND_NANS = ("reductions/max_nonfinite", "reductions/min_nonfinite")


def suite_bound(tolerance, name):
    if tolerance["kind"] == "exact" and name.startswith(HAND_NANS):
        return catalogue.Bound(any_nan=True, reason="ptxas selects by max or min: any NaN for a NaN")
    if tolerance["kind"] == "exact":
        return catalogue.EXACT
    return catalogue.Bound(absolute=np.inf, reason="each is within the suite's own tolerance")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--devices", default="cpu,gpu", help="two of cpu and gpu, or one to record")
    parser.add_argument("--build",
                        default=os.path.join(ROOT, "build"),
                        help="where the tree was built")
    parser.add_argument("--out", help="folder for results.jsonl and results.md")
    parser.add_argument("--against",
                        help="results.jsonl of another run, for a comparison with one device")
    parser.add_argument("--points",
                        type=int,
                        default=1000000,
                        help="of each function and instruction")
    parser.add_argument("--groups", default="suites,corpus,functions,operations")
    parser.add_argument("--processes", type=int, default=max(1, min(8, (os.cpu_count() or 1) // 2)))
    parser.add_argument("-k",
                        dest="word",
                        default="",
                        help="only kernels and inputs that hold this text")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.forwarded = [a for a in sys.argv[1:] if a != "--child"]
    options.devices, options.groups = options.devices.split(","), options.groups.split(",")
    options.build = os.path.abspath(options.build)
    return options


def main():
    options = parse_options()
    os.environ.setdefault("WARPMARK_CPU_WORKERS", "0")
    if options.child:
        work(options)
        return
    began = time.monotonic()
    try:
        devices = [open_device(name, options) for name in options.devices]
    except (OSError, driver.DriverError) as error:
        print("no such device: %s" % error)
        sys.exit(77)
    header = {
        "devices": [device.name for device in devices],
        "driver": [device.driver_version() for device in devices],
        "points":
        options.points,
        "date":
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "command":
        re.sub(r"(--(?:out|build|against)[ =])/\S*/", r"\1", " ".join(  # no folders of this machine
            ["tests/device/catalogue/compare_devices.py", *sys.argv[1:]])),
        "commit":
        subprocess.run(["git", "rev-parse", "HEAD"],
                       cwd=ROOT,
                       capture_output=True,
                       text=True,
                       check=False).stdout.strip()
    }
    del devices
    records = run_jobs(options)
    if "suites" in options.groups:
        records += run_suites(options)
    if options.against:
        records = against(records, options.against)
    header["seconds"] = round(time.monotonic() - began, 1)
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        with open(os.path.join(options.out, "results.jsonl"), "w", encoding="utf-8") as file:
            for record in [header, *records]:
                file.write(json.dumps(record) + "\n")
        with open(os.path.join(options.out, "results.md"), "w", encoding="utf-8") as file:
            file.write(compare_table.markdown(header, records))
    print(compare_table.summary(header, records))
    bad = [record for record in records if record["status"] in ("differs", "error")]
    for record in bad[:100]:
        print(compare_table.problem(record))
    sys.exit(1 if bad or not records else 0)


if __name__ == "__main__":
    main()
