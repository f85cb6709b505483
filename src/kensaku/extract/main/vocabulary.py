"""What single words say about a block: in the names of its containers, its text and its heading.

    names, words → a weight for each → one sum for each source

The weights are those of a logistic regression (`bench/train_extractor.py`), and the trees see its
sums. They know more words than the hand-written `lexicon`, and the trees more than single words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kensaku.extract.main.blocks import HEADINGS, Block, Node

NAME_SOURCES = ("own", "outer", "part")  # names of the block, the container around it, all others
TEXT_SOURCES = ("text", "start", "heading")
VOCABULARY_NAMES = tuple(f"words:{s}" for s in (*NAME_SOURCES, *TEXT_SOURCES, "all"))
Weights = dict[str, dict[str, float]]  # by source and word; under "bias" the word "" alone

_NAME_WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_LABEL_CHARS = 300
_PART = 0.6  # of the page's words: a container with more is the page itself
_SHORT_WORDS = 10  # all words of a text up to here count; of a longer one, the first
_FIRST_WORDS = 4
_HEADING_WORDS = 12


def name_words(labels: str) -> list[str]:
    """Return the words of class names and ids, each once."""
    found = _NAME_WORD.findall(labels[:_LABEL_CHARS])
    return list(dict.fromkeys([word.lower() for word in found]))


def text_words(block: Block, words: list[str]) -> tuple[str, list[str]]:
    """Return the words of a text that count, with their source."""
    if block.node.tag in HEADINGS:
        return "text", words[:_HEADING_WORDS]
    if len(words) <= _SHORT_WORDS:
        return "text", words
    return "start", words[:_FIRST_WORDS]


class Vocabulary:
    """The weights of words."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._bias = weights["bias"][""]
        self._names = lru_cache(maxsize=8192)(self._score_names)  # sites repeat their names

    def rows(self, blocks: list[Block], nodes: list[Node]) -> list[list[float]]:
        """Return the features of each block in the order of `VOCABULARY_NAMES`.

        `nodes` are all that hold blocks, from the outside in.
        """
        parts = self._parts(nodes, _PART * sum([b.size for b in blocks]))
        weights, heading = self._weights, 0.0
        result = []
        for block in blocks:
            node, inner, outer = block.node, block.inner, block.node.parent
            own = self._names(node.labels)[0]
            if inner is not node:
                own += self._names(inner.labels)[0]
            around = part = 0.0
            if outer is not None:
                around = self._names(outer.labels)[1]
                part = parts[outer]
            source, words = text_words(block, block.words)
            score = _sum(weights[source], words)
            text, start = (score, 0.0) if source == "text" else (0.0, score)
            above = heading
            if node.tag in HEADINGS:
                above, heading = 0.0, _sum(weights["heading"], words)
            total = self._bias + own + around + part + score + above
            result.append([own, around, part, text, start, above, total])
        return result

    def _score_names(self, labels: str) -> tuple[float, float, float]:
        words = name_words(labels)
        own, outer, part = (_sum(self._weights[source], words) for source in NAME_SOURCES)
        return own, outer, part

    def _parts(self, nodes: list[Node], bound: float) -> dict[Node | None, float]:
        """Sum the names of each node and of those around it, up to the page itself."""
        parts: dict[Node | None, float] = {None: 0.0}
        for node in nodes:
            total = parts[node.parent]
            if node.labels and node.size < bound:
                total += self._names(node.labels)[2]
            parts[node] = total
        return parts


def _sum(weights: dict[str, float], words: list[str]) -> float:
    get = weights.get
    return sum([get(word, 0.0) for word in words])


def block_words(blocks: list[Block]) -> Iterator[list[tuple[str, str]]]:
    """Yield, for each block, the words whose weights `Vocabulary` sums, with their sources."""
    bound = _PART * sum(b.size for b in blocks)
    heading: list[str] = []
    for block in blocks:
        node, inner, outer = block.node, block.inner, block.node.parent
        found = [("own", w) for w in name_words(node.labels)]
        if inner is not node:
            found += [("own", w) for w in name_words(inner.labels)]
        if outer is not None:
            found += [("outer", w) for w in name_words(outer.labels)]
        while outer is not None:
            if outer.size < bound:
                found += [("part", w) for w in name_words(outer.labels)]
            outer = outer.parent
        source, words = text_words(block, block.words)
        found += [(source, w) for w in words]
        if node.tag in HEADINGS:
            heading = words
        else:
            found += [("heading", w) for w in heading]
        yield found
