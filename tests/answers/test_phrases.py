"""Phrases and names of a question: what is hardly said in other words."""

from __future__ import annotations

import pytest

from kensaku.answers.kinds import names_in, phrases_of


def test_grammar_is_no_phrase() -> None:
    """Most Japanese questions end alike."""
    assert phrases_of("ものですか") == phrases_of("獺のこと") == frozenset()
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
