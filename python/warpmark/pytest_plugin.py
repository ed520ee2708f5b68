"""Suites as tests of pytest: each case of a suite file is a test, named by its id. And with
`--warpmark-cpu`, tests in Python on the CPU device (see _device_tests.py).

A suite file that is given to pytest by its name is always collected; those in folders with
`--warpmark` or `warpmark = true` in pytest's configuration, and with `--lf` where one of their
cases failed in the last run. See docs/python.md.
"""
from __future__ import annotations

import pathlib
import re
import shlex
from collections.abc import Iterator

import pytest

from warpmark import _device_tests
from warpmark._commands import JUDGED, listing
from warpmark._errors import WarpmarkError, error_of
from warpmark._process import Process
from warpmark._results import Outcome, outcome_of

IDS_AT_A_TIME = 100_000  # characters of ids on one command line; Linux takes 20 times as many
# A suite begins with this key, and so do assignments and run configurations, which have others.
FIRST_KEY = re.compile(r"""(\s*(#[^\n]*)?\n|---[^\n]*\n)*\s*\{?\s*["']?warpmark["']?\s*:""")
ASSIGNMENT = re.compile(r"^assignment\s*:", re.M)
RUN_CONFIGURATION = re.compile(r"^(check|bench)\s*:", re.M)
ONLY_IN_SUITES = re.compile(r"^(kernel|arguments|launch|reference|axes|plugin)\s*:", re.M)


class Notice(UserWarning):
    """A notice of the program about a case, such as a compiler's warning; it fails nothing."""


