"""Asking one provider: queries that do not fit, filters it lacks, and why it was not asked."""

from __future__ import annotations

import re

import pytest

from kensaku import Budget, Outcome, Query
from kensaku.errors import (
    BadQuery,
    BudgetExceeded,
    Cooling,
    DoesNotFit,
    NotConfigured,
    Unreadable,
)
from kensaku.providers import provider_class
from kensaku.providers.base import Provider, Request
from kensaku.testing import faults
from tests.search.support import LONG, document, hit


async def test_a_long_query_goes_to_one_that_takes_it_whole(make_client, upstream):
    """Tavily takes 400 characters, Exa takes more."""
    found = await make_client("tavily", "exa").search(LONG)

    assert isinstance(found.attempts[0].error, DoesNotFit)
    assert not upstream.asked("tavily")
    assert upstream.asked("exa")[0].json["query"] == LONG


async def test_a_long_query_is_cut_at_a_word_when_nobody_takes_it(make_client, upstream):
    """And a note says so."""
    found = await make_client("tavily").search(LONG)

    sent = upstream.requests[0].json["query"]
    assert len(sent) <= 400
    assert LONG.startswith(sent + " ")
    assert found.notes == (f"tavily: the query was cut at a word to {len(sent)} characters",)


async def test_a_long_query_is_cut_after_all_when_the_others_cannot_answer(make_client, upstream):
    """Exa would take it whole, but has no key: Tavily still searches."""
    client = make_client("tavily", "exa", env={"EXA_API_KEY": ""})

    found = await client.search(LONG)

    assert found.outcome is Outcome.FOUND
    assert len(upstream.asked("tavily")[0].json["query"]) <= 400


async def test_what_the_upstream_cannot_filter_is_filtered_here_and_said(make_client, upstream):
    """Wikipedia takes no list of domains: the hits are filtered, and more are asked."""
    upstream.answers("wikipedia", [hit("a"), hit("b"), hit("c")])

    found = await make_client("wikipedia").search(
        "otters", include_domains=["b.example"], country="jp"
    )

    assert "=15&" in upstream.requests[0].target + "&"
    assert [h.url for h in found.hits] == ["https://b.example/"]
    assert found.notes == (
        "wikipedia: it cannot filter by domains; its hits were filtered here",
        "wikipedia: it cannot filter by country; that was not applied",
        "wikipedia: 2 of 3 hits were of other domains and were left out",
    )


async def test_a_language_that_the_upstream_does_not_know_is_not_sent_and_said(
    make_client, upstream
):
    """You.com has no Persian: a value outside its list would end the search with 422."""
    found = await make_client("you").search("otters", language="fa", country="jp")

    assert found.outcome is Outcome.FOUND
    sent = upstream.requests[0].json
    assert ("language" in sent, sent["country"]) == (False, "JP")
    assert found.notes == ("you: it cannot filter by language; that was not applied",)


async def test_a_bound_on_results_is_said(make_client, upstream):
    """SerpApi gives one page of Google's, and a caller who wants thirty hits learns why."""
    found = await make_client("serpapi").search("otters", max_results=30)
    fits = await make_client("serpapi").search("otters", max_results=10)

    assert found.notes == ("serpapi: it gives at most 10 results for one search",)
    assert fits.notes == ()


async def test_notes_tell_only_of_those_that_answered(make_client, upstream):
    """What Marginalia cannot do is no news when Tavily found it."""
    upstream.fails("marginalia", faults.bad_json())

    found = await make_client("marginalia", "tavily").search("otters", country="jp")

    assert found.notes == ()


async def test_local_emptiness_is_no_answer_about_the_web(make_client, upstream, machine):
    """The web could not be searched, the local index has nothing: nobody has looked."""
    upstream.fails("tavily", faults.status(401))
    client = make_client("tavily", "local")
    await client.index.add([document("https://x.example/", "Zebra")], collection="own")

    found = await client.search("otters", collection="own")
    alone = await client.search("otters", collection="own", route="local")

    assert found.outcome is Outcome.UNAVAILABLE
    assert alone.outcome is Outcome.EMPTY


async def test_a_provider_that_is_switched_off_is_not_asked(make_client, upstream):
    """Also when a route names it."""
    client = make_client("tavily", "brave", env={"TAVILY_ENABLED": "off"})

    found = await client.search("otters")

    assert isinstance(found.attempts[0].error, NotConfigured)
    assert found.outcome is Outcome.FOUND
    assert not upstream.asked("tavily")


async def test_a_spent_budget_sends_nothing_more(make_client, upstream):
    """The next search is unavailable, and says why; the local index costs nothing."""
    client = make_client("tavily", "brave")
    budget = Budget(searches=2)

    found = [await client.search("otters", budget=budget, cache=False) for _ in range(3)]

    assert [r.outcome for r in found] == [Outcome.FOUND, Outcome.FOUND, Outcome.UNAVAILABLE]
    assert isinstance(found[-1].attempts[0].error, BudgetExceeded)
    assert len(upstream.requests) == 2
    assert budget.left() == {"searches": 0}


