"""Outcomes of cases as Python objects, from the records of the journal (schema/outcome.json)."""
from __future__ import annotations

import html
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from warpmark._arrays import Arrays
from warpmark._errors import CheckFailed

VERDICTS = ("passed", "failed", "skipped", "interrupted", "not_run")
NUMBER = re.compile(r"-?(\d+(\.\d*)?([eE][-+]?\d+)?)\Z")
MOST_SHOWN = 200  # rows of a table in a notebook
MOST_BLOCKS = 20
MOST_IDS = 6
# Failures that are the same in all cases where they happen at one place of a file.
AT_A_PLACE = ("fault", "limit", "finding", "signature", "launch", "input", "reference")


def axes_of(case: str, suite: str) -> dict[str, Any]:
    """The axes in a case's id: numbers and booleans as such, everything else (labels) as text."""
    axes: dict[str, Any] = {}
    for part in case[len(suite) + 1:].split(","):
        name, equals, text = part.partition("=")
        if not equals:
            continue  # `default`, `not_loaded`
        text = text.replace("~", "-")
        if NUMBER.match(text):
            axes[name] = float(text) if re.search(r"[.eE]", text) else int(text)
        else:
            axes[name] = text == "True" if text in ("True", "False") else text
    return axes


@dataclass(frozen=True)
class Place:
    """A place in a file; line and column count from 1, and 0 is unknown."""
    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)


@dataclass(frozen=True)
class Outcome:
    """How one case ended.

    `verdict` is passed, failed, skipped, interrupted or not_run. `failure` is the kind of a failure
    ("none", "compile", "wrong", "fault" …), `reason` one line, `message` the whole text. `seconds`
    is wall clock (None if unknown). `findings` are the device's reports, `comparisons` say for
    each output how many elements are wrong and which, `counters` what each launch counted (of
    `check` only with `counters=True`; of `bench` on a device that counts, the sums of one run),
    `measurement` what `bench` measured. `record` is all of it as the program wrote it
    (schema/outcome.json).
    """
    id: str
    suite: str
    axes: dict[str, Any]
    verdict: str
    failure: str
    reason: str
    message: str
    where: Place | None
    seconds: float | None
    comparisons: list[dict]
    findings: list[dict]
    notices: list[str]
    counters: list[dict]
    measurement: dict | None
    reproduce: str
    record: dict = field(repr=False)
    folder: str | None = field(default=None, repr=False)
    _owner: object = field(default=None, repr=False, compare=False)

    @property
    def passed(self) -> bool:
        return self.verdict == "passed"

    @property
    def inputs(self) -> Arrays:
        """Arguments before the launch, by name."""
        return self._arrays("inputs")

    @property
    def outputs(self) -> Arrays:
        """Arrays after the launch, by name; as they were filled if it did not complete."""
        return self._arrays("outputs")

    @property
    def expected(self) -> Arrays:
        """The values of the references, by the name of the output."""
        return self._arrays("references")

    def _arrays(self, kind: str) -> Arrays:
        return Arrays(os.path.join(self.folder, kind) if self.folder else None, self._owner)

    @property
    def text(self) -> str:
        """The program's text about the case: the message, and how to repeat it."""
        lines = [self.message or self.reason]
        lines += ["notice: " + notice for notice in self.notices]
        if self.reproduce and self.verdict == "failed":
            lines.append("reproduce: " + self.reproduce)
        return "\n".join(line for line in lines if line)

    def __str__(self) -> str:
        return block([self])

    def __repr__(self) -> str:
        why = ": " + self.reason if self.reason else ""
        return "<%s %s%s>" % (self.id, self.verdict, why)

    def rows(self) -> list[dict[str, Any]]:
        """Flat dicts: one, or one for each mode that `bench` measured."""
        row = {"id": self.id, "suite": self.suite, "verdict": self.verdict, "failure": self.failure,
               "reason": self.reason, "file": self.where.file if self.where else None,
               "line": self.where.line or None if self.where else None, "seconds": self.seconds,
               "elements": sum(output["elements"] for output in self.comparisons),
               "wrong": sum(output["wrong"] for output in self.comparisons)}
        more: dict[str, Any] = {}
        for launch in self.counters:
            for name, value in launch.items():
                if isinstance(value, int) and not isinstance(value, bool) and name != "launch":
                    more[name] = more.get(name, 0) + value
        tables = [{**row, **more}]
        if self.measurement:
            tables = [{**row, **{key: value for key, value in series.items() if key != "samples_s"},
                       **more} for series in self.measurement["series"]] or tables
        for table in tables:
            for name, value in self.axes.items():
                table["axis_" + name if name in table else name] = value
        return tables


