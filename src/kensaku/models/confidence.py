"""How far a response can be trusted: typed factors → a probability → a level → what to do.

    hits → Factors → Model.probability → Confidence(score, level, advice)
    hits → relevance of each, 0..1 → search_factors: count, mean, maximum, variance, flat

The factors are facts about the results; no model is asked. The weights are fitted (`calibration`,
`bench/confidence.py`): for the local index on judged questions, where the score is the probability
that the first hit is right. Web results have no such judgements: there the same questions were
used without the index's scores, and the score stands for one of the first five being right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from kensaku.messages import msg
from kensaku.models.calibration import Models, shipped_models
from kensaku.text.terms import coverage, terms
from kensaku.text.urls import site_of

if TYPE_CHECKING:
    from kensaku.models import Hit

Level = Literal["high", "medium", "low", "none"]
_TOP = 5  # people and models read the first few
_GRAMMAR = re.compile("[\u3041-\u309f]+")  # two hiragana are grammar more often than not
_ALONE = 0.5  # of the first hit's coverage, what the others are taken to have when there are none
_ALONE_GAP = 0.2  # taken for the gap of scores when there is nothing to compare with


@dataclass(frozen=True, slots=True)
class Factors:
    """Features of a list of hits. Every share is in 0..1."""

    count: int
    coverage: float  # of the query's words, in the first hit
    best_coverage: float  # the same in that of the best hits that has most
    lead: float  # coverage of the first hit over that of the others; words that all have count less
    gap: float | None  # from the first score to the second, as a share of the first
    strength: float | None  # of the first match by words, for its query and collection; logarithmic
    score_mean: float | None  # of the upstream's own scores, where it gives them
    score_variance: float | None
    agreement: float  # share of the best hits that independent indexes found, too
    hosts: int  # different hosts among the best hits
    stale: bool = False
    partial: bool = False

    def fitted(self) -> dict[str, float]:
        """Return the factors that a model weighs; a gap that is not known counts nothing."""
        return {
            "coverage": self.coverage,
            "best_coverage": self.best_coverage,
            "lead": self.lead,
            "gap": self.gap or 0.0,
            "strength": self.strength or 0.0,
            "agreement": self.agreement,
        }


@dataclass(frozen=True, slots=True)
class Confidence:
    """A score in 0..1, its level, and advice for an agent."""

    score: float
    level: Level
    advice: str
    factors: Factors
    fitted_on: str = ""  # the judged questions that the score was fitted on

    def to_dict(self) -> dict[str, Any]:
        """The confidence, ready for JSON."""
        return asdict(self)


_WORDS_SHARE = 0.7  # of a match by words, what finding all words is worth by itself
_UNKNOWN_SCORE = 0.5  # taken for a hit whose upstream gives no score


ADVICE: dict[Level, str] = {
    "high": msg("answer, with citations"),
    "medium": msg("answer, and say what is uncertain"),
    "low": msg("search again in other words, or ask the person"),
    "none": msg("say that nothing could be found out"),
}


def confidence_of(
    query: str,
    hits: Sequence[Hit],
    *,
    stale: bool = False,
    partial: bool = False,
    models: Models | None = None,
) -> Confidence:
    """Say how far a list of hits can be trusted as an answer to `query`."""
    factors = factors_of(query, hits, stale=stale, partial=partial)
    model = (models or shipped_models())[model_name(hits)]
    score = model.probability(factors.fitted()) if hits else 0.0
    score *= (0.8 if stale else 1.0) * (0.9 if partial else 1.0)
    level: Level = (
        "none" if not hits else "high" if score >= 0.7 else "medium" if score >= 0.45 else "low"
    )
    return Confidence(round(score, 3), level, ADVICE[level], factors, model.fitted_on)


def model_name(hits: Sequence[Hit]) -> Literal["local", "web"]:
    """Return which model weighs these hits: "local" where all have a score by words."""
    return "local" if hits and all(map(_by_words, hits[:_TOP])) else "web"


def factors_of(
    query: str, hits: Sequence[Hit], *, stale: bool = False, partial: bool = False
) -> Factors:
    """Return what is known of a list of hits."""
    best = hits[:_TOP]
    words = _content_words(query)
    found = [_words_in(words, hit) for hit in best]
    shares = [_share_of(words, have, hit) for have, hit in zip(found, best, strict=True)]
    shared = sum(len({s.index for s in hit.sources}) > 1 for hit in best)
    mean, variance = _mean_and_variance([h.score for h in hits if h.score is not None])
    return Factors(
        count=len(hits),
        coverage=round(shares[0], 3) if best else 0.0,
        best_coverage=round(max(shares, default=0.0), 3),
        lead=round(_lead(words, found), 4),
        gap=_gap(best),
        strength=_strength(best),
        score_mean=mean,
        score_variance=variance,
        agreement=round(shared / len(best), 3) if best else 0.0,
        hosts=len({site_of(hit) for hit in best}),
        stale=stale,
        partial=partial,
    )


def relevance(words: frozenset[str], hit: Hit) -> float:
    """Return how well a hit answers a query of these words, on the scale of a cosine: 0..1.

    Scores of upstreams are on scales of their own: a BM25 score grows with the collection, and a
    good one of a small collection reads as poor. A cosine stays as it is. A match by words is
    worth the share of the query's words that it contains, more so with a high score.
    """
    covered = _coverage(words, hit) if words else 1.0
    local = hit.explain.local if hit.explain else None
    if local is None or (local.bm25 is None and local.cosine is None):
        if hit.score is not None:
            return _clip((hit.score + covered) / 2)
        return covered * (_WORDS_SHARE + (1 - _WORDS_SHARE) * _UNKNOWN_SCORE)
    by_meaning = _clip(local.cosine or 0.0)
    if local.bm25 is None:
        return by_meaning
    by_words = covered * (_WORDS_SHARE + (1 - _WORDS_SHARE) * _clip(hit.score or 0.0))
    return max(by_words, by_meaning)


def score_statistics(scores: Sequence[float]) -> dict[str, float]:
    """Return count, mean, variance, maximum and minimum of scores.

    One score has no variance. No score has the highest: nothing agrees with anything.
    """
    mean, variance = _mean_and_variance(list(scores))
    return {
        "result_count": len(scores),
        "avg_score": mean or 0.0,
        "score_variance": 1.0 if variance is None else variance,
        "max_score": max(scores, default=0.0),
        "min_score": min(scores, default=0.0),
    }


def search_factors(
    confidence: Confidence, scores: Sequence[float], sources: Iterable[str]
) -> dict[str, Any]:
    """Return all that is known about a search as flat values: what `ToolResult` carries.

    `scores` are the relevances of the results, `sources` says where each is from.
    """
    own = confidence.to_dict()
    facts = own.pop("factors")
    for name in ("count", "score_mean", "score_variance", "strength"):  # on the upstream's scale
        del facts[name]
    return {**score_statistics(scores), "source_count": len({*sources}), **facts, **own}


def _clip(score: float) -> float:
    return min(1.0, max(0.0, score))


def _mean_and_variance(scores: list[float]) -> tuple[float | None, float | None]:
    if not scores:
        return None, None
    mean, squares = sum(scores) / len(scores), 0.0
    for score in scores:
        squares += (score - mean) ** 2
    return round(mean, 4), round(squares / len(scores), 4)


def _coverage(words: frozenset[str], hit: Hit) -> float:
    counted = hit.explain.coverage if hit.explain else None  # ranking has counted it already
    return coverage(words, hit) if counted is None else counted


def _content_words(query: str) -> frozenset[str]:
    words = terms(query)
    return frozenset(w for w in words if not _GRAMMAR.fullmatch(w)) or words


def _words_in(words: frozenset[str], hit: Hit) -> frozenset[str]:
    text = f"{hit.title} {hit.content} {hit.url}".lower()
    return frozenset(word for word in words if word in text)


def _share_of(words: frozenset[str], found: frozenset[str], hit: Hit) -> float:
    """The share of the words that a hit has; or how near it is in meaning, if that is more."""
    local = hit.explain.local if hit.explain else None
    by_meaning = _clip(local.cosine or 0.0) if local else 0.0
    return max(len(found) / len(words) if words else 1.0, by_meaning)


def _lead(words: frozenset[str], found: Sequence[frozenset[str]]) -> float:
    """How much more of the query the first hit has than the others on average.

    A word weighs more the fewer of the others have it. The weights do not depend on the first, so
    that a word more in it never lowers its lead.
    """
    if not found or not words:
        return 0.0
    others = found[1:]
    if not others:
        return _ALONE * len(found[0]) / len(words)
    weight = {}
    for word in words:
        having = sum(word in other for other in others)
        weight[word] = math.log(1 + (2 * len(others) + 1) / (2 * having + 1))
    total = sum(weight.values())
    first, *rest = (sum(weight[w] for w in have) / total for have in found)
    return max(0.0, first - sum(rest) / len(rest))


def _gap(hits: Sequence[Hit]) -> float | None:
    """How far the second score is below the first, as a share of it."""
    if hits and all(map(_by_words, hits)):
        scores = [h.explain.local.bm25 for h in hits if h.explain and h.explain.local]
    else:
        scores = [h.score for h in hits]
    if not scores or scores[0] is None or scores[0] <= 0:
        return None
    if len(scores) == 1:
        return _ALONE_GAP
    return None if scores[1] is None else round(_clip(1 - scores[1] / scores[0]), 4)


def _strength(hits: Sequence[Hit]) -> float | None:
    """How strong the first match by words is; each doubling counts less than the one before."""
    local = hits[0].explain.local if hits and hits[0].explain else None
    if local is None or local.strength is None:
        return None
    return round(math.log1p(max(0.0, local.strength)), 4)


def _by_words(hit: Hit) -> bool:
    local = hit.explain.local if hit.explain else None
    return local is not None and local.strength is not None and local.cosine is None
