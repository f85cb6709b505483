"""Wrap text for a terminal: at words, between wide characters, with hanging indents. Pure.

    wrap("1. a title that is long", 12) → "1. a title\n   that is\n   long"

Escape sequences take no room. An address is not broken: a terminal that wraps it itself keeps it
clickable. What cannot be broken is left long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kensaku.text.width import display_width

MIN_WIDTH = 20
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\")
_INDENT = re.compile(r"\s*(?:\d{1,3}\. |\[\d{1,3}\] |[-*•] )?")
_PIECE = re.compile(r"(?:\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\)+|\s+|[^\s\x1b]+")
_NO_START = frozenset("、。，．・：；？！）」』】〉》〕｝ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々…")


def wrap(text: str, width: int) -> str:
    """Wrap every line that is wider than `width` columns."""
    width = max(MIN_WIDTH, width)
    lines = (
        line if columns(line) <= width else _wrap_line(line, width) for line in text.split("\n")
    )
    return "\n".join(lines)


def wrap_list(rows: list[list[str]], width: int | None) -> list[str]:
    """Return the lines of a list without a header; its last column is wrapped beside the others.

    Where a terminal is too narrow for that, it stands below them.
    """
    if not rows:
        return []
    heads = [row[:-1] for row in rows]
    widths = [max(map(columns, column)) for column in zip(*heads, strict=True)]
    margin = sum(widths) + 2 * len(widths)
    beside = width is None or width - margin >= MIN_WIDTH
    lines = []
    for *head, text in rows:
        padded = "  ".join(c + " " * (w - columns(c)) for c, w in zip(head, widths, strict=True))
        indent = " " * margin if beside else "  "
        parts = [text] if width is None else wrap(text, width - len(indent)).split("\n")
        if beside:
            lines += [f"{padded}  {parts[0]}".rstrip(), *(indent + part for part in parts[1:])]
        else:
            lines += [padded.rstrip(), *(indent + part for part in parts)]
    return lines


def columns(text: str) -> int:
    """How many columns a text takes; a wide character takes two."""
    return display_width(_ESCAPE.sub("", text))


def _wrap_line(line: str, width: int) -> str:
    if columns(line) <= width:
        return line
    lead = _INDENT.match(line)
    head = lead.group() if lead else ""
    hanging = " " * columns(head)
    if len(hanging) > width // 2:
        hanging = ""
    done, current, used = list[str](), head, columns(head)
    for piece in _pieces(line[len(head) :]):
        size = columns(piece)
        if piece.isspace():
            if used + size <= width:
                current, used = current + piece, used + size
            continue
        if used + size > width and current.strip():
            done.append(current.rstrip())
            current, used = hanging, len(hanging)
        current, used = current + piece, used + size
    return "\n".join([*done, current.rstrip()])


def _pieces(text: str) -> Iterator[str]:
    """Yield what may stand on one line only: words, single wide characters, escape sequences."""
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece[0] in "\x1b" or piece.isspace() or piece.isascii() or "://" in piece:
            yield piece
        else:
            yield from _between_wide(piece)


def _between_wide(word: str) -> Iterator[str]:
    """Split a word between wide characters, but not before one that begins no line."""
    part = ""
    for char in word:
        is_wide = display_width(char) == 2
        joins = char in _NO_START or not (is_wide or (part and display_width(part[-1]) == 2))
        if part and not joins:
            yield part
            part = ""
        part += char
    if part:
        yield part
