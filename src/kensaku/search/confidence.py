"""How far a response can be trusted: typed factors → a score → a level → what to do.

    hits, attempts → Factors → Confidence(score, level, advice)
    hits → relevance of each, 0..1 → search_factors: count, mean, maximum, variance, flat

The factors are facts about the results; no model is asked. Off-topic results lower the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from kensaku.search.rank import coverage, host_of, terms

if TYPE_CHECKING:
    from kensaku.models import Hit

Level = Literal["high", "medium", "low", "none"]
_TOP = 5  # people and models read the first few


@dataclass(frozen=True, slots=True)
class Factors:
    """What is known of a list of hits. Every share is in 0..1."""

    count: int
    coverage: float  # of the query's words, in the best hits
    score_mean: float | None  # of the upstream's own scores, where it gives them
    score_variance: float | None
    agreement: float  # share of the best hits that independent indexes found, too
    hosts: int  # different hosts among the best hits
    stale: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Confidence:
    """A score in 0..1, the level it stands for, and what to do with it."""

    score: float
    level: Level
    advice: str
    factors: Factors

    def to_dict(self) -> dict[str, Any]:
        """The confidence, ready for JSON."""
        return asdict(self)


_WORDS_SHARE = 0.7  # of a match by words, what finding all words is worth by itself
_UNKNOWN_SCORE = 0.5  # taken for a hit whose upstream gives no score


_ADVICE: dict[Level, str] = {
    "high": "answer, with citations",
    "medium": "answer, and say what is uncertain",
    "low": "search again in other words, or ask the person",
    "none": "say that nothing could be found out",
}


def confidence_of(
    query: str, hits: Sequence[Hit], *, stale: bool = False, partial: bool = False
) -> Confidence:
    """Say how far a list of hits can be trusted as an answer to `query`."""
    words, best = terms(query), hits[:_TOP]
    covered, shared, hosts = 0.0, 0, set()
    for hit in best:
        covered += _coverage(words, hit) if words else 1.0
        shared += len(hit.sources) > 1 and len({s.index for s in hit.sources}) > 1
        hosts.add(host_of(hit.url))
    mean, variance = _mean_and_variance([h.score for h in hits if h.score is not None])
    factors = Factors(
        count=len(hits),
        coverage=round(covered / len(best), 3) if best else 0.0,
        score_mean=mean,
        score_variance=variance,
        agreement=round(shared / len(best), 3) if shared else 0.0,
        hosts=len(hosts),
        stale=stale,
        partial=partial,
    )
    score = _score(factors)
    level: Level = (
        "none" if not hits else "high" if score >= 0.7 else "medium" if score >= 0.45 else "low"
    )
    return Confidence(round(score, 3), level, _ADVICE[level], factors)


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
    for name in ("count", "score_mean", "score_variance"):  # of scores on the upstream's scale
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


def _score(f: Factors) -> float:
    """Coverage leads; the upstream's own scores, breadth and agreement help."""
    if not f.count:
        return 0.0
    upstream = f.coverage if f.score_mean is None else f.score_mean
    breadth = min(1.0, f.count / 3) * 0.5 + min(1.0, f.hosts / 3) * 0.5
    score = (
        0.45 * f.coverage + 0.25 * upstream + 0.2 * breadth + 0.1 * max(f.agreement, breadth / 2)
    )
    score *= 0.3 + 0.7 * min(1.0, f.coverage * 2)  # results about something else help nobody
    return min(1.0, score * (0.8 if f.stale else 1.0) * (0.9 if f.partial else 1.0))
