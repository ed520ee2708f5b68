# Where tests find the packages of kernels that Python writes.
import functools
import importlib.util
import os
import pathlib
import subprocess
import sys

NAMES = {"torch": "PyTorch", "triton": "Triton", "numba": "Numba"}


@functools.cache
def environment_with(package):
    """The folder of the environment that WARPMARK_LANGUAGES names, or else of what `./bootstrap test --all` has made; without
    both, that of this Python. None if it has no such package, or one that does not go with its NumPy."""
    made = pathlib.Path(__file__).resolve().parents[2] / "build/deps/languages"
    folder = pathlib.Path(os.environ.get("WARPMARK_LANGUAGES") or made)
    if not folder.is_dir():
        return sys.prefix if importlib.util.find_spec(package) else None
    if not any(folder.glob("lib/python3*/site-packages/%s/__init__.py" % package)):
        return None
    imported = subprocess.run([folder / "bin/python3", "-c", "import " + package], capture_output=True, check=False)
    return str(folder.resolve()) if imported.returncode == 0 else None


def reason(package):
    """For a test that is skipped, as there is no such package."""
    return "there is no %s that can be imported: `./bootstrap test --all` gets it, or WARPMARK_LANGUAGES names an environment that has it" % NAMES[package]
