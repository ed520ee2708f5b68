"""A folder that looks like another one with some files added or replaced, made of symbolic links.

So a suite from a notebook, or another kernel for a suite, finds everything that its paths name, and
nothing is written into the folder itself, which may be read-only.
"""
from __future__ import annotations

import os
import pathlib
import re
import tempfile
from collections.abc import Mapping
from typing import Any

ABOVE = 3  # folders over the suite's own, for paths such as ../../common/x.cuh


class Overlay:
    """`folder` with the texts of `files`, by their paths in it, until `close()`.

    `names` are what messages call files instead of their places here.
    """

    def __init__(self, folder: str | os.PathLike, files: Mapping[str, str],
                 names: Mapping[str, str] | None = None):
        self.original = pathlib.Path(os.path.abspath(folder))
        self._temporary = tempfile.TemporaryDirectory(prefix="warpmark-")
        try:
            self.folder = self._mirror(pathlib.Path(os.path.realpath(self._temporary.name)))
            for name, text in files.items():
                self._put(name, text)
        except BaseException:
            self.close()
            raise
        self._shown = {str(self._place(name)): shown for name, shown in (names or {}).items()}
        self._shown[str(self.folder)] = shown_path(self.original)
        self._shown[str(self.root)] = str(self._base)
        # The program writes paths beneath the working folder relative to it. Longer ones go first.
        places = [form for place in self._shown for form in (place, os.path.relpath(place))]
        self._places = re.compile("(%s)(/?)" % "|".join(
            re.escape(place) for place in sorted(places, key=len, reverse=True)))

    def _mirror(self, root: pathlib.Path) -> pathlib.Path:
        """Makes a folder for the original and each one above it, with links to what they hold."""
        parts = self.original.parts[1:]
        # The suite's name begins after a folder `suites`.
        suites = max((at for at, part in enumerate(parts) if part == "suites"), default=len(parts))
        start = max(0, min(len(parts) - 1 - ABOVE, suites))
        self._base = pathlib.Path(self.original.anchor, *parts[:start])
        here, there = root / "tree", self._base
        here.mkdir()
        self.root = here
        for part in (*parts[start:], None):
            link_all(there, here, without=part)
            if part is not None:
                here, there = here / part, there / part
                here.mkdir()
        return here

    def _place(self, name: str) -> pathlib.Path:
        place = pathlib.Path(os.path.normpath(self.folder / name))
        if os.path.isabs(name) or not place.is_relative_to(self.root):
            raise ValueError("`%s` is too far from the folder %s to be replaced"
                             % (name, self.original))
        return place

    def _put(self, name: str, text: str) -> None:
        path = self._place(name)
        # A link on the way leads out of the overlay: it becomes a folder of links.
        for parent in reversed(path.relative_to(self.root).parents[:-1]):
            step = self.root / parent
            if step.is_symlink():
                target = pathlib.Path(os.path.realpath(step))
                step.unlink()
                step.mkdir()
                link_all(target, step)
            else:
                step.mkdir(exist_ok=True)
        if path.is_symlink():
            path.unlink()
        path.write_text(text, encoding="utf-8")

    def environment(self) -> dict[str, str]:
        """Variables for a program that works here: its failures are not worth remembering."""
        return {"WARPMARK_CACHE_DIR": os.path.join(self._temporary.name, "cache")}

    def original_names(self, value: Any) -> Any:
        """`value` (text, or lists and dicts with text in them) with the paths that people know."""
        if isinstance(value, str):
            return self._places.sub(self._shown_place, value)
        if isinstance(value, list):
            return [self.original_names(element) for element in value]
        if isinstance(value, dict):
            return {key: self.original_names(element) for key, element in value.items()}
        return value

    def _shown_place(self, found: re.Match) -> str:
        shown, slash = self._shown[os.path.abspath(found.group(1))], found.group(2)
        return "" if shown == os.curdir and slash else shown + slash

    def holds(self, text: str) -> bool:
        """True if a text names a path in this overlay."""
        return bool(self._places.search(text))

    def close(self) -> None:
        self._temporary.cleanup()


def link_all(folder: pathlib.Path, into: pathlib.Path, without: str | None = None) -> None:
    try:
        names = os.listdir(folder)
    except PermissionError:  # some folders may be passed through but not listed
        return
    for name in names:
        if name != without:
            (into / name).symlink_to(folder / name)


def shown_path(folder: pathlib.Path) -> str:
    """Relative to the working folder if it lies there, as the program shows paths."""
    working = pathlib.Path.cwd()
    return str(folder.relative_to(working)) if folder.is_relative_to(working) else str(folder)
