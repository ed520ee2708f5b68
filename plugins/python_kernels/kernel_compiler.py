"""Parts of all compilers of suites for kernels that Python writes (docs/plugins.md, "Compilers").

A compiler gets a request as JSON on its standard input, and answers on its standard output with PTX,
machine code, or an error.
"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback
import types


class Refused(Exception):
    """The kernel, or what the suite says about it, is wrong: text, line of the file or 0, hint."""

    def __init__(self, text, line=0, hint=""):
        super().__init__(text)
        self.text, self.line, self.hint = text, line, hint


class Missing(Exception):
    """This machine lacks something."""


def lacks(what):
    """This Python lacks a package: `what` is "Triton"."""
    return Missing("%s has no %s: install it there, or WARPMARK_PYTHON or an active virtual environment names another Python" % (
        sys.executable, what))


def packages_of(path):
    """The packages that the file is in, outermost first: (name, folder)."""
    found, folder = [], path.parent
    while (folder / "__init__.py").exists():
        found.insert(0, folder)
        folder = folder.parent
    return [(".".join(one.name for one in found[:index + 1]), one) for index, one in enumerate(found)]


def load(path, source=None):
    """The module that the file is. It imports from its folder, as if Python ran it, or is a part of its package.

    The packages' own `__init__` is not run: it often wants a GPU, or all that other kernels need. With a `source`
    there is no file.
    """
    if source is not None:
        return confined.load(path, source)
    packages = packages_of(path)
    sys.path.insert(0, str(packages[0][1].parent if packages else path.parent))
    for name, folder in packages:
        package = sys.modules[name] = types.ModuleType(name)
        package.__path__ = [str(folder)]
    name = ".".join([packages[-1][0], path.stem] if packages else [path.stem])
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise lacks("package %s, which %s imports" % (error.name, path.name)) from None
    except (Exception, SystemExit) as error:
        raise Refused("%s: %s" % (type(error).__name__, error), line_in(error, path), hint_about(error)) from None
    return module


def hint_about(error):
    """For a file that wants a GPU where it is only compiled."""
    wants_gpu = any(word in str(error) for word in ("NVIDIA driver", "no NVIDIA", "libcuda", "CUDA driver", "active drivers", "CUDA_ERROR"))
    return "the file is loaded to compile its kernels, without a GPU: what needs one belongs into a function" if wants_gpu else ""


def line_in(error, path):
    """The last line of the file in the traceback of an error."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if os.path.realpath(frame.filename) == os.path.realpath(path)]
    return getattr(error, "lineno", None) or (lines[-1] if lines else 0)


def path_of(request):
    """The kernel's Python file."""
    return pathlib.Path(request["folder"], request["file"]).resolve()


def assemble(ptx, target, ptxas):
    """Machine code and ptxas's log; nothing from a ptxas that is too old for the text."""
    with tempfile.TemporaryDirectory() as folder:
        text, code = pathlib.Path(folder, "kernel.ptx"), pathlib.Path(folder, "kernel.cubin")
        text.write_text(ptx)
        done = subprocess.run([ptxas, "-v", "-lineinfo", "--gpu-name=" + target, str(text), "-o", str(code)],
                              capture_output=True, text=True, check=False)
        log = done.stderr.replace(folder + "/", "").replace("ptxas-blackwell", "ptxas")
        if "Unsupported .version" in log:  # it is older than the language: no machine code, as without a ptxas
            return b"", ""
        if done.returncode != 0:
            raise Refused("ptxas refuses the kernel:\n" + log)
        return code.read_bytes(), log


def serve(answer, warm_up):
    """Prints the answer to the request, which is a dict; or serves submissions, after `warm_up()` (confined.py)."""
    if sys.argv[1:2] == ["--confined"]:
        confined.serve(answer, warm_up)
        return
    confined.end_with_parent()  # the file may run for ever
    request = json.load(sys.stdin)
    # The answer alone is printed there: the kernel's file may print, too.
    out = os.dup(1)
    os.dup2(2, 1)
    try:
        reply = answer(request)
    except Refused as refused:
        reply = {"error": refused.text, "line": refused.line, "hint": refused.hint}
    except Missing as missing:
        reply = {"missing": str(missing)}
    with os.fdopen(out, "w") as stream:
        json.dump(reply, stream)


import confined  # noqa: E402 - it imports the classes above
