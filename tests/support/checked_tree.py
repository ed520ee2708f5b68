"""A folder of files for tests of checkers, which are functions that print and return a code."""
import contextlib
import io
import pathlib
import tempfile
import unittest


class CheckedTree(unittest.TestCase):
    """`root` is an empty folder, which goes away with the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="warpmark-checked-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, name, text):
        """Writes a file below the root, and the folders that it needs."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def check(self, function, *arguments):
        """The checker's verdict and words."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = function(*arguments)
        return code, output.getvalue()
