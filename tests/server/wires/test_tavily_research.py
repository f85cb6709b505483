"""Tavily's research: requests read, jobs told, and events as frames, to the letter."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from kensaku.answers import events
from kensaku.answers.evidence import Reference
from kensaku.answers.report.report import Report
from kensaku.errors import InvalidQuery
from kensaku.jobs.job import Job
from kensaku.models import Outcome
from kensaku.server.wires._tavily_research import Frames, read_research, write_created, write_job
from kensaku.server.wires.base import Asked, Exchange

SOURCE = Reference(1, "https://a.example/", "A", favicon="https://a.example/i.png")
OTHER = Reference(2, "https://b.example/", "B")
SHOWN = [
    {"url": "https://a.example/", "title": "A", "favicon": "https://a.example/i.png"},
    {"url": "https://b.example/", "title": "B", "favicon": ""},
]
FOUND = Outcome.FOUND
PLAIN = {
    "model": "auto",
    "citation_format": "numbered",
    "output_length": "standard",
    "include_domains": (),
    "exclude_domains": (),
}


def report(structured: dict | None = None) -> Report:
    return Report("otters", "text", structured, (SOURCE,), FOUND)


@pytest.mark.parametrize(
    ("body", "options", "stream"),
    [
        ({}, {}, False),
        ({"model": "", "stream": None, "files": [], "output_schema": {}}, {}, False),
        ({"model": "mini", "stream": True}, {"model": "mini"}, True),
        ({"model": "pro", "citation_format": "apa"}, {"model": "pro", "citation_format": "apa"}, False),
        ({"output_length": "long", "include_domains": ["a.example"]}, {"output_length": "long", "include_domains": ("a.example",)}, False),
        ({"exclude_domains": "a.example,b.example"}, {"exclude_domains": ("a.example", "b.example")}, False),
        ({"files": [{"name": "a"}], "output_schema": {"type": "object"}}, {"files": [{"name": "a"}], "output_schema": {"type": "object"}}, False),
        ({"include_domains": [f"{n}.example" for n in range(20)]}, {"include_domains": tuple(f"{n}.example" for n in range(20))}, False),
    ],
)  # fmt: skip
def test_a_request_is_read(body, options, stream):
    """What is not set has the value that the API documents."""
    call = read_research(Asked(body={"input": " otters ", **body}))

    assert (call.input, call.options, call.stream) == (" otters ", PLAIN | options, stream)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "Input is missing."),
        ({"input": " \n"}, "Input is missing."),
        ({"input": "x" * 1_000_001}, "input has 1,000,001 characters; at most 1,000,000 are taken"),
        ({"input": "x", "model": "max"}, "Invalid model. Must be one of: mini, pro, auto"),
        ({"input": "x", "citation_format": "x"}, "citation_format is 'x'; it must be one of numbered, mla, apa, chicago"),
        ({"input": "x", "output_length": "x"}, "output_length is 'x'; it must be one of short, standard, long"),
        ({"input": "x", "include_domains": ["a"] * 21}, "include_domains has 21 entries; at most 20 are taken"),
        ({"input": "x", "exclude_domains": ["a"] * 21}, "exclude_domains has 21 entries; at most 20 are taken"),
        ({"input": "x", "stream": "x"}, "stream is 'x'; it must be true or false"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_in_a_sentence(body, why):
    """The two that Tavily has are in its own words."""
    with pytest.raises(InvalidQuery) as refused:
        read_research(Asked(body=body))

    assert str(refused.value) == why


def test_a_queued_request_is_told():
    """With the id to ask for it by."""
    call = read_research(Asked(body={"input": "otters", "model": "mini"}))
    before = datetime.now(UTC)

    told = write_created(call, "job-1", Exchange(Asked(), "request-1", 0.123))

    created = told.pop("created_at")
    assert told == {
        "request_id": "job-1",
        "status": "pending",
        "input": "otters",
        "model": "mini",
        "response_time": 0.123,
    }
    assert created[-5] == "."  # milliseconds
    assert created.endswith("Z")
    assert abs((datetime.fromisoformat(created) - before).total_seconds()) < 3_600


CREATED = datetime(2026, 11, 16, 1, 2, 3, tzinfo=UTC)
KNOWN = {"request_id": "j", "response_time": 0.123}
DONE = {"content": "text", "sources": [
    {"title": "A", "url": "https://a.example/", "favicon": None, "n": 1},
    {"title": "B", "url": "https://b.example/", "favicon": "https://b.example/i.png"},
]}  # fmt: skip
FAILED = {"status": "failed", "created_at": "2026-11-16T01:02:03Z"}


@pytest.mark.parametrize(
    ("job", "status", "told"),
    [
        (Job("j", "research", "queued"), 202, {"status": "pending"}),
        (Job("j", "research", "running"), 202, {"status": "in_progress"}),
        (Job("j", "research", "failed", created=CREATED, error="broken"), 200, FAILED | {"error": "broken"}),
        (Job("j", "research", "cancelled", created=CREATED), 200, FAILED | {"error": "it was cancelled"}),
        (
            Job("j", "research", "done", created=CREATED, result={"outcome": "unavailable", "notes": ["no", "none"]}),
            200,
            FAILED | {"error": "no; none"},
        ),
        (
            Job("j", "research", "done", created=CREATED, result=DONE | {"outcome": "found"}),
            200,
            {
                "status": "completed",
                "created_at": "2026-11-16T01:02:03Z",
                "content": "text",
                "sources": [
                    {"title": "A", "url": "https://a.example/", "favicon": ""},
                    {"title": "B", "url": "https://b.example/", "favicon": "https://b.example/i.png"},
                ],
            },
        ),
        (
            Job("j", "research", "done", created=CREATED, result={"content": None, "sources": []}),
            200,
            {"status": "completed", "created_at": "2026-11-16T01:02:03Z", "content": "", "sources": []},
        ),
    ],
)  # fmt: skip
def test_a_job_is_told(job, status, told):
    """Pending and in progress are 202, so that clients poll; a failure says why."""
    assert write_job(job, 0.12345) == (status, KNOWN | told)


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
        (events.SubtopicEnded("s1", "a", True), [response("ResearchSubtopic", "fc_s1", "a")]),
        (events.SearchStarted("n1", "otters"), [call("WebSearch", "fc_n1", "searching for otters", queries=["otters"])]),
        (
            events.SearchStarted("n1", "otters", "s1"),
            [call("WebSearch", "fc_n1", "searching for otters", queries=["otters"], parent_tool_call_id="fc_s1")],
        ),
        (
            events.SearchEnded("n1", "otters", FOUND, (SOURCE, OTHER)),
            [response("WebSearch", "fc_n1", "2 sources (found)", SHOWN)],
        ),
        (events.Writing(), [call("Generating", "fc_write", "writing the report")]),
        (events.TextDelta("カワウソ\n"), [{"role": "assistant", "content": "カワウソ\n"}]),
        (
            events.SourcesFound((SOURCE, OTHER)),
            [response("Generating", "fc_write", "the report is written"), {"role": "assistant", "sources": SHOWN}],
        ),
        (events.Completed(report()), []),
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
