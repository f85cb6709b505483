"""A page as a row of blocks: the pieces of visible text between two block boundaries.

tree → walk (hidden text left out) → blocks in reading order, each with its place in the tree
"""

from __future__ import annotations

import re

from kensaku.extract.hidden import Look, Sight
from kensaku.extract.tree import Element, lxml_etree
from kensaku.extract.words import place_bits

BLOCK_TAGS = frozenset(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main "
    "menu nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
HEADINGS = {f"h{n}": n for n in range(1, 7)}
# Inline elements that sites set side by side with style alone, without a space between them.
_SPACED = frozenset("a span time label small strong b em i cite abbr button data".split())
CONTEXT = {
    name: 1 << bit
    for bit, name in enumerate(
        "article main nav header footer aside form table ul ol li figure figcaption section button "
        "a blockquote pre h1 h2 h3 h4 h5 h6 details dl address label td dialog summary".split()
    )
}
_EMPTY = frozenset("br hr img wbr".split())
_NAMING = frozenset(("id", "itemprop", "role"))
_WORD = re.compile(r"\w+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0e00-\u0e7f]")


class Node:
    """One element that is seen, with what the blocks inside of it add up to."""

    __slots__ = (
        "blocks", "context", "depth", "is_main", "items", "kind", "link", "linked", "long", "look",
        "near", "number", "own", "parent", "size", "stops", "tag",
    )  # fmt: skip

    def __init__(self, tag: str, parent: Node | None, look: Look) -> None:
        # No reference to the element: lxml would have to keep a proxy alive for each.
        self.tag, self.parent, self.look = tag, parent, look
        self.kind = tag  # with the first class: what repeats in lists
        self.size = self.linked = self.long = self.stops = 0.0
        self.blocks = self.own = self.near = self.context = self.depth = 0
        self.items = self.number = 0  # list items inside so far; which one this is
        self.is_main = False
        self.link: str | None = None
        if parent is not None:
            self.depth = parent.depth + 1
            self.link = parent.link
            self.context = parent.context


class Piece:
    """A run of text with one look: where it links to, and whether it is code or emphasis."""

    __slots__ = ("link", "style", "text")

    def __init__(self, text: str, link: str | None, style: str) -> None:
        self.text, self.link, self.style = text, link, style


class Block:
    """One piece of text that is taken or left as a whole."""

    __slots__ = ("inner", "linked", "node", "pieces", "size", "text")

    def __init__(self, pieces: list[Piece], node: Node, inner: Node, text: str) -> None:
        self.pieces, self.node, self.inner, self.text = pieces, node, inner, text
        self.size = text_size(text)
        linked = sum(len(p.text) for p in pieces if p.link is not None)
        self.linked = linked / (sum(len(p.text) for p in pieces) or 1)


def text_size(text: str) -> float:
    """Words; two characters of a script without spaces count as one."""
    words = len(_WORD.findall(text))
    if text.isascii():
        return float(words)
    return words + len(_WIDE.findall(text)) / 2


def blocks_of(root: Element, sight: Sight | None = None) -> list[Block]:
    """The visible blocks of a page in reading order."""
    return _Walk(sight or Sight(root)).run(root)


class _Walk:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._blocks: list[Block] = []
        self._pieces: list[Piece] = []
        self._inner: Node | None = None
        self._breaks = 0
        self._ended_inline = False

    def run(self, root: Element) -> list[Block]:
        walk = lxml_etree().iterwalk(root, events=("start", "end"))
        top = Node("#", None, self._sight.first)
        stack = [top]
        hidden: Element | None = None
        for event, element in walk:
            if event == "start":
                node = self._open(element, stack[-1])
                if node is None:
                    hidden = element
                    walk.skip_subtree()
                else:
                    stack.append(node)
                continue
            if element is hidden:
                hidden = None
            else:
                self._close(stack.pop(), stack[-1])
            if element.tail:
                self._text(element.tail, stack[-1])
        self._flush(top)
        return self._blocks

    def _open(self, element: Element, outer: Node) -> Node | None:
        """The node of an element; None when nothing inside of it is to be read."""
        tag = element.tag
        if tag in self._sight.unseen:
            return None
        if tag in _EMPTY:
            self._empty(tag, outer)
            return None
        attributes = dict(element.items())
        look = self._sight.look(element, tag, attributes, outer.look)
        if look is None:
            return None
        node = Node(tag, outer, look)
        if attributes:
            _name(node, attributes)
        node.near = node.own | outer.own
        if tag in CONTEXT:
            node.context |= CONTEXT[tag]
            if tag == "a":
                node.link = attributes.get("href", node.link)
            elif tag == "li":
                outer.items += 1
                node.number = outer.items
            elif tag in ("main", "article"):
                node.is_main = True
        if tag in BLOCK_TAGS or "-" in tag:
            self._flush(outer)
        elif self._ended_inline and tag in _SPACED and not outer.context & CONTEXT["pre"]:
            self._pieces.append(Piece(" ", None, ""))
        self._ended_inline = False
        if element.text:
            self._text(element.text, node)
        return node

    def _empty(self, tag: str, outer: Node) -> None:
        if tag == "hr":
            self._flush(outer)
        elif tag == "br":
            self._breaks += 1
            if self._breaks >= 2 and not outer.context & CONTEXT["pre"]:
                self._flush(outer)
            else:
                self._pieces.append(Piece("\n", None, "br"))

    def _close(self, node: Node, outer: Node) -> None:
        if node.tag in BLOCK_TAGS or "-" in node.tag:
            self._flush(node)
        else:
            self._ended_inline = node.tag in _SPACED
        outer.size += node.size
        outer.linked += node.linked
        outer.long += node.long
        outer.stops += node.stops
        outer.blocks += node.blocks

    def _text(self, text: str, node: Node) -> None:
        if node.look.hides:
            return
        if not text.isspace():
            self._breaks = 0
            if self._inner is None:
                self._inner = node
            self._ended_inline = False
        elif text:
            self._ended_inline = False
        self._pieces.append(Piece(text, node.link, _style(node)))

    def _flush(self, node: Node) -> None:
        pieces, inner = self._pieces, self._inner
        self._pieces, self._inner, self._breaks = [], None, 0
        if inner is None:
            return
        while node.tag not in BLOCK_TAGS and node.parent is not None:
            node = node.parent
        text = "".join(p.text for p in pieces)
        block = Block(pieces, node, inner, text.strip() if node.tag == "pre" else _spaced(pieces))
        if not block.size and not block.text:
            return
        self._blocks.append(block)
        node.blocks += 1
        node.size += block.size
        node.linked += block.size * block.linked
        node.stops += block.text.count(". ") + block.text.endswith((".", "。", "!", "?"))
        if block.size >= 12 and block.linked < 0.5:
            node.long += block.size


def _name(node: Node, attributes: dict[str, str]) -> None:
    names = attributes.get("class", "")
    node.kind += "." + names.partition(" ")[0]
    for other in _NAMING & attributes.keys():
        names += " " + attributes[other]
    if names:
        node.own = place_bits(names)
    if attributes.get("role") == "main":
        node.is_main = True


def _spaced(pieces: list[Piece]) -> str:
    lines = "".join("\x00" if p.style == "br" else p.text for p in pieces).split("\x00")
    return "\n".join(s for s in (" ".join(line.split()) for line in lines) if s)


def _style(node: Node) -> str:
    tag = node.tag
    if tag in ("code", "kbd", "samp", "tt"):
        return "code"
    if tag in ("b", "strong"):
        return "strong"
    return "em" if tag in ("i", "em") else ""


def in_context(node: Node, name: str) -> bool:
    """Whether the node is, or stands inside, an element of this name."""
    return bool(node.context & CONTEXT[name])


__all__ = ["BLOCK_TAGS", "CONTEXT", "HEADINGS", "Block", "Node", "Piece"]
__all__ += ["blocks_of", "in_context", "text_size"]
