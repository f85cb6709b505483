"""What a search may ask for, and how it travels to the worker."""

from __future__ import annotations

import json
from datetime import date

import pytest

from kensaku.errors import InvalidQuery
from kensaku.index.request import Filters, SearchRequest, make_filters
from tests.index.animals import ALL


@pytest.mark.parametrize(
    "wrong",
    [{"text": "  "}, {"max_results": 0}, {"max_results": 5000}, {"mmr": 2.0}, {"text": "x" * 9000}],
)
async def test_a_value_out_of_bounds_is_refused(index, wrong):
    """One clear sentence before anything is sent."""
    with pytest.raises(InvalidQuery):
        await index.search(**({"text": "fish"} | wrong))


@pytest.mark.parametrize("name", ["start_date", "end_date"])
async def test_a_date_that_cannot_be_read_is_refused(index, name):
    """Searching without the filter would return what was not asked for."""
    await index.add(ALL)

    with pytest.raises(InvalidQuery, match=name):
        await index.search("fish", **{name: "tomorrow"})


def test_filters_take_any_iterable_and_any_kind_of_date():
    """Generators and sets are as good as lists; a `date` is as good as its text."""
    filters = make_filters(
        {"*.Example.ORG"}, (n for n in ["www.x.example"]), date(2026, 1, 2), "", None
    )

    assert filters == Filters(("example.org",), ("x.example",), "2026-01-02")


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
