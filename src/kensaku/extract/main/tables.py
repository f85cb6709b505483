"""Data tables among the blocks: which blocks are the cells of one row.

A table that lays out a page, with nested tables, headings or long texts in its cells, is not one.
"""

from __future__ import annotations

from kensaku.extract.main.blocks import CONTEXT, Block, Node

Table = list[list[int]]  # rows, each the positions of its blocks on the page

_CELL_CHARS = 400  # a longer cell is a column of a page, not a cell of a table
_IN_TABLE = CONTEXT["table"]
_LAYOUT = CONTEXT["h1"] | CONTEXT["h2"] | CONTEXT["pre"]


def data_tables(blocks: list[Block]) -> list[Table]:
    """Return the tables that hold data, in reading order."""
    rows: dict[int, dict[int, list[int]]] = {}
    cells: dict[int, set[int]] = {}
    layout: set[int] = set()
    for at, block in enumerate(blocks):
        if not block.node.context & _IN_TABLE:
            continue
        table, row, cell = _cell(block.node)
        if table is None:
            continue
        outer = table.parent
        if outer is not None and outer.context & _IN_TABLE:
            layout.update(_tables_around(outer))
        if len(block.text) > _CELL_CHARS or block.node.context & _LAYOUT:
            layout.add(id(table))
        if row is not None and cell is not None:
            rows.setdefault(id(table), {}).setdefault(id(row), []).append(at)
            cells.setdefault(id(table), set()).add(id(cell))
    return [
        list(found.values())
        for table, found in rows.items()
        if table not in layout and len(cells[table]) > len(found) >= 2
    ]


def _cell(node: Node) -> tuple[Node | None, Node | None, Node | None]:
    """Return the nearest table around a node, with the row and the cell the node is in."""
    row = cell = None
    climb: Node | None = node
    while climb is not None:
        tag = climb.tag
        if tag == "table":
            return climb, row, cell
        if tag in ("td", "th"):
            cell = climb
        elif tag == "tr":
            row = climb
        climb = climb.parent
    return None, None, None


def _tables_around(node: Node) -> list[int]:
    found = []
    climb: Node | None = node
    while climb is not None:
        if climb.tag == "table":
            found.append(id(climb))
        climb = climb.parent
    return found
