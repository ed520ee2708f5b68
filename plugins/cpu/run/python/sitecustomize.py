"""Python under warpmark-cpu: prepares PyTorch for the CPU device when it is imported. Nothing else is
changed, and a sitecustomize of the user's runs as it would without this one."""
import importlib.machinery
import importlib.util
import os
import sys


class _Torch:
    """Finds `torch` as the finders after this one do, and prepares it after it has been executed."""

    asking = False

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or self.asking:
            return None
        self.asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.asking = False
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_prepare(module):
            execute(module)
            _load("warpmark_torch", _HERE).prepare(module)

        spec.loader.exec_module = execute_and_prepare
        return spec


def _load(name, folder):
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _run_the_next():
    """Executes the user's own sitecustomize, which this one hides."""
    elsewhere = [folder for folder in sys.path if os.path.realpath(folder or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_HERE = os.path.dirname(os.path.realpath(__file__))
if os.environ.get("WARPMARK_CPU_TORCH", "") != "none":
    sys.meta_path.insert(0, _Torch())
_run_the_next()
