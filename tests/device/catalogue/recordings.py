"""Records of a job on one device or on two, and the comparison with a record of another machine.

A job is one kernel with one input. compare_devices.py records and compares; corpus_test.py compares
the corpus with what was recorded on a GPU.
"""
import functools
import hashlib
import json
import re

import numpy as np

import catalogue


def explicit_roundings(ptx):
    """With .rn where an addition or a multiplication has no rounding: it means the same, but without
    it ptxas may contract."""
    return re.sub(
        r"(?<![\w.])(add|sub|mul)((?:\.ftz)?(?:\.sat)?\.(?:f16|f16x2|bf16|bf16x2|f32|f64))\b",
        r"\1.rn\2", ptx)


def without_places(ptx):
    """Without what names the folder it was compiled in: file names, and what debuggers read."""
    ptx = re.sub(r"^\s*\.file\s.*\n", "", ptx, flags=re.MULTILINE)
    return re.sub(r"^\s*\.section\s+\.debug_\w+\s*\{.*?^\s*\}\n", "", ptx,
                  flags=re.MULTILINE | re.DOTALL)


@functools.lru_cache(maxsize=None)
def texts_of(path):
    """The PTX of a file, as it is and with explicit roundings."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return text, explicit_roundings(text)


@functools.lru_cache(maxsize=None)
def sha_of_ptx(ptx):
    return sha(without_places(ptx).encode())


def sha(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:32]


class CorpusJob:
    """A case of a kernel of tests/device/kernels, in one build."""

    def __init__(self, entry, case, unit):
        self.entry, self.case, self.unit, self.group = entry, case, unit, "corpus"
        mode = "" if unit["mode"] == "plain" else " " + unit["mode"]
        self.kernel = "%s/%s" % (entry.source, entry.kernel)
        self.input = "%s sm_%d%s" % (catalogue.case_name(case), unit["architecture"], mode)
        self.fatal = entry.fatal

    def module(self):
        return self.unit["ptx"]

    def source(self):
        return texts_of(self.unit["ptx"])[0]

    def ptx(self):
        return texts_of(self.unit["ptx"])[1]

    def run(self, device, module, kind=catalogue.Run):
        """The launches, and what must come out of them."""
        run = kind(device, module, self.entry.kernel, self.unit["architecture"],
                   self.unit["mode"] != "debug")
        self.entry.function(run, catalogue.Random("%s %r" % (self.kernel, self.case)), **self.case)
        if not self.fatal:
            run.free()
        return run

    def results(self, device, module):
        return side_of(self.run(device, module))


def corpus_jobs(units, entries):
    """Every case of each kernel that the units have."""
    return [
        CorpusJob(entry, case, unit) for unit in units for entry in entries
        if entry.source == unit["name"] and entry.kernel in unit["kernels"] for case in entry.cases
    ]


def side_of(run):
    """Returns the inputs and results of a run of the catalogue, as `compare` takes them."""
    return run.inputs.digest(), [(r.name, np.asarray(r.got), r.across) for r in run.results]


def compare(job, ptx, sides):
    """A record of one job, from what each device gave: (inputs, results) or an error's text."""
    record = {
        "group": job.group,
        "kernel": job.kernel,
        "input": job.input,
        "ptx": sha_of_ptx(ptx)
    }
    errors = [side for side in sides if isinstance(side, str)]
    if errors:
        return dict(record, status="error", error="; ".join(errors))
    record["inputs"] = sha(sides[0][0])
    record["outputs"] = []
    for first, second in zip(sides[0][1], sides[-1][1]):
        name, got, bound = first
        output = {
            "name": name,
            "elements": int(got.size),
            "dtype": str(got.dtype),
            "exact": bool(bound.exact),
            "sha": [sha(side) for side in (got, second[1])[:len(sides)]]
        }
        if not bound.exact:
            output["reason"] = bound.reason
        if len(sides) == 2:
            if got.shape != second[1].shape:
                output["status"] = "differs"
            else:
                wrong, ulp, far = catalogue.differences(got, second[1], bound, bits_of_nan=True)
                bits, _, _ = catalogue.differences(got,
                                                   second[1],
                                                   catalogue.EXACT,
                                                   bits_of_nan=True)
                output.update(
                    status="differs" if wrong.size else "equal" if not bits.size else "within",
                    differing=int(bits.size),
                    beyond=int(wrong.size),
                    ulp=min(ulp, 1e300),
                    absolute=min(far, 1e300))
                if wrong.size:
                    at = int(wrong[0])
                    output["first"] = {
                        "index": at,
                        "values": [str(np.ravel(v)[at]) for v in (got, second[1])]
                    }
        record["outputs"].append(output)
    order = ("differs", "within", "equal")
    states = [output.get("status", "recorded") for output in record["outputs"]]
    record["status"] = next((state for state in order if state in states),
                            states[0] if states else "equal")
    return record


def against(records, path):
    """Gives each record the other side's hashes, from a file of another run."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    known = {(r["group"], r["kernel"], r["input"]): r for r in lines if "group" in r}
    for record in records:
        other = known.get((record["group"], record["kernel"], record["input"]))
        if record["status"] in ("error", "skipped"):
            continue
        if other is None or other.get("inputs") != record["inputs"] or other.get(
                "ptx") != record["ptx"]:
            record.update(status="unknown", outputs=[])  # another NVRTC, or a new kernel
            continue
        for output, theirs in zip(record["outputs"], other["outputs"]):
            equal = output["sha"][0] == theirs["sha"][-1]
            output["status"] = "equal" if equal else "differs" if output["exact"] and theirs.get(
                "status") != "differs" else "within"
        states = [output["status"] for output in record["outputs"]]
        record["status"] = next((s for s in ("differs", "within") if s in states), "equal")
    return records
