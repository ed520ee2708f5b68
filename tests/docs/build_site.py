"""Builds the site of the documentation, with warnings as errors, and looks at pages of it: usage: build_site.py ROOT

It is built with the MkDocs of build/deps/tools, which ./bootstrap test makes, or the one that is installed.
Exit code 77 where there is none that is new enough (docs/requirements.txt names its version).
Chromium looks at some pages, where it is installed (look.py).
"""
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import look

SKIPPED = 77
LOOKED_AT = ("checks.html", "guide/recipes.html", "suite-format.html")  # reports, sessions, wide tables
OLDEST = (1, 6)  # checks anchors; Debian 12 has 1.4


def builder(root):
    """The command that is MkDocs: ours, this Python's or the PATH's; None if none is new enough."""
    commands = []
    ours = root / "build/deps/tools/bin/python3"
    if ours.exists():
        commands.append([str(ours), "-I", "-B", "-m", "mkdocs"])
    if importlib.util.find_spec("mkdocs"):
        commands.append([sys.executable, "-B", "-m", "mkdocs"])
    program = shutil.which("mkdocs")
    if program:
        commands.append([program])
    for command in commands:
        said = subprocess.run([*command, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
        version = re.search(r"version (\d+)\.(\d+)", said)
        if version and (int(version.group(1)), int(version.group(2))) >= OLDEST:
            return command
    return None


def foreign(folder):
    """Files that a page would load from elsewhere when it is read: (page, address)."""
    for page in sorted(folder.rglob("*.html")):
        for tag in re.findall(r"<(?:script|img|iframe|link)\b[^>]*>", page.read_text(encoding="utf-8")):
            address = re.search(r"\b(?:src|href)=\"?((?:https?:)?//[^\" >]*)", tag)
            if address and "rel=canonical" not in tag and 'rel="canonical"' not in tag:
                yield page.relative_to(folder), address.group(1)


def main(root):
    command = builder(root)
    if command is None:
        print("MkDocs 1.6 or newer is not installed: `pip install -r docs/requirements.txt`")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="warpmark-site-") as folder:
        done = subprocess.run([*command, "build", "--strict", "--quiet", "--config-file", str(root / "mkdocs.yml"),
                               "--site-dir", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(done.stdout, end="")
        if done.returncode != 0:
            return 1
        found = list(foreign(pathlib.Path(folder)))
        for page, address in found:
            print("%s: error: it loads %s, and would need a network" % (page, address))
        seen = look.faults(folder, LOOKED_AT)
        for page, width, scheme, fault in seen or ():
            print("%s, %d pixels, %s: error: %s" % (page, width, scheme, fault))
        if seen is None:
            print("no Chromium, so that nothing was looked at")
        index = json.loads((pathlib.Path(folder) / "search/search_index.json").read_text(encoding="utf-8"))
        if not any("order-by-barrier" in entry["text"] and entry["location"].startswith("checks.html#") for entry in index["docs"]):
            print("search/search_index.json: error: a search for `order-by-barrier` does not lead to checks.html")
            return 1
        pages = sum(1 for _ in pathlib.Path(folder).rglob("*.html"))
        print("%d pages" % pages)
        return 1 if found or seen or pages < 10 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
