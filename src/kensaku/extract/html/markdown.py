"""Chosen blocks → text and Markdown: headings, lists, tables, code, quotes, links.

Both come from the same blocks. Links are absolute http(s) or plain words; images, titles and
alternative texts are never written, since readers do not see them and chat windows would load them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kensaku.extract.html.metadata import absolute
from kensaku.extract.main.blocks import HEADINGS, Block, Node, spaced
from kensaku.text.clean import visible

_CELL_CHARS = 400  # a longer cell is a column of a page, not a cell of a table


@dataclass(slots=True)
class _Place:
    """Where a block stands, as far as writing it needs."""

    heading: int = 0
    item: Node | None = None
    row: Node | None = None
    table: Node | None = None
    cell: Node | None = None
    code: bool = False
    quoted: bool = False


def render(blocks: list[Block], base: str) -> tuple[str, str]:
    """The text and the Markdown of these blocks."""
    places = [_place(b.node) for b in blocks]
    tables = _real_tables(blocks, places)
    text = _Writer(tables, lambda b: b.text).write(blocks, places)
    marked = _Writer(tables, lambda b: _inline(b, base), marks=True).write(blocks, places)
    return visible(text), visible(marked)


def _place(node: Node) -> _Place:
    place = _Place(heading=HEADINGS.get(node.tag, 0))
    walk: Node | None = node
    while walk is not None:
        tag = walk.tag
        if tag == "pre":
            place.code = True
        elif tag == "blockquote":
            place.quoted = True
        elif tag == "li" and place.item is None and place.table is None:
            place.item = walk
        elif tag in HEADINGS and not place.heading:
            place.heading = HEADINGS[tag]
        elif place.table is None:
            if tag in ("td", "th") and place.cell is None:
                place.cell = walk
            elif tag == "tr" and place.row is None:
                place.row = walk
            elif tag == "table":
                place.table = walk
        walk = walk.parent
    return place


def _real_tables(blocks: list[Block], places: list[_Place]) -> set[int]:
    """Tables of data; those that lay out a page are not written as tables."""
    rows: dict[int, set[int]] = {}
    cells: dict[int, set[int]] = {}
    layout: set[int] = set()
    for block, place in zip(blocks, places, strict=True):
        if place.table is None or place.row is None or place.cell is None:
            continue
        table = id(place.table)
        rows.setdefault(table, set()).add(id(place.row))
        cells.setdefault(table, set()).add(id(place.cell))
        if len(block.text) > _CELL_CHARS or place.code or place.heading in (1, 2):
            layout.add(table)
    return {t for t in rows if t not in layout and len(cells[t]) > len(rows[t]) >= 2}


class _Writer:
    def __init__(self, tables: set[int], say: Callable[[Block], str], marks: bool = False) -> None:
        self._tables, self._say, self._marks = tables, say, marks
        self._parts: list[str] = []
        self._tight = False

    def write(self, blocks: list[Block], places: list[_Place]) -> str:
        at = 0
        while at < len(blocks):
            place = places[at]
            end = at + 1
            if place.table is not None and id(place.table) in self._tables:
                while end < len(blocks) and places[end].table is place.table:
                    end += 1
                self._table(blocks[at:end], places[at:end])
            else:
                before = places[at - 1] if at else _Place()
                self._block(blocks[at], place, before)
            at = end
        return "".join(self._parts).strip()

    def _block(self, block: Block, place: _Place, before: _Place) -> None:
        said = self._say(block)
        if not said:
            return
        if place.code:
            said = f"```\n{block.text}\n```" if self._marks else block.text
            self._put("\n\n", said)
        elif place.heading:
            said = " ".join(said.split("\n"))
            self._put("\n\n", f"{'#' * place.heading} {said}" if self._marks else said)
        elif place.item is not None:
            first = before.item is not place.item
            gap = "\n" if before.item is not None else "\n\n"
            self._put(gap, _item(said, place.item, first) if self._marks else said)
        else:
            if place.quoted and self._marks:
                said = "> " + said.replace("\n", "\n> ")
            self._put("\n\n", said)

    def _table(self, blocks: list[Block], places: list[_Place]) -> None:
        rows: dict[int, dict[int, str]] = {}
        for block, place in zip(blocks, places, strict=True):
            row = rows.setdefault(id(place.row), {})
            said = " ".join(self._say(block).split("\n"))
            if self._marks:
                said = said.replace("|", "\\|")
            cell = id(place.cell)
            row[cell] = f"{row[cell]} {said}" if cell in row else said
        lines = [" | ".join(cells.values()) for cells in rows.values()]
        if self._marks:
            width = max(len(cells) for cells in rows.values())
            lines = [f"| {line} |" for line in lines]
            lines.insert(1, "|" + " --- |" * width)
        self._put("\n\n", "\n".join(lines))

    def _put(self, gap: str, said: str) -> None:
        self._parts.append(gap if self._parts else "")
        self._parts.append(said)


def _item(said: str, item: Node, first: bool) -> str:
    depth, number, parent = 0, "-", item.parent
    if parent is not None and parent.tag == "ol":
        number = f"{item.number}."
    while parent is not None:
        depth += parent.tag == "li"
        parent = parent.parent
    indent = "  " * min(depth, 6)
    body = said.replace("\n", "\n" + indent + "  ")
    return f"{indent}{number} {body}" if first else f"{indent}  {body}"


def _inline(block: Block, base: str) -> str:
    """The pieces of a block with links, code and emphasis marked."""
    if block.node.tag == "pre":
        return block.text
    plain_heading = block.node.tag in HEADINGS
    said: list[str] = []
    run, before, shape = "", None, ""
    for text, link, style in block.pieces:
        if plain_heading and style in ("strong", "em"):
            style = ""
        if link == before and style == shape:
            run += text
        else:
            said.append(_run(run, before, shape, base))
            run, before, shape = text, link, style
    said.append(_run(run, before, shape, base))
    return spaced("".join(said))


_MARKS = {"strong": "**", "em": "*", "code": "`"}


def _run(text: str, link: str | None, style: str, base: str) -> str:
    if not link and style not in _MARKS:
        return text
    bare = text.strip()
    if not bare or bare == "\x00":
        return text
    before = text[: len(text) - len(text.lstrip())]
    after = text[len(text.rstrip()) :]
    mark = _MARKS.get(style, "")
    said = f"{mark}{bare}{mark}"
    address = absolute(link, base) if link else None
    if address and "\x00" not in bare:
        label = said.replace("[", "\\[").replace("]", "\\]")
        address = address.replace("(", "%28").replace(")", "%29").replace("<", "%3C")
        said = f"[{label}]({address})"
    return before + said + after
