# Writes the journals of this folder: what a bench of made-up suites would have said.
"""Usage: make_fixtures.py. Equal numbers each time; tests compare their reports with golden files."""
import hashlib
import json
import math
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
H200 = {"kind": "gpu", "name": "NVIDIA H200", "uuid": "GPU-3f1c2d4e-0a5b-4c6d-8e7f-102132435465",
        "architecture": 90, "driver_version": 13000, "nvrtc_version": "13.0",
        "capabilities": ["reports"],
        "attributes": [{"name": "multiprocessors", "value": 132},
                       {"name": "l2_bytes", "value": 62914560}]}
A100 = dict(H200, name="NVIDIA A100-SXM4-80GB", uuid="GPU-00000000-1111-2222-3333-444444444444",
            architecture=80)
CPU = dict(H200, kind="cpu", name="Warpmark CPU device", uuid="",
           capabilities=["image_ptx", "exact_bounds", "reports", "counters", "deterministic"])
CEILINGS = {"copy_bytes_per_s": 4.23e12, "read_bytes_per_s": 4.41e12, "array_bytes": 1073741824,
            "launch_s": 1.38e-6}
PROCESSES = 5
T4 = 2.776445105197794  # Student's t, of 4 degrees of freedom, for 95 %
QUIET = {"sm_clock_mhz": 1980, "memory_clock_mhz": 3201, "max_sm_clock_mhz": 1980,
         "temperature_c": 34, "power_w": 410.5, "ecc": True, "mig": False, "throttle_reasons": []}
NOTHING = {name: [] if name == "throttle_reasons" else None for name in QUIET}


def quantile(ordered, q):
    place = q * (len(ordered) - 1)
    below = min(int(place), len(ordered) - 1)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def interval(ordered):
    """Returns the interval of the median that harness/base/statistics.hpp defines."""
    n, tail, last, k = len(ordered), 0.0, 0.0, 0
    while k <= n:
        tail += math.comb(n, k) / 2 ** n
        if tail > 0.025:
            break
        last, k = tail, k + 1
    if k == 0:
        return ordered[0], ordered[-1], 1 - 2.0 ** (1 - n)
    return ordered[k - 1], ordered[n - k], 1 - 2 * last


