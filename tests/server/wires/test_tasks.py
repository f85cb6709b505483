"""What chat applications ask about a conversation itself."""

from __future__ import annotations

import pytest

from kensaku.server.wires._completion import read_chat


def done(text: str) -> str | None:
    """The reply to a message that needs no search; None for a message that does."""
    return read_chat({"messages": [{"role": "user", "content": text}]}).done


def webui(field: str, history: str = "USER: Why do otters sleep?\nASSISTANT: They do.") -> str:
    return f'\n### Task:\nWrite. JSON: {{ "{field} }}\n<chat_history>\n{history}\n</chat_history>'


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        (webui('title": "…"'), '{"title": "Why do otters sleep?"}'),
        (webui('tags": ["…"]'), '{"tags": []}'),
        (webui('queries" : "…"'), '{"queries": ""}'),
        (webui('title"= 1'), None),
        ("Hi. " + webui('title": "…"'), None),
        (webui('title": "…"').replace("</chat_history>", ""), None),
        ("### Task:" + " " * 8_000 + webui('title": "…"'), None),
        ("A Title for the Conversation, only return the title itself. Conversation:\nUser: Hi there", "Hi there"),
        ("A title for the conversation. Conversation:\nUser: Hi", None),
        ("Only return the title itself. Conversation:\nUser: Hi", None),
        (" " * 8_000 + "title for the conversation, only return the title itself. Conversation: Hi", None),
        ("Why do otters sleep?", None),
    ],
)  # fmt: skip
def test_a_task_is_told_from_what_a_person_says(text, reply):
    """Nobody wants a search for a title."""
    assert done(text) == reply


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Hi\nUSER: Why\n do otters\nAI: Because", "Why do otters"),
        ("no speaker\nat all", "no speaker at all"),
        ("user: `\"'a'\"` ", "a"),
        ("user: a b c d e f g h", "a b c d e f g…"),
        ("user: " + "x" * 41, "x" * 40 + "…"),
        ("x" * 1_994 + " user: y", "x" * 40 + "…"),
    ],
)
def test_a_title_is_the_beginning_of_what_the_person_said_first(said, title):
    """Seven words and 40 characters at most; what is cut off is shown by an ellipsis."""
    task = "A title for the conversation, only return the title itself. Conversation:\n"

    assert done(task + said) == title
