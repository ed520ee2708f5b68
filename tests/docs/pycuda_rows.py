#!/usr/bin/env python3
"""Writes the table of docs/guide/pycuda.md: what PyCUDA's tutorials teach, the suites that show it, and their verdicts.

    pycuda_rows.py PROGRAM ROOT               runs the suites on the CPU device, and writes their verdicts and the table
    pycuda_rows.py --check PROGRAM ROOT       fails if the table or the number of cases is not that of the verdicts
    pycuda_rows.py --check-run PROGRAM ROOT   fails if a run on the CPU device gives other verdicts
    pycuda_rows.py --record PROGRAM ROOT FILE runs the suites on this machine's GPUs, and writes their verdicts

All verdicts stand in results/. The CPU device has four devices here.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

PAGE = "docs/guide/pycuda.md"
TABLE = re.compile(r"(<!-- made by tests/docs/pycuda_rows\.py -->\n).*?(<!-- until here -->\n)", re.S)
DEVICES = {"CPU device": "results/cpu/suites.json", "one H200": "results/h200/suites.json", "one H100": "results/h100/suites.json",
           "two H200": "results/h200x2/suites.json"}

# Rows: a feature as the tutorials call it, what a suite does in its place, and the suites (names, or folders
# of them).
ROWS = [
    ("`SourceModule`, `multiply_them`", "`kernel: {file: …}` or `source: \\|`", "multiply_them/grid multiply_them"),
    ("`vec_elm_mul` with `options=[\"--ptxas-options=-v\"]`", "`kernel: {options: [--ptxas-options=-v]}`", "vec_elm_mul"),
    ("`doublify`, a block of 4 x 4", "`launch: {block: [4, 4]}`", "doublify"),
    ("`double_array` in place and out of place: one name, two kernels", "a suite for each", "doublify/double_array doublify/double_array_out"),
    ("`double_array_new`, whose length is in an array", "`info: {in: …}`", "doublify/double_array_new"),
    ("`drv.In`, `drv.Out`, `drv.InOut`", "`in`, `out`, `inout`", "doublify/double_array doublify/double_array_out"),
    ("`ElementwiseKernel`, `linear_combination`", "`plugin: elementwise`", "linear_combination"),
    ("a `slice` or a `range` of an `ElementwiseKernel`", "`range` of `plugin: elementwise`", "linear_combination/ranged"),
    ("`gpuarray`: `2*x`, `x+x`, `x[0:3]`, `sqrt(fabs(x))`", "`plugin: array`, NumPy's own text", "array"),
    ("`cumath`: every function", "`plugin: elementwise`", "elementwise"),
    ("`ReductionKernel`, `gpuarray.sum`, `dot`, `max`, `min`", "`plugin: reduction`", "reductions"),
    ("`gpuarray.subset_sum` …, `any`, `all`, `argmax`", "`index`, `axis` and named operations of `plugin: reduction`",
     "reductions/subset_sum reductions/subset_dot reductions/any reductions/all reductions/argmax"),
    ("`InclusiveScanKernel`, `ExclusiveScanKernel`", "`plugin: scan`", "scan"),
    ("`curandom.rand`", "a kernel with Philox", "random"),
    ("texture references", "`texture: …`", "textures"),
    ("MPI: scatter, `x = 0.9*x` a thousand times, gather", "`devices: …`, `partition: {axis: 0}`, and [`mpirun`](../suite-format.md#under-mpi)", "devices"),
]


def verdicts(program, root, device, **environment):
    """Returns how many cases of each suite passed, failed and were skipped; and the device that ran them."""
    done = subprocess.run([program, "check", "suites", "--device", device, "--json"], cwd=root, stdout=subprocess.PIPE,
                          text=True, env={**os.environ, **environment})
    suites, name = {}, ""
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record["type"] == "run":
            name = record["device"]["name"]
        elif record["type"] == "case":
            counts = suites.setdefault(record["suite"], {"passed": 0, "failed": 0, "skipped": 0})
            counts[record["verdict"]] = counts.get(record["verdict"], 0) + 1
    if not suites:
        raise SystemExit("warpmark check suites --device %s: exit %d" % (device, done.returncode))
    return {"device": name, "suites": suites}


def belongs(suite, names):
    return any(suite == name or suite.startswith(name + "/") for name in names.split())


def verdict(recorded, names):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for suite, own in recorded["suites"].items():
        if belongs(suite, names):
            counts = {kind: counts[kind] + own.get(kind, 0) for kind in counts}
    return ", ".join("%d %s" % (count, kind) for kind, count in counts.items() if count) or "not run"


def run_on_cpu(program, root):
    return verdicts(program, root, "cpu", WARPMARK_CPU_DEVICES="4")


def write_verdicts(made, file):
    file.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def other_numbers_of_cases(program, root, recorded):
    """Returns the suites whose number of cases is not that of the recorded verdicts, with both numbers."""
    done = subprocess.run([program, "list", "suites", "--json"], cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    listed = {suite["name"]: len(suite["cases"]) for suite in json.loads(done.stdout)["suites"]}
    counted = {name: sum(counts.values()) for name, counts in recorded["suites"].items()}
    return ["%s: %d cases, %d recorded" % (name, listed.get(name, 0), counted.get(name, 0))
            for name in sorted({*listed, *counted}) if listed.get(name, 0) != counted.get(name, 0)]


def table(root):
    columns = {title: json.loads((root / file).read_text(encoding="utf-8")) for title, file in DEVICES.items()}
    lines = ["| in PyCUDA | in a suite | suites | " + " | ".join(columns) + " |", "|---" * (3 + len(columns)) + "|"]
    for theirs, ours, names in ROWS:
        for name in names.split():
            if not any(belongs(suite, name) for suite in columns["CPU device"]["suites"]):
                raise SystemExit("there is no suite %s" % name)
        cells = [theirs, ours, ", ".join("`%s`" % name for name in names.split())]
        cells += [verdict(recorded, names) for recorded in columns.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main(arguments):
    option = arguments.pop(0) if arguments[0].startswith("--") else ""
    program, root = os.path.abspath(arguments[0]), pathlib.Path(arguments[1]).resolve()
    cpu = root / DEVICES["CPU device"]
    if option == "--record":
        write_verdicts(verdicts(program, root, "gpu"), pathlib.Path(arguments[2]))
        return 0
    if option == "":
        write_verdicts(run_on_cpu(program, root), cpu)
    recorded = json.loads(cpu.read_text(encoding="utf-8"))
    wrong = other_numbers_of_cases(program, root, recorded)
    if option == "--check-run" and run_on_cpu(program, root) != recorded:
        wrong.append("a run on the CPU device gives other verdicts")
    page = root / PAGE
    kept = page.read_text(encoding="utf-8")
    rows = table(root)
    text, found = TABLE.subn(lambda match: match[1] + rows + match[2], kept)
    if found != 1:
        raise SystemExit("%s: error: it has %d places for the table" % (PAGE, found))
    if option == "":
        page.write_text(text, encoding="utf-8")
    elif text != kept:
        wrong.append("%s is not what the recorded verdicts make" % PAGE)
    for line in wrong:
        print("%s: error: run tests/docs/pycuda_rows.py again" % line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
