"""A person's words as the reply to a question."""

from __future__ import annotations

import pytest

from kensaku.answers.person import Question, Reply
from kensaku.assistant.replies import is_cancel, read_reply

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
        (APPROVE, "OK!", Reply("proceed")),
        (APPROVE, "Go  ahead。", Reply("proceed")),
        (APPROVE, "no", Reply("cancel")),
        (APPROVE, "いいえ！", Reply("cancel")),
        (APPROVE, "retry", Reply("skip")),  # a choice that is not offered is no query
        (APPROVE, "a\n  b", Reply("modify", "a b")),
        (APPROVE, "x" * 10_001, Reply("modify", "x" * 10_000)),
        (CHOOSE, "1", Reply("modify", "sea otters")),
        (CHOOSE, "0", Reply("modify", "0")),
        (CHOOSE, "01", Reply("modify", "sea otters")),
        (CHOOSE, "002", Reply("modify", "002")),
        (CHOOSE, "２", Reply("modify", "２")),
        (Question("help", "?", choices=("retry", "skip")), "もう一度", Reply("retry")),
        (Question("help", "?", choices=("modify", "cancel")), " ", Reply("cancel")),
    ],
)
def test_words_are_a_choice_or_other_words(question: Question, words: str, reply: Reply) -> None:
    """What is neither is a no: nothing is done on a guess. A number stands for its option."""
    assert read_reply(question, words) == reply


@pytest.mark.parametrize(
    ("words", "stops"),
    [(" Stop! ", True), ("中止。", True), ("n", True), ("yes", False), ("stop it", False)],
)
def test_words_that_stop_a_run(words: str, stops: bool) -> None:
    """And no others."""
    assert is_cancel(words) is stops
