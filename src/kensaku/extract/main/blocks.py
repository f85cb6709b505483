"""The blocks of a page, and the nodes of the tree that they are in.

A block is a piece of visible text between two block boundaries; `builder` finds them.
"""

from __future__ import annotations

import re

from kensaku.extract.visible.hidden import TextVisibility

BLOCK_TAGS = frozenset(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main "
    "menu nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
HEADINGS = {f"h{n}": n for n in range(1, 7)}
CONTEXT = {
    name: 1 << bit
    for bit, name in enumerate(
        "article main nav header footer aside form table ul ol li figure figcaption section button "
        "a blockquote pre h1 h2 h3 h4 h5 h6 details dl address label td dialog summary".split()
    )
}
_STYLES = dict.fromkeys("code kbd samp tt".split(), "code")
_STYLES |= {"b": "strong", "strong": "strong", "i": "em", "em": "em", "sub": "sub", "sup": "sup"}
BREAK = "\x00"  # a line break inside a block; the parser leaves no such character in a text
_WORD = re.compile(r"\w+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0e00-\u0e7f]")
_ENDS = (".", "!", "?", "。", "！", "？", "।", "؟", "။")

# A run of text, its link, and its style: code, emphasis or a break. A page has thousands of them,
# and tuples are the fastest to make.
Piece = tuple[str, str | None, str]


class Node:
    """One visible element, with the totals of the blocks inside it."""

    __slots__ = (
        "blocks", "context", "depth", "images", "is_main", "items", "labels", "link", "linked",
        "long", "names", "near", "number", "own", "parent", "size", "stops", "style", "tag",
        "visibility",
    )  # fmt: skip

    def __init__(self, tag: str, parent: Node | None, visibility: TextVisibility) -> None:
        # No reference to the element: lxml would have to keep a proxy alive for each.
        self.tag, self.parent, self.visibility = tag, parent, visibility
        self.names: str | None = None  # its classes; None where it has no attributes at all
        self.labels = ""  # all names that tell what it is for: classes, id, role and the like
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

    __slots__ = ("inner", "linked", "node", "pieces", "size", "text", "wide", "words")

    def __init__(self, pieces: list[Piece], node: Node, inner: Node) -> None:
        self.pieces, self.node, self.inner = pieces, node, inner
        whole = "".join([text for text, _, _ in pieces])
        self.text = (
            whole.replace(BREAK, "\n").rstrip().lstrip("\n")
            if node.tag == "pre"
            else normalize_spaces(whole)
        )
        self.words = _WORD.findall(self.text.lower())
        self.wide = 0 if self.text.isascii() else len(_WIDE.findall(self.text))
        self.size = _size(self.text, self.words, self.wide)
        linked = sum([len(text) for text, link, _ in pieces if link is not None])
        self.linked = linked / (len(whole) or 1)


def _size(text: str, words: list[str], wide: int) -> float:
    """Count words; two characters of a script without spaces count as one."""
    # In lower case, İ becomes two characters, and splits its word.
    count = len(_WORD.findall(text)) if "\u0130" in text else len(words)
    return count + wide / 2


def is_wide(text: str) -> bool:
    """Tell whether a text has characters of a script without spaces between its words."""
    return _WIDE.search(text) is not None


def count_stops(text: str) -> int:
    """Count the ends of sentences."""
    stops = text.count(". ") + text.endswith(_ENDS)
    if not text.isascii():
        stops += text.count("。") + text.count("။") + text.count("। ") - text.endswith(("。", "။"))
    return stops


def normalize_spaces(text: str) -> str:
    """Collapse white space; each break begins a new line."""
    if BREAK not in text:
        return " ".join(text.split())
    return "\n".join([s for s in (" ".join(line.split()) for line in text.split(BREAK)) if s])


def in_context(node: Node, name: str) -> bool:
    """Tell whether the node is, or is inside, an element of this name."""
    return bool(node.context & CONTEXT[name])


def nodes_around(blocks: list[Block]) -> list[Node]:
    """Return the nodes that hold the blocks, each once, and behind the node around it."""
    found: dict[Node, None] = {}
    for block in blocks:
        path: list[Node] = []
        node: Node | None = block.node
        while node is not None and node not in found:
            path.append(node)
            node = node.parent
        found.update(dict.fromkeys(reversed(path)))
    return list(found)
