"""How the checks of a repository's extensions are written, built and run: extensions.py starts this file under warpmark-cpu.

extension.py build|run MODULE FOLDER WORK together|apart [CASE|EXTENSION...]

A module of this folder has an `Extension` for each library that its repository builds, and functions after `@extension.case`, which call
the library with tensors of the device and compare with what the CPU computes. A line of JSON tells how each case ended.
"""
import importlib
import json
import os
import pathlib
import sys
import time
import traceback

import torch


class Extension:
    """A library of a repository, with the sources that its own setup lists."""

    def __init__(self, name, repository, folder, sources, include=(), flags=(), macros=(), registers=False, apart=()):
        """
        Args:
          folder: that the sources and include folders are relative to, below the repository.
          flags: further options of nvcc.
          macros: options of both compilers.
          registers: the library registers operators of `torch.ops`, and is no module of Python.
          apart: sources that are never compiled together with others, whose names they have.
        """
        self.name, self.repository, self.folder = name, repository, folder
        self.sources, self.include, self.flags, self.macros, self.registers, self.apart = sources, include, flags, macros, registers, apart
        self.cases = []

    def case(self, function):
        """Registers a function that gets the module, or `torch.ops`."""
        self.cases.append(function)
        return function

    def load(self, root, work, together):
        """Builds and loads it. Sources that are compiled together, as texts that one includes, read PyTorch's headers once."""
        from torch.utils import cpp_extension

        folder = pathlib.Path(root, self.repository, self.folder)
        built = pathlib.Path(work, self.name)
        built.mkdir(parents=True, exist_ok=True)
        sources = [str(folder / source) for source in self.sources]
        if together and len(sources) > 1:
            whole, text = built / (self.name + "_whole.cu"), "".join('#include "%s"\n' % (folder / one) for one in self.sources if one not in self.apart)
            if not whole.exists() or whole.read_text() != text:
                whole.write_text(text)
            sources = [str(whole), *(str(folder / one) for one in self.apart)]
        made = cpp_extension.load(
            self.name, sources, build_directory=str(built),
            extra_include_paths=[str(folder / one) for one in self.include], extra_cflags=["-O2", "-w", *self.macros],
            extra_cuda_cflags=["-O3", "-lineinfo", "-w", "-Xcompiler=-O0", *self.macros, *self.flags], is_python_module=not self.registers)
        return torch.ops if self.registers else made


def same(found, expected, **tolerances):
    """Compares a tensor of the device, or several, with what is expected."""
    torch.testing.assert_close(host(found), host(expected), **tolerances)


def host(value):
    if isinstance(value, torch.Tensor):
        return value.detach().cpu()
    return [host(one) for one in value]


def on_device(*tensors):
    """Copies on the device, which take part in a gradient as theirs do."""
    made = [one.detach().cuda().requires_grad_(one.requires_grad) for one in tensors]
    return made if len(made) > 1 else made[0]


def gradients(result, tensors, factor):
    """The gradients of the sum of result * factor."""
    return torch.autograd.grad((result * factor.to(result.device)).sum(), tensors)


class Followed:
    """The lines that a file has got since it was last asked; the device and the preloaded library write them."""

    def __init__(self, variable):
        self.path, self.place = os.environ.get(variable), 0

    def news(self):
        if not self.path or not os.path.exists(self.path):
            return []
        with open(self.path, encoding="utf-8") as file:
            file.seek(self.place)
            lines = file.read().splitlines()
            self.place = file.tell()
        return lines


def extensions_of(module):
    sys.modules.setdefault("extension", sys.modules["__main__"])
    return [one for one in vars(importlib.import_module(module)).values() if isinstance(one, Extension)]


def main():
    what, module, root, work, how = sys.argv[1:6]
    only = sys.argv[6:]
    launches, reports = Followed("LAUNCHES"), Followed("WARPMARK_CPU_REPORT")
    for extension in extensions_of(module):
        names = [case.__name__ for case in extension.cases if not only or case.__name__ in only or extension.name in only]
        if not os.path.isdir(os.path.join(root, extension.repository)) or not names:
            continue
        begun = time.monotonic()
        try:
            made = extension.load(root, work, how == "together")
        except Exception as error:
            text = str(error)
            print(json.dumps({"extension": extension.name, "repository": extension.repository, "build": text}), flush=True)
            continue
        print(json.dumps({"extension": extension.name, "repository": extension.repository, "build": "", "seconds": time.monotonic() - begun}),
              flush=True)
        for case in extension.cases if what == "run" else ():
            if case.__name__ not in names:
                continue
            torch.manual_seed(0)
            launches.news(), reports.news()
            print(json.dumps({"begin": case.__name__, "extension": extension.name, "repository": extension.repository}), flush=True)
            begun, wrong = time.monotonic(), ""
            try:
                case(made)
                torch.cuda.synchronize()
            except Exception:
                wrong = traceback.format_exc()
            print(json.dumps({"end": case.__name__, "wrong": wrong, "seconds": time.monotonic() - begun, "launched": launches.news(),
                              "reports": [json.loads(line)["kind"] for line in reports.news() if line.startswith("{")]}), flush=True)


if __name__ == "__main__":
    main()
