"""OpenAI's chat: conversations read, replies written whole and in chunks, to the letter."""

from __future__ import annotations

import pytest

from kensaku.answers.cited import Cited
from kensaku.answers.person import Question
from kensaku.answers.tokenizer import count
from kensaku.errors import InvalidQuery
from kensaku.server.wires._completion import (
    Chat,
    annotations_of,
    error_body,
    is_asked,
    read_chat,
)


def user(text: object) -> dict:
    return {"role": "user", "content": text}


def said(text: object) -> dict:
    return {"role": "assistant", "content": text}


CONSENT = "❓ May web_search run?\n\nweb_search: otters"
A = count("a")  # as of any letter
READ = [
    ({"messages": [user("otters")]}, Chat("otters", tokens=count("otters"))),
    (
        {"messages": [user("a"), said("b"), user("c")], "stream": True},
        Chat("c", ("a",), stream=True, tokens=3 * A),
    ),
    (
        {"messages": [user(n) for n in "abcdefg"], "stream_options": {"include_usage": True}},
        Chat("g", ("b", "c", "d", "e", "f"), include_usage=True, tokens=7 * A),
    ),
    ({"messages": [user("a")], "stream_options": "include_usage"}, Chat("a", tokens=A)),
    (
        {"messages": [{"role": "system", "content": "x"}, {"role": "tool"}, user("a"), said(None)]},
        Chat("a", tokens=A),
    ),
    (
        {"messages": [user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])]},
        Chat("a\nb", tokens=count("a\nb")),
    ),
    (
        {"messages": [user("a"), said([{"type": "refusal"}, {"type": "text", "text": "b"}]), user("c")]},
        Chat("c", ("a",), tokens=3 * A),
    ),
    ({"messages": [user("a"), user("  ")]}, Chat("a", tokens=A)),
    # A question of ours and its answer belong to the question before them.
    (
        {"messages": [user("z"), said("y"), user("a"), said("❓ b?"), user("c")]},
        Chat("a", ("z",), (("❓ b?", "c"),), tokens=4 * A + count("❓ b?")),
    ),
    (
        {"messages": [user("a"), said("❓ b?"), user("c"), said("❓ d?"), user("e")]},
        Chat("a", (), (("❓ b?", "c"), ("❓ d?", "e")), tokens=3 * A + count("❓ b?") + count("❓ d?")),
    ),
    ({"messages": [said("❓ b?"), user("c")]}, Chat("c", tokens=A + count("❓ b?"))),
]  # fmt: skip


@pytest.mark.parametrize(("body", "chat"), READ)
def test_a_conversation_is_read(body, chat):
    """The last question, up to five before it, and what was answered to ours."""
    assert read_chat(body) == chat


ROLES = "the role of each message must be one of user, assistant, system, developer, tool, function"
CONTENT = "the content of a message must be text, or parts of the type 'text'"
LIST = "messages must be a list of 1 to 1,000 messages"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, LIST),
        ({"messages": []}, LIST),
        ({"messages": [user("a")] * 1_001}, LIST),
        ({"messages": [said("a")]}, "messages must have one of the role 'user' with a text"),
        ({"messages": [user("a"), {"role": "x"}]}, ROLES),
        ({"messages": [user("a"), "b"]}, ROLES),
        ({"messages": [user([{"type": "image_url"}])]}, CONTENT),
        ({"messages": [user([{"type": "text", "text": 5}])]}, CONTENT),
        ({"messages": [user(["a"])]}, CONTENT),
        ({"messages": [user("a")], "n": 2}, "n is over 1; one reply is made for a request"),
        ({"messages": [user("a")], "n": 129}, "n is 129; it must be a whole number from 1 to 128"),
        ({"messages": [user("a")], "model": "x" * 201}, "model has 201 characters; at most 200 are taken"),
        ({"messages": [user("a")], "stream_options": {"include_usage": "x"}}, "include_usage is 'x'; it must be true or false"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_in_a_sentence(body, why):
    """Which message, and what is taken."""
    with pytest.raises(InvalidQuery) as refused:
        read_chat(body)

    assert str(refused.value) == why


def test_the_bounds_themselves_are_taken():
    """A thousand messages, and a name of 200 characters."""
    chat = read_chat({"messages": [user("a")] * 1_000, "model": "x" * 200, "n": 1})

    assert chat == Chat("a", ("a",) * 5, tokens=1_000 * A)


APPROVE = Question(
    "approve", "May web_search run?", tool="web_search", arguments={"query": "otters"}
)
PLAN = Question("help", "Which otters?", tool="ask_user")
SECOND = Question("help", "Which year?", tool="ask_user", arguments={"number": 2})


@pytest.mark.parametrize(
    ("question", "replies", "reply"),
    [
        (APPROVE, ((CONSENT, "yes"),), "yes"),
        (APPROVE, ((CONSENT, "no"), (CONSENT.replace(" ", "\n"), "yes")), "yes"),
        (APPROVE, (("❓ May web_search run?\n\nweb_search: kelp", "yes"),), None),
        (APPROVE, (), None),
        (PLAN, (("❓ Which otters?", "sea"),), "sea"),
        (PLAN, (("❓ In other words?", "sea"),), "sea"),
        (PLAN, ((CONSENT, "yes"), ("❓ Other words?", "sea")), "sea"),
        (PLAN, ((CONSENT, "yes"),), None),
        (SECOND, (("❓ One?", "sea"), ("❓ Two?", "2026")), "2026"),
        (SECOND, (("❓ One?", "sea"),), None),
    ],
)  # fmt: skip
def test_a_reply_is_found_for_the_question_that_it_answers(question, replies, reply):
    """Consent is to the very same call; a question of a plan may come in other words."""
    assert Chat("otters", replies=replies).reply_to(question) == reply


@pytest.mark.parametrize(
    ("question", "asked"),
    [(APPROVE, True), (PLAN, True), (Question("confirm", "Shall it be given?"), False)],
)
def test_a_doubt_is_said_and_not_asked(question, asked):
    """Nobody can be asked during a request."""
    assert is_asked(question) is asked


CITED = (
    Cited(1, "https://a.example/", "A", "Otters swim.", published="2026-11-02T10:00:00"),
    Cited(2, "note:b", "B", "They sleep.", "collection"),
)
TEXT = "They swim [1] and [2], not [3]."
MARKS = [
    {
        "type": "url_citation",
        "url_citation": {
            "start_index": 10,
            "end_index": 13,
            "url": "https://a.example/",
            "title": "A",
        },
    },
    {
        "type": "url_citation",
        "url_citation": {"start_index": 18, "end_index": 21, "url": "note:b", "title": "B"},
    },
]


def test_marks_in_the_list_of_sources_are_none():
    """An annotation is where the text cites a source."""
    assert annotations_of(TEXT + '\n\n[1]: <https://a.example/> "A"\n\n[2] B', CITED) == MARKS
    assert annotations_of("[1]", ()) == []


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (400, "invalid_request_error", None),
        (401, "authentication_error", "invalid_api_key"),
        (403, "permission_error", None),
        (413, "invalid_request_error", "request_too_large"),
        (421, "permission_error", None),
        (429, "rate_limit_error", "rate_limit_exceeded"),
        (432, "insufficient_quota", "insufficient_quota"),
        (500, "server_error", None),
        (503, "server_error", "unavailable"),
    ],
)
def test_an_error_has_openais_type_and_code(status, kind, code):
    """Its clients raise by them."""
    told = {"message": "why", "type": kind, "param": "messages", "code": code}

    assert error_body(status, "why", "messages") == {"error": told}
    assert error_body(status, "why")["error"]["param"] is None
