# Where tests find the packages of kernels that Python writes.
import importlib.util
import os
import pathlib
import sys

NAMES = {"torch": "PyTorch", "triton": "Triton", "numba": "Numba"}


def environment_with(package):
    """The folder of the environment that WARPMARK_LANGUAGES names, or else of what `./bootstrap test --all` has made; without
    both, that of this Python. None if it has no such package."""
    made = pathlib.Path(__file__).resolve().parents[2] / "build/deps/languages"
    folder = pathlib.Path(os.environ.get("WARPMARK_LANGUAGES") or made)
    if folder.is_dir():
        return str(folder.resolve()) if any(folder.glob("lib/python3*/site-packages/%s/__init__.py" % package)) else None
    return sys.prefix if importlib.util.find_spec(package) else None


def reason(package):
    """For a test that is skipped, as there is no such package."""
    return "there is no %s: `./bootstrap test --all` gets it, or WARPMARK_LANGUAGES names an environment that has it" % NAMES[package]
