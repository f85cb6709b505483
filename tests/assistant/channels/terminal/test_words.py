"""The words of the terminal: two languages that say the same things with the same values."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any, get_args

import pytest

from kensaku.assistant.approval import Intervention
from kensaku.assistant.channels.terminal.commands import TABLE
from kensaku.assistant.channels.terminal.words import ENGLISH, JAPANESE, LETTERS, Words

NAMES = [f.name for f in fields(Words)]


def values_in(text: Any) -> Any:
    """The names in braces of a text, or of each text of a table."""
    if isinstance(text, dict):
        return {name: values_in(value) for name, value in text.items()}
    if isinstance(text, tuple):
        return tuple(map(values_in, text))
    return sorted(re.findall(r"{(\w+)}", text))


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_take_the_same_values(name: str) -> None:
    """A text with a value that nobody gives would break the chat in one language alone."""
    assert values_in(getattr(ENGLISH, name)) == values_in(getattr(JAPANESE, name))


@pytest.mark.parametrize("words", [ENGLISH, JAPANESE], ids=["en", "ja"])
def test_every_outcome_choice_and_command_has_its_words(words: Words) -> None:
    """By the names that the run, the person and the table use."""
    assert list(words.outcomes) == ["empty", "unavailable", "refused", "unread"]
    assert list(words.choices) == list(dict.fromkeys(LETTERS.values()))
    assert set(words.choices) == set(get_args(Intervention)) - {"modify"}
    assert list(words.commands) == list(TABLE)


@pytest.mark.parametrize(
    ("name", "english", "japanese"),
    [
        ("working", "working", "処理中"),
        ("plan", "Plan:", "計画："),
        ("repeated", "used again", "前回の結果を再利用"),
        ("goes_on", "Going on: {title}", "続き：{title}"),
        ("chosen", "{name}: {value}", "{name}：{value}"),
        ("enter_none", "no", "いいえ"),
    ],
)
def test_short_words(name: str, english: str, japanese: str) -> None:
    """As they stand on the screen."""
    assert (getattr(ENGLISH, name), getattr(JAPANESE, name)) == (english, japanese)


def test_choices_and_commands_in_both_languages() -> None:
    """What stands behind a letter, and in the second column of /help."""
    assert list(ENGLISH.choices.values()) == ["yes", "skip", "again", "cancel the run"]
    assert list(JAPANESE.choices.values()) == ["はい", "飛ばす", "もう一度", "中止"]
    names = ("settings", "history", "quit")
    assert [JAPANESE.commands[n] for n in names] == [
        "現在の選択を表示", "以前の会話の一覧", "終了",
    ]  # fmt: skip
    assert ENGLISH.commands["quit"] == "leave"


def test_words_are_told_apart_as_keys() -> None:
    """Their tables do not keep them from that."""
    assert {ENGLISH: "en", JAPANESE: "ja"}[JAPANESE] == "ja"
