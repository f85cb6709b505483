"""What is kept of a run, and which tools its database allows."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.assistant.actions import Thresholds, assess
from kensaku.assistant.answer import Cited, CitedAnswer, Step, Usage
from kensaku.assistant.events import Planned, TextDelta, ToolEnded, ToolStarted
from kensaku.assistant.record import record_of
from kensaku.assistant.registrations import registered_tiers
from kensaku.compat.chat_server import approval, database
from kensaku.compat.chat_server.rows import SEARCH_WEB
from kensaku.models import Attempt, Outcome


def test_a_run_is_kept_whole_but_for_its_text_in_parts() -> None:
    """What the person is told besides, who was asked, what was planned and which tools ran."""
    assessment = assess((), Thresholds())
    attempt = Attempt("tavily", Outcome.FOUND, elapsed_ms=5.0, hits=1)
    planned = Planned(("How?",), "rule")
    ended = ToolEnded("1", "web_search", {"query": "How?"}, "found", 1, ("tavily",))
    answer = CitedAnswer(
        "How?", "So. [1]", (Cited(1, "https://a.example/", "A", "So.", "collection", "2024"),),
        Outcome.FOUND, assessment, (Step("web_search", {"query": "How?"}, "found", 5.0),), "small",
        Usage(1, 2, 3, 4, 0.5), 9.0, "Perhaps.", "", ("a", "b"), (attempt,),
    )  # fmt: skip
    events = [planned, ToolStarted("1", "web_search", {}), ended, TextDelta("So. [1]")]

    assert record_of(answer, events) == {
        "question": "How?",
        "answer": "So. [1]",
        "citations": [
            {
                "n": 1,
                "url": "https://a.example/",
                "title": "A",
                "passage": "So.",
                "origin": "collection",
            }
        ],
        "outcome": "found",
        "confidence": assessment.to_dict(),
        "steps": [
            {
                "tool": "web_search",
                "arguments": {"query": "How?"},
                "outcome": "found",
                "elapsed_ms": 5.0,
            }
        ],
        "written_by": "small",
        "usage": {"searches": 1, "fetches": 2, "model_calls": 3, "tokens": 4, "money": 0.5},
        "elapsed_ms": 9.0,
        "reason": "",
        "doubt": "Perhaps.",
        "notes": ["a", "b"],
        "attempts": [attempt.to_dict()],
        "events": [planned.to_dict(), ended.to_dict()],
    }


@pytest.mark.parametrize(
    ("types", "tiers"),
    [
        (None, {}),
        ([], {"web_search": "never"}),
        (["other"], {"web_search": "never"}),
        ([SEARCH_WEB.kind], {"web_search": "ask"}),
    ],
)
async def test_the_registrations_say_who_may_search(
    types: Any, tiers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database without such tables says nothing; a tool that is not active never runs."""
    asked: list[Any] = []

    def active_types(*given: Any) -> Any:
        asked.append(given)
        return types

    def tool_permission(*given: Any) -> str:
        asked.append(given)
        return "ask"

    monkeypatch.setattr(database, "active_types", active_types)
    monkeypatch.setattr(approval, "tool_permission", tool_permission)

    assert await registered_tiers("sqlite://", "ann") == tiers
    assert asked[0] == ("sqlite://", "assistant")
    allowed = types is not None and SEARCH_WEB.kind in types
    assert asked[1:] == ([("sqlite://", SEARCH_WEB.name, "ann")] if allowed else [])
