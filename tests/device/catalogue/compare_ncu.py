#!/usr/bin/env python3
"""Compares what the CPU device counts with what ncu counts on a GPU, kernel by kernel.

    compare_ncu.py [--build build] [--out FOLDER]      both, on a machine with a GPU, ncu and our build
    compare_ncu.py --cpu-only [--out FOLDER]           only the CPU device's counters, into FOLDER/cpu.json
    compare_ncu.py --cpu FILE [--out FOLDER]           ncu against a cpu.json that was made elsewhere
    compare_ncu.py --cpu FILE --csv FILE …             … and against ncu's output that was kept (FOLDER/ncu-*.csv)

    compare_ncu.py --probes [--out FOLDER]         only the kernels of ncu_probes.py, for results.jsonl to grow by

    compare_ncu.py --recorded results/h200/compare_ncu.jsonl [--csv FILE …] [--page FILE]
                                                       … and against a results.jsonl, which holds ncu's values, and
                                                       what ncu printed of further ones; FILE gets the table of
                                                       docs/results/counters-h200.md

FOLDER gets cpu.json, what ncu printed, results.jsonl with a record for each kernel and counter, and results.md.
Needs neither NumPy nor a compiler on the GPU's machine: kernels are PTX, the driver compiles them.

Exit status: 0 all equal or explained; 1 something differs; 77 there is no ncu, or it may not read counters.
"""
import argparse
import csv
import ctypes
import io
import json
import os
import re
import shutil
import subprocess
import sys
from ctypes import byref, c_size_t, c_uint, c_uint64, c_void_p

import ncu_kernels
import ncu_probes
from extension import SINK, extension_of
from library import DriverError, Library

SELF = os.path.abspath(__file__)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(SELF))))

# Our counter: ncu's metrics, any of which may be missing from a version; the first that is there is compared and
# the others are shown beside it.
LSU = "l1tex__t_%s_pipe_lsu_mem_%s_op_%s.sum"
BANKS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum"
# The passes without the conflicts, from two metrics of the hardware.
PASSES = "wavefronts - bank_conflicts, %s"
METRICS = {
    "blocks": ["launch__grid_size"],
    "threads": ["smsp__threads_launched.sum", "launch__thread_count"],
    "warps": ["smsp__warps_launched.sum", "sm__warps_launched.sum"],
    "global_load_requests": [LSU % ("requests", "global", "ld"), "smsp__inst_executed_op_global_ld.sum"],
    "global_load_sectors": [LSU % ("sectors", "global", "ld"), "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    "global_ideal_sectors": ["memory_l2_theoretical_sectors_global_ideal"],
    "global_store_requests": [LSU % ("requests", "global", "st"), "smsp__inst_executed_op_global_st.sum"],
    "global_store_sectors": [LSU % ("sectors", "global", "st"), "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"],
    "red_requests": [LSU % ("requests", "global", "red"), "smsp__inst_executed_op_global_red.sum"],
    "red_sectors": [LSU % ("sectors", "global", "red")],
    "atom_requests": [LSU % ("requests", "global", "atom"), "smsp__inst_executed_op_global_atom.sum"],
    "atom_sectors": [LSU % ("sectors", "global", "atom")],
    "local_load_requests": [LSU % ("requests", "local", "ld"), "smsp__inst_executed_op_local_ld.sum"],
    "local_load_sectors": [LSU % ("sectors", "local", "ld")],
    "local_store_requests": [LSU % ("requests", "local", "st"), "smsp__inst_executed_op_local_st.sum"],
    "local_store_sectors": [LSU % ("sectors", "local", "st")],
    "shared_load_requests": ["smsp__inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_ld.sum"],
    "shared_store_requests": ["smsp__inst_executed_op_shared_st.sum", "smsp__sass_inst_executed_op_shared_st.sum"],
    "shared_atomic_requests": ["smsp__inst_executed_op_shared_atom.sum", "smsp__sass_inst_executed_op_shared_atom.sum"],
    "shared_load_wavefronts": [
        BANKS % "ld", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "memory_l1_wavefronts_shared"
    ],
    "shared_store_wavefronts": [
        BANKS % "st", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "memory_l1_wavefronts_shared"
    ],
    "shared_atomic_wavefronts": [BANKS % "atom", "memory_l1_wavefronts_shared"],
    "shared_load_ideal_wavefronts": [PASSES % "ld"],
    "shared_store_ideal_wavefronts": [PASSES % "st"],
    "shared_ideal_wavefronts": ["memory_l1_wavefronts_shared_ideal", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_ideal.sum"],
    "shared_load_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"],
    "shared_store_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"],
    "ptx_branches": ["smsp__sass_branch_targets.sum", "smsp__inst_executed_op_branch.sum", "smsp__sass_inst_executed_op_branch.sum"],
    "ptx_divergent_branches": ["smsp__sass_branch_targets_threads_divergent.sum"],
    "ptx_flops": ["FLOPS"],
    "async_global_load_requests": ["smsp__inst_executed_op_ldgsts.sum", "smsp__sass_inst_executed_op_ldgsts.sum",
                                   "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts.sum"],
    "async_global_load_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum",
                                  "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"],
    "async_shared_store_wavefronts": ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
                                      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"],
}
FLOPS = ["smsp__sass_thread_inst_executed_op_%s_pred_on.sum" % op for op in ("fadd", "fmul", "ffma")]
# Names that are computed from several metrics.
MADE = ("FLOPS", PASSES % "ld", PASSES % "st")
# Further metrics, to see what hardware makes of it.
MORE = [
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__sass_branch_targets_threads_uniform.sum",
    "memory_l2_theoretical_sectors_global", "memory_l1_tag_requests_global", "l1tex__data_pipe_lsu_wavefronts.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", "l1tex__lsu_writeback_active.sum",
    "l1tex__data_bank_conflicts_pipe_lsu.sum", "sm__maximum_warps_per_active_cycle_pct"
]


