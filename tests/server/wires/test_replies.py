"""Replies that depend on how many hits there are, and dates that depend on today."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from kensaku.errors import InvalidQuery
from kensaku.models import Hit
from kensaku.server.wires import _firecrawl_pages as firecrawl
from kensaku.server.wires import jina, searxng, tavily
from kensaku.server.wires.base import Asked, Exchange, Found, Read


def hits(count: int) -> list[Hit]:
    return [Hit(f"https://a.example/{n}", str(n), "text") for n in range(count)]


def write(wire, asked: Asked, found: Found) -> dict:
    return wire.write_search(wire.read_search(asked), found, Exchange(asked, "r", 0.1))


@pytest.mark.parametrize(
    ("page", "count", "first", "last"),
    [("1", 9, "0", "8"), ("2", 25, "10", "19"), ("3", 25, "20", "24")],
)
def test_a_page_of_searxng_has_ten_results(page, count, first, last):
    """A client asks for the next page by its number."""
    asked = Asked(params={"q": "otters", "format": "json", "pageno": page})

    reply = write(searxng, asked, Found(hits(count)))

    titles = [row["title"] for row in reply["results"]]
    assert (titles[0], titles[-1], reply["number_of_results"]) == (first, last, count)
    assert reply["results"][0]["positions"] == [int(first) + 1]


@pytest.mark.parametrize(("count", "credits"), [(0, 0), (1, 2), (10, 2), (11, 4)])
def test_firecrawl_counts_two_credits_for_ten_results(count, credits):
    """As its own server does."""
    reply = write(firecrawl, Asked(body={"query": "otters"}), Found(hits(count)))

    assert reply["creditsUsed"] == credits


def test_the_scores_of_tavily_never_rise():
    """Clients sort by them; hits without one get those of their rank, down to the 21st."""
    scored = [Hit("https://a.example/", "a", "", score=s) for s in (0.9, 0.95, None, 0.1234567)]

    assert tavily.scores(scored) == [0.9, 0.9, 0.87, 0.123457]
    assert tavily.scores(hits(23))[-4:] == [0.19, 0.15, 0.15, 0.15]


def test_days_of_news_are_counted_from_today():
    """The parameter of before there were ranges."""
    body = {"query": "otters", "topic": "news", "days": 7}
    earliest = datetime.now(UTC).date()

    start = tavily.read_search(Asked(body=body)).query.start_date

    latest = datetime.now(UTC).date()
    week = timedelta(days=7)
    assert earliest - week <= date.fromisoformat(str(start)) <= latest - week


@pytest.mark.parametrize(
    ("failed", "why"),
    [([("https://a.example/", "gone")], "gone"), ([], "the page could not be read")],
)
def test_a_page_that_could_not_be_read_is_an_error(failed, why):
    """Not an empty page."""
    with pytest.raises(InvalidQuery, match=f"^{why}$") as refused:
        jina.write_page(None, Read([], failed), Exchange(Asked(), "r", 0.1))

    assert refused.value.status == 422