def block(alike: Sequence[Outcome]) -> str:
    """The program's text about cases that ended alike."""
    first = alike[0]
    more = " and %d more case%s" % (len(alike) - 1, "s" * (len(alike) > 2)) if alike[1:] else ""
    lines = [first.verdict.upper().replace("_", " ") + " " + first.id + more]
    lines += ["  " + line if line else "" for line in first.text.splitlines()]
    if more:
        others = [outcome.id for outcome in alike[1:1 + MOST_IDS]]
        rest = len(alike) - 1 - len(others)
        lines.append("  the same in " + ", ".join(others) + (" and %d more" % rest) * (rest > 0))
    return "\n".join(lines)


def cause(outcome: Outcome) -> tuple:
    """Equal for outcomes to be printed once: thread and element differ from case to case."""
    if outcome.failure in AT_A_PLACE and outcome.where:
        reason = re.sub(r",? by thread.*", "", outcome.reason)
        return outcome.verdict, outcome.failure, outcome.where, re.sub(r"\d+", "#", reason)
    wrong = [output for output in outcome.comparisons if output["wrong"]]
    if outcome.failure in ("wrong", "unwritten") and wrong and not outcome.findings and all(
            output["wrong"] == output["elements"] for output in wrong):
        return outcome.verdict, outcome.failure, outcome.where, *(one["name"] for one in wrong)
    return outcome.verdict, outcome.message or outcome.reason, *outcome.notices


class Results(Sequence):
    """The outcomes of a run, in the order of the cases: a sequence of `Outcome`.

    `results["suite.n=4"]` is the outcome with this id. `device` says what the cases ran on, `run`
    is the record that opened the run, and `log` what the program wrote beside its records: what
    kernels print, and warnings.
    """

    def __init__(self, outcomes: Sequence[Outcome], run: Mapping[str, Any] | None = None,
                 log: str = "", seconds: float | None = None):
        self._outcomes = tuple(outcomes)
        self.run = dict(run or {})
        self.log = log
        self.seconds = seconds

    def __getitem__(self, index):
        if isinstance(index, str):
            for outcome in self._outcomes:
                if outcome.id == index:
                    return outcome
            raise KeyError("no case is called `%s`" % index)
        if isinstance(index, slice):
            return Results(self._outcomes[index], self.run, self.log, self.seconds)
        return self._outcomes[index]

    def __len__(self) -> int:
        return len(self._outcomes)

    @property
    def device(self) -> str:
        """The name of the device that the cases ran on."""
        return self.run.get("device", {}).get("name", "")

    @property
    def passed(self) -> list[Outcome]:
        return self._with("passed")

    @property
    def failed(self) -> list[Outcome]:
        return self._with("failed")

    @property
    def skipped(self) -> list[Outcome]:
        return self._with("skipped")

    @property
    def ok(self) -> bool:
        """At least one case passed, and all others passed or were skipped."""
        return bool(self.passed) and len(self.passed) + len(self.skipped) == len(self)

    def _with(self, verdict: str) -> list[Outcome]:
        return [outcome for outcome in self._outcomes if outcome.verdict == verdict]

    def rows(self) -> list[dict[str, Any]]:
        """Rows for `pandas.DataFrame`: a flat dict for each case, with a column for each axis.

        Times are in seconds, rates in units per second. An axis that has the name of another column
        is called `axis_NAME`. After `bench` there is a row for each mode (cold, hot …). A number
        that a case does not have is missing in its row.
        """
        return [row for outcome in self._outcomes for row in outcome.rows()]

    def raise_on_failure(self) -> Results:
        """Raises `CheckFailed` with the text of all failures, or returns these results.

        Cases that did not run to their end count as failures, and so does a run without a pass.
        """
        if not self.ok:
            raise CheckFailed("%s\n\n%s" % (self.summary(), "\n\n".join(self.blocks())), 1, self)
        return self

    def summary(self) -> str:
        """One line: `2 passed, 1 failed in 0.31 s`."""
        counts = [(len(self._with(verdict)), verdict.replace("_", " ")) for verdict in VERDICTS]
        text = ", ".join("%d %s" % count for count in counts if count[0]) or "no cases"
        return text if self.seconds is None else "%s in %.2f s" % (text, self.seconds)

    def blocks(self) -> list[str]:
        """The text of each cause, as the program prints it: what failed, was skipped, or noted."""
        alike: dict[tuple, list[Outcome]] = {}
        for outcome in self._outcomes:
            if not outcome.passed or outcome.notices:
                alike.setdefault(cause(outcome), []).append(outcome)
        return [block(group) for group in alike.values()]

    def __str__(self) -> str:
        return "\n\n".join([*self.blocks(), self.summary()])

    def _repr_pretty_(self, printer, _cycle) -> None:  # what IPython shows in a terminal
        printer.text(str(self))

    def __repr__(self) -> str:
        return "<Results: %s%s>" % (self.summary(), " on " + self.device if self.device else "")

    def _repr_html_(self) -> str:
        return page(self)


