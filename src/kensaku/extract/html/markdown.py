"""Selected blocks → text and Markdown: headings, lists, tables, code, quotes, links.

Both come from the same blocks. Links are absolute http(s) URLs or plain words. Images, titles and
alternative texts are left out: readers do not see them, and chat windows would load the images.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kensaku.extract.html.metadata import absolute
from kensaku.extract.main.blocks import HEADINGS, Block, Node, normalize_spaces
from kensaku.text.clean import visible

_CELL_CHARS = 400  # a longer cell is a column of a page, not a cell of a table


@dataclass(slots=True)
class _BlockContext:
    """The elements around a block that decide how it is written."""

    heading: int = 0
    item: Node | None = None
    row: Node | None = None
    table: Node | None = None
    cell: Node | None = None
    code: bool = False
    quoted: bool = False


def render(blocks: list[Block], base: str) -> tuple[str, str]:
    """Return the text and the Markdown of these blocks."""
    contexts = [_context(b.node) for b in blocks]
    tables = _data_tables(blocks, contexts)
    text = _Writer(tables, lambda b: b.text).write(blocks, contexts)
    marked = _Writer(tables, lambda b: _inline(b, base), marks=True).write(blocks, contexts)
    return visible(text), visible(marked)


def _context(node: Node) -> _BlockContext:
    context = _BlockContext(heading=HEADINGS.get(node.tag, 0))
    ancestor: Node | None = node
    while ancestor is not None:
        tag = ancestor.tag
        if tag == "pre":
            context.code = True
        elif tag == "blockquote":
            context.quoted = True
        elif tag == "li" and context.item is None and context.table is None:
            context.item = ancestor
        elif tag in HEADINGS and not context.heading:
            context.heading = HEADINGS[tag]
        elif context.table is None:
            if tag in ("td", "th") and context.cell is None:
                context.cell = ancestor
            elif tag == "tr" and context.row is None:
                context.row = ancestor
            elif tag == "table":
                context.table = ancestor
        ancestor = ancestor.parent
    return context


def _data_tables(blocks: list[Block], contexts: list[_BlockContext]) -> set[int]:
    """Return the ids of tables that hold data; layout tables are not written as tables."""
    rows: dict[int, set[int]] = {}
    cells: dict[int, set[int]] = {}
    layout: set[int] = set()
    for block, context in zip(blocks, contexts, strict=True):
        if context.table is None or context.row is None or context.cell is None:
            continue
        table = id(context.table)
        rows.setdefault(table, set()).add(id(context.row))
        cells.setdefault(table, set()).add(id(context.cell))
        if len(block.text) > _CELL_CHARS or context.code or context.heading in (1, 2):
            layout.add(table)
    return {t for t in rows if t not in layout and len(cells[t]) > len(rows[t]) >= 2}


class _Writer:
    def __init__(
        self, tables: set[int], content: Callable[[Block], str], marks: bool = False
    ) -> None:
        self._tables, self._content, self._marks = tables, content, marks
        self._parts: list[str] = []

    def write(self, blocks: list[Block], contexts: list[_BlockContext]) -> str:
        at = 0
        while at < len(blocks):
            context = contexts[at]
            end = at + 1
            if context.table is not None and id(context.table) in self._tables:
                while end < len(blocks) and contexts[end].table is context.table:
                    end += 1
                self._table(blocks[at:end], contexts[at:end])
            else:
                before = contexts[at - 1] if at else _BlockContext()
                self._block(blocks[at], context, before)
            at = end
        return "".join(self._parts).strip()

    def _block(self, block: Block, context: _BlockContext, before: _BlockContext) -> None:
        text = self._content(block)
        if not text:
            return
        if context.code:
            text = f"```\n{block.text}\n```" if self._marks else block.text
            self._put("\n\n", text)
        elif context.heading:
            text = " ".join(text.split("\n"))
            self._put("\n\n", f"{'#' * context.heading} {text}" if self._marks else text)
        elif context.item is not None:
            first = before.item is not context.item
            gap = "\n" if before.item is not None else "\n\n"
            self._put(gap, _item(text, context.item, first) if self._marks else text)
        else:
            if context.quoted and self._marks:
                text = "> " + text.replace("\n", "\n> ")
            self._put("\n\n", text)

    def _table(self, blocks: list[Block], contexts: list[_BlockContext]) -> None:
        rows: dict[int, dict[int, str]] = {}
        for block, context in zip(blocks, contexts, strict=True):
            row = rows.setdefault(id(context.row), {})
            text = " ".join(self._content(block).split("\n"))
            if self._marks:
                text = text.replace("|", "\\|")
            cell = id(context.cell)
            row[cell] = f"{row[cell]} {text}" if cell in row else text
        lines = [" | ".join(cells.values()) for cells in rows.values()]
        if self._marks:
            width = max(len(cells) for cells in rows.values())
            lines = [f"| {line} |" for line in lines]
            lines.insert(1, "|" + " --- |" * width)
        self._put("\n\n", "\n".join(lines))

    def _put(self, gap: str, text: str) -> None:
        self._parts.append(gap if self._parts else "")
        self._parts.append(text)


def _item(text: str, item: Node, first: bool) -> str:
    depth, number, parent = 0, "-", item.parent
    if parent is not None and parent.tag == "ol":
        number = f"{item.number}."
    while parent is not None:
        depth += parent.tag == "li"
        parent = parent.parent
    indent = "  " * min(depth, 6)
    body = text.replace("\n", "\n" + indent + "  ")
    return f"{indent}{number} {body}" if first else f"{indent}  {body}"


def _inline(block: Block, base: str) -> str:
    """Return the text of a block with links, code and emphasis marked."""
    if block.node.tag == "pre":
        return block.text
    plain_heading = block.node.tag in HEADINGS
    parts: list[str] = []
    run, before, shape = "", None, ""
    for text, link, style in block.pieces:
        if plain_heading and style in ("strong", "em"):
            style = ""
        if link == before and style == shape:
            run += text
        else:
            parts.append(_run(run, before, shape, base))
            run, before, shape = text, link, style
    parts.append(_run(run, before, shape, base))
    return normalize_spaces("".join(parts))


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
    text = f"{mark}{bare}{mark}"
    address = absolute(link, base) if link else None
    if address and "\x00" not in bare:
        label = text.replace("[", "\\[").replace("]", "\\]")
        address = address.replace("(", "%28").replace(")", "%29").replace("<", "%3C")
        text = f"[{label}]({address})"
    return before + text + after
