"""Phrases and names of a question: what is hardly said in other words."""

from __future__ import annotations

import pytest

from kensaku.answers.kinds import letters_of, names_in, phrases_of


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who signed the Treaty of Versailles?", "The treaty of Versailles, signed in 1919"),
        ("明治維新の後、東京はどうなったか", "明治維新のあと"),
    ],
)
def test_a_phrase_is_found_whatever_its_case_and_punctuation(question: str, text: str) -> None:
    """And needs no spaces between words."""
    assert any(phrase in letters_of(text) for phrase in phrases_of(question))


def test_words_in_another_order_are_no_phrase() -> None:
    """They count as words already."""
    text = letters_of("the dogs of war are warm")

    assert not any(phrase in text for phrase in phrases_of("warm hot dogs"))


def test_grammar_is_no_phrase() -> None:
    """Most Japanese questions end alike."""
    assert phrases_of("ものですか") == frozenset()
    assert phrases_of("a b c") == frozenset()


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("When did Marie Curie win, in 1903 or 1911?", {"marie", "curie", "1903", "1911"}),
        ("Who wrote it", set()),
        ("マリー・キュリーは1903年に何を", {"マリー", "キュリー", "1903"}),
        ("東京のNHKはどこ", {"東京", "nhk"}),
    ],
)
def test_names_and_figures_of_a_question(question: str, names: set[str]) -> None:
    """The first word is capitalised anyway."""
    assert names_in(question) == names
