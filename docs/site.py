"""MkDocs' hook for the site of the documentation: colours in code, and what its Markdown does to code in tables."""
import html
import re

BLOCK = re.compile(r'<pre><code class="language-(\w+)">(.*?)</code></pre>', re.S)
CELL_CODE = re.compile(r"(<td[^>]*>)(.*?)(</td>)", re.S)
CODE = re.compile(r"<code>([^<]*)</code>")
# Names as long as the longest counter, and days, stay in one piece; long paths and expressions may break.
NAME = re.compile(r"[\w:./-]{1,40}")
DAY = re.compile(r"<td>(\d{4}-\d\d-\d\d)</td>")

C_WORDS = ("alignas|asm|auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|extern|false|float|for|if|inline|int|"
           "long|namespace|operator|private|public|return|short|signed|sizeof|static|struct|switch|template|true|typename|unsigned|using|void|"
           "volatile|while|__\\w+__|size_t|u?int\\d+_t")
PYTHON_WORDS = ("and|as|assert|break|class|continue|def|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|raise|return|True|"
                "try|while|with|yield")
TEXT = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
NUMBER = r"\b0x[\da-fA-F]+\w*|\b\d[\d.]*(?:e[+-]?\d+)?\w*"


def language(comment, keyword, number=NUMBER):
    """A pattern whose groups are the classes of what it finds."""
    return re.compile("(?P<comment>%s)|(?P<string>%s)|(?P<keyword>%s)|(?P<number>%s)" % (comment, TEXT, keyword, number), re.M)


C = language(r"//.*|/\*[\s\S]*?\*/", r"\b(?:%s)\b|^ *#\w+.*" % C_WORDS)
PYTHON = language(r"#.*", r"\b(?:%s)\b" % PYTHON_WORDS)
SHELL = language(r"(?:^|(?<=\s))#.*", r"(?:^|(?<=\s))--?[A-Za-z][\w-]*", r"(?!)")
LANGUAGES = {
    "c": C, "cpp": C, "cuda": C, "python": PYTHON,
    "yaml": language(r"(?:^|(?<=\s))#.*", r"(?:^|(?<=[{,]))[ -]*[A-Za-z_][\w.]*(?=:(?:\s|$))"),
    "json": language(r"(?!)", r"\b(?:true|false|null)\b"),
    "bash": SHELL, "sh": SHELL, "dockerfile": language(r"#.*", r"^[A-Z]+\b", r"(?!)"),
    "cmake": language(r"#.*", r"\b\w+(?=\()"),
    "sql": language(r"--.*", r"\b(?:SELECT|FROM|WHERE|AND|AS|JOIN|ON|GROUP BY|ORDER BY|DESC|CREATE|TABLE|VIEW|PRAGMA|PRIMARY KEY|REFERENCES|"
                             r"NOT NULL|INTEGER|TEXT|REAL)\b"),
    # A session: what is typed stands out from what is printed.
    "console": re.compile(r"(?P<keyword>^\$ .*)|(?P<comment>^\[exit \d+\]$)", re.M),
}


def coloured(name, code):
    """The code as HTML, with a span around what has a colour."""
    pattern, out, end = LANGUAGES.get(name), [], 0
    for match in pattern.finditer(code) if pattern else ():
        out += [html.escape(code[end:match.start()], quote=False),
                '<span class="hl-%s">%s</span>' % (match.lastgroup, html.escape(match.group(), quote=False))]
        end = match.end()
    return "".join(out) + html.escape(code[end:], quote=False)


def block(match):
    return '<pre><code class="language-%s">%s</code></pre>' % (match[1], coloured(match[1], html.unescape(match[2])))


def cell_code(match):
    text = match[1].replace("\\|", "|")
    return "<code%s>%s</code>" % (' class="name"' if NAME.fullmatch(html.unescape(text)) else "", text)


def cell(match):
    return match[1] + CODE.sub(cell_code, match[2]) + match[3]


def on_page_content(content, **_):
    """Called by MkDocs with the HTML of each page."""
    return DAY.sub(r'<td class="name">\1</td>', CELL_CODE.sub(cell, BLOCK.sub(block, content)))
