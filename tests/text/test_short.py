"""A value in an error message: its beginning, in one line, whatever it is."""

from __future__ import annotations

import pytest

from kensaku import Query, Settings
from kensaku.answers.context import check_budget
from kensaku.answers.report.request import ResearchRequest
from kensaku.errors import ConfigError, InvalidQuery, KensakuError
from kensaku.fetch import Plan
from kensaku.text.short import short_repr
from kensaku.tools.param import Param

HUGE = 10**5_000  # Python refuses to write it


def test_sixty_characters_are_shown_whole_and_one_more_is_cut():
    """With a sign that there was more."""
    assert short_repr("x" * 58) == "'" + "x" * 58 + "'"
    assert short_repr("x" * 59) == "'" + "x" * 58 + "…"
    assert len(short_repr("x" * 10**6)) == 60
    assert short_repr(None) == "None"
    assert short_repr("a\nb") == r"'a\nb'"


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Query("otters", max_results=HUGE), InvalidQuery),
        (lambda: Settings(max_results=HUGE), ConfigError),
        (lambda: ResearchRequest("otters", model=HUGE), InvalidQuery),
        (lambda: ResearchRequest("otters", timeout=HUGE), InvalidQuery),
        (lambda: Plan("a.example", limit=HUGE), InvalidQuery),
        (lambda: Plan("a.example", timeout=[HUGE]), InvalidQuery),
        (lambda: check_budget(HUGE), InvalidQuery),
        (lambda: Param("depth", "string", {}).check(HUGE), InvalidQuery),
        (lambda: Param("limit", "integer", {}, maximum=10).check(HUGE), InvalidQuery),
    ],
)
def test_a_number_that_cannot_be_written_is_refused_as_any_other(make, error):
    """Not by an error about the number's digits."""
    with pytest.raises(error) as refused:
        make()

    assert isinstance(refused.value, KensakuError)
    assert "a huge " in str(refused.value)
