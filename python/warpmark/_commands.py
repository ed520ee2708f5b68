"""check, bench and list_cases: the program's commands as functions."""
from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from warpmark._errors import error_of
from warpmark._process import Process
from warpmark._results import Outcome, Results, axes_of, outcome_of
from warpmark._sources import SuiteLike, Suites

Axes = Mapping[str, Union[str, int, float, Iterable[Any]]]
JUDGED = (0, 1, 77)  # exit codes of runs whose outcomes say everything


@dataclass(frozen=True)
class Case:
    """A case as `warpmark list` has it. `skip` is the reason of the rule that skips it, or None."""
    id: str
    suite: str
    file: str
    axes: dict[str, Any]
    skip: str | None


def check(suites: SuiteLike | Iterable[SuiteLike] | Suites = "suites", *, device: str = "auto",
          select: str | None = None, cases: str | Iterable[str] | None = None,
          axes: Axes | None = None, checks: str | Iterable[str] | None = None,
          counters: bool = False, sanitize: str | bool | None = None, trials: int | None = None,
          trial: int | None = None, seed: int | None = None, timeout: float | None = None,
          max_failures: int | None = None, arrays: bool | str = False,
          keep: str | os.PathLike | None = None, source: str | None = None,
          options: Sequence[str] = ()) -> Results:
    """Runs cases and compares them with their references, as `warpmark check` does.

    suites: a path of a suite file or a folder of them; the text of a suite; a suite as a dict,
        in which arrays may stand where a suite has NumPy (`{"in": a}`, a reference, a bound of
        a check); or a list of these. Relative paths in text and dicts start at the working folder.
    device: "auto", "gpu", "cpu", or one with a number, "gpu:1".
    select: only cases whose ids hold a word; with and, or, not, parentheses and * (`-k`).
    cases: only the case of this id, or of these.
    axes: other values for axes: {"n": [1, 1000]}, in the language of suites ("2**20").
    checks: what the CPU device looks for, as `warpmark check --checks`: "memory,race"; default all.
    counters: count what launches move, in `Outcome.counters`; on the CPU device.
    sanitize: on a GPU, run under compute-sanitizer: True, or the name of its tool.
    trials, trial: how often each case runs, with other inputs each time; the one that runs.
    seed: of all inputs. timeout: seconds that the device part of a case may take.
    max_failures: stop after as many; the other cases are `not_run`.
    arrays: "failed" (or "all", True) keeps inputs, outputs and expected values of cases that
        failed (of all cases) in temporary files, which live as long as the results.
    keep: a folder where to keep them instead, with sources and PTX; it stays.
    source: CUDA C++ to use instead of the file that the suite names as its kernel's.
    options: further options of the program, as in a shell.

    Suites that cannot be loaded are outcomes `NAME.not_loaded`. Raises UsageError,
    EnvironmentMissing or InternalError (see WarpmarkError) if there is nothing to run or no way to,
    with the program's message. Ctrl-C ends the run and raises KeyboardInterrupt.
    """
    if arrays not in (False, None, True, "failed", "all"):
        raise ValueError("arrays must be False, \"failed\" or \"all\", not %r" % (arrays,))
    words = _common(device, select, cases, axes, seed, timeout, max_failures)
    if checks is not None:
        words += ["--checks", checks if isinstance(checks, str) else ",".join(checks)]
    if counters:
        words.append("--counters")
    if sanitize:
        words.append("--sanitize" if sanitize is True else "--sanitize=" + sanitize)
    if trials is not None:
        words += ["--trials", str(trials)]
    if trial is not None:
        words += ["--trial", str(trial)]
    owner = None
    if arrays and keep is None:
        owner = tempfile.TemporaryDirectory(prefix="warpmark-")
        keep = os.path.join(owner.name, "kept")
    if keep is not None:
        words += ["--keep", os.fspath(keep)]
        if arrays in (True, "all"):
            words.append("--keep-all")
    return _run("check", suites, source, [*words, *options],
                os.path.abspath(keep) if keep is not None else None, owner)