class Failed(Exception):
    """A case failed: its text says everything, and no line of Python does."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("warpmark", "suites of CUDA kernels")
    group.addoption("--warpmark", action="store_true", default=False,
                    help="collect suites (*.yaml whose first key is `warpmark`) in folders, too")
    group.addoption("--warpmark-device", metavar="D", default="auto",
                    help="what cases run on: auto (default), gpu, cpu, gpu:1 …")
    group.addoption("--warpmark-select", metavar="EXPR", default="",
                    help="cases whose ids match, in which n=4 may stand, unlike in -k")
    group.addoption("--warpmark-args", metavar="ARGS", default="",
                    help="further options of `warpmark check`, such as '--trials 3'")
    group.addoption("--warpmark-cpu", action="store_true", default=False,
                    help="run everything on the CPU device: tests that use CUDA need no GPU, and "
                         "what its checks find fails them")
    group.addoption("--warpmark-cpu-check", metavar="WHAT", default="all",
                    help="what these checks are, as for `warpmark-cpu --check` (default all)")
    parser.addini("warpmark", "collect suites in folders, too", type="bool", default=False)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config):
    """Before pytest captures the output, and before anything of the user's is imported."""
    options = early_config.known_args_namespace
    if options.warpmark_cpu:
        _device_tests.enter(options.warpmark_cpu_check)
        early_config.pluginmanager.register(
            _device_tests.DeviceTests(options.warpmark_cpu_check), "warpmark-device-tests")
    yield


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "warpmark: a case of a suite of CUDA kernels")
    config.stash[SESSION] = Session(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    """A hook of pytest-xdist for new workers, which do not know how tests are distributed."""
    node.workerinput["warpmark_dist"] = node.config.getoption("dist")


def pytest_collect_file(file_path, parent):
    if file_path.suffix != ".yaml":
        return None
    session = parent.config.stash[SESSION]
    named = parent.session.isinitpath(file_path)
    if not named and not session.in_folders and file_path not in session.failed_last:
        return None
    try:
        with open(file_path, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    except OSError:
        return None
    if not FIRST_KEY.match(text) or (is_of_another_format(text) and not named):
        return None
    session.found.append(str(file_path))
    return SuiteFile.from_parent(parent, path=file_path)


def failed_last(config: pytest.Config) -> set[pathlib.Path]:
    """The files of the tests that `pytest --lf` runs again, none without that option."""
    cache = getattr(config, "cache", None)  # none with `-p no:cacheprovider`
    if cache is None or not config.getoption("lf", False):
        return set()
    return {config.rootpath / test.split("::")[0] for test in cache.get("cache/lastfailed", {})}


def is_of_another_format(text: str) -> bool:
    """True if it is an assignment or a run configuration."""
    return bool(ASSIGNMENT.search(text) or (
        RUN_CONFIGURATION.search(text) and not ONLY_IN_SUITES.search(text)))


def pytest_sessionfinish(session: pytest.Session) -> None:
    ours = session.config.stash.get(SESSION, None)
    if ours is not None:
        ours.stop()


class SuiteFile(pytest.File):
    """A suite; one that cannot be loaded is an error of the collection."""

    def collect(self) -> Iterator[pytest.Item]:
        session = self.config.stash[SESSION]
        try:
            suite = session.suite(str(self.path))
        except WarpmarkError as error:
            raise self.CollectError(str(error)) from None
        if suite:
            for case in suite["cases"]:
                yield CaseItem.from_parent(self, name=case["id"], suite=suite["name"])


class CaseItem(pytest.Item):
    """A case of a suite."""

    def __init__(self, *, suite: str, **rest):
        super().__init__(**rest)
        self.suite = suite
        self.add_marker("warpmark")

    def runtest(self) -> None:
        outcome, printed = self.config.stash[SESSION].outcome(self)
        if printed:
            self.add_report_section("call", "stderr", printed)
        self.user_properties.append(("warpmark_seconds", outcome.seconds))
        for notice in outcome.notices:
            self.warn(Notice("%s: %s" % (outcome.id, notice)))
        if outcome.verdict == "skipped":
            pytest.skip(outcome.reason)
        if not outcome.passed:
            raise Failed(outcome.text)

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, (Failed, WarpmarkError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        # pytest replaces the points in a name that the id of the test ends with.
        return self.path, 0, "case " + self.name


class Batch:
    """Cases that one process runs. Their outcomes are read one by one, as they are asked for."""

    def __init__(self, config: pytest.Config, items: list[CaseItem]):
        self.items = items
        self.outcomes: dict[str, tuple[Outcome, str]] = {}
        self._config = config
        self._process: Process | None = None
        self._records: Iterator[dict] = iter(())

    def take(self, case: str) -> tuple[Outcome, str]:
        """The outcome, and what was written to the standard error while the case ran."""
        if self._process is None:
            self._process = self._start()
            self._records = self._process.records()
        while case not in self.outcomes:
            record = next(self._records, None)
            if record is None:
                raise ended_early(self._process)
            if record["type"] == "case":
                self.outcomes[record["case"]] = (outcome_of(record), self._process.new_errors())
        # A second request for the case means that it must run again.
        return self.outcomes.pop(case)

    def _start(self) -> Process:
        option = self._config.getoption
        device = option("--warpmark-device")
        words = ["check", "--json", *(["--device", device] if device != "auto" else []),
                 *shlex.split(option("--warpmark-args"))]
        words += ["--case=" + item.name for item in self.items]
        working = self._config.invocation_params.dir
        # Paths are given as a user would write them, because messages name them.
        files = [str(item.path.relative_to(working)) if item.path.is_relative_to(working)
                 else str(item.path) for item in self.items]
        return Process([*words, "--", *dict.fromkeys(files)], cwd=working)

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()


def ended_early(process: Process) -> WarpmarkError:
    """The reason why a run has no outcome for a case."""
    code = process.finish()
    text = process.errors()
    if code in JUDGED:
        text = "error: the run ended without this case\n" + text
    return error_of(code, text)


class Session:
    """The state of the plugin in one run of pytest."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.in_folders = config.getoption("--warpmark") or config.getini("warpmark")
        self.failed_last = failed_last(config)
        self.found: list[str] = []  # suite files that are not listed yet
        self._suites: dict[str, dict | None] = {}
        self._errors: dict[str, WarpmarkError] = {}
        self._batches: dict[CaseItem, Batch] = {}
        self._open: list[Batch] = []
        self._seen: set[CaseItem] = set()

    def suite(self, file: str) -> dict | None:
        """The suite as `warpmark list --json` has it, None if none of its cases is selected."""
        if file not in self._suites and file not in self._errors:
            files, self.found = list(dict.fromkeys([*self.found, file])), []
            # One process for all that are known by now. Two files may make a suite of one name,
            # which is no mistake here: those are asked for again, each alone.
            self._list(files)
            for other in files:
                if len(files) > 1 and other not in self._suites:
                    self._list([other])
        if file in self._errors:
            raise self._errors[file]
        return self._suites[file]

    def _list(self, files: list[str]) -> None:
        select = self.config.getoption("--warpmark-select")
        words = ["--select=" + select] if select else []
        document, code, errors = listing([*words, "--", *files],
                                         cwd=self.config.invocation_params.dir)
        suites = {suite["file"]: suite for suite in document["suites"]} if document else {}
        failures = document.get("failures", []) if document else []
        self._suites.update(suites)
        if len(files) > 1:
            return
        if failures or (document is None and not (select and "selects no case" in errors)):
            self._errors[files[0]] = error_of(code, failures[0]["error"] if failures else errors)
        else:
            self._suites.setdefault(files[0], next(iter(suites.values()), None))

    def outcome(self, item: CaseItem) -> tuple[Outcome, str]:
        """Runs the case, or waits for it where it already runs among others."""
        batch = self._batches.pop(item, None) or self._batch(item)
        return batch.take(item.name)

    def _batch(self, item: CaseItem) -> Batch:
        rest = self._run_with(item)
        groups: dict[int, list[CaseItem]] = {}
        files: dict[str, list[str]] = {}  # by the name of their suite
        for other in dict.fromkeys(rest):
            same = files.setdefault(other.suite, [])
            if str(other.path) not in same:
                same.append(str(other.path))
            # Files whose suites have one name never run together.
            groups.setdefault(same.index(str(other.path)), []).append(other)
        for items in groups.values():
            for some in split(items):
                batch = Batch(self.config, some)
                self._open.append(batch)
                self._batches.update(dict.fromkeys(some, batch))
        return self._batches.pop(item)

    def _run_with(self, item: CaseItem) -> list[CaseItem]:
        """The cases that this process of pytest will be asked for, with this one or after it."""
        if item in self._seen:  # again, for plugins that repeat failures
            return [item]
        all_items = [other for other in item.session.items if isinstance(other, CaseItem)]
        if hasattr(self.config, "workerinput"):
            # A worker of pytest-xdist does not know which tests it gets, unless by whole files.
            whole_files = self.config.workerinput.get("warpmark_dist") in ("loadfile", "loadscope")
            all_items = [other for other in all_items if other.path == item.path] if (
                whole_files) else [item]
        self._seen.update(all_items)
        return all_items

    def stop(self) -> None:
        for batch in self._open:
            batch.stop()


def split(items: list[CaseItem]) -> Iterator[list[CaseItem]]:
    """Parts whose ids fit on a command line."""
    part: list[CaseItem] = []
    length = 0
    for item in items:
        if part and length + len(item.name) > IDS_AT_A_TIME:
            yield part
            part, length = [], 0
        part.append(item)
        length += len(item.name)
    if part:
        yield part


SESSION = pytest.StashKey[Session]()