def all_kernels(probes_only=False):
    known, probes = list(ncu_kernels.all_kernels()), list(ncu_probes.all_probes())
    assert len({one.name for one in known + probes}) == len(known + probes)
    return probes if probes_only else known + probes


def run(device, kernel):
    """One launch on memory full of zeros."""
    module, function, memory = c_void_p(), c_void_p(), c_uint64()
    device.call("cuModuleLoadData", byref(module), ctypes.create_string_buffer(kernel.text.encode()))
    device.call("cuModuleGetFunction", byref(function), module, kernel.name.encode())
    device.call("cuMemAlloc_v2", byref(memory), c_size_t(ncu_kernels.BYTES))
    device.call("cuMemsetD8_v2", memory, ctypes.c_ubyte(0), c_size_t(ncu_kernels.BYTES))
    arguments = (c_void_p * 1)(ctypes.cast(ctypes.pointer(memory), c_void_p))
    one = c_uint(1)
    device.call("cuLaunchKernel", function, c_uint(ncu_kernels.BLOCKS), one, one, c_uint(ncu_kernels.THREADS), one, one,
                c_uint(0), None, arguments, None)
    device.synchronize()
    device.call("cuMemFree_v2", memory)
    device.call("cuModuleUnload", module)


def count_on_cpu(library):
    device = Library(library)
    extension = extension_of(device)
    if extension.configure(None, b'{"counters": ["traffic"]}'):
        raise RuntimeError("the library at %s does not count traffic" % library)
    counted = {}
    for kernel in all_kernels():
        lines = []
        run(device, kernel)
        extension.drain_counters(None, SINK(lambda _, text, size: lines.append(json.loads(text[:size]))), None)
        assert len(lines) == 1, kernel.name
        counted[kernel.name] = lines[0]
    return counted


def ours(kernel, counted, counter):
    """The value of a counter of METRICS; None if it says nothing of this kernel."""
    if counter in ("red_requests", "red_sectors", "atom_requests", "atom_sectors"):
        word, measure = counter.split("_")
        reduces = "red.global" in kernel.text
        return counted["global_atomic_" + measure] if (word == "red") == reduces else None
    if counter == "global_ideal_sectors":  # the same; and of atomics without their turns
        kinds = ("global_load", "global_store", "async_global_load")
        return sum(counted[kind + "_ideal_sectors"] for kind in kinds)
    if counter == "shared_ideal_wavefronts":  # ncu has one number for all kinds
        kinds = ("shared_load", "shared_store", "async_shared_store")
        return sum(counted[kind + "_ideal_wavefronts"] for kind in kinds)
    if counter.endswith("_conflicts"):
        kind = counter[:-len("_conflicts")]
        return counted[kind + "_wavefronts"] - counted[kind + "_ideal_wavefronts"]
    return counted.get(counter)


