"""Escape text from the web, so that it cannot break out of its place in a text of ours.

    title, query  → flatten()       part of a line, after words of ours
    snippet       → escape_line()   a line that starts no Markdown structure
    answer        → escape_block()  lines, none of which starts a heading, rule, fence or item
    page          → escape_page()   Markdown as it is, except for lines that look like ours

Where a line would start a structure, a backslash is inserted, as Markdown escapes it: people and
models still read the original text. All other text stays the same, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kensaku.text.clean import visible

__all__ = [
    "escape_block",
    "escape_bold",
    "escape_line",
    "escape_link",
    "escape_page",
    "escape_url",
    "flatten",
]

_LABELS = r"URL|スコア|Published|公開|Answer|回答|Note|注"
_START = re.compile(
    r"(?P<pad>\s*+)(?:"
    r"(?P<rule>[-=*_](?:[ \t]*[-=*_])*[ \t]*$)"
    r"|(?P<fence>`{3,}|~{3,})"
    r"|(?P<number>\d{1,9})(?P<dot>[.)](?=\s|$))"
    r"|(?P<bullet>[-*+](?=\s|$))"
    r"|(?P<mark>\#{1,6}(?=\s|$)|={3,}|-{3,}|_{3,}|\*\*|>|<(?=[A-Za-z!?/])|\[[^\]\n]*\](?=:)|\[\d+\]"
    rf"|(?:{_LABELS})\s*[:：])"
    r")"
)


def flatten(text: str) -> str:
    """Remove invisible characters and join the lines into one."""
    clean = visible(text).strip()
    return " ".join(filter(None, map(str.strip, clean.split("\n")))) if "\n" in clean else clean


def escape_line(text: str) -> str:
    """Return one line that starts no structure."""
    return _escape_start(flatten(text))


def escape_block(text: str) -> str:
    """Escape the start of every line. Bullets of the text itself stay."""
    lines = (_escape_start(line, bullets=True) for line in visible(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines).strip("\n"))


def escape_bold(text: str) -> str:
    """Return one line that cannot end the `**` around it."""
    line = flatten(text).replace("**", r"\*\*")
    return line + "\\" if _ends_with_escape(line) else line


def escape_link(text: str) -> str:
    """Return one line that cannot end the brackets of a Markdown link."""
    return re.sub(r"([\\\[\]`<])", r"\\\1", flatten(text))


def escape_url(url: str) -> str:
    """Return the URL on one line, its spaces and angle brackets percent-encoded."""
    line = escape_line(url)
    return re.sub(r"[\s<>]", lambda m: "".join(f"%{b:02X}" for b in m.group().encode()), line)


def escape_page(text: str, prefixes: Iterable[str]) -> str:
    """Escape the lines of a Markdown page that begin with one of `prefixes`, and rules.

    A code fence without an end is closed, so that it does not include the text that follows.
    """
    ours = re.compile(rf"\s*(?:{'|'.join(map(re.escape, prefixes))}|-{{3,}}\s*$)")
    lines = [
        _add_backslash(line) if ours.match(line) else line for line in visible(text).split("\n")
    ]
    page = "\n".join(lines).strip("\n")
    return f"{page}\n{fence}" if (fence := _open_fence(lines)) else page


def _escape_start(line: str, *, bullets: bool = False) -> str:
    """Insert a backslash where a line would start a structure. All escaping of lines is here."""
    match = _START.match(line)
    if match is None or (bullets and match["bullet"]):
        return line
    pad, rest = match["pad"], line[match.end() :]
    if match["fence"]:
        return pad + "".join("\\" + char for char in match["fence"]) + rest
    if match["number"]:
        return f"{pad}{match['number']}\\{match['dot']}{rest}"
    return _add_backslash(line)


def _add_backslash(line: str) -> str:
    start = len(line) - len(line.lstrip())
    return f"{line[:start]}\\{line[start:]}"


def _ends_with_escape(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


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
