# `warpmark report`: pages and tables of the journals in tests/results.
import html.parser
import json
import os
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

    def assert_golden(self, name, text):
        if os.environ.get("WARPMARK_UPDATE_GOLDEN"):
            (GOLDEN / name).write_text(text)
        self.assertEqual(text, (GOLDEN / name).read_text())

    def report(self, *arguments):
        out, errors = self.run_program("report", *arguments)
        self.assertEqual(errors, "")
        return out


class Report(ReportTest):
    def test_golden(self):
        for name, arguments in (("one.md", ("h200.jsonl", "--format", "markdown")),
                                ("two.md", ("h200.jsonl", "h200_failures.jsonl", "--format",
                                            "markdown", "--layout", "side-by-side")),
                                ("sweep.md", ("sweep.jsonl", "--format", "markdown", "-k",
                                              "dtype=float32 and n=65536")),
                                ("peaks.md", ("peaks.jsonl", "--format", "markdown")),
                                ("one.html", ("h200_failures.jsonl", "--no-plots")),
                                ("peaks.html", ("peaks.jsonl", "-k", "matmul")),
                                ("changes.html", ("h200.jsonl", "h200_slower.jsonl")),
                                ("changes.md", ("h200.jsonl", "h200_slower.jsonl", "--format",
                                                "markdown")),
                                ("counted.html", ("cpu.jsonl", "cpu_more.jsonl"))):
            with self.subTest(name):
                self.assert_golden(name, self.report(*arguments))

    def test_the_page_stands_alone(self):
        for results in (("h200.jsonl",), ("h200.jsonl", "h200_slower.jsonl"),
                        ("h200.jsonl", "h200_slower.jsonl", "cpu.jsonl")):
            page = Page(self.report(*results))
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

    def test_plots_need_no_python(self):
        whole = self.report("h200.jsonl")
        self.environment["WARPMARK_PYTHON"] = "/nowhere/python3"
        self.assertEqual(self.report("h200.jsonl"), whole)
        self.assertEqual(whole.count('<svg class="plot"'), 6)
        self.assertNotIn("<svg", self.report("h200.jsonl", "--no-plots"))

    def test_pictures(self):
        text = self.report("h200.jsonl")
        page = Page(text)
        # Three of lines, a roofline of the suite that computes, two of samples.
        self.assertEqual(text.count('<svg class="plot"'), 6)
        self.assertEqual(text.count(">roofline</figcaption>"), 1)
        self.assertEqual(page.loaded, [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for part in ("copy: 4230 GB/s", "var(--ink)", "var(--c0)", ">float32</figcaption>"):
            self.assertIn(part, text)
        self.assertEqual(text, self.report("h200.jsonl"))  # equal results give equal bytes

    def test_roofline(self):
        text = self.report("peaks.jsonl")
        self.assertEqual(text.count(">roofline</figcaption>"), 2)
        # Both roofs, the ridges between them, and each point with its case.
        for part in (">read: 4410 GB/s<", ">float64: 33100 GFLOP/s<", ">float16: 129000 GFLOP/s<",
                     ">given peak: 989000 GFLOP/s<", ">ridge 7.51<", ">ridge 14.8<", ">ridge 29.3<",
                     ">arithmetic intensity, flop/byte<", ">performance, GFLOP/s<",
                     ">dtype=float64,n=512<", ">dtype=float16,n=4096<", 'class="roof"'):
            self.assertTrue(part in text, part)
        self.assertEqual(text, self.report("peaks.jsonl"))
        # Journals of before have no peaks.
        both = self.report("peaks.jsonl", "h200.jsonl", "--layout", "side-by-side")
        self.assertEqual(both.count(">roofline</figcaption>"), 3)
        self.assertEqual(both.count("No compute roof"), 1)
        Page(both)
        self.assertFalse(">roofline</figcaption>" in self.report("cpu.jsonl"))

    def test_a_roofline_of_many_cases_has_numbers(self):
        lines = (self.folder / "sweep.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        for record in records:
            if "measurement" in record:
                record["measurement"]["flops"] = record["measurement"]["bytes"] / 8
        self.write("many.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        page = self.report("many.jsonl")
        points = re.search('<ol class="points">\n(.*?)</ol>', page, re.S).group(1)
        self.assertEqual(points.count("<li>"), 48)
        for case in (record["case"] for record in records if "case" in record):
            self.assertEqual(points.count("<li>%s, " % case.split(".", 1)[1]), 1, case)
        self.assertRegex(page, ">1(–\\d+)?</text>")

    def test_texts_in_pictures_are_texts(self):
        text = (self.folder / "h200.jsonl").read_text()
        self.write("odd.jsonl", text.replace('"value":"float32"', '"value":"<b>$x^2$&"'))
        self.write("<i>.jsonl", text)
        page = self.report("odd.jsonl", "<i>.jsonl", "--layout", "side-by-side")
        Page(page)
        self.assertNotIn("<b>", page)
        self.assertNotIn("<i>", page)
        self.assertIn("&lt;b&gt;$x^2$&amp;", page)

    def test_tables_in_documents_are_what_the_command_says(self):
        """A block between `<!-- begin: warpmark report … -->` and `<!-- end -->`."""
        for file in [SOURCE / "README.md", *SOURCE.glob("docs/**/*.md")]:
            for command, block in BLOCK.findall(file.read_text()):
                out, _ = self.run_program(*shlex.split(command), cwd=SOURCE)
                self.assertEqual(block.strip("\n"), out.strip("\n"),
                                 "%s: run `warpmark %s`" % (file.name, command))


class Changes(ReportTest):
    """Two results: what changed comes first."""

    TWO = ("h200.jsonl", "h200_slower.jsonl")

    def rows(self, page):
        """The verdicts of the tables of changes, with what folds each away."""
        tables = []
        for part in page.split('<table class="changes">')[1:]:
            body = part[part.index("<tbody>"):part.index("</tbody>")]
            tables.append(re.findall(r'<tr><td class="[^"]*">(?:<b>)?([^<]*)', body))
        return tables

    def test_what_changed_comes_first_and_the_rest_is_folded(self):
        page = self.report(*self.TWO)
        changed, inconclusive, same = self.rows(page)
        self.assertEqual(changed, 4 * ["slower"] + 4 * ["faster"])
        self.assertEqual((inconclusive, same), (["inconclusive"], 9 * ["same"]))
        self.assertLess(page.index('<table class="changes">'), page.index("<details"))
        for fold in ("1 inconclusive", "9 the same", "All figures of both runs, 16 rows"):
            self.assertIn("<details><summary>%s</summary>" % fold, page)
        # Both times, the difference, its interval.
        self.assertRegex(page, r'998\.9 µs</td><td class="number">1\.069 ms</td>'
                               r'<td class="number">\+7\.0 %</td><td class="">\+6\.7 … \+7\.3 %')
        self.assertGreater(page.count('<svg class="plot"'), 3)

    def test_verdicts_are_those_of_compare(self):
        for results in (self.TWO, ("cpu.jsonl", "cpu_more.jsonl"), ("cpu.jsonl", "cpu_trade.jsonl"),
                        ("h200.jsonl", "h200_failures.jsonl"), ("h200.jsonl", "h200_torn.jsonl")):
            out = self.start("compare", *results, "--markdown").stdout.decode()
            total = re.match(r"\*\*warpmark compare\*\*: (.*)\n", out).group(1)
            markdown = self.report(*results, "--format", "markdown")
            self.assertTrue(markdown.startswith("**warpmark report**: %s\n" % total), results)
            self.assertIn('<p class="sum"><b>%s</b></p>' % total, self.report(*results))

    def test_suites_without_a_change_are_folded(self):
        text = (self.folder / "h200.jsonl").read_text()
        records = [json.loads(line) for line in text.splitlines()]
        for record in records:
            if record.get("suite") == "copy":
                for series in record["measurement"]["series"]:
                    for name in ("median_s", "low_s", "high_s"):
                        series[name] *= 2
                    series["samples_s"] = [2 * one for one in series["samples_s"]]
                    for process in series.get("processes", []):
                        process["median_s"] *= 2
        self.write("twice.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        page = self.report("h200.jsonl", "twice.jsonl", "-k", "not n=1048576")
        others = page.index("<summary>1 suite without a change</summary>")
        self.assertLess(page.index("<h2>copy</h2>"), others)
        self.assertGreater(page.index("<h2>reductions/sum</h2>"), others)

    def test_counters(self):
        page = self.report("cpu.jsonl", "cpu_more.jsonl")
        self.assertEqual(self.rows(page), [["slower", "", "slower", "", "slower", ""]])
        self.assertIn('2,827</td><td class="number">5,654</td><td class="number">+100 %</td>', page)
        self.assertNotIn("interval", page)
        self.assertIn("<p>No case changed.</p>", self.report("cpu.jsonl", "cpu.jsonl"))
        self.assertNotIn("No case changed.", page)

    def test_least_effect(self):
        page = self.report(*self.TWO, "--min-effect", "8")
        self.assertEqual(self.rows(page)[0], 4 * ["faster"])
        self.assertIn("(a change counts from 8 % on)", page)

    def test_new_gone_and_failed_cases(self):
        page = self.report("h200.jsonl", "h200_failures.jsonl")
        self.assertTrue({"lost", "added"} <= set(self.rows(page)[0]))
        self.assertIn("<dt>lost</dt>", page)

    def test_runs_that_are_not_comparable_are_side_by_side(self):
        for other, reason in (("a100.jsonl", "the devices differ: NVIDIA H200 (h200.jsonl) and "),
                              ("cpu.jsonl", "the devices differ: "),
                              ("sweep.jsonl", "h200.jsonl and sweep.jsonl have no case in common")):
            page = self.report("h200.jsonl", other)
            self.assertIn("<h1>Benchmarks on ", page)
            self.assertIn('<p class="remark">The runs are not compared: ' + reason, page)
            self.assertIn("The runs are not compared: ",
                          self.report("h200.jsonl", other, "--format", "markdown"))
            self.assertNotIn("not compared", self.report("h200.jsonl", other, "--layout", "side-by-side"))
            self.assertIn(reason, self.refused("report", "h200.jsonl", other, "--layout", "changes"))
        page = self.report("h200.jsonl", "a100.jsonl", "--across-devices")
        self.assertIn("<h1>Changes on NVIDIA H200 and NVIDIA A100", page)

    def test_mistakes(self):
        for arguments, message in (
                (("h200.jsonl", "--layout", "changes"), "changes are those of two runs, and these are 1"),
                ((*self.TWO, "h200.jsonl", "--layout", "changes"), "of two runs, and these are 3"),
                ((*self.TWO, "--min-effect", "-1"), "--min-effect must be a percentage from 0 on"),
                ((*self.TWO, "--format", "text"), "--format text is of histories"),
                ((*self.TWO, "--layout", "side-by-side", "--min-effect", "1"), "--min-effect is of changes"),
                (("h200.jsonl", "--across-devices"), "--across-devices is of changes")):
            self.assertIn(message, self.refused("report", *arguments))

    def test_texts_of_journals_are_texts(self):
        for name in self.TWO:
            text = (self.folder / name).read_text()
            self.write(name, text.replace("reductions/sum", "<b>`|").replace('"commit":"', '"commit":"<i>|'))
        page = self.report(*self.TWO)
        Page(page)
        for markup in ("<b>`", "<i>"):
            self.assertNotIn(markup, page)
            self.assertNotIn(markup, self.report(*self.TWO, "--format", "markdown"))


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
                self.assert_golden(name, self.report(*arguments))

    def test_json_golden_and_schema(self):
        for name, journals in (("history.json", HISTORY), ("counted_history.json", COUNTED)):
            text = self.report(*journals, "--format", "json")
            self.assert_golden(name, text)
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
        self.assertIn("<h1>Changes on ", self.report("two.jsonl"))

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
                (("h200.jsonl", "--layout", "table"), "--layout must be changes, history or side-by-side"),
                (("h200.jsonl", "--format", "json"), "--format json is of histories"),
                (("h200.jsonl", "--min-effect", "3"), "--min-effect is of changes"),
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

    def test_pages_are_no_wider_than_the_window(self):
        pages = {"%d runs" % runs: self.report(*self.write_runs(runs)) for runs in (5, 20, 60)}
        pages["changes"] = self.report("h200.jsonl", "h200_slower.jsonl")
        pages["long names"] = self.report(*self.write_runs(2))
        pages["roofline"] = self.report("peaks.jsonl")
        for what, page in pages.items():
            # The page itself forbids scripts.
            page = re.sub("<meta http-equiv[^>]*>", "", page).replace("<details", "<details open")
            page += "<script>const e = document.scrollingElement;" \
                    "document.title = e.scrollWidth + ' in ' + e.clientWidth</script>"
            self.write("page.html", page)
            for width in (1400, 1280, 400):
                self.write("frame.html", "<iframe src=page.html width=%d height=900></iframe><script>"
                           "onload = () => document.title = frames[0].document.title</script>" % width)
                done = subprocess.run(
                    ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
                     "--allow-file-access-from-files", "--user-data-dir=%s" % (self.folder / "profile"),
                     "--dump-dom", (self.folder / "frame.html").as_uri()],
                    cwd=self.folder, capture_output=True, text=True, timeout=120, check=True)
                found = re.search("<title>(\\d+) in (\\d+)</title>", done.stdout)
                self.assertTrue(found, done.stdout + done.stderr)
                self.assertEqual(found.group(1), found.group(2), "%s, %d pixels" % (what, width))
                self.assertLess(int(found.group(2)), width + 1)


if __name__ == "__main__":
    unittest.main()
