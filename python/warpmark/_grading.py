"""try_: a student's file on the visible cases of an assignment. Grader, grade: on all of them. Judge: candidates for a suite's kernel."""
from __future__ import annotations

import atexit
import base64
import contextlib
import json
import os
import pathlib
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from warpmark._errors import UsageError, error_of
from warpmark._process import Process

JUDGED = (0, 1)  # exit codes: all points, or some are lost


@dataclass(frozen=True)
class Grade:
    """A student's view of a grade. Prints as a text."""
    assignment: str
    points: float
    max_points: float
    state: str  # "graded", "compile_error", "refused" …
    message: str  # what happened, unless it was graded
    cases: list[dict[str, Any]] = field(repr=False)  # with `name`, `points`, `word` and `items`
    record: dict[str, Any] = field(repr=False)  # all of it, as in schema/grade.json

    @property
    def ok(self) -> bool:
        """True if it got all points."""
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
            lines.append("LOST %s of %s points: %s%s%s" % (
                _points(lost), _points(case["max_points"]), case["name"],
                " (extra credit)" if case.get("extra") else "",
                "" if case["items"] else ", " + case["word"]))  # of a hidden case that is all
            for item in case["items"]:
                if item["word"] != "pass":
                    lines.append("  %s: %s" % (item["case"], item["explanation"] or item["word"]))
                elif item.get("performance"):
                    lines.append("  %s: %.3g times the baseline" % (item["case"], item["performance"]["ratio"]))
            if case["hint"]:
                lines.append("  hint: " + case["hint"])
        return "\n".join(lines)

    def _repr_pretty_(self, printer, _cycle):
        printer.text(str(self))


Source = Union[str, Mapping[str, str]]  # a text; or several by name, headers among them


