# `warpmark report`: pages and tables of the journals in tests/results.
import html.parser
import re
import shlex
import shutil
import subprocess
import unittest

from program import HERE, SOURCE, ProgramTest

RESULTS = SOURCE / "tests/results"
GOLDEN = HERE / "report"
BLOCK = re.compile(r"<!-- begin: warpmark (report [^>]*?) -->\n(.*?)<!-- end -->", re.S)
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(html.parser.HTMLParser):
    """Checks that elements close in order, and collects what a page would load."""

    def __init__(self, text):
        super().__init__()
        self.open, self.loaded, self.tags, self.ids = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.look(attributes)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.look(attributes)

    def look(self, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "data") and not value.startswith("#"):
                self.loaded.append(value)
            if name.startswith("on"):
                self.loaded.append(name)
            self.loaded += re.findall(r"url\((?!#)[^)]*\)", value or "")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()


class ReportTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for file in RESULTS.glob("*.jsonl"):
            shutil.copy(file, self.folder)

    def report(self, *arguments):
        out, errors = self.run_program("report", *arguments)
        self.assertEqual(errors, "")
        return out

    def needs_matplotlib(self):
        _, errors = self.run_program("report", "cpu.jsonl", "-o", "probe.html")
        if "no pictures" in errors:
            self.skipTest(errors)


