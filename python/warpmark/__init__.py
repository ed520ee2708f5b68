"""Warpmark: checks, benchmarks and grades CUDA kernels.

    import warpmark
    results = warpmark.check("suite.yaml", device="cpu", arrays="failed")

`check`, `bench`, `list_cases` and `try_` run the program `warpmark` as a process of its own, in this
Python, and return what it recorded. `%load_ext warpmark` gives notebooks `%%warpmark`.
"""
import importlib

TYPE_CHECKING = False  # as in `typing`, which takes time to load
if TYPE_CHECKING:
    from warpmark._arrays import Arrays
    from warpmark._commands import Case, bench, check, list_cases
    from warpmark._errors import (CheckFailed, EnvironmentMissing, InternalError, Interrupted,
                                  UsageError, WarpmarkError)
    from warpmark._grading import Grade, Grader, Judge, Judgement, grade, try_
    from warpmark._results import Outcome, Place, Results

# The program itself imports this package, too: modules are loaded on first use.
_HOMES = {
    "check": "_commands", "bench": "_commands", "list_cases": "_commands", "Case": "_commands",
    "try_": "_grading", "Grade": "_grading", "Grader": "_grading", "grade": "_grading",
    "Judge": "_grading", "Judgement": "_grading",
    "Results": "_results", "Outcome": "_results", "Place": "_results", "Arrays": "_arrays",
    "WarpmarkError": "_errors", "UsageError": "_errors", "EnvironmentMissing": "_errors",
    "InternalError": "_errors", "Interrupted": "_errors", "CheckFailed": "_errors",
}
__all__ = [*_HOMES, "load_ipython_extension"]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError("module 'warpmark' has no attribute %r" % name)
    value = getattr(importlib.import_module("warpmark." + _HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOMES})


def load_ipython_extension(shell):
    """Registers the cell magic `%%warpmark`; `%load_ext warpmark` calls this."""
    from warpmark.notebook import register
    register(shell)
