"""The cache to the second: when an entry ends, what is written, what is read back."""

from __future__ import annotations

import json
import time

import pytest

from kensaku import Outcome, Query
from kensaku.errors import CalledOff, Outage
from kensaku.models import Attempt, Hit, Response
from kensaku.providers import provider_class
from kensaku.search import cache as module
from kensaku.search.cache import EMPTY_SECONDS, IN_MEMORY, Cache, worth_keeping
from kensaku.store import MemoryStore
from tests.search.test_cache import key_of

QUERY = Query("otters")
HIT = Hit("https://a.example/", "獺")
TTL, STALE = 1_000.0, 5_000.0


class Recording(MemoryStore):
    """A store that keeps everything for ever and writes down what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[object, ...]] = []
        self.values: dict[str, bytes] = {}

    async def get(self, keys):
        self.calls.append(("get", *keys))
        return [self.values.get(k) for k in keys]

    async def put(self, key, value, ttl):
        self.calls.append(("put", key, ttl))
        self.values[key] = value

    async def add(self, key, amount, ttl):
        self.calls.append(("add", key, amount, ttl))
        return 2.6

    async def forget(self, prefix):
        self.calls.append(("forget", prefix))
        return 2

    async def size(self, prefix):
        self.calls.append(("size", prefix))
        return 3, 4


@pytest.fixture
def now(monkeypatch):
    """The time of day, as the cache sees it: `now(3)` is three seconds later."""
    began = at = time.time()

    def later(seconds: float) -> None:
        nonlocal at
        at = began + seconds

    monkeypatch.setattr(module.time, "time", lambda: at)
    return later


def made(**more) -> Response:
    return Response(
        **{"query": QUERY, "outcome": Outcome.FOUND, "hits": (HIT,), "notes": ("a note",), **more}
    )


@pytest.fixture(params=["memory", "store"])
async def read(request, now):
    """`read("fresh", response, age)`: what is left of a response after so many seconds."""

    async def reading(how: str, response: Response, age: float) -> Response | None:
        now(0)
        store = Recording()
        cache = Cache(store, TTL, STALE)
        await cache.keep("hits:k", response)
        if request.param == "store":
            cache = Cache(store, TTL, STALE)
        now(age)
        return await getattr(cache, how)("hits:k", QUERY)

    return reading


@pytest.mark.parametrize(("age", "there"), [(0, True), (TTL, True), (TTL + 1, False)])
async def test_an_entry_is_fresh_for_its_ttl(read, age, there):
    """To the second, from memory and from the store."""
    found = await read("fresh", made(), age)

    assert (found is not None) is there
    assert not there or (found.hits, found.stale, found.notes) == ((HIT,), False, ("a note",))


@pytest.mark.parametrize("age", [EMPTY_SECONDS, EMPTY_SECONDS + 1])
async def test_nothing_is_fresh_for_five_minutes(read, age):
    """It is looked up again sooner than something."""
    found = await read("fresh", made(outcome=Outcome.EMPTY, hits=()), age)

    assert (found is not None) is (age == EMPTY_SECONDS == 300)


async def test_nothing_is_never_kept_longer_than_something(now):
    """When the TTL is shorter than five minutes, it holds for both."""
    now(0)
    cache = Cache(MemoryStore(), 10, 0)
    await cache.keep("hits:k", made(outcome=Outcome.EMPTY, hits=()))
    now(11)

    assert await cache.fresh("hits:k", QUERY) is None


@pytest.mark.parametrize(
    ("age", "there"), [(TTL + 1, True), (TTL + STALE, True), (TTL + STALE + 1, False)]
)
async def test_an_expired_entry_may_stand_in_for_a_while(read, age, there):
    """With a note that says how old it is, after the notes that it had."""
    found = await read("stale", made(), age)

    assert (found is not None) is there
    if found:
        assert (found.stale, found.cached, found.hits) == (True, True, (HIT,))
        minutes = f"{age / 60:.0f}"
        note = f"nobody could search; this is what was found {minutes} minutes ago"
        assert found.notes == ("a note", note)


async def test_what_is_not_there_is_neither_fresh_nor_stale():
    """And the store was asked."""
    store = Recording()

    assert await Cache(store, TTL, STALE).fresh("hits:k", QUERY) is None
    assert await Cache(store, TTL, STALE).stale("hits:k", QUERY) is None
    assert store.calls == [("get", "hits:k")] * 2


async def test_the_store_keeps_an_entry_until_it_may_no_longer_stand_in():
    """After that it is only in the way."""
    store = Recording()

    await Cache(store, TTL, STALE).keep("hits:k", made())

    assert store.calls == [("put", "hits:k", TTL + STALE)]


async def test_the_store_is_asked_once():
    """What was read from it is in memory from then on."""
    store = Recording()
    await Cache(store, TTL, STALE).keep("hits:k", made())
    cache = Cache(store, TTL, STALE)
    store.calls.clear()

    for _ in range(3):
        assert await cache.fresh("hits:k", QUERY)

    assert store.calls == [("get", "hits:k")]


async def test_the_memory_is_bounded_and_the_oldest_goes_first():
    """1,024 responses; the others are in the store."""
    cache = Cache(Recording(), TTL, STALE)

    for n in range(IN_MEMORY + 2):
        await cache.keep(f"hits:{n}", made())

    assert list(cache._memory) == [f"hits:{n}" for n in range(2, 1_026)]


async def test_clearing_removes_responses_pages_and_robots():
    """Everything that is kept under a name of ours, and what is in memory."""
    store = Recording()
    cache = Cache(store, TTL, STALE)
    await cache.keep("hits:k", made())
    store.values.clear()
    store.calls.clear()

    assert await cache.clear() == 6
    assert store.calls == [("forget", "hits:"), ("forget", "page:"), ("forget", "robots:")]
    assert await cache.fresh("hits:k", QUERY) is None


async def test_the_size_is_that_of_the_responses():
    """Pages are counted elsewhere."""
    store = Recording()

    assert await Cache(store, TTL, STALE).size() == (3, 4)
    assert store.calls == [("size", "hits:")]


@pytest.mark.parametrize(
    ("hits", "answer", "outcome"),
    [
        ((HIT,), None, Outcome.FOUND),
        ((), "They do.", Outcome.FOUND),
        ((HIT,), "They do.", Outcome.FOUND),
        ((), None, Outcome.EMPTY),
    ],
)
async def test_what_is_read_back_is_what_was_written(hits, answer, outcome):
    """Hits, answer and who gave it, outcome, attempts, notes; and the query of whoever asks."""
    store = Recording()
    asked = (Attempt("tavily", outcome, elapsed_ms=12.5, key=2, cost=0.5, hits=len(hits)),)
    skipped = Attempt("brave", Outcome.UNAVAILABLE, Outage("brave", "x"), sent=False)
    written = made(
        hits=hits, answer=answer, answered_by=answer and "tavily", outcome=outcome,
        attempts=(*asked, skipped),
    )  # fmt: skip
    await Cache(store, TTL, STALE).keep("hits:k", written)

    read = await Cache(store, TTL, STALE).fresh("hits:k", Query("OTTERS"))

    assert (read.hits, read.answer, read.answered_by) == (hits, answer, written.answered_by)
    assert (read.outcome, read.notes, read.cached) == (outcome, ("a note",), True)
    assert (read.stale, read.partial) == (False, False)
    assert read.query == Query("OTTERS")
    assert read.attempts == (
        Attempt("tavily", outcome, elapsed_ms=12.5, key=2, cost=0.0, hits=len(hits)),
    )


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"null", b'{"hits": [{}], "at": 1}', b"\xff"])
async def test_what_cannot_be_read_is_as_good_as_nothing(raw):
    """Half a file, or one of another version."""
    store = Recording()
    store.values["hits:k"] = raw

    assert await Cache(store, TTL, STALE).fresh("hits:k", QUERY) is None


async def test_what_is_written_is_one_json_object():
    """Other programs may look at it; letters are letters."""
    store = Recording()

    await Cache(store, TTL, STALE).keep("hits:k", made())

    written = store.values["hits:k"]
    names = {"at", "hits", "answer", "answered_by", "images", "attempts", "notes"}
    assert json.loads(written).keys() == names
    assert "獺".encode() in written


def test_a_key_is_short_and_says_what_it_is():
    """`kensaku cache` counts by its beginning."""
    kind, _, digest = key_of(QUERY).partition(":")

    assert kind == "hits"
    assert len(digest) == 32
    assert set(digest) <= set("0123456789abcdef")


def test_an_option_of_a_provider_is_in_the_key():
    """Another search engine of Google's gives other results."""
    keys = {key_of(QUERY, route="google", environ={"GOOGLE_CX": n}) for n in ("a", "b")}

    assert len(keys) == 2


