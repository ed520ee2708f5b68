# The examples of docs/python.md, and the notebook of docs/machines: they run, and print what stands there.
import contextlib
import io
import json
import pathlib
import re
import unittest

from package import PackageTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
NAME = re.compile(r"(?:#|//) (\w+\.(?:yaml|cu))\n")
NOTEBOOK = PAGE.parent / "machines/first-kernel.ipynb"


def without_times(text):
    return re.sub(r"\d+\.\d\d s\b", "… s", text)


class Page(PackageTest):
    def test_it_prints_what_it_says(self):
        blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
        names, ran = {"__name__": "page"}, 0
        for (language, text), (_, expected) in zip(blocks, [*blocks[1:], ("", "")]):
            if NAME.match(text):
                self.write(NAME.match(text).group(1), text)
            elif language == "python":
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(compile(text, str(PAGE), "exec"), names)
                pattern = re.escape(expected).replace("…", "(?s:.*?)")
                self.assertRegex(re.sub(r"\n\n+", "\n", printed.getvalue()),
                                 r"\A%s\Z" % pattern, text)
                ran += 1
        self.assertEqual(ran, 5)
        names.clear()

    def test_the_cell_of_a_notebook(self):
        from warpmark.notebook import run_cell
        blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
        for _, text in blocks:
            if NAME.match(text):
                self.write(NAME.match(text).group(1), text)
        [cell] = [text for _, text in blocks if text.startswith("%%warpmark")]
        line, body = cell.split("\n", 1)
        shell = type("Shell", (), {"user_ns": {}})
        self.assertTrue(run_cell(line.removeprefix("%%warpmark "), body, shell).ok)

    def test_the_notebook_says_what_it_prints(self):
        from warpmark.notebook import run_cell
        shell = type("Shell", (), {"user_ns": {}})
        verdicts = []
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
            source = cell["source"]
            if cell["cell_type"] != "code" or source in ("%pip install --quiet ./warpmark-*.whl", "%load_ext warpmark"):
                continue
            if not source.startswith("%%warpmark "):
                exec(source, shell.user_ns)
                continue
            line, body = source.split("\n", 1)
            results = run_cell(line.removeprefix("%%warpmark "), body, shell)
            [shown] = cell["outputs"]
            self.assertEqual(without_times(str(results) + "\n"), without_times(shown["text"]))
            verdicts.append(results.ok)
        self.assertEqual(verdicts, [False, False, True])


if __name__ == "__main__":
    unittest.main()
