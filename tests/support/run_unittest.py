# Runs unittest classes of a file; exit code 77, ctest's skip, where tests were skipped and none ran.
#
# Usage: run_unittest.py FILE_test.py [CLASS...]
#
# unittest calls such a run a success, and its last line says "skipped" also where others passed.
import importlib.util
import pathlib
import sys
import unittest

SKIPPED = 77


class Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def load(path):
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def main(file, *classes):
    module = load(pathlib.Path(file).resolve())
    loader = unittest.TestLoader()
    tests = loader.loadTestsFromNames(classes, module) if classes else loader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(resultclass=Result).run(tests)
    if not result.wasSuccessful():
        return 1
    if result.passed:
        return 0
    return SKIPPED if result.skipped else 1  # without any test there is no pass


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
