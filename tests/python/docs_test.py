# The examples of docs/python.md: its Python runs, and prints what stands there.
import contextlib
import io
import pathlib
import re
import unittest

from package import PackageTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
NAME = re.compile(r"(?:#|//) (\w+\.(?:yaml|cu))\n")


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


if __name__ == "__main__":
    unittest.main()
