"""Checks that comments begin as sentences and that messages use the field's words: usage: plain_english.py ROOT [FOLDER…]

A comment that begins with What, Whose, Whether, Of, Who, Whoever or Nobody is a fragment or a riddle: its subject is
missing or comes last. "What forks has locks that nobody will open" is "Forking leaves the locks held in the child".
Messages of the product are searched for phrases that have to be decoded. Prints one line for each fault.
"""
import io
import pathlib
import re
import subprocess
import sys
import tokenize

FIRST_WORDS = re.compile(r"(What|Whose|Whether|Of|Who|Whoever|Nobody)\b")
PHRASES = re.compile(r"\b(is told of|are told of|stands(?! for)|stood|of its own|of their own)\b")
PRODUCT = ("harness/", "plugins/", "python/")
C_LIKE = (".cpp", ".hpp", ".h", ".def", ".cu", ".cuh", ".c")
HASH = (".sh", ".cmake", ".yaml", ".yml", "CMakeLists.txt", "bootstrap")
# A raw string, a string, a character (not a digit separator), a line's comment, a block's.
C_TOKEN = re.compile(r'R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z])\'(?:\\.|[^\'\\\n])*\''
                     r"|//[^\n]*|/\*.*?\*/", re.DOTALL)


def of_c(text):
    """Pairs of a line and what a comment there says, without its marks, or a literal."""
    for token in C_TOKEN.finditer(text):
        line = text.count("\n", 0, token.start()) + 1
        if token[0].startswith("/"):
            own_line = not text[text.rfind("\n", 0, token.start()) + 1:token.start()].strip()
            yield line, own_line, token[0][2:].strip("/<!* \n"), None
        else:
            yield line, False, None, token[0]


def of_python(text):
    before = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            own_line = not token.line[:token.start[1]].strip()
            yield token.start[0], own_line, token.string.lstrip("#: "), None
        elif token.type == tokenize.STRING:
            docstring = before in (None, tokenize.INDENT, tokenize.NEWLINE, tokenize.NL)
            words = token.string.strip("rbuf").strip("\"'").strip()
            yield token.start[0], False, words if docstring else None, None if docstring else token.string
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.DEDENT, tokenize.ENCODING):
            before = token.type


def of_hash(text):
    for number, line in enumerate(text.split("\n"), 1):
        found = re.match(r"(.*?)(?:^|\s)#(?!!)\s*(.*)", line)
        if found:
            yield number, not found[1].strip(), found[2], None


def faults_of(path, text):
    parts = of_c(text) if path.endswith(C_LIKE) else of_python(text) if path.endswith(".py") else of_hash(text)
    last = None  # the line of a comment that the next line goes on with
    for line, own_line, comment, literal in parts:
        if comment is not None:
            found = FIRST_WORDS.match(comment)
            if found and not (own_line and last == line - 1):
                yield line, "a comment begins with %r: write a sentence with its subject first" % found[0]
            last = line if own_line else None
        elif path.startswith(PRODUCT):
            found = PHRASES.search(literal)
            if found:
                yield line, "a message says %r: use plain words of the field" % found[0]


def files_of(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files"], stdout=subprocess.PIPE, text=True, check=False)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [
        str(path.relative_to(root)) for path in sorted(pathlib.Path(root).rglob("*")) if path.is_file()]
    return [name for name in names if name.endswith(C_LIKE + HASH + (".py",))]


def main(root, *folders):
    root = pathlib.Path(root)
    count = 0
    for name in files_of(root):
        if folders and not name.startswith(folders):
            continue
        try:
            text = (root / name).read_text(encoding="utf-8")
            found = list(faults_of(name, text))
        except (OSError, UnicodeDecodeError, tokenize.TokenError, SyntaxError):
            continue  # broken on purpose: an input of a test
        for line, words in found:
            print("%s:%d: error: %s" % (name, line, words))
        count += len(found)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
