"""The table in docs/programs.md: a row is written when its program runs, and the others stay."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from tests import ROOT
from tests.programs.program import Program

PAGE = ROOT / "docs" / "programs.md"
HEADS = ["program", "version", "way", "what works", "requests", "date"]
BEGIN, END = "<!-- results -->\n", "<!-- end of results -->"


def rows(page: Path = PAGE) -> dict[str, list[str]]:
    """Return the cells of each row, by the program's title."""
    table = page.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    lines = [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()]
    return {line[0]: line for line in lines[2:]}


def write_row(
    program: Program,
    version: str,
    checks: dict[str, str],
    seen: int,
    refused: int,
    page: Path = PAGE,
) -> None:
    """Put a program's row into the page."""
    works = ", ".join(n for n, said in checks.items() if said == "ok")
    broken = ", ".join(n for n, said in checks.items() if said != "ok")
    cells = [program.title, version, program.way, works + (f" ✗ {broken}" if broken else "")]
    cells += [f"{seen}, {refused} refused", datetime.now(UTC).date().isoformat()]
    table = rows(page) | {program.title: [cell.replace("|", "\\|") for cell in cells]}
    lines = [HEADS, ["---"] * len(HEADS), *(table[t] for t in sorted(table, key=str.lower))]
    text = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    page.write_text(before + begin + text + END + rest.partition(END)[2], encoding="utf-8")
