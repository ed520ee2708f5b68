"""The exceptions of the module: the program's own message and hint, by its exit code."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warpmark._results import Results


class WarpmarkError(Exception):
    """The program could not do what was asked. `str()` is what it printed.

    `message` is the first line without the word "error", `hint` says what to do ("" if nothing),
    `exit_code` is the program's, and `results` has the outcomes that it had recorded until then.
    """

    def __init__(self, text: str, exit_code: int = 0, results: Results | None = None):
        text = re.sub(r"\Aerror: ", "", text.strip())
        super().__init__(text)
        self.exit_code = exit_code
        self.results = results
        self.message = text.split("\n", 1)[0]
        hint = re.search(r"^ *hint: (.*)$", text, re.M)
        self.hint = hint.group(1) if hint else ""


class UsageError(WarpmarkError):
    """Wrong arguments, or nothing that can be loaded (exit code 2). No case ran."""


class EnvironmentMissing(WarpmarkError):
    """This machine lacks something: a device, NVRTC, NumPy, room on a disk (exit code 3)."""


class InternalError(WarpmarkError):
    """A mistake in Warpmark itself (exit code 4, or a crash)."""


class Interrupted(WarpmarkError):
    """A signal that did not come from here ended the program. `results` has what came before."""


class CheckFailed(WarpmarkError, AssertionError):
    """Cases failed: from `Results.raise_on_failure()`. `results` has all outcomes."""


def error_of(exit_code: int, text: str, results: Results | None = None) -> WarpmarkError:
    """The exception for an exit code that is not about verdicts; `text` is the standard error."""
    kind: type[WarpmarkError] = InternalError
    if exit_code == 2:
        kind = UsageError
    elif exit_code == 3:
        kind = EnvironmentMissing
    elif exit_code in (129, 130, 143):
        kind = Interrupted
    return kind(text or "warpmark ended with exit code %d and no message" % exit_code, exit_code,
                results)
