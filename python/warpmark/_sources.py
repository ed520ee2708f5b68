"""Turns the suites that `check` and `bench` are given into paths: files, and suites in Python."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import Any, Union

from warpmark._errors import UsageError, error_of
from warpmark._overlay import Overlay
from warpmark._process import Process

SuiteLike = Union[str, os.PathLike, Mapping[str, Any]]
ENTRY = re.compile(r"""\bentry["']?\s*:\s*["']?\s*(?:\w+::)*([A-Za-z_]\w*)""")
FILE = re.compile(r"""\bfile["']?\s*:\s*["']?([^"',}\s#]+\.cuh?)""")


class Suites:
    """Paths for the program, and what must be there while it runs. A context manager.

    `one` is a path, a dict, the text of a suite (it has more than one line), or a list of these.
    `source` is CUDA C++ that stands for the kernel's file of the one suite that is given.
    """

    def __init__(self, one: SuiteLike | Iterable[SuiteLike] | None, source: str | None = None,
                 source_name: str = "<source>"):
        self.paths: list[str] = []
        self.environment: dict[str, str] = {}
        self._overlays: list[Overlay] = []
        self._exit = ExitStack()
        several = [one] if isinstance(one, (str, os.PathLike, Mapping)) else list(one or [])
        if source is not None and len(several) != 1:
            raise ValueError("`source` replaces the kernel of one suite, and %d are given"
                             % len(several))
        try:
            for suite in several:
                self._add(suite, source, source_name)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Suites:
        return self

    def __exit__(self, *_exception) -> None:
        self._exit.close()

    def known_names(self, record: Any) -> Any:
        """A record or text with the paths and commands that mean something to a person."""
        for overlay in self._overlays:
            # A case in a temporary folder cannot be repeated from a shell.
            if isinstance(record, dict) and overlay.holds(record.get("reproduce", "")):
                record = {**record, "reproduce": ""}
            record = overlay.original_names(record)
        return record

    def _add(self, suite: SuiteLike, source: str | None, source_name: str) -> None:
        if isinstance(suite, Mapping):
            self._add_dict(suite, source, source_name)
        elif isinstance(suite, str) and "\n" in suite:
            self._add_text(suite, source, source_name)
        elif source is not None:
            self._replace(os.fspath(suite), None, source, source_name)
        else:
            # `./-x.yaml` is no option, and an argument of a process holds no NUL.
            path = os.fspath(suite)
            self.paths.append(os.path.join(".", path) if path.startswith("-") else path)

    def _free(self, name: str) -> str:
        used = {os.path.basename(path) for path in self.paths}
        number = 1
        while "%s%s.yaml" % (name, "_%d" % number if number > 1 else "") in used:
            number += 1
        return "%s%s" % (name, "_%d" % number if number > 1 else "")

    def _open(self, folder: str, files: Mapping[str, str], names: Mapping[str, str]) -> Overlay:
        overlay = Overlay(folder, files, names)
        self._exit.callback(overlay.close)
        self._overlays.append(overlay)
        self.environment = overlay.environment()
        return overlay

    def _add_text(self, text: str, source: str | None, source_name: str) -> None:
        found = ENTRY.search(text)
        file = self._free(found.group(1) if found else "suite") + ".yaml"
        if source is not None:
            self._replace(file, text, source, source_name)
            return
        overlay = self._open(os.curdir, {file: text}, {})
        self.paths.append(str(overlay.folder / file))

    def _add_dict(self, suite: Mapping[str, Any], source: str | None, source_name: str) -> None:
        kernel = suite.get("kernel")
        entry = str(kernel.get("entry", "")) if isinstance(kernel, Mapping) else ""
        found = ENTRY.search("entry: " + entry)
        name = self._free(found.group(1) if found else "suite")
        files: dict[str, str] = {}
        names: dict[str, str] = {}
        if isinstance(kernel, Mapping):
            kernel = dict(kernel)
            text = source if source is not None else kernel.get("source")
            if isinstance(text, str) and suite.get("plugin", "source") == "source":
                # It goes into a separate file, so that messages name its lines.
                kernel.pop("source", None)
                kernel["file"] = name + ("_source.cu" if os.path.exists(name + ".cu") else ".cu")
                files[kernel["file"]] = text
                names[kernel["file"]] = source_name
            suite = {**suite, "kernel": kernel}
        overlay = self._open(os.curdir, files, names)
        arrays = overlay.folder / (name + ".arrays")
        if arrays.is_symlink():
            arrays.unlink()
        text = json.dumps(with_arrays(suite, arrays), indent=1, ensure_ascii=False, default=plain)
        file = overlay.folder / (name + ".yaml")
        if file.is_symlink():
            file.unlink()
        file.write_text(text + "\n", encoding="utf-8")
        self.paths.append(str(file))

    def _replace(self, path: str, text: str | None, source: str, source_name: str) -> None:
        """The suite at `path` (or `text` there) with `source` in place of its kernel's file."""
        folder, file = os.path.split(path)
        if text is None:
            try:
                with open(path, encoding="utf-8") as stream:
                    text = stream.read()
            except IsADirectoryError:
                raise UsageError("error: `source` replaces the kernel of a suite file, and %s is "
                                 "a folder" % path, 2) from None
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError("error: cannot read %s: %s" % (
                    path, getattr(error, "strerror", None) or error), 2) from None
        # A copy, since paths in a suite are relative to its folder. The file need not exist.
        guess = FILE.search(text)
        missing = {guess.group(1): ""} if guess and not os.path.exists(
            os.path.join(folder, guess.group(1))) else {}
        probe = Overlay(folder or os.curdir, {**missing, file: text})
        try:
            kernel = kernel_file(str(probe.folder / file), probe)
        finally:
            probe.close()
        if kernel is None:
            raise UsageError("error: %s has its kernel inside, so nothing can stand for its file\n"
                             "  hint: write `kernel: {file: NAME.cu}` instead of `source`" % path,
                             2)
        overlay = self._open(folder or os.curdir, {file: text, kernel: source},
                             {kernel: source_name})
        self.paths.append(str(overlay.folder / file))


def kernel_file(path: str, overlay: Overlay) -> str | None:
    """The value of the suite's `kernel.file`, None if the kernel's text is in the suite."""
    with Process(["plan", path], environment=overlay.environment()) as process:
        output = process.output()
        code = process.finish()
        if not output.lstrip().startswith("{"):
            raise error_of(code, overlay.original_names(process.errors()))
    plan, _ = json.JSONDecoder().raw_decode(output.lstrip())
    unit = plan["units"][0] if plan.get("units") else {}
    return unit["file"] if unit.get("at") == "/kernel/file" else None


def plain(value: Any) -> Any:
    """NumPy's numbers and the like as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (range, tuple, set, frozenset)):
        return list(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError("a suite cannot hold a value of type %s: %r" % (type(value).__name__, value))


def of_numpy(value: Any) -> Any:
    """A tensor of PyTorch as one that NumPy takes: on the CPU, without gradient, of a dtype that NumPy has."""
    if not (hasattr(value, "detach") and hasattr(value, "cpu")):
        return value
    value = value.detach().cpu()
    narrow = str(value.dtype).startswith(("torch.bfloat16", "torch.float8"))
    return value.float() if narrow else value.resolve_conj().resolve_neg()


def with_arrays(suite: Mapping[str, Any], folder: os.PathLike) -> dict[str, Any]:
    """The suite with an expression for each array that stands where NumPy is expected."""
    import numpy as np

    count = 0

    def expression(value: Any) -> Any:
        nonlocal count
        if isinstance(value, np.generic):
            return value
        if isinstance(value, (list, tuple)) or hasattr(value, "__array__"):
            value = np.asanyarray(of_numpy(value))  # tensors and columns of other libraries, too
        if not isinstance(value, np.ndarray):
            return value
        if value.dtype.hasobject or isinstance(value, np.ma.MaskedArray):
            raise TypeError("a suite cannot hold an array of objects, or one with masked elements")
        os.makedirs(folder, exist_ok=True)
        count += 1
        file = os.path.join(folder, "%d.npy" % count)
        np.save(file, value, allow_pickle=False)
        return "np.load(%r)" % str(file)

    result = dict(suite)
    arguments, reference = result.get("arguments"), result.get("reference")
    if isinstance(arguments, Mapping):
        result["arguments"] = {
            name: {key: expression(value) if key in ("in", "inout", "scalar") else value
                   for key, value in argument.items()}
            if isinstance(argument, Mapping) else argument
            for name, argument in arguments.items()}
    if isinstance(reference, Mapping):
        result["reference"] = {name: expression(value) for name, value in reference.items()}
    if "check" in result:
        checks = result["check"]
        checks = list(checks) if isinstance(checks, (list, tuple)) else [checks]
        result["check"] = [
            {key: expression(value) if key in ("of", "low", "high") else value
             for key, value in check.items()}
            if isinstance(check, Mapping) else check for check in checks]
    return result
