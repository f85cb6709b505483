"""A finished run, written by hand: what its events, its report and its bundle are made of."""

from __future__ import annotations

from typing import Any

from kensaku.answers.report.request import ResearchRequest
from kensaku.models import Attempt, Hit, Outcome
from kensaku.research import State

SLEEP, FOOD, WHO = "How do otters sleep?", "What do otters eat?", "Who painted it?"
A, B, C = "https://a.example/sleep", "https://b.example/food", "https://c.example/more"
PASSAGE = {"url": A, "title": "Sleep", "text": "Otters hold hands.", "start": 0, "end": 18,
           "heading": ""}  # fmt: skip
PAGE = {"url": A, "title": "Sleep", "published": "2024-03-02", "author": "Ann", "favicon": "f",
        "headings": ["Kelp"], "passages": [PASSAGE]}  # fmt: skip
ATTEMPT = Attempt("tavily", Outcome.FOUND, elapsed_ms=12.0, cost=0.25, hits=1).to_dict()
SOURCE = {"n": 1, "url": A, "title": "Sleep", "published": "2024-03-02", "author": "Ann",
          "favicon": "f", "passages": [{"start": 0, "end": 18, "text": "Otters hold hands."}]}  # fmt: skip


def plan(*questions: str, effort: str = "mini", rounds: int = 2) -> dict[str, Any]:
    """A plan whose questions have a query for each round."""
    listed = [{"text": q, "queries": [q, f"{q} 2", f"{q} 3"][:rounds]} for q in questions]
    return {"effort": effort, "questions": listed, "by": "rule", "notes": [], "elapsed": 0.5}


def found(*hits: Hit, outcome: str = "found", elapsed: float = 1.0, **more: Any) -> dict[str, Any]:
    """The result of a search."""
    return {
        "outcome": outcome,
        "hits": [hit.to_dict() for hit in hits],
        "stored": {},
        "attempts": [ATTEMPT],
        "confidence": 0.8,
        "notes": [],
        "elapsed": elapsed,
        **more,
    }


def read(*pages: dict[str, Any], failed: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """The result of reading pages."""
    listed = [{"url": url, "error": {}} for url in failed]
    return {"pages": list(pages), "failed": listed, "notes": [], "elapsed": 2.0, **more}


def weighed(*missing: int, **more: Any) -> dict[str, Any]:
    """The result of looking for answers."""
    return {"missing": list(missing), "open": list(missing), "notes": [], "elapsed": 0.25, **more}


WRITTEN: dict[str, Any] = {
    "outcome": "found",
    "text": "## Sleep\n\nOtters hold hands. [1]\n\nThey sleep.",
    "structured": None,
    "basis": {},
    "sources": [SOURCE],
    "written_by": "extract",
    "said": None,
    "answered": [SLEEP],
    "missing": [FOOD],
    "confidence": 0.4,
    "notes": ["a note", "a note"],
    "elapsed": 0.125,
}


def state(results: dict[str, Any], **options: Any) -> State:
    """A run with these results."""
    return State(ResearchRequest("otters", **options), results)


def finished(effort: str = "pro", **options: Any) -> State:
    """Two questions, of which the second has no answer after two rounds of three."""
    results = {
        "plan": plan(SLEEP, FOOD, effort=effort),
        "search-1-2": found(outcome="unavailable", elapsed=3.0),
        "search-1-1": found(Hit(A, "Sleep", "Hands", provider="tavily", favicon="f")),
        "read-1": read(PAGE, failed=(C,)),
        "weigh-1": weighed(1),
        "search-2-2": found(outcome="empty", elapsed=0.5),
        "read-2": read(notes=["read nothing"]),
        "weigh-2": weighed(1),
        "write": WRITTEN,
    }
    return state(results, **options)
