"""Counts the words of the manual that are written by hand: usage: words.py ROOT [--pages]

Tables count, blocks of code and the pages of docs/reference, which are made from schemas and help texts, do not. A word has a letter
or a digit. The manual may not grow beyond LIMIT: what a page gains, another one loses. --pages prints each page's words.
"""
import pathlib
import re
import sys

LIMIT = 55_000
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
INDENTED = re.compile(r"^(?: {4}.*\n)+", re.M)


def words(text):
    prose = INDENTED.sub("", FENCED.sub("", text))
    return sum(1 for word in prose.split() if re.search(r"\w", word))


def counts(root):
    """{page: words} of the pages that are written by hand."""
    docs = root / "docs"
    return {page.relative_to(docs).as_posix(): words(page.read_text(encoding="utf-8"))
            for page in sorted(docs.rglob("*.md")) if "reference" not in page.relative_to(docs).parts}


def main(arguments):
    found = counts(pathlib.Path(arguments[0]).resolve())
    if "--pages" in arguments:
        for page, count in sorted(found.items(), key=lambda item: -item[1]):
            print("%6d %s" % (count, page))
    total = sum(found.values())
    print("%d words in %d pages; at most %d" % (total, len(found), LIMIT))
    return 0 if 0 < total <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
