"""Score arithmetic: one IDF, fusion of words and vectors, freshness, diversity. Pure.

by words, with one IDF; by vector → weighted sum of shares of the best → MMR → highlights
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from kensaku.text.passages import sentences

HALF_BM25 = 10.0  # the BM25 score that is shown as 0.5: about two rare words found
USUAL = 1.2  # strength of a match; right ones have 1.2 to 1.8, wrong ones 0.7 to 1
FEW = 20  # passages, of which half of a strength is their own

Key = TypeVar("Key")


def saturate(score: float) -> float:
    """Map a BM25 score, which has no upper bound, to 0..1; the order stays."""
    return score / (score + HALF_BM25) if score > 0 else 0.0


def match_strength(bm25: float, terms: int, passages: int) -> float:
    """Return a BM25 score as it can be compared with those of other searches.

    A score grows with the terms of the query, of which a good match has a part, and with the IDF
    of a term that one passage has. Among few passages about one thing its words are no rarer than
    others, and the score says little: the fewer there are, the more a usual strength counts.
    """
    scale = math.sqrt(max(1, terms)) * math.log(1 + (max(1, passages) - 0.5) / 1.5)
    return (passages * bm25 / scale + FEW * USUAL) / (passages + FEW)


def share_idf(
    terms: Mapping[str, Mapping[int, float]],
    idf: Mapping[str, Mapping[int, float]],
    passages: Mapping[str, int],
) -> dict[str, dict[int, float]]:
    """Weigh the terms of a query so that the collections score as if they were one.

    An engine multiplies by the IDF of its collection, `idf`. So a word that is rare in ten
    passages would count little there, and much among ten thousand.
    """
    total = sum(passages.values())
    having: Counter[int] = Counter()  # passages, by term
    for name, own in idf.items():
        for term, value in own.items():
            having[term] += max(1, round((passages[name] + 1) / math.exp(value) - 0.5))
    one = {t: math.log(1 + (total - n + 0.5) / (n + 0.5)) for t, n in having.items() if n <= total}
    return {
        name: {t: w * one.get(t, 0.0) / idf[name][t] for t, w in own.items() if idf[name].get(t)}
        for name, own in terms.items()
    }


def blend(words: Mapping[Key, float], dense: Mapping[Key, float], trust: float) -> dict[Key, float]:
    """Return the weighted sum of both sides, each as a share of its best. `trust` weighs `dense`.

    Shares go from zero to the best, not from the worst candidate to the best: so a score does not
    depend on the number of candidates. What has no vector, since the model does not read its
    language, is ranked by its words alone.
    """
    left, right = _shares(words), _shares(dense)
    return {
        key: (1 - trust) * left.get(key, 0.0) + trust * right[key]
        if key in right
        else left.get(key, 0.0)
        for key in {**left, **right}
    }


def _shares(scores: Mapping[Key, float]) -> dict[Key, float]:
    best = max(scores.values(), default=0.0)
    return {key: max(0.0, score) / best for key, score in scores.items()} if best > 0 else {}


def decay(score: float, age_days: float, half_life: float) -> float:
    """Lower a score with age; an old page keeps at least half of it."""
    return score * (0.5 + 0.5 * math.exp2(-max(0.0, age_days) / half_life))


def diversify(
    ranked: Sequence[Key],
    relevance: Mapping[Key, float],
    similarity: Callable[[Key, Key], float],
    balance: float,
    limit: int,
) -> list[Key]:
    """Order by maximal marginal relevance: `balance` 1 is relevance alone, 0 diversity alone."""
    left, chosen = list(ranked), list[Key]()
    nearest = dict.fromkeys(ranked, 0.0)
    while left and len(chosen) < limit:
        best = max(left, key=lambda key: balance * relevance[key] - (1 - balance) * nearest[key])
        left.remove(best)
        chosen.append(best)
        for key in left:
            nearest[key] = max(nearest[key], similarity(key, best))
    return chosen


def overlap(left: Mapping[int, int], right: Mapping[int, int]) -> float:
    """Return the share of terms that two texts have in common: 0..1."""
    either = left.keys() | right.keys()
    return len(left.keys() & right.keys()) / len(either) if either else 0.0


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the cosine of two vectors."""
    dot = sum(a * b for a, b in zip(left, right, strict=True))
    norm = math.sqrt(sum(a * a for a in left) * sum(b * b for b in right))
    return dot / norm if norm else 0.0


def highlights(text: str, pattern: re.Pattern[str] | None, limit: int = 3) -> list[str]:
    """Return the sentences with most matches of the query's pattern, in reading order."""
    matches = [(m.start(), m[0]) for m in pattern.finditer(text.lower())] if pattern else []
    if not matches:
        return []
    scored = []
    at = 0
    for start, end in sentences(text):
        inside = []
        while at < len(matches) and matches[at][0] < end:
            inside.append(matches[at][1])
            at += 1
        if inside:
            scored.append((-len(set(inside)), -len(inside), start, text[start:end].strip()))
    return [s for *_, s in sorted(sorted(scored)[:limit], key=lambda item: item[2])]
