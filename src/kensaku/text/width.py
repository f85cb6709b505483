"""The width of text on a terminal: a wide character takes two columns, a combining one none."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

from kensaku.text.clean import grapheme_start

__all__ = ["cut_to_width", "display_width", "format_table"]

_ZERO = re.compile("[\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def display_width(text: str) -> int:
    """Return how many columns a line of text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def cut_to_width(text: str, columns: int) -> str:
    """Return as much of a line as fits, ended by "…" when something was left out."""
    if display_width(text) <= columns:
        return text
    end = used = 0
    for end, char in enumerate(text):  # noqa: B007  # `end` is the first that does not fit
        used += _width(char)
        if used > columns - 1:
            break
    return text[: grapheme_start(text, end)].rstrip() + "…" if columns > 0 else ""


def format_table(rows: list[list[str]], columns: int | None = None) -> str:
    """Align the columns of a table; the first row is the header.

    A table that is wider than the terminal's columns becomes a block of lines for each row.
    """
    if not rows:
        return ""
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    if columns is not None and sum(widths) + 2 * (len(widths) - 1) > columns:
        return "\n".join(_block(rows[0], row) for row in rows[1:])
    lines = ("  ".join(map(_pad, row, widths)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _block(head: list[str], row: list[str]) -> str:
    pairs = zip(head[1:], row[1:], strict=True)
    return "\n".join([row[0], *(f"  {what}: {cell}" for what, cell in pairs if cell)])


def _pad(cell: str, columns: int) -> str:
    return cell + " " * (columns - display_width(cell))


def _width(char: str) -> int:
    if combining(char) or _ZERO.match(char):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1
