"""What a search may ask for, and how it travels to the worker."""

from __future__ import annotations

import json
from datetime import date

import pytest

from kensaku.errors import InvalidQuery
from kensaku.index.request import Filters, SearchRequest, make_filters
from kensaku.models import MAX_QUERY_CHARS
from tests.index.animals import ALL


@pytest.mark.parametrize("name", ["start_date", "end_date"])
async def test_a_date_that_cannot_be_read_is_refused(index, name):
    """Searching without the filter would return what was not asked for."""
    await index.add(ALL)

    with pytest.raises(InvalidQuery, match=name):
        await index.search("fish", **{name: "tomorrow"})


def test_a_request_arrives_as_it_was_sent():
    """Through JSON, with all its fields."""
    request = SearchRequest(
        "otters",
        collections=("a", "b"),
        max_results=3,
        filters=Filters(("a.example",), (), "2024", None, "en"),
        mode="hybrid",
        mmr=0.5,
        freshness=30.0,
        vector=[1.0, -0.5],
        model="m",
        trust=0.5,
        by_passage=True,
    )

    arrived = SearchRequest.from_wire(json.loads(json.dumps(request.to_wire())))

    assert list(arrived.vector or ()) == [1.0, -0.5]
    assert arrived.to_wire() == request.to_wire()
    assert (arrived.collections, arrived.filters) == (request.collections, request.filters)


def test_the_bounds_are_taken():
    """They say what is still allowed."""
    for name, bounds in {
        "max_results": (1, 1_000),
        "mmr": (0.0, 1.0),
        "freshness": (0.0, 1e9),
    }.items():
        for bound in bounds:
            SearchRequest("x", **{name: bound})
    SearchRequest("x" * MAX_QUERY_CHARS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"text": " "}, "the query is empty"),
        ({"text": "x" * (MAX_QUERY_CHARS + 1)}, f"{MAX_QUERY_CHARS + 1} characters"),
        ({"max_results": 0}, "max_results is 0, and must be 1 to 1000"),
        ({"max_results": 1_001}, "max_results is 1001, and must be 1 to 1000"),
        ({"mmr": -0.1}, "mmr is -0.1, and must be 0 to 1"),
        ({"mmr": 1.1}, "mmr is 1.1, and must be 0 to 1"),
        ({"freshness": -1.0}, "freshness is -1.0; it must be a number of days"),
        ({"freshness": float("nan")}, "freshness is nan; it must be a number of days"),
    ],
)
def test_what_is_beyond_them_is_said(options, said):
    """With the value and the bound."""
    with pytest.raises(InvalidQuery, match=said):
        SearchRequest(**{"text": "x", **options})


def test_filters_are_as_people_write_them():
    """Generators and sets are as good as lists, a `date` as its text; domains are normalised."""
    assert make_filters(
        {"a.example"}, (n for n in ["b.example"]), date(2026, 1, 2), "", None
    ) == Filters(("a.example",), ("b.example",), "2026-01-02")
    assert make_filters([" *.www.Example.org. "], ["www.x.example"], "", "2024", "ja") == Filters(
        ("example.org",), ("x.example",), None, "2024", "ja"
    )