def compared(kernel, counter):
    if counter in ("blocks", "threads", "warps"):
        return True
    name = counter.replace("red_", "global_atomic_").replace("atom_", "global_atomic_") \
        if counter.startswith(("red_", "atom_")) else counter
    if counter == "global_ideal_sectors":
        atomics = any(word in kernel.text for word in ("atom.", "red."))
        return not atomics and any(name.startswith(("global_load", "global_store")) for name in kernel.compare)
    if counter == "shared_ideal_wavefronts":
        return "shared_load" in kernel.compare or "shared_store" in kernel.compare
    return any(name.startswith(prefix) for prefix in kernel.compare)


# --- ncu


def find_ncu(given):
    if given:
        return given
    found = shutil.which("ncu")
    if found:
        return found
    for folder in ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute"):
        for base, _, files in os.walk(folder):
            if "ncu" in files and os.access(os.path.join(base, "ncu"), os.X_OK):
                return os.path.join(base, "ncu")
    return None


def run_ncu(ncu, metrics, out, label, more):
    """The output of ncu for all kernels, without metrics that this version or chip lacks."""
    metrics, log = list(metrics), ""
    for _ in range(40):
        if not metrics:
            return ""
        command = [
            ncu, "--csv", "--print-units", "base", "--clock-control", "none", "--cache-control", "none",
            "--target-processes", "application-only", "--metrics", ",".join(metrics), sys.executable, SELF,
            "--run-gpu", *more
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=400)
            text, log = done.stdout, done.stdout + done.stderr
        except subprocess.TimeoutExpired as late:
            text, log = (late.stdout or b"").decode(errors="replace"), "ncu took more than 400 s"
        with open(os.path.join(out, "ncu-%s.csv" % label), "w") as file:
            file.write(text)
        with open(os.path.join(out, "ncu-%s.log" % label), "w") as file:
            file.write(" ".join(command) + "\n" + log)
        if any(line.startswith('"ID"') for line in text.splitlines()):
            return text
        missing = set(re.findall(r"[Ff]ailed to find metric\W*([\w.]+)", log))
        missing |= {name for name in metrics if re.search(r"(unknown|invalid|not).{0,40}\b%s\b" % re.escape(name), log)}
        known = [name for name in metrics if name not in missing]
        if len(known) == len(metrics):
            print("ncu gave no table of the metrics '%s':\n%s" % (label, log[-1500:]))
            return ""
        print("this ncu has no %s" % ", ".join(sorted(set(metrics) - set(known))))
        metrics = known
    return ""


def number(text):
    text = text.replace(",", "").strip()
    try:
        return float(text)
    except ValueError:
        return None


def read_csv(text):
    """{kernel: {metric: value}} of ncu's table in either of its forms."""
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith('"ID"')]
    values = {}
    for start in starts[:1]:
        rows = csv.DictReader(io.StringIO("\n".join(lines[start:])))
        for row in rows:
            name = (row.get("Kernel Name") or "").split("(")[0].strip()
            if not name:
                continue
            into = values.setdefault(name, {})
            if "Metric Name" in row:
                value = number(row.get("Metric Value") or "")
                if value is not None:
                    into[row["Metric Name"]] = value
            else:
                for column, cell in row.items():
                    value = number(cell or "") if column else None
                    if value is not None:
                        into[column] = value
    return values


