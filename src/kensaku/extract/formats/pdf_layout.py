"""The lines of a PDF page → Markdown: headings, list items and tables, by where words stand.

    characters → lines → words with their places → cells, where a gap is wide
        lines whose cells stand below each other → a table
        larger or bolder than the page's text    → a heading

A PDF has no headings and no tables, only letters at places. What is no table by a strict measure
stays lines: a wrong table is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, c_double
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from kensaku.extract.formats.text import table
from kensaku.extract.require import require

GAP = 0.9  # of a line's height: words further apart are in two cells
LARGE, BOLD = 1.15, 120  # of a heading, to the page's text: its height, and how much heavier it is
HEADING_CHARS = 120
MIN_ROWS = 3  # of a table, with more than one cell
MAX_LABELS = 2  # lines of one cell that follow each other inside of a table
FIGURES = 0.6  # of the cells of a table, those of its first column left out
MAX_WORDS = 20_000  # of a page; what follows is not looked at
_BULLET = re.compile(r"[•●▪■◦‣∙·–—-]\s+")
_FIGURE = re.compile(r"[(\[]?[-–—+]?[$€£¥]?\s?\(?(?:\d[\d.,]*|[-–—])[)%\]x]*\s?%?\)?")
_BEFORE, _AFTER = ("$", "€", "£", "¥", "("), (")", "%", ")%", "]")
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|_{4,}")  # the dots between a label and its figures
_WORD = re.compile(r"[^\s.…_]\S*?(?=\s|\.{4}|…{2}|_{4}|$)|\S+")


class Cell(NamedTuple):
    """Words that stand close together."""

    left: float
    right: float
    text: str

    @property
    def is_figure(self) -> bool:
        """Whether this is a number, an amount or the dash for none."""
        return bool(_FIGURE.fullmatch(self.text))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, and how it looks."""

    cells: tuple[Cell, ...]
    height: float = 1.0
    weight: int = 0

    @property
    def text(self) -> str:
        """Its words, as in the text of the page."""
        return " ".join(cell.text for cell in self.cells)


def read_lines(textpage: Any, text: str) -> list[Line]:
    """Return the lines of a page; `text` has one character for each of pdfium's."""
    raw = require("pypdfium2").raw
    lines: list[Line] = []
    at = words = 0
    for row in text.split("\n"):
        spans = [
            (at + m.start(), at + m.end(), m[0])
            for m in _WORD.finditer(row)
            if not _LEADER.fullmatch(m[0])
        ]
        at += len(row) + 1
        words += len(spans)
        if not spans or words > MAX_WORDS:
            continue
        box = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(textpage, spans[0][0], box)
        height = max(box.top - box.bottom, 1.0)
        weight = min(raw.FPDFText_GetFontWeight(textpage, start) for start, _, _ in spans)
        places = [
            Cell(_side(raw, textpage, start, 0), _side(raw, textpage, end - 1, 1), word)
            for start, end, word in spans
        ]
        lines.append(Line(tuple(_cells(places, GAP * height)), height, weight))
    return lines


def _side(raw: Any, textpage: Any, index: int, side: int) -> float:
    """Return the left (0) or right (1) side of a character."""
    sides = [c_double() for _ in range(4)]
    raw.FPDFText_GetCharBox(textpage, index, *map(byref, sides))
    return sides[side].value


def _cells(words: Iterable[Cell], gap: float) -> Iterator[Cell]:
    """Join words that stand close together, and signs with their figures."""
    open: Cell | None = None
    for word in words:
        near = open is not None and (
            -gap < word.left - open.right <= gap or open.text in _BEFORE or word.text in _AFTER
        )
        if open is not None and near:
            space = "" if open.text in _BEFORE or word.text in _AFTER else " "
            open = Cell(open.left, word.right, open.text + space + word.text)
            continue
        if open is not None:
            yield open
        open = word
    if open is not None:
        yield open


