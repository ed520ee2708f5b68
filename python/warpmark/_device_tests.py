"""Python's own tests on the CPU device: `pytest --warpmark-cpu` runs the tests of an extension, of
Triton's or Numba's kernels and of whatever else uses CUDA without a GPU, with checks, and a finding
fails the test in which it was made. See docs/python.md.
"""
from __future__ import annotations

import ctypes
import json
import os
import pathlib
import sys
import tempfile

import pytest

from warpmark.places import program_folder

INSIDE = "WARPMARK_PYTEST"  # set in processes that have the CPU device as their driver
NO_CONTEXT = (3, 201)  # CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT: nothing to wait for


def enter(checks: str) -> None:
    """Becomes the same pytest on the CPU device. The driver must be there before a test imports
    what loads it, so the process starts anew. Returns where that has happened."""
    if os.environ.get(INSIDE):
        return
    launcher = os.path.join(program_folder(), "warpmark-cpu")
    if not os.path.exists(launcher):
        raise pytest.UsageError("--warpmark-cpu: there is no %s" % launcher)
    os.environ[INSIDE] = "1"
    sys.stdout.flush()
    sys.stderr.flush()
    # pytest's exit code says what failed.
    os.execv(launcher, [launcher, "--check", checks, "--error-exitcode", "0", "--",
                        sys.executable, *sys.orig_argv[1:]])


class DeviceTests:
    """Reads the device's reports while tests run. With pytest-xdist each worker has its own."""

    def __init__(self, checks: str):
        self.checks = checks
        self._folder = tempfile.TemporaryDirectory(prefix="warpmark-")
        self._file = pathlib.Path(self._folder.name, "reports.jsonl")
        self._read = 0
        self._outside: list[dict] = []  # findings that no test has made
        self._lost_in = ""  # the test after which the device's context could no longer be used
        # The device reads it when it is loaded.
        os.environ["WARPMARK_CPU_REPORT"] = str(self._file)

    def pytest_report_header(self) -> str:
        return "warpmark-cpu: the CPU device is the CUDA driver; checks: " + self.checks

    def pytest_collection_finish(self) -> None:
        self._outside += self._new()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        lost_before = self._lost_in
        mistakes = []
        for found in self._new(item.nodeid):
            if found.get("severity") != "warning":
                mistakes.append(found["message"])
            else:
                report.sections.append(("warpmark-cpu, a warning", found["message"]))
        if mistakes and report.passed and not hasattr(report, "wasxfail"):
            report.outcome = "failed"
            report.longrepr = "\n".join(mistakes)
        elif mistakes:
            report.sections.append(("warpmark-cpu", "\n".join(mistakes)))
        if report.failed and lost_before:
            report.sections.append(("warpmark-cpu", (
                "The device cannot be used any more since %s, as a GPU could not. Each later test "
                "of this process that needs it fails.") % lost_before))

    def pytest_sessionfinish(self, session) -> None:
        self._outside += self._new()
        if self._outside and session.exitstatus in (0, 5):
            session.exitstatus = 1
        self._folder.cleanup()

    def pytest_terminal_summary(self, terminalreporter) -> None:
        if not self._outside:
            return
        terminalreporter.section("warpmark-cpu: found outside of tests", red=True)
        for found in self._outside:
            terminalreporter.write_line(found["message"])

    def _new(self, test: str = "") -> list[dict]:
        """The reports since the last call, after all that was launched has ended."""
        if synchronize() not in (0, *NO_CONTEXT) and test and not self._lost_in:
            self._lost_in = test
        try:
            with open(self._file, "rb") as stream:
                stream.seek(self._read)
                lines = stream.read()
        except FileNotFoundError:
            return []
        whole = lines[:lines.rfind(b"\n") + 1]
        self._read += len(whole)
        reports = [json.loads(line) for line in whole.splitlines()]
        return [report for report in reports if "message" in report]


def synchronize() -> int:
    """Waits for the device; returns the driver's result, 0 where no driver is loaded."""
    try:
        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError:
        return 0
    return driver.cuCtxSynchronize()
