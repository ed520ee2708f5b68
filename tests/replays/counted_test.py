"""On a device that counts, a replay has the honest kernel's counts, or fails."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import replays

PROGRAM = pathlib.Path(os.environ["WARPMARK_BINARY_DIR"]) / "bin/warpmark"
HONEST_SHARE = 0.75  # of the honest kernel's instructions


def instructions_of(record):
    counters = {one["name"]: one["value"] for one in record["measurement"]["counters"]}
    return counters["ptx_thread_instructions"]


class Counted(unittest.TestCase):
    def test_no_replay_is_accepted(self):
        with tempfile.TemporaryDirectory() as text:
            folder = pathlib.Path(text)
            written = [(replay, suite) for replay, mode, suite in replays.write(folder) if mode == "cold"]
            journal = folder / "journal.jsonl"
            subprocess.run([PROGRAM, "bench", *(folder / f"{suite}.yaml" for _, suite in written),
                            "--device", "cpu", "--journal", journal], capture_output=True, check=False)
            found = replays.results(journal)
        honest = instructions_of(found["honest_cold"])
        passed = 0
        for replay, suite in written:
            record = found[suite]
            if record["verdict"] == "passed":
                passed += 1
                self.assertGreater(instructions_of(record), HONEST_SHARE * honest, replay.name)
        self.assertGreater(passed, 8, "kernels whose state is put back are right")
        self.assertLess(passed, len(written))


if __name__ == "__main__":
    unittest.main()
