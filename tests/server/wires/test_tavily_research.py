"""Tavily's research: requests read, jobs told, and events as frames, to the letter."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from kensaku.answers import events
from kensaku.answers.evidence import Reference
from kensaku.answers.report.report import Report
from kensaku.jobs.job import Job
from kensaku.models import Outcome
from kensaku.server.wires._tavily_research import Frames, read_research, write_job
from kensaku.server.wires.base import Asked

SOURCE = Reference(1, "https://a.example/", "A", favicon="https://a.example/i.png")
OTHER = Reference(2, "https://b.example/", "B")
SHOWN = [
    {"url": "https://a.example/", "title": "A", "favicon": "https://a.example/i.png"},
    {"url": "https://b.example/", "title": "B", "favicon": ""},
]
FOUND = Outcome.FOUND


def report(structured: dict | None = None) -> Report:
    return Report("otters", "text", structured, (SOURCE,), FOUND)


def test_a_request_is_read():
    """What is not set has the value that the API documents."""
    usual = {"model": "auto", "citation_format": "numbered", "output_length": "standard",
             "include_domains": (), "exclude_domains": ()}  # fmt: skip
    asked = {"model": "pro", "citation_format": "apa", "output_length": "long",
             "include_domains": ("a.example",), "exclude_domains": ("b.example", "c.example"),
             "files": [{"name": "a"}], "output_schema": {"type": "object"}}  # fmt: skip
    sent = asked | {"include_domains": ["a.example"], "exclude_domains": "b.example,c.example"}
    empty = {"model": "", "stream": None, "files": [], "output_schema": {}}

    for body, options in (({}, usual), (empty, usual), (sent, asked)):
        call = read_research(Asked(body={"input": " otters ", **body}))
        assert (call.input, call.options, call.stream) == (" otters ", options, False)


CREATED = datetime(2026, 11, 16, 1, 2, 3, tzinfo=UTC)
FAILED = {"status": "failed", "created_at": "2026-11-16T01:02:03Z"}


@pytest.mark.parametrize(
    ("status", "more", "code", "told"),
    [
        ("queued", {}, 202, {"status": "pending"}),
        ("running", {}, 202, {"status": "in_progress"}),
        ("failed", {"error": "broken"}, 200, FAILED | {"error": "broken"}),
        ("cancelled", {}, 200, FAILED | {"error": "it was cancelled"}),
        ("done", {"result": {"outcome": "unavailable", "notes": ["no", "none"]}}, 200, FAILED | {"error": "no; none"}),
        ("done", {"result": {"content": None, "sources": []}}, 200, FAILED | {"status": "completed", "content": "", "sources": []}),
    ],
)  # fmt: skip
def test_a_job_is_told(status, more, code, told):
    """Pending and in progress are 202, so that clients poll; a failure says why."""
    job = Job("j", "research", status, created=CREATED, **more)

    assert write_job(job, 0.12345) == (code, {"request_id": "j", "response_time": 0.123} | told)


def test_a_job_without_a_time_is_told_with_the_time_now():
    """Some clients read the member without asking for it."""
    _, told = write_job(Job("j", "research", "failed"), 0.1)

    assert datetime.fromisoformat(told["created_at"]).tzinfo is not None


def call(name: str, id: str, arguments: str, **more: object) -> dict:
    one = {"name": name, "id": id, "arguments": arguments, **more}
    return {"role": "assistant", "tool_calls": {"type": "tool_call", "tool_call": [one]}}


def response(name: str, id: str, arguments: str, sources: list | None = None) -> dict:
    one = {"name": name, "id": id, "arguments": arguments, "sources": sources or []}
    return {"tool_calls": {"type": "tool_response", "tool_response": [one]}}


@pytest.mark.parametrize(
    ("event", "deltas"),
    [
        (
            events.Planned(("a", "b"), "rule", "mini"),
            [call("Planning", "fc_plan", "planning"), response("Planning", "fc_plan", "a\nb")],
        ),
        (events.SubtopicStarted("s1", "a"), [call("ResearchSubtopic", "fc_s1", "a")]),
        (
            events.SearchStarted("n1", "otters", "s1"),
            [call("WebSearch", "fc_n1", "searching for otters", queries=["otters"], parent_tool_call_id="fc_s1")],
        ),
        (
            events.SearchEnded("n1", "otters", FOUND, (SOURCE, OTHER)),
            [response("WebSearch", "fc_n1", "2 sources (found)", SHOWN)],
        ),
        (events.TextDelta("カワウソ\n"), [{"role": "assistant", "content": "カワウソ\n"}]),
        (
            events.SourcesFound((SOURCE, OTHER)),
            [response("Generating", "fc_write", "the report is written"), {"role": "assistant", "sources": SHOWN}],
        ),
        (events.Completed(report({"a": 1})), [{"role": "assistant", "content": {"a": 1}}]),
        (events.Reading(("https://a.example/",)), []),
    ],
)  # fmt: skip
def test_an_event_is_written_as_chunks(event, deltas):
    """Each in a frame of its own; clients do not join halves."""
    frames = list(Frames("r", "mini", 7).of(event))

    head = {"id": "r", "object": "chat.completion.chunk", "model": "mini", "created": 7}
    assert [json.loads(frame.removeprefix(b"data: ")) for frame in frames] == [
        head | {"choices": [{"delta": delta}]} for delta in deltas
    ]
    assert all(frame.endswith(b"\n\n") and frame.count(b"\n") == 2 for frame in frames)


def test_a_failure_and_half_a_character_are_written_as_they_can_be():
    """The bytes of a frame: no blanks, and UTF-8."""
    frames = Frames("r", "mini", 7)

    failed = list(frames.of(events.Failed("nobody could search", report())))
    (text,) = frames.of(events.TextDelta("é\ud800"))

    assert failed == [b'data: {"id":"r","object":"error","error":"nobody could search"}\n\n']
    assert text.endswith('{"role":"assistant","content":"é?"}}]}\n\n'.encode())
