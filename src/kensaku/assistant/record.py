"""What is kept of a run that has ended, so that a channel can show it again. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kensaku.answers.cited import CitedAnswer
from kensaku.answers.events import Event, Planned, ToolEnded


def record_of(answer: CitedAnswer, events: Iterable[Event]) -> dict[str, Any]:
    """Return an answer and how it came about, ready for JSON.

    It is `CitedAnswer.to_dict` with what the person is told besides, and the events that say what
    was planned and which tools ran.
    """
    return answer.to_dict() | {
        "citations": [c.to_dict() | {"origin": c.origin} for c in answer.citations],
        "reason": answer.reason,
        "doubt": answer.doubt,
        "notes": list(answer.notes),
        "attempts": [attempt.to_dict() for attempt in answer.attempts],
        "events": [e.to_dict() for e in events if isinstance(e, Planned | ToolEnded)],
    }
