"""Checks the links of the Markdown files: usage: links.py ROOT. Prints file:line: error: … for each fault.

Every relative link must lead to a file or folder of ROOT, and its #anchor to a heading of that page,
by the rule of code hosts. Links to the network are not followed. A page of docs/ links to nothing outside
of docs/, because that folder is installed, and made a site, without the rest.
"""
import pathlib
import re
import sys
import unicodedata
import urllib.parse

SKIPPED = {".git", "build", ".venv"}
FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
INLINE = re.compile(r"\]\(\s*(<[^<>]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[([^\]]+)\]:\s*(\S+)")
ATTRIBUTE = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"", re.I)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


def prose(text):
    """(number, line) of what is neither a block of code nor a comment."""
    text = re.sub(r"<!--.*?-->", lambda match: "\n" * match.group().count("\n"), text, flags=re.S)
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if mark and fence is None:
            fence = mark.group(1)
        elif mark and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = None
        elif fence is None and not line.startswith(("    ", "\t")):
            yield number, line


def slug(heading):
    """The anchor that code hosts give to a heading."""
    words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    words = unicodedata.normalize("NFC", words.replace("`", "").replace("*", "")).lower()
    return "".join("-" if one == " " else one for one in words if one.isalnum() or one in " -_")


def anchors(text):
    found, seen = set(), {}
    for _, line in prose(text):
        heading = HEADING.match(line)
        if heading:
            name = slug(heading.group(1))
            found.add(name if name not in seen else "%s-%d" % (name, seen[name]))
            seen[name] = seen.get(name, 0) + 1
        found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
    return found


def targets(text):
    """(line number, target) of each link."""
    for number, line in prose(text):
        line = CODE.sub(lambda match: " " * len(match.group()), line)
        for pattern in (INLINE, ATTRIBUTE):
            for match in pattern.finditer(line):
                yield number, match.group(1).strip("<>")
        match = DEFINITION.match(line)
        if match:
            yield number, match.group(2).strip("<>")


def fault(root, page, target):
    """Returns what is wrong with a link of a page, or None."""
    if SCHEME.match(target):
        return None
    path, _, anchor = target.partition("#")
    path = urllib.parse.unquote(path)
    if not path and not anchor:
        return "a link to nothing"
    if path.startswith("/"):
        return "`%s` begins at the root of a machine or site: make it relative" % target
    file = (page.parent / path).resolve() if path else page
    if not file.is_relative_to(root):
        return "`%s` leads out of the tree" % target
    if not file.exists():
        return "there is no `%s`" % file.relative_to(root)
    docs = root / "docs"
    if page.is_relative_to(docs) and not file.is_relative_to(docs):
        return "`%s` leads out of docs/, which is installed without the rest" % target
    if anchor:
        if file.suffix != ".md":
            return "`%s` has an anchor, but is no page" % target
        if urllib.parse.unquote(anchor) not in anchors(file.read_text(encoding="utf-8")):
            return "`%s` has no heading for `#%s`" % (file.relative_to(root), anchor)
    return None


def pages(root):
    for path in sorted(root.rglob("*.md")):
        if not SKIPPED.intersection(path.relative_to(root).parts):
            yield path


def main(root):
    root = pathlib.Path(root).resolve()
    read = links = faults = 0
    for page in pages(root):
        read += 1
        for number, target in targets(page.read_text(encoding="utf-8")):
            links += 1
            words = fault(root, page, target)
            if words:
                faults += 1
                print("%s:%d: error: %s" % (page.relative_to(root), number, words))
    print("%d pages, %d links, %d faults" % (read, links, faults))
    return 1 if faults or not read else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
