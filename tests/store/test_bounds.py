"""Stores at their bounds, with a clock that a test sets: when entries end, and files shrink."""

from __future__ import annotations

import sqlite3

import pytest

from kensaku.store import MemoryStore, SqliteStore, ValkeyStore


@pytest.fixture(params=["memory", "sqlite"])
async def store(request, tmp_path, clock):
    """A store that reads the clock."""
    if request.param == "memory":
        made = MemoryStore(clock=clock)
    else:
        made = SqliteStore(tmp_path / "s.sqlite", clock=clock)
    yield made
    await made.close()


async def test_a_value_ends_at_its_time_and_not_before(store, clock):
    """At that very instant it is gone."""
    await store.put("a", b"1", 10)
    await store.add("n", 1, 10)

    clock.now += 9.5
    assert await store.get(["a"]) == [b"1"]
    assert await store.add("n", 1, 10) == 2  # its time began with the first addition
    assert not await store.claim("a", 10)
    clock.now += 0.5
    assert await store.get(["a"]) == [None]
    assert await store.add("n", 1, 10) == 1
    assert await store.claim("a", 10)
    clock.now += 9.5
    assert not await store.claim("a", 10)
    clock.now += 0.5
    assert await store.claim("a", 10)


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


async def test_expired_entries_are_deleted_when_a_file_is_opened(tmp_path, clock):
    """A machine that was off for a week begins with little; `test_sqlite.py` has the other times."""
    path = tmp_path / "s.sqlite"
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
