"""Split a page into blocks: the pieces of visible text between two block boundaries.

tree → walk, skipping hidden text → blocks in reading order, each with its node in the tree
"""

from __future__ import annotations

import re

from kensaku.extract.html.raised import RAISED, write_raised
from kensaku.extract.html.tree import Element, lxml_etree
from kensaku.extract.main.lexicon import name_bits
from kensaku.extract.visible.hidden import PageVisibility, TextVisibility

BLOCK_TAGS = frozenset(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main "
    "menu nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
HEADINGS = {f"h{n}": n for n in range(1, 7)}
# Inline elements that sites set side by side by CSS alone, without a space between them.
_SPACED = frozenset("a span time label small strong b em i cite abbr button data".split())
CONTEXT = {
    name: 1 << bit
    for bit, name in enumerate(
        "article main nav header footer aside form table ul ol li figure figcaption section button "
        "a blockquote pre h1 h2 h3 h4 h5 h6 details dl address label td dialog summary".split()
    )
}
_EMPTY = frozenset("br hr img wbr".split())
_STYLES = dict.fromkeys("code kbd samp tt".split(), "code")
_STYLES |= {"b": "strong", "strong": "strong", "i": "em", "em": "em", "sub": "sub", "sup": "sup"}
# What may stand directly behind another element: no space is put before it.
_CLOSING = tuple(".,;:!?)]%/'’”")
# Elements whose attributes or children decide how their text is written.
_STRUCTURED = frozenset("table tr td th ol li pre code".split())
_BREAK = "\x00"  # a line break inside a block; the parser leaves no such character in a text
_WORD = re.compile(r"\w+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0e00-\u0e7f]")

# A run of text, its link, and its style: code, emphasis or a break. A page has thousands of them,
# and tuples are the fastest to make.
Piece = tuple[str, str | None, str]


class Node:
    """One visible element, with the totals of the blocks inside it."""

    __slots__ = (
        "blocks", "context", "depth", "images", "is_main", "items", "link", "linked", "long",
        "names", "near", "number", "own", "parent", "size", "stops", "style", "tag", "visibility",
    )  # fmt: skip

    def __init__(self, tag: str, parent: Node | None, visibility: TextVisibility) -> None:
        # No reference to the element: lxml would have to keep a proxy alive for each.
        self.tag, self.parent, self.visibility = tag, parent, visibility
        self.names: str | None = None  # its classes; None where it has no attributes at all
        self.size = self.linked = self.long = self.stops = 0.0
        self.blocks = self.images = self.own = self.near = self.context = self.depth = 0
        self.items = self.number = 0  # list items inside so far; which one this is
        self.is_main = False
        self.style = _STYLES.get(tag, "")
        self.link: str | None = None
        if parent is not None:
            self.depth = parent.depth + 1
            self.link = parent.link
            self.style = self.style or parent.style
            self.context = parent.context
            self.near = parent.own

    @property
    def kind(self) -> str:
        """The tag with the first class, which is the same for all items of a list."""
        return self.tag if self.names is None else f"{self.tag}.{self.names.partition(' ')[0]}"


class StructuredNode(Node):
    """An element of a table, a list or code, with its attributes, its rows or its cells."""

    __slots__ = ("attributes", "children")

    def __init__(
        self, tag: str, parent: Node | None, visibility: TextVisibility, attributes: dict[str, str]
    ) -> None:
        super().__init__(tag, parent, visibility)
        self.attributes = attributes
        self.children: list[StructuredNode] = []
        owner = {"tr": "table", "td": "tr", "th": "tr"}.get(tag)
        while owner and parent is not None:
            if parent.tag == owner:
                assert isinstance(parent, StructuredNode)
                parent.children.append(self)
                break
            parent = parent.parent


class Block:
    """One piece of text, selected or dropped as a whole."""

    __slots__ = ("inner", "linked", "node", "pieces", "size", "text", "words")

    def __init__(self, pieces: list[Piece], node: Node, inner: Node) -> None:
        self.pieces, self.node, self.inner = pieces, node, inner
        whole = "".join([text for text, _, _ in pieces])
        self.text = (
            whole.replace(_BREAK, "\n").rstrip().lstrip("\n")
            if node.tag == "pre"
            else normalize_spaces(whole)
        )
        self.words = _WORD.findall(self.text.lower())
        self.size = _size(self.text, self.words)
        linked = sum([len(text) for text, link, _ in pieces if link is not None])
        self.linked = linked / (len(whole) or 1)


def _size(text: str, words: list[str]) -> float:
    """Count words; two characters of a script without spaces count as one."""
    if text.isascii():
        return float(len(words))
    # In lower case, İ becomes two characters, and splits its word.
    count = len(_WORD.findall(text)) if "\u0130" in text else len(words)
    return count + len(_WIDE.findall(text)) / 2


def _raised_piece(text: str, node: Node) -> Piece:
    """Return the text of a sub- or superscript, in the style of the text around it."""
    around: Node | None = node
    while around is not None and around.style in RAISED:
        around = around.parent
    written = write_raised(text, node.style, (node.link or "").startswith("#"))
    return written, node.link, around.style if around is not None else ""


def normalize_spaces(text: str) -> str:
    """Collapse white space; each break begins a new line."""
    if _BREAK not in text:
        return " ".join(text.split())
    return "\n".join([s for s in (" ".join(line.split()) for line in text.split(_BREAK)) if s])


def blocks_of(root: Element, visibility: PageVisibility | None = None) -> list[Block]:
    """Return the visible blocks of a page in reading order."""
    return _BlockBuilder(visibility or PageVisibility(root)).run(root)


class _BlockBuilder:
    def __init__(self, visibility: PageVisibility) -> None:
        self._visibility = visibility
        self._blocks: list[Block] = []
        self._pieces: list[Piece] = []
        self._inner: Node | None = None
        self._breaks = 0
        self._ended_inline = False

    def run(self, root: Element) -> list[Block]:
        walk = lxml_etree().iterwalk(root, events=("start", "end"))
        top = node = Node("#", None, self._visibility.initial)
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
        self._flush(top)
        return self._blocks

    def _open(self, element: Element, outer: Node) -> Node | None:
        """Return the node of an element; None when nothing inside it is visible."""
        tag = element.tag
        if tag in self._visibility.hidden_tags:
            return None
        if tag in _EMPTY:
            self._empty(tag, outer)
            return None
        attributes: dict[str, str] = dict(element.items())
        visibility = self._visibility.of(element, tag, attributes, outer.visibility)
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
            if self._breaks >= 2 and not outer.context & CONTEXT["pre"]:
                self._flush(outer)
            else:
                self._pieces.append((_BREAK, None, "br"))

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
        node.stops += text.count(". ") + text.endswith((".", "。", "!", "?"))
        if size >= 12 and block.linked < 0.5:
            node.long += size


def _needs_space(element: Element, outer: Node) -> bool:
    """Tell whether an inline element directly behind another begins a word."""
    in_code = outer.context & CONTEXT["pre"] or outer.style == "code"
    return not in_code and not (element.text or "").startswith(_CLOSING)


def _set_names(node: Node, attributes: dict[str, str]) -> None:
    get = attributes.get
    node.names = names = get("class", "")
    bits = name_bits(names) if names else 0
    if name := get("id"):
        bits |= name_bits(name)
    if name := get("itemprop"):
        bits |= name_bits(name)
    if name := get("role"):
        bits |= name_bits(name)
        if name == "main":
            node.is_main = True
    node.own = bits
    node.near |= bits


def in_context(node: Node, name: str) -> bool:
    """Tell whether the node is, or is inside, an element of this name."""
    return bool(node.context & CONTEXT[name])