@pytest.mark.parametrize(
    ("attempts", "kept"),
    [
        ((), False),  # nobody was asked
        ((Attempt("tavily", Outcome.FOUND), Attempt("local", Outcome.FOUND)), True),
        ((Attempt("tavily", Outcome.FOUND, sent=False), Attempt("local", Outcome.FOUND)), False),
        ((Attempt("tavily", Outcome.UNAVAILABLE, CalledOff("tavily", "x")),), True),
    ],
    ids=["nobody", "one of them", "not sent", "called off"],
)
def test_one_cacheable_provider_that_was_asked_is_enough(attempts, kept):
    """A hedge that was called off did not fail."""
    assert worth_keeping(made(attempts=attempts), provider_class) is kept


@pytest.mark.parametrize("how", ["fresh", "stale"])
async def test_an_entry_of_the_future_is_not_served(read, how):
    """The clock was put back: nobody knows how old it is."""
    assert await read(how, made(), 0) is not None
    assert await read(how, made(), -1) is None


async def test_hits_and_misses_are_counted_and_added_to_those_of_all_processes():
    """When something is kept or when it is asked for; for thirty days, and each use once."""
    store, days = Recording(), 30 * 86_400
    cache = Cache(store, TTL, STALE)
    await cache.fresh("hits:k", QUERY)
    store.calls.clear()

    await cache.keep("hits:k", made())
    assert store.calls[1:] == [("add", "uses:misses", 1, days)]
    for _ in range(2):
        await cache.fresh("hits:k", QUERY)
    await cache.fresh("hits:other", QUERY)
    store.calls.clear()
    for _ in range(2):
        await cache.write_counts()

    assert store.calls == [("add", "uses:hits", 2, days), ("add", "uses:misses", 1, days)]


async def test_a_response_from_memory_is_a_hit_and_its_absence_is_counted_later():
    """Who is not served from memory asks the store next, and is counted there."""
    store = Recording()
    cache = Cache(store, TTL, STALE)
    assert cache.remembered("hits:k") is None
    await cache.keep("hits:k", made())
    store.calls.clear()

    assert cache.remembered("hits:k") is not None
    await cache.write_counts()

    assert store.calls == [("add", "uses:hits", 1, 30 * 86_400)]


async def test_the_counts_are_read_without_changing_them():
    """Whole numbers, though a store counts in floats."""
    store, days = Recording(), 30 * 86_400

    assert await Cache(store, TTL, STALE).counts() == {"hits": 3, "misses": 3}
    assert store.calls == [("add", "uses:hits", 0, days), ("add", "uses:misses", 0, days)]


@pytest.mark.parametrize(("later", "there"), [(0, True), (0.5, True), (-0.5, True), (-1, False)])
async def test_a_small_step_of_the_clock_does_not_count(now, later, there):
    """Less than a second back is no age at all."""
    now(0)
    cache = Cache(MemoryStore(), 0.5, 0)
    await cache.keep("hits:k", made())
    now(later)

    assert (await cache.fresh("hits:k", QUERY) is not None) is there