def bench(suites: SuiteLike | Iterable[SuiteLike] = "suites", *, device: str = "auto",
          select: str | None = None, cases: str | Iterable[str] | None = None,
          axes: Axes | None = None, cache: str | None = None, budget: float | None = None,
          precision: float | None = None, max_samples: int | None = None, seed: int | None = None,
          timeout: float | None = None, max_failures: int | None = None,
          source: str | None = None, options: Sequence[str] = ()) -> Results:
    """Measures how long cases take that are right, as `warpmark bench` does.

    cache: state of the last-level cache, "cold" (default), "hot" or "both".
    budget: seconds that the samples of a case may take. precision: the share of the median to know
    it to. max_samples: of a case. The other arguments and errors are those of `check`.

    Times are in `Outcome.measurement` (seconds, schema/outcome.json) and as columns in `rows()`:
    `median_s`, `low_s`, `high_s`, `bytes_per_s` … On the CPU device counters are the figures.
    """
    words = _common(device, select, cases, axes, seed, timeout, max_failures)
    for option, value in (("--cache", cache), ("--budget-s", budget), ("--precision", precision),
                          ("--max-samples", max_samples)):
        if value is not None:
            words += [option, str(value)]
    return _run("bench", suites, source, [*words, *options], None, None)


def list_cases(suites: SuiteLike | Iterable[SuiteLike] = "suites", *, select: str | None = None,
               axes: Axes | None = None, bench: bool = False) -> list[Case]:
    """The cases of suites, without running any; `bench`: those that `bench` measures.

    Raises UsageError if any of the suites cannot be loaded.
    """
    with Suites(suites) as given:
        words = [*_selection(select, None, axes), *(["--bench"] if bench else [])]
        document, code, errors = listing([*words, *_paths(given)], given.environment)
        if document is None or document.get("failures"):
            raise error_of(code, given.known_names(errors))
        document = given.known_names(document)
    return [Case(case["id"], suite["name"], suite["file"], axes_of(case["id"], suite["name"]),
                 case["skip"]) for suite in document["suites"] for case in suite["cases"]]


def listing(words: Sequence[str], environment: Mapping[str, str] | None = None,
            cwd: str | os.PathLike | None = None) -> tuple[dict | None, int, str]:
    """The output of `list --json` (None if there is none), its exit code and its standard error."""
    with Process(["list", "--json", *words], cwd, environment) as process:
        text = process.output()
        code = process.finish()
        document = json.loads(text) if code in (0, 2) and text.strip() else None
        return document, code, process.errors()


def _run(command: str, suites: SuiteLike | Iterable[SuiteLike] | Suites, source: str | None,
         words: Sequence[str], kept: str | None, owner: Any) -> Results:
    run: dict[str, Any] = {}
    end: dict[str, Any] = {}
    outcomes: list[Outcome] = []
    with contextlib.ExitStack() as stack:
        if owner is not None:  # until the outcomes have it
            stack.callback(lambda: None if outcomes else owner.cleanup())
        given = stack.enter_context(
            suites if isinstance(suites, Suites) else Suites(suites, source))
        process = stack.enter_context(
            Process([command, "--json", *words, *_paths(given)], environment=given.environment))
        for record in process.records():
            if record["type"] == "run":
                run = record
            elif record["type"] == "case":
                outcomes.append(outcome_of(given.known_names(record), kept, owner))
            elif record["type"] == "end":
                end = record
        code = process.finish()
        errors = given.known_names(process.errors())
    results = Results(outcomes, run, errors if code in JUDGED else "", end.get("seconds"))
    if code not in JUDGED:
        raise error_of(code, errors, results)
    return results


def _paths(given: Suites) -> list[str]:
    return ["--", *given.paths] if given.paths else []


def _common(device: str, select: str | None, cases: str | Iterable[str] | None, axes: Axes | None,
            seed: int | None, timeout: float | None, max_failures: int | None) -> list[str]:
    words = ["--device", device] if device != "auto" else []
    words += _selection(select, cases, axes)
    for option, value in (("--seed", seed), ("--timeout-s", timeout),
                          ("--maxfail", max_failures)):
        if value is not None:
            words += [option, str(value)]
    return words


def _selection(select: str | None, cases: str | Iterable[str] | None,
               axes: Axes | None) -> list[str]:
    words = []
    if select is not None:
        words.append("--select=" + select)
    for case in [cases] if isinstance(cases, str) else cases or []:
        words.append("--case=" + case)
    for name, values in (axes or {}).items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            values = [values]
        words.append("--axis=%s=%s" % (name, ",".join(str(value) for value in values)))
    return words