def try_(assignment: str | os.PathLike, source: Source, *, device: str = "auto",
         cases: str | Iterable[str] | None = None, seed: int | None = None,
         options: Sequence[str] = ()) -> Grade:
    """Grades CUDA C++ on the visible cases of an assignment, as `warpmark try` does.

    assignment: the path of its YAML file, as `warpmark handout` wrote it.
    source: the text that would be handed in; of several files, and of one with headers, a dict of
        texts by the names of the files.
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
    with _handed_in(source) as (name, given):
        with Process(["try", "--json", *words, *options, "--", os.fspath(assignment), name],
                     given=given) as process:
            text = process.output()
            code = process.finish()
            errors = process.errors()
    if code not in JUDGED:
        raise error_of(code, errors)
    return _grade_of(json.loads(text))


@contextlib.contextmanager
def _handed_in(source: Source) -> Iterator[tuple[str, str | None]]:
    """The input of `try`: standard input, or a folder of the files."""
    if isinstance(source, str):
        yield "-", source
        return
    if not source:
        raise UsageError("no file: give texts by the names of their files")
    with tempfile.TemporaryDirectory(prefix="warpmark-try-") as folder:
        for name, text in source.items():
            parts = pathlib.PurePosixPath(name).parts
            if not parts or name.startswith("/") or ".." in parts or "\0" in name:
                raise UsageError("`%s` is no name of a file below a folder" % name)
            path = pathlib.Path(folder, *parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        yield folder, None


class _Stream:
    """A running program that answers a line of JSON for each text, in any order."""

    def __init__(self, words: Sequence[str], member: str):
        self._member = member  # of an answer
        self._lock = threading.Lock()
        self._asked = 0
        self._process = Process(words, asks=True)
        self._records = self._process.records()

    def close(self) -> None:
        self._process.end_input()
        self._process.stop()

    def answers(self, sources: Iterable[Source]) -> Iterator[dict]:
        """The answer to each text, in their order, several at the same time."""
        with self._lock:
            first = self._asked
            failed: list[BaseException] = []

            def send() -> None:
                try:
                    for source in sources:
                        what = {"text": source} if isinstance(source, str) else {"files": dict(source)}
                        self._process.send(json.dumps({"id": self._asked, **what}))
                        self._asked += 1
                except BaseException as error:  # of the caller's iterator: it is raised there
                    failed.append(error)

            sender = threading.Thread(target=send, daemon=True)
            sender.start()
            known: dict[int, dict] = {}
            wanted = first
            while sender.is_alive() or wanted < self._asked:
                if wanted in known:
                    yield known.pop(wanted)
                    wanted += 1
                    continue
                if wanted >= self._asked:  # the iterator takes its time
                    sender.join(0.05)
                    continue
                answer = next(self._records, None)
                if answer is None:
                    raise error_of(self._process.finish(), self._process.errors())
                if "error" in answer:
                    raise UsageError(answer["error"])
                known[answer["id"]] = answer[self._member]
            if failed:
                raise failed[0]


class Grader:
    """Grades texts on all cases of an assignment, hidden ones too: a running `warpmark grade --stream`.

    assignment: the path of its YAML file. secret: the file of the course's secret, from which inputs
        are made; without one they are made from a secret of this object's own.
    device: as of try_. jobs: texts that are graded at the same time; None: one for each processor.
    options: further options of the program, as in a shell.

    A text may be a dict of several by the names of their files, as for try_. Each submission is
    compiled and run in confined processes of its own, as a class's are. A
    context manager; `close()` ends it. Raises what try_ raises, when the first text is graded.
    Threads may share one; their texts are graded one after another.
    """

    def __init__(self, assignment: str | os.PathLike, *, secret: str | os.PathLike | None = None,
                 device: str = "auto", jobs: int | None = None, options: Sequence[str] = ()):
        words = ["--device", device] if device != "auto" else []
        if jobs is not None:
            words.append("--jobs=%d" % jobs)
        self._own_secret = None
        if secret is None:
            self._own_secret = tempfile.NamedTemporaryFile(prefix="warpmark-secret-")
            self._own_secret.write(base64.b64encode(os.urandom(32)))
            self._own_secret.flush()
            secret = self._own_secret.name
        self._stream = _Stream(["grade", os.fspath(assignment), "--stream", "-q", "--secret", os.fspath(secret),
                                *words, *options], "result")

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()

    def close(self) -> None:
        self._stream.close()
        if self._own_secret is not None:
            self._own_secret.close()
            self._own_secret = None

    def grade(self, source: Source) -> Grade:
        """The grade of one text."""
        (result,) = self.grades([source])
        return result

    def grades(self, sources: Iterable[Source]) -> Iterator[Grade]:
        """The grade of each text, in their order, several at the same time."""
        return (_grade_of(record) for record in self._stream.answers(sources))


@dataclass(frozen=True)
class Judgement:
    """The verdict on one candidate. Prints as a text."""
    verdict: str  # "right", "wrong", "unclean", "not compiled", "refused", "not judged"
    feedback: str  # to hand back to the writer
    ratio: float | None  # to the task's own kernel, less is better; None if it was not measured
    record: dict[str, Any] = field(repr=False)  # all of it, as in schema/judgement.json

    @property
    def ok(self) -> bool:
        """True if it is right, clean and honest."""
        return self.verdict == "right"

    def __str__(self) -> str:
        return "\n".join([self.verdict, self.feedback or self.record["problem"]]).rstrip()

    def _repr_pretty_(self, printer, _cycle):
        printer.text(str(self))


class Judge:
    """Judges candidates for the kernel of a task: a running `warpmark judge --stream`.

    task: the path of a suite, or of an assignment. secret: a file from which inputs are made;
        without one nobody knows them. trials: of each case of a suite, with other inputs.
    speed: counters of the CPU device, "gpu" for times, or "none". device: "cpu", "gpu", "gpu:1".
    jobs: candidates at the same time; None: one for each processor.
    options: further options of the program, as in a shell.

    A context manager; `close()` ends it. Raises what try_ raises, when the first candidate is
    judged. Threads may share one; their candidates are judged one after another.
    """

    def __init__(self, task: str | os.PathLike, *, secret: str | os.PathLike | None = None, trials: int | None = None,
                 speed: str | Iterable[str] | None = None, device: str = "cpu", jobs: int | None = None,
                 options: Sequence[str] = ()):
        given = {"secret": secret, "trials": trials, "jobs": jobs, "device": device,
                 "speed": speed if speed is None or isinstance(speed, str) else ",".join(speed)}
        words = ["--%s=%s" % (name, value) for name, value in given.items() if value is not None]
        self._stream = _Stream(["judge", os.fspath(task), "--stream", "-q", *words, *options], "judgement")

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()

    def close(self) -> None:
        self._stream.close()

    def judge(self, candidate: Source) -> Judgement:
        """The verdict on one candidate."""
        (judgement,) = self.judgements([candidate])
        return judgement

    def judgements(self, candidates: Iterable[Source]) -> Iterator[Judgement]:
        """The verdict on each candidate, in their order, several at the same time."""
        for record in self._stream.answers(candidates):
            yield Judgement(record["verdict"], record["feedback"], record["fast"]["ratio"], record)


_graders: dict[tuple, Grader] = {}


def grade(assignment: str | os.PathLike, source: Source, *, secret: str | os.PathLike | None = None,
          device: str = "auto") -> Grade:
    """Grades a text on all cases of an assignment, as `warpmark grade` does.

    The arguments are those of Grader. The processes that grade stay for the next call with the same
    ones, until Python ends; after a change of the assignment's file others start.
    """
    path = os.path.abspath(assignment)
    key = (path, os.stat(path).st_mtime_ns, None if secret is None else os.fspath(secret), device)
    grader = _graders.get(key)
    if grader is None:
        for old in [one for one in _graders if one[0] == path]:
            _graders.pop(old).close()
        grader = _graders[key] = Grader(path, secret=secret, device=device)
    try:
        return grader.grade(source)
    except BaseException:
        _graders.pop(key).close()
        raise


@atexit.register
def _close_graders() -> None:
    while _graders:
        _graders.popitem()[1].close()


def _grade_of(record: dict) -> Grade:
    return Grade(record["assignment"], record["points"], record["max_points"], record["state"],
                 record["message"], record["cases"], record)


def _points(value: float) -> str:
    return "%.10g" % round(value, 2)