class Report(ReportTest):
    def test_golden(self):
        for name, arguments in (("one.md", ("h200.jsonl", "--format", "markdown")),
                                ("two.md", ("h200.jsonl", "h200_failures.jsonl", "--format",
                                            "markdown")),
                                ("one.html", ("h200_failures.jsonl", "--no-plots")),
                                ("counted.html", ("cpu.jsonl", "cpu_more.jsonl", "--no-plots"))):
            with self.subTest(name):
                self.assertEqual(self.report(*arguments), (GOLDEN / name).read_text())

    def test_the_page_stands_alone(self):
        for results in (("h200.jsonl",), ("h200.jsonl", "h200_slower.jsonl", "cpu.jsonl")):
            page = Page(self.report(*results, "--no-plots"))
            self.assertEqual(page.loaded, [])
            self.assertNotIn("script", page.tags)

    def test_format_follows_the_name(self):
        for name, start in (("a.md", "NVIDIA H200"), ("a.html", "<!doctype html>"),
                            ("new/a.txt", "<!doctype html>")):
            self.assertEqual(self.report("h200.jsonl", "--no-plots", "-o", name), "")
            self.assertTrue((self.folder / name).read_text().startswith(start), name)
        self.report("h200.jsonl", "--format", "markdown", "-o", "b.html")
        self.assertTrue((self.folder / "b.html").read_text().startswith("NVIDIA H200"))

    def test_selection(self):
        out = self.report("h200.jsonl", "--format", "markdown", "-k", "sum and *n=1048576")
        self.assertIn("`n=1048576`", out)
        self.assertNotIn("copy.", out.replace("copy 4230", ""))
        self.assertIn("-k selects no case", self.refused("report", "h200.jsonl", "-k", "nothing"))

    def test_mistakes(self):
        for arguments, message in (
                ((), "RESULT is required"),
                (("check.jsonl",), "check.jsonl is the journal of a check"),
                (("nothing.jsonl",), "cannot read nothing.jsonl"),
                (("h200.jsonl", "--format", "pdf"), "--format must be html or markdown"),
                (("h200.jsonl", "--no-plots", "-o", "h200.jsonl"), "-o would replace h200.jsonl"),
                (("h200.jsonl", "-k", "a and"), "-k")):
            self.assertIn(message, self.refused("report", *arguments))
        errors = self.refused("report", "h200.jsonl", "--no-plots", "-o", "/dev/full", code=3)
        self.assertIn("No space left on device", errors)

    def test_a_torn_result_says_so(self):
        self.assertIn("ended early: the run did not come to its end",
                      self.report("h200_torn.jsonl", "--format", "markdown")
                      .replace("ended early ", "ended early: "))

    def test_without_matplotlib_the_page_has_no_pictures_and_says_so(self):
        self.environment["WARPMARK_PYTHON"] = str(self.make_python("__version__ = '1.26'\n"))
        out, errors = self.run_program("report", "h200.jsonl")
        self.assertRegex(errors, r"^note: the page has no pictures: \S+ has no usable Matplotlib: "
                                 r"ModuleNotFoundError: .*\n  hint: install python3-matplotlib")
        self.assertIn("No pictures: ", out)
        self.assertEqual(out.replace(re.search("<p class=.remark.*\n", out).group(0), ""),
                         self.report("h200.jsonl", "--no-plots"))

    def test_without_python_too(self):
        self.environment["WARPMARK_PYTHON"] = "/nowhere/python3"
        out, errors = self.run_program("report", "h200.jsonl")
        self.assertIn("/nowhere/python3", errors)
        self.assertIn("No pictures: ", out)

    def test_pictures(self):
        self.needs_matplotlib()
        text = self.report("h200.jsonl")
        page = Page(text)
        self.assertEqual(page.tags.count("svg"), 5)  # three of lines, two of samples
        self.assertEqual(page.loaded, [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for part in ("copy: 4230 GB/s", "var(--ink)", "var(--c0)", ">float32</figcaption>"):
            self.assertIn(part, text)
        self.assertNotIn("#0102", text)
        self.assertEqual(text, self.report("h200.jsonl"))  # equal results give equal bytes

    def test_texts_in_pictures_are_texts(self):
        self.needs_matplotlib()
        text = (self.folder / "h200.jsonl").read_text()
        self.write("odd.jsonl", text.replace('"value":"float32"', '"value":"<b>$x^2$&"'))
        self.write("<i>.jsonl", text)
        page = self.report("odd.jsonl", "<i>.jsonl")
        Page(page)
        self.assertNotIn("<b>", page)
        self.assertNotIn("<i>", page)
        self.assertIn("&lt;b&gt;$x^2$&amp;", page)

    def test_no_warning_of_matplotlib_reaches_the_terminal(self):
        """report() asserts that nothing does."""
        self.needs_matplotlib()
        text = (self.folder / "h200.jsonl").read_text()
        # Its fonts have no such characters.
        self.write("glyph.jsonl", text.replace('"value":"float32"', '"value":"\u4e2d\u6587"')
                   .replace('"name":"dtype"', '"name":"kind"'))
        self.assertIn("\u4e2d\u6587", self.report("glyph.jsonl"))
        # Legends and labels so long that no room would be left for the axes.
        names = ["a_journal_with_quite_a_long_name_of_host_and_date_%d_%s.jsonl" % (i, "x" * 60)
                 for i in range(2)]
        for name in names:
            self.write(name, text)
        self.report(*names)

    def test_tables_in_documents_are_what_the_command_says(self):
        """A block between `<!-- begin: warpmark report … -->` and `<!-- end -->`."""
        for file in [SOURCE / "README.md", *SOURCE.glob("docs/**/*.md")]:
            for command, block in BLOCK.findall(file.read_text()):
                out, _ = self.run_program(*shlex.split(command), cwd=SOURCE)
                self.assertEqual(block.strip("\n"), out.strip("\n"),
                                 "%s: run `warpmark %s`" % (file.name, command))


@unittest.skipUnless(shutil.which("chromium"), "no Chromium on this machine")
class Browser(ReportTest):
    def test_a_browser_shows_it_without_error_or_request(self):
        self.report("h200.jsonl", "h200_slower.jsonl", "-o", "page.html")
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
             "--disable-background-networking", "--enable-logging=stderr", "--v=0",
             "--log-net-log=%s" % (self.folder / "net.json"), "--user-data-dir=%s" %
             (self.folder / "profile"), "--screenshot=%s" % (self.folder / "page.png"),
             "--window-size=1400,2400", "--dump-dom", (self.folder / "page.html").as_uri()],
            cwd=self.folder, capture_output=True, text=True, timeout=120, check=True)
        self.assertNotIn("CONSOLE", done.stderr)
        # What a page loads has it as its initiator; the browser's own calls have none.
        requested = re.findall(r'"initiator":"([^"]*)"[^}]*?"url":"([^"]*)"',
                               (self.folder / "net.json").read_text())
        self.assertEqual([pair for pair in requested if pair[0].startswith("file")], [])
        self.assertGreater((self.folder / "page.png").stat().st_size, 50000)


if __name__ == "__main__":
    unittest.main()
