"""The pages of WCXB, prepared for training: blocks, features, labels.

Preparing takes minutes, so the result is kept in a folder, outside the project.
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
from extractor_words import SOURCES, PageWords, page_words
from kensaku.extract.html.metadata import read_metadata
from kensaku.extract.html.page import visible_blocks
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main import features
from kensaku.extract.main.blocks import Block, Node
from kensaku.extract.main.kinds import kind_signals
from kensaku.extract.main.signals import page_facts
from kensaku.extract.main.vocabulary import Vocabulary

MOST_WORDS = 60  # a block's weight grows with its words up to here
GRAM = 4
_NO_WORDS = Vocabulary({source: {} for source in SOURCES} | {"bias": {"": 0.0}})
PROCESSES = 2


@dataclass
class Case:
    """One page, ready for training."""

    url: str
    kind: str
    text: str
    balanced: bool  # one of the 360
    blocks: list[Block]
    signals: dict[str, float]
    words: PageWords
    rows: np.ndarray  # without what the words say, which is learned first
    labels: np.ndarray
    weights: np.ndarray

    @property
    def site(self) -> str:
        return urlsplit(self.url).netloc.removeprefix("www.")


def load_cases(folder: Path) -> list[Case]:
    """Return the pages with an answer; prepare them if the folder does not hold them."""
    sys.setrecursionlimit(20_000)  # pickling follows the parents of a node
    kept = folder / "cases.pickle"
    if kept.exists():
        return pickle.loads(kept.read_bytes())
    samples = load_samples(whole=True)
    balanced = len(load_samples())
    with ProcessPoolExecutor(PROCESSES) as pool:
        marks = [i < balanced for i in range(len(samples))]
        cases = list(pool.map(prepare, samples, marks, chunksize=20))
    cases = [c for c in cases if c.text and c.blocks]
    folder.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(cases))
    return cases


def prepare(sample: Sample, balanced: bool) -> Case:
    """The blocks of a page with their numbers, labels and weights."""
    sys.setrecursionlimit(20_000)
    root = parse_html(sample.html)
    meta = read_metadata(root, sample.url)
    blocks, _ = visible_blocks(root, meta)
    facts = page_facts(root, sample.url, meta.title)
    raw = features.rows(blocks, facts, _NO_WORDS)
    rows = np.array([expand(r) for r in raw], dtype=np.float32)
    sizes = np.array([min(b.size, MOST_WORDS) + 1 for b in blocks])
    return Case(
        sample.url,
        sample.kind,
        sample.text,
        balanced,
        [_without_pieces(b) for b in blocks],
        kind_signals(raw, facts),
        page_words(blocks),
        rows.reshape(len(blocks), len(feature_names())),
        label(blocks, sample.text),
        sizes / max(sizes.sum(), 1) * 10,
    )


def _without_pieces(block: Block) -> Block:
    block.pieces = []
    block.words = []
    node: Node | None = block.node
    while node is not None and node.visibility is not None:
        node.visibility = None  # type: ignore[assignment]
        node = node.parent
    node = block.inner
    while node is not None and node.visibility is not None:
        node.visibility = None  # type: ignore[assignment]
        node = node.parent
    return block


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
