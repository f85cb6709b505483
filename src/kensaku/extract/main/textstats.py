"""Text features of the blocks of a page, each by itself and among blocks of its kind."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate
from string import ascii_uppercase, digits

from kensaku.extract.main.blocks import Block, Node, count_stops, is_wide
from kensaku.extract.main.lexicon import cue_bits
from kensaku.extract.main.signals import PageFacts

TEXT_NAMES = (
    "size", "chars", "linked", "stops", "commas", "upper", "digits", "word_len", "function_words",
    "repeats", "title_overlap", "lines", "first_upper", "links",
    "summary_overlap", "in_stated_body",
)  # fmt: skip
_WORD = re.compile(r"\w+")
_UPPER, _DIGITS = ascii_uppercase.encode(), digits.encode()
# Of many languages, since running text has them in all of them and a menu has few.
_FUNCTION_WORDS = frozenset(
    "the of and to a in is that for it as with on this are be by or from you your "
    "der die das und den von zu mit ist dem ein eine auf für nicht im sich des auch "
    "le la les de des et un une du en est que qui dans pour sur pas au avec il ce "
    "el los las y del se por con una para su al lo como más o e não uma os do da em no na "
    "di che per non è della sono het van een dat op te voor met zijn "
    "och att som det på är av för med till og på af med har ikke "
    "w na z i że się do nie jest a v s že je ve to и в на не что с по из для к за від та "
    "ve bir bu için ile ja ei on että yang dan di ke dari untuk في من على إلى أن של על את".split()
)
# Of scripts without spaces: particles of Japanese, the most frequent characters of Chinese.
_FUNCTION_CHARS = re.compile("[のをにはがでともへや的是了在和有不这個我他]")
_WIDE_WORD = 5.0  # characters: words of scripts without spaces count as English ones
_LONG_WORDS = 12
_BODY_WORDS = 8  # as many first words decide whether a block is in the stated body
Kind = tuple[str, ...]


def is_long(block: Block) -> bool:
    """Tell whether a block is running text rather than a label or a menu."""
    return block.size >= _LONG_WORDS and block.linked < 0.5


class TextStats:
    """Counts over the texts of one page."""

    def __init__(self, blocks: list[Block], facts: PageFacts) -> None:
        self._blocks = blocks
        self._title = frozenset(_units(_WORD.findall(facts.title.lower())))
        self._summary = frozenset(_units(_WORD.findall(facts.summary.lower())))
        self._body = " ".join(_WORD.findall(facts.body.lower()))
        self._texts = Counter([b.text for b in blocks])
        sizes = [b.size for b in blocks]
        self.size = sum(sizes) or 1.0
        self.cues = [cue_bits(b.text, b.words) for b in blocks]
        self.long = [is_long(b) for b in blocks]
        self.before = list(accumulate(sizes, initial=0.0))[:-1]  # words of the page before each
        self.kinds = _measure_kinds(blocks)

    def numbers(self, at: int) -> list[float]:
        """Return the features of one block's text, in the order of `TEXT_NAMES`."""
        block = self._blocks[at]
        text, words, wide = block.text, block.words, block.wide
        data = text.encode("utf-8", "surrogatepass")  # bytes are counted much faster
        chars, count = len(text) or 1, len(words) or 1
        commas = text.count(",")
        if len(data) > chars:
            commas += text.count("、") + text.count("，")
        units = _units(words) if wide else words
        total = len(units) or 1
        return [
            block.size,
            float(chars + 2 * wide),
            block.linked,
            float(count_stops(text) + text.endswith(":")),
            float(commas),
            (len(data) - len(data.translate(None, _UPPER))) / chars,
            (len(data) - len(data.translate(None, _DIGITS))) / chars,
            _WIDE_WORD if 2 * wide > chars else len("".join(words)) / count,
            len(_FUNCTION_CHARS.findall(text)) / chars
            if wide
            else sum(map(_FUNCTION_WORDS.__contains__, words)) / count,
            float(self._texts[text]),
            sum(map(self._title.__contains__, units)) / total,
            float(text.count("\n")),
            float(not text[:1].islower()),
            float(len([1 for _, link, _ in block.pieces if link is not None]))
            if block.linked
            else 0.0,
            sum(map(self._summary.__contains__, units)) / total if self._summary else -1.0,
            self._in_body(words) if self._body else -1.0,
        ]

    def _in_body(self, words: list[str]) -> float:
        """Tell whether the text begins as the page's JSON-LD says."""
        return float(" ".join(words[:_BODY_WORDS]) in self._body)


def _measure_kinds(blocks: list[Block]) -> list[list[float]]:
    """Measure, for each block, those with the same tags and classes.

    How many there are, their mean size, and the share of links.
    """
    sums: dict[Kind, list[float]] = {}
    found = []
    for block in blocks:
        kind = repeated_kind(block.node)
        own = sums.get(kind)
        if own is None:
            own = sums[kind] = [0.0, 0.0, 0.0]
        found.append(own)
        own[0] += 1
        own[1] += block.size
        own[2] += block.size * block.linked
    for own in sums.values():
        count, size, linked = own
        own[:] = count, size / count, linked / (size or 1.0)
    return found


def _units(words: list[str]) -> list[str]:
    """Return words, and pairs of characters where a script has no spaces between its words."""
    units: list[str] = []
    for word in words:
        if word.isascii() or len(word) <= 2 or not is_wide(word):
            units.append(word)
        else:
            units += [word[i : i + 2] for i in range(len(word) - 1)]
    return units


def repeated_kind(node: Node) -> Kind:
    """Return tag and first class of a node and of the two around it, as they repeat in lists."""
    parent = node.parent
    if parent is None:
        return (node.kind,)
    if parent.parent is None:
        return (node.kind, parent.kind)
    return (node.kind, parent.kind, parent.parent.kind)
