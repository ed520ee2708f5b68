"""Single-token mutants of a C++ file: what could have been written by a slip, one token at a time.

The operators are those of Mull and PIT (relational boundary and negation, arithmetic, logical,
constants, removed negation, flow), chosen by the token alone. The text is expected in the style of
clang-format: a binary operator has spaces on both sides, which a template's bracket, a pointer or
an rvalue reference has not.
"""
import re
from dataclasses import dataclass

BINARY = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "&": ["|"], "|": ["&"], "<<": [">>"], ">>": ["<<"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "|=": ["&="], "&=": ["|="],
}
WORDS = {"true": ["false"], "false": ["true"], "min": ["max"], "max": ["min"],
         "continue": ["break"], "break": ["continue"],
         "all_of": ["any_of"], "any_of": ["all_of"], "none_of": ["any_of"]}
PREFIX = {"!": [""], "++": ["--"], "--": ["++"]}

TOKEN = re.compile(r"""
    (?P<skip> //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)* | \s+
            | R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)" | (?:u8|[uUL])?"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)+' )
  | (?P<number> (?:0[xX][\da-fA-F']+ | 0[bB][01']+ | \d[\d']*(?:\.\d*)?(?:[eE][-+]?\d+)? | \.\d+)[uUlLzfF]* )
  | (?P<word> [A-Za-z_]\w* )
  | (?P<operator> <<= | >>= | <=> | -> | \+\+ | -- | && | \|\| | << | >> | [-+*/%&|^<>=!]= | [-+*/%&|^<>=!~?:;,.(){}\[\]\#] )
  | (?P<other> . )
""", re.VERBOSE | re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Mutant:
    """One replaced token. `nth` counts the equal tokens of the line from 1; `text` is the line."""
    line: int
    column: int
    text: str
    token: str
    nth: int
    replacement: str
    begin: int
    end: int

    def apply(self, source):
        return source[:self.begin] + self.replacement + source[self.end:]

    @property
    def change(self):
        return f"{self.token} -> {self.replacement or '(nothing)'}"


def constants(text):
    """The neighbours of an integer; none for a floating-point number's odd forms."""
    plain = text.replace("'", "")
    match = re.fullmatch(r"(\d+)([uUlLzZ]*)", plain)
    if match:
        if len(match.group(1)) > 1 and plain.startswith("0"):
            return []
        value = int(match.group(1))
        return [f"{value + 1}{match.group(2)}"] if value != 1 else [f"0{match.group(2)}"]
    match = re.fullmatch(r"(\d+\.\d*)([fF]?)", plain)
    return [f"{float(match.group(1)) + 1}{match.group(2)}"] if match else []


def replacements(kind, token, source, begin, end):
    if kind == "number":
        return constants(token)
    if kind == "word":
        # A member or a type of that name is not the function.
        called = source[end:end + 1] in "(<"
        return WORDS.get(token, []) if token not in ("min", "max", "all_of", "any_of", "none_of") or called else []
    if kind != "operator":
        return []
    if token == "!" and source[end] != "=":
        return PREFIX["!"]
    if token in ("++", "--"):
        return PREFIX[token]
    binary = source[begin - 1:begin] in (" ", "\n") and source[end:end + 1] in (" ", "\n")
    return BINARY.get(token, []) if binary else []


def mutants_of(source):
    """Every mutant of the text, in its order."""
    line, line_begin, seen = 1, 0, {}
    lines = source.split("\n")
    for match in TOKEN.finditer(source):
        begin, end = match.span()
        passed = source.count("\n", line_begin, begin)
        if passed:
            line += passed
            line_begin = source.rfind("\n", 0, begin) + 1
            seen = {}
        if match.lastgroup in ("skip", "mark") or match.group("skip") is not None:
            continue
        token = match.group()
        seen[token] = seen.get(token, 0) + 1
        for replacement in replacements(match.lastgroup, token, source, begin, end):
            yield Mutant(line, begin - line_begin + 1, lines[line - 1].strip(), token, seen[token],
                         replacement, begin, end)
