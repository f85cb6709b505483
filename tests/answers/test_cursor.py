"""The cursor of a context: given back as it was, or refused."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.answers.context import Position, cursor_of, has_changed, position_of
from kensaku.errors import InvalidQuery
from kensaku.models import Passage

PASSAGES = [Passage("https://a.example/", "x", 0, 1), Passage("https://b.example/", "y", 5, 6)]
OTHERS = [Passage("https://a.example/", "x", 0, 1), Passage("https://b.example/", "y", 4, 5)]


@given(st.integers(0, 1), st.integers(0, 9_999_999), st.integers(0, 1_000_000))
def test_a_cursor_says_where_to_go_on_and_in_which_list(
    done: int, within: int, tokens: int
) -> None:
    """Nothing is left behind the last passage."""
    position = position_of(cursor_of(Position(done, within), PASSAGES, tokens))

    assert (position.done, position.within, position.tokens) == (done, within, tokens)
    assert not has_changed(position.mark, PASSAGES)
    assert has_changed(position.mark, OTHERS)
    assert cursor_of(Position(2), PASSAGES, tokens) is None
    assert position_of(None) == Position(0, 0, "")


RIGHT = ["1", "1", "1", "m" * 16]
WRONG = ("x", "-1", "10000000", "", "1.1", "m" * 15, "m" * 17)


@given(st.integers(0, 3), st.sampled_from(WRONG), st.text())
def test_a_cursor_that_is_not_ours_is_refused(at: int, wrong: str, text: str) -> None:
    """It comes back from a model, which may have invented it."""
    values = ".".join([*RIGHT[:at], wrong, *RIGHT[at + 1 :]])
    for cursor in (base64.urlsafe_b64encode(values.encode()).decode(), text):
        with pytest.raises(InvalidQuery, match="not one of ours"):
            position_of(cursor)


def test_a_cursor_asks_for_no_more_than_a_million_tokens() -> None:
    """Whatever it says."""
    cursor = base64.urlsafe_b64encode(f"1.1.9999999.{'m' * 16}".encode()).decode()

    assert position_of(cursor) == Position(1, 1, "m" * 16, 1_000_000)
