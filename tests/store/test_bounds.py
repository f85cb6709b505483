"""Stores at their bounds, with a clock that a test sets: when entries end, and files shrink."""

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


async def test_the_table_of_an_older_version_is_dropped(tmp_path):
    """It had no times of writing."""
    path = tmp_path / "s.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE kv (k, v)")
    db.close()
    store = SqliteStore(path)
    await store.put("a", b"1", 600)
    assert await store.get(["a"]) == [b"1"]
    await store.close()

    with sqlite3.connect(path) as db:
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    db.close()
    assert "kv" not in names


async def test_keys_on_a_server_have_a_prefix_and_a_time(valkey):
    """The server may be that of an application; what nobody reads goes by itself."""
    from valkey.asyncio import Valkey

    store = ValkeyStore(valkey)
    await store.forget("")
    await store.put("a", b"1", 3_600)
    await store.put("tiny", b"1", 0.0001)
    await store.claim("c", 3_600)
    await store.add("n", 1, 3_600)
    await store.turn("t", 10, 2, 20)
    server = Valkey.from_url(valkey)
    left = {n: await server.ttl(f"kensaku:{n}") for n in ("a", "c", "n", "t")}
    await server.aclose()
    await store.close()

    assert all(0 < seconds <= 3_700 for seconds in left.values()), left


async def test_expired_entries_are_deleted_when_a_file_is_opened(tmp_path):
    """A machine that was off for a week begins with little; `test_sqlite.py` has the other times."""
    clock, path = Clock(), tmp_path / "s.sqlite"
    store = SqliteStore(path, clock=clock)
    await store.put("old", b"x", 5)
    await store.close()

    clock.now += 10
    again = SqliteStore(path, clock=clock)
    assert await again.size("old") == (0, 0)
    await again.close()


async def test_the_address_of_a_redis_will_do(valkey):
    """It is what people have in their environment, and the protocol is the same."""
    store = ValkeyStore(valkey.replace("valkey://", "redis://"))
    await store.put("redis", b"1", 600)
    assert await store.get(["redis"]) == [b"1"]
    await store.close()
