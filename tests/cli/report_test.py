# `warpmark report`: pages and tables of the journals in tests/results.
import html.parser
import json
import random
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
                                ("sweep.md", ("sweep.jsonl", "--format", "markdown", "-k",
                                              "dtype=float32 and n=65536")),
                                ("peaks.md", ("peaks.jsonl", "--format", "markdown")),
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

    def test_what_the_suite_does_not_say_of_sweeps_is_said_here(self):
        arguments = ("h200.jsonl", "--format", "markdown", "-k", "copy")
        self.assertNotIn("of best", self.report(*arguments))
        out = self.report(*arguments, "--sweep", "n", "--relative-to", "dtype=float32")
        self.assertEqual(out.count(" best |"), 5)  # the title, and two dtypes by two modes
        self.assertIn("of dtype=float32", out)
        swept = ("sweep.jsonl", "--format", "markdown", "-k", "n=65536 and block=64")
        self.assertIn("of kernel=naive", self.report(*swept))
        self.assertIn("of kernel=tiled,block=64", self.report(*swept, "--relative-to",
                                                              "kernel=tiled,block=64"))

    def test_plots_have_any_axis_to_the_right(self):
        self.needs_matplotlib()
        page = self.report("sweep.jsonl", "--x-axis", "kernel", "-k", "dtype=float32")
        self.assertTrue(">naive<" in page)
        self.assertEqual(page.count("<figcaption>n=65536"), 1)

    def test_mistakes(self):
        for arguments, message in (
                ((), "RESULT is required"),
                (("check.jsonl",), "check.jsonl is the journal of a check"),
                (("nothing.jsonl",), "cannot read nothing.jsonl"),
                (("h200.jsonl", "--format", "pdf"), "--format must be html, markdown, text or json"),
                (("h200.jsonl", "--no-plots", "-o", "h200.jsonl"), "-o would replace h200.jsonl"),
                (("h200.jsonl", "--x-axis", "m"), "--x-axis: no case has an axis `m`"),
                (("sweep.jsonl", "--sweep", "blocks"), "did you mean `block`?"),
                (("h200.jsonl", "--relative-to", "n"), "--relative-to needs AXIS=VALUE, not `n`"),
                (("sweep.jsonl", "--relative-to", "kernel=nave"), "did you mean `naive`?"),
                (("h200.jsonl", "h200.jsonl", "h200.jsonl", "--sweep", "n"),
                 "--sweep is of results side by side"),
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
        # Three of lines, a roofline of the suite that computes, two of samples.
        self.assertEqual(page.tags.count("svg"), 6)
        self.assertEqual(text.count(">roofline</figcaption>"), 1)
        self.assertEqual(page.loaded, [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for part in ("copy: 4230 GB/s", "var(--ink)", "var(--c0)", ">float32</figcaption>"):
            self.assertIn(part, text)
        self.assertNotIn("#0102", text)
        self.assertEqual(text, self.report("h200.jsonl"))  # equal results give equal bytes

    def test_roofline(self):
        self.needs_matplotlib()
        text = self.report("peaks.jsonl")
        page = Page(text)
        self.assertEqual(text.count(">roofline</figcaption>"), 2)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for part in ("read: 4410 GB/s", "float64: 33100 GFLOP/s", "float16: 129000 GFLOP/s",
                     "given peak: 989000 GFLOP/s", "flop a byte", "var(--c2)"):
            self.assertTrue(part in text, part)
        self.assertFalse("#0102" in text)
        self.assertEqual(text, self.report("peaks.jsonl"))
        # Journals of before have no peaks.
        both = self.report("peaks.jsonl", "h200.jsonl")
        self.assertEqual(both.count(">roofline</figcaption>"), 3)
        Page(both)
        self.assertFalse(">roofline</figcaption>" in self.report("cpu.jsonl"))

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
        # It logs that it has no place for its cache.
        self.environment.update(MPLCONFIGDIR="/proc/nothing", TMPDIR=str(self.folder))
        self.report("h200.jsonl")

    def test_tables_in_documents_are_what_the_command_says(self):
        """A block between `<!-- begin: warpmark report … -->` and `<!-- end -->`."""
        for file in [SOURCE / "README.md", *SOURCE.glob("docs/**/*.md")]:
            for command, block in BLOCK.findall(file.read_text()):
                out, _ = self.run_program(*shlex.split(command), cwd=SOURCE)
                self.assertEqual(block.strip("\n"), out.strip("\n"),
                                 "%s: run `warpmark %s`" % (file.name, command))


HISTORY = tuple("history_%s.jsonl" % letter for letter in "abcdef")
COUNTED = tuple("counted_%s.jsonl" % letter for letter in "abcdef")


class History(ReportTest):
    """The journals' names are in another order than their dates."""

    def test_golden(self):
        for name, arguments in (("history.txt", (*HISTORY, "--format", "text")),
                                ("history.md", (*HISTORY, "--format", "markdown")),
                                ("history.html", HISTORY),
                                ("counted_history.txt", (*COUNTED, "--format", "text")),
                                ("counted_history.html", COUNTED)):
            with self.subTest(name):
                self.assertEqual(self.report(*arguments), (GOLDEN / name).read_text())

    def test_json_golden_and_schema(self):
        for name, journals in (("history.json", HISTORY), ("counted_history.json", COUNTED)):
            text = self.report(*journals, "--format", "json")
            self.assertEqual(text, (GOLDEN / name).read_text())
            self.validate(json.loads(text))

    def validate(self, document):
        try:
            import jsonschema
        except ImportError:
            return
        jsonschema.validate(document, json.loads((SOURCE / "schema/history.json").read_text()))

    def test_the_order_of_the_files_means_nothing(self):
        seed = random.randrange(1 << 30)
        print("seed", seed)
        shuffled = random.Random(seed).sample(HISTORY, len(HISTORY))
        for form in ("html", "json"):
            self.assertEqual(self.report(*shuffled, "--format", form),
                             self.report(*HISTORY, "--format", form))

    def test_the_page_stands_alone_and_needs_no_matplotlib(self):
        self.environment["WARPMARK_PYTHON"] = "/nowhere/python3"
        for journals in (HISTORY, COUNTED):
            page = Page(self.report(*journals))
            self.assertEqual(page.loaded, [])
            self.assertNotIn("script", page.tags)
            self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertEqual(page.tags.count("svg"), 4)

    def test_which_layout(self):
        for arguments, history in ((HISTORY[:2], False), (HISTORY[:3], True),
                                   ((*HISTORY[:2], "--layout", "history"), True),
                                   ((*HISTORY[:3], "--layout", "side-by-side"), False),
                                   # One of each device: compared with each other, as ever.
                                   (("h200.jsonl", "a100.jsonl", "cpu.jsonl"), False)):
            page = self.report(*arguments, "--no-plots")
            self.assertEqual("<h1>History on " in page, history, arguments)

    def test_a_journal_of_several_runs(self):
        self.write("all.jsonl", "".join((self.folder / name).read_text() for name in HISTORY))
        runs = json.loads(self.report("all.jsonl", "--format", "json"))["runs"]
        self.assertEqual([run["label"] for run in runs[-2:]], ["4e5f6a7", "4e5f6a7-dirty"])
        self.write("two.jsonl", "".join((self.folder / name).read_text() for name in HISTORY[:2]))
        self.assertIn("two.jsonl (2)", self.report("two.jsonl", "--format", "markdown"))

    def test_selection_and_least_effect(self):
        out = self.report(*HISTORY, "--format", "text", "-k", "blur", "--min-effect", "10")
        self.assertIn("0 of 2 points changed (a change counts from 10 % on)", out)
        self.assertNotIn("kernels/copy", out)

    def test_mistakes(self):
        (self.folder / "empty.jsonl").write_text("")
        for arguments, message in (
                ((*HISTORY, "a100.jsonl"), "a history is of one device, and these differ: NVIDIA H200 ("),
                ((*HISTORY, "empty.jsonl"), "empty.jsonl: error: the journal has no whole line"),
                (("h200.jsonl", "--layout", "history"), "a history needs two runs or more"),
                (("h200.jsonl", "--layout", "table"), "--layout must be history or side-by-side"),
                (("h200.jsonl", "--format", "json"), "--format json is of histories"),
                (("h200.jsonl", "--min-effect", "3"), "--min-effect is of histories"),
                ((*HISTORY, "--min-effect", "-3"), "--min-effect must be a percentage from 0 on"),
                ((*HISTORY, "-o", "history_b.jsonl"), "-o would replace history_b.jsonl")):
            self.assertIn(message, self.refused("report", *arguments))

    def test_a_torn_journal_says_so(self):
        text = (self.folder / "history_b.jsonl").read_text()
        self.write("history_b.jsonl", text[:len(text) // 2])
        out = self.report(*HISTORY, "--format", "text")
        self.assertIn("WARNING the run of history_b.jsonl did not come to its end", out)
        self.assertEqual(out.count("did not come to its end"), 1)

    def test_texts_of_journals_are_texts(self):
        for name in HISTORY:
            text = (self.folder / name).read_text()
            self.write(name, text.replace("kernels/blur", "<b>`|")
                       .replace('"commit":"', '"commit":"<i>|'))
        Page(self.report(*HISTORY))
        for form in ("html", "markdown"):
            out = self.report(*HISTORY, "--format", form)
            self.assertNotIn("<b>`", out)
        self.assertNotIn("<i>", self.report(*HISTORY))


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
        # Requests that the page causes have it as their initiator; the browser's own have none.
        requested = re.findall(r'"initiator":"([^"]*)"[^}]*?"url":"([^"]*)"',
                               (self.folder / "net.json").read_text())
        self.assertEqual([pair for pair in requested if pair[0].startswith("file")], [])
        self.assertGreater((self.folder / "page.png").stat().st_size, 50000)

    def write_runs(self, count):
        """Journals of so many commits, with long names."""
        text = (self.folder / "history_a.jsonl").read_text()
        names = []
        for i in range(count):
            name = "%s_%02d.jsonl" % ("a_name_without_a_place_to_break_it" * 2, i)
            journal = text.replace("2026-11-05", "2026-%02d-%02d" % (1 + i // 28, 1 + i % 28))
            journal = journal.replace('"commit":"', '"commit":"%02d' % i)
            self.write(name, journal.replace("kernels/blur", "kernels/" + "blur_of_a_long_name" * 4))
            names.append(name)
        return names

    def test_a_history_is_no_wider_than_the_window(self):
        for runs in (5, 20, 60):
            page = self.report(*self.write_runs(runs))
            # The page itself forbids scripts.
            page = re.sub("<meta http-equiv[^>]*>", "", page).replace("<details", "<details open")
            page += "<script>const e = document.scrollingElement;" \
                    "document.title = e.scrollWidth + ' in ' + e.clientWidth</script>"
            self.write("page.html", page)
            for width in (1280, 400):
                self.write("frame.html", "<iframe src=page.html width=%d height=900></iframe><script>"
                           "onload = () => document.title = frames[0].document.title</script>" % width)
                done = subprocess.run(
                    ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
                     "--allow-file-access-from-files", "--user-data-dir=%s" % (self.folder / "profile"),
                     "--dump-dom", (self.folder / "frame.html").as_uri()],
                    cwd=self.folder, capture_output=True, text=True, timeout=120, check=True)
                found = re.search("<title>(\\d+) in (\\d+)</title>", done.stdout)
                self.assertTrue(found, done.stdout + done.stderr)
                self.assertEqual(found.group(1), found.group(2), "%d runs, %d pixels" % (runs, width))
                self.assertLess(int(found.group(2)), width + 1)


if __name__ == "__main__":
    unittest.main()