def measure(ncu, out, more):
    wanted = sorted({metric for metrics in METRICS.values() for metric in metrics if metric not in MADE} | set(FLOPS))
    sure = [name for name in wanted if name.startswith(("l1tex__", "launch__", "smsp__inst", "smsp__warps", "smsp__threads"))
            and "ldgsts" not in name]
    values = {}
    # Metrics of every version first, the others group by group: a mistake in one group spoils no other.
    groups = [("sure", sure), ("sass", [n for n in wanted if n.startswith("smsp__sass")]),
              ("rest", [n for n in wanted if n not in sure and not n.startswith("smsp__sass")]), ("more", MORE)]
    for label, metrics in groups:
        for kernel, found in read_csv(run_ncu(ncu, metrics, out, label, more)).items():
            values.setdefault(kernel, {}).update(found)
    return values


# --- the table


def value_of(found, metric):
    if metric == "FLOPS":
        parts = [found.get(name) for name in FLOPS]
        return None if None in parts else parts[0] + parts[1] + 2 * parts[2]
    if metric in MADE and metric not in found:
        kind = metric.split()[-1]
        wavefronts = found.get(BANKS % kind)
        conflicts = found.get("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_%s.sum" % kind)
        return None if None in (wavefronts, conflicts) else wavefronts - conflicts
    return found.get(metric)


def compare(counted, values, kernels):
    records = []
    for kernel in kernels:
        found = values.get(kernel.name, {})
        for counter, metrics in METRICS.items():
            mine = ours(kernel, counted[kernel.name], counter)
            if mine is None or not compared(kernel, counter):
                continue
            theirs = [(name, value_of(found, name)) for name in metrics]
            theirs = [(name, value) for name, value in theirs if value is not None]
            verdict, why = "missing", "ncu has no such metric here"
            if theirs:
                verdict, why = "equal", ""
                if theirs[0][1] != mine:
                    why = kernel.why.get(counter, "")
                    verdict = "explained" if why else "differs"
            records.append({
                "kernel": kernel.name, "counter": counter, "ours": mine, "ncu": dict(theirs),
                "verdict": verdict, "why": why
            })
    return records


def write_table(path, records, device):
    counts = {}
    for record in records:
        counts[record["verdict"]] = counts.get(record["verdict"], 0) + 1
    with open(path, "w") as file:
        file.write("Counters of the CPU device and of ncu on %s: %s.\n\n" %
                   (device, ", ".join("%d %s" % (counts[v], v) for v in sorted(counts))))
        file.write("| kernel | counter | ours | ncu | |\n|---|---|---:|---:|---|\n")
        for record in records:
            theirs = " / ".join("%g" % value for value in record["ncu"].values())
            file.write("| %s | %s | %d | %s | %s |\n" %
                       (record["kernel"], record["counter"], record["ours"], theirs,
                        record["verdict"] + (": " + record["why"] if record["why"] else "")))
    return counts


def recorded_values(path):
    """{kernel: {metric: value}} of a results.jsonl."""
    values = {}
    with open(path) as file:
        for line in file:
            record = json.loads(line)
            values.setdefault(record["kernel"], {}).update(record["ncu"])
    return values


PAGE = """# Counters of the CPU device against ncu on an H200

    tests/device/catalogue/compare_ncu.py --recorded results/h200/compare_ncu.jsonl --page docs/results/counters-h200.md

Each kernel ran as the same PTX, with 6 warps, on the CPU device and, under ncu (CUDA 13.0), on an NVIDIA H200. [Counters](../counters.md)
lists ncu's metrics for each counter. %s

Tests compare the CPU device with the recorded values on every machine. The record has all numbers; these differ:
"""
DIFFERENT = """
%s:

| kernel | counter | CPU device | ncu |
|---|---|---:|---:|
"""
EQUAL = """
These are equal, in so many kernels:

| counter | kernels |
|---|---:|
"""