def series(rng, seconds, cache="cold", noise=0.002, count=25, nbytes=None, flops=None, batch=1,
           ceilings=CEILINGS, peak=None):
    # A few launches are late, as they are on a machine that others use.
    def sample(place):
        return float("%.6g" % (place * (1 + noise * abs(rng.gauss(0, 1))
                                        + (0.05 if rng.random() < 0.04 else 0))))

    if ceilings is None:
        samples = [sample(seconds) for _ in range(count)]
    else:
        places = [seconds * (1 + noise * rng.gauss(0, 1)) for _ in range(PROCESSES)]
        own = [[sample(place) for _ in range(count // PROCESSES)] for place in places]
        samples = [one for part in own for one in part]
    ordered = sorted(samples)
    low, high, confidence = interval(ordered)
    median = quantile(ordered, 0.5)
    processes = []
    if ceilings is not None:
        medians = [quantile(sorted(part), 0.5) for part in own]
        median = sum(medians) / PROCESSES
        error = math.sqrt(sum((one - median) ** 2 for one in medians) / (PROCESSES - 1) / PROCESSES)
        low, high, confidence = median - T4 * error, median + T4 * error, 0.95
        processes = [{"count": len(part), "median_s": middle, "overhead_s": 1.8e-6,
                      "clock_mhz": 1980.0} for part, middle in zip(own, medians)]
    rate = nbytes / median if nbytes else None
    return {"cache": cache, "batch": batch, "stop": "precise" if noise < 0.02 else "budget",
            "latency_hidden": True, "late": 0, "count": count, "median_s": median, "low_s": low,
            "high_s": high, "confidence": confidence, "q1_s": quantile(ordered, 0.25),
            "q3_s": quantile(ordered, 0.75), "min_s": ordered[0], "max_s": ordered[-1],
            "bytes_per_s": rate, "flops_per_s": flops / median if flops else None,
            "copy_share": rate / ceilings["copy_bytes_per_s"] if rate and ceilings else None,
            "read_share": rate / ceilings["read_bytes_per_s"] if rate and ceilings else None,
            **({"peak_share": flops / median / peak} if peak else {}),
            **({"processes": processes} if processes else {}), "samples_s": samples}


def case(suite, point, measurement=None, verdict="passed", failure="none", reason=""):
    identity = suite + "." + ",".join("%s=%s" % axis for axis in point)
    record = {"type": "case", "suite": suite, "case": identity, "verdict": verdict,
              "failure": failure, "reason": reason, "message": reason, "where": None, "outputs": [],
              "findings": [], "notices": [], "compiled_from_cache": True, "seconds": 1.5,
              "reproduce": "warpmark bench suites/%s.yaml --case %s" % (suite, identity)}
    if measurement:
        record["measurement"] = measurement
        measurement["point"] = [{"name": name, "value": value} for name, value in point]
    return record


def measured(all_series, source, nbytes=None, flops=None, registers=32, counters=(), state=QUIET,
             grid=1024, peak=None):
    return {"point": [], "sources": hashlib.sha256(source.encode()).hexdigest(), "budget_s": 5,
            "precision": 0.005, "restore": "never", "bytes": nbytes, "flops": flops,
            **({"peak_flops_per_s": peak[0], "peak_dtype": peak[1]} if peak else {}),
            "series": all_series,
            "kernels": [{"entry": "copy", "grid": [grid, 1, 1], "block": [256, 1, 1],
                         "registers": registers, "shared_bytes": 0, "local_bytes": 0,
                         "active_blocks": 8, "occupancy": 1.0}],
            "counters": [{"name": name, "value": value} for name, value in counters],
            "before": state, "after": state, "seconds": 1.2}


def run(device, cases, command, date="2026-11-20T09:30:00Z", commit="1a2b3c4d5e6f", dirty=False,
        ceilings=CEILINGS, bench=True):
    record = {"type": "run", "record": 1, "warpmark": "0.1.0", "date": date, "command": command,
              "seed": 0, "cases": cases, "deselected": 0, "trials": 1, "device": device}
    if bench:
        record["bench"] = {
            "host": {"system": "Linux 6.1.0", "processor": "Intel Xeon Platinum 8480C",
                     "processors": 16, "memory_bytes": 137438953472},
            "git": {"commit": commit * 3 + "abcd", "dirty": dirty},
            "ceilings": ceilings, "cuda_version": 13000}
    return record


def end(cases, code=0, error=None):
    count = {verdict: sum(one["verdict"] == verdict for one in cases)
             for verdict in ("passed", "failed", "skipped", "interrupted", "not_run")}
    return {"type": "end", **count, "seconds": 9.5, "exit_code": code, "error": error}


def write(name, records, torn=""):
    lines = "".join(json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
                    for record in records)
    (HERE / name).write_text(lines + torn)


def times(n, dtype):
    """Returns the bytes and seconds of copying n elements: a launch's own time, and the memory's."""
    nbytes = 2 * n * (4 if dtype == "float32" else 8)
    return nbytes, 2.1e-6 + nbytes / (1.02 * CEILINGS["copy_bytes_per_s"])


def gpu_cases(seed, slower=1.0, faster=1.0, changed=""):
    rng = random.Random(seed)
    cases = []
    for dtype in ("float32", "float64"):
        for n in (2 ** 16, 2 ** 20, 2 ** 24, 2 ** 28):
            nbytes, seconds = times(n, dtype)
            # The change makes large float64 slower, and large float32 faster.
            factor = (slower if dtype == "float64" else faster) if n >= 2 ** 24 else 1
            both = [series(rng, seconds * factor, nbytes=nbytes),
                    series(rng, seconds * factor * (0.6 if nbytes < 5e7 else 1), "hot",
                           nbytes=nbytes, batch=20, noise=0.0005)]
            cases.append(case("copy", [("dtype", dtype), ("n", n)],
                              measured(both, changed + dtype, nbytes=nbytes, grid=n // 1024)))
    for n in (2 ** 20, 2 ** 28):
        seconds = 3e-6 + 4 * n / CEILINGS["read_bytes_per_s"]
        # The smaller case is never steady.
        noise = 0.08 if n == 2 ** 20 else 0.002
        one = series(rng, seconds, nbytes=4 * n, flops=n, noise=noise)
        cases.append(case("reductions/sum", [("n", n)],
                          measured([one], "sum", nbytes=4 * n, flops=n, registers=40)))
    return cases


# Peak rates of fused multiply-adds.
PEAKS = {"float64": 3.31e13, "float32": 6.52e13, "float16": 1.29e14}


def peak_cases():
    """Products of matrices, held against measured peaks; those of bfloat16 against a given one."""
    rng = random.Random(6)
    cases = []
    for dtype, size, share in (("float64", 8, 0.6), ("float32", 4, 0.8), ("float16", 2, 0.5)):
        for n in (512, 4096):
            flops, nbytes = 2 * n ** 3, 3 * n * n * size
            seconds = 3e-6 + flops / (share * PEAKS[dtype]) + nbytes / CEILINGS["read_bytes_per_s"]
            one = series(rng, seconds, nbytes=nbytes, flops=flops, peak=PEAKS[dtype])
            cases.append(case("matmul", [("dtype", dtype), ("n", n)],
                              measured([one], dtype, nbytes=nbytes, flops=flops,
                                       peak=(PEAKS[dtype], dtype))))
    flops, nbytes = 2 * 8192 ** 3, 6 * 8192 ** 2
    one = series(rng, flops / 6.1e14, nbytes=nbytes, flops=flops, peak=9.89e14)
    cases.append(case("tensor_cores", [("n", 8192)],
                      measured([one], "wgmma", nbytes=nbytes, flops=flops, peak=(9.89e14, None))))
    return cases


def cpu_cases(factor=1):
    cases = []
    for n in (4, 257, 1024):
        counters = [("ptx_thread_instructions", 11 * n * factor),
                    ("ptx_warp_instructions", 11 * math.ceil(n / 32) * factor),
                    ("global_read_bytes", 4 * n), ("global_write_bytes", 4 * n)]
        one = series(random.Random(n), 2e-5, "hot", noise=0.05, count=8, nbytes=8 * n, ceilings=None)
        cases.append(case("doublify", [("n", n)],
                          measured([one], "doublify" + "x" * (factor - 1), nbytes=8 * n,
                                   counters=counters, state=NOTHING)))
    return cases


SOURCE = ((2, "int i = blockIdx.x * blockDim.x + threadIdx.x;", 0.4), (3, "if (i < n) {", 0.2),
          (4, "a[i] = 2 * a[i]; // | and `ticks` and @everyone", 0.4))


def lines_of(one, factor=1):
    """Lines of a case: with `factor` 2 a line is put in above, and another one has all the new work."""
    counters = {c["name"]: c["value"] for c in one["measurement"]["counters"]}
    lines = []
    for number, text, share in SOURCE:
        grown = {}
        for name in ("ptx_thread_instructions", "ptx_warp_instructions"):
            value = int(counters[name] // factor * share)
            if factor > 1 and number == 4:
                value += counters[name] - counters[name] // factor
            if value:
                grown[name] = value
        if number == 4:
            grown["global_read_bytes"] = counters["global_read_bytes"]
        lines.append({"file": "doublify.cu", "line": number + factor - 1, "text": text,
                      "counters": grown})
    return lines


def lines_record(one, factor):
    return {"type": "lines", "case": one["case"], "folder": "suites", "lines": lines_of(one, factor)}


def baseline(cases):
    names = [c["name"] for c in cases[0]["measurement"]["counters"]]
    yield {"type": "baseline", "baseline": 1, "warpmark": "0.1.0", "device": CPU["name"],
           "kind": "cpu", "architecture": 90, "nvrtc_version": "13.0", "seed": 0, "counters": names}
    for one in cases:
        counters = {c["name"]: c["value"] for c in one["measurement"]["counters"] if c["value"]}
        yield {"type": "case", "suite": one["suite"], "case": one["case"],
               "sources": one["measurement"]["sources"], "counters": counters,
               "lines": lines_of(one)}
    yield {"type": "end"}


HISTORY = 6
COMMITS = ("0a1b2c3d4e5f", "1b2c3d4e5f6a", "2c3d4e5f6a7b", "3d4e5f6a7b8c", "4e5f6a7b8c9d",
           "4e5f6a7b8c9d")


def history_cases(place):
    """Cases of the run at that place: a step up by 8 % at 3, a step down by 10 % at 4, a drift of 0.9 % a run,
    what stays, one that fails once, and one that comes later."""
    rng = random.Random(100 + place)
    n = 2 ** 24
    nbytes = 8 * n
    seconds = {"kernels/blur": 4.1e-5 * (1.08 if place >= 3 else 1), "kernels/copy": 3.2e-5,
               "kernels/scan": 5.6e-5 * 1.009 ** place,
               "kernels/sum": 2.9e-5 * (0.9 if place >= 4 else 1),
               "kernels/sort": 8.8e-4, "kernels/histogram": 6.3e-5}
    cases = []
    for suite, cold in seconds.items():
        if suite == "kernels/histogram" and place < 2:
            continue
        if suite == "kernels/sort" and place == 2:
            cases.append(case(suite, [("n", n)], verdict="failed", failure="wrong",
                              reason="3 of %d elements of `out` are wrong" % n))
            continue
        both = [series(rng, cold, nbytes=nbytes, count=10),
                series(rng, 0.9 * cold, "hot", nbytes=nbytes, count=10, batch=20)]
        version = 1 if suite in ("kernels/blur", "kernels/sum") and place >= 3 else 0
        cases.append(case(suite, [("n", n)], measured(both[:1] if suite == "kernels/sort" else both,
                                                      "%s %d" % (suite, version), nbytes=nbytes)))
    return cases


def counted_history(place):
    """An instruction more from 2 on, and half of the loads of the largest case from 4 on."""
    cases = cpu_cases()
    for one in cases:
        counters = {c["name"]: c for c in one["measurement"]["counters"]}
        if place >= 2:
            counters["ptx_thread_instructions"]["value"] += counters["ptx_thread_instructions"]["value"] // 11
            one["measurement"]["sources"] = "2" * 64
        if place >= 4 and one["case"].endswith("n=1024"):
            counters["global_read_bytes"]["value"] //= 2
    return cases


def write_histories():
    for place in range(HISTORY):
        when = {"date": "2026-11-%02dT09:30:00Z" % (2 + 3 * place), "commit": COMMITS[place],
                "dirty": place == HISTORY - 1}
        device = dict(H200, driver_version=13010) if place >= 4 else H200
        cases = history_cases(place)
        command = "warpmark bench suites --device gpu"
        # Names in another order than the dates.
        write("history_%s.jsonl" % "cadbfe"[place],
              [run(device, len(cases), command, **when), *cases, end(cases)])
        cases = counted_history(place)
        device = dict(CPU, nvrtc_version="13.1") if place >= 5 else CPU
        write("counted_%s.jsonl" % "cadbfe"[place],
              [run(device, len(cases), "warpmark bench suites --device cpu", ceilings=None, **when),
               *cases, end(cases)])


def sweep_cases():
    """Two kernels over four axes and one that is zipped; the best block is 256, or 128 of few n."""
    rng = random.Random(6)
    cases = []
    for dtype in ("float32", "float64"):
        for n in (2 ** 16, 2 ** 20, 2 ** 24):
            nbytes, seconds = times(n, dtype)
            for kernel, factor in (("naive", 1.9), ("tiled", 1.0)):
                for block, items in ((64, 8), (128, 4), (256, 2), (512, 1)):
                    away = abs(math.log2(block / (128 if n < 2 ** 20 else 256)))
                    # Blocks of 128 and 256 threads cannot be told apart where n is 2^20.
                    if n == 2 ** 20 and block == 128:
                        away = 0
                    slower = factor * (1 + 0.08 * away)
                    cases.append(case(
                        "tuned", [("dtype", dtype), ("n", n), ("kernel", kernel),
                                  ("block", block), ("items", items)],
                        measured([series(rng, seconds * slower, "cold", 0.004, nbytes=nbytes),
                                  series(rng, seconds * slower * 0.8, "hot", 0.004, nbytes=nbytes)],
                                 "tuned" + dtype + kernel, nbytes)))
    for one in cases:
        one["measurement"]["sweep"] = ["block", "items"]
        one["measurement"]["relative_to"] = [{"name": "kernel", "label": "naive"}]
    return cases


def main():
    command = "warpmark bench suites --device gpu --journal h200.jsonl"
    cases = gpu_cases(1)
    write("h200.jsonl", [run(H200, len(cases), command), *cases, end(cases)])
    write("h200_torn.jsonl", [run(H200, len(cases), command), *cases[:5]],
          torn=json.dumps(cases[5])[:300])

    cases = gpu_cases(2, slower=1.07, faster=0.9, changed="unrolled ")
    later = {"date": "2026-11-21T08:15:00Z", "commit": "9f8e7d6c5b4a", "dirty": True}
    write("h200_slower.jsonl", [run(dict(H200, driver_version=13010), len(cases), command, **later),
                                *cases, end(cases)])

    cases = gpu_cases(3)
    cases[1] = case("copy", [("dtype", "float32"), ("n", 2 ** 20)], verdict="failed",
                    failure="wrong", reason="3 of 1048576 elements of `out` are wrong")
    cases[3] = case("copy", [("dtype", "float32"), ("n", 2 ** 28)], verdict="skipped",
                    reason="needs 2 GiB, the device has 1 GiB")
    throttled = dict(QUIET, sm_clock_mhz=1755, throttle_reasons=["sw_power_cap"])
    cases[4]["measurement"]["before"] = cases[4]["measurement"]["after"] = throttled
    del cases[7]
    extra = series(random.Random(5), 4e-4, nbytes=2 ** 30)
    cases.append(case("scan", [("n", 2 ** 27)], measured([extra], "scan", nbytes=2 ** 30)))
    write("h200_failures.jsonl", [run(H200, len(cases), command, **later), *cases, end(cases, 1)])

    cases = sweep_cases()
    write("sweep.jsonl", [run(H200, len(cases), command), *cases, end(cases)])

    cases = peak_cases()
    best = {**CEILINGS, "memory_bytes_per_s": 4.917e12, "clock_headroom": 1.0,
            **{name + "_flops_per_s": rate for name, rate in PEAKS.items()}}
    write("peaks.jsonl", [run(H200, len(cases), command, ceilings=best), *cases, end(cases)])

    cases = gpu_cases(4)[:2]
    write("a100.jsonl", [run(A100, 2, command), *cases, end(cases)])

    for name, cases in (("cpu.jsonl", cpu_cases()), ("cpu_more.jsonl", cpu_cases(factor=2)),
                        ("cpu_trade.jsonl", cpu_cases())):
        if name == "cpu_trade.jsonl":
            # Fewer loads than before, at the cost of one instruction more.
            for one in cases:
                counters = {c["name"]: c for c in one["measurement"]["counters"]}
                counters["global_read_bytes"]["value"] //= 2
                counters["ptx_thread_instructions"]["value"] += 1
        write(name, [run(CPU, 3, "warpmark bench suites --device cpu", ceilings=None), *cases,
                     end(cases)])
    write("cpu_baseline.jsonl", baseline(cpu_cases()))
    cases = cpu_cases(factor=2)
    write("cpu_lines.jsonl", [run(CPU, 3, "warpmark bench suites --device cpu", ceilings=None),
                              *cases, *(lines_record(one, 2) for one in cases), end(cases)])
    write_histories()
    write("check.jsonl", [run(CPU, 1, "warpmark check suites", bench=False),
                          case("doublify", [("n", 4)]), end([])])


if __name__ == "__main__":
    main()
