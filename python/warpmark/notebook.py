"""The cell magic %%warpmark: a cell that is a kernel, or a whole suite, checked where it stands."""
from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping
from typing import Any

from warpmark._commands import check
from warpmark._errors import WarpmarkError
from warpmark._grading import Grade, try_
from warpmark._results import Results
from warpmark._sources import Suites

HELP = """Checks the kernel in the cell.

%%warpmark SUITE    the cell is CUDA C++, in place of the file that the suite names as its kernel's
%%warpmark          the cell is a whole suite, with the kernel in `source: |`
%%warpmark try ASSIGNMENT   the cell is what would be handed in, graded on the visible cases

SUITE is a file, or a variable of the notebook that holds a suite as a dict or as text. Line numbers
in messages are those of the cell, its first line being %%warpmark. The results are the value of the
cell (`_`); -o NAME also stores them in a variable."""


class Parser(argparse.ArgumentParser):
    """Mistakes end the cell, not the notebook's kernel."""

    def error(self, message):
        raise ValueError("%s\n%s" % (message, self.format_usage().strip()))

    def exit(self, status=0, message=None):
        raise StopIteration


def parser() -> Parser:
    result = Parser("%%warpmark", description=HELP,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("suite", nargs="?", metavar="SUITE")
    result.add_argument("-o", "--output", metavar="NAME", help="store the results in this variable")
    result.add_argument("--device", default="auto", help="auto (default), gpu, cpu, gpu:1 …")
    result.add_argument("-k", "--select", metavar="EXPR", help="cases whose ids match")
    result.add_argument("--case", action="append", metavar="ID", help="the case with this id")
    result.add_argument("-a", "--axis", action="append", default=[], metavar="AXIS=V,V",
                        help="other values for an axis")
    result.add_argument("--checks", metavar="LIST", help="what the CPU device looks for: memory,race (default all)")
    result.add_argument("--seed", type=int, metavar="N", help="seed of all inputs")
    result.add_argument("--trials", type=int, metavar="N", help="run each case N times")
    result.add_argument("--counters", action="store_true", help="count what launches move")
    result.add_argument("--arrays", choices=["failed", "all"], default="failed",
                        help="keep inputs, outputs and expected values (default: of failures)")
    return result


def try_parser() -> Parser:
    result = Parser("%%warpmark try", description="Grades the cell on the visible cases.")
    result.add_argument("assignment", metavar="ASSIGNMENT", help="its YAML file")
    result.add_argument("-o", "--output", metavar="NAME", help="store the grade in this variable")
    result.add_argument("--device", default="auto", help="auto (default), gpu, cpu …")
    result.add_argument("--case", action="append", metavar="ID", help="only this case")
    result.add_argument("--seed", type=int, metavar="N", help="the inputs of one failure")
    return result


def register(shell: Any) -> None:
    """Gives an IPython shell the cell magic."""
    def warpmark(line: str, cell: str) -> Results | Grade | None:
        return run_cell(line, cell, shell)

    warpmark.__doc__ = parser().format_help()
    shell.register_magic_function(warpmark, magic_kind="cell", magic_name="warpmark")


def run_cell(line: str, cell: str, shell: Any) -> Results | Grade | None:
    """Runs one cell; prints what went wrong with the cell itself, and then returns None."""
    try:
        words = shlex.split(line)
        if words[:1] == ["try"]:
            return try_cell(try_parser().parse_args(words[1:]), cell, shell)
        asked = parser().parse_args(words)
    except StopIteration:  # --help
        return None
    except ValueError as error:
        print("%%%%warpmark: %s" % error)
        return None
    if asked.output:
        shell.user_ns.pop(asked.output, None)  # not those of an earlier run, if this one fails
    text = "\n" + cell  # its line numbers count from the line of the magic
    try:
        suites = Suites(text) if asked.suite is None else Suites(
            suite_of(asked.suite, shell), text, "<cell>")
        results = check(
            suites, device=asked.device, select=asked.select, cases=asked.case, checks=asked.checks,
            seed=asked.seed, trials=asked.trials, counters=asked.counters, arrays=asked.arrays,
            options=["--axis=" + axis for axis in asked.axis])
    except (WarpmarkError, ValueError, TypeError) as error:
        # A traceback through this module would help nobody.
        print("%%%%warpmark: %s" % error)
        return None
    if results.log:
        print(results.log, end="" if results.log.endswith("\n") else "\n")
    if asked.output:
        shell.user_ns[asked.output] = results
    return results


def try_cell(asked: Any, cell: str, shell: Any) -> Grade | None:
    """Grades one cell; line numbers count from the line of the magic."""
    if asked.output:
        shell.user_ns.pop(asked.output, None)
    try:
        grade = try_(asked.assignment, "\n" + cell, device=asked.device, cases=asked.case,
                     seed=asked.seed)
    except WarpmarkError as error:
        print("%%%%warpmark: %s" % error)
        return None
    if asked.output:
        shell.user_ns[asked.output] = grade
    return grade


def suite_of(word: str, shell: Any) -> Any:
    """A path, or what the variable of this name holds."""
    value = shell.user_ns.get(word)
    if not os.path.exists(word) and (isinstance(value, Mapping) or isinstance(value, str)):
        return value
    return word
