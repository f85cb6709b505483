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


IMAGE = {"type": "image", "source": {"type": "url", "value": "https://a.example/o.png"}}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("messages", "question", "earlier"),
    [
        ([user("a")], "a", []),
        ([user("a"), {"role": "assistant", "content": "b"}, user("c")], "c", ["a"]),
        ([user(str(n)) for n in range(8)], "7", ["2", "3", "4", "5", "6"]),
        ([user("a"), user([text_part("b"), text_part("c")])], "b\nc", ["a"]),
        ([user("a"), user(""), user("c")], "c", ["a"]),
        ([user("a"), {"role": "assistant", "content": "b"}], "a", []),
    ],
)
def test_the_last_message_of_the_person_is_the_question(messages, question, earlier):
    """Up to five before it may say what it is about."""
    asked = agui.read_input(body(*messages))

    assert (agui.question_of(asked), agui.earlier_of(asked)) == (question, earlier)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"role": "assistant", "content": "a"}, "messages must have one of the role 'user'"),
        (
            user([text_part("a"), IMAGE]),
            "the content of a message must be text, or parts of the type 'text'",
        ),
    ],
)
def test_a_run_needs_a_question_in_words(message, why):
    """What is not text cannot be searched for."""
    with pytest.raises(InvalidQuery, match=f"^{why}$"):
        agui.question_of(agui.read_input(body(message)))


