"""The pages to learn from, prepared for training: blocks, features, labels.

    pages → blocks, facts, labels (kept in a folder outside the project) → features

Parsing takes minutes and is done once; features are computed each time, since they are what
changes.
"""

from __future__ import annotations

import pickle
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from extraction import Sample, load_samples, words
from extraction_sets import load_set
from extractor_words import SOURCES, PageWords, page_words
from kensaku.extract.html.metadata import read_metadata
from kensaku.extract.html.page import visible_blocks
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main import features
from kensaku.extract.main.blocks import Block, Node, in_context
from kensaku.extract.main.kinds import kind_signals
from kensaku.extract.main.model import is_surrounding
from kensaku.extract.main.signals import PageFacts, page_facts
from kensaku.extract.main.vocabulary import Vocabulary

MOST_WORDS = 60  # a block's weight grows with its words up to here
GRAM = 4
_NO_WORDS = Vocabulary({source: {} for source in SOURCES} | {"bias": {"": 0.0}})
PROCESSES = 2


@dataclass
class Parsed:
    """One page with its right answer, parsed."""

    source: str  # the set it is from
    url: str
    kind: str  # "" where nobody wrote it down
    text: str
    balanced: bool  # one of the 360 of WCXB
    blocks: list[Block]
    facts: PageFacts
    labels: np.ndarray

    @property
    def site(self) -> str:
        return urlsplit(self.url).netloc.removeprefix("www.") or self.text[:40]


@dataclass
class Case:
    """One page, ready for training."""

    page: Parsed
    signals: dict[str, float]
    words: PageWords
    rows: np.ndarray  # without what the words say, which is learned first
    weights: np.ndarray
    surroundings: list[tuple[bool, bool]]  # which blocks are comments, and which are teasers
    first: features.Row  # of the first block: what the page says about itself

    @property
    def labels(self) -> np.ndarray:
        return self.page.labels

    @property
    def site(self) -> str:
        return self.page.site


def load_pages(folder: Path, sets: tuple[str, ...]) -> list[Parsed]:
    """Return the pages with an answer; parse those sets that the folder does not hold."""
    sys.setrecursionlimit(20_000)  # pickling follows the parents of a node
    pages: list[Parsed] = []
    for name in sets:
        kept = folder / f"{name}.pickle"
        if not kept.exists():
            folder.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(pickle.dumps(_parse_set(name)))
        pages += pickle.loads(kept.read_bytes())
    return pages


def _parse_set(name: str) -> list[Parsed]:
    samples = load_samples(whole=True) if name == "wcxb" else load_set(name)
    balanced = len(load_samples()) if name == "wcxb" else 0
    with ProcessPoolExecutor(PROCESSES) as pool:
        marks = [i < balanced for i in range(len(samples))]
        pages = list(pool.map(parse, [name] * len(samples), samples, marks, chunksize=20))
    return [p for p in pages if p.text and p.blocks]


def parse(name: str, sample: Sample, balanced: bool) -> Parsed:
    """The blocks of a page and their labels."""
    sys.setrecursionlimit(20_000)
    root = parse_html(sample.html)
    meta = read_metadata(root, sample.url)
    blocks, _ = visible_blocks(root, meta)
    for block in blocks:
        _forget_visibility(block)
    return Parsed(
        name,
        sample.url,
        sample.kind,
        sample.text,
        balanced,
        blocks,
        page_facts(root, sample.url, meta.title),
        label(blocks, sample.text),
    )


def prepare(page: Parsed) -> Case:
    """The numbers and weights of the blocks of a page."""
    raw = features.rows(page.blocks, page.facts, _NO_WORDS)
    rows = np.array([expand(r) for r in raw], dtype=np.float32)
    sizes = np.array([min(b.size, MOST_WORDS) + 1 for b in page.blocks])
    if page.source != "wcxb":  # which leaves most captions out, where the others keep them
        sizes *= [not in_context(b.node, "figcaption") for b in page.blocks]
    rows = rows.reshape(len(page.blocks), len(feature_names()))
    return Case(
        page,
        kind_signals(raw, page.facts),
        page_words(page.blocks),
        rows,
        sizes / max(sizes.sum(), 1) * 10,
        [is_surrounding(row) for row in raw],
        raw[0],
    )


def _forget_visibility(block: Block) -> None:
    for start in (block.node, block.inner):
        node: Node | None = start
        while node is not None and node.visibility is not None:
            node.visibility = None  # type: ignore[assignment]
            node = node.parent


def feature_names() -> list[str]:
    """Return the name of each number and each bit, in the order of `expand`."""
    bits = (f"{field}:{bit}" for field, names in features.BIT_FIELDS for bit in names)
    return [*features.NUMBERS, *bits]


def expand(row: list[float]) -> list[float]:
    """Turn the bits of a row into one number each, as training wants them."""
    count = len(features.NUMBERS)
    return row[:count] + [
        float(int(value) >> n & 1)
        for value, (_, names) in zip(row[count:], features.BIT_FIELDS, strict=True)
        for n in range(len(names))
    ]


def label(blocks: list[Block], answer: str) -> np.ndarray:
    """For each block the share of its words that stands in the right answer.

    Long blocks count by their runs of four words. Short ones must be a line or a cell of the
    answer; when the page says them more often, those near long right blocks are meant.
    """
    lines: Counter[tuple[str, ...]] = Counter()
    for line in answer.split("\n"):
        lines.update({tuple(words(part)) for part in {line, *line.split("|")}} - {()})
    tokens = words(answer)
    grams = {n: {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)} for n in range(1, 5)}
    said = [tuple(words(b.text)) for b in blocks]
    labels = np.array([_covered(t, grams[GRAM]) for t in said])
    near = np.array([len(t) if len(t) >= 8 else 0 for t in said]) * labels
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, text in enumerate(said):
        if text:
            places[text].append(i)
    for text, found in places.items():
        times, value = lines.get(text, 0), 1.0
        if len(text) >= GRAM:
            times = max(times, 1)
        elif not times and text in grams[len(text)]:
            times, value = 1, 0.7 if len(text) > 1 else 0.3
        ranked = sorted(found, key=lambda i: -near[max(0, i - 8) : i + 9].sum())
        for rank, i in enumerate(ranked):
            if rank >= times:
                labels[i] = 0.0
            elif len(text) < GRAM:
                labels[i] = value
    return labels


def _covered(text: tuple[str, ...], grams: set[tuple[str, ...]]) -> float:
    covered = np.zeros(len(text))
    for i in range(len(text) - GRAM + 1):
        if text[i : i + GRAM] in grams:
            covered[i : i + GRAM] = 1
    return float(covered.mean()) if len(text) >= GRAM else 0.0