async def test_money_is_counted_as_it_was_spent(make_client, upstream):
    """A failed call and a keyless one cost nothing; a good one costs its price."""
    client, budget = make_client("tavily"), Budget(money=1.0, seconds=60)
    upstream.fails("tavily", faults.status(500), times=1)

    found = await client.search("otters", budget=budget)

    assert len(upstream.requests) == 2
    assert found.cost > 0
    assert [a.cost for a in found.attempts] == [0.0, found.cost]
    assert budget.left()["money"] == pytest.approx(1.0 - found.cost)
    assert budget.left()["seconds"] < 60

    keyless = make_client("tavily", env={"TAVILY_API_KEY": ""})
    await keyless.search("otters", budget=budget)
    assert budget.left()["money"] == pytest.approx(1.0 - found.cost)


@pytest.mark.parametrize(
    ("fault", "searches"), [(faults.empty(), 1), (faults.status(422), 1), (None, 0)]
)
async def test_a_budget_pays_for_what_reached_the_web(make_client, upstream, fault, searches):
    """A request that reached nobody is given back."""
    nobody = {} if fault else {"env": {"TAVILY_BASE_URL": "http://127.0.0.1:9"}}
    upstream.fails("tavily", fault or faults.empty())
    budget = Budget(searches=9)

    await make_client("tavily", retry_budget=0.0, **nobody).search("otters", budget=budget)

    assert budget.left() == {"searches": 9 - searches}


async def test_a_run_that_has_used_up_its_seconds_is_over(make_client, upstream):
    """Seconds are a budget like searches and money."""
    budget = Budget(seconds=0.02)
    upstream.fails("tavily", faults.delay(0.03), times=1)
    client = make_client("tavily")

    first = await client.search("otters", budget=budget)
    second = await client.search("beavers", budget=budget)

    assert first.outcome is Outcome.FOUND
    assert isinstance(second.attempts[0].error, BudgetExceeded)
    assert not second.attempts[0].sent


@pytest.mark.parametrize("budget", [{"searches": 0}, {"seconds": 0.0009}, {"money": 0.001}])
async def test_a_budget_that_is_too_small_for_one_request_asks_nobody(
    make_client, upstream, budget
):
    """A thousandth of a second is sure to be taken, and so is the price."""
    (tried,) = (await make_client("tavily").search("otters", budget=Budget(**budget))).attempts

    assert (type(tried.error), tried.sent) == (BudgetExceeded, False)
    assert upstream.requests == []


async def test_somebody_elses_bug_does_not_take_the_rest_along(make_client, monkeypatch, caplog):
    """A provider that raises whatever it likes is one failed attempt; the log says where.

    Neither holds the key or the query.
    """

    def broken(provider: Provider, query: Query, key: str) -> Request:
        raise ZeroDivisionError(f"{query.text} {key}")

    monkeypatch.setattr(provider_class("tavily"), "request", broken)
    client = make_client("tavily", "brave", env={"TAVILY_API_KEY": "tvly-key-1"})

    with caplog.at_level("DEBUG", logger="kensaku"):
        found = await client.search("otters")

    assert found.outcome is Outcome.FOUND
    error = found.attempts[0].error
    assert isinstance(error, Unreadable)
    assert "ZeroDivisionError" in str(error)
    assert re.search(r"tavily: ZeroDivisionError at .*test_attempt\.py:\d+", caplog.text)
    assert "brave: answered in" in caplog.text
    for secret in ("otters", "tvly-key-1"):
        assert secret not in caplog.text + str(error)


async def test_a_refusal_repeats_neither_the_key_nor_the_query(make_client, upstream):
    """An upstream may quote both; who reads the error may be anybody."""
    said = {"detail": {"error": "no otters with tvly-key-1"}}
    upstream.fails("tavily", faults.status(400, said))

    found = await make_client("tavily", env={"TAVILY_API_KEY": "tvly-key-1"}).search("otters")

    assert isinstance(found.attempts[0].error, BadQuery)
    assert "no … with …" in str(found.attempts[0].error)


@pytest.mark.parametrize(
    ("name", "env", "said"),
    [
        ("google", {"GOOGLE_CX": "", "GOOGLE_CSE_ID": ""}, "it needs cx; set "),
        ("searxng", {"SEARXNG_BASE_URL": ""}, "it has no address; set SEARXNG_BASE_URL"),
    ],
)
async def test_what_a_provider_needs_is_named(make_client, name, env, said):
    """Before a turn is waited for."""
    (tried,) = (await make_client(name, env=env).search("otters")).attempts

    assert (type(tried.error), tried.sent) == (NotConfigured, False)
    assert said in str(tried.error)


# --- keys that are left alone

REFUSALS = (400, 401, 429, 503)


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (faults.status(432), 900),
        (faults.status(432, headers={"Retry-After": "7"}), 7),
        *((faults.status(code, headers={"Retry-After": "50"}), 50) for code in REFUSALS),
        (faults.html(), 120),
        (faults.status(400), None),
    ],
)
async def test_a_refusal_says_how_long_a_key_is_left_alone(
    make_client, upstream, later, fault, seconds
):
    """As long as the upstream asks, or as the rule says for a key that has not worked yet."""
    upstream.fails("tavily", fault, times=1)
    client = make_client("tavily", "brave")
    await client.search("otters", cache=False)
    if seconds:
        later(seconds - 2)
        waiting = await client.search("otters", cache=False)
        assert isinstance(waiting.attempts[0].error, Cooling)
        later(3)

    assert (await client.search("otters", cache=False)).hits[0].provider == "tavily"
