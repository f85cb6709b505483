"""Split a page into blocks.

tree → walk, skipping hidden text → blocks in reading order, each with its node in the tree
"""

from __future__ import annotations

from kensaku.extract.html.raised import RAISED, write_raised
from kensaku.extract.html.tree import Element, lxml_etree
from kensaku.extract.main.blocks import (
    BLOCK_TAGS,
    BREAK,
    CONTEXT,
    Block,
    Node,
    Piece,
    StructuredNode,
    count_stops,
)
from kensaku.extract.main.lexicon import name_bits
from kensaku.extract.visible.hidden import PageVisibility

# Inline elements that sites set side by side by CSS alone, without a space between them.
_SPACED = frozenset("a span time label small strong b em i cite abbr button data".split())
_EMPTY = frozenset("br hr img".split())  # libxml2 gives `wbr` children: the text behind it
# What may stand directly behind another element: no space is put before it.
_CLOSING = tuple(".,;:!?)]%/'’”")
# Elements whose attributes or children decide how their text is written.
_STRUCTURED = frozenset("table tr td th ol li pre code".split())
_PRE = CONTEXT["pre"]
# Besides the class: what an element is for, in words of the site.
_LABELS = dict.fromkeys(("id", "itemprop", "role", "data-testid"))


def blocks_of(root: Element, visibility: PageVisibility | None = None) -> list[Block]:
    """Return the visible blocks of a page in reading order."""
    return _BlockBuilder(visibility or PageVisibility(root)).run(root)


class _BlockBuilder:
    def __init__(self, visibility: PageVisibility) -> None:
        self._top = Node("#", None, visibility.initial)
        self._hidden_tags, self._visibility_of = visibility.hidden_tags, visibility.of
        self._blocks: list[Block] = []
        self._pieces: list[Piece] = []
        self._inner: Node | None = None
        self._breaks = 0
        self._ended_inline = False

    def run(self, root: Element) -> list[Block]:
        walk = lxml_etree().iterwalk(root, events=("start", "end"))
        node = self._top
        hidden: Element | None = None
        for event, element in walk:
            if event == "start":
                inner = self._open(element, node)
                if inner is None:
                    hidden = element
                    walk.skip_subtree()
                else:
                    node = inner
                continue
            if element is hidden:
                hidden = None
            else:
                node = self._close(node)
            tail = element.tail
            if tail:
                self._text(tail, node)
        self._flush(self._top)
        return self._blocks

    def _open(self, element: Element, outer: Node) -> Node | None:
        """Return the node of an element; None when nothing inside it is visible."""
        tag = element.tag
        if tag in self._hidden_tags:
            return None
        if tag in _EMPTY:
            self._empty(tag, outer)
            return None
        attributes: dict[str, str] = dict(element.items())
        visibility = self._visibility_of(element, tag, attributes, outer.visibility)
        if visibility is None:
            return None
        if tag in _STRUCTURED:
            node: Node = StructuredNode(tag, outer, visibility, attributes)
        else:
            node = Node(tag, outer, visibility)
        if attributes:
            _set_names(node, attributes)
        if tag in CONTEXT:
            node.context |= CONTEXT[tag]
            if tag == "a":
                node.link = attributes.get("href", node.link)
            elif tag == "li":
                outer.items += 1
                node.number = outer.items
            elif tag == "main" or tag == "article":
                node.is_main = True
        if tag in BLOCK_TAGS or "-" in tag:
            self._flush(outer)
        elif self._ended_inline and tag in _SPACED and _needs_space(element, outer):
            self._pieces.append((" ", None, ""))
        self._ended_inline = False
        text = element.text
        if text:
            self._text(text, node)
        return node

    def _empty(self, tag: str, outer: Node) -> None:
        if tag == "img":
            outer.images += 1
        elif tag == "hr":
            self._flush(outer)
        elif tag == "br":
            self._breaks += 1
            if self._breaks >= 2 and not outer.context & _PRE:
                self._flush(outer)
            else:
                self._pieces.append((BREAK, None, "br"))

    def _close(self, node: Node) -> Node:
        """Add the totals of a node to the node around it, and return that."""
        tag, outer = node.tag, node.parent
        assert outer is not None
        if tag in BLOCK_TAGS or "-" in tag:
            self._flush(node)
        else:
            self._ended_inline = tag in _SPACED
        outer.images += node.images
        if node.blocks:
            outer.size += node.size
            outer.linked += node.linked
            outer.long += node.long
            outer.stops += node.stops
            outer.blocks += node.blocks
        return outer

    def _text(self, text: str, node: Node) -> None:
        if node.visibility.hides:
            return
        if not text.isspace():
            self._breaks = 0
            if self._inner is None:
                self._inner = node
        self._ended_inline = False
        if node.style in RAISED:
            self._pieces.append(_raised_piece(text, node))
        else:
            self._pieces.append((text, node.link, node.style))

    def _flush(self, node: Node) -> None:
        inner = self._inner
        self._breaks = 0
        if inner is None:  # white space only
            self._pieces.clear()
            return
        pieces, self._pieces, self._inner = self._pieces, [], None
        while node.tag not in BLOCK_TAGS and node.parent is not None:
            node = node.parent
        block = Block(pieces, node, inner)
        size, text = block.size, block.text
        if not size and not text:
            return
        self._blocks.append(block)
        node.blocks += 1
        node.size += size
        node.linked += size * block.linked
        node.stops += count_stops(text)
        if size >= 12 and block.linked < 0.5:
            node.long += size


def _raised_piece(text: str, node: Node) -> Piece:
    """Return the text of a sub- or superscript, in the style of the text around it."""
    around: Node | None = node
    while around is not None and around.style in RAISED:
        around = around.parent
    written = write_raised(text, node.style, (node.link or "").startswith("#"))
    return written, node.link, around.style if around is not None else ""


def _needs_space(element: Element, outer: Node) -> bool:
    """Tell whether an inline element directly behind another begins a word."""
    in_code = outer.context & _PRE or outer.style == "code"
    return not in_code and not (element.text or "").startswith(_CLOSING)


def _set_names(node: Node, attributes: dict[str, str]) -> None:
    get = attributes.get
    node.names = labels = get("class", "")
    bits = name_bits(labels) if labels else 0
    if not _LABELS.keys().isdisjoint(attributes):
        for attribute in _LABELS:
            if name := get(attribute):
                labels += " " + name
                bits |= name_bits(name)
                if name == "main":
                    node.is_main |= attribute == "role"
    node.labels = labels
    node.own = bits
    node.near |= bits
