"""Shared by the tests of a front: suites in a folder of their own, and a probe that runs there.

A test is called as: TEST PROBE SCHEMA [unittest arguments].
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PROBE, SCHEMA = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])

SUITE = """warpmark: 1
about: An example.
kernel:
  source: void f();
  entry: f
axes:
  n: %s
arguments:
  a: {in: rng.random(8)}
  z: {out: a.shape}
launch:
  block: 128
reference:
  z: 2 * a
"""


def strict(text):
    """JSON as RFC 8259 has it: Python would take NaN and Infinity."""
    def refuse(word):
        raise ValueError(word + " is no JSON")
    return json.loads(text, parse_constant=refuse)


class Front(unittest.TestCase):
    """`root` is a folder, whose name has spaces, with the suites NAMES of the text SUITE."""

    SUITE = SUITE % "[-1, 16, 2.5]"
    NAMES = ("doublify.yaml", "reductions/dot.yaml")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="warpmark front ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for name in self.NAMES:
            path = self.root / "suites" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.SUITE)

    def run_probe(self, *arguments, **variables):
        return subprocess.run([PROBE, *arguments], cwd=self.root, text=True, timeout=60,
                              env={**os.environ, **variables}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def code(self, *arguments):
        return self.run_probe(*arguments).returncode

    def start(self, *arguments):
        """A probe that waits for an interrupt."""
        process = subprocess.Popen([PROBE, *arguments], cwd=self.root, text=True,
                                   env={**os.environ, "TMPDIR": str(self.root)},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stderr.readline(), "waiting\n")
        return process

    def journal(self, path="run.jsonl"):
        return [strict(line) for line in (self.root / path).read_text().splitlines()]


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
