"""The report of a finished run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kensaku.answers.evidence import Reference
from kensaku.models import Attempt, Outcome

if TYPE_CHECKING:
    from kensaku.answers.report.state import State


@dataclass(frozen=True, slots=True)
class Report:
    """A cited report, what it rests on, and how it came about."""

    input: str = field(repr=False)
    text: str | None  # Markdown; None: nobody could search
    structured: Mapping[str, Any] | None  # in the form of `output_schema`; None without one
    sources: tuple[Reference, ...]  # what the report cites
    outcome: Outcome
    answered: tuple[str, ...] = ()  # questions of the plan
    missing: tuple[str, ...] = ()
    written_by: str = "extract"  # or the model's name
    confidence: float | None = None  # mean over the questions; one without an answer counts 0
    basis: Mapping[str, Any] = field(default_factory=dict)  # property → source and quote
    attempts: tuple[Attempt, ...] = ()
    steps: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    cost: float = 0.0  # US dollars, as far as prices are known
    elapsed_ms: float = 0.0

    @property
    def content(self) -> str | Mapping[str, Any] | None:
        """The values of the schema, if one was given, else the text."""
        return self.text if self.structured is None else self.structured

    def to_dict(self) -> dict[str, Any]:
        """The report, ready for JSON."""
        return {
            "input": self.input,
            "content": self.content,
            "text": self.text,
            "sources": [source.to_dict() for source in self.sources],
            "outcome": str(self.outcome),
            "answered": list(self.answered),
            "missing": list(self.missing),
            "written_by": self.written_by,
            "confidence": self.confidence,
            "basis": dict(self.basis),
            "attempts": [attempt.to_dict() for attempt in self.attempts],
            "steps": [dict(step) for step in self.steps],
            "notes": list(self.notes),
            "cost": self.cost,
            "elapsed_ms": self.elapsed_ms,
        }


def report_of(state: State) -> Report:
    """Return the report of a state whose last step is done."""
    result = state.results["write"]
    attempts = tuple(
        Attempt.from_dict(a) for _, found in state.all_searched() for a in found["attempts"]
    )
    return Report(
        input=state.request.input,
        text=result["text"],
        structured=result["structured"],
        sources=tuple(Reference.from_dict(s) for s in result["sources"]),
        outcome=Outcome(result["outcome"]),
        answered=tuple(result["answered"]),
        missing=tuple(result["missing"]),
        written_by=result["written_by"],
        confidence=result["confidence"],
        basis=result["basis"],
        attempts=attempts,
        steps=tuple(_steps(state)),
        notes=tuple(dict.fromkeys(_notes(state))),
        cost=sum(a.cost for a in attempts),
        elapsed_ms=round(1000 * (state.request.timeout - state.seconds_left), 1),
    )


def _steps(state: State) -> Iterator[dict[str, Any]]:
    searches = {search.name: search for search, _ in state.all_searched()}
    for name, result in state.results.items():
        step = {"step": name, "elapsed_ms": round(1000 * result["elapsed"], 1)}
        if (search := searches.get(name)) is not None:
            step |= {"query": search.query, "outcome": result["outcome"],
                     "hits": len(result["hits"])}  # fmt: skip
        if name.startswith("read"):
            step |= {"pages": [page["url"] for page in result["pages"]],
                     "failed": [failure["url"] for failure in result["failed"]]}  # fmt: skip
        yield step


def _notes(state: State) -> Iterator[str]:
    results = [result for _, result in state.all_searched()]
    failed = sum(r["outcome"] == Outcome.UNAVAILABLE for r in results)
    if failed and results:
        yield f"{failed} of {len(results)} searches could not be made"
    for result in state.results.values():
        yield from result["notes"]
