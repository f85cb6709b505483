"""Blocks → numbers: what the model knows of a block when it says whether it is main content.

    block × (its text, its tags, its place, its containers, its neighbours) + the page as a whole

The order of the numbers is part of the model file: change it, and train again.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from kensaku.extract.blocks import CONTEXT_BITS, HEADINGS, PLACES, Block, Node
from kensaku.extract.words import CUES, cue_bits

_TAG_CODE = {
    tag: code
    for code, tag in enumerate(
        "p div li td th dd dt pre blockquote figcaption h1 h2 h3 h4 h5 h6 span a button label section "
        "article header footer summary address body legend caption main aside nav form".split(),
        start=1,
    )
}
_WORD = re.compile(r"\w+")
_STOPS = frozenset("the of and to a in is that for it as with on this are be by or from you your".split())
_URL_KINDS = (
    re.compile(r"forum|thread|/t/|topic|community|discuss|question|answers|viewtopic|/r/|showthread"),
    re.compile(r"/products?/|/p/|/dp/|/item|/itm/|sku|/shop/"),
    re.compile(r"/collections?|/categor|/c/|/shop|/browse|/all\b|/store"),
    re.compile(r"/docs?|documentation|/api|/reference|/guide|/manual|/learn|/wiki|readthedocs|/help"),
    re.compile(r"/blog|/news|/articles?|/posts?|/stor(?:y|ies)|/20\d\d/"),
    re.compile(r"/services?|/about|/solutions|/pricing|/company"),
    re.compile(r"/tag|/topics|/archive|/category|/search|/list|/events|/jobs"),
)
_PAGE_WORDS = re.compile(r"[a-z]+")


@dataclass(slots=True)
class PageFacts:
    """What the head of a page and its address say about the whole."""

    url: str = ""
    title: str = ""
    kinds: tuple[str, ...] = ()  # og:type and the types of JSON-LD, lower case


def names() -> list[str]:
    """What each number is, in order."""
    near = [f"near:{p}" for p in PLACES]
    part = [f"part:{p}" for p in PLACES]
    context = [f"in:{b}" for b in range(CONTEXT_BITS)]
    cues = [f"cue:{c}" for c in CUES]
    under = [f"under:{c}" for c in CUES]
    return [*_TEXT, *_PLACE, *near, *context, *cues, *_BOXES, *part, *_AROUND, *under, *_PAGE]


def rows(blocks: list[Block], facts: PageFacts) -> list[list[float]]:
    """One row of numbers for each block."""
    if not blocks:
        return []
    page = _Page(blocks, facts)
    own = [page.own(i) for i in range(len(blocks))]
    whole = page.whole()
    nothing = [0.0] * 5
    brief = [[b.size, b.linked, _TAG_CODE.get(b.node.tag, 0), r[3], r[8]] for b, r in zip(blocks, own, strict=True)]
    padded = [nothing, nothing, *brief, nothing, nothing]
    around = page.around()
    return [
        own[i] + page.boxes(b.node) + padded[i] + padded[i + 1] + padded[i + 3] + padded[i + 4] + around[i] + whole
        for i, b in enumerate(blocks)
    ]


_TEXT = ["size", "chars", "linked", "stops_end", "commas", "upper", "digits", "word_len", "function_words"]
_TEXT += ["repeats", "title_overlap", "lines", "first_upper", "links"]
_PLACE = ["tag", "inner_tag", "depth", "at", "at_words", "same_kind", "same_kind_size", "same_kind_linked"]
_BOXES = [
    f"box{n}:{what}"
    for n in range(1, 5)
    for what in ("size", "linked", "blocks", "mean", "long", "share", "stops")
]
_BOXES += ["best_up", "in_best", "main_share", "h1_up", "h1_share", "h1_blocks"]
_AROUND = [f"{w}:{what}" for w in ("before2", "before", "after", "after2") for what in ("size", "linked", "tag", "stops", "function")]
_AROUND += ["since_heading", "heading_level", "ended", "since_h1", "words_since_h1", "before_h1", "long_before", "long_after"]
_AROUND += ["window_size", "window_linked"]
_PAGE = ["page_size", "page_blocks", "page_linked", "page_long", "page_mean", "page_links", "has_article"]
_PAGE += ["has_main", "prices", "dates"] + [f"url{n}" for n in range(len(_URL_KINDS))]
_PAGE += ["url_depth", "k_article", "k_product", "k_list", "k_forum", "k_faq", "k_web", "paragraphs", "items"]


class _Page:
    def __init__(self, blocks: list[Block], facts: PageFacts) -> None:
        self.blocks, self.facts = blocks, facts
        self.size = sum(b.size for b in blocks) or 1.0
        self.long = sum(b.size for b in blocks if b.size >= 12 and b.linked < 0.5) or 1.0
        self.cues = [cue_bits(b.text) for b in blocks]
        self.texts = Counter(b.text for b in blocks)
        self.title = set(_WORD.findall(facts.title.lower()))
        self.kinds = [_kind(b.node) for b in blocks]
        self.kind_count: Counter[tuple[str, ...]] = Counter(self.kinds)
        self.kind_size: Counter[tuple[str, ...]] = Counter()
        self.kind_linked: Counter[tuple[str, ...]] = Counter()
        before = 0.0
        self.before: list[float] = []
        for block, kind in zip(blocks, self.kinds, strict=True):
            self.kind_size[kind] += block.size  # type: ignore[assignment]
            self.kind_linked[kind] += block.size * block.linked  # type: ignore[assignment]
            self.before.append(before)
            before += block.size
        self._boxes: dict[int, list[float]] = {}
        self.best = _best(blocks)
        self.h1 = _holders(blocks)

    def own(self, i: int) -> list[float]:
        block = self.blocks[i]
        return self._text(block) + self._place(i, block) + _bits(i, block, self.cues[i])

    def _text(self, block: Block) -> list[float]:
        text = block.text
        words = _WORD.findall(text.lower())
        count = len(words) or 1
        chars = len(text) or 1
        return [
            block.size,
            float(len(text)),
            block.linked,
            float(text.count(". ") + text.endswith((".", "!", "?", "。", ":"))),
            float(text.count(",") + text.count("、")),
            sum(map(str.isupper, text)) / chars,
            sum(map(str.isdigit, text)) / chars,
            sum(map(len, words)) / count,
            sum(w in _STOPS for w in words) / count,
            float(self.texts[text]),
            sum(w in self.title for w in words) / count if self.title else 0.0,
            float(text.count("\n")),
            float(text[:1].isupper()),
            float(sum(p.link is not None for p in block.pieces)),
        ]

    def _place(self, i: int, block: Block) -> list[float]:
        kind = self.kinds[i]
        count, size = self.kind_count[kind], self.kind_size[kind]
        return [
            float(_TAG_CODE.get(block.node.tag, 0)),
            float(_TAG_CODE.get(block.inner.tag, 0)),
            float(block.node.depth),
            i / len(self.blocks),
            self.before[i] / self.size,
            float(count),
            size / count,
            self.kind_linked[kind] / (size or 1.0),
        ]

    def boxes(self, node: Node) -> list[float]:
        known = self._boxes.get(id(node))
        if known is None:
            known = self._boxes[id(node)] = self._measure(node)
        return known

    def _measure(self, node: Node) -> list[float]:
        numbers: list[float] = []
        box: Node | None = node
        least = 1
        for _ in range(4):
            while box is not None and box.blocks <= least and box.parent is not None:
                box = box.parent
            if box is None:
                break
            least = box.blocks
            numbers += [
                box.size,
                box.linked / (box.size or 1.0),
                float(box.blocks),
                box.size / (box.blocks or 1),
                box.long / (box.size or 1.0),
                box.size / self.size,
                box.stops / (box.size or 1.0),
            ]
        return numbers + self._landmarks(node)

    def _landmarks(self, node: Node) -> list[float]:
        """How far it is up to the best box and to the box of the title, and what lies between."""
        up, main, bits = 0, 0.0, 0
        best_up, h1_up, h1_share, h1_blocks = -1, -1, 0.0, 0.0
        climb: Node | None = node
        while climb is not None:
            share = climb.size / self.size
            if share < _PART:
                bits |= climb.own
            if climb is self.best:
                best_up = up
            if h1_up < 0 and id(climb) in self.h1:
                h1_up, h1_share, h1_blocks = up, share, float(climb.blocks)
            if climb.tag in ("main", "article") or climb.element.get("role") == "main":
                main = share
            climb, up = climb.parent, up + 1
        numbers = [float(best_up), float(best_up >= 0), main, float(h1_up), h1_share, h1_blocks]
        return numbers + _unpack(bits, len(PLACES))

    def around(self) -> list[list[float]]:
        """For each block: the heading above, the first heading of the page, the long texts near."""
        blocks = self.blocks
        first_h1 = next((i for i, b in enumerate(blocks) if b.node.tag == "h1"), -1)
        after = [0.0] * len(blocks)
        distance = 99.0
        for i in range(len(blocks) - 1, -1, -1):
            after[i] = distance
            distance = 0.0 if _is_long(blocks[i]) else distance + 1
        sizes = [b.size for b in blocks]
        linked = [b.size * b.linked for b in blocks]
        rows, since, level, cues, long_before, ended = [], 99.0, 0.0, 0, 99.0, 0.0
        start = self.before[first_h1] if first_h1 >= 0 else 0.0
        for i, block in enumerate(blocks):
            low, high = max(0, i - 4), i + 5
            window = sum(sizes[low:high]) or 1.0
            rows.append(
                [
                    since,
                    level,
                    ended,
                    float(i - first_h1) if first_h1 >= 0 else -999.0,
                    self.before[i] - start,
                    float(i < first_h1),
                    long_before,
                    after[i],
                    window,
                    sum(linked[low:high]) / window,
                    *_unpack(cues, len(CUES)),
                ]
            )
            since += 1
            if block.node.tag in HEADINGS:
                since, level, cues = 0.0, float(HEADINGS[block.node.tag]), self.cues[i]
                if i > first_h1 and cues & _ENDS:
                    ended += 1
            long_before = 0.0 if _is_long(block) else long_before + 1
        return rows

    def whole(self) -> list[float]:
        blocks = self.blocks
        linked = sum(b.size * b.linked for b in blocks)
        path = self.facts.url.lower()
        kinds = " ".join(self.facts.kinds)
        contexts = 0
        for block in blocks:
            contexts |= block.node.context
        return [
            self.size,
            float(len(blocks)),
            linked / self.size,
            self.long / self.size,
            self.size / len(blocks),
            float(sum(b.linked > 0.5 for b in blocks)),
            float(contexts & 1),
            float(contexts >> 1 & 1),
            float(sum(c >> _PRICE & 1 for c in self.cues)),
            float(sum(c >> _DATE & 1 for c in self.cues)),
            *(float(bool(p.search(path))) for p in _URL_KINDS),
            float(path.rstrip("/").count("/") - 2),
            *(float(any(w in kinds for w in words)) for words in _KINDS),
            float(sum(b.node.tag == "p" for b in blocks)),
            float(sum(b.node.tag == "li" for b in blocks)),
        ]


_PART = 0.6  # a box with more of the page's words is not a part of it but the whole
_ENDS = 1 << list(CUES).index("related") | 1 << list(CUES).index("comments")
_PRICE, _DATE = list(CUES).index("price"), list(CUES).index("date")
_KINDS = (
    ("article", "newsarticle", "blogposting"),
    ("product", "offer"),
    ("itemlist", "collectionpage"),
    ("discussion", "qapage", "question"),
    ("faqpage",),
    ("website", "organization"),
)


def _bits(i: int, block: Block, cues: int) -> list[float]:
    node, inner = block.node, block.inner
    near = node.near | inner.near
    if node.parent is not None:
        near |= node.parent.near
    context = inner.context | node.context
    return (
        _unpack(near, len(PLACES)) + _unpack(context, CONTEXT_BITS) + _unpack(cues, len(CUES))
    )


def _unpack(bits: int, count: int) -> list[float]:
    return [float(c) for c in f"{bits:0{count}b}"[::-1]]


def _is_long(block: Block) -> bool:
    return block.size >= 12 and block.linked < 0.5


def _kind(node: Node) -> tuple[str, ...]:
    """The tag and first class of a node and of the two around it: what repeats in lists."""
    kind: list[str] = []
    for _ in range(3):
        kind.append(node.tag)
        kind.append((node.element.get("class") or "").partition(" ")[0])
        if node.parent is None:
            break
        node = node.parent
    return tuple(kind)


def _holders(blocks: list[Block]) -> set[int]:
    """The box of the page's title, and all boxes around it."""
    node: Node | None = next((b.node for b in blocks if b.node.tag == "h1"), None)
    held = set()
    while node is not None:
        held.add(id(node))
        node = node.parent
    return held


def _best(blocks: list[Block]) -> Node | None:
    """The box that holds most of the long texts close to each other."""
    scores: dict[int, float] = {}
    nodes: dict[int, Node] = {}
    for block in blocks:
        if not _is_long(block):
            continue
        node, weight = block.node.parent, block.size
        for _ in range(4):
            if node is None:
                break
            nodes[id(node)] = node
            scores[id(node)] = scores.get(id(node), 0.0) + weight
            node, weight = node.parent, weight * 0.6
    return nodes[max(scores, key=scores.__getitem__)] if scores else None