def page(results: Results) -> str:
    """The results as HTML for a notebook. Everything in it is text of suites and kernels."""
    def cells(kind: str, values) -> str:
        return "<tr>%s</tr>" % "".join(
            "<%s style='text-align:left'>%s</%s>" % (kind, html.escape(str(value)), kind)
            for value in values)

    axes = list(dict.fromkeys(name for outcome in results for name in outcome.axes))
    # Cases that did not pass come first if not everything can be shown.
    shown = sorted(results, key=lambda outcome: outcome.passed)[:MOST_SHOWN] if (
        len(results) > MOST_SHOWN) else list(results)
    parts = ["<p><b>%s</b>%s</p>" % (html.escape(results.summary()),
                                     html.escape(results.device and " on " + results.device))]
    blocks = results.blocks()
    parts += ["<pre>%s</pre>" % html.escape(text) for text in blocks[:MOST_BLOCKS]]
    if len(blocks) > MOST_BLOCKS:
        parts.append("<p>and %d more causes</p>" % (len(blocks) - MOST_BLOCKS))
    rows = [cells("td", [outcome.suite, *(outcome.axes.get(name, "") for name in axes),
                         outcome.verdict, outcome.reason,
                         "" if outcome.seconds is None else "%.3f" % outcome.seconds])
            for outcome in shown]
    parts.append("<table>%s%s</table>" % (
        cells("th", ["suite", *axes, "verdict", "reason", "seconds"]), "".join(rows)))
    if len(shown) < len(results):
        parts.append("<p>and %d more cases</p>" % (len(results) - len(shown)))
    return "\n".join(parts)


def outcome_of(record: Mapping[str, Any], kept: str | None = None,
               owner: tempfile.TemporaryDirectory | None = None) -> Outcome:
    """The outcome in a record of type `case`; `kept` is the folder that `--keep` named."""
    where = record["where"]
    measurement = record.get("measurement")
    counters = record.get("counters", [])
    axes = axes_of(record["case"], record["suite"])
    if measurement:
        axes = {axis["name"]: axis["value"] for axis in measurement["point"]}
        if measurement["counters"]:
            counters = [{pair["name"]: pair["value"] for pair in measurement["counters"]}]
    folder = os.path.join(kept, record["case"].replace("/", "+")) if kept else None
    return Outcome(
        id=record["case"], suite=record["suite"], axes=axes, verdict=record["verdict"],
        failure=record["failure"], reason=record["reason"], message=record["message"],
        where=Place(where["file"], where["line"], where["column"]) if where else None,
        seconds=record["seconds"], comparisons=record["outputs"], findings=record["findings"],
        notices=record["notices"], counters=counters, measurement=measurement,
        reproduce=record["reproduce"], record=dict(record), folder=folder, _owner=owner)
