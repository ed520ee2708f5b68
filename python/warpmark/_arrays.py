"""Arrays that a run kept as .npy files, read when they are asked for."""
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

import numpy as np

MAPPED = 1 << 20  # bytes from which a file is mapped rather than read


class Arrays(Mapping):
    """Arrays by the name of the argument: `outcome.outputs["x"]` is a `numpy.ndarray`.

    Each has the dtype and shape that it had on the device; a scalar has shape (). A large file is
    mapped, so that only what is looked at is read; writing to the array does not change the file.
    Empty unless the run was asked for arrays.
    """

    def __init__(self, folder: str | None, owner: object = None):
        self._folder = folder
        self._owner = owner  # what removes the files when nobody needs them any more
        self._names: list[str] | None = None

    def _all(self) -> list[str]:
        if self._names is None:
            try:
                files = sorted(os.listdir(self._folder)) if self._folder else []
            except FileNotFoundError:  # the case ended before there were any
                files = []
            self._names = [file[:-len(".npy")] for file in files if file.endswith(".npy")]
        return self._names

    def __getitem__(self, name: str) -> np.ndarray:
        if self._folder is None or name not in self._all():
            raise KeyError("no array `%s` was kept; there are: %s"
                           % (name, ", ".join(self._all()) or "none (ask for arrays=\"all\")"))
        path = os.path.join(self._folder, name + ".npy")
        if os.path.getsize(path) < MAPPED:
            return np.load(path, allow_pickle=False)
        return np.load(path, mmap_mode="c", allow_pickle=False).view(np.ndarray)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return "{%s}" % ", ".join("%s: %s%s" % (name, self[name].dtype, list(self[name].shape))
                                  for name in self)