def write_page(path, records):
    """A row for each counter of a kernel that differs, those of a reason together, and for each counter how often it is equal."""
    rows, equal, counts = {}, {}, {}
    for record in records:
        counts[record["verdict"]] = counts.get(record["verdict"], 0) + 1
        if not record["ncu"] or record["counter"] in ("blocks", "threads", "warps"):
            continue
        if record["verdict"] == "equal":
            equal[record["counter"]] = equal.get(record["counter"], 0) + 1
        else:
            row = "| `%s` | `%s` | %d | %g |" % (
                record["kernel"], record["counter"], record["ours"], next(iter(record["ncu"].values())))
            rows.setdefault(record["why"] or "differs", []).append(row)
    said = ("%d counters are equal, %d differ for a reason that is named, and %d differ without one. For %d\n"
            "(divergent branches, cp.async, operations) this ncu has no metric." %
            (counts.get("equal", 0), counts.get("explained", 0), counts.get("differs", 0), counts.get("missing", 0)))
    with open(path, "w") as file:
        file.write(PAGE % said)
        for reason, of_reason in rows.items():
            file.write(DIFFERENT % (reason[0].upper() + reason[1:]))
            file.writelines(row + "\n" for row in of_reason)
        file.write(EQUAL)
        for counter, kernels in sorted(equal.items()):
            file.write("| `%s` | %d |\n" % (counter, kernels))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--library", help="the CPU device's library, instead of the build's")
    parser.add_argument("--out", default="ncu-comparison")
    parser.add_argument("--cpu", help="a cpu.json that was made elsewhere")
    parser.add_argument("--csv", nargs="*", help="what ncu printed before, instead of running it")
    parser.add_argument("--values", help="a values.json of before, instead of running ncu")
    parser.add_argument("--recorded", help="a results.jsonl of before, instead of running ncu")
    parser.add_argument("--page", help="where to write the table of docs")
    parser.add_argument("--ncu", help="the program ncu")
    parser.add_argument("--cpu-only", action="store_true")
    parser.add_argument("--probes", action="store_true", help="ncu runs the kernels of ncu_probes.py only")
    parser.add_argument("--run-gpu", action="store_true", help="only launch every kernel (what ncu watches)")
    options = parser.parse_args()
    if options.run_gpu:
        device = Library("libcuda.so.1")
        for kernel in all_kernels(options.probes):
            run(device, kernel)
        return 0
    os.makedirs(options.out, exist_ok=True)
    if options.cpu:
        with open(options.cpu) as file:
            counted = json.load(file)
    else:
        library = options.library or os.path.join(options.build, "lib", "warpmark", "libwarpmark_cpu.so")
        counted = count_on_cpu(library)
        with open(os.path.join(options.out, "cpu.json"), "w") as file:
            json.dump(counted, file, indent=0)
    if options.cpu_only:
        print("%d kernels counted on the CPU device" % len(counted))
        return 0
    values, device = {}, "the GPU"
    if options.recorded:
        values = recorded_values(options.recorded)
    if options.values:
        with open(options.values) as file:
            values = json.load(file)
    if options.csv:
        for path in options.csv:
            with open(path) as file:
                for kernel, found in read_csv(file.read()).items():
                    values.setdefault(kernel, {}).update(found)
    if not (options.recorded or options.values or options.csv):
        ncu = find_ncu(options.ncu)
        if ncu is None:
            print("there is no ncu")
            return 77
        try:
            device = Library("libcuda.so.1").name
        except (OSError, DriverError) as error:
            print("there is no GPU: %s" % error)
            return 77
        values = measure(ncu, options.out, ["--probes"] if options.probes else [])
    if not values:
        print("ncu counted nothing: see %s/ncu-*.log" % options.out)
        return 77
    kernels = all_kernels(options.probes)
    # A kernel newer than what was recorded; one that ncu should have run is reported as missing.
    unseen = [kernel.name for kernel in kernels if kernel.name not in values] if options.recorded else []
    records = compare(counted, values, [kernel for kernel in kernels if kernel.name not in unseen])
    with open(os.path.join(options.out, "values.json"), "w") as file:
        json.dump(values, file, indent=0)
    with open(os.path.join(options.out, "results.jsonl"), "w") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")
    if options.page:
        write_page(options.page, records)
    counts = write_table(os.path.join(options.out, "results.md"), records, device)
    print(", ".join("%d %s" % (counts[verdict], verdict) for verdict in sorted(counts)))
    if unseen:
        print("%d kernels without a record: %s" % (len(unseen), ", ".join(unseen)))
    for record in records:
        if record["verdict"] == "differs":
            print("%(kernel)s %(counter)s: ours %(ours)d, ncu %(ncu)s" % record)
    return 1 if counts.get("differs") else 0


if __name__ == "__main__":
    sys.exit(main())
