"""AG-UI: requests read, and the events of a run in the protocol, to the letter."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from ag_ui.core import PROTOCOL_VERSION, ResumeEntry

from kensaku.answers import events
from kensaku.answers.cited import AnswerFactors, Assessment, Cited, CitedAnswer, Step
from kensaku.answers.person import Question, Reply
from kensaku.errors import InvalidQuery
from kensaku.models import Outcome
from kensaku.server.wires import _agui_frames as agui

ANSWER = CitedAnswer(
    "otters?",
    "They swim [1].",
    (Cited(1, "https://a.example/", "A", "Otters swim."),),
    Outcome.FOUND,
    Assessment(0.9, "high", "silent", AnswerFactors(1, 1, 0.9, 1)),
)
STEP = Step("web_search", {"query": "otters"}, "unavailable", 1.0)
NOBODY = replace(ANSWER, text=None, citations=(), outcome=Outcome.UNAVAILABLE)


def body(*messages: dict[str, Any], **more: Any) -> bytes:
    listed = [{"id": str(n), **m} for n, m in enumerate(messages)]
    whole = {"threadId": "t", "runId": "r", "messages": listed, "state": {}, "tools": []}
    return json.dumps({**whole, "context": [], "forwardedProps": {}, **more}).encode()


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("messages", "question", "earlier"),
    [
        ([user(str(n)) for n in range(8)], "7", ["2", "3", "4", "5", "6"]),
        ([user("a"), user([text_part("b"), text_part("c")])], "b\nc", ["a"]),
        ([user("a"), user(""), user("c"), {"role": "assistant", "content": "d"}], "c", ["a"]),
    ],
)
def test_the_last_message_of_the_person_is_the_question(messages, question, earlier):
    """Up to five before it may say what it is about."""
    asked = agui.read_input(body(*messages))

    assert (agui.question_of(asked), agui.earlier_of(asked)) == (question, earlier)


CHOICES = ("proceed", "modify", "cancel", "skip")
QUESTION = Question("approve", "May it run?", "why", choices=CHOICES, tool="web_search",
                    arguments={"query": "otters"})  # fmt: skip


@pytest.mark.parametrize(
    ("status", "payload", "reply"),
    [
        ("resolved", True, Reply("proceed")),
        ("resolved", False, Reply("cancel")),
        ("resolved", {"approved": False}, Reply("cancel")),
        ("cancelled", True, Reply("cancel")),
        ("resolved", "yes", Reply("proceed")),
        ("resolved", "kelp", Reply("modify", "kelp")),
        ("resolved", {"action": "modify", "text": "kelp"}, Reply("modify", "kelp")),
    ],
)
def test_an_interrupt_is_answered_with_an_action_words_or_yes_and_no(status, payload, reply):
    """Clients have a button, a field, or a list of actions."""
    entry = ResumeEntry(interrupt_id="i", status=status, payload=payload)

    assert agui.read_resume(entry, QUESTION) == reply


@pytest.mark.parametrize("payload", [None, {}, {"action": "retry"}, [1]])
def test_an_action_that_is_no_choice_is_refused(payload):
    """Nothing is done on a guess."""
    entry = ResumeEntry(interrupt_id="i", status="resolved", payload=payload)

    with pytest.raises(InvalidQuery, match=r"must be one of proceed, modify, cancel, skip$"):
        agui.read_resume(entry, QUESTION)


def written(*happened: events.Event, skipped: events.Event | None = None) -> list[dict[str, Any]]:
    """The events in the protocol, without their times."""
    frames = agui.Frames("x")
    sent = [frames.begin(agui.read_input(body(user("otters?"))))]
    if skipped:
        frames.skip(skipped)
    sent += [event for one in happened for event in frames.of(one)]
    begun, *rest = [event.model_dump(by_alias=True, exclude_none=True) for event in sent]
    assert begun == {
        "type": "RUN_STARTED",
        "threadId": "t",
        "runId": "r",
        "protocolVersion": PROTOCOL_VERSION,
    }
    return rest


STARTED = events.ToolStarted("c1", "web_search", {"query": "カワウソ"})
ENDED = events.ToolEnded(
    "c1", "web_search", {"query": "カワウソ"}, "found", 3, ("brave",), 12.5, True, ("n",)
)
RESULT = {
    "type": "TOOL_CALL_RESULT",
    "messageId": "x-c1-result",
    "toolCallId": "x-c1",
    "content": '{"outcome": "found", "hits": 3, "providers": ["brave"], "elapsed_ms": 12.5, '
    '"repeated": true, "notes": ["n"]}',
    "role": "tool",
}
CALL = [
    {"type": "TOOL_CALL_START", "toolCallId": "x-c1", "toolCallName": "web_search"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "x-c1", "delta": '{"query": "カワウソ"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "x-c1"},
]
TEXT = {"messageId": "x-text-1"}
FINISHED = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def test_a_run_is_written_from_its_plan_to_its_answer():
    """A tool's call and result, the text, the sources, the answer as a value."""
    plan = {"questions": ["otters?"], "by": "rule"}

    assert written(
        events.Planned(("otters?",), "rule"),
        STARTED,
        ENDED,
        events.TextDelta("They "),
        events.TextDelta("swim [1]."),
        events.Answered(ANSWER),
    ) == [
        {"type": "CUSTOM", "name": "kensaku.planned", "value": plan},
        *CALL,
        RESULT,
        {"type": "TEXT_MESSAGE_START", **TEXT, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", **TEXT, "delta": "They "},
        {"type": "TEXT_MESSAGE_CONTENT", **TEXT, "delta": "swim [1]."},
        {"type": "TEXT_MESSAGE_CONTENT", **TEXT, "delta": '\n\n[1]: <https://a.example/> "A"'},
        {"type": "TEXT_MESSAGE_END", **TEXT},
        {**FINISHED, "outcome": {"type": "success"}, "result": ANSWER.to_dict()},
    ]


def test_a_result_has_its_call_before_it():
    """One that was refused never began; one before a restart was written then."""
    assert written(ENDED) == [*CALL, RESULT]
    assert written(ENDED, skipped=STARTED) == [RESULT]
    assert written(ENDED, ENDED) == [*CALL, RESULT, RESULT]


CANCELLED = {**FINISHED, "outcome": {"type": "cancelled"}}


@pytest.mark.parametrize(
    ("said", "answer", "last"),
    [
        ("The run was cancelled.", ANSWER, CANCELLED),
        ("実行は取り消されました。", replace(ANSWER, question="カワウソとは？"), CANCELLED),
        ("Nobody.", replace(NOBODY, steps=(STEP,)),
         {"type": "RUN_ERROR", "message": "Nobody.", "code": "unavailable"}),
        ("Nobody.", NOBODY,
         {**FINISHED, "outcome": {"type": "success"}, "result": NOBODY.to_dict()}),
    ],
)  # fmt: skip
def test_a_failure_is_an_error_only_if_nobody_could_search(said, answer, last):
    """That nothing answers is an answer; a run that was stopped is cancelled."""
    assert written(events.Failed(said, answer))[-1] == last


def test_a_doubt_is_shown_with_the_answer_that_it_is_about():
    """The person decides about it: as the reason, which other questions keep to themselves."""
    for kind, text in (("confirm", "May it run?\n\nwhy"), ("help", "May it run?")):
        (sent,) = written(events.QuestionAsked(replace(QUESTION, kind=kind)))

        (interrupt,) = sent["outcome"]["interrupts"]
        assert interrupt["message"] == text
        assert interrupt["metadata"] == {"question": replace(QUESTION, kind=kind).to_dict()}


def test_an_event_is_a_frame_of_the_stream():
    """Without blanks and members that are not set; half a character is replaced."""
    frames = agui.Frames("x")

    assert agui.encode_event(frames.failed("é\ud800", "broken")) == (
        'data: {"type":"RUN_ERROR","message":"é?","code":"broken"}\n\n'.encode()
    )
