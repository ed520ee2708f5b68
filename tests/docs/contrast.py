"""Contrast of the colours that the site's and the reports' style sheets name, by WCAG 2.2: usage: contrast.py ROOT

A style sheet names its colours as variables, once for light and once for dark. Each that text has is held against each paper that it
stands on: 4.5 to 1 for text, 3 to 1 for lines and marks of pictures.
"""
import pathlib
import re
import sys

TEXT, MARK = 4.5, 3.0
# Papers of the theme: the page, every second row of a table, the table of contents.
SITE_PAPERS = {"light": ("#ffffff", "#f2f2f2", "#f8f9fa"), "dark": ("#212529", "#2c3034", "#2b3035")}


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def schemes(css):
    """{"light": {name: colour}, "dark": …} of the variables of a style sheet; dark ones replace light ones."""
    dark = "".join(re.findall(r"prefers-color-scheme: ?dark\) ?\{ ?:root ?\{([^}]*)\}|data-bs-theme=\"dark\"\] \{([^}]*)\}", css)[0])
    light = css.replace(dark, "")
    named = [{name: colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])
              for name, colour in re.findall(r"--([\w-]+): ?(#[\da-f]{6}|#[\da-f]{3})\b", text)} for text in (light, dark)]
    return {"light": named[0], "dark": {**named[0], **named[1]}}


def site(css):
    """(colour, paper, least ratio, scheme) of the site."""
    for scheme, colours in schemes(css).items():
        papers = [*SITE_PAPERS[scheme], colours["code-background"]]
        for name in ("bs-body-color", "bs-link-color", "bs-link-hover-color", "bs-secondary-color"):
            yield from ((colours[name], paper, TEXT, "%s, %s" % (name, scheme)) for paper in papers)
        for name in (name for name in colours if name.startswith("hl-")):
            yield colours[name], colours["code-background"], TEXT, "%s, %s" % (name, scheme)


def reports(css):
    """The same of the pages that the program writes."""
    for scheme, colours in schemes(css).items():
        for name in ("ink", "faint", "bad", "accent", "good", "warn"):
            yield from ((colours[name], colours[paper], TEXT, "%s on %s, %s" % (name, paper, scheme)) for paper in ("paper", "panel"))
        for paper in ("h0", "h1", "h2", "h3", "h4", "none"):
            yield colours["ink"], colours[paper], TEXT, "ink on %s, %s" % (paper, scheme)
        for name, paper in (("faint", "h4"), ("faint", "none"), ("warn", "warn-paper"), ("ink", "warn-paper"), ("ink", "bad-paper")):
            yield colours[name], colours[paper], TEXT, "%s on %s, %s" % (name, paper, scheme)
        yield colours["panel"], colours["c0"], TEXT, "numbers in pictures, %s" % scheme
        for name in ("c%d" % i for i in range(8)):
            yield colours[name], colours["paper"], MARK, "%s, %s" % (name, scheme)


def faults(pairs):
    return ["%s: %s on %s has a contrast of %.2f, less than %.1f" % (what, colour, paper, ratio(colour, paper), least)
            for colour, paper, least, what in pairs if ratio(colour, paper) < least]


def of_reports(root):
    """The style sheets of the reports as one, dark parts at the end."""
    texts = [(root / "harness/report" / name).read_text(encoding="utf-8") for name in ("page/page.css", "grade/grade.css")]
    dark = "".join("".join(re.findall(r"prefers-color-scheme:dark\)\{:root\{([^}]*)\}", text)) + ";" for text in texts)
    light = "".join(re.sub(r"@media \(prefers-color-scheme:dark\)\{:root\{[^}]*\}\}", "", text) for text in texts)
    return light + "@media (prefers-color-scheme:dark){:root{%s}}" % dark


def main(root):
    found = faults(site((root / "docs/site.css").read_text(encoding="utf-8"))) + faults(reports(of_reports(root)))
    print(*found, "%d faults" % len(found), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
