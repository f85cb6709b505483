"""Escape text from the web, so that it cannot break the structure around it.

    title, query     → flatten()       part of a line, after words of ours
    short snippet    → escape_line()   a line that starts no structure
    content, answer  → escape_lines()  lines as they are, except for those that start a structure
    content          → escape_text()   the same, except that closed blocks of code stay code
    page             → escape_page()   Markdown as it is, except for lines that look like ours

Where a line would start a heading, a rule or a fence, or one of the surface's own lines, a
backslash is inserted, as Markdown escapes it: people and models still read the original text.
Images are escaped everywhere. All other text stays the same, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import inf

from kensaku.text.clean import visible
from kensaku.text.images import escape_images, escape_open_images

__all__ = [
    "escape_bold",
    "escape_line",
    "escape_lines",
    "escape_link",
    "escape_page",
    "escape_text",
    "escape_url",
    "flatten",
    "line_starts",
]

# Four blanks or a tab make code or a part of the paragraph: `    # a comment` is no heading.
_STRUCTURE = (
    r" {0,3}(?:`{3,}|~{3,}|\#{1,6}(?=[ \t]|$)|<(?=[!?]|[Pp][Rr][Ee](?:[\s>]|$))"
    r"|(?:=++|-++|(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)[ \t]*$)"
)


def line_starts(*own: str, structure: bool = True) -> re.Pattern[str]:
    """Compile what a surface's own lines begin with, besides headings, rules and fences.

    `own` are regular expressions, such as `URL:`. They count behind any indentation. Without
    `structure` they count alone.
    """
    starts = rf"\s*+(?:{'|'.join(own)})" if own else ""
    return re.compile("|".join(filter(None, (_STRUCTURE if structure else "", starts))))


_PLAIN = line_starts()
# An address is alone on its line, in every layout: one that starts anything at all is none.
_NO_ADDRESS = line_starts(
    r"\d{1,9}[.)](?=\s|$)", r"[^\w\s/.~\\]", "(?:URL|スコア|Answer|回答|Note|注)\\s*[:：]"
)


def flatten(text: str) -> str:
    """Remove invisible characters and images, and join the lines into one."""
    return escape_open_images(escape_images(_join(text)))


def escape_line(text: str, own: re.Pattern[str] = _PLAIN) -> str:
    """Return one line that starts no structure."""
    return _escape_start(flatten(text), own)


def escape_lines(text: str, own: re.Pattern[str] = _PLAIN) -> str:
    """Escape the lines that start a structure; all others keep their every blank."""
    text = escape_images(visible(text))
    if "\n" not in text:
        return _escape_start(text, own)
    return "\n".join([_escape_start(line, own) for line in text.split("\n")])


def escape_text(text: str, own: re.Pattern[str] = _PLAIN, *, inline: bool = False) -> str:
    """Escape the lines that start a structure, but keep blocks of code that are closed.

    Inside of such a block only the surface's own lines are escaped. With `inline` the text stands
    behind something on its line: a block that it begins with gets a line of its own.
    """
    lines = escape_images(visible(text)).split("\n")
    inside = _code_lines(lines)
    if not inside:
        return "\n".join([_escape_start(line, own) for line in lines])
    escaped = [
        line if n in inside and _PLAIN.match(line) else _escape_start(line, own)
        for n, line in enumerate(lines)
    ]
    return "\n".join(["", *escaped] if inline and 0 in inside else escaped)


def escape_bold(text: str) -> str:
    """Return one line that cannot end the `**` around it."""
    line = flatten(text).replace("**", r"\*\*")
    return line + "\\" if _ends_with_escape(line) else line


def escape_link(text: str) -> str:
    """Return one line that cannot end the brackets of a Markdown link."""
    return re.sub(r"([\\\[\]`<])", r"\\\1", _join(text))


def escape_url(url: str) -> str:
    """Return the URL on one line; what would end it, or make an image, is percent-encoded."""
    line = _escape_start(_join(url), _NO_ADDRESS)
    return re.sub(r"[\s<>]|(?<=!)\[", _percent_encode, line)


def escape_page(text: str, prefixes: Iterable[str]) -> str:
    """Escape the lines of a Markdown page that begin with one of `prefixes`, and rules.

    A code fence without an end is closed, so that it does not include the text that follows.
    """
    ours = re.compile(rf"\s*+(?:{'|'.join(map(re.escape, prefixes))}|-{{3,}}+\s*$)")
    lines = [
        _add_backslash(line) if ours.match(line) else line
        for line in escape_images(visible(text)).split("\n")
    ]
    page = "\n".join(lines).strip("\n")
    return f"{page}\n{fence}" if (fence := _open_fence(lines)) else page


def _join(text: str) -> str:
    clean = visible(text).strip()
    return " ".join(filter(None, map(str.strip, clean.split("\n")))) if "\n" in clean else clean


def _escape_start(line: str, own: re.Pattern[str]) -> str:
    """Insert a backslash where a line would start a structure. All escaping of lines is here."""
    match = own.match(line)
    if match is None:
        return line
    if fence := _FENCE.match(line):
        return fence[1] + "\\" + "\\".join(fence[2]) + line[fence.end() :]
    if number := _NUMBER.match(line):  # a digit cannot be escaped, its dot can
        return f"{number[0]}\\{line[number.end() :]}"
    return _add_backslash(line)


_FENCE = re.compile(r"(\s*+)(`{3,}+|~{3,}+)")
_NUMBER = re.compile(r"\s*+\d{1,9}(?=[.)])")


def _add_backslash(line: str) -> str:
    start = len(line) - len(line.lstrip())
    return f"{line[:start]}\\{line[start:]}"


def _percent_encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode())


def _ends_with_escape(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


# A fence in the first column is in no list and no quote: whether it is closed can be told by lines.
_CODE_START = re.compile(r"(`{3,}+)[^`]*$|(~{3,}+)")
_HTML_START = re.compile(r" {0,3}</?[A-Za-z]")  # in such a block a fence means nothing


def _code_lines(lines: Sequence[str]) -> set[int]:
    """Return the numbers of the lines in blocks of code that are closed, with their fences."""
    found: set[int] = set()
    never = {"`": inf, "~": inf}  # the shortest fence that no later line closes
    at = 0
    while at < len(lines):
        if _HTML_START.match(lines[at]):
            return set()
        start, end = _CODE_START.match(lines[at]), at
        if start and len(fence := start[1] or start[2]) < never[fence[0]]:
            closing = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
            end = next((n for n in range(at + 1, len(lines)) if closing.match(lines[n])), at)
            if end > at:
                found.update(range(at, end + 1))
            else:
                never[fence[0]] = len(fence)
        at = end + 1
    return found


def _open_fence(lines: Iterable[str]) -> str:
    """Return the fence that no line closes, or an empty string."""
    fence = ""
    for line in lines:
        start = line.lstrip()
        mark = start[: len(start) - len(start.lstrip(start[:1] or " "))]
        if not fence and len(mark) >= 3 and mark[0] in "`~":
            fence = mark
        elif fence and start.rstrip() == mark and mark[:1] == fence[0] and len(mark) >= len(fence):
            fence = ""
    return fence
