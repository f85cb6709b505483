"""What was not asked for is left out, and a sentence says how much."""

from __future__ import annotations

from datetime import date

import pytest

from kensaku import Hit, Query
from kensaku.search.filters import filter_hits
from kensaku.text.urls import site_of

TODAY = date(2026, 11, 15)


def _hits(**fields) -> list[Hit]:
    """One hit for each value of the one field that is given."""
    ((name, values),) = fields.items()
    return [Hit(f"https://{n}.example/", "A", **{name: v}) for n, v in enumerate(values)]


def _filtered(hits, undated="keep", block=(), **options) -> tuple[list[str], list[str]]:
    query = Query("otters", **options)
    passed, notes = filter_hits(hits, query, block=block, undated=undated, today=TODAY)
    return [site_of(h)[0] for h in passed], notes


@pytest.mark.parametrize(
    ("options", "left", "notes"),
    [
        ({}, "0123", []),
        ({"min_score": 0.5}, "023", ["1 hits were scored below 0.5 and were left out"]),
        ({"min_score": 0.2}, "0123", []),
        ({"min_score": 1}, "2", ["3 hits were scored below 1 and were left out"]),
        ({"min_score": 0.5, "exclude_domains": ["0.example"]}, "23",
         ["1 of 4 hits were of other domains and were left out",
          "1 hits were scored below 0.5 and were left out"]),
    ],
)  # fmt: skip
def test_a_low_score_is_left_out_and_none_is_not(options, left, notes):
    """Whoever gives no score is not judged by it."""
    found = _filtered(_hits(score=[0.5, 0.2, None, 0.9]), **options)

    assert found == (list(left), notes)


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({"start_date": "2026-01-02"}, "12"),
        ({"end_date": "2026-01-02"}, "01"),
        ({"start_date": "2026-01-02", "end_date": "2026-01-02"}, "1"),
        ({"start_date": "2026-01-04"}, ""),
    ],
)
def test_both_days_of_a_range_are_inside(options, left):
    """Whatever the time of day."""
    hits = _hits(published=["2026-01-01", "2026-01-02T23:59:59Z", "2026-01-03"])

    found, notes = _filtered(hits, **options)

    assert found == list(left)
    gone = 3 - len(left)
    assert notes == [f"{gone} of 3 hits were outside the dates and were left out"]


@pytest.mark.parametrize(
    ("undated", "left", "done"),
    [("keep", "012", "kept"), ("last", "021", "put last"), ("drop", "02", "left out")],
)
def test_what_became_of_hits_without_a_date_is_said(undated, left, done):
    """In the words of the setting; without a range there is nothing to say."""
    hits = _hits(published=["2026-01-01", None, "2026-01-02"])

    assert _filtered(hits, undated, start_date="2026-01-01") == (
        list(left), [f"1 of 3 hits have no date and were {done}"],
    )  # fmt: skip
    assert _filtered(hits, undated) == (list("012"), [])


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({"include_domains": ["0.example", "1.example"]}, "01"),
        ({"exclude_domains": ["0.example"]}, "12"),
        ({"block": ("1.example", "2.example")}, "0"),
        ({"include_domains": ["0.example"], "exclude_domains": ["0.example"]}, ""),
        ({"include_domains": ["0.example"], "block": ("0.example",)}, ""),
    ],
)
def test_never_is_stronger_than_only(options, left):
    """A blocked domain stays blocked, whoever asks for it."""
    assert _filtered(_hits(score=[None] * 3), **options)[0] == list(left)
