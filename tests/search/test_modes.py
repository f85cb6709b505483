"""The modes `hedge` and `all`."""

from __future__ import annotations

import asyncio

import pytest

from kensaku import Outcome
from kensaku.errors import RateLimited, Timeout
from kensaku.models import Hit
from kensaku.search.listen import PartialHits, listening
from kensaku.testing import faults
from tests.search.support import hit, noticed, turns


async def test_all_are_asked_at_once_and_fused(make_client, upstream):
    """The same page found by two counts for more, and stands once."""
    upstream.answers("tavily", [hit("t"), hit("both")])
    upstream.answers("exa", [hit("e"), hit("both")])

    found = await make_client("tavily", "exa", mode="all").search("otters")

    assert found.hits[0].url == "https://both.example/"
    assert len(found.hits) == 3
    assert {s.provider for s in found.hits[0].sources} == {"tavily", "exa"}
    assert found.hits[0].explain.agreement == 2
    assert not found.partial


async def test_engines_that_resell_one_index_agree_only_once(make_client, upstream):
    """Serper, SerpApi and Google are one opinion."""
    upstream.answers("serper", [hit("x"), hit("google")])
    upstream.answers("serpapi", [hit("y"), hit("google")])
    upstream.answers("exa", [hit("exa"), hit("z")])

    found = await make_client("serper", "serpapi", "exa", mode="all").search("otters")

    google = next(h for h in found.hits if "google" in h.url)
    assert {s.index for s in google.sources} == {"google"}
    assert google.explain.agreement == 1
    assert found.hits[0].url != google.url


async def test_one_host_does_not_fill_the_list(make_client, upstream):
    """At most `per_domain` of a host come first; the rest follow at the end."""
    same = [
        Hit(url=f"https://big.example/{n}", title=f"Otters {n}", content=f"otters {n}")
        for n in range(6)
    ]
    upstream.answers("tavily", [*same, hit("small")])

    found = await make_client("tavily", mode="all", rank_per_domain=2).search(
        "otters", max_results=5
    )

    hosts = [h.url.split("/")[2] for h in found.hits]
    assert hosts == ["big.example", "big.example", "small.example", "big.example", "big.example"]


async def test_at_the_deadline_what_is_there_comes_back(make_client, upstream, clock):
    """Who has not answered is left out, and named."""
    upstream.fails("exa", faults.hang())
    heard: list[object] = []
    clock.stop()
    with listening(heard.append):
        client = make_client("tavily", "exa", mode="all")
        task = asyncio.create_task(client.search("otters", timeout=30))
    await noticed(lambda: upstream.asked("exa") and any(isinstance(e, PartialHits) for e in heard))

    clock.advance(30)
    await noticed(task.done)

    found = task.result()
    assert found.outcome is Outcome.FOUND
    assert found.partial
    assert {a.provider: type(a.error) for a in found.attempts} == {
        "tavily": type(None),
        "exa": Timeout,
    }
    assert found.confidence.factors.partial


async def test_a_wrong_query_for_one_does_not_stop_the_others_of_all(make_client, upstream):
    """They were asked at the same time."""
    upstream.fails("tavily", faults.status(400))

    found = await make_client("tavily", "exa", mode="all").search("otters")

    assert found.outcome is Outcome.FOUND


async def test_a_fast_first_needs_no_second(make_client, upstream, clock):
    """Hedging costs nothing while all is well."""
    client = make_client("tavily", "brave", mode="hedge")
    clock.stop()

    for n in range(20):
        task = asyncio.create_task(client.search(f"otters {n}"))
        await noticed(task.done)

    assert not upstream.asked("brave")


async def test_hedging_is_bounded(make_client, upstream, clock):
    """When all are slow, twice the calls are no medicine: 5 in 100, and two to begin.

    Without leave for a second, the search waits for the first.
    """
    client = make_client("tavily", "brave", mode="hedge")
    upstream.fails("tavily", faults.delay(2))
    clock.stop()

    for n in range(40):
        task = asyncio.create_task(client.search(f"otters {n}", timeout=300))
        await noticed(lambda n=n: len(upstream.asked("tavily")) == n + 1)
        while not task.done():
            clock.advance(0.25)
            await turns(20)
        assert task.result().outcome is Outcome.FOUND

    assert 1 <= len(upstream.asked("brave")) <= 2 + 40 * 0.05


async def test_when_the_first_fails_the_second_starts_at_once(make_client, upstream, clock):
    """However many failed before: no leave is needed to go on to the next."""
    client = make_client("tavily", "brave", mode="hedge")
    upstream.fails("tavily", faults.status(422))
    clock.stop()

    for n in range(8):
        task = asyncio.create_task(client.search(f"otters {n}"))
        await noticed(task.done)
        assert [a.provider for a in task.result().attempts] == ["tavily", "brave"]


# --- a rate limit


@pytest.mark.parametrize("mode", ["hedge", "all"])
async def test_a_short_rate_is_waited_for_in_every_mode(mode, make_client, upstream):
    """Whoever said "in a moment" is asked again, though another has answered or could."""
    limited = faults.status(429, headers={"Retry-After": "0.02"})
    upstream.fails("tavily", limited, times=1)
    upstream.fails("brave", faults.status(401))

    found = await make_client("tavily", "brave", mode=mode).search("otters")

    tavily = [type(a.error) for a in found.attempts if a.provider == "tavily"]
    assert tavily == [RateLimited, type(None)]
    assert {hit.provider for hit in found.hits} == {"tavily"}


async def test_one_that_waits_for_its_rate_is_still_fused_with_the_others(make_client, upstream):
    """In mode `all` nobody's result is given up for a moment's wait."""
    upstream.answers("tavily", [hit("t")])
    upstream.answers("exa", [hit("e")])
    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "0.02"}), times=1)

    found = await make_client("tavily", "exa", mode="all").search("otters")

    assert {h.provider for h in found.hits} == {"tavily", "exa"}
