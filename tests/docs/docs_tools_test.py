# Tests that the checkers and makers of this folder find, and write, what they are there for.
import html
import importlib.util
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import build_site
import contrast
import links
import reference
import words
from checked_tree import CheckedTree

GOOD = """# One page

[a file](docs/two.md), [a heading](docs/two.md#what-is-it-a--b), [here](#one-page), [a folder](docs),
[elsewhere](https://example.org/none), ![a picture](docs/p%20q.svg "with a title"), [named][n], `[code](none.md)`
<a href="docs/two.md">html</a>

[n]: docs/two.md#twice-1

```text
[in a block](none.md)
```

    [in an indented block](none.md)

<!-- [in a comment](none.md) -->
"""
TWO = "# Two\n\n## What is *it*: `A` & b?\n\n## Twice\n\n## Twice\n\n```sh\n# No heading\n```\n"

PROGRAM = """#!/bin/sh
case "$*" in
  --help)
    echo "Checks kernels   "; echo "Usage: $0"; echo
    echo "Commands:"; echo "  new   Writes files"; echo "        and more"; echo; echo "Exit codes: 0" ;;
  "new --help") echo "Usage: $0 new [COMMAND]"; echo; echo "Commands:"; echo "  assignment   Writes one" ;;
  "new assignment --help") echo "Usage: $0 new assignment" ;;
  *) exit 2 ;;
esac
"""


class Links(CheckedTree):
    def setUp(self):
        super().setUp()
        self.write("docs/two.md", TWO)
        self.write("docs/p q.svg", "<svg/>")

    def test_good_links(self):
        self.write("README.md", GOOD)
        code, words = self.check(links.main, self.root)
        self.assertEqual(code, 0, words)
        self.assertIn("2 pages, 8 links", words)

    def test_bad_links(self):
        for link, words in (("[x](none.md)", "no `none.md`"), ("[x](docs/two.md#no-heading)", "heading for `#no-heading`"),
                            ("[x](#two)", "heading for `#two`"), ("[x](docs/two.md#twice-2)", "`#twice-2`"),
                            ("[x](/docs/two.md)", "begins at the root"), ("[x](../x.md)", "out of the tree"),
                            ("![x](docs/p.svg)", "no `docs/p.svg`"), ("[x]()", "nothing"), ("[x]: none.md", "no `none.md`"),
                            ('<img src="none.png">', "no `none.png`"), ("[x](docs/p%20q.svg#a)", "no page"),
                            ("[x](docs/Two.md)", "no `docs/Two.md`")):
            with self.subTest(link):
                self.write("README.md", "# One\n\n%s\n" % link)
                code, said = self.check(links.main, self.root)
                self.assertEqual(code, 1)
                self.assertIn("README.md:3: error: ", said)
                self.assertIn(words, said)

    def test_docs_stand_alone(self):
        self.write("README.md", "# One\n")
        self.write("docs/two.md", "# Two\n[x](../README.md)\n")
        self.assertIn("docs/two.md:2: error: `../README.md` leads out of docs/", self.check(links.main, self.root)[1])

    def test_a_tree_without_pages_is_no_success(self):
        self.assertEqual(self.check(links.main, self.root / "docs/none")[0], 1)


class Words(CheckedTree):
    def test_what_counts(self):
        self.assertEqual(words.words("# One two\n\n| a | b-c |\n|---|---|\n\n    a command\n\n```text\nnone of it\n```\nlast — word\n"), 6)
        self.write("docs/one.md", "three words here\n")
        self.write("docs/reference/two.md", "made by a command\n")
        self.assertEqual(words.counts(self.root), {"one.md": 3})
        self.assertEqual(self.check(words.main, [str(self.root)]), (0, "3 words in 1 pages; at most %d\n" % words.LIMIT))
        self.write("docs/one.md", "word " * (words.LIMIT + 1))
        self.assertEqual(self.check(words.main, [str(self.root)])[0], 1)


