"""A person's words as the reply to a question."""

from __future__ import annotations

import pytest

from kensaku.assistant.approval import Question, Reply
from kensaku.assistant.channels.terminal.format import question_lines
from kensaku.assistant.channels.terminal.words import words_for
from kensaku.assistant.replies import read_reply

APPROVE = Question("approve", "?", choices=("proceed", "modify", "skip", "cancel"))
CONFIRM = Question("confirm", "?")
CHOOSE = Question(
    "help",
    "Which one?",
    choices=("modify", "skip", "cancel"),
    options=("sea otters", "river otters"),
)


@pytest.mark.parametrize(
    ("question", "words", "reply"),
    [
        (APPROVE, " Yes. ", Reply("proceed")),
        (APPROVE, "はい", Reply("proceed")),
        (APPROVE, "やめて", Reply("cancel")),
        (APPROVE, "スキップ", Reply("skip")),
        (APPROVE, "otters in Japan", Reply("modify", "otters in Japan")),
        (APPROVE, "", Reply("skip")),
        (CONFIRM, "ok", Reply("proceed")),
        (CONFIRM, "perhaps", Reply("cancel")),
        (CONFIRM, "skip", Reply("cancel")),
        (CHOOSE, "2", Reply("modify", "river otters")),
        (CHOOSE, "3", Reply("modify", "3")),
        (CHOOSE, "both", Reply("modify", "both")),
    ],
)
def test_words_are_a_choice_or_other_words(question: Question, words: str, reply: Reply) -> None:
    """What is neither is a no: nothing is done on a guess."""
    assert read_reply(question, words) == reply


def test_options_are_numbered() -> None:
    """As they are chosen."""
    lines = question_lines(CHOOSE, words_for("?", japanese=False))
    assert "  1. sea otters" in lines
    assert "  2. river otters" in lines
