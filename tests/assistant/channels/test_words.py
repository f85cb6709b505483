"""What Slack and Telegram say: two languages, the same texts, a label for each choice."""

from __future__ import annotations

from dataclasses import asdict
from typing import get_args

import pytest

from kensaku.assistant.approval import Intervention
from kensaku.assistant.channels._words import words_for, words_in

ENGLISH, JAPANESE = words_in("en"), words_in("ja")


@pytest.mark.parametrize(
    ("language", "japanese"),
    [("ja", True), ("ja-JP", True), ("JA", True), ("en", False), ("", False), ("de-ja", False)],
)
def test_words_by_the_code_of_a_language(language: str, japanese: bool) -> None:
    """English for all others."""
    assert words_in(language) is (JAPANESE if japanese else ENGLISH)


def test_words_by_the_language_of_a_text() -> None:
    """A reply speaks as the question does."""
    assert words_for("ラッコは何を食べますか？") is JAPANESE
    assert words_for("What do otters eat?") is ENGLISH
    assert words_for("") is ENGLISH


def test_short_words_and_labels() -> None:
    """As they stand in a message and on its buttons."""
    assert (ENGLISH.sources, ENGLISH.stop, ENGLISH.cancelled) == ("Sources", "Stop", "Cancelled.")
    assert (JAPANESE.sources, JAPANESE.stop) == ("出典", "中止")
    assert ENGLISH.labels == {
        "proceed": "Yes", "modify": "Change", "skip": "Skip", "retry": "Again", "cancel": "Cancel",
    }  # fmt: skip
    assert JAPANESE.labels == {
        "proceed": "はい", "modify": "変更", "skip": "スキップ", "retry": "再試行",
        "cancel": "キャンセル",
    }  # fmt: skip
    assert set(ENGLISH.labels) == set(get_args(Intervention))


def test_no_text_is_missing() -> None:
    """In either language."""
    assert all(asdict(ENGLISH).values())
    assert all(asdict(JAPANESE).values())
    assert list(asdict(ENGLISH)) == list(asdict(JAPANESE))
