"""Data tables → rows of equal length: empty cells written, spans expanded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kensaku.extract.main.blocks import Block, Node, StructuredNode

_CELL_CHARS = 400  # a longer cell is a column of a page, not a cell of a table, if it has no head
_HEADED_CHARS = 3_000
_LAYOUT_TAGS = frozenset(("h1", "h2", "pre"))
_MAX_SPAN = 50
_MAX_CELLS = 50_000  # of one table; a larger one is written without its spans


@dataclass(frozen=True, slots=True)
class Cell:
    """The position of a block: its cell, row and table."""

    cell: Node
    row: Node
    table: StructuredNode


def cell_of(node: Node) -> Cell | None:
    """Return the innermost cell that the node is in."""
    cell = row = None
    ancestor: Node | None = node
    while ancestor is not None:
        if ancestor.tag in ("td", "th") and cell is None:
            cell = ancestor
        elif ancestor.tag == "tr" and cell is not None and row is None:
            row = ancestor
        elif isinstance(ancestor, StructuredNode) and ancestor.tag == "table":
            return Cell(cell, row, ancestor) if cell is not None and row is not None else None
        ancestor = ancestor.parent
    return None


def data_tables(blocks: list[Block], cells: list[Cell | None]) -> set[int]:
    """Return the ids of tables that hold data; layout tables are not written as tables."""
    rows: dict[int, set[int]] = {}
    filled: dict[int, set[int]] = {}
    layout: set[int] = set()
    for block, at in zip(blocks, cells, strict=True):
        if at is None:
            continue
        table = id(at.table)
        rows.setdefault(table, set()).add(id(at.row))
        filled.setdefault(table, set()).add(id(at.cell))
        longest = _HEADED_CHARS if _has_head(at.table) else _CELL_CHARS
        if len(block.text) > longest or block.node.tag in _LAYOUT_TAGS:
            layout.add(table)
        if outer := _outer_table(at.table):
            layout.add(id(outer))
    return {t for t in rows if t not in layout and len(filled[t]) > len(rows[t]) >= 2}


def _has_head(table: StructuredNode) -> bool:
    """Tell whether the first row of the table consists of two or more head cells."""
    first = table.children[0].children if table.children else []
    return len(first) > 1 and all(cell.tag == "th" for cell in first)


def _outer_table(table: Node) -> Node | None:
    node = table.parent
    while node is not None and node.tag != "table":
        node = node.parent
    return node


def table_rows(
    blocks: list[Block], cells: list[Cell | None], write: Callable[[Block], str], repeat: bool
) -> list[list[str]]:
    """Return the rows of one table; `repeat` the text of a cell in all columns and rows it spans.

    Rows without a selected block are left out.
    """
    texts: dict[int, str] = {}
    wanted: set[int] = set()
    table = None
    for block, at in zip(blocks, cells, strict=True):
        if at is not None:
            table = at.table
            wanted.add(id(at.row))
            text = " ".join(write(block).split("\n"))
            texts[id(at.cell)] = f"{texts[id(at.cell)]} {text}" if id(at.cell) in texts else text
    if table is None:
        return []
    rows = _grid(table, wanted, texts, repeat)
    if len(rows) * max(map(len, rows)) > _MAX_CELLS:
        rows = [
            [texts.get(id(c), "") for c in r.children] for r in table.children if id(r) in wanted
        ]
    width = min(max(map(len, rows)), max(_MAX_CELLS // len(rows), 1))
    return [row + [""] * (width - len(row)) for row in rows]


def _grid(
    table: StructuredNode, wanted: set[int], texts: dict[int, str], repeat: bool
) -> list[list[str]]:
    rows: list[list[str]] = []
    open_spans: dict[int, tuple[int, str]] = {}  # column → how many rows it still covers, its text
    budget = _MAX_CELLS
    for node in table.children:
        row: list[str] = []
        covered = dict(open_spans)
        open_spans = {c: (n - 1, text) for c, (n, text) in covered.items() if n > 1}
        for cell in node.children:
            while len(row) in covered:
                row.append(covered[len(row)][1])
            text = texts.get(id(cell), "")
            across, down = _span(cell, "colspan", budget), _span(cell, "rowspan", budget)
            again = text if repeat and len(node.children) > 1 else ""
            for n in range(across):
                if down > 1:
                    open_spans[len(row)] = (down - 1, again)
                row.append(again if n else text)
        while len(row) in covered:
            row.append(covered[len(row)][1])
        budget -= len(row)
        if id(node) in wanted:
            rows.append(row)
    return rows


def _span(cell: StructuredNode, name: str, budget: int) -> int:
    value = cell.attributes.get(name)
    if value is None or budget <= 0:
        return 1
    value = value.strip()
    if not value.isascii() or not value.isdigit():
        return 1
    return max(1, min(int(value[:4]), _MAX_SPAN))
