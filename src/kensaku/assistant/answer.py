"""The answer of a run: its text, what each mark rests on, and how it came about. Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from kensaku.assistant.actions import Assessment
from kensaku.models import Attempt, Outcome

Origin = Literal["collection", "web", "page"]  # page: a page that was read whole


@dataclass(frozen=True, slots=True)
class Cited:
    """A source that the answer cites as `[n]`, and the passage that it rests on."""

    n: int
    url: str
    title: str
    passage: str = field(repr=False)
    origin: Origin = "web"
    published: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The citation, ready for JSON."""
        return {"n": self.n, "url": self.url, "title": self.title, "passage": self.passage}


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool. `outcome` is one of a search, or `refused`."""

    tool: str
    arguments: Mapping[str, Any] = field(hash=False)
    outcome: str
    elapsed_ms: float

    def to_dict(self) -> dict[str, Any]:
        """The step, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run has spent. Tokens are estimated."""

    searches: int = 0
    fetches: int = 0
    model_calls: int = 0
    tokens: int = 0
    money: float = 0.0  # US dollars for searches, as far as prices are known


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """What a run came to. `text` is None when nothing answers; `reason` then says why."""

    question: str
    text: str | None
    citations: tuple[Cited, ...]
    outcome: Outcome
    confidence: Assessment
    steps: tuple[Step, ...] = ()
    written_by: str = "extract"  # or the model's name
    usage: Usage = Usage()
    elapsed_ms: float = 0.0
    doubt: str = ""  # what the person is told when the score is not high enough for silence
    reason: str = ""
    notes: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The form that `kensaku ask --json` prints."""
        return {
            "question": self.question,
            "answer": self.text,
            "citations": [c.to_dict() for c in self.citations],
            "outcome": str(self.outcome),
            "confidence": self.confidence.to_dict(),
            "steps": [s.to_dict() for s in self.steps],
            "written_by": self.written_by,
            "usage": asdict(self.usage),
            "elapsed_ms": self.elapsed_ms,
        }
