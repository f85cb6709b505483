"""What a message shows while a run goes on: exact texts and buttons."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kensaku.assistant.approval import Question
from kensaku.assistant.channels._message import Button, Content
from kensaku.assistant.channels._status import Status
from kensaku.assistant.channels._words import words_in
from kensaku.assistant.events import (
    ApprovalNeeded,
    Planned,
    QuestionAsked,
    TextDelta,
    ToolEnded,
    ToolStarted,
)
from kensaku.assistant.exchange import Exchange
from kensaku.database.conversations import Sender
from kensaku.database.runs import StoredRun

STOP = (Button("Stop", "cancel:r1:"),)
HELP = Question(
    "help", "Which otters?", choices=("modify", "retry", "skip", "cancel"), options=("sea", "river")
)
APPROVE = Question(
    "approve", "May web_search run?", choices=("proceed", "cancel"), tool="web_search",
    arguments={"query": "otters", "number": 2},
)  # fmt: skip
CONFIRM = Question("confirm", "Shall it be given?", reason="x" * 1_501)


async def forget(_: Any) -> None:
    """Remember nothing."""


@pytest.fixture
async def exchange() -> Exchange:
    """A run that nobody runs."""
    return Exchange(StoredRun("r1", Sender("test", "ann", "t1"), "c1", "How?", {}), forget)


def call(number: int) -> ToolStarted:
    """A search that has begun."""
    return ToolStarted(f"call-{number}", "web_search", {"query": f"otters {number}"})


def test_the_last_six_calls_are_shown_each_in_one_line(exchange: Exchange) -> None:
    """A call that has ended replaces its beginning; what is no call changes nothing."""
    status = Status(exchange, words_in("en"))
    assert status.content() == Content("Searching …", {}, STOP)
    assert [status.add(e) for e in (Planned(("q",), "rule"), TextDelta("x"))] == [False, False]
    assert all(status.add(call(number)) for number in range(1, 8))
    assert status.add(ToolEnded("call-3", "web_search", {"query": "otters 3"}, "empty"))

    assert status.content() == Content(
        'Searching …\n• web_search: "otters 2" …\n• web_search: "otters 3" · empty · 0 ms\n'
        '• web_search: "otters 4" …\n• web_search: "otters 5" …\n• web_search: "otters 6" …\n'
        '• web_search: "otters 7" …',
        {},
        STOP,
    )


@pytest.mark.parametrize(
    ("event", "text", "buttons"),
    [
        (
            QuestionAsked(HELP),
            "**Which otters?**\n1. sea\n2. river\n"
            "Or reply with other words, or the address of a page.\n"
            '• web_search: "otters 1" …',
            (("Again", "retry"), ("Skip", "skip"), ("Cancel", "cancel")),
        ),
        (
            ApprovalNeeded(APPROVE),
            '**May web_search run?**\notters 2\n• web_search: "otters 1" …',
            (("Yes", "proceed"), ("Cancel", "cancel")),
        ),
        (
            QuestionAsked(CONFIRM),
            f'**Shall it be given?**\n{"x" * 1_500}\n• web_search: "otters 1" …',
            (("Yes", "proceed"), ("Cancel", "cancel")),
        ),
    ],
)
async def test_a_question_stands_first_with_its_buttons(
    event: ApprovalNeeded | QuestionAsked, text: str, buttons: Any, exchange: Exchange
) -> None:
    """While the run waits for it; other words have no button."""
    status, question = Status(exchange, words_in("en")), event.question
    assert status.add(call(1))
    assert status.add(event)
    assert status.content().buttons == STOP  # nobody waits for it
    asking = asyncio.ensure_future(exchange.ask(question))
    await asyncio.sleep(0)

    shown = tuple(Button(label, f"{action}:r1:{question.id}") for label, action in buttons)
    assert status.content() == Content(text, {}, shown)
    exchange.reply("cancel", question.id)
    await asking
    assert status.content().buttons == STOP
