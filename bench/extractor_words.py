"""The weights of single words: a logistic regression over the names and texts of blocks.

words of each block → those that enough sites use → weights → sums, as features of the trees
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, vstack

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.vocabulary import NAME_SOURCES, TEXT_SOURCES, Weights, block_words

if TYPE_CHECKING:
    from extractor_cases import Case

FEWEST_SITES = 8  # a word of fewer sites says nothing about others
PENALTY = 3.0
ITERATIONS = 60
LEAST = 0.02  # smaller weights are left out
SOURCES = (*NAME_SOURCES, *TEXT_SOURCES)
Word = tuple[str, str]  # its source, and itself


@dataclass
class PageWords:
    """The words of one page: for each block, which of the page's own list."""

    words: list[Word]
    counts: csr_matrix


def page_words(blocks: list[Block]) -> PageWords:
    """Count the words of each block."""
    places: dict[Word, int] = {}
    columns, ends = [], [0]
    for found in block_words(blocks):
        columns += [places.setdefault(word, len(places)) for word in found]
        ends.append(len(columns))
    shape = len(blocks), len(places)
    counts = csr_matrix((np.ones(len(columns), np.float32), columns, ends), shape=shape)
    counts.sum_duplicates()
    return PageWords(list(places), counts)


class WordStage:
    """The weights of words, and their sums for each block."""

    def __init__(self, cases: list[Case]) -> None:
        by_site = {(c.site, word) for c in cases for word in c.words.words}
        sites = Counter(word for _, word in by_site)
        self.words = sorted(word for word, count in sites.items() if count >= FEWEST_SITES)
        self._sources = np.array([SOURCES.index(source) for source, _ in self.words])
        columns = {word: at for at, word in enumerate(self.words)}
        self._counts = [_columns_of(c.words, columns) for c in cases]
        self._cases = cases

    def fit(self, pages: list[int]) -> np.ndarray:
        """Return a weight for each word; the last one is the bias."""
        counts = vstack([self._counts[i] for i in pages]).tocsr().astype(np.float64)
        turned = counts.T.tocsr()
        right = np.concatenate([self._cases[i].labels for i in pages])
        weight = np.concatenate([self._cases[i].weights for i in pages])

        def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
            score = counts @ values[:-1] + values[-1]
            error = weight * (1 / (1 + np.exp(-score)) - right)
            total = (weight * (np.logaddexp(0, score) - right * score)).sum()
            slope = np.append(turned @ error + PENALTY * values[:-1], error.sum())
            return total + PENALTY / 2 * (values[:-1] ** 2).sum(), slope

        start = np.zeros(len(self.words) + 1)
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
        values = np.where(np.abs(found.x) < LEAST, 0.0, found.x.round(3))
        return np.asarray(values)

    def predict(self, pages: np.ndarray, values: np.ndarray) -> list[np.ndarray]:
        """Return the columns of each block, in the order of `VOCABULARY_NAMES`."""
        by_source = np.stack(
            [np.where(self._sources == n, values[:-1], 0.0) for n in range(len(SOURCES))], axis=1
        )
        sums = [self._counts[i] @ by_source for i in pages]
        return [np.column_stack([s, s.sum(axis=1) + values[-1]]).astype(np.float32) for s in sums]

    def weights(self, values: np.ndarray) -> Weights:
        """The weights as the product reads them."""
        found: Weights = {source: {} for source in SOURCES}
        for (source, word), value in zip(self.words, values[:-1].tolist(), strict=True):
            if value:
                found[source][word] = value
        return found | {"bias": {"": float(values[-1])}}


def _columns_of(page: PageWords, columns: dict[Word, int]) -> csr_matrix:
    """Renumber the words of a page."""
    kept = [(at, columns[word]) for at, word in enumerate(page.words) if word in columns]
    own, new = [at for at, _ in kept], [column for _, column in kept]
    shape = len(page.words), len(columns)
    turn = csr_matrix((np.ones(len(kept), np.float32), (own, new)), shape=shape)
    return page.counts @ turn
