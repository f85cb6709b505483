"""What was found is kept: for whom, for how long, and what never is."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import fields, replace
from datetime import date

import pytest

from kensaku import Budget, Outcome, Query, Settings
from kensaku._resources import Resources
from kensaku.errors import InvalidQuery, Outage
from kensaku.models import Attempt, Hit, Response, Source
from kensaku.providers import provider_class
from kensaku.search.cache import EMPTY_SECONDS, Cache, SingleFlight, worth_keeping
from kensaku.search.route import plan
from kensaku.search.run import Run
from kensaku.store import MemoryStore
from kensaku.testing import faults, load_sample

FULL = Query(
    "otters",
    max_results=7,
    depth="advanced",
    topic="news",
    start_date="2026-01-01",
    end_date="2026-02-01",
    include_domains=("a.example",),
    exclude_domains=("b.example",),
    country="jp",
    language="ja",
    include_answer=True,
    include_raw_content=True,
    collection="docs",
)
OTHER = {
    "text": "beavers",
    "max_results": 8,
    "depth": "fast",
    "topic": "finance",
    "time_range": "week",
    "start_date": date(2026, 1, 2),
    "end_date": date(2026, 2, 2),
    "include_domains": ("c.example",),
    "exclude_domains": ("c.example",),
    "country": "de",
    "language": "de",
    "include_answer": False,
    "include_raw_content": False,
    "collection": "other",
    "min_score": 0.5,
    "include_images": True,
}


def key_of(query, environ=None, route="tavily", **settings):
    """The key of a search with these settings."""
    loaded = Settings.load(
        environ={"KENSAKU_HOME": "/nowhere", **(environ or {})}, route=route, **settings
    )
    return Run(Resources(loaded), query, plan(loaded), 0.0, Budget()).cache_key


@pytest.mark.parametrize("name", [f.name for f in fields(Query)])
def test_every_field_of_a_query_is_in_the_key(name):
    """A new field without a value here fails this test, as it should."""
    change = {name: OTHER[name]}
    if name == "time_range":
        change |= {"start_date": None, "end_date": None}
    plain = replace(FULL, start_date=None, end_date=None) if name == "time_range" else FULL

    assert key_of(plain) == key_of(replace(plain))
    assert key_of(plain) != key_of(replace(plain, **change))


def test_tenant_and_route_are_in_the_key():
    """One tenant's results are no other's; another host is another answer."""
    query = Query("otters")
    different = [
        {},
        {"tenant": "t"},
        {"tenant": "t'"},
        {"tenant": "t\x1eotters"},
        {"route": "brave"},
        {"route": "tavily,brave"},
        {"mode": "all"},
        {"rank_per_domain": 1},
        {"rank_undated": "drop"},
        {"rank_block_domains": "spam.example"},
        {"environ": {"TAVILY_BASE_URL": "http://127.0.0.1:1"}},
        {"environ": {"TAVILY_BASE_URL": "http://127.0.0.1:2"}},
    ]

    assert len({key_of(query, **settings) for settings in different}) == len(different)


async def test_the_second_search_is_answered_from_the_cache(make_client, upstream):
    """Marked, with the same hits, and nothing is sent."""
    client = make_client("tavily")

    first = await client.search("otters")
    second = await client.search("otters")

    assert (first.cached, second.cached) == (False, True)
    assert second.hits == first.hits
    assert second.confidence == first.confidence
    assert len(upstream.requests) == 1


async def test_another_process_finds_the_same(make_client, upstream):
    """What is read from the file equals what was written, to the last field."""
    upstream.answers(
        "tavily",
        [
            Hit(url="https://a.example/", title="Otters", content="Otters swim", score=0.0),
            Hit(url="https://b.example/", title="More", published="2026-01-31", score=0.5),
        ],
    )
    settings = {"cache_url": ""}

    first = await make_client("tavily", **settings).search("otters")
    second = await make_client("tavily", **settings).search("otters")

    assert second.cached
    assert second.hits == first.hits
    assert second.hits[0].score == 0.0
    assert second.confidence == first.confidence
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(
    "settings",
    [{"tenant": "other"}, {"rank_per_domain": 1}, {"rank_undated": "drop"}, {"mode": "all"}],
)
async def test_what_changes_the_answer_is_not_shared(settings, make_client, upstream):
    """Tenant, ranking and mode, over one file."""
    await make_client("tavily", cache_url="").search("otters")

    found = await make_client("tavily", cache_url="", **settings).search("otters")

    assert not found.cached
    assert len(upstream.requests) == 2


async def test_without_the_cache_everything_is_asked_and_nothing_written(
    make_client, upstream, machine
):
    """`--no-cache`."""
    client = make_client("tavily", cache_url="")

    await client.search("otters", cache=False)
    await client.search("otters", cache=False)

    assert len(upstream.requests) == 2
    assert not (machine / "cache.sqlite").exists()


async def test_a_thousand_equal_searches_are_one_call(make_client, upstream):
    """Single flight."""
    client = make_client("tavily")

    found = await asyncio.gather(*(client.search("otters") for _ in range(1000)))

    assert len(upstream.requests) == 1
    assert all(r.hits == found[0].hits for r in found)


async def test_a_leader_who_gives_up_leaves_the_others_their_answer(make_client, upstream):
    """The flight goes on as long as anybody waits for it."""
    upstream.fails("tavily", faults.delay(0.03))
    client = make_client("tavily")
    tasks = [asyncio.create_task(client.search("otters")) for _ in range(100)]
    await asyncio.sleep(0.01)

    tasks[0].cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)

    assert isinstance(found[0], asyncio.CancelledError)
    assert all(r.outcome is Outcome.FOUND for r in found[1:])
    assert len(upstream.requests) == 1


async def test_a_leader_whose_flight_fails_does_not_take_the_others_along(make_client, upstream):
    """Its trouble may have been its own: one of the others flies once more, for all of them."""
    upstream.fails("tavily", faults.status(400), times=1)
    client = make_client("tavily")

    found = await asyncio.gather(*(client.search("otters") for _ in range(100)))

    assert [r.outcome for r in found].count(Outcome.UNAVAILABLE) == 1
    assert len(upstream.requests) == 2


async def test_a_flight_that_everybody_has_left_is_called_off():
    """Nobody pays for an answer that nobody wants."""
    flights, ended = SingleFlight(), asyncio.Event()

    async def work():
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    tasks = [asyncio.create_task(flights.join("k", work, bool)) for _ in range(3)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    async with asyncio.timeout(1):
        await ended.wait()
    assert not flights._flights


async def test_an_error_of_the_leader_is_raised_to_all_after_one_more_try():
    """Two flights at most, however many wait."""
    flights, flown = SingleFlight(), []

    async def work():
        flown.append(1)
        await asyncio.sleep(0)
        raise InvalidQuery("no")

    found = await asyncio.gather(
        *(flights.join("k", work, bool) for _ in range(50)), return_exceptions=True
    )

    assert all(isinstance(e, InvalidQuery) for e in found)
    assert len(flown) == 2


# --- stale


async def test_when_nobody_can_search_the_old_answer_stands_in_and_says_so(make_client, upstream):
    """Stale-if-error: marked, with a note, less confidence, and the attempts of now."""
    client = make_client("tavily", cache_ttl=0)
    fresh = await client.search("otters")
    upstream.fails("tavily", faults.status(503))

    found = await client.search("otters")

    assert found.outcome is Outcome.FOUND
    assert found.stale
    assert found.hits == fresh.hits
    assert "nobody could search" in found.notes[-1]
    assert found.confidence.factors.stale
    assert found.confidence.score < fresh.confidence.score
    assert all(isinstance(a.error, Outage) for a in found.attempts)


async def test_after_its_time_even_the_stale_answer_is_gone(make_client, upstream):
    """An answer of last year is no answer."""
    client = make_client("tavily", cache_ttl=0, cache_stale=0)
    await client.search("otters")
    upstream.fails("tavily", faults.status(503))

    found = await client.search("otters")

    assert found.outcome is Outcome.UNAVAILABLE
    assert not found.stale


async def test_a_stale_answer_is_not_kept_as_a_new_one(make_client, upstream):
    """Or it would live for ever."""
    client = make_client("tavily", cache_ttl=0)
    await client.search("otters")
    upstream.fails("tavily", faults.status(401))
    before = dict(client._resources.cache._memory)

    await client.search("otters")

    assert dict(client._resources.cache._memory) == before


# --- what is kept


def response(outcome=Outcome.FOUND, attempts=(), **more) -> Response:
    asked = attempts or (Attempt("tavily", outcome),)
    hits = (Hit("https://a.example/", "A"),) if outcome is Outcome.FOUND else ()
    return Response(Query("otters"), outcome, hits, attempts=asked, **more)


@pytest.mark.parametrize(
    ("made", "kept"),
    [
        (response(), True),
        (response(Outcome.EMPTY), True),
        (response(Outcome.UNAVAILABLE), False),
        (response(partial=True), False),
        (response(stale=True), False),
        (response(attempts=(Attempt("local", Outcome.FOUND),)), False),
        (
            response(
                attempts=(
                    Attempt("brave", Outcome.UNAVAILABLE, Outage("brave", "down")),
                    Attempt("tavily", Outcome.FOUND),
                )
            ),
            False,
        ),
        (
            response(
                attempts=(
                    Attempt("brave", Outcome.UNAVAILABLE, Outage("brave", "down"), sent=False),
                    Attempt("tavily", Outcome.FOUND),
                )
            ),
            True,
        ),
    ],
    ids="found empty unavailable partial stale local failed skipped".split(),
)
def test_what_is_worth_keeping(made, kept):
    """Never `unavailable`, nothing partial, nothing that a failing provider had a part in."""
    assert worth_keeping(made, provider_class) is kept


async def test_unavailable_is_never_kept(make_client, upstream):
    """The next search asks again, and finds."""
    upstream.fails("tavily", faults.status(400), times=1)
    client = make_client("tavily")

    first = await client.search("otters")
    second = await client.search("otters")

    assert (first.outcome, second.outcome) == (Outcome.UNAVAILABLE, Outcome.FOUND)
    assert not second.cached


async def test_nothing_is_looked_up_again_sooner_than_something():
    """What was not there an hour ago may be there now."""
    cache = Cache(MemoryStore(), 3600, 86400)
    await cache.keep("found", response())
    await cache.keep("empty", response(Outcome.EMPTY))
    for key in ("found", "empty"):
        at, kept = cache._memory[key]
        cache._memory[key] = (at - EMPTY_SECONDS - 1, kept)

    assert await cache.fresh("found", Query("otters")) is not None
    assert await cache.fresh("empty", Query("otters")) is None


async def test_what_is_written_holds_no_query(make_client, upstream, machine):
    """The file may be read by whoever has the disk."""
    upstream.answers("tavily", [Hit(url="https://a.example/", title="T", content="C")])
    client = make_client("tavily", cache_url="", state_url="")

    await client.search("a very private question", include_domains=["a.example"])
    await client.close()

    written = b"".join(p.read_bytes() for p in machine.iterdir())
    assert b"private" not in written
    assert b"https://a.example/" in written


async def test_what_another_version_wrote_is_as_good_as_nothing(make_client, upstream, machine):
    """An upgrade must not fail for an old file."""
    client = make_client("tavily", cache_url="")
    await client.search("otters")
    await client.close()
    with sqlite3.connect(machine / "cache.sqlite") as db:
        db.execute("UPDATE entries SET v = ?", (b'{"at": 1, "hits": [{"nonsense": 1}]}',))
    db.close()

    found = await make_client("tavily", cache_url="").search("otters")

    assert found.outcome is Outcome.FOUND
    assert not found.cached


async def test_the_cache_can_be_counted_and_cleared(make_client):
    """`kensaku cache` and `kensaku cache clear`."""
    client = make_client("tavily", cache_url="")
    await client.search("otters")
    await client.search("beavers")

    count, size = await client._resources.cache.size()
    assert count == 2
    assert size > 100
    assert await client._resources.cache.clear() == 2
    assert not (await client.search("otters")).cached


async def test_sources_survive_the_file():
    """Who listed a hit, and how high."""
    store = MemoryStore()
    kept = replace(
        response(), hits=(Hit("https://a.example/", "A", sources=(Source("tavily", 3, 0.5),)),)
    )
    await Cache(store, 60, 60).keep("k", kept)

    found = await Cache(store, 60, 60).fresh("k", Query("otters"))

    assert found.hits == kept.hits


# --- what a cached response still knows


@pytest.mark.parametrize("store", ["memory", "file"])
async def test_a_cached_response_knows_who_was_asked_and_whose_index_it_is(
    store, make_client, upstream
):
    """Attempts without their cost, families of indexes, answer, notes: from memory and file."""
    upstream.answers("tavily", body={**load_sample("tavily").body, "answer": "Otters do."})
    settings = {"mode": "all", "cache_url": "memory:" if store == "memory" else ""}
    route = ("tavily", "serper", "serpapi", "wikipedia")
    one = make_client(*route, **settings)
    other = one if store == "memory" else make_client(*route, **settings)

    first = await one.search("otters", max_results=20, include_answer=True, country="jp")
    cached = await other.search("otters", max_results=20, include_answer=True, country="jp")

    assert (first.cached, cached.cached) == (False, True)
    asked = sorted((a.provider, a.outcome, a.hits, a.key, a.sent) for a in first.attempts)
    assert len(asked) == 4
    assert asked == sorted((a.provider, a.outcome, a.hits, a.key, a.sent) for a in cached.attempts)
    families = {s.provider: s.index for h in cached.hits for s in h.sources}
    assert families["serper"] == families["serpapi"] == "google"
    assert families["tavily"] != "google"
    assert first.cost > cached.cost == 0
    assert (cached.answer, cached.answered_by) == (first.answer, first.answered_by)
    assert cached.answer
    assert cached.notes == first.notes
    assert cached.notes
    assert cached.query == first.query
    assert cached.hits == first.hits
