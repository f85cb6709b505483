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
