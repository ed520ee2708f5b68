"""Benches every replay on a GPU, and says which times were accepted although they are no honest ones.

    python3 tests/replays/on_gpu.py WARPMARK [--record results/h200/replays.json] [--only NAME]

Exits with 1 if one was accepted, or if the honest kernel fails.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import replays

HONEST_SHARE = 0.75  # of the honest kernel's time: what takes less is a replay's


def median_of(record, mode):
    """The median of a series of a case's record, in seconds; nothing for a case that has no times."""
    for series in record.get("measurement", {}).get("series", []):
        if series["mode"] == mode.replace("_", " "):
            return series["median_s"]
    return None


def bench(program, folder, only, skips):
    """Each replay and mode with its record."""
    written = [one for one in replays.write(folder) if not only or one[0].name in (only, "honest")]
    journal = folder / "journal.jsonl"
    suites = [str(folder / f"{suite}.yaml") for _, _, suite in written]
    run = subprocess.run([program, "bench", *suites, "--device", "gpu", "--journal", str(journal)],
                         capture_output=True, text=True, check=False)
    if run.returncode == 3 and skips:
        print(f"skipped: {run.stderr.strip()}")
        sys.exit(77)
    if not journal.exists():
        sys.exit(run.stdout + run.stderr)
    found = replays.results(journal)
    return [(replay, mode, found.get(suite, {"verdict": "missing"})) for replay, mode, suite in written]


def judged(benched):
    """A row for each: what it keeps, its time, the honest one, and whether it was accepted."""
    honest = {mode: median_of(record, mode) for replay, mode, record in benched if replay.name == "honest"}
    rows = []
    for replay, mode, record in benched:
        seconds = median_of(record, mode) if record["verdict"] == "passed" else None
        is_fast = seconds is not None and honest[mode] is not None and seconds < HONEST_SHARE * honest[mode]
        rows.append({"name": replay.name, "keeps": replay.keeps, "mode": mode, "verdict": record["verdict"],
                     "failure": record.get("failure", "none"), "reason": record.get("reason", ""),
                     "seconds": seconds, "honest_s": honest[mode], "accepted": is_fast})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("--only", default="", help="bench this one and the honest kernel alone")
    parser.add_argument("--skip-without-device", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = judged(bench(arguments.program, pathlib.Path(folder), arguments.only,
                            arguments.skip_without_device))
    for row in rows:
        time = "-" if row["seconds"] is None else f"{1e6 * row['seconds']:.2f}"
        mark = "ACCEPTED" if row["accepted"] else ""
        print(f"{row['name']:22} {row['mode']:11} {row['verdict']:8} {row['failure']:10} {time:>8} {mark} "
              f"{row['reason'][:110]}")
    accepted = [row for row in rows if row["accepted"]]
    wronged = [row for row in rows if row["name"] == "honest" and row["verdict"] != "passed"]
    print(f"{len(accepted)} of {len(rows)} accepted; the honest kernel failed {len(wronged)} times")
    if arguments.record:
        arguments.record.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    return 1 if accepted or wronged else 0


if __name__ == "__main__":
    sys.exit(main())
