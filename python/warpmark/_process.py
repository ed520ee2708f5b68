"""Runs the program as a process of its own and reads what it writes, as it writes it."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from warpmark.places import PACKAGE

GRACE_S = 10  # for an interrupted program to end its case and its workers
LONGEST_LOG = 1 << 20  # bytes; of what kernels print, the end is what one looks at


class Process:
    """A running `warpmark`. Iterate over `records()`, then ask `finish()` for the exit code.

    Its standard input is the text `given`, or with `asks` what `send()` writes, until `end_input()`.

    Used as a context manager it never outlives the block: KeyboardInterrupt and every other
    exception end it, as Ctrl-C in a terminal would.
    """

    def __init__(self, words: Sequence[str], cwd: str | os.PathLike | None = None,
                 environment: Mapping[str, str] | None = None, given: str | None = None,
                 asks: bool = False):
        if not sys.executable:
            raise RuntimeError("this Python does not say which program it is (sys.executable)")
        # Its length is not known: a kernel may print any amount. A pipe that nobody reads blocks.
        self._errors = tempfile.TemporaryFile(prefix="warpmark-")
        self._taken = 0
        given_file = None
        try:
            if given is not None:  # a file, because a pipe may fill up before somebody reads it
                given_file = tempfile.TemporaryFile(prefix="warpmark-")
                given_file.write(given.encode())
                given_file.seek(0)
            self._child = subprocess.Popen(
                [sys.executable, os.path.join(PACKAGE, "__main__.py"), *words], cwd=cwd,
                env={**os.environ, **(environment or {}), "WARPMARK_PARENT": str(os.getpid())},
                stdin=subprocess.PIPE if asks else given_file or subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors)
        except BaseException:
            self._errors.close()
            raise
        finally:
            if given_file is not None:
                given_file.close()
        assert self._child.stdout
        self._out: IO[bytes] = self._child.stdout

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_exception) -> None:
        self.stop()

    def send(self, line: str) -> None:
        """Writes a line to the standard input; a program that has ended is seen by who reads."""
        try:
            self._child.stdin.write(line.encode() + b"\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            pass

    def end_input(self) -> None:
        try:
            self._child.stdin.close()
        except BrokenPipeError:
            pass

    def output(self) -> str:
        """All of the standard output; waits for its end."""
        return self._out.read().decode(errors="replace")

    def records(self) -> Iterator[dict]:
        """The lines of `--json` as they come: dicts as in schema/outcome.json."""
        for line in self._out:
            if line.endswith(b"\n"):  # else the program was killed while it wrote
                yield json.loads(line)

    def finish(self) -> int:
        """Waits for the end. The exit code is negative for a signal that killed the program."""
        self._out.close()
        return self._child.wait()

    def errors(self) -> str:
        """The standard error until now: messages, and what kernels print. At most the last MiB."""
        size = os.fstat(self._errors.fileno()).st_size
        start = max(0, size - LONGEST_LOG)
        return os.pread(self._errors.fileno(), size - start, start).decode(errors="replace")

    def new_errors(self) -> str:
        """The part of the standard error that came since the last call."""
        size = os.fstat(self._errors.fileno()).st_size
        start, self._taken = max(self._taken, size - LONGEST_LOG), size
        return os.pread(self._errors.fileno(), size - start, start).decode(errors="replace")

    def stop(self) -> None:
        """Ends the program if it still runs, and closes its files."""
        try:
            if self._child.poll() is None:
                self._out.close()  # or it might wait for a reader
                # In a terminal it has had the same Ctrl-C already; at once, both count as one.
                self._child.send_signal(signal.SIGINT)
                self._child.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if self._child.poll() is None:
                self._child.kill()
                self._child.wait()
            self._out.close()
            self._errors.close()
