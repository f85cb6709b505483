"""What the texts of a page's blocks look like, each by itself and among its like."""

from __future__ import annotations

import re
from collections import Counter

from kensaku.extract.blocks import Block, Node
from kensaku.extract.words import cue_bits

TEXT_NAMES = (
    "size", "chars", "linked", "stops", "commas", "upper", "digits", "word_len", "function_words",
    "repeats", "title_overlap", "lines", "first_upper", "links",
)  # fmt: skip
_WORD = re.compile(r"\w+")
_UPPER = re.compile(r"[A-Z]")
_DIGIT = re.compile(r"[0-9]")
_FUNCTION_WORDS = frozenset(
    "the of and to a in is that for it as with on this are be by or from you your".split()
)
_LONG_WORDS = 12
Kind = tuple[str, ...]


def is_long(block: Block) -> bool:
    """Whether a block is running text rather than a label or a menu."""
    return block.size >= _LONG_WORDS and block.linked < 0.5


class TextStats:
    """Counts over the texts of one page."""

    def __init__(self, blocks: list[Block], title: str) -> None:
        self._blocks = blocks
        self._words = [_WORD.findall(b.text.lower()) for b in blocks]
        self._title = frozenset(_WORD.findall(title.lower()))
        self._texts = Counter(b.text for b in blocks)
        self.size = sum(b.size for b in blocks) or 1.0
        self.cues = [cue_bits(b.text, w) for b, w in zip(blocks, self._words, strict=True)]
        self.before: list[float] = []  # words of the page before each block
        self._kinds = [_kind(b.node) for b in blocks]
        self._by_kind: dict[Kind, list[float]] = {}
        before = 0.0
        for block, kind in zip(blocks, self._kinds, strict=True):
            self.before.append(before)
            before += block.size
            sums = self._by_kind.setdefault(kind, [0.0, 0.0, 0.0])
            sums[0] += 1
            sums[1] += block.size
            sums[2] += block.size * block.linked

    def numbers(self, at: int) -> list[float]:
        """The text of one block, in the order of `TEXT_NAMES`."""
        block, words = self._blocks[at], self._words[at]
        text = block.text
        chars, count = len(text) or 1, len(words) or 1
        return [
            block.size,
            float(chars),
            block.linked,
            float(text.count(". ") + text.endswith((".", "!", "?", "。", ":"))),
            float(text.count(",") + text.count("、")),
            len(_UPPER.findall(text)) / chars,
            len(_DIGIT.findall(text)) / chars,
            len("".join(words)) / count,
            sum(map(_FUNCTION_WORDS.__contains__, words)) / count,
            float(self._texts[text]),
            sum(map(self._title.__contains__, words)) / count,
            float(text.count("\n")),
            float(text[:1].isupper()),
            float(sum(p.link is not None for p in block.pieces)),
        ]

    def kind(self, at: int) -> list[float]:
        """Blocks with the same tags and classes: how many, how long, how linked."""
        count, size, linked = self._by_kind[self._kinds[at]]
        return [count, size / count, linked / (size or 1.0)]


def _kind(node: Node) -> Kind:
    """The tag and first class of a node and of the two around it: what repeats in lists."""
    kind = [node.kind]
    for _ in range(2):
        if node.parent is None:
            break
        node = node.parent
        kind.append(node.kind)
    return tuple(kind)
