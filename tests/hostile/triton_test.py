# Hostile kernels of Triton.
"""Each file of triton_kernels/ says at its top what it tries. It may do so in the sandbox alone, and gets the verdict of any
kernel that does the same."""
import json
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

from languages import environment_with, reason  # noqa: E402
from program import SANITIZED, CheckTest, gpu_is_there  # noqa: E402

DEVICE = os.environ.get("WARPMARK_TEST_DEVICE", "cpu")
VERDICTS = {
    "right": "right", "zeros": "wrong", "nothing": "wrong", "unmasked": "unclean", "some_address": "unclean", "inline_assembly": "unclean",
    "patched_compiler": "wrong", "other_machine_code": "right",
}
# A GPU sees of these what the memory behind the arrays makes of them.
if DEVICE == "gpu":
    VERDICTS.update({name: None for name in ("unmasked", "some_address", "inline_assembly")})
TOLD = {"reads_the_reference": "No such file", "unrolls_for_ever": "more time or memory", "runs_for_ever": "more time or memory"}


@unittest.skipIf(SANITIZED, "no Python loads a library of a sanitizer")
@unittest.skipIf(environment_with("triton") is None, reason("triton"))
class Hostile(CheckTest):
    def test_each_gets_what_it_should(self):
        if DEVICE == "gpu" and not gpu_is_there():
            self.skipTest("there is no GPU")
        self.environment["VIRTUAL_ENV"] = environment_with("triton")
        files = sorted((HERE / "triton_kernels").glob("*.py"))
        self.assertLessEqual(set(VERDICTS) | set(TOLD), {file.stem for file in files})
        out, errors = self.run_program("judge", HERE / "triton_kernels/triton.yaml", *files, "--json", "--device", DEVICE, code=1, timeout=1800)
        made = {pathlib.Path(one["id"]).stem: one["judgement"] for one in map(json.loads, out.splitlines())}
        self.assertEqual(set(made), {file.stem for file in files}, errors)
        for name, one in made.items():
            with self.subTest(name):
                expected = VERDICTS.get(name, "not compiled")
                self.assertEqual((one["verdict"] if expected else None, one["problem"]), (expected, ""), one["feedback"])
                self.assertIn(TOLD.get(name, ""), one["feedback"])
        self.assertFalse(pathlib.Path("/tmp/warpmark_was_here").exists())


if __name__ == "__main__":
    unittest.main()
