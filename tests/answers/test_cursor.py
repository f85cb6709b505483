"""The cursor of a context: given back as it was, or refused."""

from __future__ import annotations

import base64

import pytest

from kensaku.answers.context import Position, cursor_of, has_changed, position_of
from kensaku.errors import InvalidQuery
from kensaku.models import Passage

PASSAGES = [Passage("https://a.example/", "x", 0, 1), Passage("https://b.example/", "y", 5, 6)]
OTHERS = [Passage("https://a.example/", "x", 0, 1), Passage("https://b.example/", "y", 4, 5)]


def test_a_cursor_says_where_to_go_on_and_in_which_list() -> None:
    """Nothing is left behind the last passage."""
    cursor = cursor_of(Position(1, 7), PASSAGES, 200)
    position = position_of(cursor)

    assert (position.done, position.within, position.tokens) == (1, 7, 200)
    assert not has_changed(position.mark, PASSAGES)
    assert has_changed(position.mark, OTHERS)
    assert not has_changed("", OTHERS)
    assert cursor_of(Position(2), PASSAGES, 200) is None
    assert position_of(None) == Position(0, 0, "")


@pytest.mark.parametrize(
    ("values", "position"),
    [
        (f"9999999.9999999.999.{'m' * 16}", Position(9_999_999, 9_999_999, "m" * 16, 999)),
        (f"1.1.9999999.{'m' * 16}", Position(1, 1, "m" * 16, 1_000_000)),
        (f"10000000.1.1.{'m' * 16}", None),
        (f"1.10000000.1.{'m' * 16}", None),
        (f"1.1.1.{'m' * 15}", None),
        (f"1.1.1.{'m' * 17}", None),
        (f"x.1.1.{'m' * 16}", None),
        (f"1.x.1.{'m' * 16}", None),
        (f"1.1.-1.{'m' * 16}", None),
        (f"1.1.{'m' * 16}", None),
        ("1.1.1.1.1", None),
    ],
)
def test_a_cursor_that_is_not_ours_is_refused(values: str, position: Position | None) -> None:
    """It comes back from a model, which may have invented it."""
    cursor = base64.urlsafe_b64encode(values.encode()).decode()
    if position is None:
        with pytest.raises(InvalidQuery, match="not one of ours"):
            position_of(cursor)
    else:
        assert position_of(cursor) == position


@pytest.mark.parametrize("cursor", ["", "é", "x", "____"])
def test_a_cursor_that_is_no_text_of_ours_is_refused(cursor: str) -> None:
    """Neither base64 nor text inside."""
    with pytest.raises(InvalidQuery):
        position_of(cursor)
