"""What happens during a run, as values that every channel renders.

    Planned → (QuestionAsked → Planned?)* → (ToolStarted → ToolEnded | ApprovalNeeded)*
            → QuestionAsked* → TextDelta* → Answered | Failed

`to_dict` is JSON; `type` is the name of the class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kensaku.assistant.answer import CitedAnswer
from kensaku.assistant.approval import Question
from kensaku.research.events import Event, TextDelta

__all__ = [
    "Answered",
    "ApprovalNeeded",
    "Event",
    "Failed",
    "Planned",
    "QuestionAsked",
    "TextDelta",
    "ToolEnded",
    "ToolStarted",
]


@dataclass(frozen=True, slots=True)
class Planned(Event):
    """What is to be found out. Only what the person says changes it afterwards."""

    questions: tuple[str, ...]
    by: str  # "rule", or the model's name


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


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """There is no answer. `message` says why; the steps are in `answer`."""

    message: str
    answer: CitedAnswer