class Reference(CheckedTree):
    SCHEMA = {"description": "All of it, in <b> and a_b.", "required": ["one"], "properties": {
        "one": {"description": "The first (arithmetic).", "$ref": "#/definitions/arithmetic"},
        "two": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
        "three": {"type": "array", "items": {"anyOf": [{"enum": ["a", "b"]}, {"type": "object", "properties": {
            "inner": {"enum": [True, False], "default": True}}}]}},
        "four": {"type": "object", "additionalProperties": {"type": ["string", "number"]}}},
        "definitions": {"arithmetic": {"description": "Numbers.", "type": ["string", "number"]}}}

    def test_the_table_of_a_schema(self):
        text = reference.Page(self.SCHEMA).text("Title", "About.", "x.json")
        for line in ("# Title", "All of it, in &lt;b&gt; and a\\_b.", "| `one` | arithmetic | required | The first. |",
                     "| `two` | whole number, at least 1, at most 9 | `3` |  |",
                     "| `three` | list of (`a`, `b` or [keys](#three)) |  |  |", "| `four` | by name: text |  |  |",
                     "## three", "| `inner` | `true` or `false` | `true` |  |"):
            self.assertIn(line, text.splitlines())

    def test_pages_are_written_and_checked(self):
        program = self.write("warpmark", PROGRAM)
        program.chmod(0o755)
        self.copy_sources()
        arguments = [str(program), str(self.root)]
        self.assertEqual(self.check(reference.main, ["--check", *arguments])[0], 1)
        self.assertFalse((self.root / "docs").exists())
        self.assertEqual(self.check(reference.main, arguments)[0], 0)
        self.assertEqual(self.check(reference.main, ["--check", *arguments]), (0, ""))
        page = self.root / "docs/reference/commands.md"
        self.assertIn("\n## warpmark new\n\n```text\nUsage: warpmark new [COMMAND]\n", page.read_text())
        self.assertIn("\n## warpmark new assignment\n", page.read_text())
        self.assertNotIn(" \n", page.read_text())
        page.write_text(page.read_text().replace("Commands:\n  new ", "COMMANDS:\n\n    new\n"))
        self.assertEqual(self.check(reference.main, ["--check", *arguments])[0], 0)  # another CLI11
        page.write_text(page.read_text().replace("Writes", "Reads"))
        code, words = self.check(reference.main, ["--check", *arguments])
        self.assertEqual(code, 1)
        self.assertIn("docs/reference/commands.md: error", words)

    def test_a_new_check_reaches_the_schemas(self):
        self.copy_sources()
        kept = reference.schema_texts(self.root)
        for name, text in kept.items():
            self.assertEqual(text, (self.root / "schema" / (name + ".json")).read_text(encoding="utf-8"))
        path = self.root / "harness/include/warpmark/checks.def"
        path.write_text(path.read_text() + 'CHECK(alias, aliased, memory_error, "aliases")\n')
        texts = {name: text for name, text in reference.schema_texts(self.root).items() if text != kept[name]}
        self.assertEqual(sorted(texts), ["report"])  # those of files come from the tables of their keys
        self.assertIn('"sync", "aliased", "incomplete"', texts["report"])
        (self.root / "schema/report.json").write_text("{}")
        with self.assertRaisesRegex(SystemExit, "schema/report.json: error: 0 lists of checks"):
            reference.schema_texts(self.root)

    def copy_sources(self):
        """Copies the project's list of checks and its schemas."""
        project = pathlib.Path(__file__).resolve().parents[2]
        for path in [project / "harness/include/warpmark/checks.def", *(project / "schema").glob("*.json")]:
            self.write(path.relative_to(project), path.read_text(encoding="utf-8"))


class Site(CheckedTree):
    def test_what_would_need_a_network_is_found(self):
        self.write("a.html", '<link rel="canonical" href="https://x.org/"><script src="../b.js"></script><a href="https://x.org">')
        self.assertEqual(list(build_site.foreign(self.root)), [])
        self.write("a.html", '<link href="https://x.org/font.css" rel="stylesheet"><script src="//y.org/b.js"></script>')
        self.assertEqual([address for _, address in build_site.foreign(self.root)],
                         ["https://x.org/font.css", "//y.org/b.js"])

    def test_code_in_tables_and_blocks(self):
        path = pathlib.Path(__file__).resolve().parents[2] / "docs/site.py"
        spec = importlib.util.spec_from_file_location("site_hook", path)
        hook = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(hook)
        self.assertEqual(hook.on_page_content("<td>a <code>source: \\|</code></td><p><code>a\\|b</code></p>"),
                         "<td>a <code>source: |</code></td><p><code>a\\|b</code></p>")
        self.assertIn('<code class="name">global_load_sectors</code>', hook.on_page_content("<td><code>global_load_sectors</code></td>"))
        self.assertEqual(hook.coloured("yaml", "a: [1, x] # b"),
                         '<span class="hl-keyword">a</span>: [<span class="hl-number">1</span>, x] <span class="hl-comment"># b</span>')
        for name, code in (("cuda", "int i = a < 1; // <b>"), ("console", "$ ls\nx & y\n[exit 1]\n"), ("none", "a < b"), ("python", "x = 'a#b'")):
            shown = hook.on_page_content('<pre><code class="language-%s">%s</code></pre>' % (name, html.escape(code, quote=False)))
            self.assertEqual(html.unescape(re.sub("<[^>]*>", "", shown)), code)


class Contrast(unittest.TestCase):
    def test_ratios(self):
        self.assertAlmostEqual(contrast.ratio("#000000", "#ffffff"), 21)
        self.assertAlmostEqual(contrast.ratio("#2fa4e7", "#ffffff"), 2.77, 2)

    def test_faint_text_is_found(self):
        css = (pathlib.Path(__file__).resolve().parents[2] / "docs/site.css").read_text(encoding="utf-8")
        self.assertEqual(contrast.faults(contrast.site(css)), [])
        found = contrast.faults(contrast.site(css.replace("--bs-link-color: #0b5cad", "--bs-link-color: #2fa4e7")))
        self.assertEqual(len(found), 4)
        self.assertIn("bs-link-color, light: #2fa4e7 on #ffffff has a contrast of 2.77", found[0])
        self.assertEqual(contrast.schemes(":root{--a:#fff}@media (prefers-color-scheme:dark){:root{--a:#123456}}"),
                         {"light": {"a": "#ffffff"}, "dark": {"a": "#123456"}})


if __name__ == "__main__":
    unittest.main()
