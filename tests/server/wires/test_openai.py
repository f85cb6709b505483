"""OpenAI's chat: conversations read, replies written whole and in chunks, to the letter."""

from __future__ import annotations

import pytest

from kensaku.answers.cited import Cited
from kensaku.answers.person import Question
from kensaku.errors import InvalidQuery
from kensaku.server.wires._completion import (
    Chat,
    annotations_of,
    error_body,
    read_chat,
)


def user(text: object) -> dict:
    return {"role": "user", "content": text}


def said(text: object) -> dict:
    return {"role": "assistant", "content": text}


CONSENT = "❓ May web_search run?\n\nweb_search: otters"


@pytest.mark.parametrize(
    ("messages", "question", "earlier", "replies"),
    [
        ([user(n) for n in "abcdefg"], "g", ("b", "c", "d", "e", "f"), ()),
        ([{"role": "system", "content": "x"}, {"role": "tool"}, user("a"), said(None)], "a", (), ()),
        ([user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])], "a\nb", (), ()),
        ([user("a"), said([{"type": "refusal"}]), user("c"), user("  ")], "c", ("a",), ()),
        # A question of ours and its answer belong to the question before them.
        (
            [user("z"), said("y"), user("a"), said("❓ b?"), user("c"), said("❓ d?"), user("e")],
            "a", ("z",), (("❓ b?", "c"), ("❓ d?", "e")),
        ),
        ([said("❓ b?"), user("c")], "c", (), ()),
    ],
)  # fmt: skip
def test_a_conversation_is_read(messages, question, earlier, replies):
    """The last question, up to five before it, and what was answered to ours."""
    chat = read_chat({"messages": messages})

    assert (chat.question, chat.earlier, chat.replies) == (question, earlier, replies)


ROLES = "the role of each message must be one of user, assistant, system, developer, tool, function"
CONTENT = "the content of a message must be text, or parts of the type 'text'"
LIST = "messages must be a list of 1 to 1,000 messages"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, LIST),
        ({"messages": [user("a")] * 1_001}, LIST),
        ({"messages": [said("a")]}, "messages must have one of the role 'user' with a text"),
        ({"messages": [user("a"), {"role": "x"}]}, ROLES),
        ({"messages": [user([{"type": "image_url"}])]}, CONTENT),
        ({"messages": [user([{"type": "text", "text": 5}])]}, CONTENT),
        ({"messages": [user("a")], "n": 129}, "n is 129; it must be a whole number from 1 to 128"),
        ({"messages": [user("a")], "model": "x" * 201}, "model has 201 characters; at most 200 are taken"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_in_a_sentence(body, why):
    """Which message, and what is taken."""
    with pytest.raises(InvalidQuery) as refused:
        read_chat(body)

    assert str(refused.value) == why


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
        (PLAN, (("❓ In other words?", "sea"),), "sea"),
        (PLAN, ((CONSENT, "yes"), ("❓ Other words?", "sea")), "sea"),
        (PLAN, ((CONSENT, "yes"),), None),
        (SECOND, (("❓ One?", "sea"), ("❓ Two?", "2026")), "2026"),
    ],
)  # fmt: skip
def test_a_reply_is_found_for_the_question_that_it_answers(question, replies, reply):
    """Consent is to the very same call; a question of a plan may come in other words."""
    assert Chat("otters", replies=replies).reply_to(question) == reply


def test_marks_in_the_list_of_sources_are_none():
    """An annotation is where the text cites a source."""
    cited = (
        Cited(1, "https://a.example/", "A", "Otters swim."),
        Cited(2, "note:b", "B", "They sleep.", "collection"),
    )
    text = 'They swim [1] and [2], not [3].\n\n[1]: <https://a.example/> "A"\n\n[2] B'

    marks = [mark["url_citation"] for mark in annotations_of(text, cited)]

    assert marks == [
        {"start_index": 10, "end_index": 13, "url": "https://a.example/", "title": "A"},
        {"start_index": 18, "end_index": 21, "url": "note:b", "title": "B"},
    ]


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (403, "permission_error", None),
        (421, "permission_error", None),
        (432, "insufficient_quota", "insufficient_quota"),
        (500, "server_error", None),
    ],
)
def test_an_error_has_openais_type_and_code(status, kind, code):
    """Its clients raise by them; `tests/server/test_openai.py` has the commoner ones."""
    told = {"message": "why", "type": kind, "param": None, "code": code}

    assert error_body(status, "why") == {"error": told}
