"""The cache of keys: a second old at most, bounded, and kind to the database."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, event

from kensaku import Settings
from kensaku.database import Database
from kensaku.database.key_cache import KeyCache
from kensaku.database.keys import PREFIX, SECRET_CHARS, create_key, revoke_key
from kensaku.database.tables import API_KEYS
from kensaku.errors import DatabaseFault


class Now:
    """A clock that a test sets."""

    seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def queries(db) -> list[str]:
    """The SELECTs that reach the database."""
    seen: list[str] = []

    def executed(connection, cursor, statement, *rest) -> None:
        if "FROM kensaku_api_keys" in statement:
            seen.append(statement)

    event.listen(db._engine.sync_engine, "after_cursor_execute", executed)
    return seen


def wrong(number: int) -> str:
    return PREFIX + f"{number:0{SECRET_CHARS}}"


async def test_a_key_is_looked_up_once_a_second(db, now, queries):
    """However many requests carry it."""
    key, secret = await create_key(db, "agent")
    cache = KeyCache(db, clock=now)

    assert await asyncio.gather(*(cache.find(secret) for _ in range(100))) == [key] * 100
    now.seconds += 0.99
    assert await cache.find(secret) == key
    assert len(queries) == 1
    now.seconds += 0.01
    assert await cache.find(secret) == key
    assert len(queries) == 2


async def test_a_revoked_key_ends_within_a_second_on_every_worker(db, now):
    """Four caches, as four processes have them."""
    key, secret = await create_key(db, "agent")
    caches = [KeyCache(db, clock=now) for _ in range(4)]
    assert [await cache.find(secret) for cache in caches] == [key] * 4

    await revoke_key(db, key.id)
    now.seconds += KeyCache.SECONDS

    assert KeyCache.SECONDS <= 1
    assert [await cache.find(secret) for cache in caches] == [None] * 4


async def test_a_new_key_works_within_a_second(db, now):
    """Although somebody tried it before it was there."""
    cache = KeyCache(db, clock=now)
    assert not await cache.required()
    _, secret = await create_key(db, "agent")
    key = await cache.find(secret)
    assert key is not None

    now.seconds += 1
    assert await cache.required()


async def test_all_who_ask_whether_keys_are_needed_share_one_query(db, now, queries):
    """Else every request in progress would take a connection in the same second."""
    cache = KeyCache(db, clock=now)
    assert await asyncio.gather(*(cache.required() for _ in range(64))) == [False] * 64
    now.seconds += 0.99
    assert not await cache.required()
    assert len(queries) == 1


async def test_a_key_that_expires_is_not_served_from_the_cache(db, now, queries):
    """Its time is checked at every use."""
    key, secret = await create_key(db, "agent", expires=datetime.now(UTC) + timedelta(hours=1))
    cache = KeyCache(db, clock=now)
    assert await cache.find(secret) == key
    ((digest, (_, until)),) = cache._known.items()
    cache._known[digest] = (replace(key, expires=datetime.now(UTC)), until)  # an hour later
    queries.clear()

    assert await cache.find(secret) is None
    assert queries == []


async def test_a_flood_of_wrong_keys_is_bounded(db, now, queries):
    """In memory and in queries, 500 keys each; and a good key gets through, and stays."""
    key, secret = await create_key(db, "agent")
    cache = KeyCache(db, clock=now)
    assert await cache.find(secret) == key
    queries.clear()

    flood = (cache.find(wrong(n)) for n in range(10_001))
    assert not any(await asyncio.gather(*flood))
    assert len(queries) == 21
    assert await cache.find(secret) == key
    assert not any([await cache.find(wrong(n)) for n in range(1, 10_001)])
    assert len(queries) == 21
    assert await cache.find(wrong(0)) is None  # the oldest: 10,000 are kept
    assert len(queries) == 22


async def test_what_was_looked_up_longest_ago_is_forgotten_first(db, now, queries):
    """Not what has been known for longest."""

    class Small(KeyCache):
        MAX_ENTRIES = 3

    cache = Small(db, clock=now)
    for number in (1, 2):
        await cache.find(wrong(number))
    now.seconds += 1
    for number in (1, 3, 4):
        await cache.find(wrong(number))
    queries.clear()

    assert await cache.find(wrong(1)) is None
    assert queries == []


async def test_a_clock_may_begin_at_zero(db, now):
    """Nothing is known before the database was asked."""
    key, secret = await create_key(db, "agent")
    now.seconds = 0.0
    cache = KeyCache(db, clock=now)

    assert await cache.required()
    assert await cache.find(secret) == key


async def test_a_failed_lookup_that_nobody_waits_for_is_no_error_of_the_loop(machine, now):
    """Whoever asked has gone; the loop would say that an exception was never retrieved."""
    db = await Database.open(Settings(home=machine))
    cache, told = KeyCache(db, clock=now), []
    await db.close()
    (machine / "kensaku.db").unlink()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    before = asyncio.all_tasks()
    waiting = asyncio.create_task(cache.find(wrong(1)))
    for _ in range(3):  # the lookup has begun
        await asyncio.sleep(0)
    lookups = asyncio.all_tasks() - before - {waiting}
    waiting.cancel()
    await asyncio.wait(lookups)
    gc.collect()

    assert waiting.cancelled()
    assert told == []
    await db.close()


async def test_a_key_that_is_no_longer_stored_is_looked_up_once_a_second(db, now, queries):
    """The database was restored from before it was created."""
    key, secret = await create_key(db, "agent")
    cache = KeyCache(db, clock=now)
    assert await cache.find(secret) == key
    async with db.write() as connection:
        await connection.execute(delete(API_KEYS).where(API_KEYS.c.id == key.id))
    now.seconds += 1
    queries.clear()

    assert [await cache.find(secret) for _ in range(3)] == [None] * 3
    assert len(queries) == 1


async def test_what_cannot_be_a_key_never_reaches_the_database(db, now, queries):
    """Keys of other services, for one."""
    cache = KeyCache(db, clock=now)
    assert await cache.find("tvly-dev-0123456789") is None
    assert await cache.find(b"\xff") is None
    assert queries == []


async def test_a_database_that_fails_is_not_an_unknown_key(machine, now):
    """The caller is told to come back, and not that its key is wrong."""
    db = await Database.open(Settings(home=machine))
    cache = KeyCache(db, clock=now)
    await db.close()
    (machine / "kensaku.db").unlink()

    with pytest.raises(DatabaseFault):
        await cache.find(wrong(1))
    await db.close()


async def test_a_caller_that_leaves_does_not_take_the_lookup_with_it(db, now):
    """Another request waits for the same key."""
    key, secret = await create_key(db, "agent")
    cache = KeyCache(db, clock=now)
    leaves = asyncio.create_task(cache.find(secret))
    stays = asyncio.create_task(cache.find(secret))
    await asyncio.sleep(0)
    leaves.cancel()

    assert await stays == key
    assert await cache.find(secret) == key


async def test_a_key_that_is_created_here_is_needed_at_once(db, now, queries):
    """Nobody is asked, and it is not asked again a second later."""
    cache = KeyCache(db, clock=now)
    assert not await cache.required()
    cache.require()
    assert await cache.required()
    now.seconds += 10
    assert await cache.required()
    assert len(queries) == 1


async def test_a_lookup_that_is_cancelled_lets_go_of_those_who_wait(db, now):
    """As when an event loop ends; whoever asks after that is answered."""
    key, secret = await create_key(db, "agent")
    cache, before = KeyCache(db, clock=now), asyncio.all_tasks()
    waiting = asyncio.create_task(cache.find(secret))
    for _ in range(3):  # it has begun
        await asyncio.sleep(0)
    (lookup,) = asyncio.all_tasks() - before - {waiting}
    lookup.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await cache.find(secret) == key
