"""The text of a block in Markdown: links, code and emphasis marked, all else escaped.

Text that looks like Markdown must stay text: a page could else show `![x](https://…)` and have a
chat window load the address. Only what would change its meaning is escaped, for the reader's sake.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kensaku.extract.html.metadata import absolute
from kensaku.extract.main.blocks import HEADINGS, Block, normalize_spaces

_BREAK = "\x00"
_MARKS = {"strong": "**", "em": "*"}
_LONG = 300  # characters: what is emphasised as a whole is not emphasised

_HINT = re.compile(r"[\\`~*_\[\]<&]")  # a class alone is searched much faster
_SPECIAL = re.compile(
    r"\\(?=[!-/:-@\[-`{-~\x00]|$)"  # a backslash that would escape
    r"|`|~(?=~|$)|(?<=~)~|^~"
    r"|(?<!\s)\*|\*(?!\s)|^\*|\*$"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|\[(?=[^\[\]]{0,200}\]\s?[(\[:])|(?<=!)\[|\](?=\s?[(\[:]|$)"
    r"|<(?=[A-Za-z/!?]|$)"
    r"|&(?=#?\w{1,31};|$)"
)
_LINE_START = re.compile(
    r"^(?P<indent>[ \t]*+)(?:(?P<mark>#(?=#{0,5}(?:\s|$))|>|[+-](?=\s|$)|[-=](?=[-=|: \t]*+$)"
    r"|[|:](?=[-|: \t]*+$))|(?P<number>\d{1,9})(?P<dot>[.)])(?=\s|$))",
    re.MULTILINE,
)


def escape(text: str) -> str:
    """Escape what Markdown would read as marks inside a line."""
    return _SPECIAL.sub(lambda match: "\\" + match[0], text) if _HINT.search(text) else text


def escape_line_starts(text: str) -> str:
    """Escape what Markdown would read as a heading, a quote, a list or a rule."""
    return _LINE_START.sub(_escape_start, text)


def _escape_start(match: re.Match[str]) -> str:
    if match["number"]:
        return f"{match['indent']}{match['number']}\\{match['dot']}"
    return f"{match['indent']}\\{match['mark']}"


@dataclass(slots=True)
class _Run:
    """Text of one link and one style."""

    text: str
    link: str | None
    style: str


def inline(block: Block, base: str) -> str:
    """Return the text of a block with links, code and emphasis marked."""
    runs = _runs(block)
    parts: list[str] = []
    for n, run in enumerate(runs):
        before = runs[n - 1].text[-1:] if n else ""
        after = runs[n + 1].text[:1] if n + 1 < len(runs) else ""
        text = _write(run, before, after, base)
        if text.startswith("[") and parts and parts[-1].endswith("!"):
            parts[-1] = parts[-1][:-1] + "\\!"  # else the link would be an image
        parts.append(text)
    return escape_line_starts(normalize_spaces("".join(parts)))


def _runs(block: Block) -> list[_Run]:
    runs: list[_Run] = []
    heading = block.node.tag in HEADINGS
    for text, link, style in block.pieces:
        if heading and style in _MARKS:
            style = ""
        if text.isspace() and runs and _joins(runs[-1]):
            runs[-1].text += text  # the space between two bold words is bold
        elif runs and runs[-1].link == link and runs[-1].style == style:
            runs[-1].text += text
        else:
            runs.append(_Run(text, link, style))
    return runs


def _joins(run: _Run) -> bool:
    return run.style in _MARKS and run.link is None


_BETWEEN = re.compile(r"\w\w|\d[.,:/%-]|[.,:/-]\d|[$€£¥+−#-]\d|\d[%°]")


def _write(run: _Run, before: str, after: str, base: str) -> str:
    bare = run.text.strip(" \t\r\n\f\x00")
    if not bare or (not run.link and not run.style):
        return escape(run.text)
    start = run.text.index(bare)
    left, right = run.text[:start], run.text[start + len(bare) :]
    address = absolute(run.link, base) if run.link else None
    # A mark inside a word or a number would split it.
    splits = _BETWEEN.fullmatch(before + run.text[:1]) or _BETWEEN.fullmatch(run.text[-1:] + after)
    style = "" if splits and not address else run.style
    if _BREAK in bare or len(bare) > _LONG:
        style = style if style == "code" and _BREAK not in bare else ""
    text = _code(bare) if style == "code" else escape(bare)
    if mark := _MARKS.get(style):
        text = _emphasise(bare, mark)
    if address and _BREAK not in bare:
        text = link(text, address)
    return left + text + right


def _emphasise(text: str, mark: str) -> str:
    """Put marks around the text, inside its punctuation, where Markdown sees them as marks."""
    core = text.strip("\"'“”‘’()[]{}.,:;!?/-–—*_|•")
    if not core:
        return escape(text)
    start = text.index(core)
    head, tail = text[:start], text[start + len(core) :]
    return f"{escape(head)}{mark}{escape(core)}{mark}{escape(tail)}"


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{' '.join(text.split())}{space}{fence}"


def link(text: str, address: str) -> str:
    """A link with this Markdown as its text."""
    label = re.sub(r"(?<!\\)[\[\]]", lambda m: "\\" + m[0], " ".join(text.split()))
    return f"[{label}]({_target(address)})"


def _target(address: str) -> str:
    for character, code in (("(", "%28"), (")", "%29"), ("<", "%3C"), (">", "%3E"), ("\\", "%5C")):
        address = address.replace(character, code)
    return address
