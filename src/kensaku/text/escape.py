"""Other people's text, put into a place that it cannot leave.

    title, query  → within()  a piece of a line, behind our own words
    snippet, url  → inline()  one line that starts nothing
    answer        → block()   lines, none of which starts a heading, rule, fence or item
    page          → page()    Markdown as it is, without the lines that belong to us

What looks like structure at the start of a line gets a backslash, as Markdown writes it, so that a
person and a model still read what was there. All other text stays as it is, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kensaku.text.clean import visible

__all__ = ["address", "block", "bold", "inline", "link", "page", "within"]

_NAMES = r"URL|スコア|Published|公開|Answer|回答|Note|注"
_START = re.compile(
    r"(?P<pad>\s*+)(?:"
    r"(?P<rule>[-=*_](?:[ \t]*[-=*_])*[ \t]*$)"
    r"|(?P<fence>`{3,}|~{3,})"
    r"|(?P<number>\d{1,9})(?P<dot>[.)](?=\s|$))"
    r"|(?P<bullet>[-*+](?=\s|$))"
    r"|(?P<mark>\#{1,6}(?=\s|$)|={3,}|-{3,}|_{3,}|\*\*|>|<(?=[A-Za-z!?/])|\[[^\]\n]*\](?=:)|\[\d+\]"
    rf"|(?:{_NAMES})\s*[:：])"
    r")"
)


def within(text: str) -> str:
    """The text as a piece of a line."""
    shown = visible(text).strip()
    return " ".join(filter(None, map(str.strip, shown.split("\n")))) if "\n" in shown else shown


def inline(text: str) -> str:
    """The text as one line that starts nothing."""
    return _starting_nothing(within(text))


def block(text: str) -> str:
    """The text in its lines, none of which starts a part of ours. Its own bullets may stay."""
    lines = (_starting_nothing(line, bullets=True) for line in visible(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines).strip("\n"))


def bold(text: str) -> str:
    """One line that stays inside `**` … `**`."""
    line = within(text).replace("**", r"\*\*")
    return line + "\\" if _ends_with_escape(line) else line


def link(text: str) -> str:
    """One line that stays inside the brackets of a Markdown link."""
    return re.sub(r"([\\\[\]`<])", r"\\\1", within(text))


def address(url: str) -> str:
    """A URL without anything that could end it."""
    line = inline(url)
    return re.sub(r"[\s<>]", lambda m: "".join(f"%{b:02X}" for b in m.group().encode()), line)


def page(text: str, ours: Iterable[str]) -> str:
    """A whole page as Markdown. Only lines that begin as `ours` do, and rules, are marked; a fence
    that is left open is closed, so that it does not swallow what follows."""
    mine = re.compile(rf"\s*(?:{'|'.join(map(re.escape, ours))}|-{{3,}}\s*$)")
    lines = [_escaped(line) if mine.match(line) else line for line in visible(text).split("\n")]
    whole = "\n".join(lines).strip("\n")
    return f"{whole}\n{left_open}" if (left_open := _open_fence(lines)) else whole


def _starting_nothing(line: str, *, bullets: bool = False) -> str:
    """THE neutralising: a line that would start a structure gets a backslash where it starts."""
    found = _START.match(line)
    if found is None or (bullets and found["bullet"]):
        return line
    pad, rest = found["pad"], line[found.end() :]
    if found["fence"]:
        return pad + "".join("\\" + char for char in found["fence"]) + rest
    if found["number"]:
        return f"{pad}{found['number']}\\{found['dot']}{rest}"
    return _escaped(line)


def _escaped(line: str) -> str:
    start = len(line) - len(line.lstrip())
    return f"{line[:start]}\\{line[start:]}"


def _ends_with_escape(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _open_fence(lines: Iterable[str]) -> str:
    fence = ""
    for line in lines:
        start = line.lstrip()
        mark = start[: len(start) - len(start.lstrip(start[:1] or " "))]
        if not fence and len(mark) >= 3 and mark[0] in "`~":
            fence = mark
        elif fence and start.rstrip() == mark and mark[:1] == fence[0] and len(mark) >= len(fence):
            fence = ""
    return fence
