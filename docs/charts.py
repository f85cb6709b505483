"""Draw the charts of docs/benchmarks.md from its own tables.

    python docs/charts.py            write docs/images/bench-*.svg
    python docs/charts.py --check    exit 1 when one is not current

A comment before a table names the chart, the column to draw, and its rows if not all of them:
`<!-- chart: extraction 1 -->`, `<!-- chart: server 1 1-4 -->`, `<!-- chart: context 1 1,2,4,5 -->`.
The text of the picture behind the table is the title. Rows with a bold name are ours. Rows without
a number in that column are left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
PAGE = DOCS / "benchmarks.md"
WIDTH, LABEL, ROW, BAR = 720, 330, 26, 16
OURS, OTHERS, TEXT = "#1f6feb", "#9aa4b2", "#6b7280"
_CHART = re.compile(
    r"<!-- chart: (?P<name>[\w-]+) (?P<column>\d+)(?: (?P<rows>[\d,-]+))? -->\n"
    r"(?P<table>(?:\|.*\n)+)\n!\[(?P<title>.*)\]"
)
_NUMBER = re.compile(r"\d*\.?\d+(?:,\d{3})*")


class Bar(NamedTuple):
    """One row of a table."""

    name: str
    shown: str
    value: float
    ours: bool


def charts() -> Iterator[tuple[Path, str]]:
    """Yield the file of each chart, and what it holds."""
    for found in _CHART.finditer(PAGE.read_text(encoding="utf-8")):
        rows = found["table"].splitlines()[2:]
        column = int(found["column"])
        if found["rows"]:
            rows = [rows[n - 1] for n in _numbers(found["rows"])]
        bars = [bar for row in rows if (bar := read_bar(_cells(row), column))]
        path = DOCS / "images" / f"bench-{found['name']}.svg"
        yield path, draw(found["title"], bars)


def _numbers(ranges: str) -> Iterator[int]:
    """Yield the numbers of "1,3-5"."""
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def read_bar(cells: list[str], column: int) -> Bar | None:
    """Return what to draw of a row."""
    shown = _plain(cells[column])
    number = _NUMBER.search(shown)
    if number is None:
        return None
    value = float(number[0].replace(",", ""))
    return Bar(_plain(cells[0]), number[0], value, "**" in cells[0])


def draw(title: str, bars: list[Bar]) -> str:
    """Return a chart of horizontal bars."""
    most = max(bar.value for bar in bars)
    height = ROW * (len(bars) + 1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}" font-family="system-ui, sans-serif" font-size="13">',
        f'<text x="8" y="17" fill="{TEXT}">{escape(title)}</text>',
    ]
    for n, bar in enumerate(bars, start=1):
        y = n * ROW
        length = max(1.0, bar.value / most * (WIDTH - LABEL - 70))
        name = bar.name if len(bar.name) <= 42 else f"{bar.name[:41]}…"
        weight = ' font-weight="600"' if bar.ours else ""
        lines += [
            f'<text x="{LABEL - 8}" y="{y + 13}" text-anchor="end" fill="{TEXT}"{weight}>'
            f"{escape(name)}</text>",
            f'<rect x="{LABEL}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2" '
            f'fill="{OURS if bar.ours else OTHERS}"/>',
            f'<text x="{LABEL + length + 6:.1f}" y="{y + 13}" fill="{TEXT}">{bar.shown}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _plain(cell: str) -> str:
    """Return a cell without marks and links."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)|[*`]", lambda m: m[1] or "", cell).strip()


def main() -> int:
    old = [path for path, text in charts() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        return int(bool(old))
    for path, text in charts():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
