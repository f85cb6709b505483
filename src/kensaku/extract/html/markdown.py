"""Selected blocks → text and Markdown: headings, lists, tables, code, quotes, links.

Both come from the same blocks. Links are absolute http(s) URLs or plain words. Images, titles and
alternative texts are left out: readers do not see them, and chat windows would load the images.

    blocks → groups (a table, a code block, or one block) → lines → prefixes of the lists and quotes
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kensaku.extract.html.code import code_lines, code_of, fenced, language_of_code
from kensaku.extract.html.inline import inline
from kensaku.extract.html.tables import Cell, cell_of, data_tables, table_rows
from kensaku.extract.main.blocks import CONTEXT, HEADINGS, Block, Node, StructuredNode
from kensaku.text.clean import visible

_MAX_DEPTH = 12  # of lists and quotes; what is nested deeper is written at this depth


@dataclass(slots=True)
class _Group:
    """Blocks that are written as one: the cells of a table, the lines of code, or one block."""

    kind: str  # table, code, heading or text
    blocks: list[Block]
    cells: list[Cell | None]
    containers: list[Node]  # the lists and quotes around it, from the outermost


def render(blocks: list[Block], base: str, headline: Block | None = None) -> tuple[str, str]:
    """Return the text and the Markdown of these blocks, the Markdown with the headline on top."""
    groups = list(_groups(blocks))
    text = "".join(_plain_parts(groups)).strip()
    marked = "".join(_marked_parts(groups, base)).strip()
    if headline is not None:
        title = f"# {' '.join(inline(headline, base).split())}"
        marked = f"{title}\n\n{marked}" if marked else title
    return visible(text), visible(marked)


def _groups(blocks: list[Block]) -> Iterator[_Group]:
    cells = [cell_of(b.node) if b.node.context & _TABLE else None for b in blocks]
    tables = data_tables(blocks, cells)
    cards = _cards(blocks)
    at = 0
    while at < len(blocks):
        block, cell, end = blocks[at], cells[at], at + 1
        top: Node = block.node
        if cell is not None and id(cell.table) in tables:
            while end < len(blocks) and _in_table(cells[end], cell.table):
                end += 1
            kind, top = "table", cell.table
        elif block.node.context & _PRE and (pre := code_of(block.node)) is not None:
            while end < len(blocks) and code_of(blocks[end].node) is pre:
                end += 1
            kind, top = "code", pre
        else:
            kind = "heading" if _level(block) else "text"
        yield _Group(kind, blocks[at:end], cells[at:end], _containers(top, cards))
        at = end


_TABLE, _PRE = CONTEXT["table"], CONTEXT["pre"]
_IN_HEADING = sum(CONTEXT[name] for name in HEADINGS)


def _in_table(cell: Cell | None, table: Node) -> bool:
    return cell is not None and cell.table is table


def _level(block: Block) -> int:
    node: Node | None = block.node
    if not block.node.context & _IN_HEADING:
        return 0
    while node is not None and node.tag not in HEADINGS:
        node = node.parent
    return HEADINGS[node.tag] if node is not None else 0


def _cards(blocks: list[Block]) -> set[int]:
    """Return the ids of list items with headings: sections of the page, not items of a list."""
    cards: set[int] = set()
    for block in blocks:
        if block.node.context & _IN_HEADING and block.node.context & CONTEXT["li"]:
            node: Node | None = block.node
            while node is not None:
                if node.tag == "li":
                    cards.add(id(node))
                node = node.parent
    return cards


def _containers(node: Node, cards: set[int]) -> list[Node]:
    found: list[Node] = []
    if node.context & (CONTEXT["li"] | CONTEXT["blockquote"]):
        ancestor: Node | None = node
        while ancestor is not None:
            if ancestor.tag == "blockquote" or (ancestor.tag == "li" and id(ancestor) not in cards):
                found.append(ancestor)
            ancestor = ancestor.parent
    return found[::-1][:_MAX_DEPTH]


def _plain_parts(groups: list[_Group]) -> Iterator[str]:
    before = False
    for group in groups:
        item = any(c.tag == "li" for c in group.containers)
        yield "\n" if item and before and group.kind == "text" else "\n\n"
        before = item
        if group.kind == "table":
            rows = table_rows(group.blocks, group.cells, lambda b: b.text, repeat=False)
            yield "\n".join(" | ".join(row).rstrip() for row in rows)
        elif group.kind == "code":
            yield code_lines(group.blocks)
        else:
            yield group.blocks[0].text


def _marked_parts(groups: list[_Group], base: str) -> Iterator[str]:
    before: list[Node] = []
    kind = ""
    for group in groups:
        body = _body(group, base)
        if not body:
            continue
        shared = _shared(before, group.containers)
        tight = (
            group.kind == "text" and kind == "text" and _is_tight(before, group.containers, shared)
        )
        yield "\n" if tight else f"\n{_prefix(group.containers[:shared]).rstrip()}\n"
        yield _prefixed(body, group.containers, shared)
        before, kind = group.containers, group.kind


def _body(group: _Group, base: str) -> str:
    block = group.blocks[0]
    if group.kind == "code":
        pre = code_of(block.node)
        language = language_of_code(block, pre) if pre is not None else ""
        return fenced(code_lines(group.blocks), language)
    if group.kind == "table":
        return _table(table_rows(group.blocks, group.cells, lambda b: inline(b, base), repeat=True))
    text = inline(block, base)
    if group.kind == "heading" and text:
        return f"{'#' * _level(block)} {' '.join(text.split())}"
    return text


def _table(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _shared(one: list[Node], other: list[Node]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a is not b:
            break
        count += 1
    return count


def _is_tight(before: list[Node], now: list[Node], shared: int) -> bool:
    """Tell whether no empty line is needed: between items, and before a list inside an item."""
    if shared < len(now):
        opens_item = now[shared].tag == "li"
        in_list = shared < len(before) or (shared > 0 and before[shared - 1].tag == "li")
        return opens_item and in_list and _siblings(before, now, shared)
    return False


def _siblings(before: list[Node], now: list[Node], shared: int) -> bool:
    if shared >= len(before):
        return True
    return before[shared].tag == "li" and before[shared].parent is now[shared].parent


def _prefix(containers: list[Node]) -> str:
    return "".join("> " if c.tag == "blockquote" else " " * len(_marker(c)) for c in containers)


def _prefixed(body: str, containers: list[Node], shared: int) -> str:
    if not containers:
        return body
    first = _prefix(containers[:shared])
    first += "".join("> " if c.tag == "blockquote" else _marker(c) for c in containers[shared:])
    rest = _prefix(containers)
    lines = body.split("\n")
    return "\n".join([first + lines[0], *((rest + line).rstrip() for line in lines[1:])])


def _marker(item: Node) -> str:
    outer = item.parent
    if not isinstance(outer, StructuredNode) or outer.tag != "ol":
        return "- "
    start = _number(outer.attributes.get("start")) or 1
    own = item.attributes.get("value") if isinstance(item, StructuredNode) else None
    number = _number(own)
    return f"{start + item.number - 1 if number is None else number}. "


def _number(text: str | None) -> int | None:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None
