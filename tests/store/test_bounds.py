"""Stores at their bounds, with a clock that a test sets: when entries end, turns come, files shrink."""

from __future__ import annotations

import sqlite3

import pytest

from kensaku.store import MemoryStore, SqliteStore, ValkeyStore


class Clock:
    """A clock that a test sets."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
async def store(request, tmp_path):
    """A store, and the clock that it reads."""
    clock = request.getfixturevalue("clock")
    if request.param == "memory":
        made = MemoryStore(clock=clock)
    else:
        made = SqliteStore(tmp_path / "s.sqlite", clock=clock)
    yield made, clock
    await made.close()


async def test_a_value_ends_at_its_time_and_not_before(store):
    """At that very instant it is gone."""
    state, clock = store
    await state.put("a", b"1", 10)
    await state.add("n", 1, 10)

    clock.now += 9.5
    assert await state.get(["a"]) == [b"1"]
    assert await state.add("n", 1, 10) == 2  # its time began with the first addition
    assert not await state.claim("a", 10)
    clock.now += 0.5
    assert await state.get(["a"]) == [None]
    assert await state.add("n", 1, 10) == 1
    assert await state.claim("a", 10)
    clock.now += 9.5
    assert not await state.claim("a", 10)
    clock.now += 0.5
    assert await state.claim("a", 10)


async def test_turns_to_the_second(store):
    """Two at once, then one every ten seconds; who will not wait so long takes no turn."""
    state, clock = store
    waits = [await state.turn("t", 10, 2, 20) for _ in range(5)]
    assert waits == [0, 0, 10, 20, -30]

    await state.give_back("t", 10)
    assert await state.turn("t", 10, 2, 20) == 20
    clock.now += 15
    assert await state.turn("t", 10, 2, 20) == 15
    clock.now += 10_000
    assert [await state.turn("t", 10, 2, 20) for _ in range(3)] == [0, 0, 10]
    await state.give_back("none", 10)
    assert await state.turn("none", 10, 1, 0) == 0


async def test_a_queue_is_kept_a_minute_longer_than_it_is_needed(store):
    """Its burst, and the wait of the last in it."""
    state, clock = store
    for _ in range(4):
        await state.turn("t", 10, 2, 100)  # the last one waits for 20 s
    clock.now += 99.5
    assert (await state.size("t"))[0] == 1
    await state.forget("t")
    for _ in range(4):
        await state.turn("t", 10, 2, 100)
    clock.now += 100
    if isinstance(state, MemoryStore):
        assert await state.get(["t"]) == [None]


async def test_memory_is_bounded_in_keys_and_bytes(clock, monkeypatch):
    """Over the bound what has expired goes first, then the oldest, to a tenth below it."""
    monkeypatch.setattr(MemoryStore, "MAX_KEYS", 10)
    store = MemoryStore(100, clock=clock)
    for n in range(10):
        await store.put(f"k{n}", b"x", 600)
    assert await store.size("k") == (10, 10)
    await store.put("k10", b"x", 600)
    assert await store.size("k") == (9, 9)
    assert await store.get(["k1", "k2"]) == [None, b"x"]

    await store.forget("k")
    await store.put("old", b"x" * 50, 600)
    await store.put("new", b"x" * 40, 600)
    await store.put("old", b"x" * 60, 600)  # it is the newest now
    assert await store.size("") == (2, 100)
    await store.put("more", b"x", 600)
    assert await store.size("") == (2, 61)
    assert await store.get(["new"]) == [None]
    await store.put("short", b"x" * 39, 5)
    assert await store.size("") == (3, 100)
    clock.now += 5
    await store.put("last", b"x", 600)
    assert await store.size("") == (3, 62)


async def test_counters_have_no_bytes_and_closing_forgets(clock):
    """Only values of the cache are counted."""
    store = MemoryStore(10)
    await store.add("n", 1.5, 600)
    await store.put("a", b"12345", 600)

    assert await store.size("") == (2, 5)
    assert await store.forget("a") == 1
    assert store._bytes == 0
    await store.put("a", b"12345", 600)
    await store.close()
    assert (await store.size(""), store._bytes) == ((0, 0), 0)


async def test_an_entry_that_was_written_in_the_future_does_not_count(tmp_path):
    """The clock was set back; a second is how far the clocks of processes may differ."""
    clock = Clock()
    store = SqliteStore(tmp_path / "s.sqlite", clock=clock)
    await store.put("a", b"1", 600)
    await store.add("n", 5, 600)

    clock.now -= 1
    assert await store.get(["a"]) == [b"1"]
    clock.now -= 1
    assert await store.get(["a"]) == [None]
    assert await store.add("n", 1, 600) == 1
    assert await store.claim("a", 600)
    await store.close()


async def test_a_file_is_bounded_by_deleting_the_oldest(tmp_path):
    """What has expired goes first."""
    clock = Clock()
    store = SqliteStore(tmp_path / "s.sqlite", 200_000, clock=clock)
    for n in range(60):
        clock.now += 1
        await store.put(f"k{n:02}", b"x" * 4_000, 10**6)

    count, size = await store.size("k")
    kept = [v is not None for v in await store.get([f"k{n:02}" for n in range(60)])]
    assert 100_000 < size <= 200_000
    assert kept == [False] * (60 - count) + [True] * count
    await store.close()


async def test_expired_entries_are_deleted_every_thousandth_write_and_when_opened(tmp_path):
    """In passing, and not at every write."""
    clock = Clock()
    path = tmp_path / "s.sqlite"
    store = SqliteStore(path, clock=clock)
    await store.put("old", b"x", 5)
    clock.now += 10
    for n in range(998):
        await store.put(f"k{n}", b"x", 600)
    assert await store.size("old") == (1, 1)
    await store.put("k998", b"x", 600)
    assert await store.size("old") == (0, 0)
    await store.put("old", b"x", 5)
    await store.close()

    clock.now += 10
    again = SqliteStore(path, clock=clock)
    assert await again.size("old") == (0, 0)
    await again.close()


async def test_the_table_of_an_older_version_is_dropped(tmp_path):
    """It had no times of writing."""
    path = tmp_path / "s.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE kv (k, v)")
    db.close()
    store = SqliteStore(path)
    await store.put("a", b"1", 600)
    await store.close()

    with sqlite3.connect(path) as db:
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        columns = [row[2] for row in db.execute("PRAGMA index_info(by_age)")]
    db.close()
    assert names == {"entries", "by_age"}
    assert columns == ["written"]


async def test_keys_on_a_server_have_a_prefix_and_a_time(valkey):
    """The server may be that of an application; what nobody reads goes by itself."""
    from valkey.asyncio import Valkey

    store = ValkeyStore(valkey, clock=Clock())
    await store.forget("")
    await store.put("a", b"1", 1.5)
    await store.put("tiny", b"1", 0.0001)
    await store.claim("c", 2.5)
    await store.add("n", 1, 10)
    waits = [await store.turn("t", 10, 2, 20) for _ in range(5)]
    server = Valkey.from_url(valkey)

    left = {n: await server.pttl(f"kensaku:{n}") for n in ("a", "c", "n", "t")}

    assert waits == [0, 0, 10, 20, -30]
    for name, most in {"a": 1_500, "c": 2_500, "n": 11_000, "t": 100_000}.items():
        assert most - 1_400 < left[name] <= most, name
    await store.give_back("t", 10)
    assert await store.turn("t", 10, 2, 20) == 20
    await server.aclose()
    await store.close()


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("redis://h:1", "valkey://h:1"),
        ("rediss://h:1", "valkeys://h:1"),
        ("valkey://h/redis://", "valkey://h/redis://"),
    ],
)
def test_the_address_of_a_redis_is_one_of_a_valkey(given, used):
    """The client knows its own names alone."""
    assert ValkeyStore(given)._url == used