def to_markdown(lines: Sequence[Line], level: int) -> str:
    """Write lines as Markdown; headings begin at a level."""
    if not lines:
        return ""
    height = median(line.height for line in lines)
    weight = int(median(line.weight for line in lines))
    parts: list[str] = []
    at = 0
    while at < len(lines):
        if end := _table_end(lines, at):
            parts.append(f"\n{table(_rows(lines[at:end]))}\n")
            at = end
            continue
        parts.append(_marked(lines[at], height, weight, level))
        at += 1
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).strip()


def _marked(line: Line, height: float, weight: int, level: int) -> str:
    text = line.text
    if bullet := _BULLET.match(text):
        return f"- {text[bullet.end() :]}"
    short = (
        len(text) <= HEADING_CHARS and len(line.cells) == 1 and not text.endswith((".", ",", ";"))
    )
    if short and any(map(str.isalpha, text)):
        if line.height >= LARGE * height:
            return f"\n{'#' * level} {text}\n"
        if line.weight >= weight + BOLD:
            return f"\n{'#' * (level + 1)} {text}\n"
    return text


def _table_end(lines: Sequence[Line], start: int) -> int | None:
    """Return where the table that begins with a line ends, or None if there is none."""
    if len(lines[start].cells) < 2:
        return None
    end, labels = start + 1, 0
    for at in range(start + 1, len(lines)):
        labels = labels + 1 if len(lines[at].cells) < 2 else 0
        if labels > MAX_LABELS:
            break
        end = end if labels else at + 1
    wide = [line for line in lines[start:end] if len(line.cells) > 1]
    others = [cell for line in wide for cell in line.cells[1:]]
    figures = sum(cell.is_figure for cell in others)
    return end if len(wide) >= MIN_ROWS and figures >= FIGURES * len(others) else None


def _rows(lines: Sequence[Line]) -> list[list[str]]:
    """Return the rows of a table, all of one width. Its first row is its header."""
    columns = _columns(lines)
    rows = _with_labels(_row(line, columns) for line in lines)
    used = [n for n in range(len(columns) + 1) if any(row[n] for row in rows)]
    rows = [[row[n] for n in used] for row in rows]
    first = [cell for cell in lines[0].cells[1:] if cell.is_figure and not _is_year(cell.text)]
    return [[""] * len(used), *rows] if first else rows


def _with_labels(rows: Iterable[list[str]]) -> list[list[str]]:
    """Give figures without a label that of the line above, if that has nothing else."""
    found: list[list[str]] = []
    for row in rows:
        if found and not row[0] and not any(found[-1][1:]):
            row = [found.pop()[0], *row[1:]]
        found.append(row)
    return found


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Return from where to where the columns of figures reach, from left to right."""
    found: list[tuple[float, float]] = []
    spans = sorted((c.left, c.right) for line in lines for c in line.cells[1:] if c.is_figure)
    for left, right in spans:
        if found and left <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], right)
        else:
            found.append((left, right))
    return found


def _row(line: Line, columns: Sequence[tuple[float, float]]) -> list[str]:
    """Put the cells of a line into columns: the nearest one, and the first for labels."""
    row: list[list[str]] = [[] for _ in range(len(columns) + 1)]
    for n, cell in enumerate(line.cells):
        nearest = min(range(len(columns)), key=lambda c: _distance(cell, columns[c]))
        is_label = n == 0 and not cell.is_figure and cell.right < columns[0][0]
        row[0 if is_label else nearest + 1].append(cell.text)
    return [" ".join(texts) for texts in row]


def _distance(cell: Cell, column: tuple[float, float]) -> float:
    apart = max(column[0] - cell.right, cell.left - column[1])
    return apart if apart > 0 else abs(cell.left + cell.right - column[0] - column[1]) * 1e-6


def _is_year(text: str) -> bool:
    return len(text) == 4 and text[:2] in ("19", "20") and text.isdigit()
