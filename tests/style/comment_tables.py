"""Checks that the tables in the comments of warpmark/device.h are tables: usage: comment_tables.py ROOT

A formatter that flows comments anew makes prose of them. So .clang-format must not, and every kind of
report that schema/report.json has must be named there in the row `kind`, or begin a row of its own.
"""
import json
import pathlib
import re
import sys


def mistakes(settings, header, kinds):
    if not re.search(r"^ReflowComments: false$", settings, re.MULTILINE):
        yield ".clang-format: it needs 'ReflowComments: false', or tables in comments become prose"
    row = re.search(r"^ +\*   kind +(.*?)(?=^ +\*   \w)", header, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"\w+", row.group(1))) if row else set()
    for kind in kinds:
        if kind not in named and not re.search(r"^ +\*   (\w+, )*%s\b(, \w+)*  +\S" % kind, header, re.MULTILINE):
            yield "device.h: no row of a table begins with the kind of report '%s'" % kind


def main(root):
    root = pathlib.Path(root)
    schema = json.loads((root / "schema/report.json").read_text())
    kinds = [kind for kind in schema["properties"]["kind"]["enum"] if kind != "sanitizer"]  # of no device
    found = list(mistakes((root / ".clang-format").read_text(),
                          (root / "harness/include/warpmark/device.h").read_text(), kinds))
    for text in found:
        print(text)
    return 1 if found or not kinds else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