ID = "must have 1 to 200 characters"


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (body(threadId=""), f"threadId {ID}"),
        (body(threadId="x" * 201), f"threadId {ID}"),
        (body(runId=""), f"runId {ID}"),
        (body(runId="x" * 201), f"runId {ID}"),
        (body(*[user("a")] * 1_001), "messages has over 1,000 entries"),
        (body(messages=5), "messages: input should be a valid array"),
        (body(messages=[{"id": "0", "role": "user", "content": [{"type": "text", "text": 5}]}]), "messages.0.user: "),
        (b"[", "the body: invalid json"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_in_a_sentence(raw, why):
    """Where it is wrong, and what is taken."""
    with pytest.raises(InvalidQuery) as refused:
        agui.read_input(raw)

    assert str(refused.value).startswith(why)


def test_the_bounds_themselves_are_taken():
    """A thousand messages, and ids of 200 characters."""
    raw = body(*[user("a")] * 1_000, threadId="t" * 200, runId="r" * 200)

    assert len(agui.read_input(raw).messages) == 1_000


CHOICES = ("proceed", "modify", "cancel", "skip")
QUESTION = Question("approve", "May it run?", "why", choices=CHOICES, tool="web_search",
                    arguments={"query": "otters"})  # fmt: skip


@pytest.mark.parametrize(
    ("status", "payload", "reply"),
    [
        ("resolved", True, Reply("proceed")),
        ("resolved", False, Reply("cancel")),
        ("resolved", {"approved": True}, Reply("proceed")),
        ("resolved", {"approved": False}, Reply("cancel")),
        ("cancelled", None, Reply("cancel")),
        ("cancelled", True, Reply("cancel")),
        ("resolved", "yes", Reply("proceed")),
        ("resolved", "kelp", Reply("modify", "kelp")),
        ("resolved", {"action": "modify", "text": "kelp"}, Reply("modify", "kelp")),
        ("resolved", {"action": "skip", "text": None}, Reply("skip")),
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


def message(n: int, *deltas: str, end: bool = True) -> list[dict[str, Any]]:
    id = f"x-text-{n}"
    parts = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": d} for d in deltas]
    start = {"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}
    return [start, *parts, *([{"type": "TEXT_MESSAGE_END", "messageId": id}] if end else [])]


def called(arguments: str) -> list[dict[str, Any]]:
    call = {"toolCallId": "x-c1"}
    return [
        {"type": "TOOL_CALL_START", **call, "toolCallName": "web_search"},
        {"type": "TOOL_CALL_ARGS", **call, "delta": arguments},
        {"type": "TOOL_CALL_END", **call},
    ]


def finished(kind: str, **more: Any) -> dict[str, Any]:
    outcome = {"type": kind, **more.pop("outcome", {})}
    return {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome, **more}


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
CALL = called('{"query": "カワウソ"}')
REPLY = '\n\n[1]: <https://a.example/> "A"'


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
        *message(1, "They ", "swim [1].", REPLY),
        finished("success", result=ANSWER.to_dict()),
    ]


def test_a_result_has_its_call_before_it():
    """One that was refused never began; one before a restart was written then."""
    assert written(ENDED) == [*CALL, RESULT]
    assert written(ENDED, skipped=STARTED) == [RESULT]
    assert written(ENDED, ENDED) == [*CALL, RESULT, RESULT]


def test_a_second_text_is_a_message_of_its_own():
    """Messages are told apart by their ids."""
    frames = [events.TextDelta("a"), events.Failed("b", ANSWER), events.TextDelta("c")]

    assert written(*frames) == [
        *message(1, "a", "b"),
        finished("success", result=ANSWER.to_dict()),
        *message(2, "c", end=False),
    ]


@pytest.mark.parametrize(
    ("said", "answer", "shown"),
    [
        ("The run was cancelled.", ANSWER, [finished("cancelled")]),
        ("実行は取り消されました。", replace(ANSWER, question="カワウソとは？"), [finished("cancelled")]),
        ("Nobody.", replace(NOBODY, steps=(STEP,)), [{"type": "RUN_ERROR", "message": "Nobody.", "code": "unavailable"}]),
        ("Nobody.", NOBODY, [*message(1, "Nobody."), finished("success", result=NOBODY.to_dict())]),
        ("None.", replace(ANSWER, steps=(STEP,)), [*message(1, "None."), finished("success", result=replace(ANSWER, steps=(STEP,)).to_dict())]),
    ],
)  # fmt: skip
def test_a_failure_is_an_error_only_if_nobody_could_search(said, answer, shown):
    """That nothing answers is an answer; a run that was stopped is cancelled."""
    assert written(events.Failed(said, answer)) == shown


@pytest.mark.parametrize(
    ("kind", "event", "text"),
    [
        ("approve", events.ApprovalNeeded, "May it run?\n\nweb_search: otters"),
        ("confirm", events.QuestionAsked, "May it run?\n\nwhy"),
        ("help", events.QuestionAsked, "May it run?"),
    ],
)
def test_a_question_is_an_interrupt(kind, event, text):
    """With the form of its answer, and the reason where the person decides about an answer."""
    question = replace(QUESTION, kind=kind)
    (sent,) = written(event(question))

    assert (sent["type"], sent["outcome"]["type"]) == ("RUN_FINISHED", "interrupt")
    (interrupt,) = sent["outcome"]["interrupts"]
    assert (interrupt["id"], interrupt["reason"]) == (question.id, f"kensaku.{kind}")
    assert interrupt["message"] == text
    assert interrupt["metadata"] == {"question": question.to_dict()}
    schema = interrupt["responseSchema"]
    assert (schema["required"], schema["properties"]["action"]["enum"]) == (["action"], [*CHOICES])


def test_an_event_is_a_frame_of_the_stream():
    """Without blanks and members that are not set; half a character is replaced."""
    frames = agui.Frames("x")

    assert agui.encode_event(frames.failed("é\ud800", "broken")) == (
        'data: {"type":"RUN_ERROR","message":"é?","code":"broken"}\n\n'.encode()
    )


def test_the_same_request_is_known_by_person_thread_and_run():
    """A client may send one twice."""
    asked = agui.read_input(body(user("a")))
    others = [agui.read_input(body(user("b"), **{name: "y"})) for name in ("threadId", "runId")]

    known = agui.update_of("ada", asked)

    assert known == agui.update_of("ada", agui.read_input(body(user("b"))))
    assert (
        len({known, agui.update_of("bob", asked), *(agui.update_of("ada", o) for o in others)}) == 4
    )
    assert len(known) == 64
