"""The consumer of confidence factors, as nakashima2toshio/gemini_grace_agent has it.

Written anew from the facts of its `grace/executor.py` and `grace/confidence.py` in both editions:
which keys it reads with which defaults, its weights, its penalties, its thresholds. What it asks a
model for is a number here: its default of 0.5, and agreement by shared words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

SEARCH_STEPS = ("rag_search", "web_search")
WEIGHTS = {"search": 0.25, "agreement": 0.20, "self": 0.25, "tool": 0.15, "coverage": 0.15}
THRESHOLDS = (("silent", 0.9), ("notify", 0.7), ("confirm", 0.4))
SELF_CONFIDENCE = 0.5


@dataclass
class HostFactors:
    """What the executor hands to the calculator."""

    result_count: int
    avg_score: float
    max_score: float
    score_variance: float
    source_count: int
    agreement: float
    search_step: bool


def source_texts(output: Any) -> list[str]:
    """The texts that it compares: of a list of objects with a payload, and of nothing else."""
    texts = []
    for item in output if isinstance(output, list) else []:
        if isinstance(item, dict):
            payload = item.get("payload", {})
            text = payload.get("content") or payload.get("text") or payload.get("answer")
            if text:
                texts.append(str(text))
    return texts


def sources(output: Any) -> list[str]:
    """Where the results are from, each once."""
    named = [
        item.get("payload", {}).get("source", "")
        for item in (output if isinstance(output, list) else [])
        if isinstance(item, dict)
    ]
    return [name for name in dict.fromkeys(named) if name]


def read_factors(result: Any, action: str) -> HostFactors:
    """Read a result as the executor does: by these keys, with these defaults."""
    factors = result.confidence_factors
    count = factors.get("source_count", len(sources(result.output)))
    texts = source_texts(result.output) if count > 1 else []
    return HostFactors(
        result_count=factors.get("result_count", 0),
        avg_score=factors.get("avg_score", 0.0),
        max_score=factors.get("max_score", factors.get("avg_score", 0.0)),
        score_variance=factors.get("score_variance", 1.0),
        source_count=count,
        agreement=_agreement(texts) if len(texts) > 1 else 1.0,
        search_step=action in SEARCH_STEPS,
    )


def weighted_score(f: HostFactors) -> float:
    """The first edition: a weighted sum, whatever the step. 0.725 is the most it gives."""
    quality = max(0.0, f.avg_score - min(0.2, f.score_variance * 0.5)) if f.result_count else 0.0
    score = (
        WEIGHTS["search"] * quality
        + WEIGHTS["agreement"] * f.agreement
        + WEIGHTS["self"] * SELF_CONFIDENCE
        + WEIGHTS["tool"]
    )
    score *= 1.0 if f.result_count else 0.5
    return score * {0: 0.7, 1: 0.9}.get(f.source_count, 1.0)


def search_score(f: HostFactors) -> float:
    """The second edition: a search step is as good as its best result."""
    if not f.result_count and not f.max_score:
        return 0.0
    if f.max_score >= 0.6:
        return f.max_score
    mixed = 0.7 * f.max_score + 0.3 * f.avg_score
    return max(0.0, mixed - min(0.15, 0.3 * f.score_variance))


def decide(result: Any, action: str, score: Any) -> str:
    """What the host does: silent, notify, confirm or escalate. A failed step is worth nothing."""
    value = round(score(read_factors(result, action)), 3) if result.success else 0.0
    return next((level for level, least in THRESHOLDS if value >= least), "escalate")


def _agreement(texts: Sequence[str]) -> float:
    words = [set(text.lower().split()) for text in texts]
    pairs = [(a, b) for n, a in enumerate(words) for b in words[n + 1 :]]
    return sum(len(a & b) / len(a | b) for a, b in pairs) / len(pairs)
