"""A question of a conversation, and what the page shows of it while it runs and afterwards."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kensaku.answers.person import Question
from kensaku.assistant.channels.web import Talk
from kensaku.database.conversations import Conversation, Message
from kensaku.locale import translator
from kensaku.server.page.chat.turns import (
    Turn,
    answer_html,
    ask_view,
    duration,
    source_view,
    tool_view,
    turns_of,
)

EN = translator("en")
NOON = datetime(2026, 1, 2, 12, 30, tzinfo=UTC)


def event(**values) -> dict:
    return {"type": "ToolEnded", "id": "1", "tool": "web_search", "arguments": {}} | values


@pytest.mark.parametrize(
    ("tool", "outcome", "tone", "said"),
    [
        ("web_search", "", "accent", ""),
        ("web_extract", "found", "ok", "1 page read"),
        ("web_search", "empty", "faint", "nothing found"),
        ("web_search", "unavailable", "bad", "could not search"),
        ("web_extract", "unavailable", "bad", "could not be read"),
        ("web_search", "refused", "warn", "not allowed"),
    ],
)
def test_what_a_call_came_to_is_told_in_words_and_a_colour(tool, outcome, tone, said):
    """Pages are read, everything else is found."""
    values = {"outcome": outcome, "hits": 1, "providers": ["tavily"]} if outcome else {}

    shown = tool_view(event(tool=tool, **values), EN)

    assert (shown.tone, shown.said) == (tone, said)
    assert shown.providers == ("tavily" if outcome not in ("", "unavailable") else "")


def test_pages_are_shown_by_their_hosts_and_a_long_query_is_cut():
    """In 300 characters; what was found is a link only if a browser may open it."""
    urls = ["https://a.example/x", "https://b.example/"]

    assert tool_view(event(arguments={"urls": urls}), EN).about == "a.example, b.example"
    assert tool_view(event(arguments={"query": "q" * 301}), EN).about == "q" * 300
    assert tool_view(event(found=[("", "file:///x")]), EN).found == (("file:///x", "", "file"),)


def test_a_time_is_written_as_people_read_it():
    """In seconds from ten on."""
    told = [duration(ms) for ms in (0.2, 9_999, 10_000, 1_234_567)]

    assert told == ["1 ms", "9,999 ms", "10 s", "1,235 s"]


def test_a_question_to_the_person_is_shown_with_what_it_is_about():
    """An answer that waits for consent is HTML without links."""
    asked = ask_view(Question("approve", "Search?", tool="web_search",
                              arguments={"query": "otters"}, reason="[a](https://a.example/)",
                              choices=("proceed", "cancel"), urgency="optional"))  # fmt: skip
    consent = ask_view(Question("confirm", "Send?", arguments={"urls": ["https://a.example/"]},
                                reason="So [1] [a](https://a.example/)"))  # fmt: skip

    assert (asked.text, asked.query, asked.optional) == ("Search?", "otters", True)
    assert asked.reason == "[a](https://a.example/)"
    assert asked.labels == {"proceed": "Allow", "cancel": "Stop"}
    assert (consent.query, consent.addresses) == ("", ["https://a.example/"])
    assert consent.reason == '<p>So<span class="cite">1</span> a</p>\n'


def test_a_source_is_shown_with_the_passage_that_is_cited():
    """Its words of the question are marked; what is no address of the web is no link."""
    values = {"n": 2, "url": "https://www.a.example/", "title": " ", "passage": "otters <swim>"}
    local = {**values, "url": "file:///notes/a.md", "title": "Notes ", "origin": "local"}

    web, file, broken = [
        source_view(shown, "otters") for shown in (values, local, {**values, "url": "//["})
    ]

    assert (web.title, web.link, web.origin) == (
        "a.example",
        "https://www.a.example/",
        "web search",
    )
    assert web.passage == "<mark>otters</mark> &lt;swim&gt;"
    assert (file.title, file.host, file.link, file.origin) == ("Notes", "file", "", "local")
    assert broken.title == "//["


@pytest.mark.parametrize(
    ("markdown", "known", "html"),
    [
        ("Swim [1].", {1}, '<p>Swim<a class="cite" href="#c-r-1">1</a>.</p>\n'),
        (
            "Swim [1, 2].",
            {1, 2, 3},
            '<p>Swim<a class="cite" href="#c-r-1">1</a><a class="cite" href="#c-r-2">2</a>.</p>\n',
        ),
        ("Swim [1, 9].", {1}, "<p>Swim [1, 9].</p>\n"),
        ("Swim [9].", None, '<p>Swim<span class="cite">9</span>.</p>\n'),
        ("[1](https://evil.example/) x", {1}, "<p>1 x</p>\n"),
        ("\ue0001\ue001 **x**", {1}, "<p>1 <strong>x</strong></p>\n"),
        (
            "[1]\n\n[1]: https://evil.example/",
            {1},
            '<p><a class="cite" href="#c-r-1">1</a><a class="cite" href="#c-r-1">1</a>'
            ": https://evil.example/</p>\n",
        ),
    ],
)
def test_only_known_marks_of_an_answer_are_links(markdown, known, html):
    """A model's Markdown makes no other."""
    assert str(answer_html(markdown, "r", known)) == html


def refused(kind: str) -> dict:
    error = {"type": kind, "message": "no", "status": 401}
    return {"provider": "brave", "outcome": "unavailable", "error": error}


RECORD = {
    "answer": "Swim [1].",
    "events": [{"type": "TextDelta", "text": "Sw"}, {"type": "Planned", "questions": ["a", "b"]}],
    "elapsed_ms": 1500,
    "confidence": {"score": 0.5},
    "citations": [{"n": 1, "url": "https://a.example/", "title": "A", "passage": "swim"}],
    "attempts": [
        {"provider": "tavily", "outcome": "found", "error": None},
        refused("KeyRefused"),
        refused("Outage"),
    ],
}


def test_a_turn_that_has_ended_is_shown_from_its_record():
    """Who could not search is named once, with the last reason; nothing is asked any more."""
    turn = Turn("r", "Do otters swim?", EN)
    turn.asks = [ask_view(Question("tool", "Search?"))]

    turn.end(RECORD, "done")

    assert (turn.running, turn.asks, turn.elapsed) == (False, [], "1,500 ms")
    assert turn.html == '<p>Swim<a class="cite" href="#c-r-1">1</a>.</p>\n'
    assert [(a.provider, said) for a, said in turn.refused] == [
        ("brave", "it is out of order (401)")
    ]


def test_the_turns_of_a_stored_conversation():
    """A question without an answer failed, unless its run says otherwise; strays are left out."""
    stored = [
        ("one-user", "user", "First?", None),
        ("one-assistant", "assistant", "", RECORD),
        ("two-user", "user", "Second?", None),
        ("two-note", "assistant", "", None),
        ("three-assistant", "assistant", "", RECORD),
        ("fo-ur-user", "user", "Fourth?", None),
        ("fo-ur-assistant", "assistant", "", RECORD),
    ]
    messages = [Message(id, role, text, NOON, answer) for id, role, text, answer in stored]
    conversation = Conversation("c", "web", "local/t", "First?", NOON, NOON)

    turns = turns_of(Talk(conversation, messages, {"fo-ur": "cancelled"}, {}), EN)

    assert [(t.question, t.state, t.text, t.plan) for t in turns] == [
        ("First?", "done", "Swim [1].", ["a", "b"]),
        ("Second?", "failed", "", []),
        ("Fourth?", "cancelled", "Swim [1].", ["a", "b"]),
    ]
