"""try_: a student's file on the visible cases of an assignment."""
from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from warpmark._errors import error_of
from warpmark._process import Process

JUDGED = (0, 1)  # exit codes: all points, or some are lost


@dataclass(frozen=True)
class Grade:
    """What a student sees of a grade. Prints as a text."""
    assignment: str
    points: float
    max_points: float
    state: str  # "graded", "compile_error", "refused" …
    message: str  # what happened, unless it was graded
    cases: list[dict[str, Any]] = field(repr=False)  # with `name`, `points`, `word` and `items`
    record: dict[str, Any] = field(repr=False)  # all of it, as in schema/grade.json

    @property
    def ok(self) -> bool:
        """Whether it got all points."""
        return self.points >= self.max_points

    def __str__(self) -> str:
        lines = ["%s: %s of %s points" % (self.assignment, _points(self.points),
                                          _points(self.max_points))]
        if self.message:
            lines.append(self.message)
        for case in self.cases:
            lost = case["max_points"] - case["points"]
            if lost <= 0 or self.message:
                continue
            lines.append("LOST %s of %s points: %s" % (
                _points(lost), _points(case["max_points"]), case["name"]))
            for item in case["items"]:
                if item["word"] != "pass":
                    lines.append("  %s: %s" % (item["case"], item["explanation"]))
            if case["hint"]:
                lines.append("  hint: " + case["hint"])
        return "\n".join(lines)

    def _repr_pretty_(self, printer, _cycle):
        printer.text(str(self))


def try_(assignment: str | os.PathLike, source: str, *, device: str = "auto",
         cases: str | Iterable[str] | None = None, seed: int | None = None,
         options: Sequence[str] = ()) -> Grade:
    """Grades CUDA C++ on the visible cases of an assignment, as `warpmark try` does.

    assignment: the path of its YAML file, as `warpmark handout` wrote it.
    source: the text that would be handed in.
    device: "auto", "gpu", "cpu", or one with a number, "gpu:1".
    cases: only the case of this name or id, or these. seed: the inputs of one failure, as in its
        `reproduce`; together with `cases`.
    options: further options of the program, as in a shell.

    Lost points are part of the result. Raises UsageError, EnvironmentMissing or InternalError (see
    WarpmarkError) where nothing could be graded, with the program's message.
    """
    words = ["--device", device] if device != "auto" else []
    for case in [cases] if isinstance(cases, str) else cases or []:
        words.append("--case=" + case)
    if seed is not None:
        words.append("--seed=%d" % seed)
    with Process(["try", "--json", *words, *options, "--", os.fspath(assignment), "-"],
                 given=source) as process:
        text = process.output()
        code = process.finish()
        errors = process.errors()
    if code not in JUDGED:
        raise error_of(code, errors)
    record = json.loads(text)
    return Grade(record["assignment"], record["points"], record["max_points"], record["state"],
                 record["message"], record["cases"], record)


def _points(value: float) -> str:
    return "%.10g" % round(value, 2)
