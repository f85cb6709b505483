"""What was found is kept: for whom, for how long, and what never is."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import fields, replace
from datetime import date

import pytest

from kensaku import Outcome, Query
from kensaku._single_flight import SingleFlight
from kensaku.errors import CalledOff, InvalidQuery, Outage
from kensaku.models import Attempt, Hit, Image, Response, Source
from kensaku.providers import provider_class
from kensaku.search.cache import Cache, worth_keeping
from kensaku.store import MemoryStore
from kensaku.testing import FakeUpstream, faults, load_sample
from tests.search.support import turns

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


@pytest.mark.parametrize("name", [f.name for f in fields(Query)])
async def test_a_search_that_differs_in_one_field_is_another_search(name, make_client):
    """A new field without a value here fails this test, as it should."""
    change = {name: OTHER[name]}
    if name == "time_range":
        change |= {"start_date": None, "end_date": None}
    plain = replace(FULL, start_date=None, end_date=None) if name == "time_range" else FULL
    client = make_client("tavily")

    found = [await client.search(query) for query in (plain, plain, replace(plain, **change))]

    assert [r.cached for r in found] == [False, True, False]


async def test_another_route_or_mode_of_one_call_is_another_search(make_client):
    """With one client, in any order."""
    client = make_client("tavily", "brave", "exa")
    routes = [
        {"route": "tavily"}, {"route": "tavily,brave"}, {"route": "brave,tavily"},
        {"route": "tavily,brave", "mode": "all"}, {"route": "exa"},
    ]  # fmt: skip

    first = [(await client.search("papers on sea otters", **route)).cached for route in routes]
    again = [(await client.search("papers on sea otters", **route)).cached for route in routes]

    assert (first, again) == ([False] * 5, [True] * 5)


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


async def test_what_changes_the_answer_is_not_shared(make_client, upstream):
    """Tenant, providers with their addresses and options, ranking and mode, over one file."""
    async with FakeUpstream() as other:
        different = [
            {},
            {"tenant": "t"},
            {"tenant": "t'"},
            {"tenant": "t\x1eotters"},
            {"route": ("brave",)},
            {"route": ("tavily", "brave")},
            {"mode": "all"},
            {"rank_per_domain": 1},
            {"rank_undated": "drop"},
            {"rank_block_domains": ("spam.example",)},
            {"at": other},
            {"route": ("google",)},
            {"route": ("google",), "env": {"GOOGLE_CX": "another"}},
        ]

        async def search(settings: dict) -> bool:
            names = settings.get("route", ("tavily",))
            options = {k: v for k, v in settings.items() if k != "route"}
            response = await make_client(*names, cache_url="", **options).search("otters")
            assert response.outcome is Outcome.FOUND
            return response.cached

        assert [await search(settings) for settings in different] == [False] * len(different)
        assert [await search(settings) for settings in different] == [True] * len(different)


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
            await asyncio.Event().wait()
        finally:
            ended.set()

    tasks = [asyncio.create_task(flights.join("k", work, bool)) for _ in range(3)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    await turns(5)
    assert ended.is_set()


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


async def test_when_nobody_can_search_the_old_answer_stands_in_and_says_so(
    make_client, upstream, later
):
    """Stale-if-error: marked, with a note, less confidence, and the attempts of now.

    It is not kept as a new one, or it would live for ever: after its time it is gone.
    """
    client = make_client("tavily", cache_ttl=60, cache_stale=7_200)
    fresh = await client.search("otters")
    upstream.fails("tavily", faults.status(503))
    later(3_600)

    found = await client.search("otters")

    assert found.outcome is Outcome.FOUND
    assert (found.stale, found.cached) == (True, True)
    assert found.hits == fresh.hits
    assert "nobody could search" in found.notes[-1]
    assert " 60 minutes ago" in found.notes[-1]
    assert found.confidence.factors.stale
    assert found.confidence.score < fresh.confidence.score
    assert all(isinstance(a.error, Outage) for a in found.attempts)
    later(7_200)
    gone = await client.search("otters")
    assert (gone.outcome, gone.stale, gone.hits) == (Outcome.UNAVAILABLE, False, ())


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
        (response(attempts=(Attempt("tavily", Outcome.FOUND, sent=False),)), False),
        (
            response(
                attempts=(
                    Attempt("brave", Outcome.UNAVAILABLE, CalledOff("brave", "x")),
                    Attempt("tavily", Outcome.FOUND),
                )
            ),
            True,
        ),
    ],
    ids="found empty unavailable partial stale local failed skipped unsent called-off".split(),
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


@pytest.fixture(params=["memory", "store"])
async def read(request, later):
    """`read("fresh", response, age)`: what is left of a response after so many seconds."""
    later.stop()

    async def reading(how: str, kept: Response, age: float) -> Response | None:
        store = MemoryStore()
        cache = Cache(store, TTL, STALE)
        await cache.keep("hits:k", kept)
        if request.param == "store":
            cache = Cache(store, TTL, STALE)  # another process
        later(age)
        return await getattr(cache, how)("hits:k", Query("otters"))

    return reading


TTL, STALE = 1_000.0, 5_000.0


@pytest.mark.parametrize(
    ("how", "outcome", "age", "there"),
    [
        ("fresh", Outcome.FOUND, 0, True),
        ("fresh", Outcome.FOUND, TTL, True),
        ("fresh", Outcome.FOUND, TTL + 1, False),
        ("fresh", Outcome.EMPTY, 299, True),  # what was not there may be there soon
        ("fresh", Outcome.EMPTY, 301, False),
        ("stale", Outcome.FOUND, 0, True),
        ("stale", Outcome.FOUND, TTL + STALE, True),
        ("stale", Outcome.FOUND, TTL + STALE + 1, False),
        ("fresh", Outcome.FOUND, -0.5, True),  # a small step of the clock is no age
        ("fresh", Outcome.FOUND, -1, False),  # the clock was put back: nobody knows how old it is
        ("stale", Outcome.FOUND, -1.5, False),
    ],
)
async def test_an_entry_lives_for_its_time(read, how, outcome, age, there):
    """To the second, from memory and from the store; nothing found is looked up sooner."""
    found = await read(how, response(outcome), age)

    assert (found is not None) is there
    assert not there or found.stale is (how == "stale")


async def test_nothing_is_never_kept_longer_than_something(later):
    """When the TTL is shorter than five minutes, it holds for both."""
    cache = Cache(MemoryStore(), 10, 0)
    await cache.keep("hits:k", response(Outcome.EMPTY))
    later(12)

    assert await cache.fresh("hits:k", Query("otters")) is None


async def test_a_small_step_back_of_the_clock_is_no_age(later):
    """Not even where entries live for less than a second."""
    later.stop()
    cache = Cache(MemoryStore(), 0.5, 0)
    await cache.keep("hits:k", response())
    later(-0.9)

    assert await cache.fresh("hits:k", Query("otters"))


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"null", b'{"hits": [{}], "at": 1}', b"\xff"])
async def test_what_cannot_be_read_is_as_good_as_nothing(raw):
    """Half a file, or one of another version."""
    store = MemoryStore()
    await store.put("hits:k", raw, 60)

    assert await Cache(store, TTL, STALE).fresh("hits:k", Query("otters")) is None


async def test_what_was_read_is_in_memory_and_memory_is_bounded():
    """The oldest goes first; the others are in the store."""
    store = MemoryStore()
    cache = Cache(store, TTL, STALE)
    for n in range(1_025):
        await cache.keep(f"hits:{n}", response())

    assert cache.remembered("hits:0") is None
    assert cache.remembered("hits:1")
    assert await cache.fresh("hits:0", Query("otters"))
    assert cache.remembered("hits:0")


async def test_hits_and_misses_are_those_of_all_processes():
    """Counted once each, written with what is kept or when it is asked for."""
    store = MemoryStore()
    one, other = Cache(store, TTL, STALE), Cache(store, TTL, STALE)
    assert one.remembered("hits:k") is None  # who is not served from memory is counted later
    await one.fresh("hits:k", Query("otters"))
    await one.keep("hits:k", response())
    assert await other.counts() == {"hits": 0, "misses": 1}
    assert one.remembered("hits:k")
    await other.fresh("hits:k", Query("otters"))
    for cache in (one, other, one):
        await cache.write_counts()

    assert await one.counts() == await other.counts() == {"hits": 2, "misses": 1}
    assert await one.counts() == {"hits": 2, "misses": 1}


async def test_clearing_removes_responses_pages_and_robots_and_nothing_else():
    """A budget or a cooldown is no cache."""
    store = MemoryStore()
    cache = Cache(store, TTL, STALE)
    await cache.keep("hits:k", response())
    for key in ("page:x", "robots:x", "cool:x"):
        await store.put(key, b"1", 60)
    assert (await cache.size())[0] == 1

    assert await cache.clear() == 3

    assert await cache.fresh("hits:k", Query("otters")) is None
    assert await store.get(["page:x", "robots:x", "cool:x"]) == [None, None, b"1"]


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


@pytest.mark.parametrize(
    ("hits", "answer", "outcome"),
    [
        ((Hit("https://a.example/", "獺", sources=(Source("tavily", 3, 0.5),)),), "They do.",
         Outcome.FOUND),
        ((), "They do.", Outcome.FOUND),
        ((), None, Outcome.EMPTY),
    ],
)  # fmt: skip
async def test_what_is_read_back_is_what_was_written(hits, answer, outcome):
    """Hits, answer and who gave it, images, who was asked, notes; and the query of whoever asks."""
    store = MemoryStore()
    skipped = Attempt("brave", Outcome.UNAVAILABLE, Outage("brave", "x"), sent=False)
    asked = Attempt("tavily", outcome, elapsed_ms=12.5, key=2, cost=0.5, hits=len(hits))
    written = Response(
        Query("otters"), outcome, hits, answer, answer and "tavily", attempts=(asked, skipped),
        notes=("a note",), images=(Image("https://a.example/i.png", "An otter"),),
    )  # fmt: skip
    await Cache(store, TTL, STALE).keep("hits:k", written)

    read = await Cache(store, TTL, STALE).fresh("hits:k", Query("OTTERS"))

    paid = replace(asked, cost=0.0)  # once
    assert read == replace(written, query=Query("OTTERS"), cached=True, attempts=(paid,))


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


async def test_hits_and_misses_are_counted_for_thirty_days():
    """Longer would say nothing about the settings of now."""
    now = 0.0
    cache = Cache(MemoryStore(clock=lambda: now), TTL, STALE)
    await cache.fresh("hits:k", Query("otters"))
    await cache.write_counts()

    now = 30 * 86_400 - 1
    assert await cache.counts() == {"hits": 0, "misses": 1}
    now += 2
    assert await cache.counts() == {"hits": 0, "misses": 0}
