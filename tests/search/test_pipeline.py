"""One search, from the question to the response, over a real socket."""

from __future__ import annotations

import pytest

from kensaku import Outcome, Query
from kensaku.errors import (
    InvalidQuery,
    KeyRefused,
    NotConfigured,
    UnknownName,
    Unreadable,
    UsageError,
)
from kensaku.testing import faults
from tests.search.support import hit


async def test_a_search_finds_and_says_who_answered(make_client, upstream):
    """The whole path: request, reply, hits, attempt, confidence."""
    upstream.answers("tavily", [hit("a"), hit("b")])

    found = await make_client("tavily").search("otters", max_results=2)

    assert found.outcome is Outcome.FOUND
    assert [h.url for h in found.hits] == ["https://a.example/", "https://b.example/"]
    assert [h.provider for h in found.hits] == ["tavily", "tavily"]
    (attempt,) = found.attempts
    assert (attempt.provider, attempt.outcome, attempt.error) == ("tavily", Outcome.FOUND, None)
    assert attempt.key == 1
    assert attempt.cost == found.cost > 0
    assert found.confidence.level == "high"
    assert upstream.requests[0].json == {
        "query": "otters",
        "max_results": 2,
        "include_published_date": True,
    }


async def test_nothing_found_is_empty_and_not_unavailable(make_client, upstream):
    """Somebody searched, and there is nothing: the route does not go on."""
    upstream.answers("tavily", [])

    found = await make_client("tavily", "brave").search("otters")

    assert found.outcome is Outcome.EMPTY
    assert found.confidence.level == "none"
    assert not upstream.asked("brave")


async def test_nobody_could_search_is_unavailable_with_every_reason(make_client, upstream):
    """An agent that is told "no results" answers from memory."""
    upstream.fails("tavily", faults.status(401))
    upstream.fails("brave", faults.bad_json())

    found = await make_client("tavily", "brave", "exa", env={"EXA_API_KEY": ""}).search("otters")

    assert found.outcome is Outcome.UNAVAILABLE
    reasons = {a.provider: type(a.error) for a in found.attempts}
    assert reasons == {"tavily": KeyRefused, "brave": Unreadable, "exa": NotConfigured}
    assert not next(a for a in found.attempts if a.provider == "exa").sent


@pytest.mark.parametrize(
    "options",
    [
        {"max_results": 0},
        {"max_results": -1},
        {"max_results": 10**9},
        {"max_results": 10**5000},
        {"max_results": "five"},
        {"max_results": True},
        {"depth": "deep"},
        {"topic": ["news"]},
        {"time_range": "decade"},
        {"time_range": ["day"]},
        {"start_date": "yesterday"},
        {"start_date": "2026-02-01", "end_date": "2026-01-01"},
        {"start_date": "2026-02-01", "time_range": "day"},
        {"include_domains": "example.com"},
        {"include_domains": ["not a host"]},
        {"exclude_domains": ["a.example"] * 301},
        {"country": "Atlantis"},
        {"language": "klingon!"},
        {"collection": "../etc"},
        {"include_answer": "yes"},
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": float("nan")},
        {"timeout": "5"},
        {"max_result": 5},
        {"route": "tavly"},
        {"route": []},
        {"route": [5]},
        {"mode": "al"},
        {"mode": 5},
    ],
    ids=lambda o: next(iter(o)),
)
async def test_bad_input_is_one_sentence_and_nothing_is_sent(options, make_client, upstream):
    """The caller can mend it, so the caller is told, before anything happens."""
    client = make_client("tavily")

    with pytest.raises(UsageError) as refused:
        await client.search("otters", **options)

    assert str(refused.value)
    assert "\n" not in str(refused.value)
    assert upstream.requests == []


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "x" * 2001, "\ud800", None, 5, b"otters"])
async def test_a_query_that_is_none_is_refused(text, make_client, upstream):
    """Empty, blank, too long, not text, not Unicode."""
    with pytest.raises(InvalidQuery):
        await make_client("tavily").search(text)

    assert upstream.requests == []


@pytest.mark.parametrize(
    ("options", "nearest"),
    [
        ({"route": "tavly"}, "tavily"),
        ({"route": ["brave", "serpr"]}, "serper"),
        ({"mode": "hegde"}, "hedge"),
        ({"max_result": 5}, "max_results"),
    ],
)
async def test_an_unknown_name_gets_the_nearest(options, nearest, make_client):
    """A typing mistake should cost one look."""
    with pytest.raises(UnknownName) as refused:
        await make_client("tavily").search("otters", **options)

    assert nearest in refused.value.remedy


async def test_a_query_and_options_together_are_refused(make_client):
    """Which of the two should count?"""
    with pytest.raises(InvalidQuery):
        await make_client("tavily").search(Query("otters"), max_results=3)
