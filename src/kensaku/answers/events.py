"""What happens during a run, as values that every channel and wire renders.

    ask       Planned → (QuestionAsked → Planned?)* → (ToolStarted → ToolEnded | ApprovalNeeded)*
              → QuestionAsked* → TextDelta* → Answered | Failed
    research  Planned → (SubtopicStarted → SearchStarted → SearchEnded)* → Reading → PagesRead
              → Weighed → … → Writing → TextDelta* → SourcesFound → Completed | Failed

`to_dict` is JSON; `type` is the name of the class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from kensaku.models import Attempt, Outcome

if TYPE_CHECKING:
    from kensaku.answers.cited import Cited, CitedAnswer
    from kensaku.answers.evidence import Reference
    from kensaku.answers.person import Question
    from kensaku.answers.report.report import Report


def _one_caller() -> Any:
    """A field that one of the callers has and the other leaves out."""
    return field(default=None, metadata={"optional": True})


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    def to_dict(self) -> dict[str, Any]:
        """The event, ready for JSON; `type` is the name of its class."""
        values = ((f, getattr(self, f.name)) for f in fields(self))
        shown = {f.name: _plain(v) for f, v in values if v or not f.metadata}
        return {"type": type(self).__name__, **shown}


@dataclass(frozen=True, slots=True)
class Planned(Event):
    """What is to be found out. Only what the person says changes it afterwards."""

    questions: tuple[str, ...]
    by: str  # "rule", or the model's name
    effort: str = _one_caller()  # of research: "mini" or "pro"


@dataclass(frozen=True, slots=True)
class TextDelta(Event):
    """A part of the text. All parts joined are the answer or the report."""

    text: str
    # The sources that this part is the first to cite, for who shows them beside it.
    cited: tuple[Cited, ...] = field(default=(), compare=False, metadata={"optional": True})


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """There is nothing to show, and `message` says why; the rest is in `answer` or `report`."""

    message: str
    answer: CitedAnswer = _one_caller()
    report: Report = _one_caller()

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Who was asked, and why each could not search."""
        return (self.answer or self.report).attempts


# --- ask


@dataclass(frozen=True, slots=True)
class ToolStarted(Event):
    """A tool was called."""

    id: str
    tool: str
    arguments: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class ToolEnded(Event):
    """A call has ended: `found`, `empty`, `unavailable`, or `refused` by the person."""

    id: str
    tool: str
    arguments: Mapping[str, Any] = field(hash=False)
    outcome: str
    hits: int = 0
    providers: tuple[str, ...] = ()  # who answered
    elapsed_ms: float = 0.0
    repeated: bool = False  # the earlier result was used again
    notes: tuple[str, ...] = ()
    found: tuple[tuple[str, str], ...] = ()  # title and address of each hit or page


@dataclass(frozen=True, slots=True)
class ApprovalNeeded(Event):
    """A tool waits for the person's consent."""

    question: Question


@dataclass(frozen=True, slots=True)
class QuestionAsked(Event):
    """The run waits for the person: to confirm, or to help."""

    question: Question


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """The answer is there."""

    answer: CitedAnswer


# --- research


@dataclass(frozen=True, slots=True)
class SubtopicStarted(Event):
    """A question of a large run is being looked into."""

    id: str
    question: str


@dataclass(frozen=True, slots=True)
class SubtopicEnded(Event):
    """A question of a large run was answered, or given up."""

    id: str
    question: str
    answered: bool


@dataclass(frozen=True, slots=True)
class SearchStarted(Event):
    """A search is being made."""

    id: str
    query: str
    parent: str | None = None  # the id of its subtopic


@dataclass(frozen=True, slots=True)
class SearchEnded(Event):
    """A search has ended. `unavailable`: nobody could search, and `attempts` say why."""

    id: str
    query: str
    outcome: Outcome
    sources: tuple[Reference, ...]  # its hits, without passages
    attempts: tuple[Attempt, ...] = ()
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Reading(Event):
    """Pages are being read."""

    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PagesRead(Event):
    """Pages were read."""

    urls: tuple[str, ...]
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighed(Event):
    """It is known which questions have no answer yet."""

    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Writing(Event):
    """The report is being written."""


@dataclass(frozen=True, slots=True)
class SourcesFound(Event):
    """The sources that the report cites."""

    sources: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Completed(Event):
    """The report is there. Its outcome may be `empty`."""

    report: Report


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Outcome):
        return str(value)
    return value.to_dict() if hasattr(value, "to_dict") else value
